package nonconvex

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

func vertexClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/alg-4", Source: "Alg. 4, step 2, reconstructed", Kind: verify.Sensitivity,
			Origin: verify.Reading,
			Place: "Algorithm 4, line 2, which is garbled: the score −⟨v, ∇F(x_t)⟩ over A, its sensitivity by Assumption " +
				"4",
			Statement: "the score u(D, v) = −⟨v, ∇F(x_t)⟩ of a vertex moves by at most 2G‖C‖₁/n where one record is replaced",
			Check:     scoreSensitivity(2),
			Control:   verify.Control{Check: scoreSensitivity(1.5), Want: checks.Refuted, Fault: "1.5G‖C‖₁/n"},
		},
		{
			ID: "nonconvex/thm-6/privacy", Source: "Theorem 6, any ε > 0", Kind: verify.Privacy,
			Origin:    verify.Stated,
			Place:     "Theorem 6, second sentence, with line 2 of Algorithm 4 as reconstructed (nonconvex/alg-4)",
			Statement: "x_R of Algorithm 4 with the reconstructed step 2, ε₀ = ε/√(8T·ln(1/δ)), is (ε, δ)-private for any ε > 0",
			Check: lastVertex(128, "for every δ ≤ 0.1: at ε = 128·ln(1/δ) the T selections have a privacy loss of "+
				"mean near Tε₀²/8 = 2ε"),
			Control:   verify.Control{Check: lastVertex(1, ""), Want: checks.Holds, Fault: "none: ε = ln(1/δ)"},
			Corrected: "nonconvex/thm-6/privacy/corrected",
		},
		{
			ID: "nonconvex/thm-6/privacy/corrected", Source: "Theorem 6, ε ≤ 48·ln(1/δ)", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "Theorem 6, second sentence, and Lemma 1",
			Statement: "all T selections of Algorithm 4, by the exponential mechanism with ε₀ = ε/√(8T·ln(1/δ)), are (ε, " +
				"δ)-private together for 0 < ε ≤ 48·ln(1/δ)",
			Check:   selections([]float64{0.01, 1, 16, 48}),
			Control: verify.Control{Check: selections([]float64{96}), Want: checks.Refuted, Fault: "ε = 96·ln(1/δ)"},
		},
		{
			ID: "nonconvex/thm-6/privacy/sampled", Source: "Theorem 6, Alg. 4", Kind: verify.Privacy,
			Origin: verify.Reading, Place: "Algorithm 4, with line 2 as reconstructed (nonconvex/alg-4)",
			Statement: "the reference implementation of Algorithm 4 at T = 2, p = 1 and ε₀ = ½ shows by the sign of x_R no " +
				"more than one selection, ε₀ at δ = 0, on a worst pair",
			Check: sampledVertex(0.5),
			Control: verify.Control{Check: sampledVertex(1.25), Want: checks.Refuted,
				Fault: "two and a half times the ε₀ that is " +
					"claimed"},
		},
		{
			ID: "nonconvex/alg-4/noisy-max", Source: "after Corollary 1, Report-Noisy-Max", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "paragraph after Corollary 1, first sentence",
			Statement: "Report-Noisy-Max, Laplace noise of scale 2Δu/ε on each score, can take the place of the exponential " +
				"mechanism: it is ε-private",
			Check:   noisyMax(2),
			Control: verify.Control{Check: noisyMax(1), Want: checks.Refuted, Fault: "half of the noise"},
		},
		{
			ID: "nonconvex/alg-4/noisy-max/tail", Source: "after Corollary 1, with Lemma 3", Kind: verify.Identity,
			Origin: verify.Implied, Place: "paragraph after Corollary 1, first sentence, and Lemma 3, on which (8) rests",
			Statement: "Report-Noisy-Max keeps the tail of Lemma 3: a score of OPT − (2Δu/ε)(ln|R| + t) or less is selected " +
				"with probability at most e^−t",
			Check:     noisyTail(1),
			Control:   verify.Control{Check: noisyTail(2), Want: checks.Holds, Fault: "none: 4Δu/ε"},
			Corrected: "nonconvex/alg-4/noisy-max/tail/corrected",
		},
		{
			ID: "nonconvex/alg-4/noisy-max/tail/corrected", Source: "after Corollary 1, with 4Δu/ε", Kind: verify.Identity,
			Origin: verify.Correction, Place: "paragraph after Corollary 1, first sentence, and Lemma 3 with twice its step",
			Statement: "Report-Noisy-Max selects a score of OPT − (4Δu/ε)(ln|R| + t) or less with probability at most e^−t",
			Check:     noisyTail(2),
			Control:   verify.Control{Check: noisyTail(1), Want: checks.Refuted, Fault: "2Δu/ε"},
		},
		{
			ID: "nonconvex/thm-1/sampled", Source: "Theorem 1, Alg. 1", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "Theorem 1, eq. (3), and Algorithm 1",
			Statement: "the reference implementation of Algorithm 1 at T = 2, p = 1, c = 11.66 and (1, 10⁻²) is private on " +
				"the events that x_R is above, at or below x_1, or farther, on a worst pair",
			Check: sampledDescent(bounds.ConcentratedConstant),
			Control: verify.Control{Check: sampledDescent(0.3), Want: checks.Refuted,
				Fault: "c = 0.3, where 1.1 would do for x_R " +
					"alone"},
		},
	}
}

