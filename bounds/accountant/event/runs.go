package event

import (
	"fmt"
	"math"
)

// Allocation is an epoch of random allocation. It runs a mechanism with Gaussian noise in each step. Each record takes
// part in a uniformly random set of exactly picks steps. The domain is 1 ≤ picks ≤ steps ≤ 1e6.
func Allocation(steps, picks int64, e Event) Event {
	return Event{Kind: KindAllocation, B: float64(picks), Count: steps, Parts: []Event{e}}
}

// Matrix is a Gaussian mechanism with correlated noise. The noise multiplier is the noise standard deviation divided by
// the clipping norm of one participation. The sensitivity, in units of the clipping norm, is between lower and upper;
// package matrix computes it.
func Matrix(noiseMultiplier, lower, upper float64) Event {
	return Event{Kind: KindMatrix, A: noiseMultiplier, Sensitivity: 1, Rows: [][2]float64{{lower, upper}}}
}

// RepeatAndSelect runs an event a random number of times and releases the output with the best score, as in
// hyperparameter tuning. The number K of runs has the truncated negative binomial distribution P(K = k) ∝ (1−gamma)^k ·
// Π_{l<k} (l+eta)/(l+1), k ≥ 1 (Papernot & Steinke 2022, Definition 1). This is the geometric distribution for eta = 1
// and the logarithmic distribution for eta = 0. The domain is eta > −1 and 0 < gamma < 1.
func RepeatAndSelect(eta, gamma float64, e Event) Event {
	return Event{Kind: KindSelect, A: eta, B: gamma, Parts: []Event{e}}
}

// ShuffledReports releases the reports of users in random order. Each of the users applies the same local randomizer to
// one value: RandomizedResponse, or Pure for any ε₀-DP randomizer. Only ReplaceOne is supported: the number of reports
// would reveal a removed user. The domain is 1 ≤ users ≤ 1e8 and ε₀ ≤ 50.
func ShuffledReports(users int64, e Event) Event {
	return Event{Kind: KindShuffledReports, Count: users, Parts: []Event{e}}
}

// validRun returns an error for the first invalid parameter of the events in this file.
func (e Event) validRun() error {
	name := KindNames[e.Kind]
	switch e.Kind {
	case KindAllocation:
		switch g := e.Parts[0]; {
		case g.Kind != KindGaussian:
			return DomainError("%s: %s is not supported; want a mechanism with Gaussian noise", name, g)
		case e.Count < 1 || e.Count > 1e6:
			return DomainError("%s: %d steps, it must be 1 to 1e6", name, e.Count)
		case !(e.B >= 1 && e.B <= float64(e.Count)):
			return DomainError("%s: picks is %v, it must be between 1 and the %d steps", name, e.B, e.Count)
		}
	case KindShuffledReports:
		switch r := e.Parts[0]; {
		case r.Kind != KindPure && r.Kind != KindRandomizedResponse:
			return DomainError("%s: %s is not supported; want the local randomizer rr, or pure for any ε₀-DP randomizer",
				name, r)
		case !(r.A <= 50):
			return DomainError("%s: epsilon0 is %v, it must be at most 50", name, r.A)
		case r.Kind == KindRandomizedResponse && !(r.B <= 1e9):
			return DomainError("%s: %v categories, it must be 2 to 1e9", name, r.B)
		case e.Count < 1 || e.Count > 1e8:
			return DomainError("%s: %d records, it must be 1 to 1e8", name, e.Count)
		}
	case KindSelect:
		switch {
		case !(e.A > -1 && !math.IsInf(e.A, 1)):
			return DomainError("%s: eta is %v, it must be a finite number above −1", name, e.A)
		case !(e.B > 0 && e.B < 1):
			return DomainError("%s: gamma is %v, it must be between 0 and 1", name, e.B)
		}
	default:
		switch {
		case !(e.A > 0 && !math.IsInf(e.A, 1)):
			return DomainError("%s: the noise multiplier is %v, it must be positive and finite", name, e.A)
		case len(e.Rows) != 1 || !(e.Rows[0][0] >= 0 && e.Rows[0][0] <= e.Rows[0][1] && e.Rows[0][1] <= math.MaxFloat64):
			return DomainError("%s: the sensitivity is between %v, want two finite numbers of at least 0, the lower one "+
				"first", name, e.Rows)
		}
	}
	return nil
}

// runString describes the events of this file.
func (e Event) runString() string {
	switch e.Kind {
	case KindAllocation:
		return fmt.Sprintf("allocation(%g of %d steps, %s)", e.B, e.Count, e.Parts[0])
	case KindSelect:
		return fmt.Sprintf("repeat-and-select(η=%g, γ=%g, %s)", e.A, e.B, e.Parts[0])
	}
	low, high := e.Rows[0][0], e.Rows[0][1]
	if high <= low*(1+1e-9) {
		return fmt.Sprintf("matrix(noise multiplier %g, sensitivity %.10g)", e.A, high)
	}
	return fmt.Sprintf("matrix(noise multiplier %g, sensitivity %.10g to %.10g)", e.A, low, high)
}
