package bounds

import "math"

// Pairwise is an instance of Huai et al. 2020: the constants of the loss over the
// constraint set, and the privacy asked for. All fields are finite and above 0, Alpha ≤ L,
// Delta < 1, N ≥ 3. Where a formula stands under an O(·) in the paper, its constant is taken
// as 1. "Printed" means to the letter; the rest is derived.
type Pairwise struct {
	G, L, Alpha float64 // Lipschitz, smooth, strongly convex
	Diameter    float64 // ‖C‖₂, the largest distance in C
	Dim, N      float64 // d and n
	Epsilon     float64
	Delta       float64
	Zeta        float64 // the statement holds with probability 1 − ζ
}

// Budget is ρ with ρ + 2√(ρ log(1/δ)) = ε: (√(log(1/δ)+ε) − √log(1/δ))² as after
// Theorem 1, expanded so that nothing cancels.
func (p Pairwise) Budget() float64 {
	l := -math.Log(p.Delta)
	return p.Epsilon * p.Epsilon / (p.Epsilon + 2*l + 2*math.Sqrt(l*(l+p.Epsilon)))
}

// BudgetApproximatePrinted is ε²/(4 log(1/δ)), after Theorem 1.
func (p Pairwise) BudgetApproximatePrinted() float64 {
	return p.Epsilon * p.Epsilon / (4 * -math.Log(p.Delta))
}

// WarmupPrinted is T₁ = max(⌈16L²/α²⌉, 7), Algorithm 1, step 2.
func (p Pairwise) WarmupPrinted() float64 {
	kappa := p.L / p.Alpha
	return math.Max(math.Ceil(16*kappa*kappa), 7)
}

// WarmupContraction is ⌈L/α⌉ + 2: η_t(L+α) ≤ 2 for all later t, as t(t−2) ≥ (κ+1)(t−1) is
// t − 1 − 1/(t−1) ≥ κ + 1.
func (p Pairwise) WarmupContraction() float64 { return math.Ceil(p.L/p.Alpha) + 2 }

// StepTimesAlpha is αη_t = 2(t−1)/((t−2)t), Algorithm 1, step 10. t ≥ 3.
func StepTimesAlpha(t float64) float64 { return 2 * (t - 1) / ((t - 2) * t) }

// SensitivityPrinted is 8G/(αt), Lemma 4.
func (p Pairwise) SensitivityPrinted(t float64) float64 { return 8 * p.G / (p.Alpha * t) }

// NoiseVariancePrinted is σ_t² = 32G²(n−T₁)/(α²t²ρ), Algorithm 1, step 12.
func (p Pairwise) NoiseVariancePrinted(t, rho float64) float64 {
	return 32 * p.G * p.G * (p.N - p.WarmupPrinted()) / (p.Alpha * p.Alpha * t * t * rho)
}

// NoiseVarianceApproximatePrinted is 128G²(n−T₁)log(1/δ)/(α²t²ε²), after Theorem 1.
func (p Pairwise) NoiseVarianceApproximatePrinted(t float64) float64 {
	return 128 * p.G * p.G * (p.N - p.WarmupPrinted()) * -math.Log(p.Delta) /
		(p.Alpha * p.Alpha * t * t * p.Epsilon * p.Epsilon)
}

// OfflineSensitivityPrinted is 8G log n/(αn), the sensitivity that the noise of Algorithm
// 3, step 9, is made for.
func (p Pairwise) OfflineSensitivityPrinted() float64 {
	return 8 * p.G * math.Log(p.N) / (p.Alpha * p.N)
}

// OfflineVariancePrinted is 128G² log²n log(1.25/δ)/(α²n²ε²), Algorithm 3, step 9.
func (p Pairwise) OfflineVariancePrinted() float64 {
	l := math.Log(p.N)
	return 128 * p.G * p.G * l * l * math.Log(1.25/p.Delta) / (p.Alpha * p.Alpha * p.N * p.N * p.Epsilon * p.Epsilon)
}

