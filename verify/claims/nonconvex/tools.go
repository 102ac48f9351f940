package nonconvex

import (
	"cmp"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/privacy"
)

func toolClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/lemma-1", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Lemma 1: the paper prints no range of δ′; δ′ ≤ 0.5 is assumed",
			Statement: "k mechanisms that are (ε′/√(8k·ln(1/δ′)), δ)-private each are (ε′, kδ + δ′)-private together, for " +
				"0 < ε′ < 1 and δ′ ≤ 0.5",
			Check:    composition(8),
			Control:  checks.Faulty(composition(0.5), "ε′/√(½k·ln(1/δ′)): four times as much for each mechanism"),
			Formerly: []string{"nonconvex/lemma-1/any-delta"},
		},
		{
			ID: "nonconvex/def-5", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Definition 5, last sentence",
			Statement: "noise N(0, σ²) with σ = √(2·ln(1.25/δ))·Δ₂/ε makes a release (ε, δ)-private for the ε of the " +
				"experiments, up to 5, at every δ of the grid",
			Check:    gaussianMechanism(0.01, 0.1, 0.5, 1, 2, 5),
			Control:  checks.Faulty(gaussianMechanism(0.01, 0.1, 0.5, 1, 2, 5, 10, 100), "ε up to 100"),
			Formerly: []string{"nonconvex/def-5/corrected"},
		},
		{
			ID: "nonconvex/moments", Kind: verify.Identity, Origin: verify.Stated,
			Place: "paragraph before Lemma 2, last sentence",
			Statement: "the moments accountant lowers the standard deviation of the noise by at least the factor " +
				"√ln(T/δ), compared with the Gaussian mechanism under the advanced composition of Lemma 1. Setting: ε < 1, " +
				"full batches, real orders",
			Check:   momentsSave(1),
			Control: checks.Faulty(momentsSave(8), "eight times as much"),
		},
		{
			ID: "nonconvex/lemma-2", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Lemma 2: the gradients of a batch are summed and divided by n, as in Algorithm 1 of Abadi et al. at l " +
				"= n",
			Statement: "with c₂ = 2, T = 1/(c₁q²) steps are (0.5, 10⁻⁵)-private if a record is added or removed. Setting: " +
				"c₁ ≤ 1, batches of l = qn records, noise of standard deviation Gσ on the sum of the gradients in a batch " +
				"(Gσ/l on their mean), the q of the grid",
			Check: batchNoise(func(float64) float64 { return 1 }, 2, 8),
			Control: checks.Faulty(batchNoise(func(q float64) float64 { return q }, 2),
				"Gσ/n on the mean of the batch, smaller by q"),
			Formerly: []string{"nonconvex/lemma-2/corrected"},
		},
		{
			ID: "nonconvex/def-6", Kind: verify.Privacy, Origin: verify.Stated,
			Place:     "Definition 6, last sentence",
			Statement: "the exponential mechanism, P ∝ exp(εu/(2Δu)), is ε-private",
			Check:     exponential(1),
			Control:   checks.Faulty(exponential(2), "P ∝ exp(εu/Δu)"),
		},
		{
			ID: "nonconvex/lemma-3", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Lemma 3",
			Statement: "the exponential mechanism selects a score of OPT − (2Δu/ε)(ln|R| + t) or less with probability at " +
				"most e^−t",
			Check:   selectionTail(2),
			Control: checks.Faulty(selectionTail(1), "Δu/ε in place of 2Δu/ε"),
		},
	}
}