// scoreSensitivity takes gradients in the ℓ∞ ball of radius G, as Assumption 4 gives, and
// the scores of the vertices of an ℓ1 ball; the claim is factor·G‖C‖₁/n.
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

// lastVertex is the δ of x_R at ε = factor·ln(1/δ): p = 1, C = [−1, 1], f(x, z) = zx, all but
// one of an odd number of records cancel, and that one is ±1. A selection takes +1 with
// probability 1/(1+e^(∓ε₀/2)), whatever came before.
//
// T = 2m² makes γ = √(2/T) = 1/m. Then x_R tells R and all selections before it, from
// x_1 = 0: if two of the sums Σ b_j q^j, q = (m−1)/m, b_j = ±1, were equal, a polynomial
// with coefficients in {−2, 0, 2}, or with the leading one ±1 where R differs, would
// vanish at q; divided by the 2 where they are even, m would divide ±1. So δ is the mean
// over R of that of R − 1 selections, which rises with R: blocks count as their first.
func lastVertex(factor float64, proof string) verify.Check {
	const m, blocks = 50, 40
	const steps = 2 * m * m
	return formula.Check{
		Quantity: "least δ of x_R", Sense: verify.AtMost, Proof: proof,
		Domain: "T = 5000, δ ∈ {10⁻⁵, 10⁻³, 0.1}, records that cancel but for one",
		Points: func(add func(formula.Point)) {
			for _, delta := range []float64{1e-5, 1e-3, 0.1} {
				epsilon := factor * math.Log(1/delta)
				each, err := algorithm.StepEpsilon(algorithm.Budget{Epsilon: epsilon, Delta: delta, Steps: steps, Records: 1,
					Lipschitz: 1})
				sum := 0.0
				for k := range blocks {
					sum += signDelta(k*steps/blocks, each, epsilon)
				}
				add(formula.Point{
					Place:    formula.Placef("δ=%g, ε=%.4g, ε₀=%.3g", delta, epsilon, each),
					Measured: sum / blocks, Claimed: delta, Error: gaussianDeltaError, Show: true, Err: err,
				})
			}
		},
	}
}

