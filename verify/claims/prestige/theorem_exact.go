package prestige

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

const (
	startProof = "the bound is derived for every start and every convex loss; the points show how near an instance comes"
	walkProof  = "the bound is derived for every convex loss; the points show how near an instance comes"
)

// sumError is that of a sum of a million terms.
const sumError = 1e-9

// withoutBall holds the least gap of F = a‖w‖, started at its minimiser and never projected, against a
// bound: the noise carries w away, further the longer the run.
func withoutBall(lambda float64, bound limit, proof string) verify.Check {
	return formula.Check{
		Quantity: "lower bound on (E F(ŵ) − F(w*))/(LR)", Sense: verify.AtMost, Proof: proof,
		Domain: "F = a‖w‖ with the best a ≤ L, without a regulariser, w_1 = w* = 0, d = 123, ε_s ∈ {0.05, 0.2, 0.8}, T ∈ " +
			"{10⁴, 10⁵, 10⁶}",
		Points: func(add func(formula.Point)) {
			for _, epsilon := range []float64{0.05, 0.2, 0.8} {
				for _, updates := range []int{1e4, 1e5, 1e6} {
					i := instance{d: 123, epsilon: epsilon, lambda: lambda}
					gap, slope, err1 := bounds.GapLowerBoundUnprojected(i.d, epsilon, lambda, updates)
					most, err2 := bound(i, float64(updates))
					add(formula.Point{Place: formula.Placef("λ=%g, ε_s=%g, T=%d, a=%.3gL", lambda, epsilon, updates, slope),
						Measured: gap, Claimed: most, Error: sumError, Show: true, Err: cmp.Or(err1, err2)})
				}
			}
		},
	}
}

// fromFar holds the least gap of a linear loss from the far side of the ball against a bound.
func fromFar(bound limit, proof string) verify.Check {
	return formula.Check{
		Quantity: "lower bound on (E F(ŵ) − F(w*))/(LR)", Sense: verify.AtMost, Proof: proof,
		Domain: "F = L(R − ⟨u, w⟩) in the ball, without a regulariser, from near −Ru, w* = Ru, d ∈ {10, 123, 784}, ε_s ∈ " +
			"{10⁻⁶, 0.01}, λ ∈ {10³, 10⁴}, T where the step has carried w three quarters of the way",
		Points: func(add func(formula.Point)) {
			for _, i := range farInstances() {
				gap, updates, err1 := bounds.GapLowerBoundFromFar(i.d, i.epsilon, i.lambda)
				most, err2 := bound(i, updates)
				add(formula.Point{Place: formula.Placef("d=%d, ε_s=%g, λ=%g, T=%.3g", i.d, i.epsilon, i.lambda, updates),
					Measured: gap,
					Claimed:  most, Error: sumError, Show: true, Err: cmp.Or(err1, err2)})
			}
		},
	}
}

func farInstances() (all []instance) {
	for _, d := range []int{10, 123, 784} {
		for _, epsilon := range []float64{1e-6, 0.01} {
			for _, lambda := range []float64{1e3, 1e4} {
				all = append(all, instance{d: d, epsilon: epsilon, lambda: lambda})
			}
		}
	}
	return all
}

// restricted is fromFar in the ball of Corollary 1: lengths and gaps are in units of its radius.
func restricted(bound func(i instance, inverseP, updates float64) (float64, error), proof string) verify.Check {
	return formula.Check{
		Quantity: "lower bound on (E F(ŵ) − F(w*))/(LR)", Sense: verify.AtMost, Proof: proof,
		Domain: "F = L(R' − ⟨u, w⟩) in the ball of radius R' = R d^(1/2−1/q), from near −R'u, p ∈ {4, ∞}, d ∈ {10, 123, " +
			"784}, ε_s ∈ {10⁻⁶, 0.01}, λ ∈ {10³, 10⁴}",
		Points: func(add func(formula.Point)) {
			for _, inverseP := range []float64{0.25, 0} {
				for _, i := range farInstances() {
					gap, updates, err1 := bounds.GapLowerBoundFromFar(i.d, i.epsilon, i.lambda)
					most, err2 := bound(i, inverseP, updates)
					add(formula.Point{Place: formula.Placef("1/p=%g, d=%d, ε_s=%g, λ=%g, T=%.3g", inverseP, i.d, i.epsilon, i.lambda,
						updates),
						Measured: gap * shrunk(i.d, inverseP), Claimed: most, Error: sumError, Show: i.lambda == 1e4,
						Err: cmp.Or(err1, err2)})
				}
			}
		},
	}
}

