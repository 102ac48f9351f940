package pairwise

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

var (
	aucLoss    = erm.AUC{Phi: erm.Logistic{}}
	metricLoss = erm.Metric{Phi: erm.Logistic{}}
)

func lossClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/assumption-1", Kind: verify.Identity, Origin: verify.Implied,
			Place: "Assumption 1: for Examples 1 and 2 with φ the logistic function; the paper prints no bound on the " +
				"rows, without which no G and L exist",
			Statement: "the AUC loss and the metric-learning loss with logistic φ are convex, 4-smooth, and Lipschitz " +
				"with constants 4/(1+e⁻⁴) and 4/(1+e⁻⁵). Setting: rows of norm at most 1, w in the unit ball (Frobenius " +
				"ball)",
			Check: lossConstants(1),
			Control: verify.Control{Check: lossConstants(0.95), Want: checks.Refuted, Fault: "the constants understated by " +
				"5 %"},
			Formerly: []string{"pairwise/assumption-1/unbounded"},
		},
		{
			ID: "pairwise/eq-6", Kind: verify.Identity, Origin: verify.Stated, Place: "eq. (6)",
			Statement: "for convex ℓ the population risk of the mean of w_1, …, w_{n−1} exceeds the minimum risk by at " +
				"most the generalized regret divided by n − 1",
			Check:   onlineToBatch(false),
			Control: checks.Faulty(onlineToBatch(true), "a concave loss"),
		},
		{
			ID: "pairwise/alg-2", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Algs. 2 and 4, line 4: ‖C‖₂ by the last line of Theorem 2",
			Statement: "for w₀ in C, ℓ + (α/2)‖w − w₀‖² is (G + α‖C‖₂)-Lipschitz, (L + α)-smooth and α-strongly convex. " +
				"‖C‖₂ is the diameter of C",
			Check: regularizedConstants(erm.Set.Diameter, regularizedProof),
			Control: checks.Faulty(regularizedConstants(func(c erm.Set) float64 { return 0.9 * c.Diameter() }, ""),
				"the diameter understated by 10 %"),
		},
	}
}

// pairAt is a loss with a pair that attains its constants: opposite rows x and x' of norm r with labels y and y', and
// w parallel to x or to xxᵀ.
type pairAt struct {
	loss     erm.PairLoss
	dim      int
	y, other float64
}

func pairsAt(d int) []pairAt {
	return []pairAt{{aucLoss, d, 1, -1}, {metricLoss, d, 1, 1}, {metricLoss, d, 1, -1}}
}

// slope returns the norm of the gradient at w = s·(direction), |s| ≤ 1, for rows of norm r.
func (p pairAt) slope(r, s float64) float64 {
	a, b := make([]float64, p.dim), make([]float64, p.dim)
	a[0], b[0] = r, -r
	w := make([]float64, p.loss.Dim(p.dim))
	w[0] = s
	g := make([]float64, len(w))
	p.loss.AddGradient(w, erm.Example{X: dataset.Row{Values: a}, Y: p.y},
		erm.Example{X: dataset.Row{Values: b}, Y: p.other}, 1, g)
	return floats.Norm(g, 2)
}

