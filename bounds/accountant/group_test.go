package accountant

import (
	"math"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// shifted returns narrow cells of noise on a sum that is one of the shifts with the given probabilities, first with the
// group and then without it.
func shifted(cdf func(float64) float64, shifts, p, q []float64, reach, h float64) outcomes {
	return noiseCells(cdf, shifts, shifts, p, q, -reach, reach+slices.Max(shifts), h)
}

// binomials returns the probabilities of Bin(k, q).
func binomials(k int, q float64) (p []float64) {
	ways := 1.0
	for j := range k + 1 {
		p = append(p, ways*math.Pow(q, float64(j))*math.Pow(1-q, float64(k-j)))
		ways *= float64(k-j) / float64(j+1)
	}
	return p
}

// chosen returns the probabilities of the number of members of a group of k in a batch of m of n, by enumeration of all
// batches as sets of bits.
func chosen(k, m, n int) []float64 {
	p, all := make([]float64, k+1), 0.0
	for set := range 1 << n {
		inside, size := 0, 0
		for i := range n {
			if set>>i&1 == 1 {
				if size++; i < k {
					inside++
				}
			}
		}
		if size == m {
			all++
			p[inside]++
		}
	}
	for j := range p {
		p[j] /= all
	}
	return p
}

// chain returns the largest δ at ε after k steps of an (ε₀, δ₀)-DP mechanism, by iteration of the largest probability
// of an event on a grid of probabilities. An error of the grid makes it smaller.
func chain(epsilon0, delta0 float64, k int, epsilon float64) (worst float64) {
	const grid = 200_000
	for i := range grid {
		first := math.Pow(float64(i)/grid, 3)
		p := first
		for range k {
			p = math.Min(1, math.Min(delta0+math.Exp(epsilon0)*p, 1-math.Exp(-epsilon0)*(1-delta0-p)))
		}
		worst = math.Max(worst, p-math.Exp(epsilon)*first)
	}
	return worst
}

// multiples returns the numbers 0, d, …, kd.
func multiples(k int, d float64) (s []float64) {
	for j := range k + 1 {
		s = append(s, float64(j)*d)
	}
	return s
}

// Pairs of neighbors of a group of k, by cells of narrow width or enumeration, are within the bracket of k. The bracket
// of k − 1 is a control: it must not contain them.
func TestGroupsByEnumeration(t *testing.T) {
	const k = 3
	normal := func(sigma float64) func(float64) float64 {
		return func(x float64) float64 { return normalCDF(x / sigma) }
	}
	laplace := func(scale float64) func(float64) float64 {
		return func(x float64) float64 { return laplaceCDF(x / scale) }
	}
	last := []float64{0, 0, 0, 1}
	none := []float64{1, 0, 0, 0}
	half := func(shift float64) outcomes { // two outputs of noisy maxima
		p, q := laplaceCDF(shift/2), laplaceCDF(-shift/2)
		return outcomes{{p, q}, {1 - p, 1 - q}}
	}
	votes := func(sigma float64) outcomes {
		p := normalCDF(k / (math.Sqrt2 * sigma))
		return outcomes{{p, 1 - p}, {1 - p, p}}
	}
	bins := binomials(k, 0.2)
	for _, c := range []struct {
		event     event.Event
		adjacency event.Adjacency
		pair      outcomes
		exact     bool // the bracket is narrow around the pair
	}{
		{event.Gaussian(4), event.AddRemove, shifted(normal(4), multiples(k, 1), last, none, 32, 1.0/16), true},
		{event.Gaussian(8), event.ReplaceOne, shifted(normal(8), multiples(k, 2), last, none, 64, 1.0/8), true},
		{event.Laplace(4), event.AddRemove, shifted(laplace(4), multiples(k, 1), last, none, 80, 1.0/16), true},
		{event.DiscreteGaussian(3), event.AddRemove, discreteGaussians(3, k), true},
		{event.Uniform(10), event.AddRemove, outcomes{{0.85, 0.85}, {0.15, 0}, {0, 0.15}}, true},
		{event.Poisson(0.2, event.Gaussian(1)), event.AddRemove, shifted(normal(1), multiples(k, 1), bins, none, 9, 1.0/64),
			true},
		{event.Poisson(0.2, event.Repeat(4, event.Gaussian(2))), event.AddRemove,
			shifted(normal(1), multiples(k, 1), bins, none, 9, 1.0/64), true},
		{event.WithoutReplacement(2, 8, event.Gaussian(2)), event.AddRemove,
			shifted(normal(2), multiples(k, 2), chosen(k, 2, 8), none, 17, 1.0/32), true},
		{event.PermuteAndFlip(0.3), event.AddRemove, half(k * 0.3), false},
		{event.NoisyArgmax(5), event.AddRemove, votes(5), false},
		{event.FixedBatches(4, event.Laplace(4)), event.AddRemove,
			shifted(laplace(4), multiples(k, 1), last, none, 80, 1.0/16), true},
	} {
		for _, epsilon := range testutil.Size([]float64{0, 0.3}, []float64{0, 0.1, 0.3, 0.6}) {
			want := c.pair.delta(epsilon)
			w := Precision{Width: 0.01, MaxPoints: few}
			b, err := groupedDelta(k, c.event, c.adjacency, epsilon, w)
			if err != nil || !(b.Upper >= want*(1-2e-3)) || c.exact && !(b.Lower <= want*(1+2e-3) && b.Width() <= 0.03*want) {
				t.Errorf("%d in %s, %v at ε = %g: %v, by enumeration %v (%v)", k, c.event, c.adjacency, epsilon, b, want, err)
			}
			if fewer, err := groupedDelta(k-1, c.event, c.adjacency, epsilon, w); err != nil || !(fewer.Upper < want) {
				t.Errorf("%d in %s, %v at ε = %g: %v, which should be below %v (%v)", k-1, c.event, c.adjacency, epsilon,
					fewer, want, err)
			}
		}
	}
}

// groupedDelta returns the best bracket of δ of a group.
func groupedDelta(k int64, e event.Event, adj event.Adjacency, epsilon float64, w Precision) (Bracket, error) {
	r, err := Deltas(event.Group(k, e), adj, epsilon, Options{Methods: []string{"best"}, Precision: w})
	if err != nil {
		return Bracket{}, err
	}
	return r[0].Bracket, nil
}

// Guarantees: the largest probability of an event grows step by step, as iterated on a grid. For ε-DP the bracket is
// this value. The control is one step fewer.
func TestGroupsOfGuarantees(t *testing.T) {
	for _, c := range []struct {
		epsilon0, delta0 float64
		k                int
	}{{0.2, 0, 2}, {0.2, 0, 5}, {1, 0, 3}, {0.3, 0.01, 2}, {0.3, 0.01, 4}} {
		e := event.Pure(c.epsilon0)
		if c.delta0 > 0 {
			e = event.Approximate(c.epsilon0, c.delta0)
		}
		for _, epsilon := range []float64{0, 0.25, 0.5} {
			want := chain(c.epsilon0, c.delta0, c.k, epsilon)
			b, err := groupedDelta(int64(c.k), e, event.AddRemove, epsilon, Precision{})
			if err != nil || !(b.Upper >= want) || c.delta0 == 0 && !(b.Lower <= want+1e-4 && b.Width() <= 1e-3) {
				t.Errorf("%d in %s at ε = %g: %v, step by step %v (%v)", c.k, e, epsilon, b, want, err)
			}
			if fewer := chain(c.epsilon0, c.delta0, c.k-1, epsilon); fewer > 0 && !(fewer < b.Upper*0.999) {
				t.Errorf("%s at ε = %g: %d steps have %v, which should be below %v", e, epsilon, c.k-1, fewer, b)
			}
		}
	}
}

// The rule for whole curves is used for events without a pair. At ε = 0 it multiplies δ by k, so it is above the
// spread of one record and below 1. Its ends in ε and δ must agree.
func TestGroupsByWholeCurve(t *testing.T) {
	for _, e := range []event.Event{
		event.Threshold(20, event.Laplace(1)),
		event.Repeat(3, event.GaussianMixture(5, []float64{0, 1}, []float64{0.5, 0.5})),
		event.FixedBatches(3, event.Poisson(0.3, event.Gaussian(4))),
	} {
		for _, k := range []int64{2, 4} {
			one, err := groupedDelta(1, e, event.AddRemove, 0.1, Precision{})
			many, errMany := groupedDelta(k, e, event.AddRemove, float64(k)*0.1, Precision{})
			want := 0.0 // e^0 + … + e^{(k−1)ε}, term by term
			for i := range k {
				want += math.Exp(0.1 * float64(i))
			}
			want = math.Min(1, want*one.Upper)
			if err != nil || errMany != nil || !(many.Upper >= want*(1-1e-9) && many.Upper <= want*(1+1e-6)) {
				t.Errorf("%d in %s: %v, want an upper end of %v (%v, %v)", k, e, many, want, err, errMany)
			}
			r, err := Epsilons(event.Group(k, e), event.AddRemove, many.Upper, Options{Methods: []string{"best"}})
			if err != nil || !(r[0].Upper <= float64(k)*0.1*1.01 && r[0].Lower <= r[0].Upper) {
				t.Errorf("%d in %s at δ = %v: %v, want at most %v (%v)", k, e, many.Upper, r, float64(k)*0.1, err)
			}
		}
	}
}

// Every method has an upper end of at least the lower end of one record, which is positive. The formulas for Laplace
// noise and for bounded range must not apply to their sampled groups.
func TestGroupsOfSampledRecords(t *testing.T) {
	for _, e := range []event.Event{
		event.Poisson(0.3, event.Laplace(1)), event.Poisson(0.3, event.Exponential(2)), event.Poisson(0.3, event.Pure(1)),
		event.FixedBatches(2, event.Exponential(1)), event.WithReplacement(2, 5, event.Gaussian(1)),
		event.ShuffledReports(5, event.RandomizedResponse(1, 2)),
	} {
		one, err := groupedDelta(1, e, event.ReplaceOne, 0.05, Precision{})
		few, errFew := groupedDelta(1, e, event.AddRemove, 0.05, Precision{})
		for adj, b := range map[event.Adjacency]Bracket{event.ReplaceOne: one, event.AddRemove: few} {
			if adj == event.AddRemove && errFew != nil {
				continue // the event is only defined for replaced records
			}
			results, errGroup := Deltas(event.Group(2, e), adj, 0.05, Options{})
			if err != nil || errGroup != nil || len(results) == 0 {
				t.Fatalf("%s, %v: %v, %v", e, adj, err, errGroup)
			}
			for _, r := range results {
				if !(r.Upper > b.Lower && r.Upper > 0.01) {
					t.Errorf("%s, %v: %s of a group gave %v, one record has %v", e, adj, r.Method, r.Bracket, b)
				}
			}
		}
	}
}

// Groups for which no rule is sound are rejected with the reason.
func TestRejectedGroups(t *testing.T) {
	for _, c := range []struct {
		reason string
		event  event.Event
	}{
		{"a group in a group", event.Group(2, event.Repeat(2, event.Group(2, event.Gaussian(1))))},
		{"a group that is not outermost", event.Repeat(2, event.Group(2, event.Gaussian(1)))},
		{"no records", event.Group(0, event.Gaussian(1))},
		{"too large", event.Group(event.MaxGroup+1, event.Gaussian(1))},
		{"smaller data sets are sampled more", event.Group(2, event.TruncatedPoisson(0.1, 5, 20, event.Gaussian(1)))},
		{"the smaller data set has no batch", event.Group(3, event.WithoutReplacement(8, 10, event.Gaussian(1)))},
	} {
		if r, err := Epsilons(c.event, event.AddRemove, 1e-5, Options{}); err == nil {
			t.Errorf("%s: %v, want an error", c.reason, r)
		}
	}
	if _, err := Renyi(event.Group(2, event.Threshold(20, event.Laplace(1))), event.AddRemove, 2); err == nil {
		t.Error("a Rényi divergence of a group without a pair")
	}
}
