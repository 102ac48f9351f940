package nonconvex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func releaseClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/thm-1", Source: "Theorem 1, eq. (3)", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Theorem 1, eq. (3)",
			Statement: "there are constants c and c₁ such that x_R of Algorithm 1 is (ε, δ)-private for all T, 0 < ε < c₁T " +
				"and 0 < δ < 1, with σ² = cG²T·ln(1/δ)/(n²ε²)",
			Check: wholeRun(literalPlaces, lastIterate),
			Control: verify.Control{Check: wholeRun(provenPlaces, lastIterate), Want: checks.Holds,
				Fault: "none: ε ≤ ln(1/δ), c = 2(1+√2)²"},
			Corrected: "nonconvex/thm-1/corrected",
		},
		{
			ID: "nonconvex/thm-1/iterates", Source: "Theorem 1, eq. (3), by composition", Kind: verify.Privacy,
			Origin: verify.Reading,
			Place: "Theorem 1, eq. (3), and Lemma 2 at l = n: the composition charges for all iterates, line 5 of " +
				"Algorithm 1 returns one",
			Formerly: []string{"nonconvex/lemma-2/full-batch"},
			Statement: "there are constants c and c₁ such that all iterates of Algorithm 1 together are (ε, δ)-private for " +
				"all T, 0 < ε < c₁T and 0 < δ < 1, with σ² = cG²T·ln(1/δ)/(n²ε²)",
			Check: wholeRun(literalPlaces, allIterates),
			Control: verify.Control{Check: wholeRun(provenPlaces, allIterates), Want: checks.Holds,
				Fault: "none: ε ≤ ln(1/δ), c = 2(1+√2)²"},
			Corrected: "nonconvex/thm-1/corrected",
		},
		{
			ID: "nonconvex/thm-1/corrected", Source: "Theorem 1, corrected", Kind: verify.Privacy,
			Origin: verify.Correction,
			Place: "Theorem 1, eq. (3), for ε ≤ ln(1/δ), and its c, of which the figures are the " +
				"least at each (ε, δ)",
			Statement: "with c = 2(1+√2)² = 11.66 all iterates of Algorithm 1 together are (ε, δ)-private for all T, 0 < δ < " +
				"1 and 0 < ε ≤ ln(1/δ)",
			Check:   leastConstants(provenPlaces, 1, constantProof),
			Control: verify.Control{Check: leastConstants(provenPlaces, 0.9, ""), Want: checks.Refuted, Fault: "0.9 of c"},
		},
		{
			ID: "nonconvex/thm-1/least", Source: "Theorem 1, the constant c", Kind: verify.Privacy,
			Origin: verify.Implied, Place: "third paragraph of Remark 1, the approximation 8L²T·log(1/δ)/(n²ε²), with G for L",
			Statement: "with c = 8 in σ² = cG²T·ln(1/δ)/(n²ε²), which is the approximation after Remark 1, all iterates of " +
				"Algorithm 1 together are (ε, δ)-private for ε ≤ 1 and δ ≤ 0.1",
			Check: leastConstants(practicalPlaces, 8/bounds.ConcentratedConstant, "μ = ε/√(2l), l = ln(1/δ), has δ(ε) ≤ "+
				"Φ(ε/(2√(2l)) − √(2l)) ≤ ½e^(ε/2)δ < δ"),
			Control: verify.Control{Check: leastConstants(practicalPlaces, 7/bounds.ConcentratedConstant, ""),
				Want: checks.Refuted, Fault: "c = 7"},
		},
		{
			ID: "nonconvex/thm-4/privacy", Source: "Theorem 4, the privacy of Alg. 2", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Theorem 4, first two sentences",
			Statement: "there are constants c and c₁ such that x_R of Algorithm 2 is (ε, δ)-private for all T, 0 < ε < c₁T " +
				"and 0 < δ < 1, with σ² = cG²T·ln(1/δ)/(n²ε²), C = [−1, 1] and linear losses",
			Check: signsAlone(4, "for every c and c₁: at ε = 4c·ln(1/δ) the noisy gradients' loss has mean 8ε, and that of "+
				"their signs 2/π of it where each is small"),
			Control:   verify.Control{Check: signsAlone(0, ""), Want: checks.Holds, Fault: "none: ε = ln(1/δ), c = 2(1+√2)²"},
			Corrected: "nonconvex/thm-1/corrected",
		},
		{
			ID: "nonconvex/thm-5/privacy", Source: "Theorem 5, the privacy of Alg. 3", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Theorem 5, first two sentences, and Algorithm 3, which is Algorithm 1 for V = " +
				"½‖·‖₂² and a ball C so large that it is not left",
			Statement: "there are constants c and c₂ such that x_R of Algorithm 3 is (ε, δ)-private for all T, 0 < ε < c₂T " +
				"and δ > 0",
			Check: wholeRun(literalPlaces, lastIterate),
			Control: verify.Control{Check: wholeRun(provenPlaces, lastIterate), Want: checks.Holds,
				Fault: "none: ε ≤ ln(1/δ), c = 2(1+√2)²"},
			Corrected: "nonconvex/thm-1/corrected",
		},
		{
			ID: "nonconvex/alg-1/last-step", Source: "Alg. 1, lines 1 and 5", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Algorithm 1, lines 1, 2 and 5",
			Statement: "x_{T+1} is computed from a noisy gradient that the noise pays for, and never returned: x_R is the " +
				"same whatever the last step is",
			Check:   unusedStep(0),
			Control: verify.Control{Check: unusedStep(1), Want: checks.Refuted, Fault: "the step before the last one"},
		},
		{
			ID: "nonconvex/alg-1/step-3", Source: "Alg. 1, line 3, L the Lipschitz constant", Kind: verify.Privacy,
			Origin:    verify.Reading,
			Place:     "Algorithm 1, line 3: L read as the Lipschitz constant G; the exponent of ρ, one glyph, decides",
			Statement: "σ² = 2L²T/(n²ρ²) with ρ + 2√(ρ·log(1/δ)) = ε, L for G, makes x_R of Algorithm 1 (ε, δ)-private",
			Check:     stepThree{noise: algorithm.NoiseStep3, most: 50, release: lastIterate}.check(""),
			Control: verify.Control{Check: stepThree{noise: algorithm.NoiseConcentrated, most: 50,
				release: lastIterate}.check(""),
				Want: checks.Holds, Fault: "none: ρ in the place of ρ²"},
			Corrected: "nonconvex/alg-1/step-3/corrected",
		},
		{
			ID: "nonconvex/alg-1/step-3/iterates", Source: "Alg. 1, line 3, by composition", Kind: verify.Privacy,
			Origin:    verify.Reading,
			Place:     "Algorithm 1, line 3: L read as G, and all iterates released, which the composition charges for",
			Statement: "σ² = 2L²T/(n²ρ²), L for G, makes all iterates of Algorithm 1 together (ε, δ)-private",
			Check:     stepThree{noise: algorithm.NoiseStep3, most: 50, release: allIterates}.check(""),
			Control: verify.Control{Check: stepThree{noise: algorithm.NoiseConcentrated, most: 50,
				release: allIterates}.check(concentratedProof), Want: checks.Holds, Fault: "none: ρ in the place of ρ²"},
			Corrected: "nonconvex/alg-1/step-3/corrected",
		},
		{
			ID: "nonconvex/alg-1/step-3/smoothness", Source: "Alg. 1, line 3, L the smoothness of Assumption 1",
			Kind:   verify.Privacy,
			Origin: verify.Stated, Place: "Algorithm 1, line 3: L, which Assumption 1 makes the smoothness",
			Statement: "σ² = 2L²T/(n²ρ²) with the smoothness L, the only L of the paper, makes x_R of Algorithm 1 (ε, " +
				"δ)-private for every L and G of Assumption 1, at the ε of the experiments (G = 100L)",
			Check: stepThree{noise: algorithm.NoiseStep3, most: 5, release: lastIterate, smoothness: 0.01}.check(""),
			Control: verify.Control{Check: stepThree{noise: algorithm.NoiseStep3, most: 5, release: lastIterate}.check(""),
				Want: checks.Holds, Fault: "none: L = G"},
			Corrected: "nonconvex/alg-1/step-3/corrected",
		},
		{
			ID: "nonconvex/alg-1/step-3/corrected", Source: "Alg. 1, line 3, corrected", Kind: verify.Privacy,
			Origin:    verify.Correction,
			Place:     "Algorithm 1, line 3, with G for L and ρ for ρ², as the closed form after it has",
			Statement: "σ² = 2G²T/(n²ρ) with ρ + 2√(ρ·log(1/δ)) = ε makes all iterates of Algorithm 1 together (ε, δ)-private",
			Check: stepThree{noise: algorithm.NoiseConcentrated, most: 50,
				release: allIterates}.check(concentratedProof),
			Control: verify.Control{Check: stepThree{noise: algorithm.NoiseStep3, most: 50, release: allIterates}.check(""),
				Want: checks.Refuted, Fault: "ρ² in the place of ρ"},
		},
		{
			ID: "nonconvex/alg-1/step-3/practice", Source: "Alg. 1, line 3, Experiment Settings", Kind: verify.Privacy,
			Origin: verify.Reading,
			Place:  "Algorithm 1, line 3, L read as G, and Experiment Settings, second paragraph (ε, δ)",
			Statement: "at the ε of the experiments, 0.1, 0.5, 2 and 5 with δ = 10⁻³, ρ is below 1 and line 3 with L = G is " +
				"private, with more noise than it needs by 1/√ρ",
			Check: stepThree{noise: algorithm.NoiseStep3, most: 5,
				release: allIterates}.check("T steps are (ρ²)-zCDP, and ρ² ≤ ρ where ρ ≤ 1"),
			Control: verify.Control{Check: stepThree{noise: algorithm.NoiseStep3, most: 5, release: allIterates,
				smoothness: 0.1}.check(""), Want: checks.Refuted, Fault: "L = G/10"},
		},
	}
}

