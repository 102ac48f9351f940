package witness

import (
	"math"

	"github.com/dpverify/dpverify/empirical/witness/internal/smooth"
)

// newTrend fits the trend of a score to ascending values, in rings of neighbours as wide as rings are; equal values
// share one. na and nb are the rows of the samples.
func newTrend(values []valued, na, nb float64) *smooth.Trend {
	total := rowsOf(values)
	var full float64
	begin := func(from float64) { full = total / (1 + math.Exp(-smooth.Logit(from, total)-smooth.RingWidth)) }
	begin(0)
	return smooth.NewTrend(ringsOf(values, na, nb, func(rows, passed float64) bool {
		if rows < smooth.RingLeast || total-passed < smooth.RingLeast || passed < full {
			return false
		}
		begin(passed)
		return true
	}))
}

func rowsOf(values []valued) (total float64) {
	for _, v := range values {
		total += v.a + v.b
	}
	return total
}

// ringsOf gathers ascending values in rings, of which each ends where it has enough rows, all rows up to
// there considered, and no two equal values are in different ones; and the largest value of each.
func ringsOf(values []valued, na, nb float64, enough func(rows, passed float64) bool) (rings []smooth.Ring,
	upto []float64) {
	total := rowsOf(values)
	var passed, from, a, b float64
	for i, v := range values {
		a, b, passed = a+v.a, b+v.b, passed+v.a+v.b
		if i+1 < len(values) && (values[i+1].v == v.v || !enough(a+b, passed)) {
			continue
		}
		x, y := a+0.5, b+0.5
		rings = append(rings, smooth.Ring{Rows: a + b, Ratio: math.Log(x / y * nb / na), Variance: 1/x + 1/y,
			Place: smooth.Logit((from+passed)/2, total)})
		upto = append(upto, v.v)
		from, a, b = passed, 0, 0
	}
	return rings, upto
}
