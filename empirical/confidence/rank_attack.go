package confidence

import (
	"fmt"
	"math"
)

// RankAttack holds the counts of an attack on independent scores with an order statistic as threshold. The threshold
// is the Rank-th largest of Others scores under one input, 1 ≤ Rank ≤ Others. Hits of Runs scores under a neighboring
// input exceed it, 0 ≤ Hits ≤ Runs. The scores under each input are independent draws from one distribution. Rank
// must be fixed before the scores are read.
type RankAttack struct {
	Rank, Others, Hits, Runs int64
}

func (a RankAttack) check(delta, alpha float64) error {
	switch {
	case !(a.Rank >= 1 && a.Rank <= a.Others && a.Hits >= 0 && a.Hits <= a.Runs && a.Runs >= 1):
		return fmt.Errorf("%d of %d scores above the score of rank %d of %d: need 1 ≤ rank ≤ scores and 0 ≤ hits ≤ runs: "+
			"%w", a.Hits, a.Runs, a.Rank, a.Others, ErrDomain)
	case !(delta >= 0 && delta <= 1):
		return fmt.Errorf("delta = %v: need 0 ≤ delta ≤ 1: %w", delta, ErrDomain)
	case !(alpha > 0 && alpha < 1):
		return fmt.Errorf("alpha = %v: need 0 < alpha < 1: %w", alpha, ErrDomain)
	}
	return nil
}

// EpsilonLower returns a lower confidence limit of ε: the largest ε at which the p-value of (ε, delta)-DP is at most
// alpha, rounded down. It returns least if this is at least the limit: to take the largest limit of several attacks,
// pass the largest one of the attacks before, else 0. It returns ErrDomain outside the domain of RankAttack or unless
// least ≥ 0, 0 ≤ delta ≤ 1 and 0 < alpha < 1.
//
// Let q be the probability of a score above the threshold under the first input. It has the distribution Beta(Rank,
// Others − Rank + 1), or is stochastically smaller if the distribution has atoms. Under (ε, δ)-DP the number of hits
// given q is stochastically at most Bin(Runs, min(1, e^ε q + δ)). It is at least Hits with probability P(B ≤ e^ε q +
// δ), in which B has the distribution Beta(Hits, Runs − Hits + 1) and is independent of q. The p-value of ε is
//
//	P(q ≥ (B − δ)/e^ε).
//
// It increases with ε and needs no limit of q.
func (a RankAttack) EpsilonLower(least, delta, alpha float64) (float64, error) {
	if err := a.check(delta, alpha); err != nil {
		return 0, err
	}
	if !(least >= 0) {
		return 0, fmt.Errorf("least = %v: need least ≥ 0: %w", least, ErrDomain)
	}
	if a.Hits == 0 {
		return least, nil
	}
	cells := a.cells()
	return least + largestWithin(1e-6, maxEpsilon, func(more float64) bool {
		return a.tail(cells, least+more, delta) <= alpha
	}), nil
}

// betaCell is an interval of B with its smallest value and its probability.
type betaCell struct{ from, probability float64 }

// cells divides [0, 1] into intervals of B, of equal length in the logit between 0 and 1.
func (a RankAttack) cells() (cells []betaCell) {
	const deviations, each = 8, 16 // on each side of the center, and intervals per standard deviation
	up, down := float64(a.Hits), float64(a.Runs-a.Hits+1)
	center, deviation := math.Log(up/down), math.Sqrt(1/up+1/down)
	from, below := 0.0, 0.0
	for i := -deviations * each; i <= deviations*each; i++ {
		u := center + deviation*float64(i)/each
		to := expit(u)
		next := math.Exp(logBinomialUpper(up, float64(a.Runs), to, expit(-u)))
		cells = append(cells, betaCell{from, math.Max(0, next-below)})
		from, below = to, next
	}
	return append(cells, betaCell{from, 1 - below})
}

// tail returns the p-value, rounded up: P(q ≥ (b − δ)/e^ε) is largest at the smallest b of an interval.
func (a RankAttack) tail(cells []betaCell, epsilon, delta float64) (p float64) {
	t := math.Exp(epsilon)
	for _, c := range cells {
		switch z := (c.from - delta) / t; {
		case z <= 0:
			p += c.probability
		case z < 1:
			p += c.probability * math.Exp(logBinomialLower(float64(a.Rank-1), float64(a.Others), z, 1-z))
		}
	}
	return math.Min(1, p*(1+1e-9))
}
