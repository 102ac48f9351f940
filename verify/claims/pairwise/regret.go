package pairwise

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/mean"
)

func regretClaims() []verify.Claim {
	convexProof := "T₁ ≥ 16L²n/c² of n parameters are random whatever c is: the mean regret is at least a fixed share of n"
	return []verify.Claim{
		{
			ID: "pairwise/thm-2", Source: "Theorem 2, eq. (7)", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Theorem 2, eq. (7), for Algorithm 1 with the outputs of line 13 not " +
				"fed back; O(·) as a constant of 40",
			Statement: "where the noise is not fed back, the regret of Algorithm 1 is at most 40 times the right side of eq. " +
				"(7) with probability 1 − ζ, for ε ≤ log(1/δ)",
			Check: regretBound(40, bounds.Pairwise.Regret, regretProof),
			Control: verify.Control{Check: regretBound(15, bounds.Pairwise.Regret, ""), Want: checks.Refuted,
				Fault: "the constant 15, below what the derivation gives"},
		},
		{
			ID: "pairwise/thm-2/fed-back", Source: "Theorem 2, eq. (7), step 13", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Theorem 2, eq. (7), for Algorithm 1 to the letter: line 13 gives its " +
				"output the name that line 11 starts from",
			Statement: "where the noise is fed back, as step 13 read literally has it, the regret of Algorithm 1 is of " +
				"the order of eq. (7)",
			Check: onInstance(clippedWalk,
				growth(fixedAlpha, bounds.Pairwise.RegretFedBackAtLeast, bounds.Pairwise.RegretPrinted, "")),
			Control: verify.Control{Check: growth(fixedAlpha, bounds.Pairwise.Regret, bounds.Pairwise.RegretPrinted,
				regretProof),
				Want: checks.Holds, Fault: "none: the noise is not fed back"},
			Corrected: "pairwise/thm-2/fed-back/corrected",
		},
		{
			ID: "pairwise/thm-2/fed-back/corrected", Source: "Theorem 2, corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "in the place of Algorithm 1, line 12",
			Statement: "with the noise fed back and σ_t² = 32G²/(α²t²ρ), which is as private, the mean regret of Algorithm 1 " +
				"is of the order of eq. (7), and at fixed α, ε and δ even of the order log n",
			Check: growth(fixedAlpha, bounds.Pairwise.RegretFedBack,
				func(p bounds.Pairwise) float64 { return math.Log(p.N) }, fedBackProof),
			Control: verify.Control{Check: growth(fixedAlpha, bounds.Pairwise.RegretFedBackAtLeast,
				bounds.Pairwise.RegretPrinted,
				""), Want: checks.Refuted, Fault: "the variance with the factor n − T₁"},
		},
		{
			ID: "pairwise/thm-2/experiments", Source: "Theorem 2, Experiments", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Theorem 2, eq. (7), the constant of its O taken as 1; Experiments, ε, δ and n",
			Statement: "at n ≤ 350, ε ≤ 2.5 and δ = 1/n there is an α at which the right side of eq. (7), its constant taken " +
				"as 1, is below nG‖C‖₂, which any sequence of parameters reaches",
			Check: nontrivial("eq. (7)", averageShare, []float64{350}),
			Control: verify.Control{Check: nontrivial("eq. (7)", averageShare, []float64{1e9}), Want: checks.Holds,
				Fault: "none: n = 10⁹"},
		},
		{
			ID: "pairwise/thm-2/dominates", Source: "Theorem 2, eq. (7), Experiments", Kind: verify.Rate,
			Origin: verify.Implied, Place: "Theorem 2, eq. (7), its second term; Experiments, λ, ε, δ and n",
			Statement: "at λ = 10⁻³ and the n of the experiments the warm-up's term GL²‖C‖₂/α² is the largest of eq. (7), " +
				"above the other two together",
			Check: warmupDominates(1e-3, "the points span the n of the experiments, and the other terms grow with n"),
			Control: verify.Control{Check: warmupDominates(1, ""), Want: checks.Refuted,
				Fault: "α = 1, where the noise is the largest"},
		},
		{
			ID: "pairwise/thm-2/rate", Source: "Theorem 2, eq. (7)", Kind: verify.Rate,
			Origin: verify.Implied, Place: "Theorem 2, eq. (7), its first term",
			Statement: "what the noise adds to the regret where it is not fed back, on ℓ = w²/2 over [−1, 1] from the " +
				"minimiser on, is O(√n)",
			Check: noiseShare(func(t float64) float64 { return t }),
			Control: verify.Control{Check: noiseShare(func(float64) float64 { return 17 }),
				Want: []verify.Verdict{verify.Inconclusive}, Fault: "a deviation that does not fall with t: the slope is 1"},
		},
		{
			ID: "pairwise/thm-3", Source: "Theorem 3, eq. (8)", Kind: verify.Rate,
			Origin: verify.Stated, Place: "Theorem 3, eq. (8)",
			Statement: "with α = c/√n the regret of Algorithm 2 is of the order n^(3/4) log^1.5(n/ζ), eq. (8)",
			Check:     onInstance(randomRun, growth(fixedAlpha, randomRegret, bounds.Pairwise.RegretConvexPrinted, "")),
			Control: verify.Control{Check: growth(fixedAlpha, quarticRegret, bounds.Pairwise.RegretConvexPrinted, quarticProof),
				Want: checks.Holds, Fault: "none: α = n^(−1/4)"},
			Corrected: "pairwise/thm-3/corrected",
		},
		{
			ID: "pairwise/thm-3/warm-up", Source: "Theorem 3, Alg. 1, step 2", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Theorem 3, α = O(1/√n); Algorithm 2, line 4; Algorithm 1, line 2",
			Statement: "with α = c/√n, c ≤ 4L, Algorithm 2 makes no step, whatever n: T₁ is at least n",
			Check:     noSteps(4, -0.5, convexProof),
			Control:   verify.Control{Check: noSteps(8, -0.5, ""), Want: checks.Refuted, Fault: "c = 8L"},
		},
		{
			ID: "pairwise/thm-3/from-7", Source: "Theorem 3, eqs. (7) and (8)", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Theorem 3, α = O(1/√n) and eq. (8); Theorem 2, eq. (7); Algorithm 2, " +
				"line 4",
			Statement: "the right side of eq. (7) for the loss of Algorithm 2 with α = 1/√n, plus the price nα‖C‖²/2 of the " +
				"regulariser, is of the order of eq. (8)",
			Check: contradicted(growth(fixedAlpha, rootRegret, bounds.Pairwise.RegretConvexPrinted, "")),
			Control: verify.Control{Check: contradicted(growth(fixedAlpha, quarticPrinted, bounds.Pairwise.RegretConvexPrinted,
				quarticProof)), Want: checks.Holds, Fault: "none: α = n^(−1/4)"},
			Corrected: "pairwise/thm-3/corrected",
		},
		{
			ID: "pairwise/thm-3/corrected", Source: "Theorem 3, corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "in the place of Theorem 3, eq. (8)",
			Statement: "with α = n^(−1/4), and the noise not fed back, the regret of Algorithm 2 is of the order of eq. (8)",
			Check:     growth(fixedAlpha, quarticRegret, bounds.Pairwise.RegretConvexPrinted, quarticProof),
			Control: verify.Control{Check: growth(fixedAlpha, randomRegret, bounds.Pairwise.RegretConvexPrinted, ""),
				Want: checks.Refuted, Fault: "α = 1/√n"},
		},
		{
			ID: "pairwise/thm-3/experiments", Source: "Theorem 3, Experiments", Kind: verify.Rate,
			Origin: verify.Reading, Place: "Theorem 3, eq. (8); Experiments, ε, δ and n",
			Statement: "at n ≤ 350, ε ≤ 2.5 and δ = 1/n the right side of eq. (8), its constant taken as 1, is below nG‖C‖₂, " +
				"which any sequence of parameters reaches",
			Check: nontrivial("eq. (8)", averageConvexShare, []float64{350}),
			Control: verify.Control{Check: nontrivial("eq. (8)", averageConvexShare, []float64{1e30}), Want: checks.Holds,
				Fault: "none: n = 10³⁰"},
		},
	}
}

