package calibration

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/privacy"
)

// accountingCases returns comparisons of the accountant with enumerated distributions and with samples, and of its
// methods with each other.
func accountingCases() []Case {
	upper := func(b accountant.Bracket) float64 { return b.Upper }
	return slices.Concat(
		[]Case{
			exactCase("upper end, against the law", true, func(r *rand.Rand) (verify.Check, error) {
				return responses(r).claim(upper)
			}),
			exactCase("below the lower end, against the law", false, func(r *rand.Rand) (verify.Check, error) {
				return responses(r).claim(func(b accountant.Bracket) float64 { return b.Lower * (1 - 1e-6) })
			}),
			exactCase("one response not accounted, against the law", false, func(r *rand.Rand) (verify.Check, error) {
				c := responses(r)
				c.events = c.events[1:]
				return c.claim(upper)
			}),
		},
		exactPair("printed ε of Gaussians", "two units off", printedGaussians),
		[]Case{
			exactCase("guarantee of a description", true, described(1, 1)),
			exactCase("guarantee of a description, at half the noise", false, described(0.5, 1)),
			exactCase("guarantee of a description, run twice as often", false, described(1, 2)),
			exactCase("lower ends ≤ upper ends of all methods", true, methodsAgree(1)),
			exactCase("lower ends ≤ upper ends, noise doubled in these", false, methodsAgree(2)),
			{Name: "sampled Gaussian, against samples", isTrue: true, check: sampledGaussian(sampledRate)},
			{Name: "sampled Gaussian run on all records, against samples", check: sampledGaussian(1)},
		})
}

// coarse is precise enough, because the tests compare only the ends of brackets.
var coarse = accountant.Options{Precision: accountant.Precision{Width: 0.01}}

// composition is a composition of binary responses, with the probabilities p and q of their joint outputs.
type composition struct {
	events []event.Event
	p, q   []float64
	delta  float64
}

// responses draws 2 to 6 responses of different ε and a δ.
func responses(r *rand.Rand) composition {
	c := composition{p: []float64{1}, q: []float64{1}, delta: logUniform(r, 1e-8, 1e-3)}
	for range between(r, 2, 6) {
		eps := logUniform(r, 0.2, 2)
		c.events = append(c.events, event.RandomizedResponse(eps, 2))
		yes, no := 1/(1+math.Exp(-eps)), 1/(1+math.Exp(eps))
		c.p, c.q = product(c.p, yes, no), product(c.q, no, yes)
	}
	return c
}

func product(masses []float64, yes, no float64) (out []float64) {
	for _, m := range masses {
		out = append(out, m*yes, m*no)
	}
	return out
}

// claim returns the claim that the joint distribution has the ε that read selects from the account of the events.
func (c composition) claim(read func(accountant.Bracket) float64) (verify.Check, error) {
	results, err := accountant.Epsilons(event.Compose(c.events...), event.ReplaceOne, c.delta, coarse)
	if err != nil {
		return nil, err
	}
	return pairClaim("all outputs", privacy.DistributionPair{Place: "all bits turned", P: c.p, Q: c.q,
		Epsilon: read(results[0].Bracket), Delta: c.delta}), nil
}

// gaussians draws a number from 1 to limit of Gaussians, their standard deviation, and a δ up to 1e-4.
func gaussians(r *rand.Rand, limit int) (n int64, sigma, delta float64) {
	return int64(between(r, 1, limit)), logUniform(r, 3, 20), logUniform(r, 1e-8, 1e-4)
}

// gaussiansEpsilon returns the exact ε of n Gaussians.
func gaussiansEpsilon(n int64, sigma, delta float64) (accountant.Bracket, error) {
	return accountant.GDP{Mu: math.Sqrt(float64(n)) / sigma}.Epsilon(delta)
}

