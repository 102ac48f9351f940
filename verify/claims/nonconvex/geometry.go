package nonconvex

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// geometryClaims returns the claims about norms, widths, smoothness, the projected gradient and the Frank–Wolfe gap, in
// the order of the paper: Definitions 2, 3, 7, 8 and 9, eq. (2), Lemma 4.
//
// Readings, fixed before anything is run: nonconvex/def-2 is the definition as printed, with the ℓ2 norm,
// …/corrected has the ℓ1 norm of its name, and the example needs a bounded C, ‖θ‖₁ ≤ 1;
// nonconvex/eq-2/mirror is the form after Definition 9, which has ½V for V/γ; nonconvex/def-8 has p ≥ 2 and s
// ≤ p/2, …/literal every p ≥ 1 and s ≤ p.
func geometryClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/def-2", Source: "Def. 2 and its example", Kind: verify.Consistency,
			Origin: verify.Reading,
			Place:  "Definition 2, last sentence, and the example after it; the subscript of the norm, one glyph, decides",
			Statement: "under the definition of ℓ1-Lipschitz as printed, |f(x₁) − f(x₂)| ≤ G‖x₁ − x₂‖₂, the squared loss on " +
				"data with entries in [−1, 1] and ‖θ‖₁ ≤ 1 has a constant that does not grow with p, as the paper's example says",
			Check: squaredLoss(sensitivity.L2, true),
			Control: verify.Control{Check: squaredLoss(sensitivity.L1, true), Want: checks.Holds,
				Fault: "none: the ℓ1 norm on the right"},
			Corrected: "nonconvex/def-2/corrected",
		},
		{
			ID: "nonconvex/def-2/corrected", Source: "Def. 2, with ‖x₁ − x₂‖₁", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Definition 2, last sentence, with the norm of its name",
			Statement: "with the ℓ1 norm on the right the squared loss on data with entries in [−1, 1] and ‖θ‖₁ ≤ 1 is " +
				"4-Lipschitz for every p",
			Check:   squaredLoss(sensitivity.L1, false),
			Control: verify.Control{Check: squaredLoss(sensitivity.L2, false), Want: checks.Refuted, Fault: "the ℓ2 norm"},
		},
		{
			ID: "nonconvex/def-2/unbounded", Source: "the example after Def. 2", Kind: verify.Identity,
			Origin: verify.Reading,
			Place: "paragraph after Definition 2, last sentence: |x_ij| and |y_j| are bounded, and nothing is said of θ, " +
				"which is read as any",
			Statement: "the squared loss on data with entries in [−1, 1] has a Lipschitz constant under the ℓ1 norm that " +
				"holds for every θ: 4, ten times and a hundred times as much are exceeded at no θ",
			Check:     farLosses(math.Inf(1)),
			Control:   verify.Control{Check: farLosses(1), Want: checks.Holds, Fault: "none: ‖θ‖₁ ≤ 1"},
			Corrected: "nonconvex/def-2/corrected",
		},
		{
			ID: "nonconvex/def-3", Source: "Def. 3, the quadratic bound", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Definition 3, last sentence",
			Statement: "an L-smooth differentiable loss keeps f(a) ≤ f(b) + f′(b)(a − b) + (L/2)(a − b)², the sigmoid of the " +
				"experiments with L = 1/(6√3)",
			Check:   quadraticBound(1),
			Control: verify.Control{Check: quadraticBound(0.99), Want: checks.Refuted, Fault: "0.99 of L"},
		},
		{
			ID: "nonconvex/eq-2", Source: "eq. (2)", Kind: verify.Identity,
			Origin: verify.Stated, Place: "paragraph after eq. (2), last sentence",
			Statement: "with C = R^p and r = 0 the generalised projected gradient at g is g",
			Check:     projectedGradient(1, 1),
			Control: verify.Control{Check: projectedGradient(0, 2), Want: checks.Contradictory,
				Fault: "½V(u, x) in the place of V(u, x)/γ"},
		},
		{
			ID: "nonconvex/eq-2/mirror", Source: "after Def. 9, eq. (2)", Kind: verify.Consistency,
			Origin: verify.Stated,
			Place:  "after Definition 9, the display of x⁺ and the sentence after it; ½ for 1/γ, one glyph, decides",
			Statement: "the form after Definition 9, with ½V(u, x) and V(u, x) = ½‖u − x‖₂², is eq. (2): it gives g " +
				"at C = R^p and r = 0",
			Check: projectedGradient(0, 2),
			Control: verify.Control{Check: projectedGradient(1, 1), Want: checks.Holds,
				Fault: "none: V(u, x)/γ, as in line 2 of Algorithm 3"},
			Corrected: "nonconvex/eq-2/mirror/corrected",
		},
		{
			ID: "nonconvex/eq-2/mirror/corrected", Source: "after Def. 9, with V(u, x)/γ", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 3, line 2, and eq. (2)",
			Statement: "with V(u, x)/γ and V(u, x) = ½‖u − x‖₂² the form after Definition 9 gives g at C = R^p and r = 0",
			Check:     projectedGradient(1, 1),
			Control:   verify.Control{Check: projectedGradient(0, 2), Want: checks.Contradictory, Fault: "½V(u, x)"},
		},
		{
			ID: "nonconvex/def-7", Source: "Def. 7, the dual norm", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Definition 7, last sentence",
			Statement: "max over C of |⟨w, v⟩| is the norm dual to the Minkowski norm: |⟨u, v⟩| ≤ ‖u‖_C‖v‖_C*, with equality " +
				"for some u, on bounded C with the origin inside",
			Check: dualNorm(true),
			Control: verify.Control{Check: dualNorm(false), Want: checks.Refuted,
				Fault: "‖·‖_C in the place of its dual, on the " +
					"ℓ1 ball"},
		},
		{
			ID: "nonconvex/def-7/degenerate", Source: "Def. 7, every C", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Definition 7, first sentence: any centrally symmetric convex C",
			Statement: "‖v‖_C is finite for every centrally symmetric convex C and every v: the segment from −e₁ to e₁, " +
				"thickened by h → 0, keeps ‖e₂‖_C below some constant",
			Check:     thinSegment(false),
			Control:   verify.Control{Check: thinSegment(true), Want: checks.Holds, Fault: "none: C with the unit ball in it"},
			Corrected: "nonconvex/def-7",
		},
		{
			ID: "nonconvex/def-8", Source: "after Def. 8", Kind: verify.Identity,
			Origin: verify.Reading, Place: "paragraph after Definition 8, for p ≥ 2 and s ≤ p/2",
			Statement: "for p ≥ 2 the width of the unit ℓ1 ball is at most 2√ln p, and for s ≤ p/2 that of the unit s-sparse " +
				"vectors at most 3.78√(s·ln(p/s))",
			Check: widths{least: 2, share: 2, ball: 2, sparse: 3.78}.check(widthProof),
			Control: verify.Control{Check: widths{least: 2, share: 2, ball: 0.9, sparse: 0.9}.check(""), Want: checks.Refuted,
				Fault: "0.9 for both constants"},
		},
		{
			ID: "nonconvex/def-8/literal", Source: "after Def. 8", Kind: verify.Identity,
			Origin: verify.Reading, Place: "paragraph after Definition 8, for every p and s",
			Statement: "for every p ≥ 1 and s ≤ p the widths are at most a constant times √ln p and √(s·ln(p/s))",
			Check:     widths{least: 1, share: 1, ball: 1e6, sparse: 1e6}.check(""),
			Control: verify.Control{Check: widths{least: 1, share: 1, ball: 1 + math.Sqrt2, sparse: 1 + math.Sqrt2,
				shift: 1}.check(widthProof), Want: checks.Holds, Fault: "none: ln(ep) and ln(ep/s)"},
			Corrected: "nonconvex/def-8/literal/corrected",
		},
		{
			ID: "nonconvex/def-8/literal/corrected", Source: "after Def. 8, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Definition 8 and the paragraph after it",
			Statement: "for every p ≥ 1 and s ≤ p the widths are at most (1+√2)√ln(ep) and (1+√2)√(s·ln(ep/s))",
			Check:     widths{least: 1, share: 1, ball: 1 + math.Sqrt2, sparse: 1 + math.Sqrt2, shift: 1}.check(widthProof),
			Control: verify.Control{Check: widths{least: 1, share: 1, ball: 1 + math.Sqrt2, sparse: 1 + math.Sqrt2}.check(""),
				Want: checks.Refuted, Fault: "ln(p) and ln(p/s), 0 at their ends"},
		},
		{
			ID: "nonconvex/lemma-4", Source: "Lemma 4", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Lemma 4",
			Statement: "E[(max over C of ⟨w, v⟩)²] ≤ G_C² + ‖C‖₂² for v ~ N(0, I): the O has the constant 1",
			Check:     squaredSupport(1),
			Control:   verify.Control{Check: squaredSupport(0), Want: checks.Refuted, Fault: "G_C² alone"},
		},
		{
			ID: "nonconvex/assumption-3", Source: "after Assumption 3, the loss of the experiments", Kind: verify.Identity,
			Origin: verify.Implied,
			Place: "paragraph after Assumption 3, second sentence (binary classification); Assumptions 2 and 3; the " +
				"displayed problem of the Experiments",
			Statement: "the sigmoid on rows of norm at most 1 meets Assumptions 2 and 3 in every dimension, with τ = ½, H = " +
				"1/(6√3), L = 1/8 for its Hessian, and c = 0",
			Check: sigmoidMeets(0.5),
			Control: verify.Control{Check: sigmoidMeets(0.25), Want: checks.Refuted,
				Fault: "τ = ¼, which Assumption 2 allows, " +
					"and c = 0"},
		},
		{
			ID: "nonconvex/assumption-3/constant", Source: "Assumption 3, the constant c", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Assumption 3, last sentence: that a c exists, for the p, τ, H and L of a loss",
			Statement: "in dimension p ≥ 2 the condition that there be a c with H ≤ τ²p^c and L ≤ τ³p^c excludes some loss: " +
				"H = Kτ² and L = Kτ³ miss it for K ∈ {10, 1000, 10⁹}",
			Check:   excludes(2, 100),
			Control: verify.Control{Check: excludes(1), Want: checks.Holds, Fault: "none: p = 1, where p^c is 1 whatever c is"},
		},
		{
			ID: "nonconvex/thm-6/width", Source: "after Corollary 1, the width", Kind: verify.Identity,
			Origin: verify.Stated, Place: "paragraph after Corollary 1, last but one sentence",
			Statement: "a set that contains the unit ℓ2 ball has G_C = Ω(√p): at least √(2p/π), with equality at p = 1",
			Check:     widthBelow(1),
			Control:   verify.Control{Check: widthBelow(1.01), Want: checks.Refuted, Fault: "1 % more"},
		},
		{
			ID: "nonconvex/alg-3/modulus", Source: "Alg. 3 and eq. (2)", Kind: verify.Identity,
			Origin: verify.Implied,
			Place:  "Algorithm 3, input (modulus 1 in ‖·‖_C), and the sentence before it, that eq. (2) is the case w = ½‖x‖₂²",
			Statement: "w = ½‖x‖₂² has modulus 1 in the Minkowski norm of C, as Algorithm 3 asks: for the unit ℓ1 ball " +
				"‖u‖₂² ≥ ‖u‖₁²",
			Check:     modulus(func(int) float64 { return 1 }),
			Control:   verify.Control{Check: modulus(dimension), Want: checks.Holds, Fault: "none: (p/2)‖x‖₂²"},
			Corrected: "nonconvex/alg-3/modulus/corrected",
		},
		{
			ID: "nonconvex/alg-3/modulus/corrected", Source: "Alg. 3, with (p/2)‖x‖₂²", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 3, input, and Definition 9",
			Statement: "w = (p/2)‖x‖₂² has modulus 1 in the ℓ1 norm: p‖u‖₂² ≥ ‖u‖₁²",
			Check:     modulus(dimension),
			Control:   verify.Control{Check: modulus(func(int) float64 { return 1 }), Want: checks.Refuted, Fault: "½‖x‖₂²"},
		},
		{
			ID: "nonconvex/frank-wolfe-gap", Source: "Sect. High Dimension Case", Kind: verify.Identity,
			Origin: verify.Stated, Place: "High Dimension Case, paragraph before Algorithm 2, last but one sentence",
			Statement: "the Frank–Wolfe gap lies between γ‖P‖² and (diam C + γ‖g‖)‖P‖, P the projected gradient at step γ: it " +
				"is 0 exactly at stationary points",
			Check:   gapBetween(1),
			Control: verify.Control{Check: gapBetween(0.3), Want: checks.Refuted, Fault: "0.3 of the gap"},
		},
		{
			ID: "nonconvex/frank-wolfe-gap/closed-form", Source: "Sect. High Dimension Case", Kind: verify.Identity,
			Origin: verify.Implied,
			Place: "the definition of the gap before Algorithm 2; Experiment Settings, first sentence, calls it hard to " +
				"compute",
			Statement: "the gap at x is ‖g‖∞ + ⟨x, g⟩ on the unit ℓ1 ball and ‖g‖₂ + ⟨x, g⟩ on the unit ℓ2 ball",
			Check:     gapClosed(math.Inf(1)),
			Control:   verify.Control{Check: gapClosed(1), Want: checks.Refuted, Fault: "‖g‖₁ for the ℓ1 ball"},
		},
	}
}

