// Package limits has confidence limits and tests with a stated error: of a binomial
// probability, of two jointly, of a mean, of a slope, by betting, and of classical hypotheses.
package limits
