package calibration

import (
	"fmt"
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

// auditCases are audits of fixed sample size.
func auditCases() ([]Case, error) {
	out, err := searched(false)
	if err != nil {
		return nil, err
	}
	laplace, err1 := mechanism.NewLaplace(1)
	half, err2 := broken.NewHalfScaleLaplace(1, 1)
	gauss, err3 := mechanism.NewGaussian(1)
	for _, err := range []error{err1, err2, err3} {
		if err != nil {
			return nil, err
		}
	}
	pure := privacy.ApproximateDP(1, 0)
	fromRecords := func(m verify.Mechanism[float64, float64]) verify.Check {
		return drawn(func(r *rand.Rand, _ verify.Settings) (verify.Check,
			error) {
			return recorded(r, m, pure, auditSamples)
		})
	}
	return append(out,
		Case{Name: "scalar, known density", True: true, Check: knownDensity(laplace)},
		Case{Name: "scalar, known density at twice ε", True: false, Check: knownDensity(half)},
		Case{Name: "scalar, recorded", True: true, Check: fromRecords(laplace)},
		Case{Name: "scalar, recorded at twice ε", True: false, Check: fromRecords(half)},
		audited("scalar, μ-GDP", true, gauss, zeroAndOne, privacy.GaussianDP(1), false),
		audited("scalar, μ-GDP at half μ", false, gauss, zeroAndOne, privacy.GaussianDP(0.5), false),
		audited("scalar, ρ-zCDP", true, gauss, zeroAndOne, privacy.ZeroConcentratedDP(0.5), false),
		audited("scalar, ρ-zCDP at a ninth", false, gauss, zeroAndOne, privacy.ZeroConcentratedDP(0.5/9), false),
	), nil
}

// anytimeCases stop when the evidence suffices.
func anytimeCases() ([]Case, error) { return searched(true) }

// searched are audits of scalar, vector and discrete outputs, with adaptive witnesses.
func searched(anytime bool) ([]Case, error) {
	laplace, err1 := mechanism.NewLaplace(1)
	half, err2 := broken.NewHalfScaleLaplace(1, 1)
	histogram, err3 := mechanism.NewNoisyHistogram(1)
	inverted, err4 := mechanism.NewNoisyHistogram(0.5)
	response, err5 := mechanism.NewKaryResponse(3, 1)
	doubled, err6 := mechanism.NewKaryResponse(3, 2)
	for _, err := range []error{err1, err2, err3, err4, err5, err6} {
		if err != nil {
			return nil, err
		}
	}
	vector := []inputs.Pair[[]float64]{
		{Name: "first 0 and 1", A: fill(3, 0), B: withFirst(fill(3, 0), 1)},
		{Name: "first 5 and 4", A: withFirst(fill(3, 0), 5), B: withFirst(fill(3, 0), 4)},
	}
	symbols := []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}, {Name: "1 and 2", A: 1, B: 2}}
	pure := privacy.ApproximateDP(1, 0)
	return []Case{
		audited("scalar", true, laplace, zeroAndOne, pure, anytime),
		audited("scalar at twice ε", false, half, zeroAndOne, pure, anytime),
		audited("vector", true, histogram, vector, pure, anytime),
		audited("vector at twice ε", false, inverted, vector, pure, anytime),
		audited("discrete", true, response, symbols, pure, anytime),
		audited("discrete at twice ε", false, doubled, symbols, pure, anytime),
	}, nil
}

const (
	auditSamples   = 2000 // of each input, for search and certificate
	anytimeSamples = 800  // of which a bet takes as many as it needs
)

var zeroAndOne = []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}}

func audited[D, O any](name string, isTrue bool, m verify.Mechanism[D, O], pairs []inputs.Pair[D],
	g privacy.Guarantee, anytime bool) Case {
	samples := int64(auditSamples)
	if anytime {
		samples = anytimeSamples
	}
	return Case{Name: name, True: isTrue,
		Check: privacy.Audit[D, O]{Mechanism: m, Pairs: pairs, Guarantee: g, Samples: samples, Anytime: anytime}}
}

// knownDensity gives the search the best score there is.
func knownDensity(m *mechanism.Laplace) verify.Check {
	a := untypedAudit(m, zeroAndOne, privacy.ApproximateDP(1, 0), auditSamples)
	a.LogLikelihood = func(input any, o float64) float64 { return m.LogDensity(input.(float64), o) }
	return a
}

// recorded audits outputs at 0 and 1 that were drawn before.
func recorded(r *rand.Rand, m verify.Mechanism[float64, float64], g privacy.Guarantee,
	samples int) (privacy.RecordedAudit, error) {
	record := func(input float64) (outputs.Recording, error) {
		out := outputs.Recording{Name: fmt.Sprint(input)}
		for range samples {
			o, err := m.Release(r, input)
			if err != nil {
				return out, err
			}
			out.Outputs = append(out.Outputs, o)
		}
		return out, nil
	}
	a, err := record(0)
	if err != nil {
		return privacy.RecordedAudit{}, err
	}
	b, err := record(1)
	return privacy.RecordedAudit{A: a, B: b, Guarantee: g}, err
}

