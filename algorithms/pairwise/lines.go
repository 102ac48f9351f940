package pairwise

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Warmup says how many random parameters come before the first step: T₁. Whatever it is,
// a run on n records has min(T₁, n), and n - T₁ steps if that is positive.
type Warmup int

const (
	// WarmupPaper is T₁ = max(⌈16L²/α²⌉, 7), step 2 of Algorithm 1. The default. As L ≥ α
	// it is at least 16. With λ = 1e-3 and rows of norm 1 it is 2.6e8: no step is taken.
	WarmupPaper Warmup = iota
	// WarmupContraction is T₁ = ⌈L/α⌉ + 2: from t = T₁ + 1 on, η_t(L+α) ≤ 2, and a step on
	// the same data contracts by 1 - η_tα, which is all that the bound on the
	// sensitivity needs.
	WarmupContraction
	// WarmupNone is T₁ = 2, the least for which step 10 has a value (t - 2 > 0). Nothing
	// bounds the sensitivity by the paper's argument then.
	WarmupNone
)

// WarmupSteps returns T₁, at most math.MaxInt32. It needs 0 < alpha ≤ l, finite.
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

// Draw says how the parameters of the warm-up are chosen (step 6: "randomly").
type Draw int

const (
	// DrawEach draws every w_t anew, uniformly from the ball of the set's radius, and
	// projects it to the set: uniform where the set is a ball. The default.
	DrawEach Draw = iota
	// DrawOnce draws w_1 so and keeps it for the whole warm-up.
	DrawOnce
)

// Feedback says which w_{t-1} step 11 starts from: step 13 gives the name w_t, which
// step 11 uses, to the noisy output.
type Feedback int

const (
	// FeedbackOutput starts from the noisy output, as the names have it read literally.
	// The default.
	FeedbackOutput Feedback = iota
	// FeedbackNone starts from the w_t of step 11 itself: the run beneath is Pairwise GIGA, the
	// algorithm that Lemma 4 speaks of, and the outputs are its perturbed iterates.
	FeedbackNone
)

// Options are the choices that the paper leaves open. The zero value is its literal
// reading.
type Options struct {
	Warmup   Warmup
	Draw     Draw
	Feedback Feedback // of the online learners; the others add no noise on the way
	// Center is w₀ of Algorithms 2 and 4, a member of the set. Nil draws it as the warm-up
	// draws: Algorithm 2 selects it at random, Algorithm 4 takes any point. With a large α a run
	// hardly leaves it. The learners for strongly convex losses take the problem's own.
	Center []float64

	// Each, unless nil, is called with every output w_t, t = 1, …, n; w is read
	// only, and good during the call alone. Offline runs, whose iterates are not
	// private, show theirs.
	Each func(t int, w []float64)
	// Penalties asks for the sum of the penalties, at the price of a second pass over
	// the pairs.
	Penalties bool

	// Watch, unless nil, sees every draw, as one by which vectors of this ℓ2 sensitivity, of step t, or n offline, are
	// released.
	Watch       primitive.Watch
	Sensitivity func(t int) float64
}

// Privacy is the guarantee aimed at.
type Privacy struct {
	Epsilon float64 // > 0, finite; the theorems ask for at most 1
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

// Budget returns the ρ ≥ 0 with ρ + 2√(ρ log(1/δ)) = ε, step 3 of Algorithm 1, written as
// (ε/(√(log(1/δ)+ε) + √log(1/δ)))², which does not cancel. epsilon > 0, delta in (0, 1].
func Budget(epsilon, delta float64) float64 {
	l := -math.Log(delta)
	root := epsilon / (math.Sqrt(l+epsilon) + math.Sqrt(l))
	return root * root
}

// StepSize returns η_t = (t-1)/(t-2) · 2/(αt), step 10 of Algorithm 1 and step 5 of Algorithm 3.
// t ≥ 3, alpha > 0.
func StepSize(alpha float64, t int) float64 {
	return float64(t-1) / float64(t-2) * 2 / (alpha * float64(t))
}

// OnlineStdDev returns σ_t = √(32G²(n-T₁)/(α²t²ρ)), step 12 of Algorithm 1.
// n > T₁, t > T₁.
func OnlineStdDev(g, alpha, rho float64, t, n, warmup int) float64 {
	return g / (alpha * float64(t)) * math.Sqrt(32*float64(n-warmup)/rho)
}

// OfflineStdDev returns √(128G² log²n log(1.25/δ)/(α²n²ε²)), step 9 of Algorithm 3; 0 for
// n = 1, as the paper has it.
func OfflineStdDev(g, alpha, epsilon, delta float64, n int) float64 {
	return g * math.Log(float64(n)) / (alpha * float64(n) * epsilon) * math.Sqrt(128*math.Log(1.25/delta))
}
