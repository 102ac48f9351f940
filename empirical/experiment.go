package empirical

import (
	"context"
	"encoding/json"
	"fmt"
)

// Plan states the number of samples and the violation that they detect. It is fixed before the first sample.
type Plan struct {
	Shards          int   // 0 if Prepare computed everything
	SamplesPerShard int64 // samples of each input in a shard
	// Effect is the violation, in the check's own unit, that the plan detects with probability at least Power. It is
	// 0 if no power is claimed.
	Effect, Power float64
}

// Samples returns the number of samples of each input in the whole plan.
func (p Plan) Samples() int64 { return int64(p.Shards) * p.SamplesPerShard }

// Shard describes one shard completely, so that any process can sample it.
type Shard struct {
	Index, Total int
	Samples      int64
	Seed         Seed
}

// Tally is the result of a shard: sums, not samples. Tallies are merged in shard order, so Merge need not commute.
type Tally interface {
	Merge(Tally) error
	json.Marshaler
	json.Unmarshaler
}

// Experiment is sampled in shards. Sample must be a pure function of the shard: the same shard gives the same tally
// in any process.
type Experiment interface {
	Plan() Plan
	Sample(context.Context, Shard) (Tally, error)
	NewTally() Tally
}

// Stopper is an Experiment that can end early. Run calls Done after each merge, in shard order, so its answers do
// not depend on the number of workers. After true, Run ignores the remaining shards.
type Stopper interface {
	Experiment
	Done(merged Tally) bool
}

// NoTally is the tally of an experiment without shards.
type NoTally struct{}

func (NoTally) Merge(Tally) error            { return nil }
func (NoTally) MarshalJSON() ([]byte, error) { return []byte("null"), nil }
func (NoTally) UnmarshalJSON([]byte) error   { return nil }

// Tallies is a list of tallies, merged element by element.
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

// UnmarshalJSON fills the elements of t, whose types NewTally has set.
func (t Tallies) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	if len(raw) != len(t) {
		return fmt.Errorf("tallies: %d parts, want %d", len(raw), len(t))
	}
	for i := range t {
		if err := t[i].UnmarshalJSON(raw[i]); err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
	}
	return nil
}