// precisionCases hold the bits against the guarantee over the reals, which the sound
// mechanism meets with equality. The faulty one keeps clear of it: where the outputs differ
// by as much over the reals, nothing is said of the bits.
func precisionCases() ([]Case, error) {
	grid, err := mechanism.NewGridLaplace(1, 0x1p-20)
	if err != nil {
		return nil, err
	}
	naive, err := broken.NewNaiveLaplace(0.1, 1)
	if err != nil {
		return nil, err
	}
	probe := func(m verify.Mechanism[float64, float64], eps float64) verify.Check {
		return privacy.FloatingPoint[float64, float64]{Mechanism: m, Pairs: zeroAndOne,
			Guarantee: privacy.ApproximateDP(eps, 0),
			Samples:   8000}
	}
	recordedProbe := func(m verify.Mechanism[float64, float64], eps float64) verify.Check {
		return drawn(func(r *rand.Rand, _ verify.Settings) (verify.Check, error) {
			a, err := recorded(r, m, privacy.ApproximateDP(eps, 0), 8000)
			return privacy.RecordedPrecision(a), err
		})
	}
	return []Case{
		{Name: "Laplace on a grid of 2⁻²⁰", True: true, Check: probe(grid, 1)},
		{Name: "textbook Laplace in double precision", True: false, Check: probe(naive, 0.3)},
		{Name: "Laplace on a grid of 2⁻²⁰, recorded", True: true, Check: recordedProbe(grid, 1)},
		{Name: "textbook Laplace in double precision, recorded", True: false, Check: recordedProbe(naive, 0.3)},
	}, nil
}

// eventCases hold a claim against the events that decide it: half-lines, beyond the
// larger input for Laplace noise, and for the Gaussian where the privacy loss is ε.
func eventCases() ([]Case, error) {
	laplace, err1 := mechanism.NewLaplace(1)
	effect, err2 := mechanism.NewLaplace(1 / laplaceEffect)
	half, err3 := broken.NewHalfScaleLaplace(1, 1)
	gauss, err4 := mechanism.NewGaussian(1)
	narrow, err5 := mechanism.NewGaussian(0.5)
	curve, err6 := accountant.GDP{Mu: 1}.Delta(1)
	for _, err := range []error{err1, err2, err3, err4, err5, err6} {
		if err != nil {
			return nil, err
		}
	}
	pure := func(m verify.Mechanism[float64, float64]) verify.Check {
		return halfLines(m, 1, 0, laplaceEffect, 1, 0)
	}
	approximate := func(m verify.Mechanism[float64, float64]) verify.Check {
		return halfLines(m, 1, curve.Upper, 2, 1.5, -0.5)
	}
	return []Case{
		{Name: "ε", True: true, Check: pure(laplace)},
		{Name: "ε, 1.5 times as large: the effect", True: false, Check: pure(effect)},
		{Name: "ε, twice as large", True: false, Check: pure(half)},
		{Name: "(ε, δ)", True: true, Check: approximate(gauss)},
		{Name: "(ε, δ), noise of half the deviation", True: false, Check: approximate(narrow)},
	}, nil
}

// laplaceEffect is the factor in ε that the check of given events is planned to see.
const laplaceEffect = 1.5

// halfLines tests outputs of at least above and of at most below, between inputs 1 and 0.
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

// lawCases have a privacy loss that is known in closed form: randomized response with k
// symbols, and the δ of binary response at any ε.
func lawCases() ([]Case, error) {
	exactly := func(name string, isTrue bool, pair func(r *rand.Rand, fault float64) (privacy.DistributionPair,
		error)) Case {
		return Case{Name: name, True: isTrue, Exact: true,
			Check: drawn(func(r *rand.Rand, _ verify.Settings) (verify.Check, error) {
				fault := 0.0
				if !isTrue {
					fault = logUniform(r, 1e-9, 1e-2)
				}
				l, err := pair(r, fault)
				return privacy.Exact{Domain: "one pair",
					Pairs: func() ([]privacy.DistributionPair, error) { return []privacy.DistributionPair{l}, err }}, nil
			})}
	}
	return []Case{
		exactly("ε of k-ary response", true, karyPair),
		exactly("ε of k-ary response, lowered", false, karyPair),
		exactly("δ(ε) of binary response", true, binaryPair),
		exactly("δ(ε) of binary response, lowered", false, binaryPair),
	}, nil
}

// karyPair claims the ε of randomized response less a share.
func karyPair(r *rand.Rand, fault float64) (privacy.DistributionPair, error) {
	eps, k := logUniform(r, 0.01, 10), between(r, 2, 50)
	return karyLawPair(k, eps, fault)
}

// binaryPair claims a δ that is less by a share, where the ε that is met rises by fault/10 at least.
func binaryPair(r *rand.Rand, fault float64) (privacy.DistributionPair, error) {
	full := logUniform(r, 0.2, 8)
	return binaryLawPair(full, full*(0.05+0.4*r.Float64()), fault)
}

// karyLawPair claims the ε of a response of k symbols less a share.
func karyLawPair(k int, eps, fault float64) (privacy.DistributionPair, error) {
	m, err := mechanism.NewKaryResponse(k, eps)
	if err != nil {
		return privacy.DistributionPair{}, err
	}
	// the check grants 2e-12, absolute where ε is below 1
	return privacy.DistributionPair{Place: "0 and 1", P: m.Distribution(0), Q: m.Distribution(1),
		Epsilon: eps - fault*math.Min(1, eps)}, nil
}

// binaryLawPair claims a point of δ(ε) = (e^ε₀ − e^ε)/(1 + e^ε₀), δ less a share, of a response at ε₀ = full. A lower δ
// raises the ε that is met by fault·(e^{ε₀−ε} − 1).
func binaryLawPair(full, eps, fault float64) (privacy.DistributionPair, error) {
	m, err := mechanism.NewKaryResponse(2, full)
	if err != nil {
		return privacy.DistributionPair{}, err
	}
	delta := math.Expm1(full-eps) * math.Exp(eps-full) / (1 + math.Exp(-full))
	return privacy.DistributionPair{Place: "0 and 1", P: m.Distribution(0), Q: m.Distribution(1), Epsilon: eps,
		Delta: delta * (1 - fault)}, nil
}
