package nonconvex

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
)

// The adversary of the rates: at each point of a grid it tries some instances in a pilot of its own, and the mean is
// then taken at the one that came nearest to its bound.

// instance is one F of a theorem at one point, ready to run.
type instance struct {
	regime
	name   string
	v      float64
	smooth bounds.Smooth
	lambda float64
	data   *dataset.Dataset
	config algorithm.Config
}

// pilots are the runs of each instance by which the adversary chooses.
const pilots = 3

// worst returns the instance whose mean in the pilot is largest beside its bound.
func (t rate) worst(ctx context.Context, s verify.Settings, g regime) (worst instance, ratio float64, err error) {
	v := t.ratio(g)
	if g.steps == 0 {
		g.steps = math.Ceil(v)
	}
	candidates, err := t.instances(s, g, v)
	if err != nil {
		return worst, 0, err
	}
	r := s.Stream(fmt.Sprintf("adversary %v", g))
	ratio = -1
	for _, i := range candidates {
		sum := 0.0
		for range pilots {
			x, err := t.value(ctx, r, i)
			if err != nil {
				return worst, 0, fmt.Errorf("%s: %w", i.name, err)
			}
			sum += x / pilots
		}
		if now := sum / t.bound(i.smooth, g, v); now > ratio {
			worst, ratio = i, now
		}
	}
	return worst, ratio, nil
}

// instances are those of the theorem at one point. Each is given its noise and step size by the theorem.
func (t rate) instances(s verify.Settings, g regime, v float64) (all []instance, err error) {
	for _, o := range t.families {
		data, err := o.rows(s.Common("rows"), int(g.dim))
		if err != nil {
			return nil, err
		}
		smooth := o.smooth(int(g.dim))
		all = append(all, instance{
			regime: g, name: o.name, v: v, smooth: smooth, lambda: o.lambda, data: data,
			config: algorithm.Config{Loss: o.loss, Iterations: int(g.steps), Start: o.start(g, v),
				StepSize: algorithm.Constant(t.step(smooth, v, g.steps))},
		})
	}
	if t.slopes == nil {
		return all, nil
	}
	for _, slope := range t.slopes(g, v) {
		for _, start := range t.starts(int(g.dim)) {
			i, err := t.sloping(g, v, slope, start)
			if err != nil {
				return nil, err
			}
			all = append(all, i)
		}
	}
	return all, nil
}

// sloping is F(x) = ±slope·x_1, of records with slope at most G = 1, on a set where ±x_1 is at least −1. It is
// L-smooth for L = 0.
func (t rate) sloping(g regime, v, slope float64, start []float64) (instance, error) {
	row := make([]float64, len(start))
	row[0] = math.Min(slope, 1)
	data, err := dataset.NewDense(len(start), row, []float64{-t.sign})
	if err != nil {
		return instance{}, err
	}
	smooth := bounds.Smooth{Lipschitz: 1, Range: row[0] * (t.sign*start[0] + 1), Constant: bounds.ConcentratedConstant}
	return instance{
		regime: g, name: fmt.Sprintf("F = %.3g·x₁ from x₁ = %.3g", t.sign*row[0], start[0]), v: v, smooth: smooth,
		data: data,
		config: algorithm.Config{Loss: falling{}, Iterations: int(g.steps), Start: start,
			StepSize: algorithm.Constant(t.step(smooth, v, g.steps))},
	}, nil
}

// family is a family of instances, one in each dimension.
type family struct {
	name   string
	loss   erm.Loss
	lambda float64
	rows   func(r *rand.Rand, dim int) (*dataset.Dataset, error) // the records, each as often as the others
	smooth func(dim int) bounds.Smooth
	start  func(g regime, v float64) []float64
}

// planted is the sigmoid on planted rows of norm 1, from 0, with the regulariser lambda.
func planted(rows func(dim int) int, start func(dim int) []float64, lambda float64) family {
	return family{
		name: "sigmoid on planted rows", loss: erm.Sigmoid{Falling: true}, lambda: lambda,
		rows: func(r *rand.Rand, dim int) (*dataset.Dataset, error) {
			return plantedRows(r, rows(dim), dim)
		},
		smooth: func(int) bounds.Smooth { return rateSmooth },
		start:  func(g regime, _ float64) []float64 { return start(int(g.dim)) },
	}
}

// cancelling are two records whose sigmoids add up to a constant: g_R is the noise. The rows have norm scale, which
// makes steps as small beside C as one likes.
func cancelling(scale float64) family {
	return family{
		name: "two records that cancel", loss: erm.Sigmoid{Falling: true},
		rows: func(_ *rand.Rand, dim int) (*dataset.Dataset, error) {
			rows := make([]float64, 2*dim)
			rows[0], rows[dim] = scale, scale
			return dataset.NewDense(dim, rows, []float64{1, -1})
		},
		smooth: func(int) bounds.Smooth {
			return bounds.Smooth{Smoothness: rateSmooth.Smoothness * scale * scale, Lipschitz: rateSmooth.Lipschitz * scale,
				Constant: bounds.ConcentratedConstant}
		},
		start: func(g regime, _ float64) []float64 { return origin(int(g.dim)) },
	}
}

// huberOnAxes is F(x) = (1/p) Σ h(scale·x_j), h the Huber loss, from its minimum. What a step adds of noise, the
// gradients of the next ones take back, so that g_R has it more than once.
func huberOnAxes(scale float64) family {
	return family{
		name: "Huber losses on the axes", loss: huber{},
		rows: func(_ *rand.Rand, dim int) (*dataset.Dataset, error) {
			starts, columns := make([]int, dim+1), make([]int32, dim)
			values, labels := make([]float64, dim), make([]float64, dim)
			for j := range dim {
				starts[j+1], columns[j], values[j], labels[j] = j+1, int32(j), scale, 1
			}
			return dataset.NewSparse(dim, starts, columns, values, labels)
		},
		smooth: func(dim int) bounds.Smooth {
			return bounds.Smooth{Smoothness: scale * scale / float64(dim), Lipschitz: scale,
				Constant: bounds.ConcentratedConstant}
		},
		start: func(g regime, _ float64) []float64 { return origin(int(g.dim)) },
	}
}

// huber is the Huber loss: m²/2 up to |m| = 1 and then linear.
type huber struct{}

func (huber) Name() string                 { return "huber" }
func (huber) Lipschitz(float64) float64    { return 1 }
func (huber) Smoothness(float64) float64   { return 1 }
func (huber) Convex() bool                 { return true }
func (huber) Derivative(m float64) float64 { return math.Max(-1, math.Min(1, m)) }
func (huber) Value(m float64) float64 {
	if a := math.Abs(m); a > 1 {
		return a - 0.5
	}
	return m * m / 2
}

// falling is the loss −m.
type falling struct{}

func (falling) Name() string               { return "−m" }
func (falling) Lipschitz(float64) float64  { return 1 }
func (falling) Smoothness(float64) float64 { return 0 }
func (falling) Convex() bool               { return true }
func (falling) Derivative(float64) float64 { return -1 }
func (falling) Value(m float64) float64    { return -m }

// chosen tells which instance the adversary took at each point of a grid.
func chosen(a axis, instances map[float64]instance, ratios map[float64]float64) string {
	words := make([]string, len(a.grid))
	for k, x := range a.grid {
		words[k] = fmt.Sprintf("%s=%g %s (%.2g)", a.name, x, instances[x].name, ratios[x])
	}
	return "the worst of its instances at each point, with the share of the bound in a pilot: " + strings.Join(words,
		", ")
}
