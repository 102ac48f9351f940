// Package along has audits along whole privacy curves: claims that are curves, and bands that bound them.
package along

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Row is a check on a claim of known truth.
type Row struct {
	Name  string
	True  bool
	Check verify.Check
}

// subject is a mechanism at the inputs 0 and 1 with its privacy curve, the larger δ of both orders.
type subject struct {
	release func(r *rand.Rand, input int) (any, error)
	delta   func(epsilon float64) float64
	ends    float64 // the largest ε of interest
}

func (s subject) Release(r *rand.Rand, input int) (any, error) { return s.release(r, input) }

// curve is the claim of the exact curve at some ε, all of them where it has corners.
func (s subject) curve() privacy.Guarantee {
	var points confidence.Lines
	const intervals = 24
	for i := range intervals + 1 {
		epsilon := s.ends * float64(i) / intervals
		points = append(points, confidence.Line{Epsilon: epsilon, Delta: math.Min(1, s.delta(epsilon)*(1+1e-12))})
	}
	return privacy.CurveDP(points...)
}

func (s subject) audit(g privacy.Guarantee, samples int64, anytime, band bool) privacy.Audit[int, any] {
	return privacy.Audit[int, any]{Mechanism: s, Pairs: []neighbours.Pair[int]{{Name: "0 and 1", A: 0, B: 1}},
		Guarantee: g,
		Samples:   samples, Anytime: anytime, Band: band}
}

// gaussian noise of deviation 1/μ on the input.
func gaussian(mu float64) subject {
	return subject{func(r *rand.Rand, input int) (any, error) { return mu*float64(input) + rng.Normal(r), nil },
		privacy.GaussianDP(mu).HockeyStick, 5 * mu}
}

// laplace noise of scale 1/ε₀: δ(ε) = 1 − e^((ε−ε₀)/2), and 0 from ε₀ on.
func laplace(full float64) (subject, error) {
	m, err := mechanism.NewLaplace(1 / full)
	return subject{func(r *rand.Rand, input int) (any, error) { return m.Release(r, float64(input)) },
		func(epsilon float64) float64 { return math.Max(0, -math.Expm1((epsilon-full)/2)) }, full}, err
}

// response of three words at ε₀, with ties and corners: δ(ε) = (e^ε₀ − e^ε)/(2 + e^ε₀).
func response(full float64) (subject, error) {
	m, err := mechanism.NewKaryResponse(3, full)
	return subject{func(r *rand.Rand, input int) (any, error) {
		o, err := m.Release(r, input)
		return fmt.Sprintf("word %d", o), err
	}, func(epsilon float64) float64 {
		return math.Max(0, (math.Exp(full)-math.Exp(epsilon))/(2+math.Exp(full)))
	}, full}, err
}

// mark shows its input with probability δ and is public else: δ(ε) = δ at every ε.
func mark(delta float64) subject {
	return subject{func(r *rand.Rand, input int) (any, error) {
		x := rng.Normal(r)
		if r.Float64() < delta {
			x = 10 + float64(input)
		}
		return x, nil
	}, func(float64) float64 { return delta }, 1}
}

// equal outputs.
func equal() subject {
	return subject{func(*rand.Rand, int) (any, error) { return 7.0, nil }, func(float64) float64 { return 0 }, 1}
}

const (
	samples = 1000 // of each input
	betting = 320
	few     = 60
)

// Claims are curves at the truth, and below it.
func Claims() ([]Row, error) {
	lap, err1 := laplace(1)
	double, err2 := laplace(2)
	words, err3 := response(1)
	louder, err4 := response(2)
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			return nil, err
		}
	}
	normal := gaussian(1)
	jump := privacy.CurveDP(confidence.Line{Epsilon: 0, Delta: 0.25}, confidence.Line{Epsilon: 0.2, Delta: 0.2})
	return []Row{
		{"Gaussian at its curve", true, normal.audit(normal.curve(), samples, false, false)},
		{"Laplace at its curve", true, lap.audit(lap.curve(), samples, false, false)},
		{"a word of three at its curve", true, words.audit(words.curve(), samples, false, false)},
		{"the input shown with probability δ, at a curve with a jump to it", true, mark(0.2).audit(jump, samples, false,
			false)},
		{"Gaussian at the curve of half μ", false, normal.audit(gaussian(0.5).curve(), samples, false, false)},
		{"Laplace at the curve of half ε", false, double.audit(lap.curve(), samples, false, false)},
		{"a word of three at the curve of half ε", false, louder.audit(words.curve(), samples, false, false)},
		{"Gaussian at its curve, betting", true, normal.audit(normal.curve(), betting, true, false)},
		{"a word of three at its curve, betting", true, words.audit(words.curve(), betting, true, false)},
		{"Gaussian at the curve of half μ, betting", false, normal.audit(gaussian(0.5).curve(), betting, true, false)},
		{"Gaussian at its curve, few samples", true, normal.audit(normal.curve(), few, true, false)},
		{"equal outputs, no loss, few samples", true, equal().audit(privacy.ApproximateDP(0, 0), few, true, false)},
		{"a Gaussian at eight times μ, few samples", false, gaussian(8).audit(normal.curve(), few, true, false)},
	}, nil
}

// Bands are refuted where they are above the curve, or below the trade-off function, anywhere.
func Bands() ([]Row, error) {
	lap, err1 := laplace(1)
	words, err2 := response(1)
	for _, err := range []error{err1, err2} {
		if err != nil {
			return nil, err
		}
	}
	var out []Row
	for _, c := range []struct {
		name string
		subject
	}{{"Gaussian", gaussian(1)}, {"Laplace", lap}, {"a word of three", words},
		{"the input shown with probability δ", mark(0.2)}, {"equal outputs", equal()}} {
		out = append(out, Row{c.name, true, banded{c.subject, privacy.ApproximateDP(c.ends, 0), 1}})
	}
	return append(out,
		Row{"Gaussian, held against the curve of half μ", false, banded{subject{gaussian(1).release, gaussian(0.5).delta,
			2.5},
			privacy.GaussianDP(1), 1}}), nil
}
