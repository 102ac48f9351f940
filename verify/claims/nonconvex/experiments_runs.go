package nonconvex

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/dataset"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/mean"
)

// distinctRows is the number of rows of a sample; each row represents n/distinctRows of the n records.
const distinctRows = 50

// source returns rows of norm at most 1, and the number n of records that they represent.
type source func(s verify.Settings) (data *dataset.Dataset, records int, err error)

func synthetic(s verify.Settings) (*dataset.Dataset, int, error) {
	data, err := plantedRows(s.Stream("rows"), distinctRows, 100)
	return data, syntheticRecords, err
}

// covertypeName returns the name of the available form of Covertype, by default that of the UCI repository.
func covertypeName(s verify.Settings) string {
	name, err := dataset.Find(s.Data, "covertype", "covertype-libsvm")
	if s.Data == "" || err != nil {
		return "covertype"
	}
	return name
}

// covertype returns the most frequent cover type 2 against the rest, a choice that the paper does not state. It has
// no effect on the norms: −y for y means −θ for θ, and x_1 has a symmetric distribution.
func covertype(s verify.Settings) (*dataset.Dataset, int, error) {
	data, _, err := checks.Open(s, covertypeName(s))
	if err != nil {
		return nil, 0, err
	}
	rows := s.Stream("rows", "covertype").Perm(data.Len())[:min(distinctRows, data.Len())]
	if data, err = data.Subset(rows); err != nil {
		return nil, 0, err
	}
	prepared, err := dataset.Preparation{Scale: dataset.ScaleRows}.Fit(data)
	if err != nil {
		return nil, 0, err
	}
	data, err = prepared.Apply(data)
	return data, covertypeRecords, err
}

// manySynthetic returns synthetic rows that represent as many records as Covertype has.
func manySynthetic(s verify.Settings) (*dataset.Dataset, int, error) {
	data, err := plantedRows(s.Stream("rows", "many"), distinctRows, syntheticDim)
	return data, covertypeRecords, err
}

// onCovertype is a check whose evidence names the data file.
type onCovertype struct{ verify.Check }

// Prepare prepares the check.
func (o onCovertype) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	source, err := dataset.Known(covertypeName(s))
	if err != nil {
		return nil, err
	}
	return checks.OnFile(source.Train[0], o.Check).Prepare(ctx, s)
}

// normName is the vertical axis of the figures; coins is the number of replicates of their curves.
const (
	normName = "norm of the projected gradient"
	coins    = 40
)

const settingWords = "; falling sigmoid, λ/2 = 0.005, δ = 10⁻³, γ = 1/(2L), x_1 a random unit vector, G = 0.25"

// trend checks the relative decrease of the norm from each point of a grid of ε or n to the next, with the same
// random draws. The claimed mean is at least leastFall.
type trend struct {
	variable string
	grid     []float64
	noise    noiseFormula
}

// leastFall is almost 0, because the paper says only that the norm is smaller.
const leastFall = 1e-6

func (t trend) check(from source) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, records, err := from(s)
		if err != nil {
			return nil, err
		}
		last := len(t.grid) - 1
		return mean.Rate{
			Quantity: "mean relative fall of ‖P(x_R, ∇F(x_R), γ)‖₂ to the next point, with the same random draws" + settingWords,
			Variable: t.variable,
			Sense:    verify.AtLeast, Grid: t.grid[:last], Replicates: 320, Effect: 0.01 / leastFall,
			Curves: &mean.ExtraCurves{Variable: t.variable, Quantity: normName, Replicates: coins,
				Run: func(ctx context.Context, r *rand.Rand, x float64, curves *verify.CurveRecorder) (float64, error) {
					next := t.grid[slices.Index(t.grid, x)+1]
					return fall(r, func(r *rand.Rand, x float64) (float64, error) {
						e := setting{records: records, steps: 200, epsilon: x, noise: t.noise}
						if t.variable == "n" {
							e = setting{records: int(x), steps: 400, epsilon: 2, noise: t.noise}
						}
						norm, err := e.norm(ctx, r, data)
						curves.Add("Algorithm 1, the noise of the closed form", x, norm)
						return norm, err
					}, x, next)
				}},
			Bound: func(float64) float64 { return leastFall },
			Range: func(float64) (lo, hi float64) { return math.Inf(-1), 1 },
		}, nil
	})
}

// fall returns (a − b)/max(a, b) for the values a and b of f at x and next with the same random draws, or 0 if both
// are 0.
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

// inverted returns noise that increases with ε: the noise of 0.05/ε.
func inverted(b algorithm.Budget) (float64, error) {
	b.Epsilon = 0.05 / b.Epsilon
	return algorithm.NoiseConcentrated(b)
}