const concentratedProof = "T steps of sensitivity 2G/n are 2G²T/(n²σ²)-zCDP, which is (ρ + 2√(ρ·log(1/δ)), δ)-DP " +
	"(Bun & Steinke 2016, Prop. 1.3, 1.6, 1.7)"

// place is a point at which eq. (3) is tried.
type place struct {
	constant, epsilon, delta float64
	steps                    int
	first                    float64 // c₁
}

// literalPlaces take ε = c·ln(1/δ), at which ρ of the run is 2ε.
func literalPlaces() (places []place) {
	for _, constant := range []float64{1, bounds.ConcentratedConstant, 100, 1e4, 1e6} {
		for _, first := range []float64{1, 1e-3} {
			for _, delta := range []float64{1e-5, 1e-3, 0.1} {
				epsilon := constant * math.Log(1/delta)
				steps := 1000 * int(math.Floor(epsilon/first/1000)+1)
				places = append(places, place{constant, epsilon, delta, steps, first})
			}
		}
	}
	return places
}

// provenPlaces have ε ≤ ln(1/δ), to its end, at which c is needed as δ → 0.
func provenPlaces() (places []place) {
	for _, delta := range []float64{1e-200, 1e-100, 1e-12, 1e-5, 1e-3, 0.1, 0.5, 0.9, 0.999} {
		l := math.Log(1 / delta)
		for _, share := range []float64{1, 0.5, 0.1, 0.01} {
			places = append(places, place{bounds.ConcentratedConstant, share * l, delta, 1000, 1})
		}
	}
	return places
}

