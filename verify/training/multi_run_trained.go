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

// TrainedAudit is an [MultiRunAudit] of a training that is run for each score, at two inputs: A, with the record, and
// B, without.
// The worlds take turns, one run a shard, so that a journal keeps each run as soon as it is over. Anytime it
// stops after the run that refutes.
//
// The recordings of the audit have the names of the worlds alone.
type TrainedAudit[D any] struct {
	MultiRunAudit
	Training verify.Mechanism[D, any]
	With     D
	Without  D
	Runs     int // of each world, at the standard budget
}

// MaxRuns is the most runs of each world.
const MaxRuns = 100_000

// Check returns an error that names what is out of its domain.
func (t TrainedAudit[D]) Check() error {
	if t.Runs < 1 || t.Runs > MaxRuns {
		return fmt.Errorf("%d runs of each world: say how many, as the number of samples, from 1 to %d", t.Runs, MaxRuns)
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

// trainedTrial has a run a shard: with the record where its index is even.
type trainedTrial[D any] struct {
	TrainedAudit[D]
	settings verify.Settings

	mu   sync.Mutex
	bets *bets // as far as they have gone
}

// worlds of a training.
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

// Done tells whether the runs so far refute the claim.
func (t *trainedTrial[D]) Done(merged empirical.Tally) bool {
	if !t.Anytime {
		return false
	}
	b, err := t.followed(merged.(*tally).Scores)
	return err == nil && b != nil && b.refutes
}

// followed are the bets on these runs, which begin with those of the last call, or anew.
func (t *trainedTrial[D]) followed(s scores) (*bets, error) {
	f := t.design(t.settings)
	if f.Bets == nil || f.lossless() {
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

// tally has the scores of the runs of either world, in their order.
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

// UnmarshalJSON reads what MarshalJSON writes.
func (t *tally) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*tallyJSON)(t)) }
