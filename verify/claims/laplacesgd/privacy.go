package laplacesgd

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

func privacyClaims() []verify.Claim {
	private := checks.Pair(verify.Claim{
		ID: "laplace-sgd/alg-1/privacy", Kind: verify.Privacy, Origin: verify.Implied,
		Place: "Alg. 1, eq. (6): Sect. 3.4, the sentence after eq. (7), of the noise that Algorithm 1 samples, with its " +
			"line 1 to the letter",
		Statement: "one update with the noise of Algorithm 1, v uniform in the unit ball as line 1 says, rows of norm at " +
			"most 1, is α-differentially private",
		Check: updateLoss(ballNoise, ""),
	}, verify.Claim{
		Origin: verify.Stated, Place: "eq. (7): Sect. 3.4, the sentence after it, of noise of the density (7) itself",
		Statement: "one update with noise of the density (7), rows of norm at most 1, is α-differentially private",
		Check:     updateLoss(sphereNoise, lossProof),
	}, "v on the unit sphere", "v in the unit ball")
	return append(private, verify.Claim{
		ID: "laplace-sgd/alg-1/privacy/program", Kind: verify.Privacy, Origin: verify.Program,
		Place: "The program of [1]: " + laplaceFile + ", lines 5 to 8; " + trainingFile + ", line 46; eq. (6)",
		Statement: "one update of the published program, with noise of the length of (7) in the direction of a uniform " +
			"point of the cube [−1, 1]^d, rows of norm at most 1, is α-differentially private, d ∈ {1, 2, 4, 5, 9, 15, 34}",
		Check: updateLoss(cubeNoise, ""),
		Control: verify.Control{Check: private[1].Check, Want: checks.Holds,
			Fault: "none: v uniform on the unit sphere"},
		Corrected: private[1].ID,
		Formerly:  []string{"laplace-sgd/alg-1/density/program"},
	}, verify.Claim{
		ID: "laplace-sgd/alg-1/privacy/sampled", Kind: verify.Privacy, Origin: verify.Observation,
		Place: "Alg. 1, eq. (6), in samples: Sect. 3.4, eqs. (6) and (7), at d = 2",
		Statement: "in samples, no event shows a privacy loss above 1 for one update of the implementation here with " +
			"noise of density (7) at α = 1, d = 2, for two values of one record across a long w, which move the gradient " +
			"by almost 2",
		Check: auditUpdate(laplacesgd.DistributionDensity, 2, false),
		Control: verify.Control{Check: auditUpdate(laplacesgd.DistributionPrinted, 1, true), Want: checks.Refuted,
			Fault: "v in the ball, at d = 1"},
		Formerly: []string{"laplace-sgd/alg-1/privacy/sampled/corrected"},
	})
}

const lossProof = "ln ρ(z) − ln ρ(z′) = (α/2)(‖z′‖ − ‖z‖) ≤ (α/2)‖z − z′‖ ≤ α, as the gradient moves by at most 2"

// noiseLaw is ln of a density at z, up to a constant.
type noiseLaw func(alpha float64, z []float64) float64

func radial(of logDensity) noiseLaw {
	return func(alpha float64, z []float64) float64 { return of(len(z), 2/alpha, floats.Norm(z, 2)) }
}

var (
	ballNoise   = radial(bounds.LogBallGammaDensity)
	sphereNoise = radial(bounds.LogL2LaplaceDensity)
)

func cubeNoise(alpha float64, z []float64) float64 {
	return sphereNoise(alpha, z) + math.Log(bounds.CubeDirectionFactor(z))
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
		Grid: formula.Grid{formula.Over("d", dimensions[:7]...), formula.Over("α", alphas...),
			formula.Over("t", 0, 1e-12, 1e-6, 1e-3, 0.1, 1, 100)},
		Domain: "the noise is of length t·2/α along a diagonal under one data set, t = 0 as a limit of radial laws only, " +
			"and under the other moved further along an axis by the supremum of the gradient's movement",
		At: func(at []float64, add func(formula.Point)) {
			d, alpha, t := int(at[0]), at[1], at[2]
			if t == 0 && math.IsNaN(law(alpha, make([]float64, d))) {
				return
			}
			movement, err := bounds.LogisticGradientSensitivity(d)
			near, far := make([]float64, d), make([]float64, d)
			floats.AddConst(t*2/alpha/math.Sqrt(float64(d)), near)
			copy(far, near)
			far[0] += movement
			add(formula.Point{Show: alpha == 1 && (d <= 2 || d >= 15), Error: 1e-9, Err: err,
				Measured: law(alpha, near) - law(alpha, far), Claimed: alpha})
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

// auditUpdate looks for an event whose privacy loss is above 1, on records that are opposite:
// from w = 0 in dimension 1, from a long w across them in dimension 2.
func auditUpdate(law laplacesgd.Distribution, d int, anytime bool) verify.Check {
	m := oneRecord{law: law, init: make([]float64, d)}
	pair := inputs.Pair[sensitivity.Record]{Name: "x = 1 and −1", A: sensitivity.Record{X: []float64{1}, Y: 1},
		B: sensitivity.Record{X: []float64{-1}, Y: 1}}
	if d == 2 {
		m.init[0] = 1e4 // with the rows a hundredth against it both slopes are 1
		pair = inputs.Pair[sensitivity.Record]{Name: "x = (−0.01, 0.9999) and (−0.01, −0.9999)",
			A: sensitivity.Record{X: []float64{-0.01, 0.9999}, Y: 1}, B: sensitivity.Record{X: []float64{-0.01, -0.9999},
				Y: 1}}
	}
	return privacy.Audit[sensitivity.Record, []float64]{
		Mechanism: m, Pairs: []inputs.Pair[sensitivity.Record]{pair}, Guarantee: privacy.ApproximateDP(1, 0),
		Samples: 800_000, Effect: 1.5, LogLikelihood: m.logLikelihood, Anytime: anytime,
	}
}
