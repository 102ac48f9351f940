package pairwise

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// exampleClaims returns the claims about the definitions and Examples 1 and 2.
func exampleClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/assumption-1/strongly", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Assumption 1, Theorems 1, 2 and 5: which ask for a loss of the form φ(Y·h) and for strong " +
				"convexity. The ridge (λ/2)‖w‖² of the experiments makes a loss strongly convex but changes its form, so " +
				"Assumption 1 has to admit the ridge",
			Statement: "without a regularizer, the losses of Examples 1 and 2 are not α-strongly convex for any α > 0. " +
				"The AUC loss of two records with equal labels is constant, and the metric loss is constant in directions " +
				"orthogonal to (x−x′)(x−x′)ᵀ",
			Check:   stronglyConvex(0),
			Control: checks.Faulty(stronglyConvex(1e-3), "the ridge λ = 10⁻³"),
		},
		{
			ID: "pairwise/remark-2/rademacher", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Remark 2, first sentence: eq. (9)",
			Statement: "the Rademacher averages of Examples 1 and 2, eq. (9), are at most 4/√n in every dimension d, " +
				"and so of the order √d/√n, as Remark 2 says. Setting: rows and parameters in the unit ball",
			Check:   rademacher(4, "φ is 1-Lipschitz (contraction), and (1/n)E‖Σ ε_i v_i‖ ≤ √(Σ‖v_i‖²)/n with ‖v_i‖ ≤ 4"),
			Control: checks.Faulty(rademacher(1, ""), "the constant 1"),
		},
	}
}

// stronglyConvex computes the smallest modulus of convexity of a pair's loss, with a ridge, over pairs and lines.
func stronglyConvex(ridge float64) verify.Check {
	return formula.Check{
		Quantity: "least second difference of ℓ along a line, over the square of its length", Sense: verify.Equals,
		Domain: "pairs of equal labels (AUC), and lines orthogonal to (x−x')(x−x')ᵀ (metric learning), at w = 0; d = 2",
		Proof:  "the loss is constant on these lines, and a modulus above 0 would show on each",
		Points: func(add func(formula.Point)) {
			a, b := []float64{1, 0}, []float64{-1, 0}
			for _, l := range []struct {
				loss     erm.PairLoss
				y, other float64
				axis     int // of w
			}{{aucLoss, 1, 1, 0}, {aucLoss, -1, -1, 0}, {aucLoss, 1, -1, 1}, {metricLoss, 1, 1, 3}, {metricLoss, 1, -1, 3}} {
				p := pairwise.Problem{Loss: l.loss, Ridge: ridge}
				x, z := erm.Example{X: dataset.Row{Values: a}, Y: l.y}, erm.Example{X: dataset.Row{Values: b}, Y: l.other}
				value := func(s float64) float64 {
					w := make([]float64, l.loss.Dim(2))
					w[l.axis] = s
					return p.Value(w, x, z)
				}
				modulus := value(0.5) + value(-0.5) - 2*value(0)
				add(formula.Point{Place: formula.Placef("%s, labels %+g and %+g, entry %d of w", l.loss.Name(), l.y, l.other,
					l.axis+1),
					Measured: modulus / 0.25, Claimed: 0, Show: true})
			}
		},
	}
}

// rademacher compares a Rademacher average with a claimed bound: the mean over all signs of the largest sum over
// parameters of the ball, on a sequence of records. It uses finitely many parameters, so it is a lower bound.
func rademacher(constant float64, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("sequences")
		return formula.Check{
			Quantity: "√n times the Rademacher average of a sequence", Sense: verify.AtMost, Proof: proof,
			Domain: "n ∈ {1, 2, 4, 8}, all signs; d ∈ {1, 4}: opposite rows, and 4 random sequences each; 24 random " +
				"parameters and those along the gradients",
			Points: func(add func(formula.Point)) {
				for _, loss := range []erm.PairLoss{aucLoss, metricLoss} {
					for _, d := range []int{1, 4} {
						for _, n := range []int{1, 2, 4, 8} {
							for i := range 5 {
								average := rademacherOf(r, loss, d, n, i == 0)
								add(formula.Point{Place: formula.Placef("%s, d=%d, n=%d, sequence %d", loss.Name(), d, n, i+1),
									Measured: math.Sqrt(float64(n)) * average, Claimed: constant, Show: i == 0 && n == 8})
							}
						}
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

// rademacherOf evaluates the average on a random sequence, or on rows opposite to the first with the other label.
func rademacherOf(r *rand.Rand, loss erm.PairLoss, d, n int, opposite bool) float64 {
	example := func(y float64) erm.Example {
		x := make([]float64, d)
		if x[0] = y; !opposite {
			x = inBall(r, d)
		}
		return erm.Example{X: dataset.Row{Values: x}, Y: y}
	}
	first, others := example(1), make([]erm.Example, n)
	for i := range others {
		others[i] = example(-1)
	}
	var values [][]float64 // of the losses, by parameter
	add := func(w []float64) {
		row := make([]float64, n)
		for i, z := range others {
			row[i] = loss.Value(w, first, z)
		}
		values = append(values, row)
	}
	for range 24 {
		add(inBall(r, loss.Dim(d)))
	}
	for _, z := range others {
		for _, sign := range []float64{-1, 1} {
			w := make([]float64, loss.Dim(d))
			loss.AddGradient(make([]float64, len(w)), first, z, 1, w)
			floats.Scale(sign/math.Max(floats.Norm(w, 2), 1e-12), w)
			add(w)
		}
	}
	mean := 0.0
	for signs := range 1 << n {
		best := math.Inf(-1)
		for _, row := range values {
			sum := 0.0
			for i, v := range row {
				sum += v * float64(1-2*(signs>>i&1))
			}
			best = math.Max(best, sum)
		}
		mean += best / float64(n) / float64(int(1)<<n)
	}
	return mean
}
