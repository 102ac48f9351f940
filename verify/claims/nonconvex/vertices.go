package nonconvex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/sensitivity"
	"gonum.org/v1/gonum/floats"
)

func vertexClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/alg-4", Kind: verify.Sensitivity, Origin: verify.Reading,
			Place: "Algorithm 4, line 2, reconstructed: the score −⟨v, ∇F(x_t)⟩ over A, its sensitivity by Assumption 4",
			Statement: "the score u(D, v) = −⟨v, ∇F(x_t)⟩ of the vertices of an ℓ1 ball moves by at most 2G‖C‖₁/n if one " +
				"record is replaced. Line 2 of Algorithm 4 is reconstructed with this score. Setting: gradients in the ℓ∞ " +
				"ball of radius G of Assumption 4",
			Check:   scoreSensitivity(2),
			Control: checks.Faulty(scoreSensitivity(1.5), "1.5G‖C‖₁/n"),
		},
		{
			ID: "nonconvex/alg-4/time", Kind: verify.Identity, Origin: verify.Stated,
			Place: "paragraph after Corollary 1: first sentence, O(|A|p); the gradient also takes n evaluations of ∇f",
			Statement: "for C = Conv(A) the maximum of the score −⟨v, ∇F(x_t)⟩ over C is attained in A. So line 2 of " +
				"Algorithm 4 needs |A| scores of p products each, O(|A|p), once ∇F(x_t) is known",
			Check:   bestVertex(0),
			Control: checks.Faulty(bestVertex(1), "A without its best vertex"),
		},
		{
			ID: "nonconvex/thm-6/privacy", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Theorem 6, second sentence: with line 2 of Algorithm 4 as reconstructed (nonconvex/alg-4) and the ε₀ " +
				"of Lemma 1",
			Statement: "all T selections of Algorithm 4 together are (ε, δ)-private for 0 < ε ≤ 48·ln(1/δ), a range that " +
				"contains every ε of the paper. Setting: line 2 as in alg-4, ε₀ = ε/√(8T·ln(1/δ)) from Lemma 1",
			Check:    selections(0.01, 1, 16, 48),
			Control:  checks.Faulty(selections(96), "ε = 96·ln(1/δ)"),
			Formerly: []string{"nonconvex/thm-6/privacy/corrected"},
		},
		{
			ID: "nonconvex/alg-4/noisy-max", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "paragraph after Corollary 1, first sentence",
			Statement: "Report-Noisy-Max with Laplace noise of scale 2Δu/ε on each score is ε-private. So it can replace " +
				"the exponential mechanism in line 2 of Algorithm 4",
			Check:   noisyMax(2),
			Control: checks.Faulty(noisyMax(1), "half of the noise"),
		},
		{
			ID: "nonconvex/alg-4/noisy-max/tail", Kind: verify.Identity, Origin: verify.Implied,
			Place: "paragraph after Corollary 1: first sentence, and Lemma 3, on which (8) rests",
			Statement: "Report-Noisy-Max with Laplace noise of scale 2Δu/ε selects a score of OPT − (4Δu/ε)(ln|R| + t) or " +
				"less with probability at most e^−t. This is the tail of Lemma 3 with twice its step, so (8) keeps its rate",
			Check:    noisyTail(2),
			Control:  checks.Faulty(noisyTail(1), "2Δu/ε, as in Lemma 3"),
			Formerly: []string{"nonconvex/alg-4/noisy-max/tail/corrected"},
		},
	}
}

// scoreSensitivity compares the sensitivity of the vertex scores of an ℓ1 ball with factor·G‖C‖₁/n, for gradients in
// the ℓ∞ ball of radius G, as in Assumption 4.
func scoreSensitivity(factor float64) verify.Check {
	const lipschitz = 0.7
	var cells []sensitivity.Cell
	for _, c := range []struct {
		dim, n int
		radius float64
	}{{1, 1, 1}, {3, 5, 2}, {10, 20, 0.5}} {
		cells = append(cells, sensitivity.Cell{
			Place:        formula.Placef("p=%d, n=%d, ‖C‖₁=%g", c.dim, c.n, c.radius)(),
			OutputLength: 2 * c.dim, N: c.n,
			Records: sensitivity.Records{Ball: sensitivity.Ball{Dim: c.dim, Norm: sensitivity.LInf, Radius: lipschitz}},
			Map: func(_ *rand.Rand, in sensitivity.Input, dst []float64) error {
				for _, record := range in.Records {
					for j, v := range record.X {
						score := c.radius * v / float64(c.n)
						dst[2*j] -= score
						dst[2*j+1] += score
					}
				}
				return nil
			},
			Claimed: factor / 2 * algorithm.ScoreSensitivity(lipschitz, c.radius, c.n),
			Tight:   verify.Num(2 * lipschitz * c.radius / float64(c.n)),
		})
	}
	return sensitivity.Check{
		Quantity: "the scores of all vertices of an ℓ1 ball", Norm: sensitivity.LInf, Adjacency: inputs.ReplaceOneRecord,
		Cells: cells, Evaluations: 3000,
		Proof: "|⟨v, ∇f − ∇f′⟩| ≤ ‖v‖₁·‖∇f − ∇f′‖∞ ≤ 2G‖v‖₁, divided by n",
	}
}

