package training

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/outputs"
)

// TrainedAudit is a [MultiRunAudit] that runs the training for each score: on A with the record and on B without it.
// The worlds alternate, one run a shard, so that a journal keeps each finished run. If Anytime is true, it stops
// after the run that refutes the claim.
//
// Only the names of the audit's recordings are used.
type TrainedAudit[D any] struct {
	MultiRunAudit
	Training verify.Mechanism[D, any]
	With     D
	Without  D
	Runs     int // of each world, at the standard budget
}

// MaxRuns is the maximum number of runs of each world.
const MaxRuns = 100_000

// Check returns an error that names an invalid parameter.
func (t TrainedAudit[D]) Check() error {
	if t.Runs < 1 || t.Runs > MaxRuns {
		return fmt.Errorf("%d runs of each world: set the number of samples, from 1 to %d", t.Runs, MaxRuns)
	}
	return t.MultiRunAudit.Check()
}

// Prepare plans the runs.
func (t TrainedAudit[D]) Prepare(_ context.Context, s verify.Settings) (verify.Trial, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	t.Runs = max(1, int(s.Budget.Samples(int64(t.Runs))))
	return &trainedTrial[D]{TrainedAudit: t, settings: s}, nil
}

// trainedTrial has one run a shard. Runs with even index have the record.
type trainedTrial[D any] struct {
	TrainedAudit[D]
	settings verify.Settings

	mu   sync.Mutex
	bets *bets // bets on the runs so far
}

// worlds is the number of worlds: with the record and without it.
const worlds = 2

func (t *trainedTrial[D]) Plan() empirical.Plan {
	return empirical.Plan{Shards: worlds * t.Runs, SamplesPerShard: 1}
}

func (t *trainedTrial[D]) NewTally() empirical.Tally { return &tally{} }

func (t *trainedTrial[D]) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	world := shard.Index % worlds
	input := [worlds]D{t.With, t.Without}[world]
	output, err := t.Training.Release(shard.Seed.Rand(), input)
	if err != nil {
		return nil, err
	}
	score, err := finite(output)
	if err != nil {
		return nil, fmt.Errorf("run %d: %w", shard.Index+1, err)
	}
	out := &tally{}
	out.Scores[world] = []float64{score}
	return out, nil
}

// Done reports whether the runs so far refute the claim.
func (t *trainedTrial[D]) Done(merged empirical.Tally) bool {
	if !t.Anytime {
		return false
	}
	b, err := t.followed(merged.(*tally).Scores)
	return err == nil && b != nil && b.refutes
}

// followed returns the bets on these runs. It continues the bets of the last call if these runs extend it, and
// otherwise starts again.
func (t *trainedTrial[D]) followed(s scores) (*bets, error) {
	f := t.design(t.settings)
	if f.Bets == nil || f.tooWeak() {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.bets == nil || t.bets.n > min(len(s[0]), len(s[1])) {
		fresh, err := f.newBets(t.settings)
		if err != nil {
			return nil, err
		}
		t.bets = fresh
	}
	t.bets.follow(s)
	return t.bets, nil
}

func (t *trainedTrial[D]) Judge(merged empirical.Tally) (verify.Evidence, error) {
	s := merged.(*tally).Scores
	b, err := t.followed(s)
	if err != nil {
		return verify.Evidence{}, err
	}
	audit := t.MultiRunAudit
	for world, to := range []*outputs.Recording{&audit.A, &audit.B} {
		*to = outputs.Recording{Name: to.Name}
		for _, x := range s[world] {
			to.Outputs = append(to.Outputs, x)
		}
	}
	e, err := audit.evidence(t.settings, s, b)
	e.Data = ""
	return e, err
}

// tally holds the scores of the runs of each world, in order.
type tally struct {
	Scores scores `json:"scores"`
}

// Merge appends the runs of another tally.
func (t *tally) Merge(other empirical.Tally) error {
	o, ok := other.(*tally)
	if !ok {
		return fmt.Errorf("runs: cannot merge %T", other)
	}
	for world := range t.Scores {
		t.Scores[world] = append(t.Scores[world], o.Scores[world]...)
	}
	return nil
}

type tallyJSON tally

// MarshalJSON writes the scores of each world.
func (t *tally) MarshalJSON() ([]byte, error) { return json.Marshal((*tallyJSON)(t)) }

// UnmarshalJSON reads the output of MarshalJSON.
func (t *tally) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*tallyJSON)(t)) }
