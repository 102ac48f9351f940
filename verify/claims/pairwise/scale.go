package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// scaleClaims are about closed forms and sizes of the noise, and the set that it is projected to.
func scaleClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/noise-approximation/closed-form", Source: "below Theorem 1", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "paragraph below Theorem 1, the two squares of differences of roots; whether the " +
				"first root ends before + ε decides, which the copy that was read may have changed",
			Statement: "the ρ of Algorithm 1 is (√log(1/δ) + ε − √log(1/δ))², as printed with ε outside of the root, which " +
				"is ε²",
			Check: closedForm(rootAndEpsilon),
			Control: verify.Control{Check: closedForm(rootOfSum),
				Want: checks.Holds, Fault: "none: ε under the root"},
			Corrected: "pairwise/noise-approximation/closed-form/corrected",
		},
		{
			ID: "pairwise/noise-approximation/closed-form/corrected", Source: "below Theorem 1", Kind: verify.Identity,
			Origin: verify.Correction, Place: "in the place of the two squares below Theorem 1",
			Statement: "the ρ of Algorithm 1, line 3, is (√(log(1/δ) + ε) − √log(1/δ))²",
			Check:     closedForm(rootOfSum),
			Control: verify.Control{Check: closedForm(func(_, eps float64) float64 { return eps * eps }),
				Want:  checks.Contradictory,
				Fault: "ε²"},
		},
		{
			ID: "pairwise/alg-3/noise/smaller", Source: "Improved Upper Bounds, Alg. 3, step 9", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Improved Upper Bounds, second paragraph, last sentence; Algorithm 3, line 9; " +
				"Algorithm 1, line 12 at t = n",
			Statement: "the noise that Algorithm 3 adds once is of a smaller deviation than that of any step of Algorithm 1",
			Check:     smaller(func(t1 int) []int { return []int{t1 + 1, t1 + 4, t1 + 100, t1 + 10000} }, ""),
			Control: verify.Control{Check: smaller(fewLogs(1), smallerProof), Want: checks.Holds,
				Fault: "none: n − T₁ ≥ log²n · log(1.25/δ)/log(1/δ)"},
			Corrected: "pairwise/alg-3/noise/smaller/corrected",
		},
		{
			ID: "pairwise/alg-3/noise/smaller/corrected", Source: "Alg. 3, step 9, corrected", Kind: verify.Identity,
			Origin: verify.Correction,
			Place:  "in the place of the last sentence of the second paragraph of Improved Upper Bounds",
			Statement: "the noise that Algorithm 3 adds once is of a smaller deviation than that of any step of Algorithm 1 " +
				"where n − T₁ is at least log²n · log(1.25/δ)/log(1/δ)",
			Check:   smaller(fewLogs(1), smallerProof),
			Control: verify.Control{Check: smaller(fewLogs(0.5), ""), Want: checks.Refuted, Fault: "half as many steps"},
		},
		{
			ID: "pairwise/footnote-3", Source: "Footnote 3", Kind: verify.Privacy,
			Origin: verify.Reading, Place: "footnote 3: w* may be the minimiser on the data, as here, or of the population, " +
				"which nobody knows",
			Statement: "with C the ball of radius ‖w*‖, w* the minimiser of the regularised risk on the data, the " +
				"parameters that Algorithm 1 draws from C are (ε, 1/n)-DP for some ε",
			Check: dataSet(true),
			Control: verify.Control{Check: dataSet(false), Want: checks.Holds,
				Fault: "none: the radius is that of one of the data sets, fixed beforehand"},
			Corrected: "pairwise/footnote-3/corrected",
		},
		{
			ID: "pairwise/footnote-3/corrected", Source: "Footnote 3, corrected", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "in the place of footnote 3",
			Statement: "with C a ball whose radius does not look at the data, the parameters that Algorithm 1 draws from C " +
				"are (0, 0)-DP",
			Check: dataSet(false),
			Control: verify.Control{Check: dataSet(true), Want: checks.Refuted,
				Fault: "the radius of the minimiser on the data"},
		},
	}
}

// The two readings of the closed form, at l = log(1/δ).
func rootAndEpsilon(l, epsilon float64) float64 {
	return math.Pow(math.Sqrt(l)+epsilon-math.Sqrt(l), 2)
}
func rootOfSum(l, epsilon float64) float64 { return math.Pow(math.Sqrt(l+epsilon)-math.Sqrt(l), 2) }

// closedForm puts a closed form into the equation that ρ solves.
func closedForm(rho func(l, epsilon float64) float64) verify.Check {
	return formula.Check{
		Quantity: "ρ + 2√(ρ log(1/δ)) at the closed form", Sense: verify.Equals, Contradiction: true, Domain: gridOfLevels,
		Proof: "with a = √log(1/δ), b = √(a² + ε): (b−a)² + 2(b−a)a = b² − a² = ε",
		Points: func(add func(formula.Point)) {
			for l := range privacyGrid {
				logs := -math.Log(l.delta)
				p := rho(logs, l.epsilon)
				add(formula.Point{Place: formula.Placef("ε=%g, δ=%.3g", l.epsilon, l.delta), Measured: p + 2*math.Sqrt(p*logs),
					Claimed: l.epsilon, Error: 1e-9, Show: l.delta == 1.0/40})
			}
		},
	}
}