func practicalPlaces() (places []place) {
	for _, delta := range []float64{1e-200, 1e-100, 1e-12, 1e-5, 1e-3, 0.1} {
		for _, epsilon := range []float64{0.01, 0.1, 0.5, 1} {
			places = append(places, place{bounds.ConcentratedConstant, epsilon, delta, 1000, 1})
		}
	}
	return places
}

// wholeRun compares the δ of a run under eq. (3), by the algorithm's own line, with δ.
func wholeRun(places func() []place, release releaseDelta) verify.Check {
	return formula.Check{
		Quantity: "least δ of the release", Sense: verify.AtMost,
		Domain: "linear losses, G = 1, n = 100; ε = c·ln(1/δ) and T the next thousand above ε/c₁ for c from 1 to 10⁶, c₁ ∈ " +
			"{1, 10⁻³}, δ ∈ {10⁻⁵, 10⁻³, 0.1}; or ε ≤ ln(1/δ) where the statement ends there",
		Proof: "for every c and c₁: at ε = c·ln(1/δ) the run's privacy loss has mean ρ = 2ε²/(c·ln(1/δ)) = 2ε, and still " +
			"ε after half of it; for ε ≤ ln(1/δ) see bounds.ConcentratedConstant",
		Points: func(add func(formula.Point)) {
			for _, p := range places() {
				b := algorithm.Budget{Epsilon: p.epsilon, Delta: p.delta, Steps: p.steps, Records: 100, Lipschitz: 1}
				sigma, err := algorithm.NoiseTheorem1(b, p.constant)
				add(formula.Point{
					Place:    formula.Placef("c=%.4g, c₁=%g, δ=%.3g, ε=%.4g, T=%d", p.constant, p.first, p.delta, p.epsilon, p.steps),
					Show:     p.first == 1,
					Measured: release(stepsMu(b, sigma), p.epsilon, p.steps), Claimed: p.delta, Error: gaussianDeltaError,
					Err: err,
				})
			}
		},
	}
}

