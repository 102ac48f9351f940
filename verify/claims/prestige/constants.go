package prestige

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func constantClaims() []verify.Claim {
	return slices.Concat([]verify.Claim{
		{
			ID: "prestige/eq-28", Kind: verify.Identity, Origin: verify.Stated, Place: "Eqs. (28) and (29)",
			Statement: "Σ_{t≤T} 1/√t ≤ 2√T. With this, eq. (25) at η_t = R/(λB√t) gives λRB/(2√T) + RB/(λ√T) = " +
				"(λ²+2)/(2λ)·RB/√T",
			Check:    inverseRoots(2),
			Control:  checks.Faulty(inverseRoots(1.9), "the constant 2 understated by 5 %"),
			Formerly: []string{"prestige/eq-29"},
		},
	}, checks.Pair(verify.Claim{
		ID: "prestige/eq-30", Kind: verify.Identity, Origin: verify.Stated,
		Place:     "Eq. (30): and the inequality in the line above, which eqs. (30) and (31) and k(d) use",
		Statement: "d Γ((d−1)/2+1)/Γ(d/2+1) is at most √d, and the printed B at most L√π(e^ε_s+1)√d/ε_s",
		Check: formula.Check{
			Quantity: "dΓ((d−1)/2+1)/Γ(d/2+1); B/L", Sense: verify.AtMost,
			Grid: formula.Grid{formula.Over("d", tableDimensions...), formula.Over("ε_s", epsilons...)},
			At: func(at []float64, add func(formula.Point)) {
				d := int(at[0])
				add(formula.Point{Place: formula.Placef("the quotient of the line above"), Measured: paper.DimensionFactor(d),
					Claimed: paper.DimensionFactorBound(d), Show: at[1] == 1})
				add(boundEstimate(paper.PrivateSamplingBound, d, at[1]))
			},
		},
		Formerly: []string{"prestige/eq-30/bound"},
	}, verify.Claim{
		Place:     "Eq. (30): the line above, with √(2d)",
		Statement: "d Γ((d−1)/2+1)/Γ(d/2+1) is at most √(2d)",
		Check: formula.Check{
			Quantity: "dΓ((d−1)/2+1)/Γ(d/2+1)", Sense: verify.AtMost, Grid: formula.Grid{formula.Over("d",
				tableDimensions...)},
			Proof: "Γ is log-convex, so Γ(x+½)² ≤ Γ(x)Γ(x+1) = xΓ(x)², at x = d/2",
			At: func(at []float64, add func(formula.Point)) {
				d := int(at[0])
				add(formula.Point{Measured: paper.DimensionFactor(d), Claimed: bounds.DimensionFactorBound(d), Show: true})
			},
		},
	}, "the bound √(2d)", "√d, and twice the unbiased B"), []verify.Claim{
		{
			ID: "prestige/eq-30/unbiased", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Eq. (30): with the B of prestige/lemma-2/corrected; e^ε_s − 1 = ε_s + O(ε_s²)",
			Statement: "the B that makes private sampling unbiased, half of the printed one, is at most " +
				"L√π(e^ε_s+1)√d/ε_s, because 1/(e^ε_s−1) ≤ 1/ε_s. The k(d) of Theorem 1 is right with this B",
			Check:    unbiasedEstimate(bounds.PrivateSamplingBound),
			Control:  checks.Faulty(unbiasedEstimate(paper.PrivateSamplingBound), "B twice too large"),
			Formerly: []string{"prestige/eq-30/bound/corrected"},
		},
		{
			ID: "prestige/cor-1", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Corollary 1: second sentence and last clause; for d = 1 and p = 2, with equality, see the errata",
			Statement: "R d^(1/2−1/q) < R and k'(d) < k(d) for d ≥ 2 and p above 2, up to ∞. Here k'(d) = LR√π " +
				"d^(1−1/q), k(d) = LR√π √d and 1/p + 1/q = 1",
			Check:    restrictedConstant(0.45),
			Control:  checks.Faulty(restrictedConstant(0.55), "p = 1.82 included"),
			Formerly: []string{"prestige/cor-1/corrected", "prestige/cor-1/radius"},
		},
	})
}

// tableDimensions are dimensions from 1 to the number of features of REAL-SIM in Table 2.
var tableDimensions = append(slices.Clone(dimensions), 4090, 20985)

