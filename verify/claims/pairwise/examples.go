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

// exampleClaims are about the definitions and what they say of Examples 1 and 2.
func exampleClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/example-1", Source: "Example 1", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Example 1; a + at 𝕊^d, for the positive semi-definite matrices, would decide, " +
				"which the copy that was read may have lost",
			Statement: "(x−x')ᵀW(x−x') with W in the constraint set, symmetric matrices of Frobenius norm at most 1, is a " +
				"squared distance: it is not negative",
			Check: distances(false),
			Control: verify.Control{Check: distances(true), Want: checks.Holds,
				Fault: "none: positive semi-definite matrices alone"},
			Corrected: "pairwise/example-1/corrected",
		},
		{
			ID: "pairwise/example-1/corrected", Source: "Example 1, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of the constraint set of Example 1",
			Statement: "(x−x')ᵀW(x−x') with W positive semi-definite is not negative",
			Check:     distances(true),
			Control:   verify.Control{Check: distances(false), Want: checks.Refuted, Fault: "all symmetric matrices"},
		},
		{
			ID: "pairwise/assumption-1/strongly", Source: "Assumption 1, Theorems 1, 2 and 5", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Theorem 1: Assumption 1 and α-strongly convex, also in Theorems 2 and 5; the " +
				"form of ℓ in Assumption 1; Examples 1 and 2",
			Statement: "the losses of Examples 1 and 2, of the form that Assumption 1 asks for, are α-strongly convex for an " +
				"α > 0 at every pair of records",
			Check: stronglyConvex(0),
			Control: verify.Control{Check: stronglyConvex(1e-3), Want: checks.Holds,
				Fault: "none: a ridge, with which they are no longer of that form"},
		},
		{
			ID: "pairwise/def-5", Source: "Def. 5, Alg. 1", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Definition 5 and above eq. (4): w_1, …, w_{n−1}; Algorithm 1, lines 4 to 14: " +
				"w_1, …, w_n",
			Statement: "Algorithm 1 has the n − 1 outputs that Definition 5 speaks of",
			Check:     outputs(0),
			Control:   verify.Control{Check: outputs(1), Want: checks.Holds, Fault: "none: the last record left out"},
			Corrected: "pairwise/def-5/corrected",
		},
		{
			ID: "pairwise/def-5/corrected", Source: "Def. 5, Alg. 1, corrected", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "in the place of Algorithm 1, lines 8 and 12: n − 1 for n",
			Statement: "Algorithm 1 without its last step has the outputs that regret and mean are made of, and with n − 1 " +
				"− T₁ in line 12 they spend at most ρ",
			Check:   oneFewer(0, "z_n is read by no step then: a run on n − 1 records (alg-1/output, …/kept)"),
			Control: verify.Control{Check: oneFewer(0.9, ""), Want: checks.Refuted, Fault: "a tenth of the deviation"},
		},
		{
			ID: "pairwise/remark-2/rademacher", Source: "Remark 2, eq. (9)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 2, first sentence; eq. (9); rows of the unit ball",
			Statement: "the Rademacher averages of Examples 1 and 2 are at most of the order √d/√n: for rows of the unit ball " +
				"they are at most 4/√n, whatever d",
			Check:   rademacher(4, "φ is 1-Lipschitz (contraction), and (1/n)E‖Σ ε_i v_i‖ ≤ √(Σ‖v_i‖²)/n with ‖v_i‖ ≤ 4"),
			Control: verify.Control{Check: rademacher(1, ""), Want: checks.Refuted, Fault: "the constant 1"},
		},
	}
}

