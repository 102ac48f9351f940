package nonconvex

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

func rateClaims() []verify.Claim {
	pgd, gradient, fw, pmd, vertices := descentRate(noisyStep), descentRate(trueGradient), frankWolfeRate(), mirrorRate(), vertexRate()
	return []verify.Claim{
		{
			ID: "nonconvex/thm-2", Source: "Theorem 2, eq. (4)", Kind: verify.Rate,
			Statement: "E‖g_R‖₂ of Algorithm 1, g_R = (x_R − x_{R+1})/γ, is at most √(4LΔ + 4cG²)·(p·ln(1/δ))^¼/√(nε), the constants of the proof",
			Check:     pgd.check(1),
			Twin:      verify.Twin{Check: pgd.check(0.2), Want: checks.Refuted, Fault: "a fifth of the constants"},
		},
		{
			ID: "nonconvex/thm-2/gradient", Source: "Theorem 2, the projected gradient at ∇F(x_R)", Kind: verify.Rate,
			Statement: "the mean norm of the projected gradient at ∇F(x_R), without noise, is at most √(8LΔ + 12cG²)·(p·ln(1/δ))^¼/√(nε)",
			Check:     gradient.check(1),
			Twin:      verify.Twin{Check: gradient.check(0.01), Want: checks.Refuted, Fault: "a hundredth of the constants"},
		},
		{
			ID: "nonconvex/thm-4", Source: "Theorem 4, eq. (6), ‖C‖₂ = 1", Kind: verify.Rate,
			Statement: "the mean Frank–Wolfe gap of Algorithm 2 on the unit ℓ2 ball is at most (Δ + 2G√(2c) + 2L)·((‖C‖₂² + G_C²)·ln(1/δ))^¼/√(nε)",
			Check:     fw.check(1),
			Twin:      verify.Twin{Check: fw.check(0.01), Want: checks.Refuted, Fault: "a hundredth of the constants"},
		},
		{
			ID: "nonconvex/thm-4/small", Source: "Theorem 4, eq. (6), ‖C‖₂ → 0", Kind: verify.Rate,
			Statement: "there is a constant K such that the mean gap of Algorithm 2 is at most K‖C‖₂·((‖C‖₂² + G_C²)·ln(1/δ))^¼/√(nε) on every interval [−s, s], L = G = 1",
			Check:     smallSet(func(k, s, v float64) float64 { return k * s / math.Sqrt(v) }, ""),
			Twin:      verify.Twin{Check: smallSet(homogeneous, smallProof), Want: checks.Holds, Fault: "none: 1 for ‖C‖₂"},
			Corrected: "nonconvex/thm-4/small/corrected",
		},
		{
			ID: "nonconvex/thm-4/small/corrected", Source: "Theorem 4, eq. (6), mended", Kind: verify.Rate,
			Statement: "for ‖C‖₂ ≤ 1 the mean gap of Algorithm 2 is at most (Δ + 2G√(2c) + 2L)·((‖C‖₂² + G_C²)·ln(1/δ))^¼/√(nε), without the factor ‖C‖₂",
			Check:     smallSet(homogeneous, smallProof),
			Twin:      verify.Twin{Check: smallSet(func(_, s, v float64) float64 { return s * homogeneous(0, s, v) }, ""), Want: checks.Refuted, Fault: "with the factor"},
		},
		{
			ID: "nonconvex/thm-5", Source: "Theorem 5, eq. (7), ‖C‖₂ = 1", Kind: verify.Rate,
			Statement: "E‖g_R‖₂ of Algorithm 3 on the unit ℓ1 ball is at most √(4LΔ + 4cG²)·((‖C‖₂² + G_C²)·ln(1/δ))^¼/√(nε)",
			Check:     pmd.check(1),
			Twin:      verify.Twin{Check: pmd.check(0.01), Want: checks.Refuted, Fault: "a hundredth of the constants"},
		},
		{
			ID: "nonconvex/thm-6/utility", Source: "Theorem 6, eq. (8); Corollary 1", Kind: verify.Rate,
			Statement: "the mean gap of Algorithm 4 on the unit ℓ1 ball is at most (Δ/√2 + 2√2·L + 16G)·√(√ln(1/δ)·ln(n|A|/η)/(nε))",
			Check:     vertices.check(1),
			Twin:      verify.Twin{Check: vertices.check(0.01), Want: checks.Refuted, Fault: "a hundredth of the constants"},
		},
		{
			ID: "nonconvex/thm-6/step", Source: "Theorem 6, γ_t; Alg. 4, line 3", Kind: verify.Identity,
			Statement: "with γ = √(2/(T‖C‖₂²)) as printed the iterates stay in C, for every bounded C",
			Check:     staysInside(algorithm.OverstepLiteral, ""),
			Twin:      verify.Twin{Check: staysInside(algorithm.OverstepCap, capProof), Want: checks.Holds, Fault: "none: γ at most 1"},
			Corrected: "nonconvex/thm-6/step/corrected",
		},
		{
			ID: "nonconvex/thm-6/step/corrected", Source: "Theorem 6, γ_t, mended", Kind: verify.Identity,
			Statement: "with γ = min(1, √(2/(T‖C‖₂²))) the iterates stay in C, for every bounded C",
			Check:     staysInside(algorithm.OverstepCap, capProof),
			Twin:      verify.Twin{Check: staysInside(algorithm.OverstepLiteral, ""), Want: checks.Refuted, Fault: "γ above 1"},
		},
	}
}

