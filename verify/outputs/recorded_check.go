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

// RecordedCheck judges recorded outputs with a check that draws samples. The recording limits the samples, so the
// budget has no effect.
//
// Every verdict assumes independent releases. If [Recording.Dependence] shows that they are not, the verdict is
// inconclusive, with a warning. Sorted outputs get only the warning.
type RecordedCheck struct {
	Recording Recording
	// Check returns a check that takes this number of samples at the standard budget, and draws all of them with next.
	Check func(next func(out []any) error, samples int64) verify.Check
}

const (
	// choosing is the share of the outputs from which a check may draw, with repetition, while it prepares. No
	// certificate uses them.
	choosing = 0.1
	// maxChoosing is the maximum number of these outputs.
	maxChoosing = 4096
)

// Prepare prepares the check and judges the recording. The samples are the outputs that the preparation could not draw,
// each once, in random order. It returns an error for fewer than [verify.MinSamples] outputs.
func (c RecordedCheck) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	if len(c.Recording.Outputs) < verify.MinSamples {
		return nil, fmt.Errorf("%d samples in %s: want at least %d", len(c.Recording.Outputs), c.Recording.Name,
			verify.MinSamples)
	}
	word, sorted := c.Recording.Dependence()
	tape := &tape{outputs: ShuffledOutputs(s.Stream("order"), c.Recording.Outputs), r: s.Stream("chooses")}
	tape.from = min(maxChoosing, int(choosing*float64(len(tape.outputs))))
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

// ShuffledOutputs returns the outputs in random order.
func ShuffledOutputs(r *rand.Rand, all []any) []any {
	out := make([]any, len(all))
	for i, j := range r.Perm(len(all)) {
		out[i] = all[j]
	}
	return out
}

// tape provides outputs. If once is false, it draws from those before index from, with repetition. Otherwise it
// provides each output from this index on once, in order.
type tape struct {
	mu      sync.Mutex
	outputs []any
	from    int // index of the next output that is provided once
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
			return errors.New("all recorded outputs have been used")
		default:
			out[i] = t.outputs[t.from]
			t.from++
		}
	}
	return nil
}

// RecordedMethod names the statistics of [RecordedCheck].
var RecordedMethod = verify.RegisterStatistics[statistics]("recorded")

// statistics holds the facts about the recording in addition to the statistics of the check.
type statistics struct {
	// Dependence describes the evidence that the outputs are dependent.
	Dependence string                      `json:"dependence,omitempty"`
	Sorted     bool                        `json:"sorted,omitempty"` // sorted outputs get only a warning
	Of         verify.SufficientStatistics `json:"of"`
}

// around adds the facts about the recording to the evidence of the check.
func (f statistics) around(e verify.Evidence) verify.Evidence {
	e.Method = "recorded samples, in random order: " + e.Method
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

// Judge judges the check of the samples and adds the facts about the recording.
func (f statistics) Judge(s verify.Settings) (verify.Evidence, error) {
	s.Budget = verify.Standard // as in RecordedCheck.Prepare
	e, err := f.Of.Judge(s)
	if err != nil {
		return e, err
	}
	return f.around(e), nil
}
