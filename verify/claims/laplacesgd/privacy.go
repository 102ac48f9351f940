package laplacesgd

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

func privacyClaims() []verify.Claim {
	const corrected = "laplace-sgd/alg-1/privacy/corrected"
	return []verify.Claim{
		{
			ID: "laplace-sgd/eq-1/smaller", Source: "after eq. (1)", Kind: verify.Identity,
			Origin: verify.Reading, Place: "Sect. 3.1, the line after eq. (1): \"smaller than\", to the letter, as here, or " +
				"for at most",
			Statement: "under (1) the log-likelihood ratio of the outputs is smaller than α",
			Check:     responseRatio(verify.Below),
			Control:   verify.Control{Check: responseRatio(verify.AtMost), Want: checks.Holds, Fault: "none: at most α"},
			Corrected: "laplace-sgd/eq-1/smaller/corrected",
		},
		{
			ID: "laplace-sgd/eq-1/smaller/corrected", Source: "after eq. (1), at most", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Sect. 3.1, eq. (1), for S of a single output",
			Statement: "under (1) the log-likelihood ratio of the outputs is at most α",
			Check:     responseRatio(verify.AtMost),
			Control:   verify.Control{Check: responseRatio(verify.Below), Want: checks.Refuted, Fault: "smaller than α"},
		},
		{
			ID: "laplace-sgd/alg-1/privacy", Source: "Alg. 1, eq. (6)", Kind: verify.Privacy,
			Origin: verify.Implied,
			Place: "Sect. 3.4, the sentence after eq. (7), of the noise that Algorithm 1 samples, with " +
				"its line 1 to the letter",
			Statement: "one update with the noise of Algorithm 1, v uniform in the unit ball, is α-differentially private " +
				"(its density has no bound at the gradient, so that its loss has none either)",
			Check: updateLoss(ballNoise, ""),
			Control: verify.Control{Check: updateLoss(sphereNoise, lossProof), Want: checks.Holds,
				Fault: "none: v on the unit sphere"},
			Corrected: corrected,
		},
		{
			ID: "laplace-sgd/alg-1/privacy/rate", Source: "Alg. 1, eq. (6), 2/α as a rate", Kind: verify.Privacy,
			Origin: verify.Reading, Place: "Algorithm 1, line 2: whether 2/α in Γ(d, 2/α) is a scale or a rate is not said; v " +
				"on the sphere",
			Statement: "one update with v on the unit sphere and l of Γ(d, 2/α), shape and rate, is α-differentially private",
			Check:     updateLoss(rateNoise, ""),
			Control: verify.Control{Check: updateLoss(sphereNoise, lossProof), Want: checks.Holds,
				Fault: "none: 2/α as a scale"},
			Corrected: corrected,
		},
		{
			ID: "laplace-sgd/alg-1/privacy/program", Source: "eq. (6) with the program of [1]", Kind: verify.Privacy,
			Origin: verify.Program, Place: laplaceFile + ", lines 5 to 8; " + trainingFile + ", line 46",
			Statement: "one update whose noise has the length of (7) and the direction of a uniform point of the cube is " +
				"α-differentially private",
			Check: updateLoss(cubeNoise, ""),
			Control: verify.Control{Check: updateLoss(sphereNoise, lossProof), Want: checks.Holds,
				Fault: "none: v uniform on the unit sphere"},
			Corrected: corrected,
		},
		{
			ID: corrected, Source: "Alg. 1, eq. (6), corrected; eq. (7)", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Sect. 3.4, the sentence after eq. (7), of noise of the density (7) itself",
			Statement: "one update with noise of the density (7) is α-differentially private",
			Check:     updateLoss(sphereNoise, lossProof),
			Control:   verify.Control{Check: updateLoss(ballNoise, ""), Want: checks.Refuted, Fault: "v in the ball"},
		},
		{
			ID: "laplace-sgd/alg-1/privacy/sampled", Source: "Alg. 1, eq. (6)", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "Algorithm 1, lines 1 to 3, and eq. (6), at d = 1, where a uniform point of the " +
				"ball is one of [−1, 1]",
			Statement: "one update of the implementation with the noise of Algorithm 1, v in the unit ball, is " +
				"1-differentially private at α = 1, from w = 0 on one record of dimension 1",
			Check: auditUpdate(laplacesgd.DistributionPrinted, 1, 1, true),
			Control: verify.Control{Check: auditUpdate(laplacesgd.DistributionDensity, 1, 1, false), Want: checks.Consistent,
				Fault: "none: noise of (7)"},
			Corrected: "laplace-sgd/alg-1/privacy/sampled/corrected",
		},
		{
			ID: "laplace-sgd/alg-1/privacy/sampled/corrected", Source: "Alg. 1, eq. (6), corrected", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "Sect. 3.4, eqs. (6) and (7), at d = 2",
			Statement: "one update of the implementation with noise of (7) is 1-differentially private at α = 1, from a long " +
				"w on one record of dimension 2, where the gradient moves by almost 2",
			Check: auditUpdate(laplacesgd.DistributionDensity, 2, 1, false),
			Control: verify.Control{Check: auditUpdate(laplacesgd.DistributionDensity, 2, 0.6, false), Want: checks.Refuted,
				Fault: "0.6 claimed"},
		},
	}
}

