package outputs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// RecordedCheck judges recorded outputs by a check of samples. No more can be drawn, so the budget has no effect, and
// nothing is left to sample.
//
// Every verdict rests on the independence of the releases. Where [Recording.Dependence] shows that they are not, a
// warning says so and nothing is decided: the verdict is inconclusive. Sorted outputs get the warning alone.
type RecordedCheck struct {
	Recording Recording
	// Check is the check of so many samples at the standard budget, that draws them by next alone.
	Check func(next func(out []any) error, samples int64) verify.Check
}

const (
	// chooses is the share of the outputs that a check may look at before it samples: as often as it likes, for
	// they certify nothing.
	chooses = 0.1
	// mostChoose of them are enough.
	mostChoose = 4096
)

// Prepare judges: those outputs that chose nothing are drawn one after the other, in an order drawn at
// random, each once.
func (c RecordedCheck) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	if len(c.Recording.Outputs) < verify.MinSamples {
		return nil, fmt.Errorf("%d samples in %s: want at least %d", len(c.Recording.Outputs), c.Recording.Name,
			verify.MinSamples)
	}
	word, sorted := c.Recording.Dependence()
	tape := &tape{outputs: ShuffledOutputs(s.Stream("order"), c.Recording.Outputs), r: s.Stream("chooses")}
	tape.from = min(mostChoose, int(chooses*float64(len(tape.outputs))))
	s.Budget = verify.Standard
	trial, err := c.Check(tape.next, int64(len(tape.outputs)-tape.from)).Prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	tape.once = true
	merged, plan := trial.NewTally(), trial.Plan()
	for i := range plan.Shards {
		t, err := trial.Sample(ctx, empirical.Shard{Index: i, Total: plan.Shards, Samples: plan.SamplesPerShard,
			Seed: s.Seed.Derive("recorded", fmt.Sprint(i))})
		if err == nil {
			err = merged.Merge(t)
		}
		if err != nil {
			return nil, err
		}
	}
	e, err := trial.Judge(merged)
	if err != nil {
		return nil, err
	}
	return verify.Decided(statistics{Dependence: word, Sorted: sorted}.around(e)), nil
}

// ShuffledOutputs are the outputs in an order drawn at random.
func ShuffledOutputs(r *rand.Rand, all []any) []any {
	out := make([]any, len(all))
	for i, j := range r.Perm(len(all)) {
		out[i] = all[j]
	}
	return out
}

// tape hands out outputs: of the first ones any, again and again, and then the others, each once.
type tape struct {
	mu      sync.Mutex
	outputs []any
	from    int // of which the others begin
	once    bool
	r       *rand.Rand
}

func (t *tape) next(out []any) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range out {
		switch {
		case !t.once:
			out[i] = t.outputs[t.r.IntN(t.from)]
		case t.from == len(t.outputs):
			return errors.New("recorded outputs: there are no more")
		default:
			out[i] = t.outputs[t.from]
			t.from++
		}
	}
	return nil
}

// RecordedMethod is the method of the statistics of [RecordedCheck].
var RecordedMethod = verify.RegisterStatistics[statistics]("recorded")

// statistics are what is known of the recording beyond the statistics of the check of its samples.
type statistics struct {
	// Dependence says what shows that the outputs depend on one another.
	Dependence string                      `json:"dependence,omitempty"`
	Sorted     bool                        `json:"sorted,omitempty"` // they are sorted, which gets the warning only
	Of         verify.SufficientStatistics `json:"of"`
}

// around adds to the evidence of the check of the samples what is known of the recording.
func (f statistics) around(e verify.Evidence) verify.Evidence {
	e.Method = "recorded samples, in an order drawn at random: " + e.Method
	if f.Dependence != "" {
		e.Warnings = append(e.Warnings, f.Dependence)
	}
	if f.Dependence != "" && !f.Sorted {
		e.Verdict, e.Attempt, e.Counterexample = verify.Inconclusive, "", verify.Counterexample{}
		e.Needed = "independent releases, each recorded once: see the warning"
	}
	if e.Statistics != nil && e.Statistics.Reason == "" {
		f.Of = *e.Statistics
		e.Statistics = verify.NewStatistics(RecordedMethod, f)
	}
	return e
}

func (statistics) Check() error { return nil }

// Judge judges the check of the samples and adds what is known of the recording.
func (f statistics) Judge(s verify.Settings) (verify.Evidence, error) {
	s.Budget = verify.Standard // as of RecordedCheck.Prepare
	e, err := f.Of.Judge(s)
	if err != nil {
		return e, err
	}
	return f.around(e), nil
}
