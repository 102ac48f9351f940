package calibration

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// curveSubject is a mechanism at the inputs 0 and 1 with its privacy curve, the larger δ(ε) of both directions.
type curveSubject struct {
	release func(r *rand.Rand, input int) (any, error)
	delta   func(epsilon float64) float64
	end     float64 // the largest ε of interest
}

func (s curveSubject) Release(r *rand.Rand, input int) (any, error) { return s.release(r, input) }

// curve returns the claim of the exact curve at 25 values of ε from 0 to s.end.
func (s curveSubject) curve() privacy.Guarantee {
	var points confidence.Lines
	const intervals = 24
	for i := range intervals + 1 {
		epsilon := s.end * float64(i) / intervals
		points = append(points, confidence.Line{Epsilon: epsilon, Delta: math.Min(1, s.delta(epsilon)*(1+1e-12))})
	}
	return privacy.CurveDP(points...)
}

func (s curveSubject) audit(g privacy.Guarantee, samples int64, anytime, band bool) privacy.Audit[int, any] {
	return privacy.Audit[int, any]{Mechanism: s, Pairs: []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}},
		Guarantee: g, Samples: samples, Anytime: anytime, Band: band}
}

// gaussianCurve returns the subject with Gaussian noise of standard deviation 1/μ on the input, up to scale.
func gaussianCurve(mu float64) curveSubject {
	return curveSubject{func(r *rand.Rand, input int) (any, error) { return mu*float64(input) + rng.Normal(r), nil },
		privacy.GaussianDP(mu).HockeyStick, 5 * mu}
}

// laplaceCurve returns the subject with Laplace noise of scale 1/ε₀, with δ(ε) = 1 − e^((ε−ε₀)/2) for ε < ε₀ = full,
// and 0 above.
func laplaceCurve(full float64) curveSubject {
	m := must(mechanism.NewLaplace(1 / full))
	return curveSubject{func(r *rand.Rand, input int) (any, error) { return m.Release(r, float64(input)) },
		func(epsilon float64) float64 { return math.Max(0, -math.Expm1((epsilon-full)/2)) }, full}
}

// responseCurve returns the subject with randomized response with three words at ε₀ = full, with δ(ε) = (e^ε₀ −
// e^ε)/(2 + e^ε₀).
func responseCurve(full float64) curveSubject {
	m := must(mechanism.NewKaryResponse(3, full))
	return curveSubject{func(r *rand.Rand, input int) (any, error) {
		o, err := m.Release(r, input)
		return fmt.Sprintf("word %d", o), err
	}, func(epsilon float64) float64 {
		return math.Max(0, (math.Exp(full)-math.Exp(epsilon))/(2+math.Exp(full)))
	}, full}
}

// markCurve reveals its input with probability δ, and otherwise nothing. δ(ε) = δ at every ε.
func markCurve(delta float64) curveSubject {
	return curveSubject{func(r *rand.Rand, input int) (any, error) {
		x := rng.Normal(r)
		if r.Float64() < delta {
			x = 10 + float64(input)
		}
		return x, nil
	}, func(float64) float64 { return delta }, 1}
}

// equalOutputs releases a constant.
func equalOutputs() curveSubject {
	return curveSubject{func(*rand.Rand, int) (any, error) { return 7.0, nil }, func(float64) float64 { return 0 }, 1}
}

const (
	curveSamples   = 1000 // of each input
	bettingSamples = 320
	fewSamples     = 60
)

