package prestige

import (
	"cmp"
	"math"

	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func constantClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/eq-28", Source: "eq. (28)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "eq. (28)",
			Statement: "the sum of 1/√t over t = 1, …, T is at most 2√T",
			Check:     inverseRoots(2),
			Control: verify.Control{Check: inverseRoots(1.9), Want: checks.Refuted,
				Fault: "the constant 2 understated by 5 %"},
		},
		{
			ID: "prestige/eq-30", Source: "eq. (30) and the line above", Kind: verify.Identity,
			Origin: verify.Stated, Place: "the line above eq. (30), its inequality, which eqs. (30) and (31) and k(d) use",
			Statement: "d Γ((d−1)/2+1)/Γ(d/2+1) is at most √d",
			Check:     dimensionFactor(paper.DimensionFactorBound, ""),
			Control: verify.Control{Check: dimensionFactor(bounds.DimensionFactorBound, gautschi), Want: checks.Holds,
				Fault: "none: the bound √(2d)"},
			Corrected: "prestige/eq-30/corrected",
		},
		{
			ID: "prestige/eq-30/corrected", Source: "eq. (30), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "the line above eq. (30), with √(2d)",
			Statement: "d Γ((d−1)/2+1)/Γ(d/2+1) is at most √(2d)",
			Check:     dimensionFactor(bounds.DimensionFactorBound, gautschi),
			Control: verify.Control{Check: dimensionFactor(func(d int) float64 { return 0.95 * bounds.DimensionFactorBound(d) },
				gautschi),
				Want: checks.Refuted, Fault: "the bound understated by 5 %"},
		},
		{
			ID: "prestige/eq-30/bound", Source: "eq. (30)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "eq. (30)",
			Statement: "B as Lemma 2 prints it is at most L√π (e^ε+1)/ε · √d",
			Check:     boundEstimate(paper.PrivateSamplingBound, ""),
			Control: verify.Control{Check: boundEstimate(bounds.PrivateSamplingBound, estimateProof), Want: checks.Holds,
				Fault: "none: the unbiased B"},
			Corrected: "prestige/eq-30/bound/corrected",
		},
		{
			ID: "prestige/eq-30/bound/corrected", Source: "eq. (30), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "eq. (30) with the B of prestige/lemma-2/corrected",
			Statement: "the B that makes private sampling unbiased, half of the printed one, is at most L√π (e^ε+1)/ε · √d",
			Check:     boundEstimate(bounds.PrivateSamplingBound, estimateProof),
			Control: verify.Control{Check: boundEstimate(paper.PrivateSamplingBound, estimateProof), Want: checks.Refuted,
				Fault: "B twice too large"},
		},
		{
			ID: "prestige/cor-1", Source: "Corollary 1, eq. (32)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Corollary 1, last clause: k'(d) < k(d)",
			Statement: "k'(d) = LR√π d^(1−1/q) is less than k(d) = LR√π √d for all p from 2 to ∞, 1/p + 1/q = 1",
			Check:     restrictedConstant(1, 0.5, ""),
			Control: verify.Control{Check: restrictedConstant(2, 0.4, restrictedProof), Want: checks.Holds,
				Fault: "none: the edges d = 1 and p = 2 left out"},
			Corrected: "prestige/cor-1/corrected",
		},
		{
			ID: "prestige/cor-1/corrected", Source: "Corollary 1, corrected", Kind: verify.Identity,
			Origin: verify.Correction,
			Place: "Corollary 1, last clause, for d ≥ 2 and p > 2; at d = 1 and at p = 2 the two " +
				"are equal",
			Statement: "k'(d) is less than k(d) for d ≥ 2 and p > 2",
			Check:     restrictedConstant(2, 0.4, restrictedProof),
			Control:   verify.Control{Check: restrictedConstant(2, 0.55, ""), Want: checks.Refuted, Fault: "p below 2 let in"},
		},
	}
}

// inverseRoots compares the sums of 1/√t with constant·√T for T up to a million.
func inverseRoots(constant float64) verify.Check {
	const last = 1_000_000
	return formula.Check{
		Quantity: "Σ 1/√t", Sense: verify.AtMost, Domain: "every T from 1 to 10⁶",
		Proof: "the bound gains 2√(T+1) − 2√T = 2/(√(T+1)+√T) ≥ 1/√(T+1) at every step",
		Points: func(add func(formula.Point)) {
			var sum, carry float64 // Kahan's: the sum is right to the last place
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
		},
	}
}

const gautschi = "Γ is log-convex, so Γ(x+½)² ≤ Γ(x)Γ(x+1) = xΓ(x)², at x = d/2"

// dimensionFactor compares the gamma quotient of eq. (30) with a bound.
func dimensionFactor(bound func(int) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "dΓ((d−1)/2+1)/Γ(d/2+1)", Sense: verify.AtMost, Domain: "d ∈ {1, 2, 3, 10, 123, 784, 10⁶}", Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, d := range append(dimensions[:len(dimensions):len(dimensions)], 1_000_000) {
				add(formula.Point{Place: formula.Placef("d=%d", d), Measured: paper.DimensionFactor(d), Claimed: bound(d),
					Show: true})
			}
		},
	}
}

const estimateProof = "e^ε − 1 ≥ ε, and half of dΓ((d−1)/2+1)/Γ(d/2+1) is at most √(d/2) < √d (eq-30/corrected)"

// boundEstimate compares a B with the right-hand side of eq. (30), at L = 1:
// both sides are proportional to L.
func boundEstimate(b func(d int, epsilon, lipschitz float64) (float64, error), proof string) verify.Check {
	return formula.Check{
		Quantity: "B/L", Sense: verify.AtMost, Domain: gridWords, Proof: proof,
		Points: onGrid(func(d int, eps float64) formula.Point {
			measured, err1 := b(d, eps, 1)
			claimed, err2 := paper.PrivateSamplingBoundEstimate(d, eps, 1)
			return formula.Point{Measured: measured, Claimed: claimed, Err: cmp.Or(err1, err2)}
		}),
	}
}

const restrictedProof = "d^(1/p) < d^(1/2) as soon as d > 1 and 1/p < 1/2"

// restrictedConstant compares k'(d) with k(d), from dimension least on, and for
// 1/p from 0 to most; with 1 − 1/q = 1/p.
func restrictedConstant(least int, most float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "k'(d)/(LR√π)", Sense: verify.Below,
		Domain: "d ∈ {1, 2, 3, 10, 123, 784} and 1/p ∈ {0, 0.1, 0.2, …}, as far as the statement reaches", Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions {
				for tenths := 0; float64(tenths)/20 <= most; tenths += 1 {
					inverse := float64(tenths) / 20
					if d < least {
						continue
					}
					add(formula.Point{
						Place: formula.Placef("d=%d, 1/p=%g", d, inverse), Show: tenths%5 == 0,
						Measured: paper.RateConstantRestricted(d, inverse), Claimed: paper.RateConstant(d),
						Tie: d == 1 || inverse == 0.5,
					})
				}
			}
		},
	}
}

// onGrid evaluates f on the grid of dimensions and privacy levels.
func onGrid(f func(d int, epsilon float64) formula.Point) func(add func(formula.Point)) {
	return func(add func(formula.Point)) {
		for _, d := range dimensions {
			for _, eps := range epsilons {
				p := f(d, eps)
				p.Place, p.Show = formula.Placef("d=%d, ε=%g", d, eps), true
				add(p)
			}
		}
	}
}
