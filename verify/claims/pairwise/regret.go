package pairwise

import (
	"context"
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func regretClaims() []verify.Claim {
	average := func(p bounds.Pairwise) float64 { return p.RegretConvexPrinted() / p.N }
	return []verify.Claim{
		{
			ID: "pairwise/thm-2", Kind: verify.Rate, Origin: verify.Stated,
			Place: "Theorem 2, eq. (7): with the outputs of line 13 kept apart from the iterates, and its condition " +
				"ε/log(1/δ) ≪ 1",
			Statement: "with probability 1 − ζ the regret of Algorithm 1 is at most 40 times the right side of eq. (7). " +
				"The factor 40 makes the O(·) of Theorem 2 explicit. Setting: noisy outputs kept apart from the iterates, " +
				"ε ≤ min(1, log(1/δ))",
			Check:    regretBound(40, regretProof),
			Control:  checks.Faulty(regretBound(15, ""), "the constant 15, smaller than the derived one"),
			Formerly: []string{"pairwise/thm-2/rate"},
		},
		{
			ID: "pairwise/thm-2/fed-back", Kind: verify.Rate, Origin: verify.Observation,
			Place: "Theorem 2, eq. (7), Algorithm 1, lines 11 and 13: which give both results the name w_t",
			Statement: "Theorem 2 requires that the outputs of line 13 are kept apart from the iterates. If line 11 " +
				"uses the noisy w_t, the mean regret for ℓ = (α/2)w² over [−1, 1] is at least (n−T₁)α/(2π²), linear in n, " +
				"while eq. (7) grows as √n. Setting: α = 1, G = L = 4, ε = 1, δ = 10⁻⁵",
			Check: fedBackGrowth(bounds.Pairwise.RegretFedBackAtLeast, "the noise of a step outweighs its drift, so that E "+
				"cos(πw_t) ≤ 0.5 from step to step; the bound is a line, and eq. (7) a power times logarithms"),
			Control: checks.Faulty(fedBackGrowth(bounds.Pairwise.RegretFedBack, ""),
				"the variance without the factor n − T₁ (alg-1/output/cost), and an upper bound on the regret"),
		},
		{
			ID: "pairwise/thm-3", Kind: verify.Rate, Origin: verify.Stated,
			Place: "Theorem 3, eq. (8), Theorem 4, eq. (10): both at the α of Theorem 3. From some n on, the statement " +
				"fails for every c and every constant in O(·). With the constant 1 the right side of eq. (8) is still " +
				"above that regret at n = 10⁶. Eq. (7) at this α contains the warm-up's GL²‖C‖n/c²",
			Statement: "with α = c/√n, as in Theorems 3 and 4, the average regret of Algorithm 2 falls as eq. (8), and " +
				"the error of its mean as eq. (10). At n = 10⁶ each is at most 0.58 of its value at n = 10⁴. Setting: AUC " +
				"loss, rows ±1 with their signs as labels, c = 1",
			Check: falls(randomRun,
				decline{"average regret, eq. (8) over n", randomAverage, fixedAlpha, average},
				decline{"error of the mean, eq. (10)", randomError, fixedAlpha, bounds.Pairwise.ErrorConvexPrinted}),
			Control: verify.Control{Check: falls("", decline{"α = 1, eq. (8) over n", noiselessAverage, fixedAlpha, average}),
				Want: checks.Holds, Fault: "none: the derived bound at α = 1, without noise"},
			Corrected: "pairwise/thm-3/corrected",
			Formerly:  []string{"pairwise/thm-3/from-7", "pairwise/thm-4"},
		},
		{
			ID: "pairwise/thm-3/corrected", Kind: verify.Rate, Origin: verify.Correction,
			Place: "Theorem 3, eq. (8): with the regularizer and the warm-up in the bound, and with another α. Divided " +
				"by n − 1, with eq. (6) and Kar et al. (2013), it gives the order of eq. (10)",
			Statement: "at every α > 0 the regret of Algorithm 2 is at most 40 times eq. (7) for the regularized loss, " +
				"plus nα‖C‖²/2. With α = n^(−1/4) instead of 1/√n, this is of the order n^(3/4) of eq. (8). Setting: " +
				"noise kept apart, ε ≤ log(1/δ)",
			Check:    regularizedBound(40, regretProof+"; at α = n^(−1/4) √n/α and nα are n^(3/4), and 1/α² is √n"),
			Control:  checks.Faulty(regularizedBound(10, ""), "the constant 10, smaller than the derived one"),
			Formerly: []string{"pairwise/thm-3/linear/corrected", "pairwise/thm-4/corrected"},
		},
	}
}

const regretProof = "derived: T₁G‖C‖ + ‖C‖²/(2η_{T₁+1}) + (G²/2)Σ η_t + GΣ σ_t(√d + √(2 log(n/ζ))), each term within " +
	"its multiple of one of eq. (7): α‖C‖ ≤ 2G, ε ≤ log(1/δ) gives 1/√ρ ≤ (1+√2)√log(1/δ)/ε"

// regretBound compares the derived bound with eq. (7) over instances from easy to hard, and searches for the worst
// one.
func regretBound(constant float64, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("instances")
		return formula.Check{
			Quantity: "derived bound over the right side of eq. (7)", Sense: verify.AtMost, Proof: proof,
			Domain: "n from 20 to 10¹², κ ∈ {1, 3, 30, 10³}, α‖C‖/G ∈ {10⁻³, 1, 2}, d ∈ {1, 10³}, ε ∈ {10⁻³, 1}, δ ∈ " +
				"{10⁻⁹, 0.1, e^{−1}}, ζ ∈ {10⁻⁶, 0.5}; 20,000 random instances, half of them with a long warm-up",
			Points: func(add func(formula.Point)) {
				of := func(p bounds.Pairwise, show bool) {
					add(formula.Point{Place: instancePlace(p), Measured: p.Regret() / p.RegretPrinted(), Claimed: constant,
						Error: 1e-9, Show: show})
				}
				for _, n := range []float64{20, 1e3, 1e6, 1e9, 1e12} {
					for _, kappa := range []float64{1, 3, 30, 1e3} {
						for _, size := range []float64{1e-3, 1, 2} {
							for _, d := range []float64{1, 1e3} {
								for _, l := range []level{{1e-3, 1e-9}, {1, 1e-9}, {1e-3, 0.1}, {1, 0.1}, {1, math.Exp(-1)}} {
									for _, zeta := range []float64{1e-6, 0.5} {
										of(bounds.Pairwise{G: 1, L: kappa, Alpha: 1, Diameter: size, Dim: d, N: n, Epsilon: l.epsilon,
											Delta: l.delta, Zeta: zeta}, d == 1 && kappa == 1 && size == 1 && zeta == 0.5 && l.delta == 1e-9)
									}
								}
							}
						}
					}
				}
				for range 20_000 {
					of(hardest(r.Float64), false)
				}
			},
		}.Prepare(ctx, s)
	})
}

