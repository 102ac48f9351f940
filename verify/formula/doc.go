// Package formula checks identities, inequalities and reported numbers. [Check] compares formulas over a domain.
// The other checks test reported numbers: their order, sums, formulas and significance, and whether a mean of n
// runs can have those digits. A reported number represents the interval of all numbers that round to it.
//
//	relation.go, grid.go      formulas against each other, point by point
//	reported.go               reported numbers and tables
//	formula.go, bracket.go    reported numbers that follow from others, or lie between computed bounds
//	order.go, correlation.go  the order of reported numbers; p-values of correlations
//	significance.go           whether differences of reported numbers are significant
package formula