const smallerProof = "the quotient squared is 4 log²n log(1.25/δ)ρ/(ε²(n−T₁)), and ρ ≤ ε²/(4 log(1/δ)); σ_t falls in t"

// fewLogs is n with n − T₁ next above a multiple of log²n · log(1.25/δ)/log(1/δ), at δ = 10⁻⁵, and a larger one.
func fewLogs(factor float64) func(t1 int) []int {
	return func(t1 int) []int {
		n := t1 + 1
		for l := math.Log(float64(n)); float64(n-t1) < factor*l*l*math.Log(1.25e5)/math.Log(1e5); l = math.Log(float64(n)) {
			n++
		}
		return []int{n, 10 * n}
	}
}

func smaller(sizes func(t1 int) []int, proof string) verify.Check {
	return formula.Check{
		Quantity: "σ of Algorithm 3 over σ_n of Algorithm 1", Sense: verify.AtMost, Proof: proof,
		Domain: "T₁ ∈ {16, 36, 1000, 10⁶}, n as named, ε ∈ {10⁻³, 1}, δ = 10⁻⁵",
		Points: func(add func(formula.Point)) {
			for _, t1 := range []int{16, 36, 1000, 1e6} {
				for _, n := range sizes(t1) {
					for _, eps := range []float64{1e-3, 1} {
						online := pairwise.OnlineStdDev(1, 1, pairwise.Budget(eps, 1e-5), n, n, t1)
						add(formula.Point{Place: formula.Placef("T₁=%d, n=%d, ε=%g", t1, n, eps),
							Measured: pairwise.OfflineStdDev(1, 1, eps, 1e-5, n) / online, Claimed: 1, Show: t1 < 1e6})
					}
				}
			}
		},
	}
}

// aucMinimiser is that of the AUC risk with the ridge λ of the experiments over R: n/2 rows +1 of label +1, and n/2
// rows −1 of label −1, of which flipped have the other row.
func aucMinimiser(n, flipped int) float64 {
	half := float64(n / 2)
	share := 2 * half * (half - float64(flipped)) / float64(n*(n-1)) // of the pairs with x ≠ x' and y ≠ y'
	lo, hi := 0.0, 100.0
	for range 200 {
		w := (lo + hi) / 2
		if share*4/(1+math.Exp(4*w)) > 1e-3*w {
			lo = w
		} else {
			hi = w
		}
	}
	return (lo + hi) / 2
}

// dataSet is the probability that one of n parameters, uniform in [−r, r], is beyond the radius of the neighbour, where
// the neighbour has none.
func dataSet(looks bool) verify.Check {
	r := formula.Check{
		Quantity: "probability of outputs that the neighbour never has", Sense: verify.AtMost,
		Domain: "n ∈ {40, 90, 350} parameters of the warm-up, d = 1, rows ±1 with their signs as labels, one row turned; " +
			"the AUC loss with λ = 10⁻³, δ = 1/n",
		Points: func(add func(formula.Point)) {
			for _, n := range []int{40, 90, 350} {
				radius, other := aucMinimiser(n, 0), aucMinimiser(n, 0)
				claimed := 0.0
				if looks {
					other, claimed = aucMinimiser(n, 1), 1/float64(n)
				}
				add(formula.Point{Place: formula.Placef("n=%d, radii %.4g and %.4g", n, radius, other),
					Measured: 1 - math.Pow(other/radius, float64(n)), Claimed: claimed, Error: 1e-6, Show: true})
			}
		},
	}
	if !looks {
		r.Proof = "equal sets, equal laws"
	}
	return r
}

// hardest is an instance drawn from all that Theorem 2 admits, half of them next to T₁ = n/2, where the warm-up is
// long.
func hardest(uniform func() float64) bounds.Pairwise {
	span := func(lo, hi float64) float64 { return math.Exp(math.Log(lo) + uniform()*math.Log(hi/lo)) }
	p := bounds.Pairwise{G: 1, L: span(1, 1e6), Alpha: 1, Diameter: span(1e-6, 2), Dim: math.Floor(span(1, 1e6)),
		N: math.Floor(span(20, 1e20)), Delta: math.Exp(-span(0.01, 100)), Zeta: span(1e-12, 0.5)}
	p.Epsilon = math.Min(1, -math.Log(p.Delta)) * span(1e-4, 1)
	if uniform() < 0.5 {
		p.N = math.Ceil(span(1.01, 100) * p.WarmupPrinted())
	}
	return p
}
