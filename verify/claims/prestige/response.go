package prestige

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func responseClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/prop-2", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Proposition 2: eq. (10), the end of its proof, and Remark 2, first sentence",
			Statement: "the design matrix of eq. (10) is ε_r-locally private and maximizes p₁₁ + p₂₂ among all " +
				"ε_r-locally private matrices. Its noise rates are 1/(e^ε_r + 1)",
			Check:   designMatrix(1),
			Control: checks.Faulty(designMatrix(0.95), "a matrix that spends 0.95 ε_r, private but not the best"),
			Formerly: []string{"prestige/prop-2/rows", "prestige/prop-2/rows/corrected", "prestige/prop-2/monotone",
				"prestige/remark-2"},
		},
		{
			ID: "prestige/lemma-1", Kind: verify.Privacy, Origin: verify.Stated, Place: "Lemma 1",
			Statement: "an ε₁-private mechanism followed by an ε₂-private one that may depend on the first output is " +
				"(ε₁+ε₂)-private",
			Check:   composition(1),
			Control: checks.Faulty(composition(2), "the second mechanism runs twice and is accounted once"),
		},
	}
}

// designMatrix compares the matrix of randomized response at spent·ε with the best matrix that is ε-locally private.
func designMatrix(spent float64) verify.Check {
	return formula.Check{
		Quantity: "privacy loss; noise rates; p₁₁+p₂₂; 1 + 2b/(b+1) − 2a/(a+1)", Sense: verify.Equals,
		Grid:   formula.Grid{formula.Over("ε", epsilons...)},
		Domain: "against every vertex of the polygon of ε-private matrices; a < b from 1 to e^ε",
		Proof: "p₁₁ ≤ e^ε(1−p₂₂) and p₂₂ ≤ e^ε(1−p₁₁) add up to p₁₁+p₂₂ ≤ 2e^ε/(e^ε+1), with equality only in this " +
			"matrix, which has a = b in the row ratios of the proof, the ratios that privacy bounds; 2b/(b+1) − 2a/(a+1) = " +
			"2(b−a)/((a+1)(b+1)) > 0",
		At: func(at []float64, add func(formula.Point)) {
			eps := at[0]
			m, err1 := paper.RandomizedResponse(spent * eps)
			best, unique, err2 := bounds.BestDesignMatrix(eps)
			err := cmp.Or(err1, err2)
			if err == nil && !unique {
				err = errors.New("several design matrices are best")
			}
			add(formula.Point{Place: formula.Placef("privacy loss"), Measured: columnLoss(m), Claimed: eps, Show: true,
				Err: err})
			add(formula.Point{Place: formula.Placef("p₁₁+p₂₂"), Measured: m[0][0] + m[1][1],
				Claimed: best[0][0] + best[1][1], Show: true})
			for i := range 2 {
				add(formula.Point{Place: formula.Placef("noise rate of row %d", i+1), Measured: m[i][1-i],
					Claimed: 1 / (math.Exp(eps) + 1)})
			}
			for i := range 10 {
				a, b := math.Exp(eps*float64(i)/10), math.Exp(eps*float64(i+1)/10)
				add(formula.Point{Place: formula.Placef("a=%.4g, b=%.4g", a, b), Measured: 1 + 2*b/(b+1) - 2*a/(a+1),
					Claimed: 1 + 2*(b-a)/((a+1)*(b+1))})
			}
		},
	}
}

// columnLoss returns the local privacy loss of a design matrix: the largest log ratio of two entries of a column, which
// are the probabilities of one answer under two true labels.
func columnLoss(m bounds.DesignMatrix) float64 { return bounds.MaxLoss(m[0][:], m[1][:]) }

// composition computes the privacy loss of a mechanism followed by a second one that may depend on the first output and
// runs the given number of times. The mechanisms are randomized response, which attains the bound, and random
// mechanisms with up to six outcomes.
func composition(runs int) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("mechanisms")
		return formula.Check{
			Quantity: "privacy loss ε of both", Sense: verify.AtMost,
			Domain: "randomized response and 200 random mechanisms at each pair of ε₁, ε₂ ∈ {0.01, 0.1, 0.2, 0.5, 1, 2}",
			Proof: "the log ratio of joint probabilities is the sum of the log ratio of the first and of the conditional " +
				"log ratio of the second output",
			Points: func(add func(formula.Point)) {
				for _, e1 := range epsilons {
					for _, e2 := range epsilons {
						claimed, err := bounds.SequentialComposition(e1, e2)
						for i := range 201 {
							first := responsePair(e1)
							if i > 0 {
								first = randomPair(r, e1)
							}
							p, q := composed(r, first, e2, runs, i > 0)
							add(formula.Point{Place: formula.Placef("ε₁=%g, ε₂=%g, mechanism %d", e1, e2, i),
								Measured: bounds.MaxLoss(p, q),
								Claimed:  claimed, Show: i == 0, Err: err})
						}
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

// pair holds the output distributions of a finite mechanism at two neighboring inputs.
type pair struct{ p, q []float64 }

func responsePair(eps float64) pair {
	keep, turn := 1/(1+math.Exp(-eps)), 1/(1+math.Exp(eps))
	return pair{[]float64{keep, turn}, []float64{turn, keep}}
}

// randomPair draws a mechanism with privacy loss at most ε. It draws q, and sets p ∝ q e^a with random a in
// [−ε/2, ε/2]. The normalizing sum is then in [e^(−ε/2), e^(ε/2)], so that p/q stays in [e^−ε, e^ε].
func randomPair(r *rand.Rand, eps float64) pair {
	n := 2 + r.IntN(5)
	m := pair{make([]float64, n), make([]float64, n)}
	var sp, sq float64
	for i := range n {
		m.q[i] = rng.Exponential(r) + 1e-3
		m.p[i] = m.q[i] * math.Exp(eps/2*(2*r.Float64()-1))
		sp, sq = sp+m.p[i], sq+m.q[i]
	}
	for i := range n {
		m.p[i] /= sp
		m.q[i] /= sq
	}
	return m
}

// composed returns the joint distributions of the first mechanism and of a second one at e2 that runs the given number
// of times. If adaptive, it draws a different second mechanism for every previous output.
func composed(r *rand.Rand, first pair, e2 float64, runs int, adaptive bool) (p, q []float64) {
	p, q = first.p, first.q
	for range runs {
		var p2, q2 []float64
		for i := range p {
			second := responsePair(e2)
			if adaptive {
				second = randomPair(r, e2)
			}
			for j := range second.p {
				p2 = append(p2, p[i]*second.p[j])
				q2 = append(q2, q[i]*second.q[j])
			}
		}
		p, q = p2, q2
	}
	return p, q
}