const (
	regretProof = "derived: T₁G‖C‖ + ‖C‖²/(2η_{T₁+1}) + (G²/2)Σ η_t + GΣ σ_t(√d + √(2 log(n/ζ))), each term within its " +
		"multiple of one of eq. (7): " +
		"α‖C‖ ≤ 2G, ε ≤ log(1/δ) gives 1/√ρ ≤ (1+√2)√log(1/δ)/ε"
	fedBackProof = "derived: T₁G‖C‖ + ‖C‖²/(2η_{T₁+1}) + (G²/2)Σ η_t + dΣ σ_t²/(2η_t), the noise being of mean zero " +
		"given the past; the privacy is alg-1/output/cost"
	quarticProof = "the noise gives √n/α = n^(3/4), the regulariser nα = n^(3/4), the warm-up 1/α² = √n"
)

// regretBound compares the derived bound with eq. (7), over instances from easy to hard, and looks for the worst of
// all.
func regretBound(constant float64, bound func(bounds.Pairwise) float64, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("instances")
		return formula.Check{
			Quantity: "derived bound over the right side of eq. (7)", Sense: verify.AtMost, Proof: proof,
			Domain: "n from 20 to 10¹⁸, κ ∈ {1, 3, 30, 10³}, α‖C‖/G ∈ {10⁻³, 1, 2}, d ∈ {1, 10³}, ε ∈ {10⁻³, 1}, δ ∈ " +
				"{10⁻⁹, 0.1, e^{−1}}, ζ ∈ {10⁻⁶, 0.5}; 20,000 random instances, half of them with a long warm-up",
			Points: func(add func(formula.Point)) {
				of := func(p bounds.Pairwise, show bool) {
					at := formula.Placef("n=%.4g, κ=%.4g, α‖C‖/G=%.3g, d=%g, ε=%.3g, δ=%.3g, ζ=%.3g", p.N, p.L, p.Diameter, p.Dim,
						p.Epsilon, p.Delta, p.Zeta)
					add(formula.Point{Place: at, Measured: bound(p) / p.RegretPrinted(), Claimed: constant, Error: 1e-9, Show: show})
				}
				for _, n := range []float64{20, 1e3, 1e6, 1e12, 1e18} {
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

// fixedAlpha is α = 1, G = L = 4 (the logistic AUC loss on the unit ball is 4-smooth and
// nearly 4-Lipschitz), ‖C‖ = 2, d = 1, ε = 1, δ = 10⁻⁵, ζ = 1/n.
func fixedAlpha(n float64) bounds.Pairwise {
	return bounds.Pairwise{G: 4, L: 4, Alpha: 1, Diameter: 2, Dim: 1, N: n, Epsilon: 1, Delta: 1e-5, Zeta: 1 / n}
}

// growth follows a regret or an error over a printed order as n grows. Bounded means that from
// n = 10⁴⁰ on, where logarithms hardly move, a hundredfold n lets the quotient grow by at most 5 %. Of what
// is not proved the growth at the n of data sets is shown as well.
func growth(at func(n float64) bounds.Pairwise, measured, printed func(bounds.Pairwise) float64,
	proof string) formula.Check {
	quotient := func(n float64) float64 { return measured(at(n)) / printed(at(n)) }
	exponents := []int{40, 50, 60, 70, 80, 90, 100, 110, 120}
	from := "n from 10⁴⁰ to 10¹²²"
	if proof == "" {
		exponents, from = append([]int{4, 6, 8}, exponents...), "n from 10⁴ to 10¹⁰ and from 10⁴⁰ to 10¹²²"
	}
	return formula.Check{
		Quantity: "growth of left side over right side as n grows a hundredfold", Sense: verify.AtMost, Proof: proof,
		Domain: from + ", ζ = 1/n, ε = 1, δ = 10⁻⁵, d = 1, G = L = 4, ‖C‖ = 2; bounded means: no hundredfold " +
			"n adds more than 5 %",
		Points: func(add func(formula.Point)) {
			for _, exponent := range exponents {
				n := math.Pow10(exponent)
				at := formula.Placef("n from %.3g to %.3g", n, 100*n)
				if proof == "" && exponent >= 40 {
					at = formula.Placef("n from %.3g to %.3g; %.3g from 1e4 to 1e6", n, 100*n, quotient(1e6)/quotient(1e4))
				}
				add(formula.Point{Place: at, Measured: quotient(100*n) / quotient(n), Claimed: 1.05, Error: 1e-9, Show: true})
			}
		},
	}
}

// onInstance says where the measured side of a growth comes from.
func onInstance(words string, r formula.Check) verify.Check {
	r.Domain += "; " + words
	return r
}

const (
	clippedWalk = "the measured side is a lower bound on the mean regret for ℓ = (α/2)w² over [−1, 1], (n−T₁)α/(2π²): " +
		"the noise of a step outweighs its drift, so that E cos(πw_t) ≤ ½ from step to step"
	randomRun = "the measured side is a lower bound for the AUC loss on rows ±1 with their signs as labels: at c = 1 " +
		"all n parameters are random, as T₁ ≥ 16n, and at any c the share min(1, 256/c²) of them"
)

func contradicted(r formula.Check) verify.Check {
	r.Contradiction = true
	return r
}

// oneSided is the logistic AUC loss on rows of R, +1 with label +1 and −1 with label −1 in turn, over
// [−1, 1]: pairs of different labels lose log(1+e^{−4w}), so that w = 1 is best at every t,
// and half of all pairs are such.
func oneSided(w float64) float64 { return math.Log1p(math.Exp(-4*w)) / 2 }

// randomGap is what a uniform w in [−1, 1] loses on average against w = 1, by Simpson's rule.
var randomGap = func() float64 {
	const m = 1000
	sum := oneSided(-1) + oneSided(1)
	for i := 1; i < m; i++ {
		sum += float64(2+2*(i&1)) * oneSided(-1+2*float64(i)/m)
	}
	return sum/(3*m) - oneSided(1)
}()

// randomRegret is a lower bound on the mean regret of Algorithm 2 at α = 1/√n on oneSided: as T₁ ≥ 16n,
// all n parameters are random, and ⌊t/2⌋ of the t−1 records before z_t have the other label.
// No step of any algorithm gains on w = 1, so that at α = c/√n the share of the warm-up
// alone, min(1, 256/c²), remains. Where the random parameters lean towards 1, take the labels
// the other way round.
func randomRegret(p bounds.Pairwise) float64 { return (p.N - 1) * randomGap }

// quarticRegret is the derived bound on the regret of Algorithm 2 at α = n^(−1/4).
func quarticRegret(p bounds.Pairwise) float64 { return p.RegretConvex(math.Pow(p.N, -0.25)) }

// rootRegret and quarticPrinted are eq. (7) for the regularised loss, and what the regulariser costs.
func rootRegret(p bounds.Pairwise) float64 { return printedRegularized(p, 1/math.Sqrt(p.N)) }
func quarticPrinted(p bounds.Pairwise) float64 {
	return printedRegularized(p, math.Pow(p.N, -0.25))
}

func printedRegularized(p bounds.Pairwise, alpha float64) float64 {
	return p.Regularized(alpha).RegretPrinted() + p.N*alpha*p.Diameter*p.Diameter/2
}

// noiseShare sums up E[f(Π(n_t)) − f(0)] for f(w) = w²/2 over [−1, 1], κ = 1, T₁ = 16, G = 1, ε = 1 and
// δ = 10⁻⁵, in closed form; the deviation is that of step 12 with a function of t in the place of t.
func noiseShare(clock func(t float64) float64) verify.Check {
	return mean.Rate{
		Quantity: "Σ E[ℓ(Π(n_t))] − ℓ(0)", Variable: "n", Exact: true, Error: 1e-9,
		Grid: []float64{1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21},
		Run: func(ctx context.Context, _ *rand.Rand, n float64) (float64, error) {
			p := bounds.Pairwise{G: 1, L: 1, Alpha: 1, Diameter: 2, Dim: 1, N: n, Epsilon: 1, Delta: 1e-5, Zeta: 0.5}
			sigma, sum := math.Sqrt(p.NoiseVariancePrinted(1, p.Budget())), 0.0
			for t := 17.0; t <= n; t++ {
				sum += clippedSquare(sigma/clock(t)) / 2
			}
			return sum, ctx.Err()
		},
		Sense: verify.AtMost, Exponent: 0.5,
	}
}

// clippedSquare is E[min(σ²Z², 1)] for a standard normal Z: σ²(1 − 2Q(a) − 2aφ(a)) + 2Q(a), a = 1/σ.
func clippedSquare(sigma float64) float64 {
	a := 1 / sigma
	tail := math.Erfc(a / math.Sqrt2)
	return sigma*sigma*(1-tail-2*a*math.Exp(-a*a/2)/math.Sqrt(2*math.Pi)) + tail
}

// noSteps asks whether T₁ ≥ n always, for α = (share·L)·n^power and L = 4.
func noSteps(share, power float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "least T₁/n", Sense: verify.AtLeast, Domain: "n = 2, 4, …, 2⁶⁰, L = 4", Proof: proof,
		Points: func(add func(formula.Point)) {
			least, where := math.Inf(1), 0.0
			for n := 2.0; n <= 0x1p60; n *= 2 {
				alpha := share * 4 * math.Pow(n, power)
				if r := (bounds.Pairwise{L: 4 + alpha, Alpha: alpha}).WarmupPrinted() / n; tolerance.Above(least, r) {
					least, where = r, n
				}
			}
			add(formula.Point{Place: formula.Placef("α = %gL·n^%g, n=%.4g", share, power, where), Measured: least, Claimed: 1,
				Show: true})
		},
	}
}