const lossProof = "ln ρ(z) − ln ρ(z′) = (α/2)(‖z′‖ − ‖z‖) ≤ (α/2)‖z − z′‖ ≤ α, as the gradient moves by at most 2"

// noiseLaw is ln of a density at z, up to a constant.
type noiseLaw func(alpha float64, z []float64) float64

func radial(of logDensity, scale func(alpha float64) float64) noiseLaw {
	return func(alpha float64, z []float64) float64 { return of(len(z), scale(alpha), floats.Norm(z, 2)) }
}

var (
	ballNoise   = radial(bounds.LogBallGammaDensity, asScale)
	sphereNoise = radial(bounds.LogL2LaplaceDensity, asScale)
	rateNoise   = radial(bounds.LogL2LaplaceDensity, asRate)
)

func cubeNoise(alpha float64, z []float64) float64 {
	return sphereNoise(alpha, z) + math.Log(bounds.CubeDirectionFactor(z))
}

// responseRatio is the log-likelihood ratio of a randomized response that keeps (1), and no smaller α would do.
func responseRatio(sense verify.Sense) verify.Check {
	return formula.Check{
		Quantity: "log-likelihood ratio of an output", Sense: sense, Domain: "randomized response, α ∈ {0.01, 1, 10}",
		Proof: "(1) for S of one output bounds its ratio by e^α, which this mechanism has",
		Points: func(add func(formula.Point)) {
			for _, alpha := range alphas {
				m, err := paper.RandomizedResponse(alpha)
				add(formula.Point{Place: formula.Placef("α=%g", alpha), Measured: math.Log(m[0][0] / m[1][0]), Claimed: alpha,
					Error: 1e-9, Tie: true, Show: true, Err: err})
			}
		},
	}
}