// The settings of the rates: the falling sigmoid on 20 planted rows of norm 1, each
// n/20 times among n records, so that F does not change with n; x_1 = 0.
const (
	rateRows    = 20
	rateEpsilon = 1.0
	rateDelta   = 1e-3
	rateEta     = 0.05
	rateLambda  = 0.005 // of the experiments, λ/2
)

// rateSmooth are the constants of the sigmoid at x_1 = 0, where F = ½.
var rateSmooth = bounds.Smooth{
	Smoothness: erm.Sigmoid{}.Smoothness(math.Inf(1)), Lipschitz: erm.Sigmoid{}.Lipschitz(math.Inf(1)),
	Range: 0.5, Constant: bounds.ConcentratedConstant,
}

// rate is a theorem about one algorithm.
type rate struct {
	quantity string
	dim      int
	grid     []float64
	factor   float64
	trivial  float64
	ratio    func(n float64) float64 // v
	value    func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, n int, c algorithm.Config) (float64, error)
	step     func(v float64) float64
}

// check runs the algorithm with T = ⌈v⌉ and holds it against share·factor/√v.
func (t rate) check(share float64) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, err := plantedRows(s.Stream("rows"), rateRows, t.dim)
		if err != nil {
			return nil, err
		}
		return verify.RateCheck{
			Quantity: t.quantity, Variable: "n", Sense: verify.AtMost, Grid: t.grid, Replicates: 480, Effect: 0.25,
			Run: func(ctx context.Context, r *rand.Rand, x float64) (float64, error) {
				v := t.ratio(x)
				c := algorithm.Config{Loss: erm.Sigmoid{Falling: true}, Iterations: int(math.Ceil(v)), Start: make([]float64, t.dim), StepSize: algorithm.Constant(t.step(v))}
				return t.value(ctx, r, data, int(x), c)
			},
			Bound:   func(x float64) float64 { return share * t.factor / math.Sqrt(t.ratio(x)) },
			Trivial: func(float64) float64 { return t.trivial },
			Range:   func(float64) (lo, hi float64) { return 0, math.Inf(1) },
		}, nil
	})
}

func plantedRows(r *rand.Rand, n, dim int) (*dataset.Dataset, error) {
	data, _, err := dataset.Planted(r, n, dim, dataset.PlantedSign)
	if err != nil {
		return nil, err
	}
	prepared, err := dataset.Preparation{Scale: dataset.ScaleRows}.Fit(data)
	if err != nil {
		return nil, err
	}
	return prepared.Apply(data)
}

func budget(n, steps int) algorithm.Budget {
	return algorithm.Budget{Epsilon: rateEpsilon, Delta: rateDelta, Steps: steps, Records: n, Lipschitz: rateSmooth.Lipschitz}
}

// settle is the constant step size of Theorem 2.
func settle(float64) float64 { return 1 / (2 * rateSmooth.Smoothness) }

type measure int

const (
	noisyStep measure = iota
	trueGradient
)

const rateWords = "; falling sigmoid on 20 planted rows of norm 1, each n/20 times; ε = 1, δ = 10⁻³, c = 11.66, T = ⌈v⌉"

// descentRate is Algorithm 1 on R⁴ with the regulariser of the experiments.
func descentRate(m measure) rate {
	const dim = 4
	t := rate{
		quantity: "E‖g_R‖₂" + rateWords, dim: dim, grid: []float64{1000, 2000, 4000, 8000}, factor: rateSmooth.DescentFactor(),
		trivial: rateSmooth.Lipschitz + rateLambda*math.Sqrt(dim), step: settle,
		ratio: func(n float64) float64 { return bounds.DescentRatio(n, rateEpsilon, rateDelta, dim) },
		value: func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, n int, c algorithm.Config) (float64, error) {
			space, err := erm.NewSpace(dim)
			if err != nil {
				return 0, err
			}
			if c.Sigma, err = algorithm.NoiseTheorem1(budget(n, c.Iterations), rateSmooth.Constant); err != nil {
				return 0, err
			}
			result, err := algorithm.PGD(ctx, r, data, space, rateLambda, c)
			if err != nil {
				return 0, err
			}
			if m == noisyStep {
				return floats.Distance(result.X, result.Next, 2) / result.Gamma, nil
			}
			return projectedNorm(data, c.Loss, space, rateLambda, result.X, result.Gamma)
		},
	}
	if m == trueGradient {
		t.quantity = "E‖P(x_R, ∇F(x_R), γ)‖₂" + rateWords
		s := rateSmooth
		t.factor = math.Sqrt(8*s.Smoothness*s.Range + 12*s.Constant*s.Lipschitz*s.Lipschitz)
	}
	return t
}

