package matrix

import "math"

// Sensitivity is a certified bracket Lower ≤ sens(C) ≤ Upper, as defined in the package comment. It holds for
// contributions of norm at most 1 per participation and an added or removed record.
type Sensitivity struct {
	Lower, Upper float64
	// Exact is set if the two ends differ only by rounding.
	Exact bool
	// Pattern contains the steps, from 1, of the worst pattern found, which gives Lower.
	Pattern []int
	// Theorem describes the proof of Upper.
	Theorem string
}

// Mu returns a bracket of μ = sens(C)/σ. The release is μ-GDP for this μ and for no smaller one. noiseMultiplier is σ,
// the standard deviation of the entries of Z divided by the clipping norm of one participation. The error wraps
// ErrDomain unless noiseMultiplier is finite and positive. For replaced records, double both ends.
func (s Sensitivity) Mu(noiseMultiplier float64) (lower, upper float64, err error) {
	if !(noiseMultiplier > 0 && noiseMultiplier <= math.MaxFloat64) {
		return 0, 0, domainError("noise multiplier %v: want a finite number above 0", noiseMultiplier)
	}
	lower, upper = s.Lower/noiseMultiplier, s.Upper/noiseMultiplier
	lower = down(lower, math.FMA(lower, noiseMultiplier, -s.Lower))
	upper = up(upper, math.FMA(upper, noiseMultiplier, -s.Upper))
	return lower, upper, nil
}

// Sensitivity returns the bracket of the sensitivity of s under p. The error wraps ErrDomain if p is impossible in the
// steps of s.
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

// bracket returns the sensitivity whose square is in [low, high].
func bracket(low, high float64, exact bool, pattern []int, theorem string) Sensitivity {
	lower, upper := root(low, high)
	steps := make([]int, len(pattern))
	for i, p := range pattern {
		steps[i] = p + 1
	}
	return Sensitivity{Lower: lower, Upper: upper, Exact: exact, Pattern: steps, Theorem: theorem}
}

// evenly returns the steps first, first + distance, …, at most times of them, below n.
func evenly(first, times, distance, n int) []int {
	var steps []int
	for p := first; p < n && len(steps) < times; p += distance {
		steps = append(steps, p)
	}
	return steps
}
