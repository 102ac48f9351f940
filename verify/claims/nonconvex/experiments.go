package nonconvex

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

func experimentClaims() []verify.Claim {
	better := comparison{ours: algorithm.NoiseConcentrated, theirs: algorithm.NoiseMoments}
	worse := comparison{ours: algorithm.NoiseStep3, theirs: algorithm.NoiseMoments}
	return []verify.Claim{
		{
			ID: "nonconvex/experiments/loss", Source: "Experiments", Kind: verify.Experiment,
			Statement: "gradient descent on the loss as printed, 1/(1+exp(−y⟨θ, x⟩)), errs on less than half of the synthetic rows",
			Check:     trainedError(erm.Sigmoid{}),
			Twin:      verify.Twin{Check: trainedError(erm.Sigmoid{Falling: true}), Want: checks.Holds, Fault: "none: 1/(1+exp(y⟨θ, x⟩))"},
			Corrected: "nonconvex/experiments/loss/corrected",
		},
		{
			ID: "nonconvex/experiments/loss/corrected", Source: "Experiments, the sign mended", Kind: verify.Experiment,
			Statement: "gradient descent on 1/(1+exp(y⟨θ, x⟩)) errs on less than half of the synthetic rows",
			Check:     trainedError(erm.Sigmoid{Falling: true}),
			Twin:      verify.Twin{Check: trainedError(erm.Sigmoid{}), Want: checks.Refuted, Fault: "the sign as printed"},
		},
		{
			ID: "nonconvex/experiments/loss/lipschitz", Source: "Experiment Settings", Kind: verify.Identity,
			Statement: "on rows of norm at most 1 the loss is 1-Lipschitz; its least constant is ¼, so that the noise is four times what it need be",
			Check:     lossConstant(1),
			Twin:      verify.Twin{Check: lossConstant(0.2), Want: checks.Refuted, Fault: "the constant 0.2"},
		},
		{
			ID: "nonconvex/experiments/step-size", Source: "Experiment Settings", Kind: verify.Privacy,
			Statement: "the step size does not affect privacy: x_2 keeps (ε, 10⁻³) where backtracking, as in TFOCS, halves the step for one of two neighbours whose gradients at x_1 are equal",
			Check:     scaledNoise(2),
			Twin:      verify.Twin{Check: scaledNoise(1), Want: checks.Holds, Fault: "none: the same step for both"},
			Corrected: "nonconvex/experiments/step-size/corrected",
		},
		{
			ID: "nonconvex/experiments/step-size/corrected", Source: "Experiment Settings, mended", Kind: verify.Privacy,
			Statement: "a step size that does not depend on the data does not affect privacy: equal gradients give equal laws",
			Check:     scaledNoise(1),
			Twin:      verify.Twin{Check: scaledNoise(2), Want: checks.Refuted, Fault: "half of the step for one neighbour"},
		},
		{
			ID: "nonconvex/experiments/iterations", Source: "Fig. 2", Kind: verify.Experiment,
			Statement: "on synthetic data the norm of the projected gradient changes less from T = 50 to 400 at ε = 2 than from ε = 0.1 to 5 at T = 200, by a tenth of the largest norm in the mean",
			Check:     effects(0.1),
			Twin:      verify.Twin{Check: effects(2), Want: checks.Refuted, Fault: "ε = 2 in the place of 0.1"},
		},
		{
			ID: "nonconvex/experiments/iterations/bounds", Source: "Experiments Results on Fig. 2", Kind: verify.Rate,
			Statement: "the upper bounds are independent of T: there is a K such that E‖g_R‖₂ ≤ K·(p·ln(1/δ))^¼/√(nε) whatever T is, where F is constant",
			Check:     anySteps(true, ""),
			Twin:      verify.Twin{Check: anySteps(false, stepsProof), Want: checks.Holds, Fault: "none: the T of Theorem 2"},
			Corrected: "nonconvex/experiments/iterations/bounds/corrected",
		},
		{
			ID: "nonconvex/experiments/iterations/bounds/corrected", Source: "Theorem 2, its T", Kind: verify.Rate,
			Statement: "at T = ⌈nε/√(p·ln(1/δ))⌉ E‖g_R‖₂ ≤ √(4LΔ + 4cG²)·(p·ln(1/δ))^¼/√(nε) where F is constant",
			Check:     anySteps(false, stepsProof),
			Twin:      verify.Twin{Check: anySteps(true, ""), Want: checks.Refuted, Fault: "a larger T"},
		},
		{
			ID: "nonconvex/experiments/trends", Source: "Fig. 1", Kind: verify.Experiment,
			Statement: "on synthetic data the norm of the projected gradient falls from each ε ∈ {0.1, 0.5, 2, 5} to the next, T = 200, in the mean",
			Check:     trend{variable: "ε", grid: []float64{0.1, 0.5, 2, 5}, noise: algorithm.NoiseConcentrated}.check(synthetic),
			Twin:      verify.Twin{Check: trend{variable: "ε", grid: []float64{0.1, 0.5, 2, 5}, noise: inverted}.check(synthetic), Want: checks.Refuted, Fault: "noise that grows with ε"},
		},
		{
			ID: "nonconvex/experiments/trends/size", Source: "Fig. 3", Kind: verify.Experiment,
			Statement: "on synthetic data the norm of the projected gradient falls from each n ∈ {2500, 5000, 10000, 20000} to the next, ε = 2, T = 400, in the mean",
			Check:     trend{variable: "n", grid: []float64{2500, 5000, 10000, 20000}, noise: algorithm.NoiseConcentrated}.check(synthetic),
			Twin:      verify.Twin{Check: trend{variable: "n", grid: []float64{2500, 5000, 10000, 20000}, noise: growing}.check(synthetic), Want: checks.Refuted, Fault: "noise that grows with n"},
		},
		{
			ID: "nonconvex/experiments/trends/covertype", Source: "Fig. 1, right", Kind: verify.Experiment,
			Statement: "on Covertype the norm of the projected gradient falls from each ε ∈ {0.1, 0.5, 2, 5} to the next, T = 200, in the mean",
			Check:     onFile{covertypeFile, trend{variable: "ε", grid: []float64{0.1, 0.5, 2, 5}, noise: algorithm.NoiseConcentrated}.check(covertype)},
			Twin:      verify.Twin{Check: trend{variable: "ε", grid: []float64{0.1, 0.5, 2, 5}, noise: inverted}.check(synthetic), Want: checks.Refuted, Fault: "synthetic data, noise that grows with ε"},
		},
		{
			ID: "nonconvex/experiments/comparison", Source: "Fig. 4", Kind: verify.Experiment,
			Statement: "on Covertype at ε = 0.5 and 2 the norm of the projected gradient under the closed form is at most that under the noise of Wang, Ye & Xu, whose constant the moments accountant gives, in the mean of the ratios",
			Check:     onFile{covertypeFile, better.check(covertype)},
			Twin:      verify.Twin{Check: worse.check(synthetic), Want: checks.Refuted, Fault: "synthetic data, line 3 as printed"},
		},
		{
			ID: "nonconvex/experiments/comparison/synthetic", Source: "Fig. 4, on the synthetic data", Kind: verify.Experiment,
			Statement: "on synthetic data at ε = 0.5 and 2 the norm of the projected gradient under the closed form is at most that under the noise of Wang, Ye & Xu, in the mean of the ratios",
			Check:     better.check(synthetic),
			Twin:      verify.Twin{Check: worse.check(synthetic), Want: checks.Refuted, Fault: "line 3 as printed"},
		},
		{
			ID: "nonconvex/experiments/comparison/synthetic/subgradient", Source: "Fig. 4, the methods as their papers have them", Kind: verify.Experiment,
			Statement: "on synthetic data at ε = 0.5 and 2 the norm of the projected gradient of Algorithm 1 under the closed form is at most that of gradient descent by the subgradient of the regulariser under the noise of Wang, Ye & Xu, in the mean of the ratios, at nearly equal noise",
			Check:     comparison{ours: algorithm.NoiseConcentrated, theirs: algorithm.NoiseMoments, subgradient: true}.check(synthetic),
			Twin:      verify.Twin{Check: comparison{ours: algorithm.NoiseStep3, theirs: nearlyNone, subgradient: true}.check(synthetic), Want: checks.Refuted, Fault: "line 3 as printed, against hardly any noise"},
		},
		{
			ID: "nonconvex/experiments/comparison/synthetic/zhang", Source: "Fig. 4, Zhang et al. with T", Kind: verify.Experiment,
			Statement: "on synthetic data at ε = 0.5 and 2 the norm of the projected gradient under the closed form is at most that under the noise of Zhang et al. with T put in, in the mean of the ratios",
			Check:     comparison{ours: algorithm.NoiseConcentrated, theirs: zhang(true)}.check(synthetic),
			Twin:      verify.Twin{Check: comparison{ours: algorithm.NoiseStep3, theirs: nearlyNone}.check(synthetic), Want: checks.Refuted, Fault: "line 3 as printed, against hardly any noise"},
		},
		{
			ID: "nonconvex/experiments/comparison/noise", Source: "Fig. 4, the noise alone", Kind: verify.Experiment,
			Statement: "at ε = 0.5 and 2, δ = 10⁻³ and T = 200 the variance of the closed form is below that of the moments accountant with integer orders",
			Check:     momentGain(1),
			Twin:      verify.Twin{Check: momentGain(0.9), Want: checks.Refuted, Fault: "by a tenth, as a figure could show"},
		},
	}
}