// distances is the least uᵀWu of random rows, for the worst W of the set and for random ones.
func distances(semidefinite bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r, proof := s.Stream("matrices"), ""
		if semidefinite {
			proof = "uᵀWu is a sum of squares"
		}
		return formula.Check{
			Quantity: "2 + (x−x')ᵀW(x−x')/‖x−x'‖²", Sense: verify.AtLeast, Proof: proof,
			Domain: "d ∈ {1, 2, 8}, 100 pairs of rows of the unit ball, the W of norm 1 that is least there and a random one",
			Points: func(add func(formula.Point)) {
				for _, d := range []int{1, 2, 8} {
					for i := range 100 {
						u := inBall(r, d)
						floats.Sub(u, inBall(r, d))
						square := floats.Dot(u, u)
						if square < 1e-9 {
							continue // twice the same row
						}
						for _, w := range [][]float64{against(u, semidefinite), symmetricMatrix(r, d, semidefinite)} {
							add(formula.Point{Place: formula.Placef("d=%d, pair %d", d, i+1), Measured: 2 + form(w, u)/square, Claimed: 2,
								Error: 1e-9, Show: i == 0})
						}
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

// form is uᵀWu of a flat matrix.
func form(w, u []float64) (sum float64) {
	for i, a := range u {
		sum += a * floats.Dot(w[i*len(u):(i+1)*len(u)], u)
	}
	return sum
}

// against is −uuᵀ/‖u‖², or, of the positive semi-definite matrices, the least: one whose kernel has u, 0 for d = 1.
func against(u []float64, semidefinite bool) []float64 {
	d := len(u)
	w := make([]float64, d*d)
	square := floats.Dot(u, u)
	if semidefinite {
		if d > 1 {
			v := make([]float64, d)
			v[0], v[1] = -u[1], u[0]
			u, square = v, math.Max(floats.Dot(v, v), 1e-12)
		} else {
			return w
		}
	} else {
		square = -square
	}
	for i := range u {
		floats.AddScaled(w[i*d:(i+1)*d], u[i]/square, u)
	}
	return w
}

// symmetricMatrix is a random symmetric matrix of norm 1, or the square of one.
func symmetricMatrix(r *rand.Rand, d int, squared bool) []float64 {
	w := inBall(r, d*d)
	for i := range d {
		for j := range i {
			w[i*d+j] = w[j*d+i]
		}
	}
	if squared {
		v := make([]float64, d*d)
		for i := range d {
			for j := range d {
				v[i*d+j] = floats.Dot(w[i*d:(i+1)*d], w[j*d:(j+1)*d])
			}
		}
		w = v
	}
	floats.Scale(1/floats.Norm(w, 2), w)
	return w
}

// stronglyConvex is the least modulus of convexity of a pair's loss over pairs and lines, with a ridge.
func stronglyConvex(ridge float64) verify.Check {
	return formula.Check{
		Quantity: "least second difference of ℓ along a line, over the square of its length", Sense: verify.Above, Void: true,
		Domain: "pairs of equal labels (AUC), and lines across (x−x')(x−x')ᵀ (metric learning), at w = 0; d = 2",
		Proof:  "the loss is constant on these lines but for the ridge",
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
					Measured: modulus / 0.25, Claimed: 0, Tie: modulus == 0, Show: true})
			}
		},
	}
}

// outputs counts what Algorithm 1 hands out.
func outputs(fewer int) verify.Check {
	return checks.Deferred(func(ctx context.Context, _ verify.Settings) (verify.Check, error) {
		p, err := tilted(1, false)
		if err != nil {
			return nil, err
		}
		return formula.Check{
			Quantity: "outputs of Algorithm 1 on n records", Sense: verify.Equals, Contradiction: true,
			Domain: "n ∈ {20, 40}, T₁ = 16, counted in a run", Proof: "one output in each of the steps t = 1, …, n",
			Points: func(add func(formula.Point)) {
				for _, n := range []int{20, 40} {
					count := 0
					data, err := rows(ordinary(n-fewer, 1, 1))
					if err == nil {
						_, err = pairwise.OnPairStrC(ctx, rand.New(rand.NewPCG(1, 1)), data, p, pairwise.Privacy{Epsilon: 1, Delta: 0.01},
							pairwise.Options{Each: func(int, []float64) { count++ }})
					}
					add(formula.Point{Place: formula.Placef("n=%d", n), Measured: float64(count), Claimed: float64(n - 1), Show: true,
						Err: err})
				}
			},
		}, nil
	})
}

// oneFewer is what n − 1 outputs spend with the noise of n − 1 records, its deviation lowered by a share.
func oneFewer(less float64, proof string) verify.Check {
	lowered := func(t, n, warmup int) float64 { return printedVariance(t, n, warmup) * (1 - less) * (1 - less) }
	return formula.Check{
		Quantity: "zCDP of n − 1 outputs over ρ", Sense: verify.AtMost, Proof: proof,
		Domain: "T₁ ∈ {16, 36}, n − T₁ ∈ {2, 24, 334}, both readings of step 13",
		Points: func(add func(formula.Point)) {
			for _, warmup := range []int{16, 36} {
				for _, steps := range []int{2, 24, 334} {
					n := warmup + steps
					worst := math.Max(worstSpent(fedBack, lowered, warmup, n-1), worstSpent(keptApart, lowered, warmup, n-1))
					add(formula.Point{Place: formula.Placef("T₁=%d, n=%d", warmup, n), Measured: worst, Claimed: 1, Show: true})
				}
			}
		},
	}
}

// rademacher is the mean over all signs of the largest sum over parameters of the ball, on a sequence of
// records; the parameters are finitely many, so that it is found from below.
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

// rademacherOf draws a sequence, or takes rows opposite to the first and of the other label, and evaluates it.
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
