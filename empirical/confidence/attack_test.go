package confidence

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// For every pair of probabilities the limits are too large with probability at most alpha. The test enumerates all
// outcomes at pairs whose ε and μ are known.
func TestAttackErrsAtMostAlpha(t *testing.T) {
	for _, c := range []struct {
		n1, n2 int64
		alpha  float64
	}{{2, 2, 0.05}, {1, 3, 0.3}, {6, 6, 0.05}, {9, 5, 0.2}} {
		type limit struct{ epsilon, approximate, mu float64 }
		lower := make(map[[2]int64]limit)
		for x := range c.n1 + 1 {
			for y := range c.n2 + 1 {
				a := Attack{x, c.n1, y, c.n2}
				var l limit
				var err [3]error
				l.epsilon, err[0] = a.EpsilonLower(0, c.alpha)
				l.approximate, err[1] = a.EpsilonLower(0.1, c.alpha)
				l.mu, err[2] = a.MuLower(c.alpha)
				if err != [3]error{} {
					t.Fatal(err)
				}
				lower[[2]int64{x, y}] = l
			}
		}
		for _, p := range []float64{0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99} {
			for _, q := range []float64{0.001, 0.05, 0.2, 0.5, 0.85, 0.97} {
				if p < q {
					continue
				}
				var missed [3]float64
				epsilon := math.Max(math.Log(p/q), math.Log((1-q)/(1-p)))
				approximate := math.Max(0, math.Max(math.Log(math.Max(0, p-0.1)/q), math.Log(math.Max(0, 0.9-q)/(1-p))))
				mu := mathext.NormalQuantile(p) - mathext.NormalQuantile(q)
				for _, xy := range slices.SortedFunc(maps.Keys(lower), func(a, b [2]int64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }) {
					l := lower[xy]
					mass := math.Exp(logBinomialPMF(float64(xy[0]), float64(c.n1), p, 1-p) +
						logBinomialPMF(float64(xy[1]), float64(c.n2), q, 1-q))
					for i, over := range []bool{l.epsilon > epsilon, l.approximate > approximate, l.mu > mu} {
						if over {
							missed[i] += mass
						}
					}
				}
				for i, m := range missed {
					if m > c.alpha {
						t.Errorf("%d and %d runs, p = %v, q = %v: limit %d is too large with probability %v > %v", c.n1, c.n2, p, q, i,
							m, c.alpha)
					}
				}
			}
		}
	}
}

// The limits are at least as large as limits from two Clopper–Pearson intervals at alpha/2 each.
func TestAttackIsAtLeastClopperPearson(t *testing.T) {
	for _, a := range []Attack{
		{2, 2, 0, 2}, {10, 10, 0, 10}, {20, 20, 0, 20}, {18, 20, 3, 20}, {60, 100, 20, 100}, {30, 1000, 2, 1000},
		{900, 1000, 100, 1000}, {40, 40, 10, 40}, {1000, 1000, 990, 1000},
	} {
		for _, alpha := range []float64{0.05, 1e-6} {
			p, err := BinomialLower(a.Hits, a.Runs, alpha/2)
			if err != nil {
				t.Fatal(err)
			}
			q, err := BinomialUpper(a.FalseHits, a.OtherRuns, alpha/2)
			if err != nil {
				t.Fatal(err)
			}
			const delta = 1e-3
			epsilon := math.Max(math.Log(math.Max(0, p-delta)/q), math.Log(math.Max(0, 1-delta-q)/(1-p)))
			mu := mathext.NormalQuantile(p) - mathext.NormalQuantile(q)
			gotEpsilon, err := a.EpsilonLower(delta, alpha)
			if err != nil || gotEpsilon < epsilon {
				t.Errorf("%+v at %v: ε ≥ %v, by Clopper and Pearson %v (%v)", a, alpha, gotEpsilon, epsilon, err)
			}
			gotMu, err := a.MuLower(alpha)
			if err != nil || gotMu < mu {
				t.Errorf("%+v at %v: μ ≥ %v, by Clopper and Pearson %v (%v)", a, alpha, gotMu, mu, err)
			}
			t.Logf("%+v at %v: ε ≥ %.4f (%.4f), μ ≥ %.4f (%.4f)", a, alpha, gotEpsilon, epsilon, gotMu, mu)
		}
	}
}
