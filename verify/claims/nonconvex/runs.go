package nonconvex

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
)

// Rows and start points of the planted instances.
func instanceRows(int) int     { return rateRows }
func origin(dim int) []float64 { return make([]float64, dim) }

// barycenter returns the center of the simplex.
func barycentre(dim int) []float64 {
	x := make([]float64, dim)
	for j := range x {
		x[j] = 1 / float64(dim)
	}
	return x
}

// corner returns the unit vector e_j.
func corner(dim, j int) []float64 {
	x := origin(dim)
	x[j] = 1
	return x
}

// about moves x by up to a hundredth towards the center of its set, so that runs differ.
func about(r *rand.Rand, x []float64, middle func(dim int) []float64) []float64 {
	share := 0.01 * r.Float64()
	moved := middle(len(x))
	for j := range moved {
		moved[j] = (1-share)*x[j] + share*moved[j]
	}
	return moved
}

func twiceLipschitz(i instance) float64 { return 2 * i.smooth.Lipschitz }

// withRegularizer returns the rate of Algorithm 1 on R^p. The value is ‖g_R‖₂ = ‖x_R − x_{R+1}‖₂/γ, or the norm of
// the projected gradient at ∇F(x_R).
func withRegularizer(noisy bool) rate {
	t := rate{
		quantity: "E‖g_R‖₂", note: "Algorithm 1 on R^p",
		base:       regime{records: 16000, epsilon: rateEpsilon, delta: rateDelta, dim: 8},
		replicates: 192, least: 1, step: settled,
		families: []family{planted(instanceRows, origin, paperLambda), cancelling(1), huberOnAxes(1)},
		bound:    func(s bounds.Smooth, g regime, v float64) float64 { return s.DescentBound(v, g.steps) },
		ratio:    func(g regime) float64 { return bounds.DescentRatio(g.records, g.epsilon, g.delta, g.dim) },
		// A step is nonexpansive: g_R is no longer than the gradient, that of the regularizer, and the noise.
		trivial: func(i instance) float64 {
			noise := math.Sqrt(i.smooth.Constant*i.steps) * i.smooth.Lipschitz / i.v
			return i.smooth.Lipschitz + i.lambda*math.Sqrt(i.dim) + noise
		},
		value: func(ctx context.Context, r *rand.Rand, i instance) (float64, error) {
			return descend(ctx, r, i, i.data, i.length)
		},
	}
	if !noisy {
		t.quantity = "E‖P(x_R, ∇F(x_R), γ)‖₂"
		t.bound = func(s bounds.Smooth, g regime, v float64) float64 { return s.GradientBound(v, g.steps) }
		t.trivial = func(i instance) float64 { return i.smooth.Lipschitz + i.lambda*math.Sqrt(i.dim) }
		t.value = func(ctx context.Context, r *rand.Rand, i instance) (float64, error) {
			space, err := erm.NewSpace(i.data.Dim())
			if err != nil {
				return 0, err
			}
			step, err := erm.NewProximal(space, i.lambda)
			if err != nil {
				return 0, err
			}
			next, p := make([]float64, i.data.Dim()), make([]float64, i.data.Dim())
			return descend(ctx, r, i, i.data, func(x, gradient, _ []float64) float64 {
				erm.ProjectedGradient(step, x, gradient, i.gamma(), next, p)
				return floats.Norm(p, 2)
			})
		}
	}
	return t
}

// averaged returns a configuration whose runs add the mean of f at x_R to mean; the mean over R is exact. The
// arguments of f are x_k, ∇F(x_k) and x_{k+1}.
func (i instance) averaged(c algorithm.Config, f func(x, gradient, next []float64) float64) (_ algorithm.Config,
	mean *float64) {
	mean = new(float64)
	c.Observe = func(_ int, x, gradient, next []float64) { *mean += f(x, gradient, next) / i.steps }
	return c, mean
}

func (i instance) gamma() float64 { return i.config.StepSize(1) }

// length returns ‖g_k‖₂.
func (i instance) length(x, _, next []float64) float64 {
	return floats.Distance(x, next, 2) / i.gamma()
}

// descend returns the mean of f at x_R of Algorithm 1 on R^p under eq. (3).
func descend(ctx context.Context, r *rand.Rand, i instance, data *dataset.Dataset,
	f func(x, gradient, next []float64) float64) (float64, error) {
	space, err := erm.NewSpace(data.Dim())
	if err != nil {
		return 0, err
	}
	c, err := i.noisy()
	if err != nil {
		return 0, err
	}
	c, mean := i.averaged(c, f)
	_, err = algorithm.PGD(ctx, r, data, space, i.lambda, c)
	return *mean, err
}

