package witness

import (
	"math"

	"github.com/dpverify/dpverify/empirical/witness/internal/smooth"
)

// trend is the posterior of a score's log density ratio, first sample over second, from its
// bulk to its tails: a curve through the counts of rings of values. It is a local level model
// along the logit of the rank, whose random walk has heavy-tailed steps, or a local linear
// trend. Which, and with what variance, is averaged over by the likelihood (empirical Bayes).
// A tail of ten rows is shrunk towards the curve, so that the best of many tails is not the
// one with the largest chance excess, and a tail that goes on as it began is expected to
// before it is counted.
type trend struct {
	upto     []float64 // largest value of each ring
	ratio    []float64 // log density ratio expected in each ring
	fromLow  []float64 // standard deviation of the mean ratio of the rings up to each
	fromHigh []float64 // … and from each on
}

// speeds of the random walks, as standard deviations per root of a unit of logit.
var speeds = []float64{1e-3, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3}

// newTrend fits the trend to ascending values; na and nb are the rows of the samples.
func newTrend(values []valued, na, nb float64) *trend {
	t := &trend{}
	rings := t.rings(values, na, nb)
	n := len(rings)
	t.ratio, t.fromLow, t.fromHigh = make([]float64, n), make([]float64, n), make([]float64, n)
	fits, weights := fitTrends(rings)
	for i, f := range fits {
		for j := range n {
			t.ratio[j] += weights[i] * f.Mean[j]
			t.fromLow[j] += weights[i] * f.Low[j]
			t.fromHigh[j] += weights[i] * f.High[j]
		}
	}
	for j := range n {
		var between float64 // the fits disagree
		for i, f := range fits {
			d := f.Mean[j] - t.ratio[j]
			between += weights[i] * d * d
		}
		t.fromLow[j] = math.Sqrt(t.fromLow[j] + between)
		t.fromHigh[j] = math.Sqrt(t.fromHigh[j] + between)
	}
	return t
}

// fitTrends are the fits at all speeds, with their weights.
func fitTrends(rings []smooth.Ring) (fits []smooth.TrendFit, weights []float64) {
	for _, speed := range speeds {
		fits = append(fits, smooth.FitLevel(rings, speed), smooth.FitSlope(rings, speed))
	}
	for _, f := range fits {
		weights = append(weights, f.Likelihood)
	}
	smooth.Normalise(weights)
	return fits, weights
}

// rings of neighbouring values, as wide as rings are; equal values share one.
func (t *trend) rings(values []valued, na, nb float64) []smooth.Ring {
	total := rowsOf(values)
	var full float64
	begin := func(from float64) { full = total / (1 + math.Exp(-logit(from, total)-smooth.RingWidth)) }
	begin(0)
	out, upto := ringsOf(values, na, nb, func(rows, passed float64) bool {
		if rows < smooth.RingLeast || total-passed < smooth.RingLeast || passed < full {
			return false
		}
		begin(passed)
		return true
	})
	t.upto = upto
	return out
}

func rowsOf(values []valued) (total float64) {
	for _, v := range values {
		total += v.a + v.b
	}
	return total
}

// logit of a rank among so many.
func logit(rank, total float64) float64 {
	rank = math.Max(0.5, math.Min(total-0.5, rank))
	return math.Log(rank / (total - rank))
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
			Place: logit((from+passed)/2, total)})
		upto = append(upto, v.v)
		from, a, b = passed, 0, 0
	}
	return rings, upto
}

// shares are the parts of the rows in each ring that are expected to be of the first sample, where
// there are na of it and nb of the other.
func (t *trend) shares(na, nb float64) []float64 {
	out := make([]float64, len(t.ratio))
	for j, ratio := range t.ratio {
		out[j] = 1 / (1 + math.Exp(-ratio)*nb/na)
	}
	return out
}
