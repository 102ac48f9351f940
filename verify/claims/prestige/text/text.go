// Package text is the ledger of what the prose of Han et al. 2018 says of noise, of privacy levels and of
// rates, outside its theorems, their proofs and its tables.
//
//	noise.go  label noise, the probability of Q = 1, the domain of ε_r and ε_s
//	rates.go  Remark 5, the ball of Corollary 1, point 1) on mini-batches
//
// # Readings
//
//   - label-noise: that a reversed gradient is the gradient under the other label.
//   - alg-1/angle/budget: a "large probability" is nine in ten.
//   - budget/per-update: the budget as ε of one update, which the input of Algorithm 1 rules out.
//   - remark-5/price: the price of privacy is the quotient of two bounds of eq. (29).
//   - remark-5/minimax: a minimax rate is a bound from below, with its constant.
//   - mini-batch/rate: the rate of convergence is the bound of eq. (29) after the same number of records.
package text

import (
	"slices"

	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
)

// Claims returns the claims in the paper's order.
func Claims() []verify.Claim { return slices.Concat(noiseClaims(), rateClaims()) }

// shares divides ε of one update between label and gradient.
func shares(epsilon float64) (label, gradient float64) {
	return paper.PrestigeLabelShare * epsilon, (1 - paper.PrestigeLabelShare) * epsilon
}

func largest() float64 { return slices.Max(paper.PrestigeBudgets) }
