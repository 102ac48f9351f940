package prestige

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/mean"
)

func unbiasedClaims() []verify.Claim {
	// What the sampled cells see: a relative deviation of the factor, which the computed one
	// decides as well, and a mean across X relative to ‖X‖, for which there is no formula.
	clear := seen{factor: 0.05, across: 0.6}
	corrected := checks.Shared(meanOfSampling(bounds.PrivateSamplingBound, lightly, clear))
	return []verify.Claim{
		{
			ID: "prestige/lemma-2", Source: "Lemma 2, eqs. (11), (16)", Kind: verify.Unbiasedness,
			Origin: verify.Stated, Place: "Lemma 2, eq. (11), and eq. (16)",
			Statement: "private sampling with the printed B is unbiased: E[Z|X] = X",
			Check:     meanOfSampling(paper.PrivateSamplingBound, fully, clear),
			Control: verify.Control{Check: corrected, Want: checks.Holds,
				Fault: "none: the unbiased B"},
			Corrected: "prestige/lemma-2/corrected",
			Weight:    4,
		},
		{
			ID: "prestige/lemma-2/corrected", Source: "Lemma 2, corrected", Kind: verify.Unbiasedness,
			Origin: verify.Correction, Place: "eqs. (12) to (16) with the strip of prestige/eq-12/corrected and the " +
				"factor 2 of eq. (13)",
			Statement: "private sampling is unbiased with B = L√π (e^ε_s+1)/(e^ε_s−1) · Γ((d+1)/2)/Γ(d/2), " +
				"half of the printed B",
			Check: corrected,
			Control: verify.Control{Check: meanOfSampling(bounds.PrivateSamplingBound, rotating, clear), Want: checks.Refuted,
				Fault: "an implementation whose mean is turned away from X"},
			Weight: 4,
		},
		{
			ID: "prestige/eq-12", Source: "eq. (12)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "eq. (12), Proof of Lemma 2",
			Statement: "the mean of a uniform point of the unit half-sphere is 2/SA_d(1) times the integral of " +
				"SA_{d−1}(√(1−k²)) k dk over [0, 1]",
			Check: centroidIntegral(false, ""),
			Control: verify.Control{Check: centroidIntegral(true, slantProof), Want: checks.Holds,
				Fault: "none: the strip's true width dk/√(1−k²)"},
			Corrected: "prestige/eq-12/corrected",
		},
		{
			ID: "prestige/eq-12/corrected", Source: "eq. (12), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "eq. (12) with the width of a strip of the sphere",
			Statement: "the mean of a uniform point of the unit half-sphere is 2/SA_d(1) times the integral of " +
				"SA_{d−1}(√(1−k²)) k dk/√(1−k²) over [0, 1], d ≥ 2",
			Check: centroidIntegral(true, slantProof),
			Control: verify.Control{Check: centroidIntegral(false, slantProof), Want: checks.Refuted,
				Fault: "the slant of the strip left out"},
		},
		{
			ID: "prestige/eq-13", Source: "eq. (13), last line", Kind: verify.Identity,
			Origin: verify.Stated, Place: "eq. (13), last line",
			Statement: "the mean of a uniform point of the unit half-sphere is 2Γ(d/2+1)/(d√π Γ((d−1)/2+1))",
			Check:     centroidClosedForm(1),
			Control: verify.Control{Check: centroidClosedForm(0.5), Want: checks.Refuted,
				Fault: "the factor 2 left out, as eq. (14) does"},
		},
		{
			ID: "prestige/eq-13/chain", Source: "eq. (13), first line against last", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "eq. (13), first line against last",
			Statement: "the first line of eq. (13), the integral of eq. (12), equals its last line",
			Check:     centroidChain(false),
			Control: verify.Control{Check: centroidChain(true), Want: checks.Holds,
				Fault: "none: the integral with the strip's true width"},
			Corrected: "prestige/eq-12/corrected",
		},
		{
			ID: "prestige/eq-14-15", Source: "eqs. (14)-(15)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "eqs. (14) and (15), Proof of Lemma 2",
			Statement: "E[Z|X] is X/‖X‖ times B Γ(d/2+1)/(d√π Γ((d−1)/2+1)) (e^ε_s−1)/(e^ε_s+1)",
			Check:     meanCoefficient(printedCoefficient, ""),
			Control: verify.Control{Check: meanCoefficient(mendedCoefficient, coefficientProof), Want: checks.Holds,
				Fault: "none: with the factor 2‖X‖/L"},
			Corrected: "prestige/eq-14-15/corrected",
		},
		{
			ID: "prestige/eq-14-15/corrected", Source: "eqs. (14)-(15), corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "eqs. (13) and (14) with the steps of Proposition 1",
			Statement: "E[Z|X] is X/L times 2B Γ(d/2+1)/(d√π Γ((d−1)/2+1)) (e^ε_s−1)/(e^ε_s+1)",
			Check:     meanCoefficient(mendedCoefficient, coefficientProof),
			Control: verify.Control{Check: meanCoefficient(printedCoefficient, coefficientProof), Want: checks.Refuted,
				Fault: "the factor 2‖X‖/L left out"},
		},
	}
}