// composition compares the composition of the k mechanisms of Lemma 1 with the claimed guarantee, with factor instead
// of 8.
func composition(factor float64) verify.Check {
	return formula.Check{
		Quantity: "δ at ε′, the worst of all such mechanisms", Sense: verify.AtMost,
		Proof: "for δ′ ≤ 0.5: √(2k·ln(1/δ′))ε = ε′/2, ε ≤ 0.425, and kε(e^ε − 1) ≤ 1.25kε² = 0.16ε′²/ln(1/δ′) ≤ 0.23ε′ " +
			"(Dwork, Rothblum & Vadhan 2010); at δ′ = 0.999, ε′ = 0.99, k = 1000 the formula fails",
		Grid: formula.Grid{formula.Over("k", 1, 10, 1000), formula.Over("ε′", 0.01, 0.5, 0.99),
			formula.Over("δ′", 1e-12, 1e-5, 0.1, 0.5), formula.Over("δ", 0, 1e-6)},
		At: func(at []float64, add func(formula.Point)) {
			k, epsilon, prime, delta := at[0], at[1], at[2], at[3]
			each := epsilon / math.Sqrt(factor*k*math.Log(1/prime))
			b, err := accountant.OptimalComposition{Epsilon0: each, Delta0: delta, K: int64(k)}.Delta(epsilon)
			add(formula.Point{Measured: b.Estimate, Claimed: k*delta + prime, Error: gaussianDeltaError, Show: true,
				Err: err})
		},
	}
}

func gaussianMechanism(epsilons ...float64) verify.Check {
	return formula.Check{
		Quantity: "smallest δ of the release", Sense: verify.AtMost,
		Domain: "for ε ≤ 1 every δ (Dwork & Roth 2014, Theorem A.1); Definition 5 prints no upper end of ε, and at δ = " +
			"10⁻³ the formula fails from ε = 8 on",
		Grid: formula.Grid{formula.Over("ε", epsilons...), formula.Over("δ", 1e-12, 1e-5, 1e-3, 0.1, 0.2)},
		At: func(at []float64, add func(formula.Point)) {
			epsilon, delta := at[0], at[1]
			mu := epsilon / math.Sqrt(2*math.Log(1.25/delta))
			add(formula.Point{Measured: gaussianDelta(mu, epsilon), Claimed: delta, Error: gaussianDeltaError, Show: true})
		},
	}
}

// batchNoise checks Poisson-sampled steps at ε = 0.5 = c₁q²T/2, δ = 10⁻⁵. The noise is share(q)·σ times the
// contribution of one record, and q is such that qσ is 1/3: then the noise Gσ/n on a mean over qn records is a third
// of one contribution, and a record takes part in qT steps.
func batchNoise(share func(q float64) float64, constants ...float64) verify.Check {
	const epsilon, delta, little = 0.5, 1e-5, 1.0 / 3
	return formula.Check{
		Quantity: "δ at ε = 0.5 of the worst neighbors", Sense: verify.AtMost,
		Domain: "q with qσ = ⅓, T = 2ε/(c₁q²), δ = 10⁻⁵, a record added or removed",
		Grid:   formula.Grid{formula.Over("c₂", constants...), formula.Over("c₁", 1, 0.1)},
		At: func(at []float64, add func(formula.Point)) {
			c2, c1 := at[0], at[1]
			if c1*8 < c2/2 {
				return // millions of steps
			}
			l := math.Log(1 / delta)
			q := little * math.Sqrt(c1*epsilon/(2*l)) / c2
			steps := int64(math.Round(2 * epsilon / (c1 * q * q)))
			sigma := c2 * q * math.Sqrt(float64(steps)*l) / epsilon
			step := event.Poisson(q, event.Gaussian(share(q)*sigma))
			b, err := accountant.LossDelta(event.Repeat(steps, step), event.AddRemove, epsilon,
				accountant.Precision{Width: 0.1, MaxPoints: 1 << 18})
			end, undecided := certified(b, delta)
			add(formula.Point{Place: formula.Placef("q=%.3g, T=%d, σ=%.3g", q, steps, sigma), Show: true,
				Measured: end, Claimed: delta, Err: cmp.Or(err, undecided)})
		},
	}
}

