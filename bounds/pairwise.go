package bounds

import "math"

// Pairwise is an instance of Huai et al. 2020: the constants of the loss over the constraint set, and the privacy
// parameters. All fields are finite and above 0, Alpha ≤ L, Delta < 1, N ≥ 3. The constant of an O(·) in the paper is
// taken as 1. Methods whose names end in Printed have the formulas of the paper verbatim. The others are derived.
type Pairwise struct {
	G, L, Alpha float64 // Lipschitz, smooth, strongly convex
	Diameter    float64 // ‖C‖₂, the largest distance in C
	Dim, N      float64 // d and n
	Epsilon     float64
	Delta       float64
	Zeta        float64 // the statement holds with probability 1 − ζ
}

// Budget returns the ρ with ρ + 2√(ρ log(1/δ)) = ε. It is (√(log(1/δ)+ε) − √log(1/δ))² as after Theorem 1, in a form
// without cancellation.
func (p Pairwise) Budget() float64 {
	l := -math.Log(p.Delta)
	return p.Epsilon * p.Epsilon / (p.Epsilon + 2*l + 2*math.Sqrt(l*(l+p.Epsilon)))
}

// BudgetApproximatePrinted returns ε²/(4 log(1/δ)), after Theorem 1.
func (p Pairwise) BudgetApproximatePrinted() float64 {
	return p.Epsilon * p.Epsilon / (4 * -math.Log(p.Delta))
}

// WarmupPrinted returns T₁ = max(⌈16L²/α²⌉, 7), Algorithm 1, step 2.
func (p Pairwise) WarmupPrinted() float64 {
	kappa := p.L / p.Alpha
	return math.Max(math.Ceil(16*kappa*kappa), 7)
}

// WarmupContraction returns ⌈L/α⌉ + 2. For all later t, η_t(L+α) ≤ 2, because t(t−2) ≥ (κ+1)(t−1) is equivalent to
// t − 1 − 1/(t−1) ≥ κ + 1, where κ = L/α.
func (p Pairwise) WarmupContraction() float64 { return math.Ceil(p.L/p.Alpha) + 2 }

// StepTimesAlpha returns αη_t = 2(t−1)/((t−2)t), Algorithm 1, step 10. t ≥ 3.
func StepTimesAlpha(t float64) float64 { return 2 * (t - 1) / ((t - 2) * t) }

// SensitivityPrinted returns 8G/(αt), Lemma 4.
func (p Pairwise) SensitivityPrinted(t float64) float64 { return 8 * p.G / (p.Alpha * t) }

// NoiseVariancePrinted returns σ_t² = 32G²(n−T₁)/(α²t²ρ), Algorithm 1, step 12.
func (p Pairwise) NoiseVariancePrinted(t, rho float64) float64 {
	return 32 * p.G * p.G * (p.N - p.WarmupPrinted()) / (p.Alpha * p.Alpha * t * t * rho)
}

// NoiseVarianceApproximatePrinted returns 128G²(n−T₁)log(1/δ)/(α²t²ε²), after Theorem 1.
func (p Pairwise) NoiseVarianceApproximatePrinted(t float64) float64 {
	return 128 * p.G * p.G * (p.N - p.WarmupPrinted()) * -math.Log(p.Delta) /
		(p.Alpha * p.Alpha * t * t * p.Epsilon * p.Epsilon)
}

// OfflineSensitivityPrinted returns 8G log n/(αn), the sensitivity to which Algorithm 3, step 9, calibrates its
// noise.
func (p Pairwise) OfflineSensitivityPrinted() float64 {
	return 8 * p.G * math.Log(p.N) / (p.Alpha * p.N)
}

// OfflineVariancePrinted returns 128G² log²n log(1.25/δ)/(α²n²ε²), Algorithm 3, step 9.
func (p Pairwise) OfflineVariancePrinted() float64 {
	l := math.Log(p.N)
	return 128 * p.G * p.G * l * l * math.Log(1.25/p.Delta) / (p.Alpha * p.Alpha * p.N * p.N * p.Epsilon * p.Epsilon)
}

