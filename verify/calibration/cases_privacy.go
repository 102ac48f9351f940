package calibration

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// auditCases returns audits with a fixed number of samples.
func auditCases() []Case {
	laplace, half := must(mechanism.NewLaplace(1)), must(broken.NewHalfScaleLaplace(1, 1))
	gauss := must(mechanism.NewGaussian(1))
	return append(searched(false),
		Case{Name: "scalar, known density", isTrue: true, check: knownDensity(laplace)},
		Case{Name: "scalar, known density at twice ε", check: knownDensity(half)},
		Case{Name: "scalar, recorded", isTrue: true, check: drawn(recorded(laplace, 1, auditSamples))},
		Case{Name: "scalar, recorded at twice ε", check: drawn(recorded(half, 1, auditSamples))},
		audited("scalar, μ-GDP", true, gauss, zeroAndOne, privacy.GaussianDP(1), false),
		audited("scalar, μ-GDP at half μ", false, gauss, zeroAndOne, privacy.GaussianDP(0.5), false),
		audited("scalar, ρ-zCDP", true, gauss, zeroAndOne, privacy.ZeroConcentratedDP(0.5), false),
		audited("scalar, ρ-zCDP at a ninth", false, gauss, zeroAndOne, privacy.ZeroConcentratedDP(0.5/9), false),
	)
}

// anytimeCases returns sequential audits, which stop when the evidence suffices.
func anytimeCases() []Case { return searched(true) }

// searched returns audits of scalar, vector and discrete outputs that search for a distinguishing event.
func searched(anytime bool) []Case {
	vector := []inputs.Pair[[]float64]{
		{Name: "first 0 and 1", A: fill(3, 0), B: withFirst(fill(3, 0), 1)},
		{Name: "first 5 and 4", A: withFirst(fill(3, 0), 5), B: withFirst(fill(3, 0), 4)},
	}
	symbols := []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}, {Name: "1 and 2", A: 1, B: 2}}
	pure := privacy.ApproximateDP(1, 0)
	return []Case{
		audited("scalar", true, must(mechanism.NewLaplace(1)), zeroAndOne, pure, anytime),
		audited("scalar at twice ε", false, must(broken.NewHalfScaleLaplace(1, 1)), zeroAndOne, pure, anytime),
		audited("vector", true, must(mechanism.NewNoisyHistogram(1)), vector, pure, anytime),
		audited("vector at twice ε", false, must(mechanism.NewNoisyHistogram(0.5)), vector, pure, anytime),
		audited("discrete", true, must(mechanism.NewKaryResponse(3, 1)), symbols, pure, anytime),
		audited("discrete at twice ε", false, must(mechanism.NewKaryResponse(3, 2)), symbols, pure, anytime),
	}
}

const (
	auditSamples   = 2000 // of each input, for search and certification
	anytimeSamples = 800  // maximum of a sequential test
)

var zeroAndOne = []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}}

func audited[D, O any](name string, isTrue bool, m verify.Mechanism[D, O], pairs []inputs.Pair[D],
	g privacy.Guarantee, anytime bool) Case {
	samples := int64(auditSamples)
	if anytime {
		samples = anytimeSamples
	}
	return Case{Name: name, isTrue: isTrue,
		check: privacy.Audit[D, O]{Mechanism: m, Pairs: pairs, Guarantee: g, Samples: samples, Anytime: anytime}}
}

// knownDensity returns an audit whose search uses the exact log likelihood.
func knownDensity(m *mechanism.Laplace) verify.Check {
	a := untypedAudit(m, zeroAndOne, privacy.ApproximateDP(1, 0), auditSamples)
	a.LogLikelihood = func(input any, o float64) float64 { return m.LogDensity(input.(float64), o) }
	return a
}

// recorded returns an audit of recorded outputs at the inputs 0 and 1.
func recorded(m verify.Mechanism[float64, float64], eps float64, samples int) func(*rand.Rand) (verify.Check, error) {
	return func(r *rand.Rand) (verify.Check, error) {
		a := privacy.RecordedAudit{A: outputs.Recording{Name: "0"}, B: outputs.Recording{Name: "1"},
			Guarantee: privacy.ApproximateDP(eps, 0)}
		for input, out := range []*outputs.Recording{&a.A, &a.B} {
			for range samples {
				o, err := m.Release(r, float64(input))
				if err != nil {
					return nil, err
				}
				out.Outputs = append(out.Outputs, o)
			}
		}
		return a, nil
	}
}

