package prestige

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func proseRateClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/cor-1/radius", Source: "Corollary 1", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Corollary 1, second sentence: R d^(1/2−1/q) ≤ R for p from 2 to ∞",
			Statement: "R d^(1/2−1/q) is at most R for all p from 2 to ∞, 1/p + 1/q = 1",
			Check:     restrictedRadius(0.5),
			Control:   verify.Control{Check: restrictedRadius(0.55), Want: checks.Refuted, Fault: "p = 1.82 let in"},
		},
		{
			ID: "prestige/remark-5/minimax", Source: "Remark 5", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Remark 5, second sentence: the general minimax rate, read with its constant; the " +
				"first sentence takes it from eq. (11) of [46], which bounds from below and up to a constant",
			Statement: "over the ball of radius R d^(1/2−1/q), with gradients of norm at most L and no privacy, no method " +
				"guarantees a gap below LR√π d^(1/2−1/q)/√T",
			Check: guaranteed(math.Sqrt(math.Pi), ""),
			Control: verify.Control{Check: hardest(0.3), Want: checks.Holds,
				Fault: "none: 0.3 in the place of √π, by a pair of instances that no method tells apart"},
			Corrected: "prestige/remark-5/minimax/corrected",
		},
		{
			ID: "prestige/remark-5/minimax/corrected", Source: "Remark 5, corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "Remark 5, second sentence, up to its constant",
			Statement: "over the ball of radius R d^(1/2−1/q), with T ≥ 2 gradients of norm at most L and no privacy, no " +
				"method guarantees a gap below 0.3 LR d^(1/2−1/q)/√T",
			Check: hardest(0.3),
			Control: verify.Control{Check: guaranteed(math.Sqrt(math.Pi), ""), Want: checks.Refuted,
				Fault: "√π in the place of 0.3, which projected SGD undercuts"},
		},
		{
			ID: "prestige/remark-5/price", Source: "Remark 5", Kind: verify.Identity,
			Origin: verify.Reading, Place: "Remark 5, third sentence: the price of ε_s-local privacy; read as the quotient of " +
				"two bounds of eq. (29), with B and with L for the norm of a gradient",
			Statement: "privacy multiplies the bound of eq. (29) by c(ε_s, λ)√d",
			Check:     price(paper.PrivateSamplingBound, pricePrinted, verify.Equals, ""),
			Control: verify.Control{Check: price(bounds.PrivateSamplingBound, priceMended, verify.AtMost, priceProof),
				Want: checks.Holds, Fault: "none: at most √(πd)(e^ε+1)/ε with the unbiased B, whatever λ"},
			Corrected: "prestige/remark-5/price/corrected",
		},
		{
			ID: "prestige/remark-5/price/corrected", Source: "Remark 5, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "eq. (29) with the B of prestige/lemma-2/corrected, and with L",
			Statement: "privacy multiplies the bound of eq. (29), with the unbiased B, by at most √(πd)(e^ε_s+1)/ε_s, which λ " +
				"does not change",
			Check: price(bounds.PrivateSamplingBound, priceMended, verify.AtMost, priceProof),
			Control: verify.Control{Check: price(bounds.PrivateSamplingBound, understatedFactor(0.5, priceMended),
				verify.AtMost, ""),
				Want: checks.Refuted, Fault: "half of it"},
		},
		{
			ID: "prestige/mini-batch/rate", Source: "Sect. 4.2, point 1); Theorem 1", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Sect. 4.2, Effectiveness of Mini-Batch Trick, last paragraph, point 1): larger " +
				"batches slow convergence; read of the bound of eq. (29) after the same number of records",
			Statement: "after the same number of records the bound of eq. (29) is larger with batches of 5 and of 10 than " +
				"with single records, whether the mean of a batch is privatised or its private gradients are averaged",
			Check: batchBound(func(b float64) float64 { return b }),
			Control: verify.Control{Check: batchBound(func(float64) float64 { return 1 }), Want: checks.Refuted,
				Fault: "the same number of updates, with b times the records"},
		},
	}
}

func restrictedRadius(most float64) verify.Check {
	return formula.Check{
		Quantity: "R d^(1/2−1/q), in units of R", Sense: verify.AtMost, Proof: "1/2 − 1/q = 1/p − 1/2 ≤ 0",
		Domain: "d ∈ {1, 2, 3, 10, 123, 784}, 1/p from 0 up",
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions {
				for _, inverseP := range []float64{0, 0.1, 0.25, most} {
					add(formula.Point{Place: formula.Placef("d=%d, 1/p=%g", d, inverseP), Measured: shrunk(d, inverseP), Claimed: 1,
						Show: d == 10})
				}
			}
		},
	}
}

// guaranteed compares what projected SGD guarantees with a rate that none is to fall below.
func guaranteed(constant float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "gap that projected SGD guarantees, in units of LR", Sense: verify.AtLeast, Proof: proof,
		Domain: "d ∈ {1, 2, 3, 10, 123, 784}, p ∈ {2, 4, ∞}, T ∈ {10, 10³}; ‖g‖₂ ≤ ‖g‖_q ≤ L",
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions {
				for _, inverseP := range []float64{0, 0.25, 0.5} {
					for _, updates := range []float64{10, 1e3} {
						radius := shrunk(d, inverseP)
						add(formula.Point{Place: formula.Placef("d=%d, 1/p=%g, T=%g", d, inverseP, updates), Show: d == 123,
							Measured: bounds.SubgradientGap(1, radius, updates), Claimed: constant * radius / math.Sqrt(updates)})
					}
				}
			}
		},
	}
}