// Stability yields the sensitivity δ_t of Pairwise GIGA, in units of G/α, for the steps t = first, …, last, first ≥
// 3, if the neighbors differ in record j:
//
//	δ_t ≤ (1 − αη_t)δ_{t−1} + αη_t·2/(t−1) for t > j, and αη_j·2 at t = j,
//
// starting from 0. After step j one of the t − 1 pairs differs, and in step j all pairs differ. Two gradients differ
// by at most 2G, and a step on the same convex smooth loss contracts if η_t(L+α) ≤ 2. Stability stops when yield
// returns false.
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

// confidence returns log^1.5(n/ζ)√log(1/δ), a factor of eqs (7), (8), (10), (11).
func (p Pairwise) confidence() float64 {
	return math.Pow(math.Log(p.N/p.Zeta), 1.5) * math.Sqrt(-math.Log(p.Delta))
}

// RegretPrinted returns the right side of eq. (7).
func (p Pairwise) RegretPrinted() float64 {
	noise := p.G * p.G * math.Sqrt(p.Dim) * p.confidence() * math.Sqrt(p.N) / (p.Alpha * p.Epsilon)
	return noise + p.G*p.L*p.L/(p.Alpha*p.Alpha)*p.Diameter + p.G*p.G*math.Log(p.N)/p.Alpha
}

// convexFactor returns L²G²‖C‖²√d log^1.5(n/ζ)√log(1/δ)/ε of eqs (8), (10) and (11).
func (p Pairwise) convexFactor() float64 {
	c := p.L * p.G * p.Diameter
	return c * c * math.Sqrt(p.Dim) * p.confidence() / p.Epsilon
}

// RegretConvexPrinted returns the right side of eq. (8).
func (p Pairwise) RegretConvexPrinted() float64 { return p.convexFactor() * math.Pow(p.N, 0.75) }

// ErrorConvexPrinted returns the second term of eq. (10).
func (p Pairwise) ErrorConvexPrinted() float64 { return p.convexFactor() / math.Sqrt(math.Sqrt(p.N)) }

// ErrorPrinted returns the second term of eq. (11).
func (p Pairwise) ErrorPrinted() float64 {
	return p.convexFactor() / (p.Alpha * p.Alpha * math.Sqrt(p.N))
}

// OfflinePrinted returns the first term of eq. (12).
func (p Pairwise) OfflinePrinted() float64 {
	return math.Sqrt(p.Dim) * p.G * p.G * p.Diameter * math.Log(p.N/p.Zeta) * math.Sqrt(-math.Log(p.Delta)) /
		(p.Alpha * p.N * p.Epsilon)
}

// OfflineConvexPrinted returns the first term of eq. (13).
func (p Pairwise) OfflineConvexPrinted() float64 {
	return math.Sqrt(p.Dim) * p.G * p.G * p.Diameter * p.Diameter * math.Log(p.N/p.Zeta) * math.Sqrt(-math.Log(p.Delta)) *
		math.Log(p.N) / (math.Sqrt(p.N) * p.Epsilon)
}

// Rademacher returns 2G‖C‖/√n, a bound on (1/n) Σ R_t for a class that is G-Lipschitz in w and depends on it through
// one inner product, because R_t ≤ G‖C‖/√t.
func (p Pairwise) Rademacher() float64 { return 2 * p.G * p.Diameter / math.Sqrt(p.N) }

// steps returns the number of steps after the warm-up, max(0, n − T₁).
func (p Pairwise) steps(warmup float64) float64 { return math.Max(0, p.N-warmup) }

// PlainRegret bounds the regret of Pairwise GIGA without noise, whose first T₁ parameters are random, by
//
//	T₁G‖C‖ + ‖C‖²/(2η_{T₁+1}) + (G²/2)Σ η_t
//
// The proof is the usual one for strongly convex losses with 1/η_t − 1/η_{t−1} ≤ α and Σ αη_t ≤ 2T₁/(T₁−1) ·
// log(n/T₁). T₁ = warmup ≥ 3.
func (p Pairwise) PlainRegret(warmup float64) float64 {
	sum := math.Min(warmup, p.N) * p.G * p.Diameter
	if p.steps(warmup) == 0 {
		return sum
	}
	sum += p.Diameter * p.Diameter * p.Alpha / (2 * StepTimesAlpha(warmup+1))
	return sum + p.G*p.G/p.Alpha*warmup/(warmup-1)*math.Log(p.N/warmup)
}