// toLargeBall is the gap of every w in the ball of radius R' = R d^(1/2−1/q) to the least F in the ball of radius R,
// for F(w) = L(R − ⟨u, w⟩): it is at least L(R − R'), however long a run is.
func toLargeBall(same bool) verify.Check {
	return formula.Check{
		Quantity: "lower bound on (F(ŵ) − F(w*))/(LR)", Sense: verify.AtMost, Domain: "d ∈ {10, 123, 784}, p ∈ {4, ∞} (2 " +
			"in the control), ε_s = 0.8, λ = 1, T from 10⁴ to 10¹² in steps of a hundred",
		Proof: "⟨u, w⟩ ≤ R'",
		Points: func(add func(formula.Point)) {
			inverses := []float64{0.25, 0}
			if same {
				inverses = []float64{0.5}
			}
			for _, inverseP := range inverses {
				for _, d := range []int{10, 123, 784} {
					for updates := 1e4; updates <= 1e12; updates *= 100 {
						most, err := printedRestricted(instance{d: d, epsilon: gradientEpsilon, lambda: 1}, inverseP, updates)
						add(formula.Point{Place: formula.Placef("1/p=%g, d=%d, T=%g", inverseP, d, updates), Claimed: most,
							Measured: 1 - shrunk(d, inverseP), Show: d == 123, Err: err})
					}
				}
			}
		},
	}
}

// shrunk is R'/R = d^(1/2−1/q) = d^(1/p−1/2).
func shrunk(d int, inverseP float64) float64 { return math.Pow(float64(d), inverseP-0.5) }

func printedRestricted(i instance, inverseP, updates float64) (float64, error) {
	return paper.RateFactor(i.epsilon, i.lambda) * math.Sqrt(math.Pi) * paper.RateConstantRestricted(i.d, inverseP) /
		math.Sqrt(updates), nil
}

func mendedRestricted(i instance, inverseP, updates float64) (float64, error) {
	most, err := mendedGap(i, updates)
	return most * shrunk(i.d, inverseP), err
}

// outputIsMean compares what a run returns with the mean of its iterates, in units of R.
func outputIsMean(once bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "‖w_T − ŵ‖/R", Sense: verify.Equals, Contradiction: true,
			Domain: "runs over 100 equal records of dimension 1 with projection, every record selected, λ ∈ {0.01, 1, 10}; " +
				"the control has one record and one epoch",
			Points: func(add func(formula.Point)) {
				for _, lambda := range []float64{0.01, 1, 10} {
					t := training{lambda: lambda, radius: 1, threshold: math.Inf(-1), project: true}
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

const accurateProof = "both lie in the ball, whose diameter is 2R"

// minimiserDistance compares the distance of updated w from the minimiser with a multiple of R.
func minimiserDistance(multiple float64, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "‖w − w*‖/R after an update", Sense: verify.AtMost, Proof: proof,
			Domain: "200 runs of one update with projection at each λ ∈ {10⁻³, 0.01, 0.1}, one record x = 1, y = +1, hinge " +
				"loss, R = 1, where w* = R",
			Points: func(add func(formula.Point)) {
				for _, lambda := range []float64{1e-3, 0.01, 0.1} {
					t := training{lambda: lambda, radius: 1, threshold: math.Inf(-1), project: true, trueLabels: true}
					r, most := s.Stream("accurate", fmt.Sprint(lambda)), 0.0
					data, err := trainingData()
					if err == nil {
						data, err = data.Subset([]int{0})
					}
					for range 200 {
						var result *localsgd.Result
						if err == nil {
							if result, err = t.train(ctx, r, data, 1); err == nil {
								most = math.Max(most, math.Abs(result.W[0]-t.minimiser()))
							}
						}
					}
					add(formula.Point{Place: formula.Placef("λ=%g", lambda), Measured: most, Claimed: multiple, Show: true, Err: err})
				}
			},
		}.Prepare(ctx, s)
	})
}
