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

// The rows and first points of the rates.
func fewRows(int) int               { return rateRows }
func origin(dim int) []float64      { return make([]float64, dim) }
func twiceLipschitz(regime) float64 { return 2 * rateSmooth.Lipschitz }

// barycentre is the middle of the simplex.
func barycentre(dim int) []float64 {
	x := make([]float64, dim)
	for j := range x {
		x[j] = 1 / float64(dim)
	}
	return x
}

// withRegulariser is Algorithm 1 on R^p with the regulariser of the experiments. The value is
// ‖g_R‖₂ = ‖x_R − x_{R+1}‖₂/γ, or the norm of the projected gradient at ∇F(x_R).
func withRegulariser(noisy bool) rate {
	t := rate{
		quantity: "E‖g_R‖₂", note: "Algorithm 1 on R^p, λ/2 = 0.005" + rateWords,
		base:       regime{records: 1000, epsilon: rateEpsilon, delta: rateDelta, dim: 4},
		replicates: 256, least: 1, rows: fewRows, start: origin, step: settled,
		bound:   held(rateSmooth.DescentFactor(), rateSmooth.DescentBound),
		ratio:   func(g regime) float64 { return bounds.DescentRatio(g.records, g.epsilon, g.delta, g.dim) },
		trivial: func(g regime) float64 { return rateSmooth.Lipschitz + rateLambda*math.Sqrt(g.dim) },
		value: func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, g regime, c algorithm.Config) (float64, error) {
			space, result, err := descend(ctx, r, data, g, rateLambda, c)
			if err != nil {
				return 0, err
			}
			if noisy {
				return floats.Distance(result.X, result.Next, 2) / result.Gamma, nil
			}
			return projectedNorm(data, c.Loss, space, rateLambda, result.X, result.Gamma)
		},
	}
	if !noisy {
		t.quantity = "E‖P(x_R, ∇F(x_R), γ)‖₂"
		t.bound = held(rateSmooth.GradientFactor(), nil)
	}
	return t
}

const rateWords = "; falling sigmoid on 20 planted rows of norm 1, each n/20 times"

// descend is Algorithm 1 on R^p under eq. (3).
func descend(ctx context.Context, r *rand.Rand, data *dataset.Dataset, g regime, lambda float64,
	c algorithm.Config) (space erm.Space, result *algorithm.Result, err error) {
	if space, err = erm.NewSpace(data.Dim()); err != nil {
		return space, nil, err
	}
	if c.Sigma, err = gradientNoise(g, c.Iterations); err != nil {
		return space, nil, err
	}
	result, err = algorithm.PGD(ctx, r, data, space, lambda, c)
	return space, result, err
}

// projectedNorm is the norm of the generalised projected gradient of F at x.
func projectedNorm(data *dataset.Dataset, loss erm.Loss, domain erm.L1Prox, lambda float64, x []float64,
	gamma float64) (float64, error) {
	step, err := erm.NewProximal(domain, lambda)
	if err != nil {
		return 0, err
	}
	g, next := make([]float64, len(x)), make([]float64, len(x))
	algorithm.Gradient(loss, data, x, g)
	erm.ProjectedGradient(step, x, g, gamma, next, g)
	return floats.Norm(g, 2), nil
}

// populationRate is Algorithm 1 on R^p, without regulariser, on n fresh records of a law
// that is uniform on 4p rows. The value is the norm of the law's own gradient at x_R.
func populationRate() rate {
	return rate{
		quantity:   "E‖E_z[∇f(x_R, z)]‖₂, over fresh records and Algorithm 1",
		base:       regime{records: 512, epsilon: rateEpsilon, delta: rateDelta, dim: 2},
		note:       "falling sigmoid on n records drawn from 4p planted rows of norm 1; τ = G, β = τ/5",
		replicates: 128, least: 1, rows: func(dim int) int { return 4 * dim }, start: origin, step: settled,
		ratio: func(g regime) float64 { return bounds.DescentRatio(g.records, g.epsilon, g.delta, g.dim) },
		bound: func(g regime, _ float64) float64 {
			return rateSmooth.PopulationBound(g.records, g.epsilon, g.delta, g.dim, 5)
		},
		trivial: func(regime) float64 { return rateSmooth.Lipschitz },
		value: func(ctx context.Context, r *rand.Rand, atoms *dataset.Dataset, g regime, c algorithm.Config) (float64,
			error) {
			rows := make([]int, int(g.records))
			for i := range rows {
				rows[i] = r.IntN(atoms.Len())
			}
			data, err := atoms.Subset(rows)
			if err != nil {
				return 0, err
			}
			_, result, err := descend(ctx, r, data, g, 0, c)
			if err != nil {
				return 0, err
			}
			gradient := make([]float64, len(result.X))
			algorithm.Gradient(c.Loss, atoms, result.X, gradient)
			return floats.Norm(gradient, 2), nil
		},
	}
}

// body is a constraint set with its width.
type body struct {
	name  string
	set   func(dim int) (erm.Set, error)
	width func(dim int) float64
}

// sized is the m of bounds.DescentRatio for ‖C‖₂ = 1.
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

