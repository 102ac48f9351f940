// Package kinds has words about kinds of claims.
package kinds

import "github.com/dpverify/dpverify/verify"

// MeasuredHow says in words how claims of a kind are measured.
func MeasuredHow(k verify.Kind) string {
	switch k {
	case verify.Privacy:
		return "Privacy is measured on pairs of neighbouring inputs, in both directions: the privacy loss is computed " +
			"where the outputs' law is known, " +
			"else the frequencies of events under both inputs are certified from samples."
	case verify.Unbiasedness:
		return "The mean output is compared with its target, along the target and across it: by computation where the mean " +
			"is known, by betting intervals from samples beside it."
	case verify.Sensitivity:
		return "The largest change of the output between neighbouring inputs is looked for, beginning with the extreme " +
			"ones, and compared with the stated sensitivity."
	case verify.Rate:
		return "The error is measured at growing sizes and its slope, with an interval, is compared with the stated rate."
	case verify.Identity:
		return "Both sides of the formula are evaluated over the domain and compared at the worst point, with a bound on " +
			"the rounding error."
	case verify.Consistency:
		return "Two statements of the paper are evaluated against each other over the domain; where they disagree, the " +
			"paper contradicts itself."
	case verify.Law:
		return "Samples are held against the stated law: all of its distribution function at once by a uniform band, and " +
			"the probabilities of values, or of tails, by exact tests."
	case verify.Experiment:
		return "The paper's experiment is run on the given data, repeated, and compared with what the paper reports."
	}
	return "By the check of the claim."
}
