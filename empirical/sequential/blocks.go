package sequential

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
)

// Blocks is the tally of a test that goes on block by block: the counts of a fixed event,
// in the order of the shards.
type Blocks []Block

// Block is the counts of an event in one block of samples: X of N under the input where it is
// to be likelier, and Y of N under the other.
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

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Blocks) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*[]Block)(b)) }

// EpsilonUpper is the upper limit of ε at delta on the fixed event, valid at any time to stop, with error alpha;
// the ladder that is climbed is about what is claimed.
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

// DeltaLower is the largest δ that is proved at epsilon on the fixed event, at any time to stop, with error
// alpha: bets against (ε, δ) climb a ladder of δ up to the first that holds out.
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
