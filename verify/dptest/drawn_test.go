package dptest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// visits holds the visits of one person and a limit on the cost of a visit.
type visits struct {
	Days []int
	Cap  int
}

// weeks draws pairs that differ by one visit, with even days and limits of at least 5. No space of package inputs
// describes these pairs.
var weeks = rapid.Custom(func(t *rapid.T) inputs.Pair[visits] {
	days := rapid.SliceOfN(rapid.IntRange(0, 30), 0, 12).Draw(t, "days")
	for i := range days {
		days[i] *= 2
	}
	more := append(append([]int{}, days...), 2*rapid.IntRange(0, 30).Draw(t, "more"))
	limit := rapid.IntRange(5, 40).Draw(t, "cap")
	return inputs.Pair[visits]{A: visits{more, limit}, B: visits{days, limit}}
})

// drawnIs reports whether the generator can draw the pair.
func drawnIs(p inputs.Pair[visits]) bool {
	a, b := p.A, p.B
	if a.Cap != b.Cap || a.Cap < 5 || a.Cap > 40 || len(a.Days) != len(b.Days)+1 || len(b.Days) > 12 {
		return false
	}
	for i, d := range a.Days {
		if d%2 != 0 || d < 0 || d > 60 || i < len(b.Days) && b.Days[i] != d {
			return false
		}
	}
	return true
}

// TestDrawnAreShrunk checks that a drawn pair depends only on the seed, that each smaller pair is simpler and one
// the generator can draw, and that every chain of smaller pairs ends.
func TestDrawnAreShrunk(t *testing.T) {
	by := drawnBy(weeks)
	for seed := range uint64(4) {
		p := by.draw(empirical.NewSeed(seed).Rand())
		if q := by.draw(empirical.NewSeed(seed).Rand()); inputs.PairKey(p) != inputs.PairKey(q) {
			t.Errorf("seed %d: %#v and %#v", seed, p, q)
		}
		for steps := 0; ; steps++ {
			all := by.smaller(p)
			if len(all) == 0 {
				break
			}
			for _, q := range all {
				if !drawnIs(q) || inputs.ComparePairs(q, p) >= 0 {
					t.Fatalf("seed %d: %#v is shrunk to %#v", seed, p, q)
				}
			}
			if p = all[0]; steps > 100 {
				t.Fatal("shrinking does not end")
			}
		}
		if want := (visits{[]int{0}, 5}); inputs.PairKey(p) != inputs.PairKey(inputs.Pair[visits]{A: want,
			B: visits{[]int{}, 5}}) {
			t.Errorf("seed %d: the smallest is %#v", seed, p)
		}
	}
	refuses := drawnBy(weeks.Filter(func(p inputs.Pair[visits]) bool { return p.A.Cap == 40 }))
	if p := refuses.draw(empirical.NewSeed(1).Rand()); p.A.Cap != 40 {
		t.Errorf("generator that rejects most pairs: %#v", p)
	}
	if all := by.smaller(inputs.Pair[visits]{}); len(all) > 0 {
		t.Errorf("smaller pairs for a pair that was not drawn: %v", all)
	}
}

// TestDrawnViolationsAreShrunk checks that a violating pair, for a map or a mechanism, is shrunk to the smallest
// pair that the generator can draw.
func TestDrawnViolationsAreShrunk(t *testing.T) {
	spent := func(v visits) (s float64) {
		for _, d := range v.Days {
			s += float64(min(d, v.Cap))
		}
		return s
	}
	f := &fake{name: "TestIt"}
	Sensitivity(f, spent, sensitivity.L1, 20, RandomPairs(30, weeks))
	if got := f.text(); !strings.Contains(got, "A = dptest.visits{Days:[]int{22}, Cap:21}") {
		t.Error(got)
	}
	f = &fake{name: "TestIt"}
	noisy := func(r *rand.Rand, v visits) float64 { return spent(v)/20 + laplace(r, 0.2) }
	Audit(f, noisy, pure, RandomPairs(6, weeks), Samples(1000))
	if got := f.text(); !strings.Contains(got, "smallest pair:  A = dptest.visits{Days:[]int{") ||
		strings.Count(got, ", ") > 12 {
		t.Error(got)
	}
}
