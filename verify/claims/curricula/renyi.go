package curricula

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func renyiClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "curricula/renyi-divergence", Source: "Sect. 3.2, step 1, second display against the first",
			Kind:   verify.Consistency,
			Origin: verify.Stated,
			Place: "Sect. 3.2, \"Renyi divergence for each epoch\": the display after \"the actual divergence to " +
				"calculate would be\"",
			Statement: "the divergence to calculate, (α−1)⁻¹ log E_{M(S)} (M(S)/M(S′))^α, is the Rényi divergence " +
				"D_α(M(S)‖M(S′)) of the first display",
			Check: printedDivergence(verify.Equals, 0, 1, true, ""),
			Control: verify.Control{Check: printedDivergence(verify.Equals, -1, 1, true, momentProof), Want: checks.Holds,
				Fault: "none: the power α−1 under M(S)"},
			Corrected: "curricula/renyi-divergence/corrected",
		},
		{
			ID: "curricula/renyi-divergence/corrected", Source: "Sect. 3.2, step 1, second display, corrected",
			Kind:   verify.Identity,
			Origin: verify.Correction,
			Place:  "Sect. 3.2, \"Renyi divergence for each epoch\", last display: what its right-hand side is",
			Statement: "(α−1)⁻¹ log E_{M(S)} (M(S)/M(S′))^α is α/(α−1) times the divergence of order α+1, and so " +
				"above that of order α",
			Check: printedDivergence(verify.AtLeast, 0, 1, false,
				"E_P(P/Q)^α = E_Q(P/Q)^(α+1); α/(α−1) ≥ 1 and D_α grows in α"),
			Control: verify.Control{Check: printedDivergence(verify.AtLeast, -1, 0.99, false, ""), Want: checks.Refuted,
				Fault: "the divergence understated by 1 %"},
		},
		{
			ID: "curricula/renyi-inequality", Source: "Sect. 3.2, step 1", Kind: verify.Identity,
			Origin: verify.Stated,
			Place:  "Sect. 3.2, \"Renyi divergence for each epoch\": the display cited from Sect. 3.1 of [26]",
			Statement: "E_{M(S′)} (M(S)/M(S′))^α ≤ E_{M(S)} (M(S)/M(S′))^α for all α ≥ 1, of the sampled Gaussian in either " +
				"order of the data sets",
			Check: momentInequality(func(q, sigma, a float64) []momentPair {
				m := func(s float64) float64 { return bounds.SampledGaussianLogMoment(q, sigma, s) }
				return []momentPair{{"S larger", m(a), m(a + 1)}, {"S′ larger", m(1 - a), m(-a)}}
			}, "E_Q r^s is log-convex in s and 1 at s = 0 and s = 1, hence grows from s = 1 on; E_P r^α = E_Q r^(α+1)"),
			Control: verify.Control{Check: momentInequality(func(q, sigma, a float64) []momentPair {
				m := func(s float64) float64 { return bounds.SampledGaussianLogMoment(q, sigma, s) }
				return []momentPair{{"S larger, turned", m(a + 1), m(a)}}
			}, ""), Want: checks.Refuted, Fault: "the two sides exchanged"},
		},
		{
			ID: "curricula/renyi-inequality/roles", Source: "Sect. 3.2, step 1, as Mironov, Talwar & Zhang 2019 have it",
			Kind:   verify.Identity,
			Origin: verify.Reading,
			Place: "Sect. 3.2, \"Renyi divergence for each epoch\": the display cited from [26], with the ratio inverted " +
				"on the right as [26] has it",
			Statement: "E_{M(S′)} (M(S)/M(S′))^α ≤ E_{M(S)} (M(S′)/M(S))^α for all α ≥ 1, of the sampled Gaussian with S′ the " +
				"data set of one record more",
			Check: momentInequality(func(q, sigma, a float64) []momentPair {
				return []momentPair{{"S′ larger", bounds.SampledGaussianLogMoment(q, sigma, 1-a),
					bounds.SampledGaussianLogMoment(q, sigma, a)}}
			}, ""),
			Control: verify.Control{Check: momentInequality(func(q, sigma, a float64) []momentPair {
				return []momentPair{{"S larger", bounds.SampledGaussianLogMoment(q, sigma, a),
					bounds.SampledGaussianLogMoment(q, sigma, 1-a)}}
			}, ""), Want: checks.Refuted, Fault: "S the data set of one record more"},
		},
		{
			ID: "curricula/renyi-additivity", Source: "Sect. 3.2, step 2", Kind: verify.Identity,
			Origin:    verify.Stated,
			Place:     "Sect. 3.2, \"Linear accumulation\": the display after \"additivity of Renyi divergence [32]\"",
			Statement: "the Rényi divergence of products of T laws is the sum of their divergences, for α ∈ [0, ∞]",
			Check: additivity(verify.Equals, false,
				"the power of a product factorises under a product law; at 0, 1 and ∞ by mass, logarithm and maximum"),
			Control: verify.Control{Check: additivity(verify.Equals, true, ""), Want: checks.Refuted,
				Fault: "a second epoch that depends on the first one's output"},
		},
		{
			ID: "curricula/renyi-additivity/adaptive", Source: "Sect. 3.2, step 2, for Alg. 1", Kind: verify.Identity,
			Origin: verify.Implied,
			Place: "Sect. 3.2, \"Linear accumulation\", applied to Algorithm 1, whose epoch t+1 starts at the output " +
				"of epoch t",
			Statement: "the Rényi divergence of epochs of which each starts at the last one's output is the sum of the " +
				"divergences of the epochs' own outputs",
			Check: additivity(verify.Equals, true, ""),
			Control: verify.Control{Check: additivity(verify.Equals, false, ""), Want: checks.Holds,
				Fault: "none: independent epochs"},
			Corrected: "curricula/renyi-additivity/corrected",
		},
		{
			ID: "curricula/renyi-additivity/corrected", Source: "Sect. 3.2, step 2, corrected", Kind: verify.Identity,
			Origin: verify.Correction,
			Place:  "Sect. 3.2, \"Linear accumulation\": what replaces its sum where epochs depend on each other",
			Statement: "the Rényi divergence of epochs of which each starts at the last one's output is at most the sum over " +
				"epochs of the largest divergence given any start, for α ∈ [1, ∞]",
			Check: adaptiveBound(1),
			Control: verify.Control{Check: adaptiveBound(0.9), Want: checks.Refuted,
				Fault: "the second epoch charged at nine tenths"},
		},
		{
			ID: "curricula/thm-3.1", Source: "Theorem 3.1", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Theorem 3.1",
			Statement: "a mechanism with Rényi divergence at most ε′ of order α > 1 is (ε′ + log(1/δ)/(α−1), " +
				"δ)-private for 0 < δ < 1",
			Check:   conversion(1),
			Control: verify.Control{Check: conversion(0.3), Want: checks.Refuted, Fault: "a third of the term log(1/δ)/(α−1)"},
		},
	}
}