func instancePlace(p bounds.Pairwise) func() string {
	return formula.Placef("n=%.4g, G=%.3g, L=%.3g, α=%.3g, ‖C‖=%.3g, d=%g, ε=%.3g, δ=%.3g, ζ=%.3g", p.N, p.G, p.L,
		p.Alpha,
		p.Diameter, p.Dim, p.Epsilon, p.Delta, p.Zeta)
}

// regularizedBound searches for the worst instance of Algorithm 2, and compares the right side at α = n^(−1/4) with
// eq. (8).
func regularizedBound(constant float64, proof string) verify.Check {
	right := func(p bounds.Pairwise, alpha float64) float64 {
		return p.Regularized(alpha).RegretPrinted() + p.N*alpha*p.Diameter*p.Diameter/2
	}
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("instances")
		return formula.Check{
			Quantity: "derived bound over the right side, and the right side at α = n^(−1/4) over eq. (8)",
			Sense:    verify.AtMost,
			Proof:    proof, Domain: "20,000 random instances with α from 10⁻⁶ to 10⁶, half of them with a long warm-up; n " +
				"= 10⁴, 10⁶, …, 10¹² with G = L = 4, ‖C‖ = 2, d = 1, ε = 1, δ = 10⁻⁵, ζ = 1/n",
			Points: func(add func(formula.Point)) {
				for n := 1e4; n <= 1e12; n *= 100 {
					p := fixedAlpha(n)
					add(formula.Point{Place: formula.Placef("n=%g, α = n^(−1/4)", n), Show: true, Claimed: constant,
						Measured: right(p, math.Pow(n, -0.25)) / p.RegretConvexPrinted()})
				}
				for i := range 20_000 {
					p := hardest(r.Float64)
					alpha := math.Exp(6 * (2*r.Float64() - 1) * math.Ln10)
					place := instancePlace(p.Regularized(alpha))
					add(formula.Point{Place: place, Measured: p.RegretConvex(alpha) / right(p, alpha), Claimed: constant,
						Error: 1e-9, Show: i < 3})
				}
			},
		}.Prepare(ctx, s)
	})
}

// fixedAlpha returns the parameters α = 1, G = L = 4 (the logistic AUC loss on the unit ball is 4-smooth and nearly
// 4-Lipschitz), ‖C‖ = 2, d = 1, ε = 1, δ = 10⁻⁵, ζ = 1/n.
func fixedAlpha(n float64) bounds.Pairwise {
	return bounds.Pairwise{G: 4, L: 4, Alpha: 1, Diameter: 2, Dim: 1, N: n, Epsilon: 1, Delta: 1e-5, Zeta: 1 / n}
}

