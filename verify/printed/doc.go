// Package printed checks the numbers that a paper prints: their order, their sums and
// formulas, their significance, whether a mean of that many runs can have those digits.
// Every number stands for the interval that rounds to it.
package printed