const momentProof = "E_P(P/Q)^(α−1) = E_Q(P/Q)^α"

var (
	orders      = []float64{1.25, 1.5, 2, 4, 8, 16, 32}
	multipliers = []float64{0.5, 1, 1.38, 5}
	rates       = []float64{rate, 0.2, 1}
)

const momentDomain = "α ∈ {1.25, 1.5, 2, 4, 8, 16, 32}, multipliers {0.5, 1, 1.38, 5}, sampling rates {0.01, 0.2, 1}"

// momentError bounds the relative error of log moments by quadrature: they are
// 1e-14 off absolutely, and the least of them, at rate 0.01, is about 1e-6.
const momentError = 1e-6

// printedDivergence holds (α−1)⁻¹ log E_P (P/Q)^(α+shift), times scale, against D_α(P‖Q),
// with P the sampled Gaussian of one record more, and of one less.
func printedDivergence(sense verify.Sense, shift, scale float64, contradiction bool, proof string) verify.Check {
	return formula.Check{
		Quantity: "the divergence to calculate", Sense: sense, Domain: momentDomain, Proof: proof,
		Contradiction: contradiction,
		Points: func(add func(formula.Point)) {
			for _, q := range rates {
				for _, sigma := range multipliers {
					for _, a := range orders {
						for _, larger := range []bool{true, false} {
							printed, defined := a+shift+1, a
							if !larger { // E_Q of the inverse ratio under the larger law
								printed, defined = -a-shift, 1-a
							}
							which := "S′ larger"
							if larger {
								which = "S larger"
							}
							add(formula.Point{
								Place:    formula.Placef("q=%g, multiplier %g, α=%g, %s", q, sigma, a, which),
								Measured: scale * bounds.SampledGaussianLogMoment(q, sigma, printed) / (a - 1),
								Claimed:  bounds.SampledGaussianLogMoment(q, sigma, defined) / (a - 1),
								Error:    momentError, Show: q == rate && sigma == 1,
							})
						}
					}
				}
			}
		},
	}
}

