package matrix

import "math"

// Sensitivity is a certified bracket of sens(C) of the package comment: Lower ≤ sens(C) ≤ Upper, for
// contributions of norm at most 1 a participation and a record added or removed.
type Sensitivity struct {
	Lower, Upper float64
	// Exact says that the two differ by rounding alone.
	Exact bool
	// Pattern holds the steps, from 1, of the worst pattern found: that of Lower.
	Pattern []int
	// Theorem names what Upper rests on.
	Theorem string
}

// Mu returns a bracket of μ = sens(C)/σ at noise multiplier σ: the release is μ-GDP, and is no better.
// noiseMultiplier is the deviation of the entries of Z over the clip norm of one participation;
// an error wraps ErrDomain unless it is finite and above 0. For replaced records both ends are to
// be doubled.
func (s Sensitivity) Mu(noiseMultiplier float64) (lower, upper float64, err error) {
	if !(noiseMultiplier > 0 && noiseMultiplier <= math.MaxFloat64) {
		return 0, 0, domainError("noise multiplier %v: want a finite number above 0", noiseMultiplier)
	}
	lower, upper = s.Lower/noiseMultiplier, s.Upper/noiseMultiplier
	lower = down(lower, math.FMA(lower, noiseMultiplier, -s.Lower))
	upper = up(upper, math.FMA(upper, noiseMultiplier, -s.Upper))
	return lower, upper, nil
}

// Sensitivity returns the bracket of the sensitivity of s under p; an error wraps ErrDomain where the
// steps of s have no such participation.
func (s *Strategy) Sensitivity(p Participation) (Sensitivity, error) {
	if err := p.check(s.steps); err != nil {
		return Sensitivity{}, err
	}
	times, distance := p.spacing(s.steps)
	if p.Every > 0 {
		return s.form.fixedOrder(times, distance), nil
	}
	return s.form.separated(times, distance), nil
}

// bracket is the sensitivity whose square is in [low, high].
func bracket(low, high float64, exact bool, pattern []int, theorem string) Sensitivity {
	lower, upper := root(low, high)
	steps := make([]int, len(pattern))
	for i, p := range pattern {
		steps[i] = p + 1
	}
	return Sensitivity{Lower: lower, Upper: upper, Exact: exact, Pattern: steps, Theorem: theorem}
}

// evenly returns the steps first, first + distance, …: times of them, or as many as are below n.
func evenly(first, times, distance, n int) []int {
	var steps []int
	for p := first; p < n && len(steps) < times; p += distance {
		steps = append(steps, p)
	}
	return steps
}
