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

// geometryClaims returns the claims about norms, widths, smoothness, the projected gradient and the Frank–Wolfe gap,
// in the paper's order: Definitions 2, 3, 7, 8 and 9, eq. (2), Lemma 4.
func geometryClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/def-2", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Definition 2 and the example after it: last display, with the ℓ1 norm of its name on the right",
			Statement: "on data with entries in [−1, 1] and ‖θ‖₁ ≤ 1, the squared loss is 4-Lipschitz for every p, as the " +
				"example after Definition 2 says. The norm on the right of Definition 2 is read as ‖x₁ − x₂‖₁, as in the " +
				"name ℓ1-Lipschitz",
			Check:    squaredLoss(sensitivity.L1),
			Control:  checks.Faulty(squaredLoss(sensitivity.L2), "the ℓ2 norm"),
			Formerly: []string{"nonconvex/def-2/corrected", "nonconvex/def-2/unbounded"},
		},
		{
			ID: "nonconvex/def-3", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Definition 3, last sentence",
			Statement: "the sigmoid loss of one margin satisfies f(a) ≤ f(b) + f′(b)(a − b) + (L/2)(a − b)² for all a and " +
				"b, as Definition 3 says about every L-smooth loss. L = 1/(6√3), the Lipschitz constant of the slope, is " +
				"the smallest such L",
			Check:   quadraticBound(1),
			Control: checks.Faulty(quadraticBound(0.99), "0.99 of L"),
		},
		{
			ID: "nonconvex/eq-2", Kind: verify.Identity, Origin: verify.Stated,
			Place: "paragraph after eq. (2): last sentence; also line 2 of Algorithm 3 with w = ½‖x‖₂²",
			Statement: "if C = R^p and r = 0, the generalized projected gradient of eq. (2) at g is g, for every x and γ " +
				"> 0",
			Check:    projectedGradient(1, 1),
			Control:  checks.Faulty(projectedGradient(0, 2), "½V(u, x) in place of V(u, x)/γ"),
			Formerly: []string{"nonconvex/eq-2/mirror/corrected"},
		},
		{
			ID: "nonconvex/def-7", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Definition 7, last sentence",
			Statement: "for the unit ℓ1 and ℓ2 balls, the maximum over C of |⟨w, v⟩| is the norm dual to ‖·‖_C, as " +
				"Definition 7 says. That is, |⟨u, v⟩| ≤ ‖u‖_C‖v‖_C* for all u and v, with equality for some u",
			Check:   dualNorm(true),
			Control: checks.Faulty(dualNorm(false), "‖·‖_C in place of its dual, on the ℓ1 ball"),
		},
		{
			ID: "nonconvex/def-8", Kind: verify.Identity, Origin: verify.Stated,
			Place: "paragraph after Definition 8",
			Statement: "the Gaussian width of the unit ℓ1 ball is at most 2√ln p for p ≥ 2. The width of the unit " +
				"s-sparse vectors is at most 3.78√(s·ln(p/s)) for s ≤ p/2. These constants make the O(·) of the text " +
				"explicit",
			Check:   widths(2, 3.78),
			Control: checks.Faulty(widths(0.9, 0.9), "0.9 for both constants"),
		},
		{
			ID: "nonconvex/lemma-4", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Lemma 4",
			Statement: "E[(max over C of ⟨w, v⟩)²] ≤ G_C² + ‖C‖₂² for v ~ N(0, I) and C the unit ℓ1 ball, the unit ℓ2 " +
				"ball or the simplex. This is the O(·) of Lemma 4 with the constant 1",
			Check:   squaredSupport(1),
			Control: checks.Faulty(squaredSupport(0), "G_C² without ‖C‖₂²"),
		},
		{
			ID: "nonconvex/assumption-3", Kind: verify.Identity, Origin: verify.Implied,
			Place: "paragraph after Assumption 3: second sentence (binary classification); Assumptions 2 and 3; the " +
				"displayed problem of the Experiments",
			Statement: "on rows of norm at most 1, the sigmoid loss of the experiments satisfies Assumptions 2 and 3 in " +
				"every dimension. Constants: τ = 0.5, H = 1/(6√3), Lipschitz constant 1/8 of the Hessian, c = 0",
			Check:   sigmoidMeets(0.5),
			Control: checks.Faulty(sigmoidMeets(0.25), "τ = 0.25, which Assumption 2 allows, and c = 0"),
		},
		{
			ID: "nonconvex/thm-6/width", Kind: verify.Identity, Origin: verify.Stated,
			Place: "paragraph after Corollary 1, last but one sentence",
			Statement: "the width G_C of a set that contains the unit ℓ2 ball is Ω(√p): at least √(2p/π), with equality at " +
				"p = 1",
			Check:   widthBelow(1),
			Control: checks.Faulty(widthBelow(1.01), "1 % more"),
		},
		{
			ID: "nonconvex/alg-3/modulus", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Algorithm 3, input: modulus 1 in ‖·‖_C; the sentence before it calls eq. (2) the case w = ½‖x‖₂²",
			Statement: "on the unit ℓ1 ball, w = ½‖x‖₂² has modulus 1/p in the norm ‖·‖_C = ‖·‖₁. Algorithm 3 requires " +
				"modulus 1, so it needs (p/2)‖x‖₂² there",
			Check:    modulus(func(p float64) float64 { return p }),
			Control:  checks.Faulty(modulus(func(float64) float64 { return 1 }), "½‖x‖₂²"),
			Formerly: []string{"nonconvex/alg-3/modulus/corrected"},
		},
		{
			ID: "nonconvex/thm-5/smoothness", Kind: verify.Identity, Origin: verify.Implied,
			Place: "Theorem 5: its step γ_k = 1/(2L‖C‖₂²)",
			Statement: "a function that is L-smooth in the ℓ2 norm is L‖C‖₂²-smooth in the Minkowski norm of C. The step " +
				"of Theorem 5 contains this constant. Equality occurs for F = (L/2)‖x‖₂² on the ℓ1 ball at x − y = e₁",
			Check:   minkowskiSmooth(2),
			Control: checks.Faulty(minkowskiSmooth(1), "L‖C‖₂"),
		},
		{
			ID: "nonconvex/frank-wolfe-gap", Kind: verify.Identity, Origin: verify.Stated,
			Place: "High Dimension Case: paragraph before Algorithm 2, last but one sentence",
			Statement: "the Frank–Wolfe gap is between γ‖P‖₂² and (diam C + γ‖g‖₂)‖P‖₂ on the ℓ1 ball, the ℓ2 ball and " +
				"the simplex, so it is 0 exactly at stationary points. P is the projected gradient with step γ",
			Check:   gapBetween(1),
			Control: checks.Faulty(gapBetween(0.3), "0.3 of the gap"),
		},
		{
			ID: "nonconvex/frank-wolfe-gap/closed-form", Kind: verify.Identity, Origin: verify.Implied,
			Place: "High Dimension Case: the definition of the gap before Algorithm 2; Experiment Settings, first " +
				"sentence, calls the gap hard to compute",
			Statement: "the Frank–Wolfe gap at x has a closed form: ‖g‖∞ + ⟨x, g⟩ on the unit ℓ1 ball and ‖g‖₂ + ⟨x, g⟩ on " +
				"the unit ℓ2 ball, where g = ∇F(x)",
			Check:   gapClosed(math.Inf(1)),
			Control: checks.Faulty(gapClosed(1), "‖g‖₁ for the ℓ1 ball"),
		},
	}
}

