package sequential

import (
	"encoding/json"
	"fmt"

	"github.com/dpverify/dpverify/empirical"
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
