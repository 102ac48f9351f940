package prestige

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

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
	// The sampled cells detect a relative error of 0.05 in the factor along X, which is also computed, and a mean
	// orthogonal to X of 0.6 ‖X‖, for which there is no formula.
	clear := seen{factor: 0.05, across: 0.6}
	corrected := checks.Shared(meanOfSampling(bounds.PrivateSamplingBound, lightly, clear))
	return []verify.Claim{
		{
			ID: "prestige/lemma-2", Kind: verify.Unbiasedness, Origin: verify.Stated,
			Place:     "Lemma 2, eqs. (11), (16): and eqs. (14) and (15) of its proof",
			Statement: "private sampling with the printed B is unbiased: E[Z|X] = X",
			Check:     meanOfSampling(paper.PrivateSamplingBound, fully, clear),
			Control: verify.Control{Check: corrected, Want: checks.Holds,
				Fault: "none: the unbiased B"},
			Corrected: "prestige/lemma-2/corrected",
			Weight:    4,
			Formerly:  []string{"prestige/eq-14-15"},
		},
		{
			ID: "prestige/lemma-2/corrected", Kind: verify.Unbiasedness, Origin: verify.Correction,
			Place: "Lemma 2, corrected: eqs. (13) to (16) with the factor 2 of eq. (13); E[Z|X] = (X/L)·2B Γ(d/2+1)/(d√π " +
				"Γ((d−1)/2+1))·(e^ε_s−1)/(e^ε_s+1)",
			Statement: "private sampling is unbiased with B = L√π (e^ε_s+1)/(e^ε_s−1) · Γ((d+1)/2)/Γ(d/2), half of the " +
				"printed B. Eqs. (14) and (15) lack the factor 2 of the last line of eq. (13)",
			Check: corrected,
			Control: checks.Faulty(meanOfSampling(bounds.PrivateSamplingBound, rotating, clear),
				"an implementation that rotates its mean away from X"),
			Weight:   4,
			Formerly: []string{"prestige/eq-14-15/corrected"},
		},
		{
			ID: "prestige/eq-13", Kind: verify.Identity, Origin: verify.Stated, Place: "Eq. (13): last line",
			Statement: "the mean of a uniform point of the unit half-sphere in R^d has length 2Γ(d/2+1)/(d√π " +
				"Γ((d−1)/2+1)), as in the last line of eq. (13)",
			Check:   centroidClosedForm(1),
			Control: checks.Faulty(centroidClosedForm(0.5), "the factor 2 left out, as eq. (14) does"),
		},
	}
}

// sampler builds an implementation that releases Z for X in R^d at privacy ε, with L = 1 and the norm bound B.
type sampler struct {
	build   func(d int, eps, bound float64) (func(r *rand.Rand, x, dst []float64) error, error)
	samples func(d int, eps float64) int64 // samples of a cell at the standard budget
	// exact adds to each cell the factor in E[Z] = factor·X, derived from the sampling steps (bounds.MeanCoefficient).
	exact bool
}

// The sample sizes make the intervals of lemma-2 at ε = 1 about 1 % wide up to d = 10 and 4 % above. The intervals for
// other ε and for the correction are several times as wide.
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
		if d == 1 { // one dimension has no rotation
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

// seen holds the effects that a mean.Unbiased check must detect.
type seen struct{ factor, across float64 }

// meanOfSampling measures the factor between E[Z|X] and X. The factor is the same for every ‖X‖; the check uses
// ‖X‖ = L, where the signal-to-noise ratio is largest.
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

// quadratureError bounds the relative error of the quadratures, which use 512 points on entire functions of the
// latitude.
const quadratureError = 1e-10

func centroidClosedForm(factor float64) verify.Check {
	return formula.Check{
		Quantity: "E|V₁|", Sense: verify.Equals, Domain: "E|V₁| by quadrature",
		Grid:  formula.Grid{formula.Over("d", append(slices.Clone(dimensions), 10_000, 1_000_000)...)},
		Proof: "V₁² has the distribution Beta(½, (d−1)/2), so E|V₁| = Γ(d/2)/(√π Γ((d+1)/2)), and Γ(d/2+1) = (d/2)Γ(d/2)",
		At: func(at []float64, add func(formula.Point)) {
			d := int(at[0])
			measured, err := bounds.HalfSphereMeanByQuadrature(d)
			add(formula.Point{Measured: measured, Claimed: factor * paper.Centroid(d), Error: quadratureError, Show: true,
				Err: err})
		},
	}
}
