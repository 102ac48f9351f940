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
			ID: "nonconvex/lemma-1", Source: "Lemma 1, for δ′ ≤ ½", Kind: verify.Privacy,
			Origin: verify.Correction,
			Place:  "Lemma 1, for δ′ ≤ ½; the subscript in its formula, δt′ in the text at hand, read as δ′",
			Statement: "for 0 < ε′ < 1 and δ′ ≤ ½, k mechanisms that are (ε′/√(8k·ln(1/δ′)), δ)-private each are (ε′, kδ + " +
				"δ′)-private together",
			Check: composition(8, 0.5),
			Control: verify.Control{Check: composition(0.5, 0.5), Want: checks.Refuted,
				Fault: "ε′/√(½k·ln(1/δ′)): four times as much a mechanism"},
		},
		{
			ID: "nonconvex/lemma-1/any-delta", Source: "Lemma 1, any δ′", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Lemma 1, which prints no upper end of δ′",
			Statement: "for 0 < ε′ < 1 and any δ′ < 1, k mechanisms that are (ε′/√(8k·ln(1/δ′)), δ)-private each are (ε′, kδ " +
				"+ δ′)-private together",
			Check:     composition(8, 0.5, 0.99, 0.999),
			Control:   verify.Control{Check: composition(8, 0.5), Want: checks.Holds, Fault: "none: δ′ at most ½"},
			Corrected: "nonconvex/lemma-1",
		},
		{
			ID: "nonconvex/def-5", Source: "Def. 5", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Definition 5, last sentence, for any ε",
			Statement: "for every ε > 0, N(0, σ²) with σ = √(2·ln(1.25/δ))·Δ₂/ε makes a release (ε, δ)-private",
			Check:     gaussianMechanism(math.Inf(1), 1.25, ""),
			Control:   verify.Control{Check: gaussianMechanism(1, 1.25, ""), Want: checks.Holds, Fault: "none: ε at most 1"},
			Corrected: "nonconvex/def-5/corrected",
		},
		{
			ID: "nonconvex/def-5/corrected", Source: "Def. 5, for ε ≤ 1", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "Definition 5, for ε ≤ 1, as its source has it",
			Statement: "for ε ≤ 1, N(0, σ²) with σ = √(2·ln(1.25/δ))·Δ₂/ε makes a release (ε, δ)-private",
			Check:     gaussianMechanism(1, 1.25, "Dwork & Roth (2014), Theorem A.1"),
			Control: verify.Control{Check: gaussianMechanism(1, 0.21, ""), Want: checks.Refuted,
				Fault: "0.21 in the place of 1.25"},
		},
		{
			ID: "nonconvex/moments", Source: "before Lemma 2, the saving", Kind: verify.Identity,
			Origin: verify.Reading, Place: "paragraph before Lemma 2, last sentence; full batches, real orders",
			Statement: "for ε < 1 the moments accountant saves a factor of √ln(T/δ) at least in the deviation of the noise, " +
				"beside the Gaussian mechanism under the advanced composition of Lemma 1",
			Check:   momentsSave(1),
			Control: verify.Control{Check: momentsSave(8), Want: checks.Refuted, Fault: "eight times as much"},
		},
		{
			ID: "nonconvex/lemma-2", Source: "Lemma 2, on the mean gradient of a batch", Kind: verify.Privacy,
			Origin: verify.Reading,
			Place: "Lemma 2: the noise Gσ/n on the gradients, read as the mean over the batch that Algorithm 1 of Abadi " +
				"et al. forms",
			Statement: "there are constants c₁, c₂ such that the mean gradient of a batch, of which each record is a member " +
				"with probability q, with noise of deviation Gσ/n is (ε, δ)-private over T steps for ε < c₁q²T and σ " +
				"= c₂q√(T·ln(1/δ))/ε",
			Check: batchNoise(func(q float64) float64 { return q }, []float64{1, 2, 8}),
			Control: verify.Control{Check: batchNoise(func(float64) float64 { return 1 }, []float64{2, 8}), Want: checks.Holds,
				Fault: "none: the noise Gσ/l, as Abadi et al. have it, and c₂ ≥ 2"},
			Corrected: "nonconvex/lemma-2/corrected",
		},
		{
			ID: "nonconvex/lemma-2/corrected", Source: "Lemma 2, with Gσ/l", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "Lemma 2, with Gσ/l",
			Statement: "with noise of deviation Gσ/l on the mean gradient of a batch of l = qn, c₂ = 2 makes T = 1/(c₁q²) " +
				"steps, c₁ ≤ 1, (½, 10⁻⁵)-private when a record is added or removed",
			Check: batchNoise(func(float64) float64 { return 1 }, []float64{2, 8}),
			Control: verify.Control{Check: batchNoise(func(q float64) float64 { return q }, []float64{2}), Want: checks.Refuted,
				Fault: "Gσ/n, smaller by q"},
		},
		{
			ID: "nonconvex/def-6", Source: "Def. 6", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Definition 6, last sentence",
			Statement: "the exponential mechanism, P ∝ exp(εu/(2Δu)), is ε-private",
			Check:     exponential(1),
			Control:   verify.Control{Check: exponential(2), Want: checks.Refuted, Fault: "P ∝ exp(εu/Δu)"},
		},
		{
			ID: "nonconvex/lemma-3", Source: "Lemma 3", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Lemma 3",
			Statement: "the score that the exponential mechanism selects is OPT − (2Δu/ε)(ln|R| + t) or less with " +
				"probability at most e^−t",
			Check:   selectionTail(2),
			Control: verify.Control{Check: selectionTail(1), Want: checks.Refuted, Fault: "Δu/ε in the place of 2Δu/ε"},
		},
	}
}

