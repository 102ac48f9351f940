package nonconvex

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/mean"
)

// The rows of a run, each of which stands for n/rows of the n = 10⁴ records: as many as the gradient of the law
// needs at a random point and at 0, or a few where the noise drowns it.
const (
	manyRows = 500
	someRows = 200
	fewRows  = 50
)

// measured is a mean over runs on planted rows; value makes the runs that it needs, on one seed.
type measured struct {
	quantity, variable string
	rows               int
	grid               []float64
	sense              verify.Sense
	replicates         int64
	effect             float64
	least, most        float64 // of a value; what bars no side may be infinite
	value              func(run func(trainingRun) (trainingResult, error), x float64) (float64, error)
	bound              func(zero float64) float64 // zero is the norm of the projected gradient at 0
}

func (m measured) check() verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, err := plantedRows(s.Common("rows"), m.rows, syntheticDim)
		if err != nil {
			return nil, err
		}
		zero, err := gradientAtZero(data)
		if err != nil {
			return nil, err
		}
		return mean.Rate{
			Quantity: m.quantity, Variable: m.variable, Sense: m.sense, Grid: m.grid, Replicates: m.replicates, Effect: m.effect,
			Note: "n = 10⁴, p = 100, T = 200, δ = 10⁻³, λ/2 = 0.005; falling sigmoid on planted rows of norm 1, γ = 1/(2L), " +
				"x_1 a random unit vector",
			Run: func(ctx context.Context, r *rand.Rand, x float64) (float64, error) {
				seed := r.Uint64()
				return m.value(func(t trainingRun) (trainingResult, error) {
					t.Records, t.Steps, t.Lambda = syntheticRecords, paperSteps, cmp.Or(t.Lambda, paperLambda)
					return t.Of(ctx, rand.New(rand.NewPCG(seed, 1)), data)
				}, x)
			},
			Bound: func(float64) float64 { return m.bound(zero) },
			Range: func(float64) (lo, hi float64) { return m.least, m.most },
		}, nil
	})
}

func constant(v float64) func(float64) float64 { return func(float64) float64 { return v } }

// progress is the rise of the norm from x_1 to x_R over the larger of the two, plus 1, for noise made for G = ¼, the
// least constant, and for 1.
func progress(epsilon float64, rows int, replicates int64) verify.Check {
	return measured{
		quantity: "1 + the rise of ‖P‖ from x_1 to x_R over the larger of the two", variable: "G", rows: rows,
		grid: []float64{0.25, 1}, sense: verify.AtLeast, replicates: replicates, effect: 0.05, least: math.Inf(-1), most: 2,
		bound: constant(0.9),
		value: func(run func(trainingRun) (trainingResult, error), g float64) (float64, error) {
			result, err := run(trainingRun{Epsilon: epsilon, Noise: algorithm.NoiseStep3, Lipschitz: g})
			return 1 + (result.Norm-result.Start)/math.Max(result.Norm, result.Start), err
		},
	}.check()
}

// lossShare is the loss's gradient at x_R over λ√p/2.
func lossShare(epsilon float64) verify.Check {
	return measured{
		quantity: "‖∇F(x_R)‖₂ over λ√p/2", variable: "G", rows: fewRows, grid: []float64{0.25, 1}, sense: verify.AtMost,
		replicates: 240, effect: 0.25, most: math.Inf(1), bound: constant(0.2),
		value: func(run func(trainingRun) (trainingResult, error), g float64) (float64, error) {
			result, err := run(trainingRun{Epsilon: epsilon, Noise: algorithm.NoiseStep3, Lipschitz: g})
			return result.Gradient / (paperLambda * math.Sqrt(syntheticDim)), err
		},
	}.check()
}

// factorTwo is the larger departure from what the regulariser alone would do, on the same coins: of the norm at twice
// λ from twice the norm, and of the norm at half of the noise from the norm at twice the noise, each over the norm.
func factorTwo(epsilon float64) verify.Check {
	return measured{
		quantity: "largest relative change of ‖P‖ at x_R that λ alone does not explain", variable: "G", rows: fewRows,
		grid: []float64{0.25, 1}, sense: verify.AtMost, replicates: 96, effect: 0.25, most: math.Inf(1), bound: constant(0.1),
		value: func(run func(trainingRun) (trainingResult, error), g float64) (float64, error) {
			norm := func(noise, lambda float64) (float64, error) {
				result, err := run(trainingRun{Epsilon: epsilon, Noise: algorithm.NoiseStep3, Lipschitz: noise * g,
					Lambda: lambda})
				return result.Norm, err
			}
			base, err1 := norm(1, paperLambda)
			twice, err2 := norm(1, 2*paperLambda)
			less, err3 := norm(0.5, paperLambda)
			more, err4 := norm(2, paperLambda)
			return math.Max(math.Abs(twice/2-base), math.Abs(more-less)) / base, cmp.Or(err1, err2, err3, err4)
		},
	}.check()
}

// besideZero holds the norm at x_R against times that at 0.
func besideZero(times float64, rows int, replicates int64) verify.Check {
	return measured{
		quantity: "‖P‖ at x_R", variable: "ε", rows: rows, grid: []float64{0.5, 2, 5}, sense: verify.AtLeast,
		replicates: replicates, effect: 0.1, least: math.Inf(-1), most: 0.25 + paperLambda*10,
		bound: func(zero float64) float64 { return math.Max(times*zero, 1e-6) }, // it may be 0
		value: func(run func(trainingRun) (trainingResult, error), epsilon float64) (float64, error) {
			result, err := run(trainingRun{Epsilon: epsilon, Noise: algorithm.NoiseConcentrated, Lipschitz: 0.25})
			return result.Norm, err
		},
	}.check()
}

// errorRise is 1 + the error rate at ε = 5 less that at low, on the same coins.
func errorRise(low float64, noise noiseFormula, replicates int64) verify.Check {
	return measured{
		quantity: "1 + the error rate at ε = 5 less that at the smaller ε, on the same coins", variable: "G", rows: someRows,
		grid: []float64{0.25}, sense: verify.AtLeast, replicates: replicates, effect: 0.05, least: math.Inf(-1), most: 2,
		bound: constant(1),
		value: func(run func(trainingRun) (trainingResult, error), g float64) (float64, error) {
			before, err := run(trainingRun{Epsilon: low, Noise: noise, Lipschitz: g, Errors: true})
			if err != nil {
				return 0, err
			}
			after, err := run(trainingRun{Epsilon: 5, Noise: algorithm.NoiseConcentrated, Lipschitz: g, Errors: true})
			return 1 + after.Error - before.Error, err
		},
	}.check()
}