// projectedGradient compares the projected gradient of a random g at a random x with g,
// where x⁺ minimises ⟨g, u⟩ + V(u, x)/(factor·γ^exponent).
func projectedGradient(exponent, factor float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("points")
		relation := formula.Check{
			Quantity: "‖P(x, g, γ)‖/‖g‖", Sense: verify.Equals, Contradiction: true,
			Domain: "random x and g, p ∈ {1, 5, 50}, γ ∈ {10⁻³, 0.5, 10}", Proof: "x⁺ = x − γg minimises ⟨g, u⟩ + ‖x − u‖²/(2γ)",
			Points: func(add func(formula.Point)) {
				for _, p := range []int{1, 5, 50} {
					for _, gamma := range []float64{1e-3, 0.5, 10} {
						space, err1 := erm.NewSpace(p)
						step, err2 := erm.NewProximal(space, 0)
						x, g, next := gaussian(r, p), gaussian(r, p), make([]float64, p)
						step.Next(x, g, factor*math.Pow(gamma, exponent), next)
						moved := floats.Distance(x, next, 2) / gamma
						add(formula.Point{
							Place: formula.Placef("p=%d, γ=%g", p, gamma), Measured: moved / floats.Norm(g, 2), Claimed: 1, Error: 1e-9,
							Show: true, Err: cmp.Or(err1, err2),
						})
					}
				}
			},
		}
		return relation.Prepare(ctx, s)
	})
}