// composition takes the k mechanisms of Lemma 1, factor in the place of 8.
func composition(factor float64, primes ...float64) verify.Check {
	return formula.Check{
		Quantity: "δ at ε′, the worst of all such mechanisms", Sense: verify.AtMost,
		Domain: "k ∈ {1, 10, 1000}, ε′ ∈ {0.01, 0.5, 0.99}, δ ∈ {0, 10⁻⁶} and δ′ from 10⁻¹² on as far as the statement " +
			"reaches",
		Proof: "for δ′ ≤ ½: √(2k·ln(1/δ′))ε = ε′/2, ε ≤ 0.425, and kε(e^ε − 1) ≤ 1.25kε² = 0.16ε′²/ln(1/δ′) ≤ 0.23ε′ " +
			"(Dwork, Rothblum & Vadhan 2010)",
		Points: func(add func(formula.Point)) {
			for _, k := range []int64{1, 10, 1000} {
				for _, epsilon := range []float64{0.01, 0.5, 0.99} {
					for _, prime := range append([]float64{1e-12, 1e-5, 0.1}, primes...) {
						for _, delta := range []float64{0, 1e-6} {
							claimed := float64(k)*delta + prime
							if claimed >= 1 {
								continue
							}
							each := epsilon / math.Sqrt(factor*float64(k)*math.Log(1/prime))
							b, err := accountant.OptimalComposition{Epsilon0: each, Delta0: delta, K: k}.Delta(epsilon)
							add(formula.Point{
								Place:    formula.Placef("k=%d, ε′=%g, δ′=%g, δ=%g", k, epsilon, prime, delta),
								Measured: b.Estimate, Claimed: claimed, Error: gaussianDeltaError, Show: true, Err: err,
							})
						}
					}
				}
			}
		},
	}
}

func gaussianMechanism(most, inside float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "least δ of the release", Sense: verify.AtMost,
		Domain: "ε ∈ {0.01, 0.1, 1, 2, 5, 10, 100} as far as the statement reaches, δ ∈ {10⁻¹², 10⁻⁵, 10⁻³, 0.1, 0.2}",
		Proof:  proof,
		Points: func(add func(formula.Point)) {
			for _, epsilon := range []float64{0.01, 0.1, 1, 2, 5, 10, 100} {
				for _, delta := range []float64{1e-12, 1e-5, 1e-3, 0.1, 0.2} {
					if epsilon > most {
						continue
					}
					mu := epsilon / math.Sqrt(2*math.Log(inside/delta))
					add(formula.Point{Place: formula.Placef("ε=%g, δ=%g", epsilon, delta), Measured: gaussianDelta(mu, epsilon),
						Claimed: delta, Error: gaussianDeltaError, Show: true})
				}
			}
		},
	}
}

