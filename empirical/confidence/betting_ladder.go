package confidence

import (
	"fmt"
	"math"
)

// AnytimeEpsilon computes an anytime-valid upper confidence limit for ε = log((p−δ)/q) of one event, the largest
// privacy loss on this event that the samples do not exclude. It runs one EProcess for each value of a fixed grid of
// ε, and rejects values from the largest down to the first that is not rejected. The limit is wrong only if the test
// of one fixed value rejects, the largest grid value at or below the true ε (fixed-sequence testing).
type AnytimeEpsilon struct {
	rungs []float64
	below []*EProcess // one NotBelow test for each rung
}

// EpsilonLadder returns n ≥ 2 values of ε in ascending order and equal ratios from low to high, 0 < low < high.
// They serve as rungs for NewAnytimeEpsilon. EpsilonLadder returns ErrDomain outside this domain.
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

// NewAnytimeEpsilon starts the tests on strictly increasing rungs, which may include a claimed value, 0 and
// negative values. It returns ErrDomain if the rungs do not increase or delta is not in [0, 1).
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

// Observe updates all tests with one block of samples, like EProcess.Observe.
func (a *AnytimeEpsilon) Observe(x, n1, y, n2 int64) error {
	for _, e := range a.below {
		if err := e.Observe(x, n1, y, n2); err != nil {
			return err
		}
	}
	return nil
}

// Upper returns the lowest rung such that it and all higher rungs are rejected, or +Inf if there is none. With
// probability at least 1 − alpha, ε is below the limit at all times simultaneously.
func (a *AnytimeEpsilon) Upper(alpha float64) float64 {
	upper := math.Inf(1)
	for i := len(a.rungs) - 1; i >= 0 && a.below[i].Rejected(alpha); i-- {
		upper = a.rungs[i]
	}
	return upper
}