// hardest is Le Cam's bound on the gap of every method: F(w) = ∓Lδw₁ seen through T gradients ±Le₁ of mean ∓Lδe₁,
// the better of the two being told by no method with more than the total variation of T coins of bias ±δ.
func hardest(constant float64) verify.Check {
	return formula.Check{
		Quantity: "least worst gap of any method, in units of LR'/√T", Sense: verify.AtLeast,
		Domain: "T ∈ {2, 3, 5, 10, 10², 10³, 10⁴}, δ = c/√T ≤ 1 for c from 0.25 to 2, the largest; R' = R d^(1/2−1/q), " +
			"any d",
		Points: func(add func(formula.Point)) {
			for _, updates := range []int{2, 3, 5, 10, 100, 1000, 10_000} {
				most, root := 0.0, math.Sqrt(float64(updates))
				for c := 0.25; c <= min(2, root); c += 1. / 32 {
					most = math.Max(most, c*(1-coinsApart(updates, c/root)))
				}
				add(formula.Point{Place: formula.Placef("T=%d", updates), Measured: most, Claimed: constant, Error: 1e-9,
					Show: true})
			}
		},
	}
}

// coinsApart is the total variation between n coins of bias +δ and of bias −δ: by symmetry, how much likelier a
// majority is under the first than under the second.
func coinsApart(n int, bias float64) float64 {
	heads := distuv.Binomial{N: float64(n), P: (1 + bias) / 2}
	minority := heads.CDF(math.Ceil(float64(n)/2) - 1)
	majority := 1 - heads.CDF(math.Floor(float64(n)/2))
	return majority - minority
}

// factor is what privacy is said to multiply a bound by.
type factor func(d int, epsilon, lambda float64) float64

func pricePrinted(d int, epsilon, lambda float64) float64 {
	return paper.RateFactor(epsilon, lambda) * math.Sqrt(float64(d))
}

func priceMended(d int, epsilon, _ float64) float64 {
	return math.Sqrt(math.Pi*float64(d)) * (math.Exp(epsilon) + 1) / epsilon
}

func understatedFactor(share float64, of factor) factor {
	return func(d int, epsilon, lambda float64) float64 { return share * of(d, epsilon, lambda) }
}

const priceProof = "eq. (29) is proportional to B, and B/L ≤ √(πd)(e^ε+1)/ε: prestige/eq-30/bound/corrected"

func price(bound func(d int, epsilon, lipschitz float64) (float64, error), claimed factor, sense verify.Sense,
	proof string) verify.Check {
	return formula.Check{
		Quantity: "bound of eq. (29) with B over that with L", Sense: sense, Proof: proof,
		Domain: "d ∈ {1, 2, 3, 10, 123, 784}, ε_s ∈ {0.01, 0.8, 1}, λ ∈ {10⁻³, 1, 10³}",
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions {
				for _, eps := range []float64{0.01, 0.8, 1} {
					for _, lambda := range []float64{1e-3, 1, 1e3} {
						b, err := bound(d, eps, 1)
						add(formula.Point{Place: formula.Placef("d=%d, ε_s=%g, λ=%g", d, eps, lambda), Show: d == 123 && eps == 0.8,
							Measured: paper.Gap(lambda, 1, b, 1) / paper.Gap(lambda, 1, 1, 1), Claimed: claimed(d, eps, lambda), Err: err})
					}
				}
			}
		},
	}
}

// batchBound compares the bound of eq. (29) after T/fewer(b) updates with batches of b, in the place of B the root of
// the second moment of an update, with that after T updates with single records.
func batchBound(fewer func(b float64) float64) verify.Check {
	return formula.Check{
		Quantity: "bound with batches of b over that with single records", Sense: verify.Above,
		Domain: "d ∈ {1, 2, 3, 10, 123, 784}, ε_s ∈ {0.01, 0.8}, unbiased B, equal gradients of norm L, b ∈ {5, 10}, T = " +
			"10³; λ and R cancel",
		Proof: "√b where a mean is privatised; √(1 + (b−1)L²/B²), with L < B, where b private gradients are averaged",
		Points: func(add func(formula.Point)) {
			const updates = 1e3
			for _, d := range dimensions {
				for _, eps := range []float64{0.01, 0.8} {
					b, err := bounds.PrivateSamplingBound(d, eps, 1)
					for _, size := range []float64{5, 10} {
						averaged := math.Sqrt(b*b/size + 1 - 1/size)
						for _, norm := range []struct {
							words string
							root  float64
						}{{"mean privatised", b}, {"private gradients averaged", averaged}} {
							ratio := paper.Gap(1, 1, norm.root, updates/fewer(size)) / paper.Gap(1, 1, b, updates)
							add(formula.Point{Place: formula.Placef("d=%d, ε_s=%g, b=%g, %s", d, eps, size, norm.words), Measured: ratio,
								Claimed: 1, Show: d == 123 && eps == 0.8, Err: err})
						}
					}
				}
			}
		},
	}
}
