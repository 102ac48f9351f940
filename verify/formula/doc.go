// Package formula checks identities, inequalities and reported numbers without sampling.
//
// [Check] compares two formulas at every point of a domain, up to a stated floating-point error. The other checks test
// the numbers that a paper reports: their order ([Order]), formulas of other numbers ([Formulas]), computed bounds
// ([Brackets]), p-values of correlations ([CorrelationP]) and significant differences ([Significance]). A reported
// number represents the interval of all numbers that round to it, and decisions use rational arithmetic.
//
//	verify.Claim{Check: formula.Check{Quantity: "x² − 2x + 1", Sense: verify.AtLeast, Grid: formula.Grid{
//		formula.Over("x", -1, 0.5, 3)}, At: func(at []float64, add func(formula.Point)) {
//		x := at[0]
//		add(formula.Point{Measured: x*x - 2*x + 1, Claimed: 0})
//	}}}
package formula