// momentPair is the logarithms of the two sides of an inequality of moments.
type momentPair struct {
	roles       string
	left, right float64
}

func momentInequality(sides func(q, sigma, alpha float64) []momentPair, proof string) verify.Check {
	return formula.Check{
		Quantity: "log of the left moment", Sense: verify.AtMost, Domain: momentDomain + ", and α = 1", Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, q := range rates {
				for _, sigma := range multipliers {
					for _, a := range append([]float64{1}, orders...) {
						for _, s := range sides(q, sigma, a) {
							// A log moment is off by 1e-14 absolutely: of 0 it says nothing else.
							if math.Abs(s.left) < 1e-12 && math.Abs(s.right) < 1e-12 {
								s.left, s.right = 0, 0
							}
							add(formula.Point{Place: formula.Placef("q=%g, multiplier %g, α=%g, %s", q, sigma, a, s.roles), Measured: s.left,
								Claimed: s.right, Error: momentError, Show: q == rate && sigma == 1})
						}
					}
				}
			}
		},
	}
}

// randomLaw draws a law on n outcomes, none of them rare.
func randomLaw(r *rand.Rand, n int) []float64 {
	p, sum := make([]float64, n), 0.0
	for i := range p {
		p[i] = rng.Exponential(r) + 0.05
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// additivity compares the divergence of two epochs' outputs with the sum of their
// own. Where they are adaptive, the second law depends on the first output.
func additivity(sense verify.Sense, adaptive bool, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("laws")
		return formula.Check{
			Quantity: "D_α of both epochs", Sense: sense,
			Domain: "α ∈ {0, ½, 1, 2, 10, ∞}, 50 random pairs of laws on 2 to 5 outcomes each", Proof: proof,
			Points: func(add func(formula.Point)) {
				for i := range 50 {
					e := drawEpochs(r, adaptive)
					for _, a := range []float64{0, 0.5, 1, 2, 10, math.Inf(1)} {
						jointP, jointQ := e.joint()
						ownP, ownQ := e.second()
						add(formula.Point{
							Place: formula.Placef("α=%g, laws %d", a, i), Error: 1e-10, Show: i == 0,
							Measured: settled(bounds.FiniteRenyi(jointP, jointQ, a)),
							Claimed:  settled(bounds.FiniteRenyi(e.p, e.q, a) + bounds.FiniteRenyi(ownP, ownQ, a)),
						})
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

// settled takes for 0 what is 0 but for rounding: the divergence of order 0 of laws with one support.
func settled(x float64) float64 {
	if math.Abs(x) < 1e-13 {
		return 0
	}
	return x
}

// twoEpochs are the laws of a first output at two neighbours, and of a second one given the first.
type twoEpochs struct {
	p, q   []float64
	p2, q2 [][]float64
}

func drawEpochs(r *rand.Rand, adaptive bool) twoEpochs {
	n, k := 2+r.IntN(4), 2+r.IntN(4)
	e := twoEpochs{p: randomLaw(r, n), q: randomLaw(r, n)}
	for i := range n {
		if i > 0 && !adaptive {
			e.p2, e.q2 = append(e.p2, e.p2[0]), append(e.q2, e.q2[0])
			continue
		}
		e.p2, e.q2 = append(e.p2, randomLaw(r, k)), append(e.q2, randomLaw(r, k))
	}
	return e
}

func (e twoEpochs) joint() (p, q []float64) {
	for i := range e.p {
		for j := range e.p2[i] {
			p, q = append(p, e.p[i]*e.p2[i][j]), append(q, e.q[i]*e.q2[i][j])
		}
	}
	return p, q
}

// second is the law of the second output alone.
func (e twoEpochs) second() (p, q []float64) {
	p, q = make([]float64, len(e.p2[0])), make([]float64, len(e.p2[0]))
	for i := range e.p {
		for j := range p {
			p[j] += e.p[i] * e.p2[i][j]
			q[j] += e.q[i] * e.q2[i][j]
		}
	}
	return p, q
}

// adaptiveBound charges the second epoch share times its largest divergence. Every
// tenth pair does not adapt: there the bound is attained.
func adaptiveBound(share float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("laws")
		return formula.Check{
			Quantity: "D_α of both epochs", Sense: verify.AtMost,
			Domain: "α ∈ {1, 1.5, 2, 10, ∞}, 100 random pairs of laws on 2 to 5 outcomes each",
			Proof: "given the first output, the inner sum is at most the largest moment, a constant that leaves the outer sum " +
				"(Mironov 2017, Prop. 1)",
			Points: func(add func(formula.Point)) {
				for i := range 100 {
					e := drawEpochs(r, i%10 != 0)
					p, q := e.joint()
					for _, a := range []float64{1, 1.5, 2, 10, math.Inf(1)} {
						worst := 0.0
						for k := range e.p2 {
							worst = math.Max(worst, bounds.FiniteRenyi(e.p2[k], e.q2[k], a))
						}
						add(formula.Point{Place: formula.Placef("α=%g, laws %d", a, i), Error: 1e-10, Show: i < 2,
							Measured: bounds.FiniteRenyi(p, q, a), Claimed: bounds.FiniteRenyi(e.p, e.q, a) + share*worst})
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

// conversion computes the least ε at δ of Gaussian mechanisms, exactly, and of pairs
// of laws on two outcomes, against Theorem 3.1 with its last term times share.
func conversion(share float64) verify.Check {
	return formula.Check{
		Quantity: "least ε at δ", Sense: verify.AtMost,
		Domain: "δ ∈ {1e-10, 1e-5, 0.01, 0.5}, α ∈ {1.25, 1.5, 2, 4, 8, 16, 32}; Gaussians of μ ∈ {0.1, 1, 5}, and two " +
			"outcomes of odds from 1 to 10⁶",
		Proof: "P(E) ≤ (e^ε′ Q(E))^((α−1)/α) by Hölder; either e^ε′Q(E) exceeds δ^(α/(α−1)), and then P(E) ≤ e^ε Q(E), or " +
			"P(E) ≤ δ (Mironov 2017, Prop. 3)",
		Points: func(add func(formula.Point)) {
			for _, d := range []float64{1e-10, delta, 0.01, 0.5} {
				for _, a := range orders {
					extra := share * math.Log(1/d) / (a - 1)
					for _, mu := range []float64{0.1, 1, 5} {
						exact, err := accountant.GDP{Mu: mu}.Epsilon(d)
						add(formula.Point{Place: formula.Placef("Gaussian μ=%g, α=%g, δ=%g", mu, a, d), Measured: exact.Upper,
							Claimed: a*mu*mu/2 + extra, Error: 1e-9, Show: d == delta && mu == 1, Err: err})
					}
					for _, odds := range []float64{1, 2, 1e3, 1e6} {
						p, q := []float64{odds / (1 + odds), 1 / (1 + odds)}, []float64{0.5, 0.5}
						renyi := math.Max(bounds.FiniteRenyi(p, q, a), bounds.FiniteRenyi(q, p, a))
						add(formula.Point{Place: func() string { return fmt.Sprintf("odds %g, α=%g, δ=%g", odds, a, d) },
							Measured: bounds.MinEpsilon(p, q, d), Claimed: renyi + extra, Error: 1e-9})
					}
				}
			}
		},
	}
}
