package nonconvex

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func regionClaims() (claims []verify.Claim) {
	descent, frankWolfe, vertices := withRegulariser(true), frankWolfeRate(bodyL2), ballVertices()
	claims = append(claims,
		oneStepClaim("nonconvex/thm-2", "Theorem 2, T = O(v)", "E‖g_R‖₂ of Algorithm 1", descent,
			func(data *dataset.Dataset, x []float64) (float64, error) {
				g := make([]float64, len(x))
				algorithm.Gradient(erm.Sigmoid{Falling: true}, data, x, g)
				return floats.Norm(g, 2), nil
			}),
		oneStepClaim("nonconvex/thm-4", "Theorem 4, T = O(v)", "the mean gap of Algorithm 2 on the unit ℓ2 ball", frankWolfe,
			firstGap(ballL2)),
		oneStepClaim("nonconvex/thm-6/utility", "Theorem 6, T = O(v)", "the mean gap of Algorithm 4 on the unit ℓ1 ball",
			vertices, firstGap(ballL1)),
		oneStepClaim("nonconvex/thm-5", "Theorem 5, T = O(v)", "E‖g_R‖₂ of Algorithm 3 on the unit ℓ1 ball", mirrorRate(),
			firstMirrorStep))
	claims = append(claims, verify.Claim{
		ID: "nonconvex/thm-2/unbounded", Source: "Theorem 2, eq. (4), F without a least value", Kind: verify.Rate,
		Origin: verify.Stated, Place: "Theorem 2 and Assumption 1, neither of which asks that F be bounded below on C = R^p",
		Statement: "there is a constant K of L and G alone such that E‖g_R‖₂ of Algorithm 1 is at most K/√v, v = " +
			"nε/√(p·ln(1/δ)), for all F of Assumption 1 on R^p",
		Check: unbounded(func(k, v float64) float64 { return k / math.Sqrt(v) }, "for every K: v = (2K/G)²"),
		Control: verify.Control{Check: unbounded(levelledOff, ""), Want: checks.Holds,
			Fault: "none: the bound with the range that F has over the T steps"},
		Corrected: "nonconvex/thm-2",
	})
	claims = append(claims, smallClaims()...)
	claims = append(claims, largeClaims()...)
	claims = append(claims, insideClaims("nonconvex/thm-4/step", "Theorem 4, γ_t; Alg. 2", verify.Reading,
		"Theorem 4, γ_t = O(·), read without its O, and Algorithm 2, last step of the loop",
		"((‖C‖₂ + G_C²)·ln(1/δ))^¼/(‖C‖₂√(nε))", gapSteps())...)
	return append(claims, insideClaims("nonconvex/thm-6/step", "Theorem 6, γ_t; Alg. 4, line 3", verify.Implied,
		"Theorem 6, γ_t, and Algorithm 4, line 3; x ∈ C by Definition 1", "√(2/(T‖C‖₂²))", vertexSteps())...)
}

// startValue is what a theorem measures, at x_1.
type startValue func(data *dataset.Dataset, x []float64) (float64, error)

func firstGap(set func(dim int) (erm.Set, error)) startValue {
	return func(data *dataset.Dataset, x []float64) (float64, error) {
		c, err := set(len(x))
		if err != nil {
			return 0, err
		}
		g := make([]float64, len(x))
		algorithm.Gradient(erm.Sigmoid{Falling: true}, data, x, g)
		return gap(c)(x, g, nil), nil
	}
}

