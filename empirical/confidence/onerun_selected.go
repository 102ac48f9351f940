package confidence

import (
	"fmt"
	"math"
)

// selectedShare is the part of alpha that pays for δ where the number of guesses follows from the output.
const selectedShare = 0.25

// SelectedP is a p-value as [Guesses.EpsilonP] is, where the number of guesses, too, may be any function of all
// that the mechanism released: as where those canaries are guessed whose scores exceed a threshold. With w =
// selectedShare it is the larger of
//
//	P(B ≥ c)/(1 − w)  and  mδ·s·P(B ≥ c)/(c·b(c))/w.
//
// Proof. Both fall in c, so that of k guesses so many refute at alpha as reach some c(k), or none do. The proof of
// EpsilonP has its U(K, ·) for each number K by itself, and its step from (K, W) to (K, W + 1) keeps K: hence
//
//	P(W ≥ c(K)) ≤ E[P(B_K ≥ c(K))] + mδ·s·max_k P(B_k ≥ c(k))/(c(k)·b_k(c(k))) ≤ (1 − w)·alpha + w·alpha. ∎
//
// At δ = 0 it is EpsilonP, which is then right given K. For δ > 0 neither that nor [Guesses.SteinkeP] is: a mechanism
// that with probability mδ/j shows j coins spends on few guesses what many do not cost, and adds the two errors.
func (g Guesses) SelectedP(epsilon, delta float64) float64 {
	least, price := g.epsilonTerms(epsilon, delta)
	if delta > 0 {
		least = math.Max(least/(1-selectedShare), price/selectedShare)
	}
	return math.Min(1, least*roundedUp)
}

// SelectedLower is the largest ε at which [Guesses.SelectedP] is at most alpha, rounded down; 0 where there is none.
func (g Guesses) SelectedLower(delta, alpha float64) (float64, error) {
	if err := g.check(alpha); err != nil {
		return 0, err
	}
	if !(delta >= 0 && delta <= 1) {
		return 0, fmt.Errorf("delta = %v: need 0 ≤ delta ≤ 1: %w", delta, ErrDomain)
	}
	return largest(mostEpsilon, func(epsilon float64) bool { return g.SelectedP(epsilon, delta) <= alpha }), nil
}