// sampler releases Z for X in R^d at privacy ε, for L = 1 and the norm bound B;
// samples says how many releases a cell of the standard budget gets.
type sampler struct {
	build   func(d int, eps, bound float64) (func(r *rand.Rand, x, dst []float64) error, error)
	samples func(d int, eps float64) int64
	exact   bool // its factor is the one derived from the sampling steps
}

// The intervals of lemma-2 are to be 1 % wide up to d = 10 and 4 % above, at
// ε = 1; elsewhere, and for the companion, a few times that.
var (
	fully = sampler{build: referenceSampling, exact: true, samples: func(d int, eps float64) int64 {
		switch {
		case eps != 1:
			return lightly.samples(d, eps)
		case d <= 10:
			return 16_000_000
		}
		return 1_000_000
	}}
	lightly = sampler{build: referenceSampling, exact: true, samples: func(d int, eps float64) int64 {
		switch {
		case eps < 0.5:
			return 0
		case d <= 10:
			return 1_000_000
		}
		return 100_000
	}}
	rotating = sampler{build: func(d int, eps, bound float64) (func(*rand.Rand, []float64, []float64) error, error) {
		m, err := broken.NewRotatedSampling(d, eps, 1, bound, 0.5)
		if err != nil {
			return nil, err
		}
		return m.Sample, nil
	}, samples: func(d int, eps float64) int64 {
		if d == 1 { // no plane to turn in
			return 0
		}
		return lightly.samples(d, eps)
	}}
)

func referenceSampling(d int, eps, bound float64) (func(*rand.Rand, []float64, []float64) error, error) {
	m, err := mechanism.NewPrivateSampling(d, eps, 1, bound)
	if err != nil {
		return nil, err
	}
	return m.Sample, nil
}

// seen are the effects of a mean.Unbiased.
type seen struct{ factor, across float64 }

// meanOfSampling measures the factor between E[Z|X] and X at ‖X‖ = L, where the
// mean is largest beside the noise; it is the same at every ‖X‖.
func meanOfSampling(bound func(d int, epsilon, lipschitz float64) (float64, error), s sampler,
	effect seen) verify.Check {
	return checks.Deferred(func(context.Context, verify.Settings) (verify.Check, error) {
		u := mean.Unbiased{Claimed: 1, Effect: effect.factor, EffectAcross: effect.across}
		for _, d := range dimensions {
			for _, eps := range epsilons {
				b, err := bound(d, eps, 1)
				if err != nil {
					return nil, err
				}
				cell, err := s.cell(d, eps, b)
				if err != nil {
					return nil, err
				}
				if cell.Samples > 0 || cell.ExactError > 0 {
					u.Cells = append(u.Cells, cell)
				}
			}
		}
		return u, nil
	})
}

func (s sampler) cell(d int, eps, bound float64) (mean.UnbiasedCell, error) {
	cell := mean.UnbiasedCell{Place: fmt.Sprintf("d=%d, ε=%g", d, eps), Target: diagonal(d, 1), Bound: bound,
		Samples: s.samples(d, eps)}
	if cell.Samples == 0 && !s.exact {
		return cell, nil
	}
	draw, err := s.build(d, eps, bound)
	if err != nil {
		return mean.UnbiasedCell{}, err
	}
	cell.Sample = func(r *rand.Rand, dst []float64) error { return draw(r, cell.Target, dst) }
	if s.exact {
		cell.Exact, err = bounds.MeanCoefficient(d, eps, bound, 1)
		cell.ExactError = 1e-10
	}
	return cell, err
}

