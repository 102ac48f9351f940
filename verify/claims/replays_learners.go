package claims

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify/inputs"
)

type noisyRelease = func(n *primitive.Noise, r *rand.Rand, d []unitRow) ([]float64, error)

// replayedLearner of a paper, with the data sets on which it is replayed and the claims about the same.
type replayedLearner struct {
	paper, name string
	run         noisyRelease
	by          inputs.Datasets[unitRow]
	control     bool
	claims      []string
}

// replayedLearners by their printed lines and constants. Where a paper leaves a choice, each is one.
func replayedLearners() []replayedLearner {
	small, three, twelve := unitRows(1, 3, false), unitRows(3, 3, false), unitRows(12, 12, false)
	return []replayedLearner{
		{"prestige", "DJW", localSGD(0), small, false, []string{"prestige/lemma-2"}},
		{"prestige", "PRESTIGE, selecting by the true label", localSGD(0.2), small, false,
			[]string{"prestige/alg-1/privacy", "prestige/alg-1/privacy/sampled"}},
		{"prestige", "PRESTIGE, where labels alone are private", localSGD(0.2), unitRows(1, 3, true), false,
			[]string{"prestige/alg-1/privacy-label"}},
		{"curricula", "DP-SGD, a batch clipped", curriculumSGD(curricula.ClipBatch, 0.1), unitRows(2, 3, false), false,
			[]string{"curricula/alg-1/sensitivity"}},
		{"curricula", "DP-SGD, each example clipped", curriculumSGD(curricula.ClipExample, 0.2), unitRows(2, 3, false), false,
			[]string{"curricula/alg-1/sensitivity/per-example"}},
		{"pairwise", "OnPairStrC", pairwiseSteps(onPairStrC, 1), twelve, false, []string{"pairwise/lemma-4/search"}},
		{"pairwise", "OnPairC", pairwiseSteps(onPairC, 1), twelve, false, []string{"pairwise/alg-2"}},
		{"pairwise", "OffPairStrC", pairwiseSteps(offPairStrC, 1), twelve, false, []string{"pairwise/alg-3/noise/search"}},
		{"pairwise", "OffPairC", pairwiseSteps(offPairC, 1), twelve, false, []string{"pairwise/alg-2"}},
		{"pairwise", "OnPairStrC at a thousandth of its sensitivity", pairwiseSteps(onPairStrC, 0.001), twelve, true, nil},
		{"laplace-sgd", "single-point SGD", laplaceSGD(1, laplacesgd.ShortPrinted), small, false,
			[]string{"laplace-sgd/sensitivity", "laplace-sgd/alg-1/privacy", "laplace-sgd/alg-1/privacy/sampled"}},
		{"laplace-sgd", "mini-batches, eq. (8)", laplaceSGD(2, laplacesgd.ShortPrinted), three, false,
			[]string{"laplace-sgd/sensitivity/last-batch"}},
		{"laplace-sgd", "mini-batches, the short last one averaged over its records", laplaceSGD(2, laplacesgd.ShortMean),
			three,
			false, []string{"laplace-sgd/sensitivity/last-batch/mean", "laplace-sgd/single-pass/short-batch"}},
		{"laplace-sgd", "mini-batches, the noise of the short last one scaled", laplaceSGD(2, laplacesgd.ShortScaled), three,
			false, []string{"laplace-sgd/sensitivity/last-batch/mean/corrected"}},
		{"nonconvex", "DP-PGD", gaussianSteps(proximalDescent), small, false, []string{"nonconvex/alg-1/step-3"}},
		{"nonconvex", "DP-FW-L2", gaussianSteps(frankWolfe), small, false, nil},
		{"nonconvex", "DP-PMD", gaussianSteps(mirrorDescent), small, false, nil},
		{"nonconvex", "DP-FW-L1", vertexSteps(1, false), small, false,
			[]string{"nonconvex/thm-6/privacy", "nonconvex/thm-6/privacy/corrected", "nonconvex/thm-6/privacy/sampled"}},
		{"nonconvex", "DP-FW-L1 by noisy max", vertexSteps(1, true), small, false, []string{"nonconvex/alg-4/noisy-max"}},
		{"nonconvex", "DP-FW-L1 at a quarter of its sensitivity", vertexSteps(0.25, false), small, true, nil},
	}
}

// datasetOf returns the records as a data set.
func datasetOf(d []unitRow) *dataset.Dataset {
	var values, labels []float64
	for _, r := range d {
		values, labels = append(values, r.X, r.Z), append(labels, r.Y)
	}
	return must(dataset.NewDense(2, values, labels))
}