// printedGaussians compares the exact ε of 1 to 50 Gaussians, printed with two decimals or two units off, with the
// bracket of their privacy-loss distribution.
func printedGaussians(r *rand.Rand, isTrue bool) (verify.Check, error) {
	off := 0.0
	if !isTrue {
		off = 2 * sign(r)
	}
	n, sigma, delta := gaussians(r, 50)
	exact, err := gaussiansEpsilon(n, sigma, delta)
	if err != nil {
		return nil, err
	}
	b, err := accountant.LossEpsilon(event.Repeat(n, event.Gaussian(sigma)), event.AddRemove, delta,
		accountant.Precision{Width: 1e-3})
	shown := (math.Round(exact.Estimate*100) + off) / 100
	row := formula.Bracket{Place: fmt.Sprintf("%d Gaussians", n), Reported: shown, Low: shown - 0.005, High: shown + 0.005,
		Lower: b.Lower, Estimate: b.Estimate, Upper: b.Upper}
	return formula.Brackets{Quantity: "ε", Sense: verify.Equals,
		Rows: func() ([]formula.Bracket, error) { return []formula.Bracket{row}, nil }}, err
}

// described claims the exact ε of 1 to 50 Gaussians, for a description whose noise is multiplied by a factor and that
// is run a number of times.
func described(noise float64, times int64) func(*rand.Rand) (verify.Check, error) {
	return func(r *rand.Rand) (verify.Check, error) {
		n, sigma, delta := gaussians(r, 50)
		exact, err := gaussiansEpsilon(n, sigma, delta)
		release := accounting.Release{Event: event.Repeat(times*n, event.Gaussian(sigma*noise))}
		return release.AtMost(accounting.EpsilonAt(delta), exact.Upper), err
	}
}

// methodsAgree claims that no method's lower end exceeds a method's upper end, for 1 to 30 Gaussians. The upper ends
// are for noise multiplied by a factor, so that the claim is false for a factor above 1.
func methodsAgree(factor float64) func(*rand.Rand) (verify.Check, error) {
	return func(r *rand.Rand) (verify.Check, error) {
		n, sigma, delta := gaussians(r, 30)
		account := func(sigma float64) ([]accountant.Result, error) {
			return accountant.Epsilons(event.Repeat(n, event.Gaussian(sigma)), event.AddRemove, delta, coarse)
		}
		low, err1 := account(sigma)
		high, err2 := account(sigma * factor)
		var points []formula.Point
		for _, a := range low {
			for _, b := range high {
				points = append(points, formula.Point{Place: formula.Placef("%s, %s", a.Method, b.Method), Measured: a.Lower,
					Claimed: b.Upper})
			}
		}
		return formula.Check{Quantity: "lower end", Sense: verify.AtMost, Domain: "pairs of methods",
			Points: formula.ListedPoints(points...)}, errors.Join(err1, err2)
	}
}

const (
	sampledRate  = 0.3
	sampledSigma = 0.7
	sampledAt    = 0.5 // ε
)

// sampledGaussian claims the δ of Poisson sampling at sampledRate. It tests the half-line of outputs with a privacy
// loss of at least ε, on which the claim holds with equality. The half-line begins at 1 − q + q e^{(2x−1)/2σ²} = e^ε.
// The mechanism includes the record at the given rate.
func sampledGaussian(rate float64) verify.Check {
	noise := must(mechanism.NewGaussian(sampledSigma))
	delta := must(accountant.LossDelta(event.Poisson(sampledRate, event.Gaussian(sampledSigma)), event.AddRemove,
		sampledAt, accountant.Precision{}))
	threshold := sampledSigma*sampledSigma*math.Log1p(math.Expm1(sampledAt)/sampledRate) + 0.5
	sum := releaseFunc[float64, float64](func(r *rand.Rand, record float64) (float64, error) {
		if r.Float64() >= rate {
			record = 0
		}
		return noise.Release(r, record)
	})
	return halfLines(sum, sampledAt, delta.Upper, 2, threshold, 1-threshold)
}
