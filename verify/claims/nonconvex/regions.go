package nonconvex

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/relation"
)

func regionClaims() (claims []verify.Claim) {
	descent, gap, mirror, vertices := withRegulariser(true), frankWolfeRate(bodyL2), mirrorRate(), ballVertices()
	for _, t := range []struct {
		id, source, formula string
		of                  rate
	}{
		{"nonconvex/thm-2", "Theorem 2", "nε/√(p·ln(1/δ))", descent},
		{"nonconvex/thm-4", "Theorem 4, the unit ℓ2 ball", "nε/√((‖C‖₂² + G_C²)·ln(1/δ))", gap},
		{"nonconvex/thm-5", "Theorem 5, the unit ℓ1 ball", "nε/√((‖C‖₂² + G_C²)·ln(1/δ))", mirror},
		{"nonconvex/thm-6/utility", "Theorem 6, the unit ℓ1 ball", "nε/(√ln(1/δ)·ln(|A|n/η))", vertices},
	} {
		claims = append(claims, definedClaims(t.id, t.source, t.formula, t.of)...)
	}
	claims = append(claims,
		oneStepClaim("nonconvex/thm-2", "Theorem 2, T = O(v)", "E‖g_R‖₂ of Algorithm 1", descent,
			func(data *dataset.Dataset, x []float64) (float64, error) {
				g := make([]float64, len(x))
				algorithm.Gradient(erm.Sigmoid{Falling: true}, data, x, g)
				return floats.Norm(g, 2), nil
			}),
		oneStepClaim("nonconvex/thm-4", "Theorem 4, T = O(v)", "the mean gap of Algorithm 2 on the unit ℓ2 ball", gap,
			firstGap(ballL2)),
		oneStepClaim("nonconvex/thm-6/utility", "Theorem 6, T = O(v)", "the mean gap of Algorithm 4 on the unit ℓ1 ball",
			vertices, firstGap(ballL1)))
	claims = append(claims, smallClaims()...)
	claims = append(claims, insideClaims("nonconvex/thm-4/step", "Theorem 4, γ_t; Alg. 2",
		"((‖C‖₂ + G_C²)·ln(1/δ))^¼/(‖C‖₂√(nε))", gapSteps())...)
	return append(claims, insideClaims("nonconvex/thm-6/step", "Theorem 6, γ_t; Alg. 4, line 3", "√(2/(T‖C‖₂²))",
		vertexSteps())...)
}

// definedClaims ask where the T of a theorem is as many steps as it needs.
func definedClaims(id, source, formula string, t rate) []verify.Claim {
	steps := "at least 1"
	if t.least > 1 {
		steps = fmt.Sprintf("at least %g, as γ ≤ 1 needs,", t.least)
	}
	return []verify.Claim{
		{
			ID: id + "/defined", Source: source + ", where T ≥ " + fmt.Sprintf("%g", t.least), Kind: verify.Identity,
			Statement: fmt.Sprintf("T = %s is %s for all n, p, ε > 0 and 0 < δ < 1", formula, steps),
			Check:     t.defined(false),
			Twin:      verify.Twin{Check: t.defined(true), Want: checks.Holds, Fault: "none: " + t.tameWords()},
			Corrected: id + "/defined/corrected",
		},
		{
			ID: id + "/defined/corrected", Source: source + ", a region", Kind: verify.Identity,
			Statement: fmt.Sprintf("T = %s is %s for %s", formula, steps, t.tameWords()),
			Check:     t.defined(true),
			Twin:      verify.Twin{Check: t.defined(false), Want: checks.Vacuous, Fault: "any n, p, ε and δ"},
		},
	}
}

// tame is a region in which a theorem is defined.
func (t rate) tame(g regime) bool {
	if g.delta < math.Exp(-g.records*g.epsilon*g.epsilon) {
		return false
	}
	if t.least > 1 {
		return math.Log(2*g.dim*g.records/rateEta) <= math.Sqrt(g.records)/2
	}
	return g.dim < g.records
}