// populationRate returns the rate of Algorithm 1 on R^p, without regularizer, on n independent records of a uniform
// distribution on at most 4p rows. The value is the norm of the population gradient at x_R.
func populationRate() rate {
	return rate{
		quantity:   "E‖E_z[∇f(x_R, z)]‖₂, over fresh records and Algorithm 1",
		base:       regime{records: 512, epsilon: rateEpsilon, delta: rateDelta, dim: 2},
		note:       "n records drawn from at most 4p rows; τ = G, β = τ/5",
		replicates: 192, least: 1, step: settled,
		families: []family{planted(func(dim int) int { return 4 * dim }, origin, 0), huberOnAxes(1)},
		ratio:    func(g regime) float64 { return bounds.DescentRatio(g.records, g.epsilon, g.delta, g.dim) },
		bound: func(s bounds.Smooth, g regime, _ float64) float64 {
			return s.PopulationBound(g.records, g.epsilon, g.delta, g.dim, 5)
		},
		trivial: func(i instance) float64 { return i.smooth.Lipschitz },
		value: func(ctx context.Context, r *rand.Rand, i instance) (float64, error) {
			rows := make([]int, int(i.records))
			for k := range rows {
				rows[k] = r.IntN(i.data.Len())
			}
			data, err := i.data.Subset(rows)
			if err != nil {
				return 0, err
			}
			population := make([]float64, i.data.Dim())
			return descend(ctx, r, i, data, func(x, _, _ []float64) float64 {
				algorithm.Gradient(i.config.Loss, i.data, x, population)
				return floats.Norm(population, 2)
			})
		},
	}
}

// body is a constraint set with its width.
type body struct {
	name  string
	set   func(dim int) (erm.Set, error)
	width func(dim int) float64
}

// sized returns the m of bounds.DescentRatio for ‖C‖₂ = 1.
func (b body) sized(g regime) float64 {
	width := b.width(int(g.dim))
	return bounds.DescentRatio(g.records, g.epsilon, g.delta, 1+width*width)
}

func ballL1(dim int) (erm.Set, error)      { return erm.NewL1Ball(dim, 1) }
func ballL2(dim int) (erm.Set, error)      { return erm.NewL2Ball(dim, 1) }
func unitSimplex(dim int) (erm.Set, error) { return erm.NewSimplex(dim, 1) }

var (
	bodyL1 = body{"the unit ℓ1 ball", ballL1, l1Width}
	bodyL2 = body{"the unit ℓ2 ball", ballL2, l2Width}
)

// gap returns the Frank–Wolfe gap on a set.
func gap(set erm.Set) func(x, gradient, _ []float64) float64 {
	scratch := make([]float64, set.Dim())
	return func(x, gradient, _ []float64) float64 { return erm.FrankWolfeGap(set, x, gradient, scratch) }
}

// ballStarts returns the center of a unit ball and its point that is farthest from the minimizer of x_1.
func ballStarts(dim int) [][]float64 { return [][]float64{origin(dim), corner(dim, 0)} }

// frankWolfeRate returns the rate of Algorithm 2 on a body with ‖C‖₂ = 1. Its adversary tries slopes near the noise,
// for which the noise changes most vertices, and the largest slope.
func frankWolfeRate(b body) rate {
	return rate{
		quantity: "E[G_R]", note: "Algorithm 2 on " + b.name,
		base:       regime{records: 1000, epsilon: rateEpsilon, delta: rateDelta, dim: 4},
		replicates: 192, least: 1, trivial: twiceLipschitz, ratio: b.sized,
		families: []family{planted(instanceRows, origin, 0)},
		slopes: func(g regime, v float64) []float64 {
			noise := math.Sqrt(bounds.ConcentratedConstant*g.steps) / v // σ·√(‖C‖₂² + G_C²)
			return []float64{0.3 * noise, 0.6 * noise, noise, 2 * noise, 1}
		},
		starts: ballStarts, sign: 1,
		bound: func(s bounds.Smooth, g regime, v float64) float64 { return s.GapBound(v, g.steps) },
		step:  func(_ bounds.Smooth, v, _ float64) float64 { return 1 / math.Sqrt(v) },
		value: func(ctx context.Context, r *rand.Rand, i instance) (float64, error) {
			set, err := b.set(i.data.Dim())
			if err != nil {
				return 0, err
			}
			c, err := i.noisy()
			if err != nil {
				return 0, err
			}
			c, mean := i.averaged(c, gap(set))
			c.Start = about(r, c.Start, origin)
			_, err = algorithm.FrankWolfe(ctx, r, i.data, set, algorithm.OverstepError, c)
			return *mean, err
		},
	}
}