// leastConstants compares the least c of eq. (3), from the exact noise of the Gaussian
// mechanism, with a share of 2(1+√2)².
func leastConstants(places func() []place, share float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "least c of eq. (3)", Sense: verify.AtMost,
		Domain: "δ from 10⁻²⁰⁰ to 0.999 and ε to 100, as far as the statement reaches", Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, p := range places() {
				sigma, err := accountant.GaussianSigma(p.epsilon, p.delta, 2)
				least := sigma.Estimate * sigma.Estimate * p.epsilon * p.epsilon / math.Log(1/p.delta)
				add(formula.Point{
					Place: formula.Placef("δ=%.3g, ε=%.4g", p.delta, p.epsilon), Measured: least,
					Claimed: share * bounds.ConcentratedConstant, Error: 1e-9, Show: true, Err: err,
				})
			}
		},
	}
}

const constantProof = "a run is 2ε²/(c·ln(1/δ))-zCDP; with s = √(2/c) = √2 − 1 and ε ≤ ln(1/δ), ρ + " +
	"2√(ρ·ln(1/δ)) ≤ ε(s² + 2s) = ε"

// stepThree is line 3 of Algorithm 1 at T = 1000, n = 100, G = 1.
type stepThree struct {
	noise      func(algorithm.Budget) (float64, error)
	most       float64 // of ε
	release    releaseDelta
	smoothness float64 // L where it is not G, else 0
}

// deltas are those of the region, and the two around practice where ε ends at 5.
func (c stepThree) deltas() []float64 {
	if c.most > 5 {
		return []float64{1e-8, 1e-5, 1e-3, 0.1}
	}
	return []float64{1e-5, 1e-3}
}

func (c stepThree) check(proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		relation := formula.Check{
			Quantity: "least δ of the release", Sense: verify.AtMost, Proof: proof,
			Domain: "linear losses, G = 1, n = 100, T = 1000, ε ∈ {0.1, 0.5, 2, 5, 10, 20, 50} and δ ∈ {10⁻⁸, 10⁻⁵, 10⁻³, " +
				"0.1} as far as the statement reaches",
			Points: func(add func(formula.Point)) {
				for _, delta := range c.deltas() {
					for _, epsilon := range []float64{0.1, 0.5, 2, 5, 10, 20, 50} {
						if epsilon > c.most {
							continue
						}
						b := algorithm.Budget{Epsilon: epsilon, Delta: delta, Steps: 1000, Records: 100, Lipschitz: 1}
						printed := b
						if c.smoothness != 0 {
							printed.Lipschitz = c.smoothness
						}
						sigma, err := c.noise(printed)
						add(formula.Point{
							Place:    formula.Placef("δ=%g, ε=%g", delta, epsilon),
							Measured: c.release(stepsMu(b, sigma), epsilon, b.Steps), Claimed: delta, Error: gaussianDeltaError,
							Show: true, Err: err,
						})
					}
				}
			},
		}
		return relation.Prepare(ctx, s)
	})
}