// curveCases returns claims of privacy curves, at the true curve and below it.
func curveCases() []Case {
	normal, half, lap, words := gaussianCurve(1), gaussianCurve(0.5), laplaceCurve(1), responseCurve(1)
	jump := privacy.CurveDP(confidence.Line{Epsilon: 0, Delta: 0.25}, confidence.Line{Epsilon: 0.2, Delta: 0.2})
	fixed := func(name string, isTrue bool, s curveSubject, claim privacy.Guarantee) Case {
		return Case{Name: name, isTrue: isTrue, check: s.audit(claim, curveSamples, false, false)}
	}
	betting := func(name string, isTrue bool, samples int64, s curveSubject, claim privacy.Guarantee) Case {
		return Case{Name: name, isTrue: isTrue, check: s.audit(claim, samples, true, false)}
	}
	return []Case{
		fixed("Gaussian at its curve", true, normal, normal.curve()),
		fixed("Laplace at its curve", true, lap, lap.curve()),
		fixed("a word of three at its curve", true, words, words.curve()),
		fixed("the input shown with probability δ, at a curve with a jump to it", true, markCurve(0.2), jump),
		fixed("Gaussian at the curve of half μ", false, normal, half.curve()),
		fixed("Laplace at the curve of half ε", false, laplaceCurve(2), lap.curve()),
		fixed("a word of three at the curve of half ε", false, responseCurve(2), words.curve()),
		betting("Gaussian at its curve, betting", true, bettingSamples, normal, normal.curve()),
		betting("a word of three at its curve, betting", true, bettingSamples, words, words.curve()),
		betting("Gaussian at the curve of half μ, betting", false, bettingSamples, normal, half.curve()),
		betting("Gaussian at its curve, few samples", true, fewSamples, normal, normal.curve()),
		betting("equal outputs, no loss, few samples", true, fewSamples, equalOutputs(), privacy.ApproximateDP(0, 0)),
		betting("a Gaussian at eight times μ, few samples", false, fewSamples, gaussianCurve(8), normal.curve()),
	}
}

// bandCases returns confidence bands of known curves. A band is counted as refuted if its lower bound is above the
// privacy curve, or its upper bound is below the trade-off function, at any point.
func bandCases() []Case {
	band := func(name string, s curveSubject) Case {
		return Case{Name: name, isTrue: true, check: bandAudit{s, privacy.ApproximateDP(s.end, 0)}}
	}
	half := curveSubject{gaussianCurve(1).release, gaussianCurve(0.5).delta, 2.5}
	return []Case{
		band("Gaussian", gaussianCurve(1)), band("Laplace", laplaceCurve(1)), band("a word of three", responseCurve(1)),
		band("the input shown with probability δ", markCurve(0.2)), band("equal outputs", equalOutputs()),
		{Name: "Gaussian, held against the curve of half μ", check: bandAudit{half, privacy.GaussianDP(1)}},
	}
}

// bandAudit is an audit that computes the band of a subject.
type bandAudit struct {
	curveSubject
	claim privacy.Guarantee
}

func (b bandAudit) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	t, err := b.audit(b.claim, curveSamples, false, true).Prepare(ctx, s)
	return bandTrial{t, b.curveSubject}, err
}

type bandTrial struct {
	verify.Trial
	curveSubject
}

// Judge returns Refuted if the band is false at any point, and Inconclusive otherwise.
func (t bandTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	e, err := t.Trial.Judge(merged)
	if err != nil {
		return e, err
	}
	out := verify.Evidence{Verdict: verify.Inconclusive, Quantity: "points of a band", Samples: e.Samples}
	for _, p := range e.Band.Delta {
		if p.Certified > t.delta(p.At)+1e-9 {
			out.Verdict = verify.Refuted
		}
	}
	for _, p := range e.Band.TradeOff {
		if p.Certified < t.tradeOff(p.At)-1e-9 {
			out.Verdict = verify.Refuted
		}
	}
	return out, nil
}

// tradeOff returns a lower bound on the trade-off function of the subject, from its curve on a grid of ε.
func (s curveSubject) tradeOff(alpha float64) float64 {
	largest := 0.0
	for i := range 400 {
		epsilon := s.end * float64(i) / 399
		t, d := math.Exp(epsilon), s.delta(epsilon)
		largest = math.Max(largest, math.Max(1-d-t*alpha, (1-d-alpha)/t))
	}
	return largest
}