func gaussian(r *rand.Rand, p int) []float64 {
	v := make([]float64, p)
	for j := range v {
		v[j] = rng.Normal(r)
	}
	return v
}

// widths are the statements after Definition 8 with constants, for p ≥ least:
// ball·√ln(p·e^shift), and sparse·√(s·ln(p·e^shift/s)) for p ≥ share·s.
type widths struct {
	least, share        int
	ball, sparse, shift float64
}

const widthProof = "a maximum of N sets' norms, each 1-Lipschitz in the Gaussian, is at most √s + √(2·ln N), and N ≤ " +
	"(ep/s)^s supports; the ℓ1 ball has 2p vertices"

func (w widths) check(proof string) verify.Check {
	// The norm of the s largest is 1-Lipschitz in the Gaussian, and a mean over so many draws of it is
	// within half a percent: the widths are above √s.
	samples := func(sparsity int) int { return 100 + 4000/sparsity }
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("widths")
		relation := formula.Check{
			Quantity: "Gaussian width", Sense: verify.AtMost, Proof: proof,
			Domain: "p ∈ {1, 2, 3, 10, 100, 10⁴} and s ∈ {1, 2, p/2, p} as far as the statement reaches; exact but for 1 < s " +
				"< p, where the mean of 100 + 4000/s draws stands",
			Points: func(add func(formula.Point)) {
				for _, p := range []int{1, 2, 3, 10, 100, 10000} {
					if p < w.least {
						continue
					}
					ball, err := erm.NewL1Ball(p, 1)
					add(formula.Point{
						Place: formula.Placef("ℓ1 ball, p=%d", p), Show: true,
						Measured: ball.GaussianWidth(), Claimed: w.ball * math.Sqrt(math.Log(float64(p))+w.shift), Err: err,
					})
					for _, sparsity := range []int{1, 2, p / 2, p} {
						if sparsity < 1 || sparsity > p || w.share*sparsity > p {
							continue
						}
						width, err := erm.SparseWidth(p, sparsity, r, samples(sparsity))
						claimed := w.sparse * math.Sqrt(float64(sparsity)*(math.Log(float64(p)/float64(sparsity))+w.shift))
						add(formula.Point{
							Place: formula.Placef("s-sparse, p=%d, s=%d", p, sparsity), Show: true,
							Measured: width.Value, Claimed: claimed, Error: 1e-9, Err: err,
						})
					}
				}
			},
		}
		return relation.Prepare(ctx, s)
	})
}