// signDelta is the least δ at ε of k signs, +1 with probability 1/(1+e^(−ε₀/2)) or
// 1/(1+e^(ε₀/2)).
func signDelta(k int, each, epsilon float64) float64 {
	logUp, logDown := -math.Log1p(math.Exp(-each/2)), -math.Log1p(math.Exp(each/2))
	total, _ := math.Lgamma(float64(k + 1))
	sum := 0.0
	for j := range k + 1 {
		loss := float64(2*j-k) * each / 2
		if loss <= epsilon {
			continue
		}
		a, _ := math.Lgamma(float64(j + 1))
		b, _ := math.Lgamma(float64(k - j + 1))
		sum += math.Exp(total-a-b+float64(j)*logUp+float64(k-j)*logDown) * -math.Expm1(epsilon-loss)
	}
	return sum
}

// selections takes T selections between two vertices at ε = factor·ln(1/δ), each at the
// pair of laws whose privacy loss has the largest mean, that of lastVertex.
func selections(factors []float64) verify.Check {
	return formula.Check{
		Quantity: "least δ of all selections", Sense: verify.AtMost,
		Domain: "ε/ln(1/δ) ∈ {0.01, 1, 16, 48} as far as the statement reaches, δ ∈ {10⁻⁵, 10⁻³, 0.1}, T ∈ {1, 100, 5000}, " +
			"records that cancel but for one",
		Proof: "the loss of a selection has range ε₀, hence a mean of at most ε₀²/8 (Dong, Durfee & Rogers 2020), and by " +
			"Hoeffding's lemma the sum exceeds ε²/(64l) + ε/4 ≤ ε, l = ln(1/δ), with probability δ at most",
		Points: func(add func(formula.Point)) {
			for _, factor := range factors {
				for _, delta := range []float64{1e-5, 1e-3, 0.1} {
					for _, steps := range []int{1, 100, 5000} {
						epsilon := factor * math.Log(1/delta)
						each, err := algorithm.StepEpsilon(algorithm.Budget{Epsilon: epsilon, Delta: delta, Steps: steps, Records: 1,
							Lipschitz: 1})
						add(formula.Point{
							Place:    formula.Placef("ε=%.4g, δ=%g, T=%d, ε₀=%.3g", epsilon, delta, steps, each),
							Measured: signDelta(steps, each, epsilon), Claimed: delta, Error: gaussianDeltaError, Show: true, Err: err,
						})
					}
				}
			}
		},
	}
}

// sampledVertex runs Algorithm 4 on one record in R with the label +1 or −1, from x_1 = 0 and
// with γ = 1, where the sigmoid is as steep as it gets. x_R is 0 for R = 1 and else the
// first selection.
func sampledVertex(each float64) verify.Check {
	learner := release1(func(r *rand.Rand, data *dataset.Dataset) (*algorithm.Result, error) {
		set, err := erm.NewL1Ball(1, 1)
		if err != nil {
			return nil, err
		}
		hull, err := algorithm.HullOf(set)
		if err != nil {
			return nil, err
		}
		c := algorithm.Config{Loss: erm.Sigmoid{}, Iterations: 2, Start: []float64{0}, StepSize: algorithm.Constant(1)}
		q := algorithm.Selection{Epsilon: each, Sensitivity: algorithm.ScoreSensitivity(0.25, 1, 1)}
		return algorithm.FrankWolfeVertices(context.Background(), r, data, hull, q, algorithm.OverstepError, c)
	})
	return sampledSign(learner, 0.5, 0, 0)
}

// sampledDescent runs Algorithm 1 on the same pair at T = 2, n = 1.
func sampledDescent(constant float64) verify.Check {
	const epsilon, delta = 1, 1e-2
	learner := release1(func(r *rand.Rand, data *dataset.Dataset) (*algorithm.Result, error) {
		space, err := erm.NewSpace(1)
		if err != nil {
			return nil, err
		}
		sigma, err := algorithm.NoiseTheorem1(algorithm.Budget{Epsilon: epsilon, Delta: delta, Steps: 2, Records: 1,
			Lipschitz: 0.25}, constant)
		if err != nil {
			return nil, err
		}
		c := algorithm.Config{Loss: erm.Sigmoid{}, Iterations: 2, Start: []float64{0}, Sigma: sigma,
			StepSize: algorithm.Constant(1)}
		return algorithm.PGD(context.Background(), r, data, space, 0, c)
	})
	return sampledSign(learner, epsilon, delta, 0.3)
}

