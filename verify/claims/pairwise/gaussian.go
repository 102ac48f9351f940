package pairwise

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func gaussianClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/def-2", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Definition 2: its σ and its last sentence, for the ε of Theorems 1, 3 and 5, of the experiments, " +
				"and of the practice named below Theorem 1. The definition states no range for ε. Its σ fails from ε = " +
				"6.4 on at δ = 1/40, and from 8.4 on at δ = 10⁻⁵",
			Statement: "the Gaussian mechanism with σ = √(2 ln(1.25/δ)) Δ/ε is (ε, δ)-DP for ε ≤ 1 and every δ in (0, 1), " +
				"and for ε up to 5 with δ ≤ 1/40",
			Check: classical(1),
			Control: verify.Control{Check: classical(math.Sqrt2), Want: checks.Refuted, Fault: "the factor 2 under the " +
				"root left out"},
			Formerly: []string{"pairwise/def-2/corrected", "pairwise/def-2/experiments"},
		},
		{
			ID: "pairwise/lemma-1", Kind: verify.Privacy, Origin: verify.Stated, Place: "Lemma 1",
			Statement: "a ρ₁-zCDP mechanism followed by a ρ₂-zCDP one, which may depend on the first output, is " +
				"(ρ₁+ρ₂)-zCDP. Checked on distributions on three points at six orders α; the proof covers every pair of " +
				"mechanisms",
			Check:   composed(func(a, b float64) float64 { return a + b }),
			Control: checks.Faulty(composed(math.Max), "the larger ρ in place of the sum"),
		},
		{
			ID: "pairwise/lemma-2", Kind: verify.Privacy, Origin: verify.Stated, Place: "Lemma 2",
			Statement: "the Gaussian mechanism with standard deviation σ and ℓ2-sensitivity Δ is Δ²/(2σ²)-zCDP",
			Check:     gaussianRenyi(1),
			Control:   checks.Faulty(gaussianRenyi(0.95), "ρ understated by 5 %"),
		},
		{
			ID: "pairwise/lemma-3", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Lemma 3: judged by the best known conversion for every ρ-zCDP mechanism, which gives a smaller ε at " +
				"each point",
			Statement: "a ρ-zCDP mechanism is (ρ + 2√(ρ log(1/δ)), δ)-DP for 0 < δ < 1",
			Check:     converted(2),
			Control:   checks.Faulty(converted(1.5), "the factor 1.5 in place of 2"),
		},
	}
}

// level is a pair (ε, δ).
type level struct{ epsilon, delta float64 }

// levels yields the pairs of the given ε and δ from almost 0 to almost 1.
func levels(epsilons ...float64) iter.Seq[level] {
	return func(yield func(level) bool) {
		for _, eps := range epsilons {
			for _, delta := range []float64{1e-30, 1e-12, 1e-6, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.999} {
				if !yield(level{eps, delta}) {
					return
				}
			}
		}
	}
}

// between yields a fine geometric grid of ε and δ over a rectangle.
func between(epsilon, delta [2]float64) iter.Seq[level] {
	const steps = 60
	at := func(ends [2]float64, i int) float64 { return ends[0] * math.Pow(ends[1]/ends[0], float64(i)/steps) }
	return func(yield func(level) bool) {
		for i := range steps + 1 {
			for j := range steps + 1 {
				if !yield(level{at(epsilon, i), at(delta, j)}) {
					return
				}
			}
		}
	}
}

// all yields the levels of several grids, one after another.
func all(grids ...iter.Seq[level]) iter.Seq[level] {
	return func(yield func(level) bool) {
		for _, grid := range grids {
			for l := range grid {
				if !yield(l) {
					return
				}
			}
		}
	}
}

// experimentLevels yields the levels of the experiments at every n.
func experimentLevels(yield func(level) bool) {
	for _, eps := range paperEpsilons {
		for n := 40; n <= 350; n++ {
			if !yield(level{eps, 1 / float64(n)}) {
				return
			}
		}
	}
}

// gaussianDelta returns the exact δ of Gaussian noise at μ. Its relative error, that of a logarithm down to −70, is
// at most deltaError.
func gaussianDelta(mu, epsilon float64) float64 {
	return math.Exp(accountant.GDP{Mu: mu}.LogDelta(epsilon))
}

const deltaError = 1e-6

// classical compares the δ of Definition 2 with the exact δ of the Gaussian mechanism whose σ is divided by shrink.
func classical(shrink float64) verify.Check {
	return formula.Check{
		Quantity: "exact δ at ε", Sense: verify.AtMost,
		Domain: "a fine grid, ε from 10⁻⁴ to 1 with δ from 10⁻³⁰ to 0.999 (for ε < 1 the proof is Theorem A.1 of Dwork & " +
			"Roth 2014) and ε from 1 to 5 with δ from 10⁻³⁰ to 1/40; the ε of the experiments with δ = 1/n, n from 40 to " +
			"350",
		Points: func(add func(formula.Point)) {
			for l := range all(levels(0.01, 0.1, 0.5, 1), between([2]float64{1e-4, 1}, [2]float64{1e-30, 0.999}),
				between([2]float64{1, 5}, [2]float64{1e-30, 1.0 / 40}), experimentLevels) {
				mu := shrink * l.epsilon / math.Sqrt(2*math.Log(1.25/l.delta))
				add(formula.Point{
					Place:    formula.Placef("ε=%.4g, δ=%.4g", l.epsilon, l.delta),
					Measured: gaussianDelta(mu, l.epsilon), Claimed: l.delta, Error: deltaError,
					Show: l.delta == 1e-6 || l.delta == 0.01,
				})
			}
		},
	}
}