// wideDimensions are those of the formulas alone, for which no vector is drawn.
func wideDimensions(from int) []int {
	var out []int
	for _, d := range append(dimensions[:len(dimensions):len(dimensions)], 10_000, 1_000_000) {
		if d >= from {
			out = append(out, d)
		}
	}
	return out
}

// overDimensions evaluates f at each dimension from `from` on.
func overDimensions(from int, f func(d int) (measured float64, err1 error, claimed float64,
	err2 error)) func(add func(formula.Point)) {
	return func(add func(formula.Point)) {
		for _, d := range wideDimensions(from) {
			measured, err1, claimed, err2 := f(d)
			add(formula.Point{Place: formula.Placef("d=%d", d), Measured: measured, Claimed: claimed, Error: quadratureError,
				Show: true, Err: cmp.Or(err1, err2)})
		}
	}
}

// quadratureError bounds the relative error of the quadratures: 512 points on
// integrands that are entire functions of the latitude.
const quadratureError = 1e-10

const slantProof = "a strip of the sphere between the heights k and k+dk has the area SA_{d−1}(√(1−k²)) dk/√(1−k²)"

func centroidIntegral(slant bool, proof string) verify.Check {
	return formula.Check{
		Quantity: "E|V₁|", Sense: verify.Equals, Domain: "d ∈ {2, 3, 10, 123, 784, 10⁴, 10⁶}", Proof: proof,
		Points: overDimensions(2, func(d int) (float64, error, float64, error) {
			measured, err1 := bounds.HalfSphereMean(d)
			claimed, err2 := paper.CentroidIntegral(d, slant)
			return measured, err1, claimed, err2
		}),
	}
}

func centroidClosedForm(factor float64) verify.Check {
	return formula.Check{
		Quantity: "E|V₁|", Sense: verify.Equals, Domain: "d ∈ {1, 2, 3, 10, 123, 784, 10⁴, 10⁶}, E|V₁| by quadrature",
		Proof: "V₁² has the law Beta(½, (d−1)/2), whose half moment is Γ(d/2)/(√π Γ((d+1)/2)), and Γ(d/2+1) = (d/2)Γ(d/2)",
		Points: overDimensions(1, func(d int) (float64, error, float64, error) {
			measured, err := bounds.HalfSphereMeanByQuadrature(d)
			return measured, err, factor * paper.Centroid(d), nil
		}),
	}
}

func centroidChain(slant bool) verify.Check {
	return formula.Check{
		Quantity: "the integral of eq. (12)", Sense: verify.Equals, Domain: "d ∈ {2, 3, 10, 123, 784, 10⁴, 10⁶}",
		Contradiction: true,
		Points: overDimensions(2, func(d int) (float64, error, float64, error) {
			measured, err := paper.CentroidIntegral(d, slant)
			return measured, err, paper.Centroid(d), nil
		}),
	}
}

const coefficientProof = "E[Z|X] = B tanh(ε/2) (‖X‖/L) E|V₁| X/‖X‖ by the two coins and eq-13"

func printedCoefficient(d int, eps, bound, _ float64) float64 {
	return paper.MeanCoefficient(d, eps, bound)
}

func mendedCoefficient(d int, eps, bound, norm float64) float64 {
	return 2 * norm * paper.MeanCoefficient(d, eps, bound)
}

// meanCoefficient compares a coefficient of X/‖X‖ with the one that follows from
// the sampling steps, at B = L = 1: both are proportional to B.
func meanCoefficient(claimed func(d int, eps, bound, norm float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "coefficient of X/‖X‖ in E[Z|X], over B", Sense: verify.Equals,
		Domain: gridWords + ", ‖X‖ ∈ {L/4, L/2, L}", Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions {
				for _, eps := range epsilons {
					for _, norm := range []float64{0.25, 0.5, 1} {
						measured, err := bounds.MeanCoefficient(d, eps, 1, norm)
						add(formula.Point{
							Place: formula.Placef("d=%d, ε=%g, ‖X‖=%gL", d, eps, norm), Error: quadratureError, Show: eps == 1,
							Measured: measured, Claimed: claimed(d, eps, 1, norm), Err: err,
						})
					}
				}
			}
		},
	}
}