func (t rate) tameWords() string {
	if t.least > 1 {
		return "δ ≥ exp(−nε²) and |A|n/η ≤ exp(√n/2)"
	}
	return "δ ≥ exp(−nε²) and p < n"
}

func (t rate) defined(corrected bool) verify.Check {
	proof := "√ln(1/δ) ≤ √n·ε, and 1 + p ≤ n where ‖C‖₂ = 1 makes G_C² ≤ p"
	if t.least > 1 {
		proof = "√ln(1/δ) ≤ √n·ε, and the other factor is at most √n/2"
	}
	if !corrected {
		proof = ""
	}
	return relation.Check{
		Quantity: "T without its O", Sense: verify.AtLeast, Void: true, Proof: proof,
		Domain: "n ∈ {100, 10⁴}, p ∈ {1, 50, 10⁴, 10⁶}, ε ∈ {0.01, 1}, δ ∈ {0.5, 10⁻³, 10⁻¹⁰⁰} as far as " +
			"the statement reaches",
		Points: func(add func(relation.Point)) {
			for _, n := range []float64{100, 1e4} {
				for _, p := range []float64{1, 50, 1e4, 1e6} {
					for _, epsilon := range []float64{0.01, 1} {
						for _, delta := range []float64{0.5, 1e-3, 1e-100} {
							g := regime{records: n, epsilon: epsilon, delta: delta, dim: p}
							if corrected && !t.tame(g) {
								continue
							}
							add(relation.Point{At: relation.At("p=%g, n=%g, ε=%g, δ=%g", p, n, epsilon, delta), Measured: t.ratio(g),
								Claimed: t.least, Show: true})
						}
					}
				}
			}
		},
	}
}

// startValue is what a theorem measures, at x_1.
type startValue func(data *dataset.Dataset, x []float64) (float64, error)

func firstGap(set func(dim int) (erm.Set, error)) startValue {
	return func(data *dataset.Dataset, x []float64) (float64, error) {
		c, err := set(len(x))
		if err != nil {
			return 0, err
		}
		return gapAt(data, erm.Sigmoid{Falling: true}, c, x), nil
	}
}

// oneStepClaim reads T = O(v) as the upper bound that it is: T = 1 is one, and x_R is x_1.
func oneStepClaim(id, source, what string, t rate, first startValue) verify.Claim {
	literal := func(k, v float64) float64 { return k / math.Sqrt(v) }
	one := func(_, v float64) float64 { return t.bound(regime{steps: 1}, v) }
	return verify.Claim{
		ID: id + "/steps/at-most", Source: source + " as an upper bound", Kind: verify.Rate,
		Statement: "there is a constant K such that " + what + " is at most K/√v for every T ≤ v",
		Check:     t.oneStep(first, literal, ""),
		Twin: verify.Twin{Check: t.oneStep(first, one, "the bound of "+id+"/steps at T = 1"), Want: checks.Holds,
			Fault: "none: the bound with T in it"},
		Corrected: id + "/steps",
	}
}

// oneStep evaluates what is measured at x_1, of which E‖g_1‖₂ is no less: the noise has mean 0.
func (t rate) oneStep(first startValue, claimed func(k, v float64) float64, proof string) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		dim := int(t.base.dim)
		data, err := plantedRows(s.Stream("rows"), t.rows(dim), dim)
		if err != nil {
			return nil, err
		}
		value, err := first(data, t.start(dim))
		if err != nil {
			return nil, err
		}
		return relation.Check{
			Quantity: "value at x_1, from below", Sense: verify.AtMost, Proof: proof,
			Domain: "T = 1, no regulariser, v = (2K/value)², K ∈ {1, 10, 100, 1000}; for every K",
			Points: func(add func(relation.Point)) {
				for _, k := range []float64{1, 10, 100, 1000} {
					v := 4 * k * k / (value * value)
					add(relation.Point{At: relation.At("K=%g, v=%.3g", k, v), Measured: value, Claimed: claimed(k, v), Show: true})
				}
			},
		}, nil
	})
}
