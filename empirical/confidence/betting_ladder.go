package confidence

import (
	"fmt"
	"math"
)

// AnytimeEpsilon is an upper confidence limit of ε = log((p−δ)/q) of one event that may be read
// at any time: the largest privacy loss on this event that the samples leave open. The values
// of ε are tested by an EProcess each, on a grid fixed beforehand, from the largest down to the
// first that is not rejected. The true ε lies above one fixed value of the grid, so that the
// limit errs only if that value's test does (fixed-sequence testing).
type AnytimeEpsilon struct {
	rungs []float64
	below []*EProcess // of NotBelow per rung
}

// EpsilonLadder is a grid of n ≥ 2 values of ε for NewAnytimeEpsilon, its rungs, from low to
// high in equal ratios, 0 < low < high. Returns ErrDomain otherwise.
func EpsilonLadder(low, high float64, n int) ([]float64, error) {
	if !(low > 0 && high > low && high <= math.MaxFloat64) || n < 2 {
		return nil, fmt.Errorf("ladder of %d rungs from %v to %v: need 0 < low < high and 2 rungs: %w", n, low, high,
			ErrDomain)
	}
	rungs := make([]float64, n)
	for i := range rungs {
		rungs[i] = low * math.Pow(high/low, float64(i)/float64(n-1))
	}
	return rungs, nil
}

// NewAnytimeEpsilon starts the tests on strictly increasing rungs, which may
// include 0, a claim, and negative values. Returns ErrDomain where they do not
// increase, or delta is not in [0, 1).
func NewAnytimeEpsilon(delta float64, rungs []float64, pilot Pilot) (*AnytimeEpsilon, error) {
	a := &AnytimeEpsilon{rungs: rungs}
	for i, eps := range rungs {
		if i > 0 && !(eps > rungs[i-1]) {
			return nil, fmt.Errorf("anytime limits: rung %v after %v: rungs must increase: %w", eps, rungs[i-1], ErrDomain)
		}
		below, err := NewEProcess(NotBelow, eps, delta, pilot)
		if err != nil {
			return nil, err
		}
		a.below = append(a.below, below)
	}
	return a, nil
}

// Observe updates all tests by one block of samples, as EProcess.Observe does.
func (a *AnytimeEpsilon) Observe(x, n1, y, n2 int64) error {
	for _, e := range a.below {
		if err := e.Observe(x, n1, y, n2); err != nil {
			return err
		}
	}
	return nil
}

// Upper is the lowest rung that ε is shown to lie below, +Inf if none: at all
// times together it is wrong with probability at most alpha.
func (a *AnytimeEpsilon) Upper(alpha float64) float64 {
	upper := math.Inf(1)
	for i := len(a.rungs) - 1; i >= 0 && a.below[i].Rejected(alpha); i-- {
		upper = a.rungs[i]
	}
	return upper
}
