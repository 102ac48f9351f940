package accountant

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
	"github.com/dpverify/dpverify/internal/tolerance"
)

// VotesEpsilon returns the data-dependent ε at delta of PATE's answers to queries with the given votes, rounded up.
// Each row of counts holds the number of votes for each class in one query. The event one is a NoisyArgmax or a
// LaplaceArgmax: it adds noise to the counts and answers with the largest. The queries must not depend on the answers.
//
// The value is an upper bound for the data set with these votes and each of its neighbors, in both orders. It depends
// on the private votes. So it is not a guarantee for other data sets, and its publication reveals something about the
// votes. It must not be part of a bracket or a verdict. The domain is at least two classes, whole numbers of votes in
// [0, 2^53], and delta in [0, 1]. The value is +Inf at delta = 0. Errors wrap [event.ErrDomain].
//
// The method renyiCurve.votes extends the bound of Papernot et al. (2018), Theorem 6, to both orders of the neighbors.
func VotesEpsilon(one event.Event, adj event.Adjacency, counts [][]float64, delta float64) (float64, error) {
	if one.Kind != event.KindNoisyArgmax && one.Kind != event.KindLaplaceArgmax {
		return 0, event.DomainError("votes of %s: want noisy-argmax or laplace-argmax", one)
	}
	if !(delta >= 0 && delta <= 1) {
		return 0, event.DomainError("δ is %v, it must be in [0, 1]", delta)
	}
	if err := validVotes(counts); err != nil {
		return 0, err
	}
	curve, err := renyiPoints(one, adj)
	if err != nil {
		return 0, err
	}
	total := make([]float64, len(curve))
	for _, votes := range counts {
		for i, r := range curve.votes(unlikely(one, votes)) {
			total[i] += r
		}
	}
	epsilon := math.Inf(1)
	for i, at := range curve {
		sum := total[i] * (1 + 2*unit*float64(len(counts)))
		epsilon = math.Min(epsilon, Tight.epsilonAt(at.beta, sum, math.Log(delta)))
	}
	return epsilon, nil
}

// validVotes returns an error for the first invalid row.
func validVotes(counts [][]float64) error {
	if len(counts) == 0 {
		return event.DomainError("votes: there is no query, want at least one")
	}
	for i, votes := range counts {
		if len(votes) < 2 || len(votes) != len(counts[0]) {
			return event.DomainError("votes: query %d has %d classes, it must have 2 or more, as many as the first query",
				i+1, len(votes))
		}
		for _, n := range votes {
			if !(n >= 0 && n <= 1<<53 && n == math.Trunc(n)) {
				return event.DomainError("votes: query %d has %v votes, it must be a whole number from 0 to 2^53", i+1, n)
			}
		}
	}
	return nil
}

// unlikely returns log u, where u is an upper bound for the probability that the answer is not the class with the most
// votes. The bound holds for these votes and for the votes of each neighbor. For given votes, u is a sum over the other
// classes. Each term is the probability that this class gets more noisy votes than the first one (Papernot et al. 2018,
// Proposition 7). The worst neighbor moves one vote from the first class to another.
func unlikely(one event.Event, votes []float64) float64 {
	tail := func(gap float64) float64 { return numeric.LogPhi(-gap / (math.Sqrt2 * one.A)) }
	if one.Kind == event.KindLaplaceArgmax {
		tail = func(gap float64) float64 { // tail of the difference of two Laplace variables, see laplaceArgmax
			if gap < 0 {
				return 0
			}
			x := gap / one.A
			return math.Log1p(x/2) - x - math.Ln2
		}
	}
	top, worst := slices.Index(votes, slices.Max(votes)), math.Inf(-1)
	for to := range votes {
		sum := math.Inf(-1)
		for class, n := range votes {
			gap := votes[top] - 1 - n
			if class == to {
				gap--
			}
			if class != top {
				sum = numeric.LogAddExp(sum, tail(gap))
			}
		}
		worst = math.Max(worst, sum)
	}
	return math.Min(0, math.Max(-1e6, worst+1e-12*(1-worst)))
}

// A renyiPoint is an upper bound r of the Rényi divergence of order 1 + beta.
type renyiPoint struct{ beta, r float64 }

// renyiCurve contains points in ascending order of beta.
type renyiCurve []renyiPoint