// mirrorRate returns the rate of Algorithm 3 on the unit ℓ1 ball with the p-norm of the proof of Theorem 5: ‖u‖₁ ≤
// d^(1−1/q)‖u‖_q makes the modulus 1 in the ℓ1 norm. Rows of norm 50 keep the steps small relative to the ball.
func mirrorRate() rate {
	return rate{
		quantity: "E‖g_R‖₂", note: "Algorithm 3 on " + bodyL1.name,
		base:       regime{records: 1000, epsilon: rateEpsilon, delta: rateDelta, dim: 2},
		replicates: 192, least: 1, step: settled, ratio: bodyL1.sized,
		families: []family{planted(instanceRows, origin, 0), cancelling(50), huberOnAxes(50)},
		bound:    func(s bounds.Smooth, g regime, v float64) float64 { return s.DescentBound(v, g.steps) },
		trivial: func(i instance) float64 {
			return i.smooth.Lipschitz * (1 + math.Sqrt(i.smooth.Constant*i.steps)/i.v)
		},
		value: func(ctx context.Context, r *rand.Rand, i instance) (float64, error) {
			ball, err := erm.NewL1Ball(i.data.Dim(), 1)
			if err != nil {
				return 0, err
			}
			q := math.Min(2, 1+1/math.Log(i.dim))
			norm, err := erm.NewPNorm(q, math.Pow(i.dim, 2*(1-1/q))/(q-1))
			if err != nil {
				return 0, err
			}
			step, err := erm.NewMirror(ball, norm, 0)
			if err != nil {
				return 0, err
			}
			c, err := i.noisy()
			if err != nil {
				return 0, err
			}
			c, mean := i.averaged(c, i.length)
			_, err = algorithm.PMD(ctx, r, i.data, step, ball, c)
			return *mean, err
		},
	}
}

// ballVertices and simplexVertices are the rates of Algorithm 4 on the sets of Corollary 1.
func ballVertices() rate {
	return vertexRate("the unit ℓ1 ball", ballL1, 2, 1, origin, ballStarts)
}

func simplexVertices() rate {
	return vertexRate("the simplex", unitSimplex, 1, -1, barycentre, func(dim int) [][]float64 {
		return [][]float64{barycentre(dim), corner(dim, dim-1)}
	})
}

// vertexRate returns the rate of Algorithm 4 with the exponential mechanism, on the ℓ1 ball with each = 2 vertices
// per dimension or on the simplex with 1. Its adversary tries the slopes at which the selection begins to depend on
// the data, and the largest slope.
func vertexRate(name string, set func(dim int) (erm.Set, error), each, sign float64,
	start func(dim int) []float64, starts func(dim int) [][]float64) rate {
	return rate{
		quantity: "E[G_R]", note: "Algorithm 4 on " + name + ", η = 0.05",
		base:       regime{records: 8000, epsilon: rateEpsilon, delta: rateDelta, dim: 64},
		replicates: 192, least: 2, trivial: twiceLipschitz,
		families: []family{planted(instanceRows, start, 0)},
		slopes: func(g regime, _ float64) []float64 {
			// (2Δu/ε₀)·ln|A|, at G = ‖C‖₁ = 1.
			seen := 4 / g.records * math.Sqrt(8*g.steps*math.Log(1/g.delta)) / g.epsilon * math.Log(each*g.dim)
			return []float64{0.4 * seen, 0.7 * seen, seen, 1}
		},
		starts: starts, sign: sign,
		bound: func(s bounds.Smooth, g regime, v float64) float64 { return s.VertexBound(v, g.steps) },
		step:  func(_ bounds.Smooth, _, steps float64) float64 { return math.Sqrt(2 / steps) },
		ratio: func(g regime) float64 {
			return bounds.VertexRatio(g.records, g.epsilon, g.delta, each*g.dim, rateEta)
		},
		value: func(ctx context.Context, r *rand.Rand, i instance) (float64, error) {
			set, err := set(i.data.Dim())
			if err != nil {
				return 0, err
			}
			return selectVertices(ctx, r, i, set, start)
		},
	}
}

// selectVertices returns the mean over R of the gaps of a run of Algorithm 4 at the ε₀ that Lemma 1 gives.
func selectVertices(ctx context.Context, r *rand.Rand, i instance, set erm.Set,
	middle func(dim int) []float64) (float64, error) {
	hull, err := algorithm.HullOf(set)
	if err != nil {
		return 0, err
	}
	epsilon, err := algorithm.StepEpsilon(i.budget())
	if err != nil {
		return 0, err
	}
	q := algorithm.Selection{Epsilon: epsilon,
		Sensitivity: algorithm.ScoreSensitivity(i.smooth.Lipschitz, 1, int(i.records))}
	c, mean := i.averaged(i.config, gap(set))
	c.Start = about(r, c.Start, middle)
	_, err = algorithm.FrankWolfeVertices(ctx, r, i.data, hull, q, algorithm.OverstepError, c)
	return *mean, err
}
