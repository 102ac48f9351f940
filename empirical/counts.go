package empirical

import (
	"encoding/json"
	"fmt"
	"math"
)

// Counts is the tally of the numbers of occurrences of a fixed list of events.
type Counts []int64

func (c Counts) Merge(other Tally) error {
	o, ok := other.(Counts)
	if !ok || len(o) != len(c) {
		return fmt.Errorf("counts: cannot merge %T of another shape", other)
	}
	for i := range c {
		if o[i] < 0 || c[i] > math.MaxInt64-o[i] {
			return fmt.Errorf("counts: entry %d out of range", i)
		}
		c[i] += o[i]
	}
	return nil
}

func (c Counts) MarshalJSON() ([]byte, error) { return json.Marshal([]int64(c)) }

// UnmarshalJSON fills c, whose length must match.
func (c Counts) UnmarshalJSON(data []byte) error {
	var raw []int64
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	if len(raw) != len(c) {
		return fmt.Errorf("counts: %d entries, want %d", len(raw), len(c))
	}
	for i, k := range raw {
		if k < 0 {
			return fmt.Errorf("counts: entry %d is negative", i)
		}
	}
	copy(c, raw)
	return nil
}