// renyiPoints returns the data-independent curve of one answer at betas from 1e-3 to 1e6, 24 per factor of 10, and at
// one huge beta. Every choice of orders gives valid bounds.
func renyiPoints(one event.Event, adj event.Adjacency) (curve renyiCurve, err error) {
	p, err := newProfile(one, adj)
	if err != nil {
		return nil, err
	}
	const perDecade = 24
	for i := -3 * perDecade; i <= 6*perDecade; i++ {
		beta := tolerance.Settled(math.Pow(10, float64(i)/perDecade), 3)
		curve = append(curve, renyiPoint{beta, p.renyi(beta)})
	}
	const nearlyInfinite = 1e12 // Laplace noise has a finite largest loss, which this order nearly equals
	return append(curve, renyiPoint{nearlyInfinite, p.renyi(nearlyInfinite)}), nil
}

// votes returns an upper bound for each order of the curve. It bounds the divergence between the distributions P and Q
// of the answers on two neighbors. S is the set of all answers but the likely one. Its probability is at most u under
// P and under Q, and logU is log u.
//
// Let x be P(S), and D_μ ≤ r(μ) in both orders. By Hölder's inequality with the exponents μ and μ/(μ−1),
//
//	Q(S) = E_P[(Q/P)·1_S] ≤ g(x) = (x·e^{r(μ)})^c, where c is (μ−1)/μ.
//
// With the exponents 1/θ and 1/(1−θ), where θ = (λ−1)/(ν−1), for λ ≤ ν
//
//	E_P[(P/Q)^{λ−1}·1_S] ≤ e^{(λ−1)·r(ν)}·x^{1−θ}.
//
// The likely answer adds (1−x)^λ·(1−Q(S))^{1−λ} ≤ (1−x)^λ·(1−g)^{1−λ} to E_Q[(P/Q)^λ], if g < 1. So E_Q[(P/Q)^λ] is at
// most
//
//	F(x) = (1−x)^λ·(1−g(x))^{1−λ} + e^{(λ−1)·r(ν)}·x^{1−θ}.
//
// If F increases on [0, u], it is at most F(u). The derivative of its first summand is, with K = ((1−x)/(1−g))^{λ−1},
//
//	K·(−λ + (λ−1)·c·(g/x)·(1−x)/(1−g)).
//
// Let g(u) ≥ u. Since g/x decreases, g ≥ x and g/x ≥ g(u)/u at all x ≤ u. So F increases if
//
//	(1−g(u))^{1−λ}·(λ − (λ−1)·c·g(u)/u) ≤ (1−θ)·e^{(λ−1)·r(ν)}·u^{−θ}.
//
// Otherwise, the first summand is at most (1−g(u))^{1−λ}. If no μ gives g < 1, the bound is r(λ). At infinite μ and ν
// this is the bound of Papernot et al. (2017), Theorem 3.
func (c renyiCurve) votes(logU float64) []float64 {
	logG, share := 0.0, 0.0
	for _, at := range c {
		part := at.beta / (1 + at.beta)
		if l := part * (logU + at.r); l < logG && l >= logU {
			logG, share = l, part
		}
	}
	logG = math.Min(0, logG+8*unit*(1-logG-logU))
	all := make([]float64, len(c))
	for i, at := range c {
		all[i] = math.Min(at.r, c.votesAt(i, logU, logG, share))
	}
	return all
}

// votesAt returns the bound of the method votes at the order of point i, for the best ν. It is +Inf if g is 1.
func (c renyiCurve) votesAt(i int, logU, logG, share float64) float64 {
	if !(logG < 0) {
		return math.Inf(1)
	}
	beta, rare, theta := c[i].beta, math.Inf(1), 0.0
	for _, at := range c[i:] {
		t := beta / at.beta
		gain, loss := beta*at.r, (1-t)*logU
		if l := gain + loss + 4*unit*(gain-loss-logU); l < rare {
			rare, theta = l, t
		}
	}
	usual := -beta * numeric.Log1mExp(logG) // K ≤ e^usual
	falls := 1 + beta - (1-1e-8)*beta*share*math.Exp(logG-logU)
	if theta < 1 && (falls <= 0 || usual+math.Log(falls) <= math.Log1p(-theta)+rare-logU-1e-9) {
		fewer := (1 + beta) * numeric.Log1mExp(logU)
		usual += fewer + 1e-14*(usual-fewer)
	}
	const small = 1e-300 // a sum that underflows is not proven to be zero
	return math.Log1p(math.Max(0, math.Expm1(usual)+math.Exp(rare))+small) / beta * (1 + 1e-12)
}