// updateLoss is the privacy loss of one update at outputs near the gradient of one of the data
// sets and far from that of the other, which is away by the gradient's whole
// movement; the densities are continuous there, so that a loss at a point is one of an event.
// At t = 0, the gradient itself, it is the limit: where that is infinite every number is exceeded
// on a ball around the gradient, which has a positive probability. A law that is not
// radial has no limit there.
func updateLoss(law noiseLaw, proof string) verify.Check {
	return formula.Check{
		Quantity: "privacy loss", Sense: verify.AtMost, Proof: proof,
		Domain: "d ∈ {1, 2, 4, 5, 9, 15, 34}, α ∈ {0.01, 1, 10}; the noise is of length t·2/α along a diagonal under one " +
			"data set, t ∈ {0, 10⁻¹², 10⁻⁶, 10⁻³, 0.1, 1, 100}, 0 as a limit of radial laws alone, and under the other moved " +
			"further along an axis by the supremum of the gradient's movement",
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions[:7] {
				movement, err := bounds.LogisticGradientSensitivity(d)
				for _, alpha := range alphas {
					for _, t := range []float64{0, 1e-12, 1e-6, 1e-3, 0.1, 1, 100} {
						if t == 0 && math.IsNaN(law(alpha, make([]float64, d))) {
							continue
						}
						near, far := make([]float64, d), make([]float64, d)
						floats.AddConst(t*2/alpha/math.Sqrt(float64(d)), near)
						copy(far, near)
						far[0] += movement
						add(formula.Point{
							Place: formula.Placef("d=%d, α=%g, t=%g", d, alpha, t), Show: alpha == 1 && (d <= 2 || d == 34), Error: 1e-9,
							Measured: law(alpha, near) - law(alpha, far), Claimed: alpha, Err: err,
						})
					}
				}
			}
		},
	}
}

// oneRecord is an update of the implementation on a data set of one record: w_1 from w_0, λ = 0
// and η_1 = 1.
type oneRecord struct {
	law  laplacesgd.Distribution
	init []float64
}

// Release returns w_1 − w_0, which is −(g + Z).
func (o oneRecord) Release(r *rand.Rand, record sensitivity.Record) ([]float64, error) {
	data, err := dataset.NewDense(len(o.init), append([]float64(nil), record.X...), []float64{record.Y})
	if err != nil {
		return nil, err
	}
	c := laplacesgd.Config{Rate: laplacesgd.Rate{Scale: 1}, Batch: 1, Epochs: 1, Init: o.init}
	result, err := laplacesgd.Private(context.Background(), r, data, c, laplacesgd.Privacy{Alpha: 1, Distribution: o.law})
	if err != nil {
		return nil, err
	}
	floats.Sub(result.W, o.init)
	return result.W, nil
}

// logLikelihood is that of w_1 − w_0, by the theory's density.
func (o oneRecord) logLikelihood(record sensitivity.Record, step []float64) float64 {
	g := make([]float64, len(step))
	if batchGradient(sensitivity.Input{Records: []sensitivity.Record{record}, Shared: o.init}, 1, g) != nil {
		return math.NaN()
	}
	floats.Add(g, step)
	if o.law == laplacesgd.DistributionPrinted {
		return ballNoise(1, g)
	}
	return sphereNoise(1, g)
}

// auditUpdate looks for an event that gives more away than epsilon, on records that are opposite:
// from w = 0 in dimension 1, from a long w across them in dimension 2.
func auditUpdate(law laplacesgd.Distribution, d int, epsilon float64, anytime bool) verify.Check {
	m := oneRecord{law: law, init: make([]float64, d)}
	pair := inputs.Pair[sensitivity.Record]{Name: "x = 1 and −1", A: sensitivity.Record{X: []float64{1}, Y: 1},
		B: sensitivity.Record{X: []float64{-1}, Y: 1}}
	if d == 2 {
		m.init[0] = 1e4 // with the rows a hundredth against it both slopes are 1
		pair = inputs.Pair[sensitivity.Record]{Name: "x = (−0.01, 0.9999) and (−0.01, −0.9999)",
			A: sensitivity.Record{X: []float64{-0.01, 0.9999}, Y: 1}, B: sensitivity.Record{X: []float64{-0.01, -0.9999}, Y: 1}}
	}
	return privacy.Audit[sensitivity.Record, []float64]{
		Mechanism: m, Pairs: []inputs.Pair[sensitivity.Record]{pair}, Guarantee: privacy.ApproximateDP(epsilon, 0),
		Samples: 800_000, Effect: 1.5, LogLikelihood: m.logLikelihood, Anytime: anytime,
	}
}
