package empirical

import (
	"context"
	"encoding/json"
	"fmt"
)

// Plan says how much is going to be sampled, and what that is going to show.
// It is fixed before the first sample is drawn.
type Plan struct {
	Shards          int   // 0 when everything was computed in Prepare
	SamplesPerShard int64 // samples of each input in a shard
	// Effect is the violation, in the check's own unit, that the plan would see
	// with probability at least Power; 0 where no power is claimed.
	Effect, Power float64
}

// Samples is the number of samples of each input in the whole plan.
func (p Plan) Samples() int64 { return int64(p.Shards) * p.SamplesPerShard }

// Shard is one piece of the work: enough to do it anywhere.
type Shard struct {
	Index, Total int
	Samples      int64
	Seed         Seed
}

// Tally is what a shard leaves behind: sums, never samples. Tallies are merged
// in shard order, so Merge need not commute.
type Tally interface {
	Merge(Tally) error
	json.Marshaler
	json.Unmarshaler
}

// Experiment is sampled in shards. Sample is a pure function of the shard: the
// same shard gives the same tally in any process.
type Experiment interface {
	Plan() Plan
	Sample(context.Context, Shard) (Tally, error)
	NewTally() Tally
}

// Stopper is an Experiment that can have enough. Done is asked after each shard
// is merged, in shard order, and so answers the same at any number of workers;
// once it says yes the remaining shards are neither awaited nor merged.
type Stopper interface {
	Experiment
	Done(merged Tally) bool
}

// NoTally is the tally of an experiment without shards.
type NoTally struct{}

func (NoTally) Merge(Tally) error            { return nil }
func (NoTally) MarshalJSON() ([]byte, error) { return []byte("null"), nil }
func (NoTally) UnmarshalJSON([]byte) error   { return nil }

// Tallies is a tally of several parts, merged part by part.
type Tallies []Tally

func (t Tallies) Merge(other Tally) error {
	o, ok := other.(Tallies)
	if !ok || len(o) != len(t) {
		return fmt.Errorf("tallies: cannot merge %T of another shape", other)
	}
	for i := range t {
		if err := t[i].Merge(o[i]); err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
	}
	return nil
}

func (t Tallies) MarshalJSON() ([]byte, error) { return json.Marshal([]Tally(t)) }

// UnmarshalJSON fills the parts that t already has: the receiver comes from
// NewTally, which knows their types.
func (t Tallies) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	if len(raw) != len(t) {
		return fmt.Errorf("tallies: %d parts where %d are expected", len(raw), len(t))
	}
	for i := range t {
		if err := t[i].UnmarshalJSON(raw[i]); err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
	}
	return nil
}