// squaredSupport compares E[(max⟨w, v⟩)²] with G_C² + share·‖C‖₂², both exact: the moment
// of the ℓ2 ball is p, those of the ℓ1 ball and the simplex integrals over the law of
// the largest entry.
func squaredSupport(share float64) verify.Check {
	return formula.Check{
		Quantity: "E[W]", Sense: verify.AtMost, Domain: "unit ℓ1 ball, ℓ2 ball and simplex, p ∈ {1, 2, 10, 100, 10⁴}",
		Proof: "max⟨w, v⟩ is ‖C‖₂-Lipschitz in v, so its variance is at most ‖C‖₂² (Gaussian Poincaré inequality)",
		Points: func(add func(formula.Point)) {
			for _, p := range []int{1, 2, 10, 100, 10000} {
				l1, err1 := erm.NewL1Ball(p, 1)
				l2, err2 := erm.NewL2Ball(p, 1)
				simplex, err3 := erm.NewSimplex(p, 1)
				for _, c := range []struct {
					set    erm.ExactWidth
					moment float64
					err    error
				}{
					{l1, secondMoment(p, true), err1}, {l2, float64(p), err2}, {simplex, secondMoment(p, false), err3},
				} {
					width := c.set.GaussianWidth()
					add(formula.Point{
						Place: formula.Placef("%s", c.set.Name()), Show: true, Error: 1e-7,
						Measured: c.moment, Claimed: width*width + share, Err: c.err,
					})
				}
			}
		},
	}
}