// Regret bounds, with probability 1 − ζ, the regret of Algorithm 1 if the noise is not fed back. It is the sum of
// PlainRegret and a bound on G Σ‖n_t‖, where ‖n_t‖ ≤ σ_t(√d + √(2 log(n/ζ))) for all t.
func (p Pairwise) Regret() float64 {
	warmup := p.WarmupPrinted()
	sum := p.PlainRegret(warmup)
	if p.steps(warmup) == 0 {
		return sum
	}
	tail := math.Sqrt(p.Dim) + math.Sqrt(2*math.Log(p.N/p.Zeta))
	return sum + p.G*tail*math.Sqrt(p.NoiseVariancePrinted(1, p.Budget()))*math.Log(p.N/warmup)
}

// RegretFedBackAtLeast returns (n−T₁)αR²/(2π²), a lower bound on the mean regret of Algorithm 1 with the noise fed
// back, for d = 1, C = [−R, R], ℓ = (α/2)w², ρ ≤ 5 and n ≥ 2T₁.
//
// Let k_t = π²σ_t²/(2R²). Then E cos(πw_t/R) ≤ e^{−k_t}(E cos(πw_{t−1}/R) + παη_t), because clipping only lowers the
// cosine. G ≥ αR implies k_t ≥ 8π²/(ρt) > 2παη_t. By induction from the initial value 0, E cos(πw_t/R) ≤ ½ in every
// step. The bound follows from w² ≥ (2R²/π²)(1 − cos(πw/R)).
func (p Pairwise) RegretFedBackAtLeast() float64 {
	radius := p.Diameter / 2
	return (p.N - p.WarmupPrinted()) * p.Alpha * radius * radius / (2 * math.Pi * math.Pi)
}

// FedBackVariance returns σ_t² = 32G²/(α²t²ρ), step 12 without the factor n − T₁.
func (p Pairwise) FedBackVariance(t, rho float64) float64 {
	return 32 * p.G * p.G / (p.Alpha * p.Alpha * t * t * rho)
}

// RegretFedBack bounds the mean regret of Algorithm 1 with the noise of FedBackVariance fed back. It is the sum of
// PlainRegret and Σ dσ_t²/(2η_t), because the noise has conditional mean 0 given the past.
func (p Pairwise) RegretFedBack() float64 {
	warmup := p.WarmupPrinted()
	sum := p.PlainRegret(warmup)
	if p.steps(warmup) == 0 {
		return sum
	}
	return sum + p.Dim*p.Alpha/4*p.FedBackVariance(1, p.Budget())*math.Log(p.N/warmup)
}

// Regularized returns the instance with the regularizer α of Algorithms 2 and 4. Its constants are those of their
// step 4.
func (p Pairwise) Regularized(alpha float64) Pairwise {
	p.G, p.L, p.Alpha = p.G+alpha*p.Diameter, p.L+alpha, alpha
	return p
}

// RegretConvex bounds the regret of Algorithm 2 at α for the loss without the regularizer, by the sum of the regret
// of Algorithm 1 and nα‖C‖²/2.
func (p Pairwise) RegretConvex(alpha float64) float64 {
	return p.Regularized(alpha).Regret() + p.N*alpha*p.Diameter*p.Diameter/2
}

// Offline bounds the error of Algorithm 3 that is due to warm-up, steps and noise, by the sum of PlainRegret/n and
// Gσ(√d + √(2 log(n/ζ))).
func (p Pairwise) Offline() float64 {
	tail := math.Sqrt(p.Dim) + math.Sqrt(2*math.Log(p.N/p.Zeta))
	return p.PlainRegret(p.WarmupPrinted())/p.N + p.G*tail*math.Sqrt(p.OfflineVariancePrinted())
}

// OfflineConvex bounds the same error of Algorithm 4 at α, by the sum of Offline and α‖C‖²/2.
func (p Pairwise) OfflineConvex(alpha float64) float64 {
	return p.Regularized(alpha).Offline() + alpha*p.Diameter*p.Diameter/2
}
