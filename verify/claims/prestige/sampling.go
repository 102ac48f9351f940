package prestige

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/privacy"
)

func samplingClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/prop-1", Source: "Prop. 1, eq. (4)", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Proposition 1 and the first sentence of its proof, for the steps of eq. (4)",
			Statement: "private sampling of any vector of norm at most L is ε_s-locally private",
			Check:     halfSpaceLoss(1),
			Control: verify.Control{Check: halfSpaceLoss(1.05), Want: checks.Refuted,
				Fault: "the Bernoulli variable Q spends 1.05 ε_s"},
		},
		{
			ID: "prestige/prop-1/sampled", Source: "Prop. 1, eq. (4)", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "Proposition 1 and the first sentence of its proof, by samples of the " +
				"reference implementation",
			Statement: "the reference implementation of private sampling is ε_s-locally private on the half-spaces of its input",
			Check:     halfSpaceSampled(faithful),
			Control: verify.Control{Check: halfSpaceSampled(spendingTwice), Want: checks.Refuted,
				Fault: "Q drawn at 2ε_s in place of ε_s"},
			Weight: 2,
		},
		{
			ID: "prestige/eq-6-7", Source: "eqs. (6)-(7)", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "eqs. (6) and (7), Proof of Proposition 1",
			Statement: "Pr(T|T)/Pr(T|B) and Pr(B|B)/Pr(B|T) are at most e^ε_s for gradients of equal norm in the " +
				"top and bottom half",
			Check:   straightRatio(1),
			Control: verify.Control{Check: straightRatio(1.05), Want: checks.Refuted, Fault: "Q spends 1.05 ε_s"},
		},
		{
			ID: "prestige/eq-8-9", Source: "eqs. (8)-(9)", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "eqs. (8) and (9), the equations between a supremum and e^−ε_s",
			Statement: "the supremum over gradients of Pr(T|B)/Pr(T|T), and of Pr(B|T)/Pr(B|B), is e^−ε_s",
			Check:     reversedRatio(verify.Equals, floats.Max, toMinusEpsilon),
			Control: verify.Control{Check: reversedRatio(verify.Equals, floats.Min, toMinusEpsilon), Want: checks.Holds,
				Fault: "none: the infimum"},
			Corrected: "prestige/eq-8-9/corrected",
		},
		{
			ID: "prestige/eq-8-9/bound", Source: "eqs. (8)-(9)", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "eqs. (8) and (9), their last inequalities, which the proof of " +
				"Proposition 1 uses",
			Statement: "Pr(T|B)/Pr(T|T) and Pr(B|T)/Pr(B|B) are at most e^ε_s",
			Check:     reversedRatio(verify.AtMost, floats.Max, toEpsilon),
			Control: verify.Control{Check: reversedRatio(verify.AtMost, floats.Max, toMinusEpsilon), Want: checks.Refuted,
				Fault: "e^−ε_s as an upper bound"},
		},
		{
			ID: "prestige/eq-8-9/corrected", Source: "eqs. (8)-(9), corrected", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "eqs. (6) to (9): 1/sup of a ratio is the inf of its inverse",
			Statement: "the infimum over gradients of Pr(T|B)/Pr(T|T), and of Pr(B|T)/Pr(B|B), is e^−ε_s",
			Check:     reversedRatio(verify.Equals, floats.Min, toMinusEpsilon),
			Control: verify.Control{Check: reversedRatio(verify.Equals, floats.Max, toMinusEpsilon), Want: checks.Refuted,
				Fault: "the supremum in its place"},
		},
	}
}

// halfSpaceLoss computes the privacy loss from the density of the sampling steps,
// for a mechanism whose Q spends spent times ε. Two inputs at an angle cut the
// sphere into four wedges, on which both densities are constant.
func halfSpaceLoss(spent float64) verify.Check {
	return privacy.Exact{
		Domain: gridWords + ", inputs g and g' at angles π, 2π/3 and π/2 (π alone at d = 1), of norms L and L, L and L/2",
		Proof: "relative to the uniform law every density lies between 1−m and 1+m, m = tanh(ε/2), so no loss exceeds " +
			"ln((1+m)/(1−m)) = ε, which g and −g of norm L reach",
		Pairs: func() ([]privacy.DistributionPair, error) {
			var pairs []privacy.DistributionPair
			for _, d := range dimensions {
				for _, eps := range epsilons {
					m, err := mechanism.NewPrivateSampling(d, spent*eps, 1, 1)
					if err != nil {
						return nil, err
					}
					for _, c := range []struct{ angle, norm float64 }{{math.Pi, 1}, {2 * math.Pi / 3, 1}, {math.Pi / 2, 0.5}} {
						if d == 1 && c.angle != math.Pi {
							continue
						}
						pairs = append(pairs, wedges(m, d, eps, c.angle, c.norm))
					}
				}
			}
			return pairs, nil
		},
	}
}

// wedges is the law of m at g of norm 1 = L and at g' of the given norm and angle
// to g, over the four wedges ±⟨z,g⟩ > 0, ±⟨z,g'⟩ > 0. Of the sphere, the wedges
// of unequal sign have the share angle/2π each.
func wedges(m *mechanism.PrivateSampling, d int, eps, angle, norm float64) privacy.DistributionPair {
	top, bottom := m.HalfSpaceDensity(1)
	top2, bottom2 := m.HalfSpaceDensity(norm)
	mixed := angle / (2 * math.Pi)
	equal := 0.5 - mixed
	return privacy.DistributionPair{
		Place:   fmt.Sprintf("d=%d, ε=%g, angle %.3gπ, ‖g'‖=%gL", d, eps, angle/math.Pi, norm),
		P:       []float64{equal * top, mixed * top, mixed * bottom, equal * bottom},
		Q:       []float64{equal * top2, mixed * bottom2, mixed * top2, equal * bottom2},
		Epsilon: eps,
	}
}