// fedBackGrowth compares the exponents of n in a regret and in eq. (7), after division by the logarithms.
func fedBackGrowth(regret func(bounds.Pairwise) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "exponent of n in the bound on the regret, less that in eq. (7)", Sense: verify.Equals, Proof: proof,
		Domain: "from n to 100n, the logarithms of eq. (7) divided out, to within 2 %",
		Grid:   formula.Grid{formula.Over("n", 1e4, 1e6)},
		At: func(at []float64, add func(formula.Point)) {
			quotient := func(n float64) float64 {
				p := fixedAlpha(n)
				return regret(p) / p.RegretPrinted() * math.Pow(math.Log(n/p.Zeta), 1.5)
			}
			add(formula.Point{Measured: math.Log(quotient(100*at[0])/quotient(at[0])) / math.Log(100), Claimed: 0.5,
				Error: 0.02,
				Show:  true})
		},
	}
}

// decline compares the decrease of a quantity in n with the decrease of a printed order.
type decline struct {
	words   string
	value   func(n float64) (lower, upper float64) // bounds on it
	at      func(n float64) bounds.Pairwise
	printed func(bounds.Pairwise) float64
}

// falls compares the quotient of a lower bound at n = 10⁶ and an upper bound at 10⁴ with the quotient of the printed
// order, which does not depend on the constant in O(·).
func falls(about string, declines ...decline) verify.Check {
	return formula.Check{
		Quantity: "value at n = 10⁶ over value at n = 10⁴", Sense: verify.AtMost,
		Domain: "G = L = 4, ‖C‖ = 2, d = 1, ε = 1, δ = 10⁻⁵, ζ = 1/n; measured: a lower bound at 10⁶ over an upper " +
			"bound at 10⁴; claimed: the quotient of the right sides. " + about,
		Points: func(add func(formula.Point)) {
			for _, d := range declines {
				_, before := d.value(1e4)
				after, _ := d.value(1e6)
				add(formula.Point{Place: formula.Placef("%s", d.words), Show: true, Error: 1e-9, Measured: after / before,
					Claimed: d.printed(d.at(1e6)) / d.printed(d.at(1e4))})
			}
		},
	}
}

const randomRun = "The AUC loss on rows ±1 with their signs as labels: at c = 1 all n parameters are random, as T₁ ≥ " +
	"16n, and at any c the share min(1, 256/c²) of them"

// oneSided returns the logistic AUC loss at w in [−1, 1] on alternating rows +1 with label +1 and −1 with label −1.
// Half of all pairs have different labels and the loss log(1+e^{−4w}), so that w = 1 is optimal at every t.
func oneSided(w float64) float64 { return math.Log1p(math.Exp(-4*w)) / 2 }

// randomGap returns the mean loss of a uniform w in [−1, 1] minus the loss of w = 1, by Simpson's rule.
var randomGap = func() float64 {
	const m = 1000
	sum := oneSided(-1) + oneSided(1)
	for i := 1; i < m; i++ {
		sum += float64(2+2*(i&1)) * oneSided(-1+2*float64(i)/m)
	}
	return sum/(3*m) - oneSided(1)
}()

// randomAverage bounds the mean average regret of Algorithm 2 at α = 1/√n on oneSided. As T₁ ≥ 16n, all n parameters
// are random, and ⌊t/2⌋ of the t−1 records before z_t have the other label: the share 0.5, or for even t 0.5 +
// 1/(2(t−1)). No step of any algorithm has a smaller loss than w = 1, so that at α = c/√n the share min(1, 256/c²) of
// the warm-up remains. If the distribution of the random parameters favors 1, interchange the labels.
func randomAverage(n float64) (lower, upper float64) {
	return randomGap, randomGap * (1 + (1+math.Log(n)/2)/(n-1))
}

// noiselessAverage returns the derived bound on the average regret of Pairwise GIGA at α = 1.
func noiselessAverage(n float64) (lower, upper float64) {
	p := fixedAlpha(n)
	average := p.PlainRegret(p.WarmupPrinted()) / n
	return average, average
}

// hardest draws an instance that Theorem 2 admits; half of the instances have T₁ near n/2, a long warm-up.
func hardest(uniform func() float64) bounds.Pairwise {
	span := func(lo, hi float64) float64 { return math.Exp(math.Log(lo) + uniform()*math.Log(hi/lo)) }
	p := bounds.Pairwise{G: 1, L: span(1, 1e4), Alpha: 1, Diameter: span(1e-6, 2), Dim: math.Floor(span(1, 1e6)),
		N: math.Floor(span(20, 1e12)), Delta: math.Exp(-span(0.01, 100)), Zeta: span(1e-12, 0.5)}
	p.Epsilon = math.Min(1, -math.Log(p.Delta)) * span(1e-4, 1)
	if uniform() < 0.5 {
		p.N = math.Ceil(span(1.01, 100) * p.WarmupPrinted())
	}
	return p
}
