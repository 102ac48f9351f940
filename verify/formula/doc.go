// Package formula checks identities and inequalities: formulas against each other over a domain ([Check]), and the
// numbers that a paper reports. These are checked for their order, their sums and formulas, their significance, and
// whether a mean of that many runs can have those digits. Every reported number stands for the interval that rounds to
// it.
//
//	relation.go               formulas against each other, point by point
//	reported.go               reported numbers and tables
//	formula.go, bracket.go    reported numbers that follow from others, or lie between computed bounds
//	order.go, correlation.go  the order of reported numbers; p-values of correlations
//	significance.go           whether differences of reported numbers are significant
package formula