// projectedGradient compares the projected gradient of a random g at a random x with g; x⁺ minimizes ⟨g, u⟩ + V(u,
// x)/(factor·γ^exponent).
func projectedGradient(exponent, factor float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("points")
		return formula.Check{
			Quantity: "‖P(x, g, γ)‖/‖g‖", Sense: verify.Equals, Domain: "random x and g",
			Proof: "x⁺ = x − γg minimizes ⟨g, u⟩ + ‖x − u‖²/(2γ)",
			Grid:  formula.Grid{formula.Over("p", 1, 5, 50), formula.Over("γ", 1e-3, 0.5, 10)},
			At: func(at []float64, add func(formula.Point)) {
				p, gamma := int(at[0]), at[1]
				space, err1 := erm.NewSpace(p)
				step, err2 := erm.NewProximal(space, 0)
				x, g, next := gaussian(r, p), gaussian(r, p), make([]float64, p)
				step.Next(x, g, factor*math.Pow(gamma, exponent), next)
				moved := floats.Distance(x, next, 2) / gamma
				add(formula.Point{Measured: moved / floats.Norm(g, 2), Claimed: 1, Error: 1e-9, Show: true,
					Err: cmp.Or(err1, err2)})
			},
		}.Prepare(ctx, s)
	})
}

