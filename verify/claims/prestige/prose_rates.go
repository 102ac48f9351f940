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
			ID: "prestige/remark-5/minimax", Kind: verify.Rate, Origin: verify.Reading,
			Place: "Remark 5: second sentence, the general minimax rate, read up to its constant",
			Statement: "Remark 5's rate is minimax up to its constant: over the ball of radius R d^(1/2−1/q), no method " +
				"guarantees a gap below 0.3·LR d^(1/2−1/q)/√T. Setting: T ≥ 2 gradients of norm at most L, no privacy",
			Check: hardest(0.3),
			Control: checks.Faulty(guaranteed(math.Sqrt(math.Pi)),
				"√π in place of 0.3, which is above the guarantee of projected SGD"),
			Formerly: []string{"prestige/remark-5/minimax/corrected"},
		},
		{
			ID: "prestige/mini-batch/rate", Kind: verify.Rate, Origin: verify.Reading,
			Place: "Sect. 4.2, Effectiveness of Mini-Batch Trick: last paragraph, point 1), larger batches slow " +
				"convergence, read as the bound of eq. (29) after the same number of records",
			Statement: "after the same number of records, the bound of eq. (29) with the unbiased B is larger with " +
				"batches of 5 and of 10 than with single records. This is true whether the mean of a batch is privatized " +
				"or its private gradients are averaged",
			Check: batchBound(func(b float64) float64 { return b }),
			Control: checks.Faulty(batchBound(func(float64) float64 { return 1 }),
				"the same number of updates, with b times the records"),
		},
	}
}

// guaranteed compares the gap that projected SGD guarantees with a claimed lower bound for every method.
func guaranteed(constant float64) verify.Check {
	return formula.Check{
		Quantity: "gap that projected SGD guarantees, in units of LR", Sense: verify.AtLeast,
		Grid: formula.Grid{formula.Over("d", dimensions...), formula.Over("1/p", 0, 0.25, 0.5), formula.Over("T", 10,
			1e3)},
		Domain: "‖g‖₂ ≤ ‖g‖_q ≤ L",
		At: func(at []float64, add func(formula.Point)) {
			radius := shrunk(int(at[0]), at[1])
			add(formula.Point{Show: at[0] == 123, Measured: bounds.SubgradientGap(1, radius, at[2]),
				Claimed: constant * radius / math.Sqrt(at[2])})
		},
	}
}

// hardest compares Le Cam's lower bound on the gap of every method with a claimed one. The two functions are
// F(w) = ∓Lδw₁, observed through T gradients ±Le₁ with mean ∓Lδe₁. No test distinguishes them better than T coins of
// bias +δ from T coins of bias −δ.
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

// coinsApart returns the total variation distance between n coins of bias +δ and n coins of bias −δ: by symmetry, the
// probability of a majority of heads minus the probability of a minority under bias +δ.
func coinsApart(n int, bias float64) float64 {
	heads := distuv.Binomial{N: float64(n), P: (1 + bias) / 2}
	minority := heads.CDF(math.Ceil(float64(n)/2) - 1)
	majority := 1 - heads.CDF(math.Floor(float64(n)/2))
	return majority - minority
}

// batchBound compares the bound of eq. (29) after T/fewer(b) updates on batches of b records with the bound after T
// updates on single records. For batches it replaces B by the root mean square norm of an update.
func batchBound(fewer func(b float64) float64) verify.Check {
	return formula.Check{
		Quantity: "bound with batches of b over that with single records", Sense: verify.Above,
		Grid:   formula.Grid{formula.Over("d", dimensions...), formula.Over("ε_s", 0.01, 0.8), formula.Over("b", 5, 10)},
		Domain: "unbiased B, equal gradients of norm L, T = 10³; λ and R cancel",
		Proof:  "√b if a mean is privatized; √(1 + (b−1)L²/B²), with L < B, if b private gradients are averaged",
		At: func(at []float64, add func(formula.Point)) {
			const updates = 1e3
			size := at[2]
			b, err := bounds.PrivateSamplingBound(int(at[0]), at[1], 1)
			for _, norm := range []struct {
				words string
				root  float64
			}{{"mean privatized", b}, {"private gradients averaged", math.Sqrt(b*b/size + 1 - 1/size)}} {
				ratio := paper.Gap(1, 1, norm.root, updates/fewer(size)) / paper.Gap(1, 1, b, updates)
				add(formula.Point{Place: formula.Placef("%s", norm.words), Measured: ratio, Claimed: 1,
					Show: at[0] == 123 && at[1] == 0.8, Err: err})
			}
		},
	}
}