// lossConstants computes the gradient norm and the change of the gradient along the worst line, and between random
// pairs and parameters, half of which have the largest norms.
func lossConstants(factor float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("pairs")
		return formula.Check{
			Quantity: "‖∇ℓ‖, and ‖∇ℓ(w) − ∇ℓ(v)‖/‖w − v‖", Sense: verify.AtMost,
			Domain: "d ∈ {1, 2, 8}: opposite rows of norm 1, w on 401 points of the line through them; 2000 random pairs " +
				"of rows and parameters",
			Proof: "‖∇ℓ‖ = |Y||φ'|‖∇h‖ with |Y|‖∇h‖ ≤ 4 and |φ'(t)| = σ(−t), |t| ≤ 4 or 5; the second derivative is at " +
				"most 16·¼; φ is convex and h affine in w",
			Points: func(add func(formula.Point)) {
				for _, d := range []int{1, 2, 8} {
					for _, p := range pairsAt(d) {
						g := factor * p.loss.Lipschitz(1, 1)
						for i := range 401 {
							s := float64(i-200) / 200
							add(formula.Point{Place: formula.Placef("‖∇ℓ‖ of %s, d=%d, y=%+g, %+g, s=%g", p.loss.Name(), d, p.y,
								p.other, s),
								Measured: p.slope(1, s), Claimed: g, Show: i%400 == 0})
							change := math.Abs(p.slope(1, math.Min(1, s+0.005))-p.slope(1, s)) / 0.005
							at := formula.Placef("smoothness of %s, d=%d, y=%+g, %+g, s=%g", p.loss.Name(), d, p.y, p.other, s)
							add(formula.Point{Place: at, Measured: change, Claimed: factor * 4, Error: 1e-9, Show: i == 200})
						}
						for i := range 2000 {
							slope, change := p.random(r)
							at := formula.Placef("%s, d=%d, y=%+g, %+g, random pair %d", p.loss.Name(), d, p.y, p.other, i+1)
							add(formula.Point{Place: at, Measured: slope, Claimed: g})
							add(formula.Point{Place: at, Measured: change, Claimed: factor * 4, Error: 1e-9})
						}
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

// random returns the norm of the gradient, and its change over the distance, at random rows and parameters.
func (p pairAt) random(r *rand.Rand) (slope, change float64) {
	a, b := inBall(r, p.dim), inBall(r, p.dim)
	x, y := erm.Example{X: dataset.Row{Values: a}, Y: p.y}, erm.Example{X: dataset.Row{Values: b}, Y: p.other}
	w, v := inBall(r, p.loss.Dim(p.dim)), inBall(r, p.loss.Dim(p.dim))
	floats.Scale(r.Float64(), v) // not w
	at, other := make([]float64, len(w)), make([]float64, len(w))
	p.loss.AddGradient(w, x, y, 1, at)
	p.loss.AddGradient(v, x, y, 1, other)
	return floats.Norm(at, 2), floats.Distance(at, other, 2) / floats.Distance(w, v, 2)
}

// inBall draws a point of the unit ball in a random direction; with probability 0.5 its norm is 1.
func inBall(r *rand.Rand, d int) []float64 {
	x := make([]float64, d)
	for k := range x {
		x[k] = rng.Normal(r)
	}
	norm := 1.0
	if r.IntN(2) == 0 {
		norm = r.Float64()
	}
	floats.Scale(norm/floats.Norm(x, 2), x)
	return x
}

// onlineToBatch evaluates both sides on a population of four records.
func onlineToBatch(concave bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("iterates")
		sign := 1.0
		if concave {
			sign = -1
		}
		return formula.Check{
			Quantity: "L_P(w̄)", Sense: verify.AtMost,
			Domain: "200 sequences of 2 to 9 parameters in the unit ball of R² and a population of four records each; the " +
				"minimum risk, which both sides contain, is left out",
			Proof: "Jensen's inequality: R/(n−1) is the mean of L_P(w_{t−1}) less the minimum",
			Points: func(add func(formula.Point)) {
				for i := range 200 {
					data := population(r)
					p := pairwise.Problem{Loss: aucLoss}
					mean, risks := make([]float64, 2), 0.0
					n := 2 + i%8
					for range n {
						w := []float64{2*r.Float64() - 1, 2*r.Float64() - 1}
						floats.Scale(1/math.Max(1, floats.Norm(w, 2)), w)
						floats.AddScaled(mean, 1/float64(n), w)
						risks += sign * p.Risk(w, data) / float64(n)
					}
					add(formula.Point{Place: formula.Placef("sequence %d of %d", i+1, n), Measured: sign * p.Risk(mean, data),
						Claimed: risks, Show: i < 5})
				}
			},
		}.Prepare(ctx, s)
	})
}

// population returns four records of R², two with each label.
func population(r *rand.Rand) *dataset.Dataset {
	values := make([]float64, 8)
	for i := range values {
		values[i] = 2*r.Float64() - 1
	}
	data, err := dataset.NewDense(2, values, []float64{1, 1, -1, -1})
	if err != nil {
		panic(err) // unreachable: finite values of the right number
	}
	return data
}

const regularizedProof = "‖∇ℓ̃‖ ≤ G + α‖w − w₀‖, and the Hessian of ℓ̃ is that of ℓ, between 0 and L, and α"

// regularizedConstants compares the three printed constants with the worst loss for each: one of slope G, whose
// gradient is parallel to that of the regularizer if w and w₀ are the ends of a diameter, one of curvature L, and one
// without curvature.
func regularizedConstants(size func(erm.Set) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "‖∇ℓ̃‖ over G + α‖C‖₂, the change of the gradient over L + α, and α over that of a linear ℓ",
		Sense:    verify.AtMost, Proof: proof,
		Domain: "d = 1, C = [−R, R], w₀ and w in nine equal steps from −R to R",
		Grid: formula.Grid{formula.Over("R", 0.1, 1, 10), formula.Over("G and L", 0.1, 1),
			formula.Over("α", 1e-3, 1, 1e3)},
		At: func(at []float64, add func(formula.Point)) {
			radius, g, alpha := at[0], at[1], at[2]
			set, err := erm.NewL2Ball(1, radius)
			if err != nil {
				add(formula.Point{Err: err})
			}
			for i := range 9 {
				w0 := radius * float64(i-4) / 4
				for j := range 9 {
					w := radius * float64(j-4) / 4
					slope := math.Max(math.Abs(g+alpha*(w-w0)), math.Abs(-g+alpha*(w-w0)))
					add(formula.Point{Place: formula.Placef("w₀=%g, w=%g", w0, w), Measured: slope / (g + alpha*size(set)),
						Claimed: 1, Show: i == 0 && j == 8 && g == 1})
					if i == j {
						continue // the constants below compare w with w₀
					}
					curved, flat := (g*w+alpha*(w-w0))-g*w0, alpha*(w-w0)
					add(formula.Point{Place: formula.Placef("curvature L, w₀=%g, w=%g", w0, w),
						Measured: curved / (w - w0) / (g + alpha), Claimed: 1, Error: 1e-9})
					add(formula.Point{Place: formula.Placef("linear ℓ, w₀=%g, w=%g", w0, w),
						Measured: alpha / (flat / (w - w0)), Claimed: 1, Error: 1e-9})
				}
			}
		},
	}
}