// Stability follows the sensitivity δ_t of Pairwise GIGA, in units of G/α, through the steps
// t = first, …, last, first ≥ 3, when record j of the neighbours differs:
//
//	δ_t ≤ (1 − αη_t)δ_{t−1} + αη_t·2/(t−1) for t > j, and αη_j·2 at t = j,
//
// from 0 before the first step. One of the t − 1 pairs differs after j, all of them at j; two
// gradients differ by at most 2G, and a step on the same convex smooth loss contracts while
// η_t(L+α) ≤ 2. yield may stop it.
func Stability(j, first, last int, yield func(t int, delta float64) bool) {
	delta := 0.0
	for t := first; t <= last; t++ {
		step := StepTimesAlpha(float64(t))
		switch {
		case t == j:
			delta = 2 * step
		case t > j:
			delta = (1-step)*delta + 2*step/float64(t-1)
		}
		if !yield(t, delta) {
			return
		}
	}
}

// confidence is log^1.5(n/ζ)√log(1/δ), a factor of eqs (7), (8), (10), (11).
func (p Pairwise) confidence() float64 {
	return math.Pow(math.Log(p.N/p.Zeta), 1.5) * math.Sqrt(-math.Log(p.Delta))
}

// RegretPrinted is the right side of eq. (7).
func (p Pairwise) RegretPrinted() float64 {
	noise := p.G * p.G * math.Sqrt(p.Dim) * p.confidence() * math.Sqrt(p.N) / (p.Alpha * p.Epsilon)
	return noise + p.G*p.L*p.L/(p.Alpha*p.Alpha)*p.Diameter + p.G*p.G*math.Log(p.N)/p.Alpha
}

// convexFactor is L²G²‖C‖²√d log^1.5(n/ζ)√log(1/δ)/ε of eqs (8), (10) and (11).
func (p Pairwise) convexFactor() float64 {
	c := p.L * p.G * p.Diameter
	return c * c * math.Sqrt(p.Dim) * p.confidence() / p.Epsilon
}

// RegretConvexPrinted is the right side of eq. (8).
func (p Pairwise) RegretConvexPrinted() float64 { return p.convexFactor() * math.Pow(p.N, 0.75) }

// ErrorConvexPrinted is the second term of eq. (10).
func (p Pairwise) ErrorConvexPrinted() float64 { return p.convexFactor() / math.Sqrt(math.Sqrt(p.N)) }

// ErrorPrinted is the second term of eq. (11).
func (p Pairwise) ErrorPrinted() float64 {
	return p.convexFactor() / (p.Alpha * p.Alpha * math.Sqrt(p.N))
}

// OfflinePrinted is the first term of eq. (12).
func (p Pairwise) OfflinePrinted() float64 {
	return math.Sqrt(p.Dim) * p.G * p.G * p.Diameter * math.Log(p.N/p.Zeta) * math.Sqrt(-math.Log(p.Delta)) /
		(p.Alpha * p.N * p.Epsilon)
}

// OfflineConvexPrinted is the first term of eq. (13).
func (p Pairwise) OfflineConvexPrinted() float64 {
	return math.Sqrt(p.Dim) * p.G * p.G * p.Diameter * p.Diameter * math.Log(p.N/p.Zeta) * math.Sqrt(-math.Log(p.Delta)) *
		math.Log(p.N) / (math.Sqrt(p.N) * p.Epsilon)
}

// Rademacher bounds (1/n) Σ R_t of a class that is G-Lipschitz in w with values through
// one inner product: R_t ≤ G‖C‖/√t, summed to 2G‖C‖/√n.
func (p Pairwise) Rademacher() float64 { return 2 * p.G * p.Diameter / math.Sqrt(p.N) }

// steps is the number of steps, n − T₁, or 0.
func (p Pairwise) steps(warmup float64) float64 { return math.Max(0, p.N-warmup) }

// PlainRegret bounds the regret of Pairwise GIGA, T₁ parameters at random:
//
//	T₁G‖C‖ + ‖C‖²/(2η_{T₁+1}) + (G²/2)Σ η_t
//
// by the usual argument for strongly convex losses, 1/η_t − 1/η_{t−1} ≤ α; with
// Σ αη_t ≤ 2T₁/(T₁−1) · log(n/T₁). T₁ ≥ 3.
func (p Pairwise) PlainRegret(warmup float64) float64 {
	sum := math.Min(warmup, p.N) * p.G * p.Diameter
	if p.steps(warmup) == 0 {
		return sum
	}
	sum += p.Diameter * p.Diameter * p.Alpha / (2 * StepTimesAlpha(warmup+1))
	return sum + p.G*p.G/p.Alpha*warmup/(warmup-1)*math.Log(p.N/warmup)
}