// must is for what has no data in it: constants that are in their domains.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// laplaceSGD is one pass in batches, as the last of which is read.
func laplaceSGD(batch int, short laplacesgd.Short) noisyRelease {
	return func(n *primitive.Noise, r *rand.Rand, d []unitRow) ([]float64, error) {
		c := laplacesgd.Config{Rate: laplacesgd.Rate{Scale: 10}, Batch: batch, Epochs: 1, Short: short, Watch: n.Watch()}
		out, err := laplacesgd.Private(context.Background(), r, datasetOf(d), c,
			laplacesgd.Privacy{Alpha: 0.5, Distribution: laplacesgd.DistributionDensity})
		if err != nil {
			return nil, err
		}
		return out.W, nil
	}
}

// curriculumSGD is an epoch in batches of 2, with what is clipped; the printed sensitivity is the clipping norm.
func curriculumSGD(clipping curricula.Clipping, sensitivity float64) noisyRelease {
	return func(n *primitive.Noise, r *rand.Rand, d []unitRow) ([]float64, error) {
		data := curricula.Samples{K: 2}
		for _, v := range d {
			data.X, data.Y = append(data.X, []float64{v.X, v.Z}), append(data.Y, int(v.Y+1)/2)
		}
		c := curricula.Config{Epochs: 1, Batch: 2, Rate: 0.1, Clip: 0.1, Clipping: clipping, Watch: n.Watch(),
			Sensitivity: sensitivity, Schedule: curricula.Schedule{F: func(_, _ float64) float64 { return 1 }}}
		out, err := curricula.Train(context.Background(), r, must(curricula.NewSoftmax(2, 2)), data, c)
		if err != nil {
			return nil, err
		}
		return out.Theta, nil
	}
}

// localSGD is DJW, or PRESTIGE with a threshold.
func localSGD(threshold float64) noisyRelease {
	return func(n *primitive.Noise, r *rand.Rand, d []unitRow) ([]float64, error) {
		c := localsgd.Config{Loss: erm.Hinge{}, Lambda: 0.1, Radius: 1, Lipschitz: 1.2, Epochs: 2, Project: true,
			Watch: n.Watch()}
		p := localsgd.Privacy{Epsilon: 1, Bound: 3, Premise: localsgd.PremiseClip}
		var out *localsgd.Result
		var err error
		if threshold == 0 {
			out, err = localsgd.DJW(context.Background(), r, datasetOf(d), c, p)
		} else {
			q := localsgd.Curriculum{Epsilon: 0.5, Threshold: threshold, Decrease: 0.1}
			out, err = localsgd.PRESTIGE(context.Background(), r, datasetOf(d), c, p, q)
		}
		if err != nil {
			return nil, err
		}
		return out.W, nil
	}
}

// gradientMethod is a learner of noisy gradients.
type gradientMethod = func(r *rand.Rand, d *dataset.Dataset, c nonconvex.Config) (*nonconvex.Result, error)

// gaussianSteps adds Gaussian noise to gradients of norm at most 1, of n records.
func gaussianSteps(f gradientMethod) noisyRelease {
	return func(n *primitive.Noise, r *rand.Rand, d []unitRow) ([]float64, error) {
		out, err := f(r, datasetOf(d), nonconvex.Config{Loss: erm.Logistic{}, Iterations: 3, Start: make([]float64, 2),
			Sigma:    0.3,
			StepSize: nonconvex.Constant(0.5), Watch: n.Watch(), Sensitivity: 2 / float64(len(d))})
		if err != nil {
			return nil, err
		}
		return out.X, nil
	}
}

func proximalDescent(r *rand.Rand, d *dataset.Dataset, c nonconvex.Config) (*nonconvex.Result, error) {
	return nonconvex.PGD(context.Background(), r, d, must(erm.NewSpace(2)), 0.01, c)
}

func frankWolfe(r *rand.Rand, d *dataset.Dataset, c nonconvex.Config) (*nonconvex.Result, error) {
	return nonconvex.FrankWolfe(context.Background(), r, d, must(erm.NewL2Ball(2, 1)), nonconvex.OverstepError, c)
}

func mirrorDescent(r *rand.Rand, d *dataset.Dataset, c nonconvex.Config) (*nonconvex.Result, error) {
	space := must(erm.NewSpace(2))
	step := must(erm.NewMirror(space, must(erm.NewPNorm(1.5, 1)), 0.01))
	return nonconvex.PMD(context.Background(), r, d, step, space, c)
}