// inverseRoots compares the sums of 1/√t with constant·√T for T up to a million, and the two sides of eq. (29) with
// each other.
func inverseRoots(constant float64) verify.Check {
	const last = 1_000_000
	return formula.Check{
		Quantity: "Σ 1/√t; λRB/(2√T) + RB/(λ√T)", Sense: verify.AtMost,
		Domain: "every T from 1 to 10⁶; both directions of the equality at λ ∈ {10⁻³, 0.1, 1, 10, 10³}, R = B = 1, T ∈ " +
			"{1, 10³, 10⁹}",
		Proof: "the bound gains 2√(T+1) − 2√T = 2/(√(T+1)+√T) ≥ 1/√(T+1) at every step; λ/2 + 1/λ = (λ²+2)/(2λ)",
		Points: func(add func(formula.Point)) {
			var sum, carry float64 // Kahan summation
			for t, show := 1, 1; t <= last; t++ {
				term := 1/math.Sqrt(float64(t)) - carry
				next := sum + term
				carry = (next - sum) - term
				sum = next
				p := formula.Point{Place: formula.Placef("T=%d", t), Measured: sum, Claimed: constant * math.Sqrt(float64(t)),
					Show: t == show}
				if p.Show {
					show *= 10
				}
				add(p)
			}
			for _, lambda := range []float64{1e-3, 0.1, 1, 10, 1e3} {
				for _, updates := range []float64{1, 1e3, 1e9} {
					left := (lambda/2 + 1/lambda) / math.Sqrt(updates)
					right := paper.Gap(lambda, 1, 1, updates)
					add(formula.Point{Place: formula.Placef("λ=%g, T=%g, left side", lambda, updates), Measured: left,
						Claimed: right})
					add(formula.Point{Place: formula.Placef("λ=%g, T=%g, right side", lambda, updates), Measured: right,
						Claimed: left})
				}
			}
		},
	}
}

// boundEstimate compares a B with the right-hand side of eq. (30), at L = 1: both sides are proportional to L.
func boundEstimate(b func(d int, epsilon, lipschitz float64) (float64, error), d int, eps float64) formula.Point {
	measured, err1 := b(d, eps, 1)
	claimed, err2 := paper.PrivateSamplingBoundEstimate(d, eps, 1)
	return formula.Point{Place: formula.Placef("B/L"), Measured: measured, Claimed: claimed, Show: true,
		Err: cmp.Or(err1, err2)}
}

func unbiasedEstimate(b func(d int, epsilon, lipschitz float64) (float64, error)) verify.Check {
	return formula.Check{
		Quantity: "B/L; 1/(e^ε_s−1)", Sense: verify.AtMost,
		Grid: formula.Grid{formula.Over("d", tableDimensions...),
			formula.Over("ε_s", append([]float64{1e-6, 1e-3}, epsilons...)...)},
		Proof: "e^ε − 1 ≥ ε, and half of dΓ((d−1)/2+1)/Γ(d/2+1) is at most √(d/2) < √d (prestige/eq-30/corrected)",
		At: func(at []float64, add func(formula.Point)) {
			add(boundEstimate(b, int(at[0]), at[1]))
			add(formula.Point{Place: formula.Placef("1/(e^ε_s−1)"), Measured: 1 / math.Expm1(at[1]), Claimed: 1 / at[1]})
		},
	}
}

// restrictedConstant compares k'(d) with k(d), and R d^(1/2−1/q) with R, for 1/p from 0 to maxInverse; 1 − 1/q = 1/p.
func restrictedConstant(maxInverse float64) verify.Check {
	return formula.Check{
		Quantity: "k'(d)/(LR√π); d^(1/2−1/q)", Sense: verify.Below,
		Grid:  formula.Grid{formula.Over("d", dimensions[1:]...), formula.Over("1/p", 0, 0.1, 0.2, 0.3, 0.4, maxInverse)},
		Proof: "d^(1/p) < d^(1/2) if d > 1 and 1/p < 1/2",
		At: func(at []float64, add func(formula.Point)) {
			d := int(at[0])
			add(formula.Point{Show: at[1] == 0, Measured: paper.RateConstantRestricted(d, at[1]),
				Claimed: paper.RateConstant(d)})
			add(formula.Point{Place: formula.Placef("the radius"), Measured: shrunk(d, at[1]), Claimed: 1})
		},
	}
}
