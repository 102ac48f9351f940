package sequential

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
)

// Blocks is the tally of a sequential test in blocks: the counts of a fixed event in shard order.
type Blocks []Block

// Block holds the counts of an event in one block: X of N samples for the input with the larger probability, and Y
// of N for the other input.
type Block struct{ X, Y, N int64 }

// Merge appends the blocks of another tally.
func (b *Blocks) Merge(other empirical.Tally) error {
	o, ok := other.(*Blocks)
	if !ok {
		return fmt.Errorf("blocks: cannot merge %T", other)
	}
	*b = append(*b, *o...)
	return nil
}

// MarshalJSON writes the blocks as a list.
func (b *Blocks) MarshalJSON() ([]byte, error) { return json.Marshal([]Block(*b)) }

// UnmarshalJSON reads the output of MarshalJSON.
func (b *Blocks) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*[]Block)(b)) }

// EpsilonUpper returns an anytime-valid upper confidence limit of ε at delta for the fixed event, with error alpha.
// It tests a grid of ε around the claimed value.
func (b Blocks) EpsilonUpper(claimed, delta float64, pilot confidence.Pilot, alpha float64) (float64, error) {
	ladder, err := confidence.EpsilonLadder(math.Max(1e-3, claimed/64), math.Max(1, 8*claimed), 64)
	if err != nil {
		return 0, err
	}
	limit, err := confidence.NewAnytimeEpsilon(delta, ladder, pilot)
	if err != nil {
		return 0, err
	}
	for _, block := range b {
		if err := limit.Observe(block.X, block.N, block.Y, block.N); err != nil {
			return 0, err
		}
	}
	return limit.Upper(alpha), nil
}

// DeltaLower returns an anytime-valid lower confidence limit of δ at epsilon for the fixed event, with error alpha.
// It tests (ε, δ) on an increasing grid of δ up to the first value that is not rejected.
func (b Blocks) DeltaLower(epsilon float64, pilot confidence.Pilot, alpha float64) (lower float64, err error) {
	for delta := 0.0; delta < 1; delta = math.Max(1e-6, delta*1.1) {
		bet, err := confidence.NewEProcess(confidence.NotAbove, epsilon, delta, pilot)
		if err != nil {
			return 0, err
		}
		for _, block := range b {
			if err := bet.Observe(block.X, block.N, block.Y, block.N); err != nil {
				return 0, err
			}
		}
		if !bet.Rejected(alpha) {
			break
		}
		lower = delta
	}
	return lower, nil
}
