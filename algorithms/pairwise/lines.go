package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Warmup selects T₁, the number of random parameters before the first step. A run on n records has min(T₁, n) of
// them and n - T₁ steps if that is positive.
type Warmup int

const (
	// WarmupPaper is T₁ = max(⌈16L²/α²⌉, 7), step 2 of Algorithm 1. It is the default. As L ≥ α it is at least 16.
	// With λ = 1e-3 and rows of norm 1 it is 2.6e8, so a run takes no step.
	WarmupPaper Warmup = iota
	// WarmupContraction is T₁ = ⌈L/α⌉ + 2. From t = T₁ + 1 on, η_t(L+α) ≤ 2, and a step on the same data contracts
	// by 1 - η_tα. The sensitivity bound needs only this.
	WarmupContraction
	// WarmupNone is T₁ = 2, the smallest value for which step 10 is defined (t - 2 > 0). The paper's argument then
	// does not bound the sensitivity.
	WarmupNone
)

// WarmupSteps returns T₁, at most math.MaxInt32. It requires finite 0 < alpha ≤ l.
func WarmupSteps(w Warmup, l, alpha float64) int {
	kappa := l / alpha
	switch w {
	case WarmupContraction:
		return int(math.Min(math.Ceil(kappa)+2, math.MaxInt32))
	case WarmupNone:
		return 2
	default:
		return int(math.Min(math.Max(math.Ceil(16*kappa*kappa), 7), math.MaxInt32))
	}
}

// Draw selects how the warm-up chooses its parameters (step 6: "randomly").
type Draw int

const (
	// DrawEach draws every w_t independently and uniformly from the ball of the set's radius and projects it onto
	// the set. If the set is a ball, w_t is uniform on it. This is the default.
	DrawEach Draw = iota
	// DrawOnce draws w_1 in this way and keeps it for the whole warm-up.
	DrawOnce
)

// Feedback selects the w_{t-1} from which step 11 starts. Step 13 gives the name w_t, which step 11 uses, to the
// noisy output.
type Feedback int

const (
	// FeedbackOutput starts from the noisy output, the literal reading. This is the default.
	FeedbackOutput Feedback = iota
	// FeedbackNone starts from the w_t of step 11. The iterates are then those of Pairwise GIGA, the algorithm in
	// Lemma 4, and the outputs are these iterates with noise.
	FeedbackNone
)

// Options are the choices that the paper leaves open. The zero value is the literal reading.
type Options struct {
	Warmup   Warmup
	Draw     Draw
	Feedback Feedback // used only by the online algorithms; the others add noise only at the end
	// Center is w₀ of Algorithms 2 and 4, a member of the set. If it is nil, w₀ is drawn as in the warm-up:
	// Algorithm 2 selects it at random, and Algorithm 4 takes any point. With a large α a run stays close to w₀.
	// The algorithms for strongly convex losses use the problem's own center.
	Center []float64

	// Each, unless nil, is called with every output w_t, t = 1, …, n. w is read-only and valid only during the
	// call. Offline runs call it with their iterates, which are not private.
	Each func(t int, w []float64)
	// Penalties requests the sum of the penalties, which takes a second pass over the pairs.
	Penalties bool

	// Watch, unless nil, observes every draw. Each noise call states Sensitivity(t) as its ℓ2 sensitivity, where t
	// is the step, or n for an offline run.
	Watch       primitive.Watch
	Sensitivity func(t int) float64
}

// Privacy is the intended guarantee.
type Privacy struct {
	Epsilon float64 // finite and > 0; the theorems assume at most 1
	Delta   float64 // in (0, 1]
}

func (v Privacy) check() error {
	if err := domain.Positive("pairwise", "epsilon", v.Epsilon); err != nil {
		return err
	}
	if !(v.Delta > 0 && v.Delta <= 1) {
		return domain.Error("pairwise", "delta", v.Delta, "in (0, 1]")
	}
	return nil
}

// Budget returns the ρ ≥ 0 with ρ + 2√(ρ log(1/δ)) = ε, step 3 of Algorithm 1. It computes (ε/(√(log(1/δ)+ε) +
// √log(1/δ)))² to avoid cancellation. It requires epsilon > 0 and delta in (0, 1].
func Budget(epsilon, delta float64) float64 {
	l := -math.Log(delta)
	root := epsilon / (math.Sqrt(l+epsilon) + math.Sqrt(l))
	return root * root
}

// StepSize returns η_t = (t-1)/(t-2) · 2/(αt), step 10 of Algorithm 1 and step 5 of Algorithm 3. It requires t ≥ 3
// and alpha > 0.
func StepSize(alpha float64, t int) float64 {
	return float64(t-1) / float64(t-2) * 2 / (alpha * float64(t))
}

// OnlineStdDev returns σ_t = √(32G²(n-T₁)/(α²t²ρ)), step 12 of Algorithm 1. It requires n > T₁ and t > T₁.
func OnlineStdDev(g, alpha, rho float64, t, n, warmup int) float64 {
	return g / (alpha * float64(t)) * math.Sqrt(32*float64(n-warmup)/rho)
}

// OfflineStdDev returns √(128G² log²n log(1.25/δ)/(α²n²ε²)), step 9 of Algorithm 3. It is 0 for n = 1, as in the
// paper.
func OfflineStdDev(g, alpha, epsilon, delta float64, n int) float64 {
	return g * math.Log(float64(n)) / (alpha * float64(n) * epsilon) * math.Sqrt(128*math.Log(1.25/delta))
}
