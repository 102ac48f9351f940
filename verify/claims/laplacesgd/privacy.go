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
		Place: "Alg. 1, eq. (6): Sect. 3.4, the sentence after eq. (7), applied to the noise that Algorithm 1 samples, " +
			"with line 1 as printed",
		Statement: "one update with the noise of Algorithm 1 (v uniform in the unit ball, line 1) and rows of norm at " +
			"most 1 is α-differentially private",
		Check: updateLoss(ballNoise, ""),
	}, verify.Claim{
		Origin: verify.Stated, Place: "eq. (7): Sect. 3.4, the sentence after it, applied to noise of the density (7)",
		Statement: "one update with noise of density (7) and rows of norm at most 1 is α-differentially private",
		Check:     updateLoss(sphereNoise, lossProof),
	}, "v on the unit sphere", "v in the unit ball")
	return append(private, verify.Claim{
		ID: "laplace-sgd/alg-1/privacy/program", Kind: verify.Privacy, Origin: verify.Program,
		Place: "The program of [1]: " + laplaceFile + ", lines 5 to 8; " + trainingFile + ", line 46; eq. (6)",
		Statement: "one update of the published program is α-differentially private. Setting: noise of the length of " +
			"(7) in the direction of a uniform point of the cube [−1, 1]^d, rows of norm at most 1, d ∈ {1, 2, 4, 5, 9, " +
			"15, 34}",
		Check: updateLoss(cubeNoise, ""),
		Control: verify.Control{Check: private[1].Check, Want: checks.Holds,
			Fault: "none: v uniform on the unit sphere"},
		Corrected: private[1].ID,
		Formerly:  []string{"laplace-sgd/alg-1/density/program"},
	}, verify.Claim{
		ID: "laplace-sgd/alg-1/privacy/sampled", Kind: verify.Privacy, Origin: verify.Observation,
		Place: "Alg. 1, eq. (6), sampled: Sect. 3.4, eqs. (6) and (7), at d = 2",
		Statement: "in samples of one update of our implementation, no event shows a privacy loss above 1. Setting: " +
			"noise of density (7), α = 1, d = 2; w is long and nearly orthogonal to the two values of one record, which " +
			"move the gradient by almost 2",
		Check:    auditUpdate(laplacesgd.DistributionDensity, 2, false),
		Control:  checks.Faulty(auditUpdate(laplacesgd.DistributionPrinted, 1, true), "v in the ball, at d = 1"),
		Formerly: []string{"laplace-sgd/alg-1/privacy/sampled/corrected"},
	})
}

const lossProof = "ln ρ(z) − ln ρ(z′) = (α/2)(‖z′‖ − ‖z‖) ≤ (α/2)‖z − z′‖ ≤ α, as the gradient moves by at most 2"

// noiseLaw returns the log density of noise at z, up to a constant.
type noiseLaw func(alpha float64, z []float64) float64

func radial(density logDensity) noiseLaw {
	return func(alpha float64, z []float64) float64 { return density(len(z), 2/alpha, floats.Norm(z, 2)) }
}

var (
	ballNoise   = radial(bounds.LogBallGammaDensity)
	sphereNoise = radial(bounds.LogL2LaplaceDensity)
)

func cubeNoise(alpha float64, z []float64) float64 {
	return sphereNoise(alpha, z) + math.Log(bounds.CubeDirectionFactor(z))
}

// updateLoss computes the privacy loss of one update at outputs near the gradient of one data set; the gradient of the
// other is at the largest distance. The densities are continuous at these outputs, so that the loss at a point is the
// limit of the losses of events. At t = 0, the gradient itself, it is a limit: if that is infinite, the loss exceeds
// every number on a ball around the gradient, which has a positive probability. A distribution that is not radial has
// no limit at t = 0.
func updateLoss(law noiseLaw, proof string) verify.Check {
	return formula.Check{
		Quantity: "privacy loss", Sense: verify.AtMost, Proof: proof,
		Grid: formula.Grid{formula.Over("d", dimensions[:7]...), formula.Over("α", alphas...),
			formula.Over("t", 0, 1e-12, 1e-6, 1e-3, 0.1, 1, 100)},
		Domain: "noise of length t·2/α along a diagonal under one data set (t = 0 as a limit, only of radial " +
			"distributions); under the other it is moved along an axis by the supremum of the gradient's movement",
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

// oneRecord is one update of our implementation on a data set of one record, with λ = 0 and η_1 = 1.
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

// logLikelihood returns the log density of w_1 − w_0, computed by package bounds.
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

// auditUpdate searches for an event whose privacy loss is above 1, for two nearly opposite records: at w = 0 in
// dimension 1, and at a long w nearly orthogonal to them in dimension 2.
func auditUpdate(law laplacesgd.Distribution, d int, anytime bool) verify.Check {
	m := oneRecord{law: law, init: make([]float64, d)}
	pair := inputs.Pair[sensitivity.Record]{Name: "x = 1 and −1", A: sensitivity.Record{X: []float64{1}, Y: 1},
		B: sensitivity.Record{X: []float64{-1}, Y: 1}}
	if d == 2 {
		m.init[0] = 1e4 // both margins are −100, so that both slopes are about 1
		pair = inputs.Pair[sensitivity.Record]{Name: "x = (−0.01, 0.9999) and (−0.01, −0.9999)",
			A: sensitivity.Record{X: []float64{-0.01, 0.9999}, Y: 1}, B: sensitivity.Record{X: []float64{-0.01, -0.9999},
				Y: 1}}
	}
	return privacy.Audit[sensitivity.Record, []float64]{
		Mechanism: m, Pairs: []inputs.Pair[sensitivity.Record]{pair}, Guarantee: privacy.ApproximateDP(1, 0),
		Samples: 800_000, Effect: 1.5, LogLikelihood: m.logLikelihood, Anytime: anytime,
	}
}
