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

// curveCases are claims that are curves, bandCases bands of the truth.
func curveCases() ([]Case, error) { return casesOf(curveClaimRows()) }
func bandCases() ([]Case, error)  { return casesOf(bandRows()) }

func casesOf(rows []curveRow, err error) (out []Case, _ error) {
	for _, row := range rows {
		out = append(out, Case{Name: row.Name, True: row.True, Check: row.Check})
	}
	return out, err
}

// curveRow is a check on a claim of known truth.
type curveRow struct {
	Name  string
	True  bool
	Check verify.Check
}

// curveSubject is a mechanism at the inputs 0 and 1 with its privacy curve, the larger δ of both orders.
type curveSubject struct {
	release func(r *rand.Rand, input int) (any, error)
	delta   func(epsilon float64) float64
	ends    float64 // the largest ε of interest
}

func (s curveSubject) Release(r *rand.Rand, input int) (any, error) { return s.release(r, input) }

// curve is the claim of the exact curve at some ε, all of them where it has corners.
func (s curveSubject) curve() privacy.Guarantee {
	var points confidence.Lines
	const intervals = 24
	for i := range intervals + 1 {
		epsilon := s.ends * float64(i) / intervals
		points = append(points, confidence.Line{Epsilon: epsilon, Delta: math.Min(1, s.delta(epsilon)*(1+1e-12))})
	}
	return privacy.CurveDP(points...)
}

func (s curveSubject) audit(g privacy.Guarantee, samples int64, anytime, band bool) privacy.Audit[int, any] {
	return privacy.Audit[int, any]{Mechanism: s, Pairs: []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}},
		Guarantee: g,
		Samples:   samples, Anytime: anytime, Band: band}
}

// gaussianCurve is Gaussian noise of deviation 1/μ on the input.
func gaussianCurve(mu float64) curveSubject {
	return curveSubject{func(r *rand.Rand, input int) (any, error) { return mu*float64(input) + rng.Normal(r), nil },
		privacy.GaussianDP(mu).HockeyStick, 5 * mu}
}

// laplaceCurve is Laplace noise of scale 1/ε₀: δ(ε) = 1 − e^((ε−ε₀)/2), and 0 from ε₀ on.
func laplaceCurve(full float64) (curveSubject, error) {
	m, err := mechanism.NewLaplace(1 / full)
	return curveSubject{func(r *rand.Rand, input int) (any, error) { return m.Release(r, float64(input)) },
		func(epsilon float64) float64 { return math.Max(0, -math.Expm1((epsilon-full)/2)) }, full}, err
}

// responseCurve is a response of three words at ε₀, with ties and corners: δ(ε) = (e^ε₀ − e^ε)/(2 + e^ε₀).
func responseCurve(full float64) (curveSubject, error) {
	m, err := mechanism.NewKaryResponse(3, full)
	return curveSubject{func(r *rand.Rand, input int) (any, error) {
		o, err := m.Release(r, input)
		return fmt.Sprintf("word %d", o), err
	}, func(epsilon float64) float64 {
		return math.Max(0, (math.Exp(full)-math.Exp(epsilon))/(2+math.Exp(full)))
	}, full}, err
}

// markCurve shows its input with probability δ and is public else: δ(ε) = δ at every ε.
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

// curveClaimRows are curves at the truth, and below it.
func curveClaimRows() ([]curveRow, error) {
	lap, err1 := laplaceCurve(1)
	double, err2 := laplaceCurve(2)
	words, err3 := responseCurve(1)
	louder, err4 := responseCurve(2)
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			return nil, err
		}
	}
	normal := gaussianCurve(1)
	jump := privacy.CurveDP(confidence.Line{Epsilon: 0, Delta: 0.25}, confidence.Line{Epsilon: 0.2, Delta: 0.2})
	return []curveRow{
		{"Gaussian at its curve", true, normal.audit(normal.curve(), curveSamples, false, false)},
		{"Laplace at its curve", true, lap.audit(lap.curve(), curveSamples, false, false)},
		{"a word of three at its curve", true, words.audit(words.curve(), curveSamples, false, false)},
		{"the input shown with probability δ, at a curve with a jump to it", true, markCurve(0.2).audit(jump, curveSamples,
			false,
			false)},
		{"Gaussian at the curve of half μ", false, normal.audit(gaussianCurve(0.5).curve(), curveSamples, false, false)},
		{"Laplace at the curve of half ε", false, double.audit(lap.curve(), curveSamples, false, false)},
		{"a word of three at the curve of half ε", false, louder.audit(words.curve(), curveSamples, false, false)},
		{"Gaussian at its curve, betting", true, normal.audit(normal.curve(), bettingSamples, true, false)},
		{"a word of three at its curve, betting", true, words.audit(words.curve(), bettingSamples, true, false)},
		{"Gaussian at the curve of half μ, betting", false, normal.audit(gaussianCurve(0.5).curve(), bettingSamples, true,
			false)},
		{"Gaussian at its curve, few samples", true, normal.audit(normal.curve(), fewSamples, true, false)},
		{"equal outputs, no loss, few samples", true, equalOutputs().audit(privacy.ApproximateDP(0, 0), fewSamples, true,
			false)},
		{"a Gaussian at eight times μ, few samples", false, gaussianCurve(8).audit(normal.curve(), fewSamples, true, false)},
	}, nil
}

// bandRows are refuted where they are above the curve, or below the trade-off function, anywhere.
func bandRows() ([]curveRow, error) {
	lap, err1 := laplaceCurve(1)
	words, err2 := responseCurve(1)
	for _, err := range []error{err1, err2} {
		if err != nil {
			return nil, err
		}
	}
	var out []curveRow
	for _, c := range []struct {
		name string
		curveSubject
	}{{"Gaussian", gaussianCurve(1)}, {"Laplace", lap}, {"a word of three", words},
		{"the input shown with probability δ", markCurve(0.2)}, {"equal outputs", equalOutputs()}} {
		out = append(out, curveRow{c.name, true, bandAudit{c.curveSubject, privacy.ApproximateDP(c.ends, 0), 1}})
	}
	return append(out,
		curveRow{"Gaussian, held against the curve of half μ", false, bandAudit{curveSubject{gaussianCurve(1).release,
			gaussianCurve(0.5).delta,
			2.5},
			privacy.GaussianDP(1), 1}}), nil
}

// bandAudit audits a subject for its band, with an error that is the settings' times a factor: 1, or a fault.
type bandAudit struct {
	curveSubject
	claim  privacy.Guarantee
	factor float64
}

func (b bandAudit) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	s.Alpha *= b.factor
	t, err := b.audit(b.claim, curveSamples, false, true).Prepare(ctx, s)
	return bandTrial{t, b.curveSubject}, err
}

type bandTrial struct {
	verify.Trial
	curveSubject
}

// Judge refutes a band that is false at some place; there is no other claim.
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

// tradeOff is the trade-off function of the subject's curve, on a grid of ε, from below.
func (s curveSubject) tradeOff(alpha float64) float64 {
	least := 0.0
	for i := range 400 {
		epsilon := s.ends * float64(i) / 399
		t, d := math.Exp(epsilon), s.delta(epsilon)
		least = math.Max(least, math.Max(1-d-t*alpha, (1-d-alpha)/t))
	}
	return least
}