// release1 is a learner of one record as a mechanism; its input is the label.
type release1 func(r *rand.Rand, data *dataset.Dataset) (*algorithm.Result, error)

// Release implements verify.Mechanism.
func (f release1) Release(r *rand.Rand, label float64) (float64, error) {
	data, err := dataset.NewDense(1, []float64{1}, []float64{label})
	if err != nil {
		return 0, err
	}
	result, err := f(r, data)
	if err != nil {
		return 0, err
	}
	return result.X[0], nil
}

// sampledSign takes the events that x_R is above, at or below x_1 = 0, and farther than beyond, unless that is 0.
func sampledSign(m release1, epsilon, delta, beyond float64) verify.Check {
	events := []privacy.Event[float64]{
		{Name: "x_R < 0", Holds: func(x float64) bool { return x < 0 }},
		{Name: "x_R = 0", Holds: func(x float64) bool { return x == 0 }},
		{Name: "x_R > 0", Holds: func(x float64) bool { return x > 0 }},
	}
	if beyond > 0 {
		events = append(events,
			privacy.Event[float64]{Name: formula.Placef("x_R < −%g", beyond)(),
				Holds: func(x float64) bool { return x < -beyond }},
			privacy.Event[float64]{Name: formula.Placef("x_R > %g", beyond)(),
				Holds: func(x float64) bool { return x > beyond }})
	}
	return privacy.Sampled[float64, float64]{
		Samples: 200000, Effect: 2,
		Cells: []privacy.Cell[float64, float64]{{
			Place: "one record, x = 1, label +1 against −1", Mechanism: m, A: 1, B: -1, Epsilon: epsilon, Delta: delta,
			Events: events,
		}},
	}
}

// noisyMax takes scores that move by Δu = 1 each, the first up and the others down, under noise of scale·Δu/ε.
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
						pairs = append(pairs, privacy.DistributionPair{Place: formula.Placef("|R|=%d, ε=%g, behind by %g", size, epsilon,
							behind)(),
							P: m.Distribution(a), Q: m.Distribution(b), Epsilon: epsilon})
					}
				}
			}
			return pairs, nil
		},
	}
}

// noisyTail takes one best score and the others factor·(2Δu/ε)(ln|R| + t) below it, Δu = ε = 1. With two scores the
// other is selected with probability ½e^−s(1 + s/2), s the distance over the scale 2.
func noisyTail(factor float64) verify.Check {
	return formula.Check{
		Quantity: "P(score ≤ OPT − the step)", Sense: verify.AtMost, Domain: "|R| ∈ {2, 10, 100}, t ∈ {0, 0.1, 1, 5, 20}",
		Proof: "at 4Δu/ε: some of |R| Laplace variables exceeds half of the distance in magnitude, with probability at " +
			"most |R|e^−(ln|R| + t)",
		Points: func(add func(formula.Point)) {
			m, err := mechanism.NewRNM1(2)
			for _, size := range []int{2, 10, 100} {
				for _, t := range []float64{0, 0.1, 1, 5, 20} {
					scores, below := make([]float64, size), 0.0
					distance := factor * 2 * (math.Log(float64(size)) + t)
					for i := 1; i < size; i++ {
						scores[i] = -distance
					}
					switch {
					case size == 2:
						below = math.Exp(-distance/2) * (1 + distance/4) / 2
					case err == nil:
						below = float64(size-1) * m.Distribution(scores)[1]
					}
					add(formula.Point{Place: formula.Placef("|R|=%d, t=%g", size, t), Measured: below, Claimed: math.Exp(-t),
						Error: 1e-8,
						Show:  true, Err: err})
				}
			}
		},
	}
}
