package distinguisher

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

// ranked returns n values for each group with the counts of the groups: a score with as many values as groups.
func ranked(counts ...[2]float64) (values []valued, na, nb float64) {
	for i, c := range counts {
		values = append(values, valued{float64(i), c[0], c[1]})
		na, nb = na+c[0], nb+c[1]
	}
	return values, na, nb
}

func TestTrend(t *testing.T) {
	for _, c := range []struct {
		reason     string
		counts     [][2]float64
		ring       int
		low, high  float64 // of the log ratio expected there
		most, seen float64 // standard deviation of the tail; the ratio of the counts
	}{
		{"a lucky tail beside a bulk without difference is drawn to it", [][2]float64{{30, 10}, {500, 500}, {4000, 4010}, {4000, 4010}, {500, 500}}, 0, 0, 0.5, 0.5, math.Log(3)},
		{"the thin tail of a jump is drawn to the level of its neighbours", [][2]float64{{6, 6}, {27, 10}, {270, 100}, {2700, 1000}, {4000, 5887}}, 0, 0.4, 1.1, 0.5, 0},
		{"a jump that the counts bear out is believed", [][2]float64{{5000, 2000}, {5000, 8000}}, 0, 0.85, 0.95, 0.05, math.Log(2.5)},
		{"a thin tail goes on as the ratio rises towards it", [][2]float64{{3, 3}, {30, 10}, {200, 100}, {1000, 700}, {5000, 4500}, {4000, 4920}}, 0, 0.6, 1.6, 0.7, 0},
		{"no row of the other sample at all", [][2]float64{{5000, 0}, {5000, 10000}}, 0, 5, 10, 3, math.Inf(1)},
	} {
		values, na, nb := ranked(c.counts...)
		got, deviation := trendAt(newTrend(values, na, nb), float64(c.ring), true)
		if !(got >= c.low && got <= c.high) || !(deviation > 0 && deviation <= c.most) {
			t.Errorf("%s: expected ratio %.3f ± %.3f, want within [%v, %v] and at most ± %v; the counts say %.3f", c.reason, got, deviation, c.low, c.high, c.most, c.seen)
		}
	}
}

// The trend and its standard deviations are symmetric in the samples and in the direction.
func TestTrendMirrors(t *testing.T) {
	values, na, nb := ranked([2]float64{40, 20}, [2]float64{300, 200}, [2]float64{700, 900}, [2]float64{60, 80})
	var mirrored []valued
	for i := range values {
		v := values[len(values)-1-i]
		mirrored = append(mirrored, valued{-v.v, v.b, v.a})
	}
	one, other := newTrend(values, na, nb), newTrend(mirrored, nb, na)
	for _, v := range values {
		r, d := trendAt(one, v.v, true)
		s, e := trendAt(other, -v.v, false)
		if math.Abs(r+s) > 1e-3 || math.Abs(d-e) > 1e-3 {
			t.Errorf("at %v: %v ± %v, and mirrored %v ± %v", v.v, r, d, s, e)
		}
	}
}

// If the counts come from one distribution, the best of 50 symbols gets a small ratio. Its raw counts would suggest
// a difference of one third. Seeds are fixed.
func TestPatternsAreDrawnTogether(t *testing.T) {
	for seed := range uint64(10) {
		draw := func(r *rand.Rand) []float64 { return []float64{float64(r.IntN(50))} }
		p := newPatterns(newTable(sampleOf(2*seed, 5000, draw), sampleOf(2*seed+1, 5000, draw)), 100)
		for _, ratio := range p.ratio {
			if math.Abs(ratio) > 0.15 {
				t.Errorf("seed %d: a log ratio of %.3f is believed where there is none", seed, ratio)
			}
		}
	}
	draw := func(share float64) func(r *rand.Rand) []float64 {
		return func(r *rand.Rand) []float64 { return []float64{indicator(r.Float64() < share)} }
	}
	p := newPatterns(newTable(sampleOf(1, 5000, draw(0.2)), sampleOf(2, 5000, draw(0.1))), 100)
	if got := p.Score([]float64{1}); math.Abs(got-math.Log(2)) > 0.2 {
		t.Errorf("a log ratio of %.3f for ln 2", got)
	}
	if newPatterns(newTable(sampleOf(1, 500, draw(0.2)), sampleOf(2, 500, draw(0.1))), 1) != nil {
		t.Error("more symbols than allowed were taken")
	}
}

// The certificate has thirty times as many rows as the search, so rare events look promising. The best of some
// hundred tails of noise is still only chance. One of five values is shifted by a tenth of its scale, so that ε =
// 0.1; a useless event certifies 0. With raw counts four of the five runs of the long form fail, and the test
// permits one. Seeds are fixed.
func TestFindIsNotLedAstrayByTails(t *testing.T) {
	draw := func(shift float64) func(r *rand.Rand) []float64 {
		return func(r *rand.Rand) []float64 {
			row := []float64{5, laplaceRow(shift)(r)[0]}
			for range 4 {
				row = append(row, laplaceRow(0)(r)[0])
			}
			return row
		}
	}
	fa, fb := sampleOf(100, 100_000, draw(0)), sampleOf(101, 100_000, draw(0.1))
	var failed []string
	for seed := range testutil.Size[uint64](3, 5) {
		w, err := find(searchAt(600_000), sampleOf(2*seed, 20_000, draw(0)), sampleOf(2*seed+1, 20_000, draw(0.1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := certified(w, fa, fb); got < 0.06 {
			failed = append(failed, fmt.Sprintf("seed %d: certified %.3f of 0.1 by %q", seed, got, w.Event))
		}
	}
	if len(failed) > 1 {
		t.Error(failed)
	}
}

// A tail is extrapolated only if it has many distinct values. Positions and counts have no such tail, and an event
// beyond their last value is not rarer than observed.
func TestFitTail(t *testing.T) {
	const n = 2000
	for _, c := range []struct {
		name  string
		score func(level float64) float64 // the quantile at a level: nothing is drawn, so nothing is left to chance
		fits  bool
	}{
		{"exponential", func(level float64) float64 { return -math.Log(level) }, true},
		{"places", func(level float64) float64 { return math.Floor(5 * level) }, false},
	} {
		var values []valued
		for i := range n {
			values = append(values, valued{c.score((float64(i) + 0.5) / n), 0, 1})
		}
		slices.SortFunc(values, func(x, y valued) int { return cmp.Compare(x.v, y.v) })
		got := (&tailSearch{nb: n}).fitTail(values).Beyond(8)
		// The standard errors added to scale and share increase the true value e⁻⁸ by a factor of about three.
		if c.fits && !(got > 3*math.Exp(-8) && got < 3.4*math.Exp(-8)) || !c.fits && got != 1 {
			t.Errorf("%s: a share of %v is estimated beyond 8", c.name, got)
		}
	}
}

// trendAt returns the expected log density ratio at a value, and the standard deviation of its mean from there
// outwards, below or above.
func trendAt(t *trend, v float64, below bool) (ratio, deviation float64) {
	j, _ := slices.BinarySearch(t.Upto, v)
	j = min(j, len(t.Upto)-1)
	if below {
		return t.Ratio[j], t.FromLow[j]
	}
	return t.Ratio[j], t.FromHigh[j]
}