// secondMoment is E of the square of the largest of p normal entries, or of their
// magnitudes: ∫ x² dF(x)^p by Gauss–Legendre.
func secondMoment(p int, magnitudes bool) float64 {
	density := func(x float64) float64 {
		phi, below := distuv.UnitNormal.Prob(x), distuv.UnitNormal.CDF(x)
		if magnitudes {
			phi, below = 2*phi, math.Erf(x/math.Sqrt2)
		}
		return x * x * float64(p) * phi * math.Pow(below, float64(p-1))
	}
	sum, from := 0.0, -12.0
	if magnitudes {
		from = 0
	}
	for a := from; a < 12; a++ {
		sum += quad.Fixed(density, a, a+1, 40, quad.Legendre{}, 0)
	}
	return sum
}

// eachSet calls f for members x of some sets and gradients g, drawn at random, the
// member moved to a minimiser of ⟨g, ·⟩ every other time.
func eachSet(r *rand.Rand, f func(name string, set erm.Set, x, g []float64)) error {
	for _, p := range []int{1, 2, 5, 30} {
		l1, err1 := erm.NewL1Ball(p, 1)
		l2, err2 := erm.NewL2Ball(p, 1)
		simplex, err3 := erm.NewSimplex(p, 1)
		for _, err := range []error{err1, err2, err3} {
			if err != nil {
				return err
			}
		}
		for _, set := range []erm.Set{l1, l2, simplex} {
			for k := range 6 {
				x, g := gaussian(r, p), gaussian(r, p)
				set.Project(x)
				name := "inside"
				if k%2 == 1 {
					set.Linear(g, x)
					name = "at the minimiser"
				}
				f(fmt.Sprintf("%s, draw %d, x %s", set.Name(), k, name), set, x, g)
			}
		}
	}
	return nil
}

