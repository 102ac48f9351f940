package pld

import (
	"math/rand/v2"
	"testing"
)

// A merged list of groups dominates the original list, or is dominated by it, and is not the original.
func TestMergedGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	s := Shuffled{Users: 100, Epsilon0: 2}
	for range 20 {
		var groups []group
		for n := 5.0; n < 30; n++ {
			groups = append(groups, group{1.0 / 25, n, 20 * r.Float64()})
		}
		delta := func(list []group, above bool) Interval {
			f, err := s.pair(list, 0, above)
			if err != nil {
				t.Fatal(err)
			}
			return f.Delta(0.3)
		}
		exact := Interval{delta(groups, false).Low, delta(groups, true).High}
		above, below := delta(merged(groups, true, 5), true), delta(merged(groups, false, 5), false)
		if !(below.High < exact.Low && exact.High < above.Low) {
			t.Errorf("%v is not between %v and %v", exact, below, above)
		}
	}
}