// signsAlone is the δ of x_R of Algorithm 2 on C = [−1, 1] at ε = factor·c·ln(1/δ), for factor = 0 at ε = ln(1/δ) and
// the c
// that suffices there. All but one of an odd number of records of f(x, z) = zx cancel, and that one is ±G: v_t
// is the sign of the noisy gradient. T = 2m² and γ = 1/m make x_R tell R and all signs (lastVertex).
func signsAlone(factor float64, proof string) verify.Check {
	const delta, blocks = 1e-3, 20
	return formula.Check{
		Quantity: "least δ of x_R", Sense: verify.AtMost, Proof: proof,
		Domain: "linear losses on [−1, 1], G = 1, n = 101, δ = 10⁻³, c ∈ {1, 11.66, 100}, T the next 2m² above ε/c₁, c₁ ∈ " +
			"{1, 0.1}",
		Points: func(add func(formula.Point)) {
			for _, constant := range []float64{1, bounds.ConcentratedConstant, 100} {
				for _, first := range []float64{1, 0.1} {
					epsilon := factor * constant * math.Log(1/delta)
					if factor == 0 {
						constant, epsilon = bounds.ConcentratedConstant, math.Log(1/delta)
					}
					m := int(math.Ceil(math.Sqrt(epsilon / (2 * first))))
					steps := 2 * m * m
					b := algorithm.Budget{Epsilon: epsilon, Delta: delta, Steps: steps, Records: 101, Lipschitz: 1}
					sigma, err := algorithm.NoiseTheorem1(b, constant)
					each := 1 / (101 * sigma)
					loss := math.Log(distuv.UnitNormal.CDF(each)) - math.Log(distuv.UnitNormal.CDF(-each))
					sum := 0.0
					for k := range blocks {
						sum += signDelta(k*steps/blocks, 2*loss, epsilon)
					}
					add(formula.Point{
						Place:    formula.Placef("c=%.4g, c₁=%g, ε=%.4g, T=%d", constant, first, epsilon, steps),
						Measured: sum / blocks, Claimed: delta, Error: gaussianDeltaError, Show: true, Err: err,
					})
				}
			}
		},
	}
}

// unusedStep counts the runs of Algorithm 1 whose x_R moves where the step size at T − before is ten times as
// large, on the same coins.
func unusedStep(before int) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		const dim, steps, runs = 4, 3, 100
		data, err := plantedRows(s.Stream("rows"), rateRows, dim)
		if err != nil {
			return nil, err
		}
		r, moved := s.Stream("runs"), 0.0
		for range runs {
			seed := r.Uint64()
			var ends [2][]float64
			for i, large := range []float64{1, 10} {
				c := algorithm.Config{Loss: erm.Sigmoid{Falling: true}, Iterations: steps, Start: origin(dim), Sigma: 0.1,
					StepSize: func(k int) float64 {
						if k == steps-before {
							return large
						}
						return 1
					}}
				space, err := erm.NewSpace(dim)
				if err != nil {
					return nil, err
				}
				result, err := algorithm.PGD(ctx, rand.New(rand.NewPCG(seed, 1)), data, space, 0, c)
				if err != nil {
					return nil, err
				}
				ends[i] = result.X
			}
			if !slices.Equal(ends[0], ends[1]) {
				moved++
			}
		}
		return formula.Check{
			Quantity: "runs whose x_R moves with the step", Sense: verify.AtMost,
			Proof:  "R is at most T, and x_1, …, x_T are there before the last step",
			Domain: "100 runs of Algorithm 1 at T = 3, p = 4, on the same coins, one step ten times as long",
			Points: formula.ListedPoints(formula.Point{Place: formula.Placef("step %d of %d", steps-before, steps),
				Measured: moved,
				Show:     true}),
		}.Prepare(ctx, s)
	})
}