// The experiments: δ = 10⁻³, the falling sigmoid, λ/2 = 0.005. The rows are a sample of
// distinctRows rows, each of which stands for n/distinctRows of the n records: F is a mean,
// and the noise knows n.
const (
	paperDelta   = 1e-3
	paperRecords = 10000
	distinctRows = 50
)

// source gives the rows, of norm at most 1, and the number n of records they stand for.
type source func(s verify.Settings) (data *dataset.Dataset, records int, err error)

func synthetic(s verify.Settings) (*dataset.Dataset, int, error) {
	data, err := plantedRows(s.Stream("rows"), distinctRows, 100)
	return data, paperRecords, err
}

// covertypeFile is the file of the UCI repository: 54 columns and the class, of which 2, the
// most frequent, is taken against the rest, which the paper does not say.
const covertypeFile = "covtype.data.gz"

func covertype(s verify.Settings) (*dataset.Dataset, int, error) {
	path := filepath.Join(s.Data, covertypeFile)
	if _, err := os.Stat(path); s.Data == "" || err != nil {
		return nil, 0, &verify.MissingData{File: covertypeFile, Dir: s.Data}
	}
	data, err := dataset.Load(path, dataset.Options{Format: dataset.FormatCSV, Labels: dataset.Labels{Negative: dataset.AnyClass, Positive: "2"}})
	if err != nil {
		return nil, 0, err
	}
	rows := s.Stream("rows").Perm(data.Len())[:min(distinctRows, data.Len())]
	if data, err = data.Subset(rows); err != nil {
		return nil, 0, err
	}
	prepared, err := dataset.Preparation{Standardize: true, Scale: dataset.ScaleRows}.Fit(data)
	if err != nil {
		return nil, 0, err
	}
	data, err = prepared.Apply(data)
	return data, 200000, err
}

