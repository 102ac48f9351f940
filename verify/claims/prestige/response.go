package prestige

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/privacy"
)

func responseClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/prop-2", Source: "Prop. 2, eq. (10)", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Proposition 2, eq. (10), and the last sentence of its proof",
			Statement: "the design matrix with e^ε_r/(e^ε_r+1) on the diagonal is ε_r-locally private, and is the one that " +
				"maximises p₁₁ + p₂₂ among all that are",
			Check: designMatrix(1),
			Control: verify.Control{Check: designMatrix(0.95), Want: checks.Refuted,
				Fault: "a matrix that spends 0.95 ε_r, private but not the best"},
		},
		{
			ID: "prestige/prop-2/sampled", Source: "Prop. 2, eq. (10)", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "Proposition 2, eq. (10), by samples of the reference implementation",
			Statement: "the reference implementation of randomized response is ε_r-locally private",
			Check:     responseSampled(faithfulResponse),
			Control: verify.Control{Check: responseSampled(spendingTwiceResponse), Want: checks.Refuted,
				Fault: "the label kept with probability e^2ε/(e^2ε+1)"},
		},
		{
			ID: "prestige/prop-2/rows", Source: "Prop. 2, proof", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Proof of Proposition 2, third sentence: a ≤ e^ε_r and b ≤ e^ε_r",
			Statement: "ε_r-local privacy, with p₁₁ and p₂₂ above ½, bounds the ratios within a row: p₁₁/p₁₂ ≤ e^ε_r " +
				"and p₂₂/p₂₁ ≤ e^ε_r",
			Check:     rowRatio(),
			Control:   verify.Control{Check: rowsSuffice(1), Want: checks.Holds, Fault: "none: the converse"},
			Corrected: "prestige/prop-2/rows/corrected",
		},
		{
			ID: "prestige/prop-2/rows/corrected", Source: "Prop. 2, proof, corrected", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "Definition 2 and the ratios a, b of the proof of Proposition 2",
			Statement: "row ratios p₁₁/p₁₂ and p₂₂/p₂₁ of at most e^ε_r suffice for ε_r-local privacy when p₁₁ and p₂₂ are at " +
				"least ½",
			Check:   rowsSuffice(1),
			Control: verify.Control{Check: rowsSuffice(1.05), Want: checks.Refuted, Fault: "row ratios of e^1.05ε_r"},
		},
		{
			ID: "prestige/lemma-1", Source: "Lemma 1", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Lemma 1",
			Statement: "an ε₁-private mechanism followed by an ε₂-private one, chosen in sight of the first " +
				"output, is (ε₁+ε₂)-private",
			Check: composition(1),
			Control: verify.Control{Check: composition(2), Want: checks.Refuted,
				Fault: "the second mechanism is run twice and charged once"},
		},
	}
}

// designMatrix holds a matrix of randomized response at spent·ε against the best
// one that local privacy at ε allows.
func designMatrix(spent float64) verify.Check {
	return formula.Check{
		Quantity: "privacy loss; p₁₁+p₂₂", Sense: verify.Equals,
		Domain: "ε ∈ {0.01, 0.1, 0.2, 0.5, 1, 2}, against every vertex of the polygon of ε-private matrices",
		Proof:  "p₁₁ ≤ e^ε(1−p₂₂) and p₂₂ ≤ e^ε(1−p₁₁) add up to p₁₁+p₂₂ ≤ 2e^ε/(e^ε+1), with equality in this matrix alone",
		Points: overEpsilon(func(eps float64, add func(formula.Point)) {
			m, err1 := paper.RandomizedResponse(spent * eps)
			best, unique, err2 := bounds.BestDesignMatrix(eps)
			err := cmp.Or(err1, err2)
			if err == nil && !unique {
				err = errors.New("several design matrices are best")
			}
			add(formula.Point{Place: formula.Placef("ε=%g, privacy loss", eps), Measured: columnLoss(m), Claimed: eps,
				Show: true,
				Err:  err})
			add(formula.Point{Place: formula.Placef("ε=%g, p₁₁+p₂₂", eps), Measured: m[0][0] + m[1][1],
				Claimed: best[0][0] + best[1][1], Show: true})
		}),
	}
}

// columnLoss is the local privacy of a design matrix: the largest log ratio of
// two entries of a column, which are the same answer to different truths.
func columnLoss(m bounds.DesignMatrix) float64 { return bounds.MaxLoss(m[0][:], m[1][:]) }