// renyi returns D_α(P‖Q) of two distributions on the same points.
func renyi(p, q []float64, alpha float64) float64 {
	sum := 0.0
	for i := range p {
		if p[i] > 0 {
			sum += math.Exp(alpha*math.Log(p[i]) + (1-alpha)*math.Log(q[i]))
		}
	}
	return math.Log(sum) / (alpha - 1)
}

var orders = []float64{1.01, 1.5, 2, 4, 16, 64}

// randomPair draws two distributions on three points, and computes the smallest ρ over the orders.
func randomPair(r *rand.Rand) (p, q []float64, rho float64) {
	law := func() []float64 {
		x, sum := make([]float64, 3), 0.0
		for i := range x {
			x[i] = 0.05 + r.Float64()
			sum += x[i]
		}
		for i := range x {
			x[i] /= sum
		}
		return x
	}
	p, q = law(), law()
	for _, alpha := range orders {
		rho = math.Max(rho, renyi(p, q, alpha)/alpha)
	}
	return p, q, rho
}

// composed enumerates the joint distribution of a mechanism and of a second one that depends on its output.
func composed(claimed func(a, b float64) float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("laws")
		return formula.Check{
			Quantity: "D_α/α of the composition", Sense: verify.AtMost,
			Domain: "100 pairs of distributions on three points, a second pair for each, α ∈ {1.01, 1.5, 2, 4, 16, 64}",
			Proof: "Σ_x P^α Q^{1−α} e^{(α−1)D_α(second, given x)} ≤ e^{(α−1)α(ρ₁+ρ₂)}: the integral over the second output " +
				"first",
			Points: func(add func(formula.Point)) {
				for i := range 100 {
					p, q, first := randomPair(r)
					var joint, other []float64
					second := 0.0
					for x := range p {
						p2, q2, rho := randomPair(r)
						second = math.Max(second, rho)
						for y := range p2 {
							joint, other = append(joint, p[x]*p2[y]), append(other, q[x]*q2[y])
						}
					}
					worst := 0.0
					for _, alpha := range orders {
						worst = math.Max(worst, renyi(joint, other, alpha)/alpha)
					}
					add(formula.Point{Place: formula.Placef("pair %d, ρ₁=%.3g, ρ₂=%.3g", i+1, first, second), Measured: worst,
						Claimed: claimed(first, second), Error: 1e-9, Show: i < 5})
				}
			},
		}.Prepare(ctx, s)
	})
}

// gaussianRenyi integrates e^{(α−1)·loss} over N(Δ, σ²) by the trapezoidal rule.
func gaussianRenyi(factor float64) verify.Check {
	return formula.Check{
		Quantity: "D_α of N(Δ, σ²) from N(0, σ²), by quadrature", Sense: verify.AtMost,
		Grid:  formula.Grid{formula.Over("Δ/σ", 1e-3, 0.1, 1, 3), formula.Over("α", orders...)},
		Proof: "D_α = αΔ²/(2σ²), by completing the square; in R^d the difference is a line",
		At: func(at []float64, add func(formula.Point)) {
			// The integrand is φ(z − αμ) e^{α(α−1)μ²/2}; the sum is centered at its peak.
			const h = 0.05
			mu, alpha, sum := at[0], at[1], 0.0
			for k := -400; k <= 400; k++ {
				z := alpha*mu + h*float64(k)
				exponent := -alpha*(z-mu)*(z-mu)/2 - (1-alpha)*z*z/2 - alpha*(alpha-1)*mu*mu/2
				sum += math.Exp(exponent)
			}
			measured := math.Log(sum*h/math.Sqrt(2*math.Pi))/(alpha-1) + alpha*mu*mu/2
			add(formula.Point{Measured: measured, Claimed: factor * alpha * mu * mu / 2, Error: 1e-6, Show: alpha == 2})
		},
	}
}

// converted compares a conversion that is valid for every ρ-zCDP mechanism with Lemma 3.
func converted(factor float64) verify.Check {
	return formula.Check{
		Quantity: "least ε proved for every ρ-zCDP mechanism", Sense: verify.AtMost,
		Grid: formula.Grid{formula.Over("ρ", 1e-6, 1e-3, 0.01, 0.1, 1, 10),
			formula.Over("δ", 1e-30, 1e-12, 1e-6, 1e-3, 0.1, 0.9)},
		Proof: "Bun & Steinke (2016), Proposition 1.3: the conversion at α = 1 + √(log(1/δ)/ρ) is one of those minimized " +
			"over",
		At: func(at []float64, add func(formula.Point)) {
			rho, delta := at[0], at[1]
			epsilon, _ := accountant.Tight.Epsilon(func(beta float64) float64 { return rho * (1 + beta) }, delta)
			add(formula.Point{Measured: epsilon, Claimed: rho + factor*math.Sqrt(rho*-math.Log(delta)), Error: 1e-6,
				Show: delta == 1e-6})
		},
	}
}