// onFile is a check whose evidence names the file it was measured on.
type onFile struct {
	file string
	verify.Check
}

// Prepare prepares the check.
func (o onFile) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	trial, err := o.Check.Prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	return onFileTrial{trial, o.file}, nil
}

type onFileTrial struct {
	verify.Trial
	file string
}

// Judge names the file.
func (o onFileTrial) Judge(t empirical.Tally) (verify.Evidence, error) {
	e, err := o.Trial.Judge(t)
	e.Data = o.file
	return e, err
}

// setting is one run of DP-GD as in the experiments.
type setting struct {
	records, steps int
	epsilon        float64
	noise          noiseFormula
	subgradient    bool // gradient descent in the place of Algorithm 1
}

// norm runs Algorithm 1 from a random unit vector, γ = 1/(2L), and returns the norm of the
// projected gradient at ∇F(x_R).
func (e setting) norm(ctx context.Context, r *rand.Rand, data *dataset.Dataset) (float64, error) {
	b := algorithm.Budget{Epsilon: e.epsilon, Delta: paperDelta, Steps: e.steps, Records: e.records, Lipschitz: rateSmooth.Lipschitz}
	sigma, err := e.noise(b)
	if err != nil {
		return 0, err
	}
	space, err := erm.NewSpace(data.Dim())
	if err != nil {
		return 0, err
	}
	start := gaussian(r, data.Dim())
	floats.Scale(1/floats.Norm(start, 2), start)
	c := algorithm.Config{Loss: erm.Sigmoid{Falling: true}, Iterations: e.steps, Start: start, Sigma: sigma, StepSize: algorithm.Constant(settle(0))}
	var result *algorithm.Result
	if e.subgradient {
		result, err = algorithm.GD(ctx, r, data, erm.L1{Lambda: rateLambda}, c)
	} else {
		result, err = algorithm.PGD(ctx, r, data, space, rateLambda, c)
	}
	if err != nil {
		return 0, err
	}
	return projectedNorm(data, c.Loss, space, rateLambda, result.X, result.Gamma)
}