// rowRatio finds, among the ε-private matrices with p₂₂ = 0.51, the largest ratio
// within the first row: privacy allows p₁₁ up to 1 − p₂₂e^−ε, and further while
// p₁₁ ≤ e^ε(1−p₂₂).
func rowRatio() verify.Check {
	return formula.Check{
		Quantity: "p₁₁/p₁₂ of an ε-private matrix", Sense: verify.AtMost,
		Domain: "ε ∈ {0.1, 0.2, 0.5, 1, 2}, matrices with p₂₂ = 0.51 and p₁₁ as large as privacy at ε allows",
		Points: overEpsilon(func(eps float64, add func(formula.Point)) {
			const p22 = 0.51
			p11 := math.Min(1-p22*math.Exp(-eps), math.Exp(eps)*(1-p22))
			m := bounds.DesignMatrix{{p11, 1 - p11}, {1 - p22, p22}}
			if p11 <= 0.5 { // at the smallest ε the constraint leaves no room above ½
				return
			}
			var err error
			if loss := columnLoss(m); loss > eps*(1+1e-9) {
				err = fmt.Errorf("the matrix has a privacy loss of %v", loss)
			}
			add(formula.Point{Place: formula.Placef("ε=%g, p₁₁=%.4g, p₂₂=%g", eps, p11, p22), Measured: p11 / (1 - p11),
				Claimed: math.Exp(eps), Show: true, Err: err})
		}),
	}
}

// rowsSuffice computes the privacy of matrices whose row ratios are at most
// e^(spent·ε).
func rowsSuffice(spent float64) verify.Check {
	return formula.Check{
		Quantity: "privacy loss ε", Sense: verify.AtMost,
		Domain: "ε ∈ {0.01, 0.1, 0.2, 0.5, 1, 2}, row ratios from 1 to e^ε in steps of a tenth of ε",
		Proof:  "p₁₁/p₂₁ = p₁₁/(1−p₂₂) with p₁₁ ≤ e^ε/(e^ε+1) and 1−p₂₂ ≥ 1/(e^ε+1)",
		Points: overEpsilon(func(eps float64, add func(formula.Point)) {
			for i := range 11 {
				for j := range 11 {
					p := 1 / (1 + math.Exp(-spent*eps*float64(i)/10))
					q := 1 / (1 + math.Exp(-spent*eps*float64(j)/10))
					m := bounds.DesignMatrix{{p, 1 - p}, {1 - q, q}}
					add(formula.Point{Place: formula.Placef("ε=%g, p₁₁=%.4g, p₂₂=%.4g", eps, p, q), Measured: columnLoss(m),
						Claimed: eps,
						Show:    i == 10 && j == 10})
				}
			}
		}),
	}
}

type bitMechanism = verify.Mechanism[int, int]

func faithfulResponse(eps float64) (bitMechanism, error) { return mechanism.NewRandomizedResponse(eps) }

func spendingTwiceResponse(eps float64) (bitMechanism, error) {
	return broken.NewDoubledResponse(eps)
}

// responseSampled samples an implementation on both bits.
func responseSampled(build func(eps float64) (bitMechanism, error)) verify.Check {
	return checks.Deferred(func(context.Context, verify.Settings) (verify.Check, error) {
		check := privacy.Sampled[int, int]{Samples: 400_000, Effect: 1.25}
		for _, eps := range []float64{0.5, 1, 2} {
			m, err := build(eps)
			if err != nil {
				return nil, err
			}
			check.Cells = append(check.Cells, privacy.Cell[int, int]{
				Place: fmt.Sprintf("ε=%g, truths +1 and −1", eps), Mechanism: m, A: 1, B: 0, Epsilon: eps,
				Events: []privacy.Event[int]{
					{Name: "the answer is +1", Holds: func(o int) bool { return o == 1 }},
					{Name: "the answer is −1", Holds: func(o int) bool { return o == 0 }},
				},
			})
		}
		return check, nil
	})
}

// composition computes the privacy loss of a mechanism followed by another that
// may depend on the first output, run the given number of times: randomized
// response, which reaches the bound, and random mechanisms on up to six outcomes.
func composition(runs int) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("mechanisms")
		return formula.Check{
			Quantity: "privacy loss ε of both", Sense: verify.AtMost,
			Domain: "randomized response and 200 random mechanisms at each pair of ε₁, ε₂ ∈ {0.01, 0.1, 0.2, 0.5, 1, 2}",
			Proof: "the log ratio of joint probabilities is the sum of the log ratio of the first and of the conditional log " +
				"ratio of the second output",
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
							add(formula.Point{Place: formula.Placef("ε₁=%g, ε₂=%g, mechanism %d", e1, e2, i), Measured: bounds.MaxLoss(p, q),
								Claimed: claimed, Show: i == 0, Err: err})
						}
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

// pair is the law of a finite mechanism at two neighbouring inputs.
type pair struct{ p, q []float64 }

func responsePair(eps float64) pair {
	keep, turn := 1/(1+math.Exp(-eps)), 1/(1+math.Exp(eps))
	return pair{[]float64{keep, turn}, []float64{turn, keep}}
}

// randomPair draws a mechanism of exactly bounded loss: q at random, p between
// e^−ε q and e^ε q. Weights a in [−ε, ε] give p ∝ q e^a; dividing by the sum could
// pass the bound, so half the range is used: the sum lies within e^±ε/2.
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

// composed is the joint law of first and of a second mechanism at e2, run `runs`
// times; where adaptive it is drawn anew for every output so far.
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
