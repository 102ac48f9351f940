package nonconvex

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func regionClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/thm-2/unbounded", Kind: verify.Rate, Origin: verify.Observation,
			Place: "Theorem 2, eq. (4), and Assumption 1: neither requires that F be bounded below on C = R^p. The Δ in " +
				"(6), (7) and (8) is at most 2G‖C‖₂",
			Statement: "for the linear losses F(x) = ⟨a, x⟩ on R^p with ‖a‖₂ = G = 1, E‖g_R‖₂ is at least 1 at every v, " +
				"above K/√v for every K once v > K². So Theorem 2 needs an F that is bounded below. The constant in (4) " +
				"depends on Δ = F(x₁) − min F as well as on L and G, which Table 1 sets to 1",
			Check:   unbounded(func(k, v float64) float64 { return k / math.Sqrt(v) }),
			Control: checks.Faulty(unbounded(levelledOff), "the bound with the range that F has over the T steps"),
			Formerly: []string{
				"nonconvex/thm-4/large", "nonconvex/thm-4/large/corrected", "nonconvex/thm-5/large",
				"nonconvex/thm-5/large/corrected", "nonconvex/thm-6/utility/large",
				"nonconvex/thm-6/utility/large/corrected",
			},
		},
		{
			ID: "nonconvex/thm-4/small", Kind: verify.Rate, Origin: verify.Observation,
			Place: "Theorem 4, eq. (6): the factor ‖C‖₂, which the row of Table 1 does not have",
			Statement: "the factor ‖C‖₂ of (6) is too small for small sets: the exact mean gap of Algorithm 2 is above K " +
				"times (6) for K = 1, 10 and 100. The row of Table 1, which has no factor ‖C‖₂, holds there with K = Δ + " +
				"G√(2c) + 2L. Setting: F(x) = x on C = [−s, s], s = 1/(2K), γ = 0.5, v = 4/s², c = 11.66 in eq. (3)",
			Check:    smallSet(func(k, s, v float64) float64 { return k * s / math.Sqrt(v) }),
			Control:  checks.Faulty(smallSet(homogeneous), "the bound without the factor ‖C‖₂"),
			Formerly: []string{"nonconvex/thm-4/small/corrected"},
		},
	}
}

// unbounded checks Algorithm 1 on F(x) = ⟨a, x⟩, ‖a‖ = G = 1, for which g_R is a + ε: E‖g_R‖₂ is between G, by
// Jensen's inequality, and √(G² + pσ²).
func unbounded(claimed func(k, v float64) float64) verify.Check {
	return formula.Check{
		Quantity: "E‖g_R‖₂ of Algorithm 1, from below", Sense: verify.Above, Proof: "for every K: v = (2K/G)²",
		Domain: "F(x) = ⟨a, x⟩ on R^p, ‖a‖₂ = G = 1, no regularizer, v = (2K/G)²",
		Grid:   formula.Grid{formula.Over("K", 1, 10, 100, 1000)},
		At: func(at []float64, add func(formula.Point)) {
			v := 4 * at[0] * at[0]
			add(formula.Point{Measured: 1, Claimed: claimed(at[0], v), Show: true})
		},
	}
}

// levelledOff returns the bound of Theorem 2 at L = G = 1 for an F that becomes constant where T = ⌈v⌉ steps of
// 1/(2L) end.
func levelledOff(_, v float64) float64 {
	steps := math.Ceil(v)
	return bounds.Smooth{Smoothness: 1, Lipschitz: 1, Range: steps / 2,
		Constant: bounds.ConcentratedConstant}.DescentBound(v, steps)
}

// homogeneous returns the bound without the factor ‖C‖₂, at L = G = 1 and Δ = 2s.
func homogeneous(_, s, v float64) float64 {
	return bounds.Smooth{Smoothness: 1, Lipschitz: 1, Range: 2 * s,
		Constant: bounds.ConcentratedConstant}.GapBound(v, math.Ceil(v))
}

// smallSet checks Algorithm 2 with f(x, z) = x on [−s, s] from x_1 = 0, c = 11.66, at v = 4/s², for which γ is 0.5.
// The step goes to +s with probability Φ(−1/σ), so that the means of x_t and of the gap s + x_t have closed forms.
func smallSet(claimed func(k, s, v float64) float64) verify.Check {
	return formula.Check{
		Quantity: "E[G_R] of Algorithm 2, exact", Sense: verify.Above,
		Domain: "F(x) = x on [−s, s], s = 1/(2K), γ = 0.5, v = nε/√((‖C‖₂² + G_C²)·ln(1/δ)) = 4/s²",
		Grid:   formula.Grid{formula.Over("K", 1, 10, 100)},
		At: func(at []float64, add func(formula.Point)) {
			const gamma = 0.5
			s := 0.5 / at[0]
			v := 4 / (s * s)
			m := s * s * (1 + 2/math.Pi)
			steps := math.Ceil(v)
			sigma := math.Sqrt(bounds.ConcentratedConstant*steps) / (v * math.Sqrt(m))
			wrong := distuv.UnitNormal.CDF(-1 / sigma)
			limit := s * (2*wrong - 1)
			mean := s + limit - limit*(1-math.Pow(1-gamma, steps))/(steps*gamma)
			add(formula.Point{Place: formula.Placef("σ=%.3g, P(wrong way)=%.3g", sigma, wrong), Measured: mean,
				Claimed: claimed(at[0], s, v), Error: 1e-9, Show: true})
		},
	}
}