// certified returns the end of a bracket that decides about the claim, or an error if neither does.
func certified(b accountant.Bracket, claimed float64) (float64, error) {
	switch {
	case b.Lower > claimed:
		return b.Lower, nil
	case b.Upper <= claimed:
		return b.Upper, nil
	}
	return 0, fmt.Errorf("the bracket [%v, %v] does not decide on %v", b.Lower, b.Upper, claimed)
}

func exponential(factor float64) verify.Check {
	return privacy.Exact{
		Domain: "|R| ∈ {2, 3, 10, 1000}, ε ∈ {0.01, 1, 5}, the first score up and the others down by Δu, from equal " +
			"scores and from one score that is ahead by 2Δu",
		Proof: "each weight moves by a factor of e^(ε/2) at most, and so does their sum",
		Pairs: func() (pairs []privacy.DistributionPair, err error) {
			for _, size := range []int{2, 3, 10, 1000} {
				for _, epsilon := range []float64{0.01, 1, 5} {
					m, err := mechanism.NewExponential(factor*epsilon, 0.3)
					if err != nil {
						return nil, err
					}
					for _, lead := range []float64{0, 0.6} {
						a, b := make([]float64, size), make([]float64, size)
						a[0], b[0] = lead, lead+0.3
						for i := 1; i < size; i++ {
							b[i] = -0.3
						}
						pairs = append(pairs, privacy.DistributionPair{Place: formula.Placef("|R|=%d, ε=%g, lead %g", size, epsilon,
							lead)(),
							P: m.Distribution(a), Q: m.Distribution(b), Epsilon: epsilon})
					}
				}
			}
			return pairs, nil
		},
	}
}

// selectionTail checks one best score and the others exactly as far below it as the lemma requires.
func selectionTail(factor float64) verify.Check {
	const epsilon, sensitivity = 0.7, 0.3
	return formula.Check{
		Quantity: "P(score ≤ OPT − (2Δu/ε)(ln|R| + t))", Sense: verify.AtMost, Domain: "ε = 0.7, Δu = 0.3",
		Proof: "each such score has at most e^(−ln|R| − t) times the probability of the best one, and there are fewer " +
			"than |R|; more scores at the top make it smaller",
		Grid: formula.Grid{formula.Over("|R|", 2, 10, 1000), formula.Over("t", 0, 0.1, 1, 5, 20)},
		At: func(at []float64, add func(formula.Point)) {
			size, t := at[0], at[1]
			m, err := mechanism.NewExponential(epsilon, sensitivity)
			scores, below := make([]float64, int(size)), 0.0
			for i := 1; i < len(scores); i++ {
				scores[i] = -factor * sensitivity / epsilon * (math.Log(size) + t)
			}
			if err == nil {
				below = 1 - m.Distribution(scores)[0]
				if below < 1e-3 { // as a sum: 1 − P loses its digits
					below = (size - 1) * m.Distribution(scores)[1]
				}
			}
			add(formula.Point{Measured: below, Claimed: math.Exp(-t), Show: true, Err: err})
		},
	}
}

// momentsSave compares the ratio of the standard deviations under advanced composition and under moments with
// √ln(T/δ).
func momentsSave(times float64) verify.Check {
	return formula.Check{
		Quantity: "ratio of the standard deviations over √ln(T/δ)", Sense: verify.AtLeast, Domain: "n = 10⁴",
		Proof: "it is at least 8√(ln(2/δ)·ln(2.5T/δ))/(√(l+ε) + √l) ≥ 4√(l/(l+ε))·√ln(T/δ), l = ln(1/δ)",
		Grid:  belowOne,
		At: func(at []float64, add func(formula.Point)) {
			b := budgetAt(at)
			composed, err1 := composedNoise(b)
			moments, err2 := realMoments(b)
			saved := math.Sqrt(math.Log(float64(b.Steps) / b.Delta))
			add(formula.Point{Claimed: times, Error: 1e-9, Measured: composed / moments / saved, Show: b.Steps == 200,
				Err: cmp.Or(err1, err2)})
		},
	}
}