// precisionCases returns comparisons of the low-order bits with the guarantee over the reals, which the sound
// mechanism attains. The faulty mechanism is well within it, because the check draws no conclusion about the bits if
// the outputs already differ by that much over the reals.
func precisionCases() []Case {
	const samples = 8000
	probe := func(m verify.Mechanism[float64, float64], eps float64) verify.Check {
		return privacy.FloatingPoint[float64, float64]{Mechanism: m, Pairs: zeroAndOne,
			Guarantee: privacy.ApproximateDP(eps, 0), Samples: samples}
	}
	recordedProbe := func(m verify.Mechanism[float64, float64], eps float64) verify.Check {
		return drawn(func(r *rand.Rand) (verify.Check, error) {
			a, err := recorded(m, eps, samples)(r)
			if err != nil {
				return nil, err
			}
			return privacy.RecordedPrecision(a.(privacy.RecordedAudit)), nil
		})
	}
	grid, naive := must(mechanism.NewGridLaplace(1, 0x1p-20)), must(broken.NewNaiveLaplace(0.1, 1))
	return []Case{
		{Name: "Laplace on a grid of 2⁻²⁰", isTrue: true, check: probe(grid, 1)},
		{Name: "textbook Laplace in double precision", check: probe(naive, 0.3)},
		{Name: "Laplace on a grid of 2⁻²⁰, recorded", isTrue: true, check: recordedProbe(grid, 1)},
		{Name: "textbook Laplace in double precision, recorded", check: recordedProbe(naive, 0.3)},
	}
}

// eventCases returns tests of claims on half-lines. For Laplace noise they begin at the larger input, and for the
// Gaussian at the output whose privacy loss is ε.
func eventCases() []Case {
	delta := must(accountant.GDP{Mu: 1}.Delta(1)).Upper
	pure := func(m verify.Mechanism[float64, float64]) verify.Check {
		return halfLines(m, 1, 0, laplaceEffect, 1, 0)
	}
	approximate := func(sigma float64) verify.Check {
		return halfLines(must(mechanism.NewGaussian(sigma)), 1, delta, 2, 1.5, -0.5)
	}
	return []Case{
		{Name: "ε", isTrue: true, check: pure(must(mechanism.NewLaplace(1)))},
		{Name: "ε, 1.5 times as large: the effect", check: pure(must(mechanism.NewLaplace(1 / laplaceEffect)))},
		{Name: "ε, twice as large", check: pure(must(broken.NewHalfScaleLaplace(1, 1)))},
		{Name: "(ε, δ)", isTrue: true, check: approximate(1)},
		{Name: "(ε, δ), noise of half the deviation", check: approximate(0.5)},
	}
}

// laplaceEffect is the factor in ε that the check of given events is planned to detect.
const laplaceEffect = 1.5

// halfLines returns a check of the events output ≥ above and output ≤ below, at the inputs 1 and 0.
func halfLines(m verify.Mechanism[float64, float64], eps, delta, effect, above, below float64) verify.Check {
	return privacy.Sampled[float64, float64]{
		Samples: 8000, Effect: effect,
		Cells: []privacy.Cell[float64, float64]{{
			Place: "0 and 1", Mechanism: m, A: 1, B: 0, Epsilon: eps, Delta: delta,
			Events: []privacy.Event[float64]{
				{Name: "large", Holds: func(o float64) bool { return o >= above }},
				{Name: "small", Holds: func(o float64) bool { return o <= below }},
			},
		}},
	}
}

// pairClaim returns a claim about one pair of distributions.
func pairClaim(domain string, pair privacy.DistributionPair) verify.Check {
	return privacy.Exact{Domain: domain, Pairs: func() ([]privacy.DistributionPair, error) {
		return []privacy.DistributionPair{pair}, nil
	}}
}

// lawCases returns cases with a privacy loss in closed form: ε of k-ary randomized response, and δ(ε) of binary
// randomized response.
func lawCases() []Case {
	lowered := func(name string, claim func(r *rand.Rand, fault float64) (k int, full, eps, delta float64)) []Case {
		return exactPair(name, "lowered", func(r *rand.Rand, isTrue bool) (verify.Check, error) {
			fault := 0.0
			if !isTrue {
				fault = logUniform(r, 1e-9, 1e-2)
			}
			k, full, eps, delta := claim(r, fault)
			m, err := mechanism.NewKaryResponse(k, full)
			if err != nil {
				return nil, err
			}
			return pairClaim("one pair", privacy.DistributionPair{Place: "0 and 1", P: m.Distribution(0), Q: m.Distribution(1),
				Epsilon: eps, Delta: delta}), nil
		})
	}
	return append(
		lowered("ε of k-ary response", func(r *rand.Rand, fault float64) (int, float64, float64, float64) {
			full, k := logUniform(r, 0.01, 10), between(r, 2, 50)
			// the check tolerates 2e-12, absolute for ε < 1
			return k, full, full - fault*math.Min(1, full), 0
		}),
		// A point of δ(ε) = (e^ε₀ − e^ε)/(1 + e^ε₀), with δ lowered by a relative fault. The lower δ raises the true
		// ε by fault·(e^{ε₀−ε} − 1), which is at least fault/10.
		lowered("δ(ε) of binary response", func(r *rand.Rand, fault float64) (int, float64, float64, float64) {
			full := logUniform(r, 0.2, 8)
			eps := full * (0.05 + 0.4*r.Float64())
			delta := math.Expm1(full-eps) * math.Exp(eps-full) / (1 + math.Exp(-full))
			return 2, full, eps, delta * (1 - fault)
		})...)
}