// Regret bounds the regret of Algorithm 1 with probability 1 − ζ where the noise is not
// fed back: PlainRegret and G Σ‖n_t‖, ‖n_t‖ ≤ σ_t(√d + √(2 log(n/ζ))) for all t.
func (p Pairwise) Regret() float64 {
	warmup := p.WarmupPrinted()
	sum := p.PlainRegret(warmup)
	if p.steps(warmup) == 0 {
		return sum
	}
	tail := math.Sqrt(p.Dim) + math.Sqrt(2*math.Log(p.N/p.Zeta))
	return sum + p.G*tail*math.Sqrt(p.NoiseVariancePrinted(1, p.Budget()))*math.Log(p.N/warmup)
}

// RegretFedBackAtLeast is a lower bound on the mean regret of Algorithm 1 with the noise fed
// back, for d = 1, C = [−R, R], ℓ = (α/2)w², ρ ≤ 5 and n ≥ 2T₁: (n−T₁)αR²/(2π²).
//
// With k_t = π²σ_t²/(2R²), E cos(πw_t/R) ≤ e^{−k_t}(E cos(πw_{t−1}/R) + παη_t), for clipping
// only lowers the cosine, and G ≥ αR makes k_t ≥ 8π²/(ρt) > 2παη_t, so that
// E cos(πw_t/R) ≤ ½ from one step to the next, from 0 at the start; and
// w² ≥ (2R²/π²)(1 − cos(πw/R)).
func (p Pairwise) RegretFedBackAtLeast() float64 {
	radius := p.Diameter / 2
	return (p.N - p.WarmupPrinted()) * p.Alpha * radius * radius / (2 * math.Pi * math.Pi)
}

// FedBackVariance is σ_t² = 32G²/(α²t²ρ): step 12 without the factor n − T₁.
func (p Pairwise) FedBackVariance(t, rho float64) float64 {
	return 32 * p.G * p.G / (p.Alpha * p.Alpha * t * t * rho)
}

// RegretFedBack bounds the mean regret of Algorithm 1 with the noise of FedBackVariance
// fed back: PlainRegret and Σ dσ_t²/(2η_t), the noise being of mean zero given the past.
func (p Pairwise) RegretFedBack() float64 {
	warmup := p.WarmupPrinted()
	sum := p.PlainRegret(warmup)
	if p.steps(warmup) == 0 {
		return sum
	}
	return sum + p.Dim*p.Alpha/4*p.FedBackVariance(1, p.Budget())*math.Log(p.N/warmup)
}

// Regularized is the instance of Algorithms 2 and 4 with the regulariser α below it, by
// their step 4.
func (p Pairwise) Regularized(alpha float64) Pairwise {
	p.G, p.L, p.Alpha = p.G+alpha*p.Diameter, p.L+alpha, alpha
	return p
}

// RegretConvex bounds the regret of Algorithm 2 at α for the loss without the
// regulariser: that of Algorithm 1 and nα‖C‖²/2.
func (p Pairwise) RegretConvex(alpha float64) float64 {
	return p.Regularized(alpha).Regret() + p.N*alpha*p.Diameter*p.Diameter/2
}

// Offline bounds the error of Algorithm 3 as far as it is due to warm-up, steps and noise:
// PlainRegret/n and Gσ(√d + √(2 log(n/ζ))).
func (p Pairwise) Offline() float64 {
	tail := math.Sqrt(p.Dim) + math.Sqrt(2*math.Log(p.N/p.Zeta))
	return p.PlainRegret(p.WarmupPrinted())/p.N + p.G*tail*math.Sqrt(p.OfflineVariancePrinted())
}

// OfflineConvex is Offline for Algorithm 4 at α, with α‖C‖²/2.
func (p Pairwise) OfflineConvex(alpha float64) float64 {
	return p.Regularized(alpha).Offline() + alpha*p.Diameter*p.Diameter/2
}
