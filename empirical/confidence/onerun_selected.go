package confidence

import (
	"fmt"
	"math"
)

// selectedShare is the share of alpha spent on δ if the number of guesses depends on the output.
const selectedShare = 0.25

// SelectedP returns a p-value of the same hypothesis as [Guesses.EpsilonP], also valid if the number of guesses
// depends on the release. An example is to guess the canaries whose scores exceed a threshold. With w =
// selectedShare it is the larger of
//
//	P(B ≥ c)/(1 − w)  and  mδ·s·P(B ≥ c)/(c·b(c))/w.
//
// Proof. Both terms decrease in c. With k guesses, alpha is therefore refuted at counts of at least some c(k), or
// at none. The proof of EpsilonP chooses U(K, ·) separately for each K, and its step from (K, W) to (K, W + 1)
// keeps K. Hence
//
//	P(W ≥ c(K)) ≤ E[P(B_K ≥ c(K))] + mδ·s·max_k P(B_k ≥ c(k))/(c(k)·b_k(c(k))) ≤ (1 − w)·alpha + w·alpha. ∎
//
// At δ = 0 it equals EpsilonP, which is then valid given K. For δ > 0 neither EpsilonP nor [Guesses.SteinkeP] is
// valid. A mechanism that reveals j coins with probability mδ/j can use a small j if it makes few guesses, and the
// errors add.
func (g Guesses) SelectedP(epsilon, delta float64) float64 {
	pvalue, price := g.epsilonTerms(epsilon, delta)
	if delta > 0 {
		pvalue = math.Max(pvalue/(1-selectedShare), price/selectedShare)
	}
	return math.Min(1, pvalue*roundedUp)
}

// SelectedLower returns the largest ε at which [Guesses.SelectedP] is at most alpha, rounded down, or 0 if there is
// none. It requires 0 ≤ delta ≤ 1 and 0 < alpha < 1, and returns ErrDomain otherwise.
func (g Guesses) SelectedLower(delta, alpha float64) (float64, error) {
	if err := g.check(alpha); err != nil {
		return 0, err
	}
	if !(delta >= 0 && delta <= 1) {
		return 0, fmt.Errorf("delta = %v: need 0 ≤ delta ≤ 1: %w", delta, ErrDomain)
	}
	return largest(maxEpsilon, func(epsilon float64) bool { return g.SelectedP(epsilon, delta) <= alpha }), nil
}
