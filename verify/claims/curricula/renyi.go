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
	moment := bounds.SampledGaussianLogMoment
	return []verify.Claim{
		{
			ID: "curricula/renyi-inequality", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Sect. 3.2, step 1: the display cited from Sect. 3.1 of [26]",
			Statement: "E_{M(S′)} (M(S)/M(S′))^α ≤ E_{M(S)} (M(S)/M(S′))^α for all α ≥ 1, for the sampled Gaussian in " +
				"either order of the data sets. If S′ has one record more, the same holds with the last ratio inverted, as " +
				"in [26]",
			Check: momentInequality(func(q, sigma, a float64) []momentPair {
				return []momentPair{
					{"S larger", moment(q, sigma, a), moment(q, sigma, a+1)},
					{"S′ larger", moment(q, sigma, 1-a), moment(q, sigma, -a)},
					{"S′ larger, ratio inverted", moment(q, sigma, 1-a), moment(q, sigma, a)},
				}
			}, "E_Q r^s is log-convex in s and equals 1 at s = 0 and s = 1, hence increases from s = 1 on; E_P r^α = E_Q "+
				"r^(α+1); the inverted form: Mironov, Talwar & Zhang 2019, Sect. 3.1"),
			Control: checks.Faulty(momentInequality(func(q, sigma, a float64) []momentPair {
				return []momentPair{{"S larger, ratio inverted", moment(q, sigma, a), moment(q, sigma, 1-a)}}
			}, ""), "the ratio inverted if S has one record more"),
			Formerly: []string{"curricula/renyi-inequality/roles"},
		},
		{
			ID: "curricula/renyi-additivity", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Sect. 3.2, step 2: the display after \"additivity of Renyi divergence [32]\"",
			Statement: "the Rényi divergence between two products of T distributions is the sum of the T divergences, for " +
				"α ∈ [0, ∞]",
			Check: additivity(false,
				"the power of a product factorizes under a product distribution; at 0, 1 and ∞ by probability, logarithm "+
					"and maximum"),
			Control: checks.Faulty(additivity(true, ""), "a second epoch that depends on the first one's output"),
		},
		{
			ID: "curricula/rdp-composition", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Sect. 3.2, step 2, last display: the divergence of all epochs is at most Σ ε′_i, for the epochs of " +
				"Algorithm 1, each of which starts at the output of the previous one",
			Statement: "if each epoch starts at the output of the previous one, the Rényi divergence of all epochs is at " +
				"most the sum over epochs of the largest divergence from any start, for α ∈ [1, ∞]",
			Check:    adaptiveBound(1),
			Control:  checks.Faulty(adaptiveBound(0.9), "0.9 of the divergence of the second epoch"),
			Formerly: []string{"curricula/renyi-additivity/corrected", "curricula/renyi-additivity/adaptive"},
		},
		{
			ID: "curricula/thm-3.1", Kind: verify.Privacy, Origin: verify.Stated, Place: "Theorem 3.1",
			Statement: "a mechanism with Rényi divergence at most ε′ at order α > 1 is (ε′ + log(1/δ)/(α−1), δ)-private " +
				"for 0 < δ < 1",
			Check: conversion(1),
			Control: verify.Control{Check: conversion(0.3), Want: checks.Refuted, Fault: "0.3 of the term " +
				"log(1/δ)/(α−1)"},
		},
	}
}

var (
	orders      = []float64{1.25, 1.5, 2, 4, 8, 16, 32}
	multipliers = []float64{0.5, 1, 1.38, 5}
)

// momentError bounds the relative error of log moments by quadrature. Their absolute error is 1e-14, and the smallest
// of them, at rate 0.01, is about 1e-6.
const momentError = 1e-6

// momentPair holds the logarithms of the two sides of an inequality between moments.
type momentPair struct {
	roles       string
	left, right float64
}

// momentInequality compares the two sides for the sampled Gaussian at rate q and the given multiplier.
func momentInequality(sides func(q, sigma, alpha float64) []momentPair, proof string) verify.Check {
	return formula.Check{
		Quantity: "log of the left moment", Sense: verify.AtMost, Proof: proof,
		Grid: formula.Grid{formula.Over("q", rate, 0.2, 1), formula.Over("multiplier", multipliers...),
			formula.Over("α", append([]float64{1}, orders...)...)},
		At: func(at []float64, add func(formula.Point)) {
			for _, s := range sides(at[0], at[1], at[2]) {
				// The absolute error of a log moment is about 1e-14, so values below 1e-12 count as 0.
				if math.Abs(s.left) < 1e-12 && math.Abs(s.right) < 1e-12 {
					s.left, s.right = 0, 0
				}
				add(formula.Point{Place: formula.Placef("%s", s.roles), Measured: s.left, Claimed: s.right, Error: momentError,
					Show: at[0] == rate && at[1] == 1})
			}
		},
	}
}

// randomLaw draws a distribution on n outcomes, none of them rare.
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

// additivity compares the divergence of the joint output of two epochs with the sum of the two divergences. If
// adaptive, the distribution of the second output depends on the first output.
func additivity(adaptive bool, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("laws")
		return formula.Check{
			Quantity: "D_α of both epochs", Sense: verify.Equals,
			Domain: "α ∈ {0, 0.5, 1, 2, 10, ∞}, 50 random pairs of distributions on 2 to 5 outcomes each", Proof: proof,
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

// settled replaces values below 1e-13, which are rounding errors, by 0: the divergence of order 0 of two distributions
// with the same support is 0.
func settled(x float64) float64 {
	if math.Abs(x) < 1e-13 {
		return 0
	}
	return x
}

// twoEpochs holds the distributions of a first output at two neighbors, and of a second output given the first.
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

// second returns the marginal distributions of the second output.
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

// adaptiveBound compares the divergence of two adaptive epochs with the divergence of the first plus share times the
// largest divergence of the second. Every tenth pair is not adaptive and attains the bound.
func adaptiveBound(share float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("laws")
		return formula.Check{
			Quantity: "D_α of both epochs", Sense: verify.AtMost,
			Domain: "α ∈ {1, 1.5, 2, 10, ∞}, 100 random pairs of distributions on 2 to 5 outcomes each",
			Proof: "given the first output, the inner sum is at most the largest moment, a constant factor of the outer " +
				"sum (Mironov 2017, Prop. 1)",
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

// conversion compares the exact least ε at δ of Gaussian mechanisms and of pairs of distributions on two outcomes with
// Theorem 3.1, whose last term it multiplies by share.
func conversion(share float64) verify.Check {
	return formula.Check{
		Quantity: "least ε at δ", Sense: verify.AtMost,
		Domain: "δ ∈ {1e-10, 1e-5, 0.01, 0.5}, α ∈ {1.25, 1.5, 2, 4, 8, 16, 32}; Gaussians of μ ∈ {0.1, 1, 5}, and two " +
			"outcomes of odds from 1 to 10⁶",
		Proof: "P(E) ≤ (e^ε′ Q(E))^((α−1)/α) by Hölder; either e^ε′Q(E) exceeds δ^(α/(α−1)), and then P(E) ≤ e^ε Q(E), " +
			"or P(E) ≤ δ (Mironov 2017, Prop. 3)",
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