func gapBetween(factor float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		const gamma = 0.7
		var points []formula.Point
		err := eachSet(s.Stream("points"), func(name string, set erm.Set, x, g []float64) {
			next, p := make([]float64, len(x)), make([]float64, len(x))
			erm.ProjectedGradient(erm.Projected{Set: set}, x, g, gamma, next, p)
			norm, scale := floats.Norm(p, 2), set.Diameter()+gamma*floats.Norm(g, 2)
			if norm <= 1e-12*scale {
				norm = 0 // x is stationary, but for rounding
			}
			gap := factor * erm.FrankWolfeGap(set, x, g, p)
			lower, upper := gamma*norm*norm, scale*norm
			// An absolute 1e-12 covers the rounding of what is 0 over the reals.
			points = append(points,
				formula.Point{Place: formula.Placef("%s, below", name), Measured: lower, Claimed: gap + 1e-12, Show: true},
				formula.Point{Place: formula.Placef("%s, above", name), Measured: gap, Claimed: upper + 1e-12})
		})
		if err != nil {
			return nil, err
		}
		return formula.Check{
			Quantity: "γ‖P‖² against the gap, and the gap against (diam C + γ‖g‖)‖P‖", Sense: verify.AtMost,
			Domain: "ℓ1 ball, ℓ2 ball and simplex, p ∈ {1, 2, 5, 30}, random x and g, γ = 0.7",
			Proof: "with x⁺ the projection of x − γg, ⟨x − γg − x⁺, v − x⁺⟩ ≤ 0 for all v in C; take v = x, and the v " +
				"that attains the gap",
			Points: formula.ListedPoints(points...),
		}.Prepare(ctx, s)
	})
}

func gapClosed(dualOfL1 float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		var points []formula.Point
		err := eachSet(s.Stream("points"), func(name string, set erm.Set, x, g []float64) {
			dual := 2.0
			switch set.(type) {
			case erm.L1Ball:
				dual = dualOfL1
			case erm.Simplex:
				return
			}
			gap := erm.FrankWolfeGap(set, x, g, make([]float64, len(x)))
			points = append(points, formula.Point{Place: formula.Placef("%s", name), Measured: gap + 1,
				Claimed: floats.Norm(g, dual) + floats.Dot(x, g) + 1, Error: 1e-12, Show: true})
		})
		if err != nil {
			return nil, err
		}
		return formula.Check{
			Quantity: "1 + gap", Sense: verify.Equals, Domain: "unit ℓ1 and ℓ2 balls, p ∈ {1, 2, 5, 30}, random x and g",
			Proof: "max⟨v, −g⟩ over the ball of a norm is the dual norm of g", Points: formula.ListedPoints(points...),
		}.Prepare(ctx, s)
	})
}