// vectorMechanism releases a vector for a vector.
type vectorMechanism = verify.Mechanism[[]float64, []float64]

func faithful(d int, eps float64) (vectorMechanism, error) {
	return mechanism.NewPrivateSampling(d, eps, 1, 1)
}

func spendingTwice(d int, eps float64) (vectorMechanism, error) {
	return broken.NewDoubledSampling(d, eps, 1, 1)
}

// halfSpaceSampled samples an implementation at g and −g of norm L, on the
// half-space of g and on that of its first coordinate's half.
func halfSpaceSampled(build func(d int, eps float64) (vectorMechanism, error)) verify.Check {
	return checks.Deferred(func(context.Context, verify.Settings) (verify.Check, error) {
		check := privacy.Sampled[[]float64, []float64]{Samples: 200_000, Effect: 1.25}
		for _, c := range []struct {
			d   int
			eps float64
		}{{1, 0.5}, {1, 1}, {1, 2}, {2, 0.5}, {2, 1}, {2, 2}, {10, 0.5}, {10, 1}, {10, 2}, {123, 1}} {
			m, err := build(c.d, c.eps)
			if err != nil {
				return nil, err
			}
			g := diagonal(c.d, 1)
			check.Cells = append(check.Cells, privacy.Cell[[]float64, []float64]{
				Place: fmt.Sprintf("d=%d, ε=%g, inputs g and −g of norm L", c.d, c.eps), Mechanism: m,
				A: g, B: diagonal(c.d, -1), Epsilon: c.eps,
				Events: []privacy.Event[[]float64]{
					{Name: "⟨z,g⟩ > 0", Holds: func(z []float64) bool { return floats.Dot(z, g) > 0 }},
					{Name: "z₁ > 0", Holds: func(z []float64) bool { return z[0] > 0 }},
				},
			})
		}
		return check, nil
	})
}

// norms of the gradients of eq. (6)-(9), as shares of L, from almost nothing on.
var norms = []float64{0x1p-40, 0.01, 0.25, 0.5, 0.75, 1}

// straightRatio is eq. (6) and (7): by symmetry one ratio, of the two densities.
func straightRatio(spent float64) verify.Check {
	return formula.Check{
		Quantity: "Pr(T|T)/Pr(T|B)", Sense: verify.AtMost,
		Domain: "ε ∈ {0.01, 0.1, 0.2, 0.5, 1, 2} and ‖g‖/L from 2⁻⁴⁰ to 1",
		Proof:  "(1+mk)/(1−mk) with m = tanh(ε/2) grows in k = ‖g‖/L and is e^ε at k = 1",
		Points: overEpsilon(func(eps float64, add func(formula.Point)) {
			for _, norm := range norms {
				top, bottom, err := densities(spent*eps, norm)
				add(formula.Point{Place: formula.Placef("ε=%g, ‖g‖=%.3gL", eps, norm), Measured: top / bottom,
					Claimed: math.Exp(eps),
					Show:    true, Err: err})
			}
		}),
	}
}

// reversedRatio is eq. (8) and (9): an extreme over the norms of Pr(T|B)/Pr(T|T).
func reversedRatio(sense verify.Sense, extreme func([]float64) float64, claimed func(float64) float64) verify.Check {
	return formula.Check{
		Quantity: "extreme of Pr(T|B)/Pr(T|T)", Sense: sense,
		Domain: "ε ∈ {0.01, 0.1, 0.2, 0.5, 1, 2}, the extreme over ‖g‖/L from 2⁻⁴⁰ to 1",
		Proof:  "(1−mk)/(1+mk) with m = tanh(ε/2) falls in k = ‖g‖/L, from 1 as k → 0 to e^−ε at k = 1",
		Points: overEpsilon(func(eps float64, add func(formula.Point)) {
			var ratios []float64
			var failed error
			for _, norm := range norms {
				top, bottom, err := densities(eps, norm)
				failed = cmp.Or(failed, err)
				ratios = append(ratios, bottom/top)
			}
			add(formula.Point{Place: formula.Placef("ε=%g", eps), Measured: extreme(ratios), Claimed: claimed(eps), Show: true,
				Err: failed})
		}),
	}
}

func toEpsilon(eps float64) float64      { return math.Exp(eps) }
func toMinusEpsilon(eps float64) float64 { return math.Exp(-eps) }

func densities(eps, norm float64) (top, bottom float64, err error) {
	m, err := mechanism.NewPrivateSampling(1, eps, 1, 1)
	if err != nil {
		return 0, 0, err
	}
	top, bottom = m.HalfSpaceDensity(norm)
	return top, bottom, nil
}

// overEpsilon adds the points of f at each privacy level of the grid.
func overEpsilon(f func(eps float64, add func(formula.Point))) func(add func(formula.Point)) {
	return func(add func(formula.Point)) {
		for _, eps := range epsilons {
			f(eps, add)
		}
	}
}