const settingWords = "; falling sigmoid, λ/2 = 0.005, δ = 10⁻³, γ = 1/(2L), x_1 a random unit vector, G = ¼"

// trend is the fall of the norm from each point of a grid of ε or n to the next, on the same
// coins, over the larger of the two norms: at least leastFall in the mean.
type trend struct {
	variable string
	grid     []float64
	noise    noiseFormula
}

// leastFall is next to none: the paper says that the norm is smaller.
const leastFall = 1e-6

func (t trend) check(from source) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, records, err := from(s)
		if err != nil {
			return nil, err
		}
		last := len(t.grid) - 1
		return verify.RateCheck{
			Quantity: "mean relative fall of ‖P(x_R, ∇F(x_R), γ)‖₂ to the next point, on the same coins" + settingWords, Variable: t.variable,
			Sense: verify.AtLeast, Grid: t.grid[:last], Replicates: 320, Effect: 0.1 / leastFall,
			Run: func(ctx context.Context, r *rand.Rand, x float64) (float64, error) {
				next := t.grid[slices.Index(t.grid, x)+1]
				return fall(r, func(r *rand.Rand, x float64) (float64, error) {
					e := setting{records: records, steps: 200, epsilon: x, noise: t.noise}
					if t.variable == "n" {
						e = setting{records: int(x), steps: 400, epsilon: 2, noise: t.noise}
					}
					return e.norm(ctx, r, data)
				}, x, next)
			},
			Bound: func(float64) float64 { return leastFall },
			Range: func(float64) (lo, hi float64) { return -1, 1 },
		}, nil
	})
}

// fall is (a − b)/max(a, b) for the values of f at x and next on the same coins, 0 where
// both are 0.
func fall(r *rand.Rand, f func(r *rand.Rand, x float64) (float64, error), x, next float64) (float64, error) {
	seed := r.Uint64()
	a, err := f(rand.New(rand.NewPCG(seed, 1)), x)
	if err != nil {
		return 0, err
	}
	b, err := f(rand.New(rand.NewPCG(seed, 1)), next)
	if err != nil || a == b {
		return 0, err
	}
	return (a - b) / math.Max(a, b), nil
}

// inverted is noise that grows with ε: that of 0.05/ε.
func inverted(b algorithm.Budget) (float64, error) {
	b.Epsilon = 0.05 / b.Epsilon
	return algorithm.NoiseConcentrated(b)
}

// growing is noise that grows with n: that of 5·10⁷/n records.
func growing(b algorithm.Budget) (float64, error) {
	b.Records = 50000000 / b.Records
	return algorithm.NoiseConcentrated(b)
}

