package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/privacy"
)

// accountingCases hold the accountant against laws that are enumerated, against samples,
// and its methods against each other.
func accountingCases() ([]Case, error) {
	out := []Case{
		exactCase("upper end, against the law", true, func(r *rand.Rand) (verify.Check, error) {
			return responses(r).claim(func(b accountant.Bracket) float64 { return b.Upper })
		}),
		exactCase("below the lower end, against the law", false, func(r *rand.Rand) (verify.Check, error) {
			return responses(r).claim(func(b accountant.Bracket) float64 { return b.Lower * (1 - 1e-6) })
		}),
		exactCase("one response not accounted, against the law", false, func(r *rand.Rand) (verify.Check, error) {
			c := responses(r)
			c.events = c.events[1:]
			return c.claim(func(b accountant.Bracket) float64 { return b.Upper })
		}),
		exactCase("printed ε of Gaussians", true, func(r *rand.Rand) (verify.Check, error) { return printedGaussians(r, 0) }),
		exactCase("printed ε of Gaussians, two units off", false, func(r *rand.Rand) (verify.Check, error) {
			return printedGaussians(r, 2*sign(r))
		}),
		exactCase("guarantee of a description", true, func(r *rand.Rand) (verify.Check, error) { return described(r, 1, 1) }),
		exactCase("guarantee of a description, at half the noise", false, func(r *rand.Rand) (verify.Check, error) {
			return described(r, 0.5, 1)
		}),
		exactCase("guarantee of a description, run twice as often", false, func(r *rand.Rand) (verify.Check, error) {
			return described(r, 1, 2)
		}),
		exactCase("lower ends ≤ upper ends of all methods", true,
			func(r *rand.Rand) (verify.Check, error) { return methodsAgree(r, 1) }),
		exactCase("lower ends ≤ upper ends, noise doubled in these", false, func(r *rand.Rand) (verify.Check, error) {
			return methodsAgree(r, 2)
		}),
	}
	for _, c := range []struct {
		name   string
		isTrue bool
		rate   float64
	}{{"sampled Gaussian, against samples", true, sampledRate},
		{"sampled Gaussian run on all records, against samples", false, 1}} {
		check, err := sampledGaussian(c.rate)
		if err != nil {
			return nil, err
		}
		out = append(out, Case{Name: c.name, True: c.isTrue, Check: check})
	}
	return out, nil
}

// coarse is precise enough: what is tested are the ends, wherever they are.
var coarse = accountant.Options{Precision: accountant.Precision{Width: 0.01}}

func exactCase(name string, isTrue bool, build func(r *rand.Rand) (verify.Check, error)) Case {
	return Case{Name: name, True: isTrue, Exact: true,
		Check: drawn(func(r *rand.Rand, _ verify.Settings) (verify.Check, error) { return build(r) })}
}

// composition is a number of binary responses with the masses of their joint outputs.
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

// claim is that the joint law has the ε that is read from the account of the events.
func (c composition) claim(read func(accountant.Bracket) float64) (verify.Check, error) {
	results, err := accountant.Epsilons(event.Compose(c.events...), event.ReplaceOne, c.delta, coarse)
	if err != nil {
		return nil, err
	}
	return privacy.Exact{Domain: "all outputs", Pairs: func() ([]privacy.DistributionPair, error) {
		return []privacy.DistributionPair{{Place: "all bits turned", P: c.p, Q: c.q, Epsilon: read(results[0].Bracket),
				Delta: c.delta}},
			nil
	}}, nil
}