// vertexSteps is DP-FW-L1 on the ball of radius 1, by scores of this sensitivity over the derived one.
func vertexSteps(share float64, noisyMax bool) noisyRelease {
	return func(n *primitive.Noise, r *rand.Rand, d []unitRow) ([]float64, error) {
		hull := must(nonconvex.HullOf(must(erm.NewL1Ball(2, 1))))
		q := nonconvex.Selection{Epsilon: 1, NoisyMax: noisyMax,
			Sensitivity: share * nonconvex.ScoreSensitivity(1, 1, len(d))}
		c := nonconvex.Config{Loss: erm.Logistic{}, Iterations: 3, Start: make([]float64, 2),
			StepSize: nonconvex.Constant(0.5), Watch: n.Watch()}
		out, err := nonconvex.FrankWolfeVertices(context.Background(), r, datasetOf(d), hull, q, nonconvex.OverstepError, c)
		if err != nil {
			return nil, err
		}
		return out.X, nil
	}
}

// Of the learners of pairs, with the modulus of strong convexity, that the loss has or is given.
const pairwiseModulus = 0.5

var pairwiseBudget = pairwise.Privacy{Epsilon: 1, Delta: 0.01}

// pairRun is a learner of pairs of n records, with the sensitivity from which its printed line has the noise.
type pairRun struct {
	ridge       float64
	sensitivity func(g float64, n, t int) float64
	learn       func(r *rand.Rand, d *dataset.Dataset, p pairwise.Problem, o pairwise.Options) (*pairwise.Result, error)
}

// onlineSensitivity is that of w_t, 8G/(αt), from which line 12 of Algorithm 1 has its noise; offlineSensitivity that
// of the mean of all n, 8G log n/(αn), from which line 9 of Algorithm 3 has it.
func onlineSensitivity(g float64, _, t int) float64 { return 8 * g / (pairwiseModulus * float64(t)) }

func offlineSensitivity(g float64, n, _ int) float64 {
	return 8 * g * math.Log(float64(n)) / (pairwiseModulus * float64(n))
}

var (
	onPairStrC = pairRun{pairwiseModulus, onlineSensitivity, func(r *rand.Rand, d *dataset.Dataset, p pairwise.Problem,
		o pairwise.Options) (*pairwise.Result, error) {
		return pairwise.OnPairStrC(context.Background(), r, d, p, pairwiseBudget, o)
	}}
	onPairC = pairRun{0, onlineSensitivity, func(r *rand.Rand, d *dataset.Dataset, p pairwise.Problem,
		o pairwise.Options) (*pairwise.Result, error) {
		return pairwise.OnPairC(context.Background(), r, d, p, pairwiseModulus, pairwiseBudget, o)
	}}
	offPairStrC = pairRun{pairwiseModulus, offlineSensitivity, func(r *rand.Rand, d *dataset.Dataset, p pairwise.Problem,
		o pairwise.Options) (*pairwise.Result, error) {
		return pairwise.OffPairStrC(context.Background(), r, d, p, pairwiseBudget, o)
	}}
	offPairC = pairRun{0, offlineSensitivity, func(r *rand.Rand, d *dataset.Dataset, p pairwise.Problem,
		o pairwise.Options) (*pairwise.Result, error) {
		return pairwise.OffPairC(context.Background(), r, d, p, pairwiseModulus, pairwiseBudget, o)
	}}
)

// pairwiseSteps is a learner of pairs at a share of its sensitivity.
func pairwiseSteps(f pairRun, share float64) noisyRelease {
	return func(n *primitive.Noise, r *rand.Rand, d []unitRow) ([]float64, error) {
		p := pairwise.Stated(erm.AUC{Phi: erm.Logistic{}}, must(erm.NewL2Ball(2, 1)), f.ridge, 1)
		regularized := p
		if f.ridge == 0 {
			var err error
			if regularized, err = p.Regularized(pairwiseModulus, make([]float64, 2)); err != nil {
				return nil, err
			}
		}
		o := pairwise.Options{Warmup: pairwise.WarmupContraction, Watch: n.Watch(), Center: make([]float64, 2),
			Sensitivity: func(t int) float64 { return share * f.sensitivity(regularized.G, len(d), t) }}
		if f.ridge != 0 {
			o.Center = nil
		}
		out, err := f.learn(r, datasetOf(d), p, o)
		if err != nil {
			return nil, err
		}
		return out.W, nil
	}
}