// bestVertex compares the largest score over the vertices, without the first few, with the maximum over the set: the
// support function at −g, which is ‖g‖∞ for the ℓ1 ball, max(−g) for the simplex and ‖g‖₁ for the cube.
func bestVertex(left int) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("gradients")
		return formula.Check{
			Quantity: "largest score in A, against the maximum over C", Sense: verify.Equals,
			Domain: "unit ℓ1 ball (|A| = 2p), simplex (p) and cube (2^p), random gradients",
			Proof:  "a linear function on a convex hull is largest at a generator",
			Grid:   formula.Grid{formula.Over("p", 1, 2, 5, 10)},
			At: func(at []float64, add func(formula.Point)) {
				g := gaussian(r, int(at[0]))
				var cross, simplex, cube []float64 // the scores
				for _, x := range g {
					cross, simplex = append(cross, x, -x), append(simplex, -x)
				}
				for mask := range 1 << len(g) {
					score := 0.0
					for j, x := range g {
						score += x * float64(1-2*(mask>>j&1))
					}
					cube = append(cube, score)
				}
				for _, c := range []struct {
					name    string
					scores  []float64
					support float64
				}{
					{"ℓ1 ball", cross, floats.Norm(g, math.Inf(1))}, {"simplex", simplex, -floats.Min(g)},
					{"cube", cube, floats.Norm(g, 1)},
				} {
					slices.Sort(c.scores)
					if best := len(c.scores) - 1 - left; best >= 0 {
						add(formula.Point{Place: formula.Placef("%s", c.name), Measured: c.scores[best], Claimed: c.support,
							Show: true})
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

// selections computes the privacy of T selections between two vertices at ε = factor·ln(1/δ): p = 1, C = [−1, 1],
// f(x, z) = zx, all but one of an odd number of records cancel, and that one is ±1. A selection is +1 with
// probability 1/(1+e^(∓ε₀/2)), the pair of distributions whose privacy loss has the largest mean.
func selections(factors ...float64) verify.Check {
	return formula.Check{
		Quantity: "smallest δ of all selections", Sense: verify.AtMost, Domain: "records that cancel, except for one",
		Proof: "the loss of a selection has range ε₀, hence a mean of at most ε₀²/8 (Dong, Durfee & Rogers 2020), and by " +
			"Hoeffding's lemma the sum exceeds ε²/(64l) + ε/4 ≤ ε, l = ln(1/δ), with probability at most δ. Theorem 6 says " +
			"any ε > 0; with this ε₀ x_R fails at ε = 128·ln(1/δ)",
		Grid: formula.Grid{formula.Over("ε/ln(1/δ)", factors...), formula.Over("δ", 1e-5, 1e-3, 0.1),
			formula.Over("T", 1, 100, 5000)},
		At: func(at []float64, add func(formula.Point)) {
			epsilon, delta, steps := at[0]*math.Log(1/at[1]), at[1], int(at[2])
			each, err := algorithm.StepEpsilon(algorithm.Budget{Epsilon: epsilon, Delta: delta, Steps: steps, Records: 1,
				Lipschitz: 1})
			add(formula.Point{Place: formula.Placef("ε=%.4g, ε₀=%.3g", epsilon, each), Show: true, Err: err,
				Measured: signDelta(steps, each, epsilon), Claimed: delta, Error: gaussianDeltaError})
		},
	}
}

// noisyMax computes the privacy of noisy max for scores that move by Δu = 1 each, the first up and the others down,
// under noise of scale·Δu/ε.
func noisyMax(scale float64) verify.Check {
	return privacy.Exact{
		Domain: "|R| ∈ {2, 3, 10, 100}, ε ∈ {0.1, 1, 5}, Δu = 1, the first score up and the others down by Δu, from " +
			"scores at which it is behind by 0, 2 or 20",
		Proof: "Dwork & Roth 2014, Sect. 3.3: a difference of two scores moves by 2Δu",
		Pairs: func() (pairs []privacy.DistributionPair, err error) {
			for _, size := range []int{2, 3, 10, 100} {
				for _, epsilon := range []float64{0.1, 1, 5} {
					m, err := mechanism.NewRNM1(scale / epsilon)
					if err != nil {
						return nil, err
					}
					for _, behind := range []float64{0, 2, 20} {
						a, b := make([]float64, size), make([]float64, size)
						a[0], b[0] = -behind, 1-behind
						for i := 1; i < size; i++ {
							b[i] = -1
						}
						pairs = append(pairs, privacy.DistributionPair{Place: formula.Placef("|R|=%d, ε=%g, behind by %g", size,
							epsilon,
							behind)(),
							P: m.Distribution(a), Q: m.Distribution(b), Epsilon: epsilon})
					}
				}
			}
			return pairs, nil
		},
	}
}

// noisyTail checks one best score and the others factor·(2Δu/ε)(ln|R| + t) below it, Δu = ε = 1. With two scores the
// other is selected with probability 0.5e^−s(1 + s/2), where s is the distance over the scale 2.
func noisyTail(factor float64) verify.Check {
	return formula.Check{
		Quantity: "P(score ≤ OPT − the step)", Sense: verify.AtMost, Domain: "Δu = ε = 1",
		Proof: "at 4Δu/ε: some of |R| Laplace variables exceeds half of the distance in magnitude, with probability at " +
			"most |R|e^−(ln|R| + t)",
		Grid: formula.Grid{formula.Over("|R|", 2, 10, 100), formula.Over("t", 0, 0.1, 1, 5, 20)},
		At: func(at []float64, add func(formula.Point)) {
			size, t := at[0], at[1]
			m, err := mechanism.NewRNM1(2)
			scores, below := make([]float64, int(size)), 0.0
			distance := factor * 2 * (math.Log(size) + t)
			for i := 1; i < len(scores); i++ {
				scores[i] = -distance
			}
			switch {
			case size == 2:
				below = math.Exp(-distance/2) * (1 + distance/4) / 2
			case err == nil:
				below = (size - 1) * m.Distribution(scores)[1]
			}
			add(formula.Point{Measured: below, Claimed: math.Exp(-t), Error: 1e-8, Show: true, Err: err})
		},
	}
}
