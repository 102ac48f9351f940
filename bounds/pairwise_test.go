package bounds_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/bounds"
)

func pairwiseInstance(t *rapid.T) bounds.Pairwise {
	exp := func(name string, low, high float64) float64 {
		return math.Pow(10, rapid.Float64Range(low, high).Draw(t, name))
	}
	p := bounds.Pairwise{
		G: exp("G", -2, 2), Alpha: exp("α", -3, 2), Dim: exp("d", 0, 3), N: math.Round(exp("n", 1, 6)),
		Epsilon: exp("ε", -3, 0), Delta: exp("δ", -12, -0.1), Zeta: exp("ζ", -6, -0.1),
	}
	p.L = p.Alpha * exp("κ", 0, 2)
	p.Diameter = 2 * p.G / p.Alpha * rapid.Float64Range(1e-3, 1).Draw(t, "α‖C‖/2G")
	return p
}

// The budget solves its equation, the recursion stays below its closed form, and the derived bounds grow when ε
// falls.
func TestPairwise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pairwiseInstance(t)
		rho := p.Budget()
		if got := rho + 2*math.Sqrt(rho*-math.Log(p.Delta)); math.Abs(got-p.Epsilon) > 1e-9*p.Epsilon {
			t.Fatalf("ρ = %v gives ε = %v, want %v", rho, got, p.Epsilon)
		}
		if p.BudgetApproximatePrinted() < rho {
			t.Fatalf("the approximate ρ %v is below the exact one %v", p.BudgetApproximatePrinted(), rho)
		}
		if p.WarmupContraction() > p.WarmupPrinted() {
			t.Fatalf("T₁ = %v suffices and exceeds %v", p.WarmupContraction(), p.WarmupPrinted())
		}
		first := 3 + rapid.IntRange(0, 50).Draw(t, "first")
		j := rapid.IntRange(1, first+50).Draw(t, "j")
		bounds.Stability(j, first, first+100, func(step int, delta float64) bool {
			tt := float64(step)
			if !(delta >= 0 && delta*tt <= 4*(tt-1)/(tt-2)*(1+1e-12)) {
				t.Fatalf("record %d, step %d: δ = %v", j, step, delta)
			}
			return true
		})
		harder := p
		harder.Epsilon /= 2
		if !(p.Regret() > 0 && p.Regret() <= harder.Regret() && p.Offline() <= harder.Offline() && p.RegretFedBack() <= harder.RegretFedBack()) {
			t.Fatalf("the bounds fall with less privacy: %v, %v", p.Regret(), harder.Regret())
		}
		if p.Regret() > 40*p.RegretPrinted() && p.Epsilon <= -math.Log(p.Delta) {
			t.Fatalf("derived %v, printed %v", p.Regret(), p.RegretPrinted())
		}
	})
}