// effects compares the change of the norm from ε = low to 5 with that from T = 50 to 400.
func effects(low float64) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, records, err := synthetic(s)
		if err != nil {
			return nil, err
		}
		return verify.RateCheck{
			Quantity: "difference of the norms at ε = 0.1 and 5, T = 200, less that at T = 400 and 50, ε = 2, over the largest of the four" + settingWords, Variable: "n",
			Sense: verify.AtLeast, Grid: []float64{paperRecords}, Replicates: 480, Effect: 2,
			Run: func(ctx context.Context, r *rand.Rand, _ float64) (float64, error) {
				var norms [4]float64
				for i, e := range []setting{{steps: 200, epsilon: low}, {steps: 200, epsilon: 5}, {steps: 400, epsilon: 2}, {steps: 50, epsilon: 2}} {
					e.records, e.noise = records, algorithm.NoiseConcentrated
					norm, err := e.norm(ctx, r, data)
					if err != nil {
						return 0, err
					}
					norms[i] = norm
				}
				return (norms[0] - norms[1] - math.Abs(norms[2]-norms[3])) / slices.Max(norms[:]), nil
			},
			Bound: func(float64) float64 { return 0.1 },
			Range: func(float64) (lo, hi float64) { return -2, 1 },
		}, nil
	})
}

// comparison is the ratio of the norms under two noises, on the same coins.
// With subgradient, theirs is gradient descent by the subgradient of the regulariser, as the
// methods without a non-smooth one would have it.
type comparison struct {
	ours, theirs noiseFormula
	subgradient  bool
}

// nearlyNone is a hundredth of the noise of the closed form.
func nearlyNone(b algorithm.Budget) (float64, error) {
	sigma, err := algorithm.NoiseConcentrated(b)
	return sigma / 100, err
}

func (c comparison) check(from source) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, records, err := from(s)
		if err != nil {
			return nil, err
		}
		return verify.RateCheck{
			Quantity: "mean ratio of ‖P(x_R, ∇F(x_R), γ)‖₂ under the two noises, on the same coins, T = 200" + settingWords, Variable: "ε",
			Sense: verify.AtMost, Grid: []float64{0.5, 2}, Replicates: 240,
			Run: func(ctx context.Context, r *rand.Rand, x float64) (float64, error) {
				seed := r.Uint64()
				var norms [2]float64
				for i, noise := range []noiseFormula{c.ours, c.theirs} {
					norm, err := setting{records, 200, x, noise, c.subgradient && i == 1}.norm(ctx, rand.New(rand.NewPCG(seed, 1)), data)
					if err != nil {
						return 0, err
					}
					norms[i] = norm
				}
				return norms[0] / norms[1], nil
			},
			Bound: func(float64) float64 { return 1 },
			Range: func(float64) (lo, hi float64) { return 0, math.Inf(1) },
		}, nil
	})
}

func momentGain(claimed float64) verify.Check {
	return verify.Relation{
		Quantity: "variance of the closed form over that of the moments accountant", Sense: verify.Below, Domain: "ε ∈ {0.5, 2}, δ = 10⁻³; T and n cancel",
		Points: lazily(func() (points []verify.Point) {
			for _, epsilon := range []float64{0.5, 2} {
				b := algorithm.Budget{Epsilon: epsilon, Delta: paperDelta, Steps: 200, Records: paperRecords, Lipschitz: 1}
				ours, err1 := algorithm.NoiseConcentrated(b)
				theirs, err2 := algorithm.NoiseMoments(b)
				points = append(points, verify.Point{At: verify.At("ε=%g", epsilon), Measured: checks.OrNaN(checks.OrNaN(ours*ours/(theirs*theirs), err1), err2), Claimed: claimed, Show: true})
			}
			return points
		}),
	}
}

// trainedError is the error rate after 400 steps without noise.
func trainedError(loss erm.Loss) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		data, _, err := synthetic(s)
		if err != nil {
			return nil, err
		}
		space, err := erm.NewSpace(data.Dim())
		if err != nil {
			return nil, err
		}
		var last []float64
		c := algorithm.Config{
			Loss: loss, Iterations: 400, Start: make([]float64, data.Dim()), StepSize: algorithm.Constant(settle(0)),
			Observe: func(_ int, _, _, next []float64) { last = append(last[:0], next...) },
		}
		if _, err := algorithm.PGD(ctx, s.Stream("run"), data, space, 0, c); err != nil {
			return nil, err
		}
		return verify.Relation{
			Quantity: "error rate on the training rows", Sense: verify.Below, Domain: "50 planted rows of dimension 100 and norm 1, 400 steps, γ = 1/(2L), no noise, λ = 0",
			Points: lazily(func() []verify.Point {
				return []verify.Point{{At: verify.At("loss %s", loss.Name()), Measured: erm.ErrorRate(last, data), Claimed: 0.5, Show: true}}
			}),
		}.Prepare(ctx, s)
	})
}

