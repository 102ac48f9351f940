package prestige

import (
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
			ID: "prestige/prop-1", Kind: verify.Privacy, Origin: verify.Stated,
			Place:     "Proposition 1: eq. (5), and the first sentence of its proof, for the steps of eq. (4)",
			Statement: "private sampling of any vector of norm at most L is ε_s-locally private",
			Check:     halfSpaceLoss(1),
			Control:   checks.Faulty(halfSpaceLoss(1.05), "the Bernoulli variable Q spends 1.05 ε_s"),
			Formerly:  []string{"prestige/prop-1/non-interactive"},
		},
		{
			ID: "prestige/prop-1/sampled", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Proposition 1: and the first sentence of its proof, tested on samples of our implementation",
			Statement: "in samples of our implementation of private sampling, neither the half-space around g nor the " +
				"half-space of the first coordinate has a probability ratio above e^ε_s. Setting: d up to 123, inputs g " +
				"and −g of norm L",
			Check:   halfSpaceSampled(faithful),
			Control: checks.Faulty(halfSpaceSampled(spendingTwice), "Q drawn at 2ε_s in place of ε_s"),
			Weight:  2,
		},
		{
			ID: "prestige/eq-6-7", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Eqs. (6) to (9): their inequalities, proof of Proposition 1",
			Statement: "for gradients of equal norm, up to L, in opposite halves, each of the four ratios of eqs. (6) " +
				"to (9) is at most e^ε_s: Pr(T|T)/Pr(T|B), Pr(B|B)/Pr(B|T), Pr(T|B)/Pr(T|T) and Pr(B|T)/Pr(B|B)",
			Check:    halfRatios(1),
			Control:  checks.Faulty(halfRatios(1.05), "Q spends 1.05 ε_s"),
			Formerly: []string{"prestige/eq-8-9/bound"},
		},
	}
}

// halfSpaceLoss computes the exact privacy loss of the sampling steps if Q is drawn at spent·ε. Two inputs divide the
// sphere into four wedges, on which both densities are constant.
func halfSpaceLoss(spent float64) verify.Check {
	return privacy.Exact{
		Domain: gridWords + ", inputs g and g' at angles π, 2π/3, π/2, π/4 and 0 (only π and 0 at d = 1), of norms L and " +
			"L, L and L/2, L/2 and L/2, L and 2⁻⁴⁰L",
		Proof: "relative to the uniform distribution every density is between 1−m and 1+m, m = tanh(ε/2), so no loss " +
			"exceeds ln((1+m)/(1−m)) = ε; g and −g of norm L attain it",
		Pairs: func() ([]privacy.DistributionPair, error) {
			var pairs []privacy.DistributionPair
			for _, d := range dimensions {
				for _, eps := range epsilons {
					m, err := mechanism.NewPrivateSampling(d, spent*eps, 1, 1)
					if err != nil {
						return nil, err
					}
					for _, angle := range []float64{math.Pi, 2 * math.Pi / 3, math.Pi / 2, math.Pi / 4, 0} {
						if d == 1 && angle != math.Pi && angle != 0 {
							continue
						}
						for _, norms := range [][2]float64{{1, 1}, {1, 0.5}, {0.5, 0.5}, {1, 0x1p-40}} {
							pairs = append(pairs, wedges(m, d, eps, angle, norms))
						}
					}
				}
			}
			return pairs, nil
		},
	}
}

// wedges returns the output distributions of m at two vectors of the given norms and angle, L = 1, on the four wedges
// ±⟨z,g⟩ > 0, ±⟨z,g'⟩ > 0. Each wedge of unequal signs is the fraction angle/2π of the sphere.
func wedges(m *mechanism.PrivateSampling, d int, eps, angle float64, norms [2]float64) privacy.DistributionPair {
	top, bottom := m.HalfSpaceDensity(norms[0])
	top2, bottom2 := m.HalfSpaceDensity(norms[1])
	mixed := angle / (2 * math.Pi)
	equal := 0.5 - mixed
	return privacy.DistributionPair{
		Place:   fmt.Sprintf("d=%d, ε=%g, angle %.3gπ, ‖g‖=%.3gL, ‖g'‖=%.3gL", d, eps, angle/math.Pi, norms[0], norms[1]),
		P:       []float64{equal * top, mixed * top, mixed * bottom, equal * bottom},
		Q:       []float64{equal * top2, mixed * bottom2, mixed * top2, equal * bottom2},
		Epsilon: eps,
	}
}

// vectorMechanism is a mechanism that maps a vector to a random vector.
type vectorMechanism = verify.Mechanism[[]float64, []float64]

func faithful(d int, eps float64) (vectorMechanism, error) {
	return mechanism.NewPrivateSampling(d, eps, 1, 1)
}

func spendingTwice(d int, eps float64) (vectorMechanism, error) {
	return broken.NewDoubledSampling(d, eps, 1, 1)
}

// halfSpaceSampled samples an implementation at g and −g of norm L, and tests the half-spaces ⟨z,g⟩ > 0 and z₁ > 0.
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

// halfRatios compares the ratios of eqs. (6) to (9) with e^ε. By symmetry there are two, and one is the inverse of the
// other.
func halfRatios(spent float64) verify.Check {
	return formula.Check{
		Quantity: "ratio of Pr(T|T) and Pr(T|B)", Sense: verify.AtMost,
		Grid:  formula.Grid{formula.Over("ε", epsilons...), formula.Over("‖g‖/L", 0x1p-40, 0.01, 0.25, 0.5, 0.75, 1)},
		Proof: "(1+mk)/(1−mk) with m = tanh(ε/2) grows in k = ‖g‖/L and is e^ε at k = 1; its inverse is at most 1",
		At: func(at []float64, add func(formula.Point)) {
			top, bottom, err := densities(spent*at[0], at[1])
			add(formula.Point{Place: formula.Placef("T|T over T|B"), Measured: top / bottom,
				Claimed: math.Exp(at[0]), Show: true,
				Err: err})
			add(formula.Point{Place: formula.Placef("T|B over T|T"), Measured: bottom / top, Claimed: math.Exp(at[0])})
		},
	}
}

func densities(eps, norm float64) (top, bottom float64, err error) {
	m, err := mechanism.NewPrivateSampling(1, eps, 1, 1)
	if err != nil {
		return 0, 0, err
	}
	top, bottom = m.HalfSpaceDensity(norm)
	return top, bottom, nil
}