// printedGaussians prints the exact ε of 1 to 50 Gaussians with two decimals, or so many
// units off, beside the bracket of their privacy-loss distribution.
func printedGaussians(r *rand.Rand, off float64) (verify.Check, error) {
	n, sigma, delta := between(r, 1, 50), logUniform(r, 3, 20), logUniform(r, 1e-8, 1e-4)
	exact, err := accountant.GDP{Mu: math.Sqrt(float64(n)) / sigma}.Epsilon(delta)
	if err != nil {
		return nil, err
	}
	b, err := accountant.LossEpsilon(event.Repeat(int64(n), event.Gaussian(sigma)), event.AddRemove, delta,
		accountant.Precision{Width: 1e-3})
	if err != nil {
		return nil, err
	}
	shown := (math.Round(exact.Estimate*100) + off) / 100
	row := formula.Bracket{Place: fmt.Sprintf("%d Gaussians", n), Reported: shown, Low: shown - 0.005, High: shown + 0.005,
		Lower: b.Lower, Estimate: b.Estimate, Upper: b.Upper}
	return formula.Brackets{Quantity: "ε", Sense: verify.Equals,
		Rows: func() ([]formula.Bracket, error) { return []formula.Bracket{row}, nil }}, nil
}

// described claims the exact ε of 1 to 50 Gaussians, or of as many with other noise and so many
// times.
func described(r *rand.Rand, noise float64, times int64) (verify.Check, error) {
	n, sigma, delta := between(r, 1, 50), logUniform(r, 3, 20), logUniform(r, 1e-8, 1e-4)
	exact, err := accountant.GDP{Mu: math.Sqrt(float64(n)) / sigma}.Epsilon(delta)
	release := accounting.Release{Event: event.Repeat(times*int64(n), event.Gaussian(sigma*noise))}
	return release.AtMost(accounting.EpsilonAt(delta), exact.Upper), err
}

// methodsAgree accounts 1 to 30 Gaussians by every method: no lower end of one exceeds an
// upper end of another, unless those are of Gaussians with noise times a factor.
func methodsAgree(r *rand.Rand, factor float64) (verify.Check, error) {
	n, sigma, delta := int64(between(r, 1, 30)), logUniform(r, 3, 20), logUniform(r, 1e-8, 1e-4)
	account := func(sigma float64) ([]accountant.Result, error) {
		return accountant.Epsilons(event.Repeat(n, event.Gaussian(sigma)), event.AddRemove, delta, coarse)
	}
	low, err := account(sigma)
	if err != nil {
		return nil, err
	}
	high, err := account(sigma * factor)
	if err != nil {
		return nil, err
	}
	var points []formula.Point
	for _, a := range low {
		for _, b := range high {
			points = append(points, formula.Point{Place: formula.Placef("%s, %s", a.Method, b.Method), Measured: a.Lower,
				Claimed: b.Upper})
		}
	}
	return formula.Check{Quantity: "lower end", Sense: verify.AtMost, Domain: "pairs of methods",
		Points: formula.ListedPoints(points...)}, nil
}

const (
	sampledRate  = 0.3
	sampledSigma = 0.7
	sampledAt    = 0.5 // ε
)

// sampledGaussian claims the δ of Poisson sampling at sampledRate and tests the half-line
// from where the privacy loss is ε on, on which the claim is met with equality:
// 1 − q + q e^{(2x−1)/2σ²} = e^ε. The mechanism includes the record at the given rate.
func sampledGaussian(rate float64) (verify.Check, error) {
	noise, err := mechanism.NewGaussian(sampledSigma)
	if err != nil {
		return nil, err
	}
	delta, err := accountant.LossDelta(event.Poisson(sampledRate, event.Gaussian(sampledSigma)), event.AddRemove,
		sampledAt, accountant.Precision{})
	if err != nil {
		return nil, err
	}
	threshold := sampledSigma*sampledSigma*math.Log1p(math.Expm1(sampledAt)/sampledRate) + 0.5
	sum := releaseFunc[float64, float64](func(r *rand.Rand, record float64) (float64, error) {
		if r.Float64() >= rate {
			record = 0
		}
		return noise.Release(r, record)
	})
	return halfLines(sum, sampledAt, delta.Upper, 2, threshold, 1-threshold), nil
}