func gaussian(r *rand.Rand, p int) []float64 {
	v := make([]float64, p)
	for j := range v {
		v[j] = rng.Normal(r)
	}
	return v
}

// widths compares the Gaussian widths of the unit ℓ1 ball and of the unit s-sparse vectors with ball·√ln p and
// sparse·√(s·ln(p/s)).
func widths(ball, sparse float64) verify.Check {
	// The norm of the s largest entries is 1-Lipschitz in the Gaussian, so the mean of this many draws is within half a
	// percent of the width, which is above √s.
	samples := func(sparsity int) int { return 100 + 4000/sparsity }
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("widths")
		return formula.Check{
			Quantity: "Gaussian width", Sense: verify.AtMost,
			Proof: "a maximum of N sets' norms, each 1-Lipschitz in the Gaussian, is at most √s + √(2·ln N), and N ≤ " +
				"(ep/s)^s supports; the ℓ1 ball has 2p vertices",
			Domain: "s ∈ {1, 2, p/2}, s ≤ p/2; exact, except for the mean of 100 + 4000/s draws if s > 1",
			Grid:   formula.Grid{formula.Over("p", 2, 3, 10, 100, 10000)},
			At: func(at []float64, add func(formula.Point)) {
				p := int(at[0])
				set, err := erm.NewL1Ball(p, 1)
				add(formula.Point{Place: formula.Placef("ℓ1 ball"), Show: true, Err: err,
					Measured: set.GaussianWidth(), Claimed: ball * math.Sqrt(math.Log(at[0]))})
				for _, sparsity := range []int{1, 2, p / 2} {
					if sparsity < 1 || 2*sparsity > p {
						continue
					}
					width, err := erm.SparseWidth(p, sparsity, r, samples(sparsity))
					add(formula.Point{Place: formula.Placef("s-sparse, s=%d", sparsity), Show: true, Error: 1e-9, Err: err,
						Measured: width.Value, Claimed: sparse * math.Sqrt(float64(sparsity)*math.Log(at[0]/float64(sparsity)))})
				}
			},
		}.Prepare(ctx, s)
	})
}

// squaredSupport compares E[(max⟨w, v⟩)²] with G_C² + share·‖C‖₂², both exact. The second moment of the ℓ2 ball is p;
// those of the ℓ1 ball and of the simplex are integrals over the distribution of the largest entry.
func squaredSupport(share float64) verify.Check {
	return formula.Check{
		Quantity: "E[W]", Sense: verify.AtMost, Domain: "unit ℓ1 ball, ℓ2 ball and simplex",
		Proof: "max⟨w, v⟩ is ‖C‖₂-Lipschitz in v, so its variance is at most ‖C‖₂² (Gaussian Poincaré inequality)",
		Grid:  formula.Grid{formula.Over("p", 1, 2, 10, 100, 10000)},
		At: func(at []float64, add func(formula.Point)) {
			p := int(at[0])
			l1, err1 := erm.NewL1Ball(p, 1)
			l2, err2 := erm.NewL2Ball(p, 1)
			simplex, err3 := erm.NewSimplex(p, 1)
			for _, c := range []struct {
				set    erm.ExactWidth
				moment float64
				err    error
			}{
				{l1, secondMoment(p, true), err1}, {l2, at[0], err2}, {simplex, secondMoment(p, false), err3},
			} {
				width := c.set.GaussianWidth()
				add(formula.Point{Place: formula.Placef("%s", c.set.Name()), Show: true, Error: 1e-7,
					Measured: c.moment, Claimed: width*width + share, Err: c.err})
			}
		},
	}
}

// secondMoment returns the mean square of the largest of p normal entries, or of their magnitudes: ∫ x² dF(x)^p by
// Gauss–Legendre quadrature.
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

// eachSet calls f for random members x of several sets and random gradients g; every other member is moved to a
// minimizer of ⟨g, ·⟩.
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
					name = "at the minimizer"
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
			// The absolute error 1e-12 covers rounding errors of values that are exactly 0.
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
			Proof: "with x⁺ the projection of x − γg, ⟨x − γg − x⁺, v − x⁺⟩ ≤ 0 for all v in C; take v = x, and the v that " +
				"attains the gap",
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
