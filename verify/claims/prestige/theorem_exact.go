package prestige

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

// sumError is that of a sum of a million terms.
const sumError = 1e-9

// withoutBall compares the least gap of F = a‖w‖, started at its minimiser and never projected, with bounds: the noise
// moves w away, further the longer the run.
func withoutBall(proof string, limits ...limit) verify.Check {
	return formula.Check{
		Quantity: "lower bound on (E F(ŵ) − F(w*))/(LR)", Sense: verify.AtMost, Proof: proof,
		Grid: formula.Grid{formula.Over("λ", 1, 0.01), formula.Over("ε_s", 0.05, 0.2, 0.8),
			formula.Over("T", 1e4, 1e5, 1e6)},
		Domain: "F = a‖w‖ with the best a ≤ L, without a regulariser, w_1 = w* = 0, d = 123",
		At: func(at []float64, add func(formula.Point)) {
			i := instance{d: 123, epsilon: at[1], lambda: at[0]}
			gap, slope, err1 := bounds.GapLowerBoundUnprojected(i.d, i.epsilon, i.lambda, int(at[2]))
			for k, bound := range limits {
				most, err2 := bound(i, at[2])
				add(formula.Point{Place: formula.Placef("a=%.3gL, bound %d", slope, k+1),
					Measured: gap, Claimed: most, Error: sumError, Show: k == 0, Err: cmp.Or(err1, err2)})
			}
		},
	}
}

// toLargeBall is the gap of every w in the ball of radius R' = R d^(1/2−1/q) to the least F in the ball of radius R,
// for F(w) = L(R − ⟨u, w⟩): it is at least L(R − R'), however long a run is.
func toLargeBall(inverses ...float64) verify.Check {
	return formula.Check{
		Quantity: "lower bound on (F(ŵ) − F(w*))/(LR)", Sense: verify.AtLeast,
		Grid: formula.Grid{formula.Over("1/p", inverses...), formula.Over("d", 10, 123, 784),
			formula.Over("T", 1e4, 1e6, 1e8, 1e10, 1e12)},
		Domain: "ε_s = 0.8, λ = 1", Proof: "⟨u, w⟩ ≤ R'",
		At: func(at []float64, add func(formula.Point)) {
			d := int(at[1])
			add(formula.Point{Measured: 1 - shrunk(d, at[0]), Show: d == 123,
				Claimed: paper.RateFactor(gradientEpsilon, 1) * math.Sqrt(math.Pi/at[2]) * paper.RateConstantRestricted(d,
					at[0])})
		},
	}
}

// shrunk is R'/R = d^(1/2−1/q) = d^(1/p−1/2).
func shrunk(d int, inverseP float64) float64 { return math.Pow(float64(d), inverseP-0.5) }

// outputIsMean compares what a run returns with the mean of its iterates, in units of R.
func outputIsMean(once bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "‖w_T − ŵ‖/R", Sense: verify.Equals,
			Domain: "runs over 100 equal records of dimension 1 with projection, every record selected, λ ∈ {0.01, 1, 10}; " +
				"the control has one record and one epoch",
			Points: func(add func(formula.Point)) {
				for _, lambda := range []float64{0.01, 1, 10} {
					t := training{lambda: lambda, radius: 1}
					data, err := trainingData()
					if once && err == nil {
						data, err = data.Subset([]int{0})
					}
					var apart float64
					if err == nil {
						var result *localsgd.Result
						if result, err = t.train(ctx, s.Common("output"), data, 1); err == nil {
							apart = floats.Distance(result.W, result.Mean, 2) / t.radius
						}
					}
					add(formula.Point{Place: formula.Placef("λ=%g", lambda), Measured: apart, Claimed: 0, Show: true, Err: err})
				}
			},
		}.Prepare(ctx, s)
	})
}

// dualNorm compares ‖g‖₂ with L = ‖g‖_q over directions and the exponents p from `least` on.
func dualNorm(least float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("gradients")
		return formula.Check{
			Quantity: "‖g‖₂/‖g‖_q", Sense: verify.AtMost,
			Domain: "p ∈ {2, 2.5, 4, 10, ∞} as far as the statement reaches, d ∈ {1, 2, 10, 123}, (1, …, 1), (1, 0, …, 0) " +
				"and 20 random directions",
			Proof: "ℓq norms fall in q, and q ≤ 2 where p ≥ 2",
			Points: func(add func(formula.Point)) {
				for _, p := range []float64{least, 2.5, 4, 10, math.Inf(1)} {
					q := 1 / (1 - 1/p)
					for _, d := range []int{1, 2, 10, 123} {
						axis := make([]float64, d)
						axis[0] = 1
						for k, g := range append([][]float64{diagonal(d, 1), axis}, directions(20, func() []float64 {
							return onSphere(r, d)
						})...) {
							add(formula.Point{Place: formula.Placef("p=%g, d=%d, direction %d", p, d, k),
								Measured: floats.Norm(g, 2) / floats.Norm(g, q), Claimed: 1, Show: k == 0})
						}
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

func directions(n int, draw func() []float64) (all [][]float64) {
	for range n {
		all = append(all, draw())
	}
	return all
}