func lossConstant(claimed float64) verify.Check {
	return verify.Relation{
		Quantity: "largest |f(θ) − f(θ′)|/‖θ − θ′‖₂", Sense: verify.AtMost, Domain: "rows of norm r ∈ {0.1, 0.5, 1} and every θ",
		Proof: "the slope of the sigmoid is σ(m)σ(−m) ≤ ¼, times the norm of the row",
		Points: lazily(func() (points []verify.Point) {
			for _, norm := range []float64{0.1, 0.5, 1} {
				o := erm.Objective{Loss: erm.Sigmoid{}}
				points = append(points, verify.Point{At: verify.At("‖x‖=%g", norm), Measured: o.Lipschitz(norm, math.Inf(1)), Claimed: claimed, Show: true})
			}
			return points
		}),
	}
}

// scaledNoise is the δ of x_2 = x_1 − γ(g + ε_1) whose γ is times as large under one
// neighbour: N(0, times²) against N(0, 1), whose likelihood ratio grows with |x|.
func scaledNoise(times float64) verify.Check {
	return verify.Relation{
		Quantity: "least δ of x_2", Sense: verify.AtMost, Domain: "p = 1, ε ∈ {0.1, 0.5, 2, 5}, any σ > 0",
		Points: lazily(func() (points []verify.Point) {
			for _, epsilon := range []float64{0.1, 0.5, 2, 5} {
				least := 0.0
				if times > 1 {
					// ln of the ratio is x²(1 − 1/times²)/2 − ln times.
					edge := math.Sqrt(2 * (epsilon + math.Log(times)) / (1 - 1/(times*times)))
					least = 2 * (distuv.UnitNormal.Survival(edge/times) - math.Exp(epsilon)*distuv.UnitNormal.Survival(edge))
				}
				points = append(points, verify.Point{At: verify.At("ε=%g", epsilon), Measured: least, Claimed: paperDelta, Error: 1e-9, Show: true})
			}
			return points
		}),
	}
}

const stepsProof = "bounds.Smooth.DescentFactor"

// anySteps takes records whose losses cancel, so that g_R is the noise and E‖g_R‖₂ =
// σE‖b‖₂, at T = ⌈v⌉ or so much more that K = factor, ten and a hundred times as much
// is exceeded.
func anySteps(more bool, proof string) verify.Check {
	const dim, n = 4, 16000.0
	return verify.Relation{
		Quantity: "E‖g_R‖₂ of Algorithm 1, exact", Sense: verify.AtMost, Proof: proof,
		Domain: "p = 4, n = 16000, ε = 1, δ = 10⁻³, c = 11.66, G = ¼, no regulariser; T = ⌈v⌉, or (4K/√(cG²))² times as much",
		Points: lazily(func() (points []verify.Point) {
			v := bounds.DescentRatio(n, rateEpsilon, rateDelta, dim)
			for _, times := range []float64{1, 10, 100} {
				k := times * rateSmooth.DescentFactor()
				steps := math.Ceil(v)
				if more {
					steps *= math.Ceil(16 * k * k / (rateSmooth.Constant * rateSmooth.Lipschitz * rateSmooth.Lipschitz))
				}
				sigma, err := algorithm.NoiseTheorem1(budget(n, int(steps)), rateSmooth.Constant)
				points = append(points, verify.Point{
					At: verify.At("K=%.3g, T=%g", k, steps), Measured: checks.OrNaN(sigma*l2Width(dim), err), Claimed: k / math.Sqrt(v), Show: true,
				})
			}
			return points
		}),
	}
}