// growing returns noise that increases with n: the noise of 5·10⁷/n records.
func growing(b algorithm.Budget) (float64, error) {
	b.Records = 50000000 / b.Records
	return algorithm.NoiseConcentrated(b)
}

// effects compares the change of the norm from the smallest ε to 5 with the change from T = 50 to 400.
func effects(low float64, from source) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, records, err := from(s)
		if err != nil {
			return nil, err
		}
		return mean.Rate{
			Quantity: "difference of the norms at ε = 0.1 and 5, T = 200, less the difference at T = 400 and 50, ε = 2, " +
				"over the largest of the four" + settingWords, Variable: "n",
			Sense: verify.AtLeast, Grid: []float64{float64(records)}, Replicates: 480, Effect: 0.5,
			Curves: &mean.ExtraCurves{Quantity: normName, Replicates: coins,
				Run: func(ctx context.Context, r *rand.Rand, _ float64, curves *verify.CurveRecorder) (float64, error) {
					var norms [4]float64
					for i, e := range []setting{{steps: 200, epsilon: low}, {steps: 200, epsilon: 5}, {steps: 400, epsilon: 2},
						{steps: 50, epsilon: 2}} {
						e.records, e.noise = records, algorithm.NoiseConcentrated
						norm, err := e.norm(ctx, r, data)
						if err != nil {
							return 0, err
						}
						norms[i] = norm
						curves.AddAt("Algorithm 1, the noise of the closed form", fmt.Sprintf("ε = %g, T = %d", e.epsilon,
							e.steps), norm)
					}
					return (norms[0] - norms[1] - math.Abs(norms[2]-norms[3])) / slices.Max(norms[:]), nil
				}},
			Bound: func(float64) float64 { return 0.1 },
			Range: func(float64) (lo, hi float64) { return math.Inf(-1), 1 },
		}, nil
	})
}

// normRatio computes the ratio of the norms on two data sets at each ε of the experiments.
func normRatio(first, second source) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		var data [2]*dataset.Dataset
		var records [2]int
		for i, from := range []source{first, second} {
			var err error
			if data[i], records[i], err = from(s); err != nil {
				return nil, err
			}
		}
		return mean.Rate{
			Quantity: "mean ratio of ‖P(x_R, ∇F(x_R), γ)‖₂, over R, on the larger data set and on the smaller, T = 200" +
				settingWords,
			Variable: "ε", Sense: verify.AtMost, Grid: paperEpsilons, Replicates: 160, Effect: 0.1,
			Run: func(ctx context.Context, r *rand.Rand, x float64) (float64, error) {
				var norms [2]float64
				for i := range norms {
					e := setting{records: records[i], steps: paperSteps, epsilon: x, noise: algorithm.NoiseConcentrated}
					var err error
					if norms[i], err = e.norm(ctx, r, data[i]); err != nil {
						return 0, err
					}
				}
				return norms[0] / norms[1], nil
			},
			Bound: func(float64) float64 { return 1 },
			Range: func(float64) (lo, hi float64) { return 0, math.Inf(1) },
		}, nil
	})
}

// comparison measures the ratio of the norms under two noises with the same random draws. With subgradient, the
// second method is gradient descent with the subgradient of the regularizer, like the methods for smooth objectives.
type comparison struct {
	ours, theirs noiseFormula
	subgradient  bool
}

// nearlyNone returns a hundredth of the noise of the closed form.
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
		return mean.Rate{
			Quantity: "mean ratio of ‖P(x_R, ∇F(x_R), γ)‖₂, over R, under the two noises, with the same random draws, T = " +
				"200" + settingWords,
			Variable: "ε",
			Sense:    verify.AtMost, Grid: []float64{0.5, 2}, Replicates: 240,
			Curves: &mean.ExtraCurves{Variable: "ε", Quantity: normName, Replicates: coins,
				Run: func(ctx context.Context, r *rand.Rand, x float64, curves *verify.CurveRecorder) (float64, error) {
					seed := r.Uint64()
					var norms [2]float64
					for i, noise := range []noiseFormula{c.ours, c.theirs} {
						norm, err := setting{records, 200, x, noise, c.subgradient && i == 1}.norm(ctx, rand.New(rand.NewPCG(seed,
							1)),
							data)
						if err != nil {
							return 0, err
						}
						norms[i] = norm
						curves.Add([]string{"the closed form", "the other noise"}[i], x, norm)
					}
					return norms[0] / norms[1], nil
				}},
			Bound: func(float64) float64 { return 1 },
			Range: func(float64) (lo, hi float64) { return 0, math.Inf(1) },
		}, nil
	})
}