// projectedNorm is the norm of the generalised projected gradient of F at x.
func projectedNorm(data *dataset.Dataset, loss erm.Loss, domain erm.L1Prox, lambda float64, x []float64, gamma float64) (float64, error) {
	step, err := erm.NewProximal(domain, lambda)
	if err != nil {
		return 0, err
	}
	g, next := make([]float64, len(x)), make([]float64, len(x))
	algorithm.Gradient(loss, data, x, g)
	erm.ProjectedGradient(step, x, g, gamma, next, g)
	return floats.Norm(g, 2), nil
}

func gapAt(data *dataset.Dataset, loss erm.Loss, set erm.Set, x []float64) float64 {
	g := make([]float64, len(x))
	algorithm.Gradient(loss, data, x, g)
	return erm.FrankWolfeGap(set, x, g, make([]float64, len(x)))
}

// frankWolfeRate is Algorithm 2 on the unit ℓ2 ball of R⁴.
func frankWolfeRate() rate {
	const dim = 4
	width := l2Width(dim)
	return rate{
		quantity: "E[G_R]" + rateWords, dim: dim, grid: []float64{1000, 2000, 4000, 8000}, factor: rateSmooth.GapFactor(),
		trivial: 2 * rateSmooth.Lipschitz,
		step:    func(v float64) float64 { return 1 / math.Sqrt(v) },
		ratio:   func(n float64) float64 { return bounds.DescentRatio(n, rateEpsilon, rateDelta, 1+width*width) },
		value: func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, n int, c algorithm.Config) (float64, error) {
			set, err := erm.NewL2Ball(dim, 1)
			if err != nil {
				return 0, err
			}
			if c.Sigma, err = algorithm.NoiseTheorem1(budget(n, c.Iterations), rateSmooth.Constant); err != nil {
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

// mirrorRate is Algorithm 3 on the unit ℓ1 ball of R⁸ with the p-norm of Theorem 5's proof
// for such balls: ‖u‖₁ ≤ d^(1−1/q)‖u‖_q makes the modulus 1 in the ℓ1 norm.
func mirrorRate() rate {
	const dim = 8
	width := l1Width(dim)
	q := 1 + 1/math.Log(dim)
	return rate{
		quantity: "E‖g_R‖₂" + rateWords, dim: dim, grid: []float64{1000, 2000, 4000, 8000}, factor: rateSmooth.DescentFactor(),
		trivial: rateSmooth.Lipschitz, step: settle,
		ratio: func(n float64) float64 { return bounds.DescentRatio(n, rateEpsilon, rateDelta, 1+width*width) },
		value: func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, n int, c algorithm.Config) (float64, error) {
			ball, err := erm.NewL1Ball(dim, 1)
			if err != nil {
				return 0, err
			}
			norm, err := erm.NewPNorm(q, math.Pow(dim, 2*(1-1/q))/(q-1))
			if err != nil {
				return 0, err
			}
			step, err := erm.NewMirror(ball, norm, 0)
			if err != nil {
				return 0, err
			}
			if c.Sigma, err = algorithm.NoiseTheorem1(budget(n, c.Iterations), rateSmooth.Constant); err != nil {
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

// vertexRate is Algorithm 4 on the unit ℓ1 ball of R⁸, by the exponential mechanism.
func vertexRate() rate {
	const dim = 8
	return rate{
		quantity: "E[G_R]" + rateWords, dim: dim, grid: []float64{8000, 16000, 32000}, factor: rateSmooth.VertexFactor(),
		trivial: 2 * rateSmooth.Lipschitz,
		step:    func(v float64) float64 { return math.Sqrt(2 / math.Ceil(v)) },
		ratio: func(n float64) float64 {
			return bounds.VertexRatio(n, rateEpsilon, rateDelta, 2*dim, rateEta)
		},
		value: func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, n int, c algorithm.Config) (float64, error) {
			set, err := erm.NewL1Ball(dim, 1)
			if err != nil {
				return 0, err
			}
			hull, err := algorithm.HullOf(set)
			if err != nil {
				return 0, err
			}
			each, err := algorithm.StepEpsilon(budget(n, c.Iterations))
			if err != nil {
				return 0, err
			}
			q := algorithm.Selection{Epsilon: each, Sensitivity: algorithm.ScoreSensitivity(rateSmooth.Lipschitz, 1, n)}
			result, err := algorithm.FrankWolfeVertices(ctx, r, data, hull, q, algorithm.OverstepError, c)
			if err != nil {
				return 0, err
			}
			return gapAt(data, c.Loss, set, result.X), nil
		},
	}
}

// homogeneous is the bound without the factor ‖C‖₂, at L = G = 1 and Δ = 2s.
func homogeneous(_, s, v float64) float64 {
	return bounds.Smooth{Smoothness: 1, Lipschitz: 1, Range: 2 * s, Constant: bounds.ConcentratedConstant}.GapFactor() / math.Sqrt(v)
}

const smallProof = "E[G_R] ≤ Δ/(Tγ) + 2σG_C + 2Lγ‖C‖₂², each of which is at most its part of the bound for ‖C‖₂ ≤ 1"

// smallSet is Algorithm 2 with f(x, z) = x on [−s, s] from x_1 = 0, c = 11.66, at v = 4/s²,
// where γ is ½. The step goes to +s with probability Φ(−1/σ), so that the mean of x_t
// and with it that of the gap s + x_t has a closed form.
func smallSet(claimed func(k, s, v float64) float64, proof string) verify.Check {
	return verify.Relation{
		Quantity: "E[G_R] of Algorithm 2, exact", Sense: verify.AtMost, Proof: proof,
		Domain: "F(x) = x on [−s, s], s = 1/(2K), K ∈ {1, 10, 100, 1000}, γ = ½, v = nε/√((‖C‖₂² + G_C²)·ln(1/δ)) = 4/s²; for every K",
		Points: lazily(func() (points []verify.Point) {
			const gamma = 0.5
			for _, k := range []float64{1, 10, 100, 1000} {
				s := 0.5 / k
				v := 4 / (s * s)
				m := s * s * (1 + 2/math.Pi)
				steps := math.Ceil(v)
				sigma := math.Sqrt(bounds.ConcentratedConstant*steps) / (v * math.Sqrt(m))
				wrong := distuv.UnitNormal.CDF(-1 / sigma)
				limit := s * (2*wrong - 1)
				mean := s + limit - limit*(1-math.Pow(1-gamma, steps))/(steps*gamma)
				points = append(points, verify.Point{
					At: verify.At("K=%g, s=%g, σ=%.3g, P(wrong way)=%.3g", k, s, sigma, wrong), Measured: mean, Claimed: claimed(k, s, v), Error: 1e-9, Show: true,
				})
			}
			return points
		}),
	}
}

const capProof = "x_{t+1} is between x_t and a vertex"

// staysInside runs Algorithm 4 on small ℓ1 balls with the step size of Theorem 6.
func staysInside(o algorithm.Overstep, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		const dim, steps = 3, 8
		r := s.Stream("runs")
		data, err := plantedRows(r, rateRows, dim)
		if err != nil {
			return nil, err
		}
		var points []verify.Point
		for _, radius := range []float64{0.01, 0.1, 0.5, 1, 10} {
			set, err := erm.NewL1Ball(dim, radius)
			if err != nil {
				return nil, err
			}
			hull, err := algorithm.HullOf(set)
			if err != nil {
				return nil, err
			}
			largest, gamma := 0.0, math.Sqrt(2/(steps*radius*radius))
			c := algorithm.Config{
				Loss: erm.Sigmoid{Falling: true}, Iterations: steps, Start: make([]float64, dim), StepSize: algorithm.Constant(gamma),
				Observe: func(_ int, _, _, next []float64) { largest = math.Max(largest, floats.Norm(next, 1)/radius) },
			}
			q := algorithm.Selection{Epsilon: 1, Sensitivity: algorithm.ScoreSensitivity(rateSmooth.Lipschitz, radius, rateRows)}
			if _, err := algorithm.FrankWolfeVertices(ctx, r, data, hull, q, o, c); err != nil {
				return nil, err
			}
			points = append(points, verify.Point{At: verify.At("‖C‖₂=%g, γ=%.3g", radius, gamma), Measured: largest, Claimed: 1, Error: 1e-9, Show: true})
		}
		return verify.Relation{
			Quantity: "largest ‖x_t‖₁ over the radius", Sense: verify.AtMost, Proof: proof,
			Domain: "ℓ1 balls in R³ of radius 0.01, 0.1, 0.5, 1 and 10, T = 8", Points: lazily(func() []verify.Point { return points }),
		}.Prepare(ctx, s)
	})
}
