// Package distribution checks whether the outputs of a mechanism have the stated distribution.
//
//	distribution.go  what can be stated: distributions by their parameters, by a distribution function, or
//	                 by values and their probabilities, or their moments only
//	discrete.go      distributions on the integers
//	cells.go         the line cut into cells by a distribution
//	check.go         the check
//	judge.go         what the counts of the cells show
package distribution