// firstMirrorStep is ‖g_1‖₂ of Algorithm 3 without noise, in dimension 2, where its step is that of w = ‖x‖₂². Noise
// moves x_2 by at most γ‖ε‖₂/2, as a projection does not stretch, and ‖g_1‖₂ by ‖ε‖₂/2: half of the value is more
// than it takes in the mean, √(cG²/2)/v at T = 1.
func firstMirrorStep(data *dataset.Dataset, x []float64) (float64, error) {
	if len(x) != 2 {
		return 0, fmt.Errorf("dimension %d: want 2", len(x))
	}
	set, err := ballL1(len(x))
	if err != nil {
		return 0, err
	}
	g, next, gamma := make([]float64, len(x)), make([]float64, len(x)), settled(rateSmooth, 0, 0)
	algorithm.Gradient(erm.Sigmoid{Falling: true}, data, x, g)
	erm.Projected{Set: set}.Next(x, g, gamma/2, next)
	return floats.Distance(x, next, 2) / gamma / 2, nil
}

// oneStepClaim reads T = O(v) as the upper bound that it is: T = 1 is one, and x_R is x_1.
func oneStepClaim(id, source, what string, t rate, first startValue) verify.Claim {
	literal := func(k, v float64) float64 { return k / math.Sqrt(v) }
	one := func(_, v float64) float64 { return t.bound(rateSmooth, regime{steps: 1}, v) }
	return verify.Claim{
		ID: id + "/steps/at-most", Source: source + " as an upper bound", Kind: verify.Rate, Origin: verify.Reading,
		Place: source + ", read as the upper bound that an O is: any T ≤ v is one",
		Statement: "there is a constant K such that " + what + " is at most K/√v for every T ≤ v, v the T of the theorem " +
			"without its O",
		Check: t.oneStep(first, literal, ""),
		Control: verify.Control{Check: t.oneStep(first, one, "the bound of "+id+"/steps at T = 1"), Want: checks.Holds,
			Fault: "none: the bound with T in it"},
		Corrected: id + "/steps",
	}
}

// oneStep evaluates what is measured at x_1, of which E‖g_1‖₂ is no less: the noise has mean 0.
func (t rate) oneStep(first startValue, claimed func(k, v float64) float64, proof string) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		dim := int(t.base.dim)
		data, err := plantedRows(s.Stream("rows"), rateRows, dim)
		if err != nil {
			return nil, err
		}
		value, err := first(data, origin(dim))
		if err != nil {
			return nil, err
		}
		return formula.Check{
			Quantity: "value at x_1, from below", Sense: verify.AtMost, Proof: proof,
			Domain: "T = 1, no regulariser, v = (2K/value)², K ∈ {1, 10, 100, 1000}; for every K",
			Points: func(add func(formula.Point)) {
				for _, k := range []float64{1, 10, 100, 1000} {
					v := 4 * k * k / (value * value)
					add(formula.Point{Place: formula.Placef("K=%g, v=%.3g", k, v), Measured: value, Claimed: claimed(k, v),
						Show: true})
				}
			},
		}, nil
	})
}

// unbounded is Algorithm 1 on F(x) = ⟨a, x⟩, ‖a‖ = G = 1, whose g_R is a + ε: E‖g_R‖₂ lies between G, by Jensen's
// inequality, and √(G² + pσ²).
func unbounded(claimed func(k, v float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "E‖g_R‖₂ of Algorithm 1, from below", Sense: verify.AtMost, Proof: proof,
		Domain: "F(x) = ⟨a, x⟩ on R^p, ‖a‖₂ = G = 1, no regulariser, v = (2K/G)², K ∈ {1, 10, 100, 1000}",
		Points: func(add func(formula.Point)) {
			for _, k := range []float64{1, 10, 100, 1000} {
				v := 4 * k * k
				add(formula.Point{Place: formula.Placef("K=%g, v=%g", k, v), Measured: 1, Claimed: claimed(k, v), Show: true})
			}
		},
	}
}

// levelledOff is the bound of Theorem 2 at L = G = 1 for an F that levels off where T = ⌈v⌉ steps of 1/(2L) end.
func levelledOff(_, v float64) float64 {
	steps := math.Ceil(v)
	return bounds.Smooth{Smoothness: 1, Lipschitz: 1, Range: steps / 2,
		Constant: bounds.ConcentratedConstant}.DescentBound(v,
		steps)
}
