package pld

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// draw returns X and X′ of an epoch, for two records with opposite contributions. The first record takes all picks or
// none.
func draw(e Epoch, taken int, rng *rand.Rand) (up, down float64) {
	s := 1 / e.Sigma
	// Elementary symmetric polynomials of the ratios.
	plus, minus := make([]float64, e.Picks+1), make([]float64, e.Picks+1)
	plus[0], minus[0] = 1, 1
	order := rng.Perm(e.Steps)
	for i := range e.Steps {
		z := rng.NormFloat64()
		if order[i] < taken {
			z += s
		}
		for j := min(i+1, e.Picks); j > 0; j-- {
			// Divide by the number of subsets on the way.
			w := float64(j) / float64(i+1)
			plus[j] = plus[j]*(1-w) + w*plus[j-1]*math.Exp(s*z-s*s/2)
			minus[j] = minus[j]*(1-w) + w*minus[j-1]*math.Exp(-s*z-s*s/2)
		}
	}
	return plus[e.Picks], minus[e.Picks]
}

// The simulated δ is within the bounds, up to an empirical Bernstein limit (Maurer & Pontil 2009) at 1e-9. It is a mean
// of (1 − γ/X)⁺ under P, of (1 − γX)⁺ under Q, or of (1 − γX′/X)⁺ under P. The half width must be at most a sixth of δ.
func TestSimulation(t *testing.T) {
	const draws, alpha = 40000, 1e-9
	for i, c := range []struct {
		epoch   Epoch
		epsilon float64
		add     bool
	}{
		{Epoch{Sigma: 1, Steps: 20, Picks: 1}, 0.3, false},
		{Epoch{Sigma: 0.5, Steps: 30, Picks: 1}, 1, false},
		{Epoch{Sigma: 1, Steps: 20, Picks: 1, Replace: true}, 0.3, false},
		{Epoch{Sigma: 1, Steps: 7, Picks: 3}, 1, false},
		{Epoch{Sigma: 2, Steps: 9, Picks: 4}, 0.5, false},
		{Epoch{Sigma: 2, Steps: 6, Picks: 2, Replace: true}, 0.5, false},
		{Epoch{Sigma: 1, Steps: 20, Picks: 1}, 0.3, true},
		{Epoch{Sigma: 1, Steps: 7, Picks: 3}, 1, true},
		{Epoch{Sigma: 2, Steps: 9, Picks: 4}, 0.5, true},
	} {
		rng := rand.New(rand.NewPCG(20261122, uint64(i)))
		sum, squares := 0.0, 0.0
		for range draws {
			taken := c.epoch.Picks
			if c.add {
				taken = 0
			}
			up, down := draw(c.epoch, taken, rng)
			ratio := up // ratio of the pair's first distribution to its second
			switch {
			case c.epoch.Replace:
				ratio /= down
			case c.add:
				ratio = 1 / up
			}
			v := math.Max(0, 1-math.Exp(c.epsilon)/ratio)
			sum, squares = sum+v, squares+v*v
		}
		mean := sum / draws
		variance := (squares - sum*mean) / (draws - 1)
		l := math.Log(4 / alpha)
		half := math.Sqrt(2*variance*l/draws) + 7*l/(3*(draws-1))
		lower, err := c.epoch.Lower(160)
		if err != nil {
			t.Fatal(err)
		}
		factors, err := c.epoch.Upper(160)
		if err != nil {
			t.Fatal(err)
		}
		logLow, order := lower.Remove.LogDelta(c.epsilon), func(p AllocatedPair) *AllocationLaw { return p.Remove }
		if c.add {
			logLow, order = lower.Add.LogDelta(c.epsilon), func(p AllocatedPair) *AllocationLaw { return p.Add }
		}
		low, high := math.Exp(logLow), composed(factors, order, c.epsilon)
		if !(low <= mean+half && mean-half <= high && half < mean/6) {
			t.Errorf("%+v: δ(%v) = %v … %v, simulated %v ± %v", c.epoch, c.epsilon, low, high, mean, half)
		}
	}
}

// composed returns δ of a composition in one order, with losses rounded up to a lattice.
func composed(factors []Factor, order func(AllocatedPair) *AllocationLaw, epsilon float64) float64 {
	const h = 0.01
	total, infinite := map[int]float64{0: 1}, 0.0 // probabilities under P
	for _, f := range factors {
		law := order(f.AllocatedPair)
		for range f.Count {
			next := map[int]float64{}
			one := map[int]float64{}
			for i, p := range law.LogP {
				one[int(math.Ceil((p-law.LogQ[i])/h))] += math.Exp(p)
			}
			for _, a := range slices.Sorted(maps.Keys(total)) {
				for _, b := range slices.Sorted(maps.Keys(one)) {
					next[a+b] += total[a] * one[b]
				}
			}
			total, infinite = next, infinite+law.Infinite
		}
	}
	delta := infinite
	for _, a := range slices.Sorted(maps.Keys(total)) {
		delta += total[a] * math.Max(0, -math.Expm1(epsilon-float64(a)*h))
	}
	return delta
}

func BenchmarkEpoch(b *testing.B) {
	for _, e := range []Epoch{
		{Sigma: 1, Steps: 100, Picks: 1}, {Sigma: 1, Steps: 1000, Picks: 1}, {Sigma: 0.5, Steps: 1000, Picks: 1},
		{Sigma: 2, Steps: 100, Picks: 1}, {Sigma: 20, Steps: 8191, Picks: 1}, {Sigma: 0.3, Steps: 100000, Picks: 1},
		{Sigma: 1, Steps: 1000, Picks: 10}, {Sigma: 5, Steps: 1000, Picks: 100}, {Sigma: 1, Steps: 100, Picks: 1, Replace: true},
	} {
		b.Run(fmt.Sprintf("upper/%+v", e), func(b *testing.B) {
			for b.Loop() {
				if _, err := e.Upper(1000); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("lower/%+v", e), func(b *testing.B) {
			for b.Loop() {
				if _, err := e.Lower(1000); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
