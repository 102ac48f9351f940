// Package law checks that what a mechanism returns has the distribution that is stated.
//
//	law.go      what can be stated: laws by their parameters, by a distribution function, or
//	            by values and their probabilities, or their moments alone
//	discrete.go laws on the integers
//	cells.go    the line cut into cells by a law
//	check.go    the check
//	judge.go    what the counts of the cells show
package law