func gapAt(data *dataset.Dataset, loss erm.Loss, set erm.Set, x []float64) float64 {
	g := make([]float64, len(x))
	algorithm.Gradient(loss, data, x, g)
	return erm.FrankWolfeGap(set, x, g, make([]float64, len(x)))
}

// frankWolfeRate is Algorithm 2 on a body with ‖C‖₂ = 1.
func frankWolfeRate(b body) rate {
	return rate{
		quantity: "E[G_R]", note: "Algorithm 2 on " + b.name + rateWords,
		base:       regime{records: 1000, epsilon: rateEpsilon, delta: rateDelta, dim: 4},
		replicates: 128, least: 1, rows: fewRows, start: origin, trivial: twiceLipschitz, ratio: b.sized,
		bound: held(rateSmooth.GapFactor(), rateSmooth.GapBound),
		step:  func(v, _ float64) float64 { return 1 / math.Sqrt(v) },
		value: func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, g regime, c algorithm.Config) (float64, error) {
			set, err := b.set(data.Dim())
			if err != nil {
				return 0, err
			}
			if c.Sigma, err = gradientNoise(g, c.Iterations); err != nil {
				return 0, err
			}
			result, err := algorithm.FrankWolfe(ctx, r, data, set, algorithm.OverstepError, c)
			if err != nil {
				return 0, err
			}
			return gapAt(data, c.Loss, set, result.X), nil
		},
	}
}

// mirrorRate is Algorithm 3 on the unit ℓ1 ball with the p-norm of Theorem 5's proof
// for such balls: ‖u‖₁ ≤ d^(1−1/q)‖u‖_q makes the modulus 1 in the ℓ1 norm.
func mirrorRate() rate {
	return rate{
		quantity: "E‖g_R‖₂", note: "Algorithm 3 on " + bodyL1.name + rateWords,
		base:       regime{records: 1000, epsilon: rateEpsilon, delta: rateDelta, dim: 8},
		replicates: 80, least: 1, rows: fewRows, start: origin, step: settled, ratio: bodyL1.sized,
		bound:   held(rateSmooth.DescentFactor(), rateSmooth.DescentBound),
		trivial: func(regime) float64 { return rateSmooth.Lipschitz },
		value: func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, g regime, c algorithm.Config) (float64, error) {
			ball, err := erm.NewL1Ball(data.Dim(), 1)
			if err != nil {
				return 0, err
			}
			q := 1 + 1/math.Log(g.dim)
			norm, err := erm.NewPNorm(q, math.Pow(g.dim, 2*(1-1/q))/(q-1))
			if err != nil {
				return 0, err
			}
			step, err := erm.NewMirror(ball, norm, 0)
			if err != nil {
				return 0, err
			}
			if c.Sigma, err = gradientNoise(g, c.Iterations); err != nil {
				return 0, err
			}
			result, err := algorithm.PMD(ctx, r, data, step, ball, c)
			if err != nil {
				return 0, err
			}
			return floats.Distance(result.X, result.Next, 2) / result.Gamma, nil
		},
	}
}

// ballVertices and simplexVertices are Algorithm 4 on the sets of Corollary 1.
func ballVertices() rate    { return vertexRate("the unit ℓ1 ball", ballL1, 2, origin) }
func simplexVertices() rate { return vertexRate("the simplex", unitSimplex, 1, barycentre) }

// vertexRate is Algorithm 4, by the exponential mechanism, on the ℓ1 ball with each = 2
// vertices a dimension or on the simplex with 1.
func vertexRate(name string, set func(dim int) (erm.Set, error), each float64, start func(dim int) []float64) rate {
	return rate{
		quantity: "E[G_R]", note: "Algorithm 4 on " + name + ", η = 0.05" + rateWords,
		base:       regime{records: 8000, epsilon: rateEpsilon, delta: rateDelta, dim: 8},
		replicates: 128, least: 2, rows: fewRows, start: start, trivial: twiceLipschitz,
		bound: held(rateSmooth.VertexFactor(), rateSmooth.VertexBound),
		step:  func(_, steps float64) float64 { return math.Sqrt(2 / steps) },
		ratio: func(g regime) float64 {
			return bounds.VertexRatio(g.records, g.epsilon, g.delta, each*g.dim, rateEta)
		},
		value: func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, g regime, c algorithm.Config) (float64, error) {
			set, err := set(data.Dim())
			if err != nil {
				return 0, err
			}
			hull, err := algorithm.HullOf(set)
			if err != nil {
				return 0, err
			}
			epsilon, err := algorithm.StepEpsilon(g.budget(c.Iterations))
			if err != nil {
				return 0, err
			}
			q := algorithm.Selection{Epsilon: epsilon,
				Sensitivity: algorithm.ScoreSensitivity(rateSmooth.Lipschitz, 1, int(g.records))}
			result, err := algorithm.FrankWolfeVertices(ctx, r, data, hull, q, algorithm.OverstepError, c)
			if err != nil {
				return 0, err
			}
			return gapAt(data, c.Loss, set, result.X), nil
		},
	}
}