// batchNoise takes Poisson-sampled steps at ε = ½ = c₁q²T/2, δ = 10⁻⁵. The noise is
// share(q)·σ times the part of one record, and q is such that qσ is ⅓: then the noise
// Gσ/n on a mean over qn records is a third of the part of one, and a record takes part in
// qT steps.
func batchNoise(share func(q float64) float64, constants []float64) verify.Check {
	const epsilon, delta, little = 0.5, 1e-5, 1.0 / 3
	return formula.Check{
		Quantity: "δ at ε = ½ of the worst neighbours", Sense: verify.AtMost,
		Domain: "c₂ ∈ {1, 2, 8} as far as the statement reaches, c₁ = 1 and with c₂ = 1 also 0.1, q with qσ = ⅓, T = " +
			"2ε/(c₁q²), δ = 10⁻⁵, a record added or removed",
		Points: func(add func(formula.Point)) {
			for _, c2 := range constants {
				for _, c1 := range []float64{1, 0.1} {
					if c1*8 < c2/2 {
						continue // millions of steps
					}
					l := math.Log(1 / delta)
					q := little * math.Sqrt(c1*epsilon/(2*l)) / c2
					steps := int64(math.Round(2 * epsilon / (c1 * q * q)))
					sigma := c2 * q * math.Sqrt(float64(steps)*l) / epsilon
					step := event.Poisson(q, event.Gaussian(share(q)*sigma))
					b, err := accountant.LossDelta(event.Repeat(steps, step), event.AddRemove, epsilon,
						accountant.Precision{Width: 0.1, MaxPoints: 1 << 18})
					end, undecided := certified(b, delta)
					add(formula.Point{
						Place: formula.Placef("c₁=%g, c₂=%g, q=%.3g, T=%d, σ=%.3g", c1, c2, q, steps, sigma), Show: true,
						Measured: end, Claimed: delta, Err: cmp.Or(err, undecided),
					})
				}
			}
		},
	}
}

// certified is the end of a bracket that decides for or against the claim; an error where
// neither does.
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
		Domain: "|R| ∈ {2, 3, 10, 1000}, ε ∈ {0.01, 1, 5}, the first score up and the others down by Δu, from level scores " +
			"and from one that is ahead by 2Δu",
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

// selectionTail takes one best score and the others just as far below it as the lemma asks.
func selectionTail(factor float64) verify.Check {
	return formula.Check{
		Quantity: "P(score ≤ OPT − (2Δu/ε)(ln|R| + t))", Sense: verify.AtMost,
		Domain: "|R| ∈ {2, 10, 1000}, t ∈ {0, 0.1, 1, 5, 20}, ε = 0.7, Δu = 0.3",
		Proof: "each such score has probability at most e^(−ln|R| − t) beside that of the best one, and there are fewer " +
			"than |R|; more scores at the top make it smaller",
		Points: func(add func(formula.Point)) {
			const epsilon, sensitivity = 0.7, 0.3
			m, err := mechanism.NewExponential(epsilon, sensitivity)
			for _, size := range []int{2, 10, 1000} {
				for _, t := range []float64{0, 0.1, 1, 5, 20} {
					scores, below := make([]float64, size), 0.0
					for i := 1; i < size; i++ {
						scores[i] = -factor * sensitivity / epsilon * (math.Log(float64(size)) + t)
					}
					if err == nil {
						below = 1 - m.Distribution(scores)[0]
						if below < 1e-3 { // as a sum: 1 − P loses its digits
							below = float64(size-1) * m.Distribution(scores)[1]
						}
					}
					add(formula.Point{Place: formula.Placef("|R|=%d, t=%g", size, t), Measured: below, Claimed: math.Exp(-t),
						Show: true,
						Err:  err})
				}
			}
		},
	}
}

// momentsSave is how many times as large the deviation is under advanced composition, over √ln(T/δ).
func momentsSave(times float64) verify.Check {
	return formula.Check{
		Quantity: "ratio of the deviations over √ln(T/δ)", Sense: verify.AtLeast,
		Domain: "T ∈ {50, 200, 400, 10⁵}, ε ∈ {0.01, 0.1, 0.5, 0.99}, δ ∈ {10⁻⁶, 10⁻³}, n = 10⁴",
		Proof:  "it is at least 8√(ln(2/δ)·ln(2.5T/δ))/(√(l+ε) + √l) ≥ 4√(l/(l+ε))·√ln(T/δ), l = ln(1/δ)",
		Points: func(add func(formula.Point)) {
			for _, b := range belowOne() {
				composed, err1 := composedNoise(b)
				moments, err2 := realMoments(b)
				saved := math.Sqrt(math.Log(float64(b.Steps) / b.Delta))
				add(formula.Point{Place: formula.Placef("ε=%g, δ=%g, T=%d", b.Epsilon, b.Delta, b.Steps), Claimed: times,
					Error:    1e-9,
					Measured: composed / moments / saved, Show: b.Steps == 200, Err: cmp.Or(err1, err2)})
			}
		},
	}
}
