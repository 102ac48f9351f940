// Package distribution checks whether the outputs of a mechanism have a stated distribution, for example whether noise
// is Laplace with scale 2.
//
// A [Check] partitions the outputs into cells whose probabilities follow from the stated distribution, and counts the
// samples in each cell. It compares the counts with the probabilities in two ways: by the uniform band of Dvoretzky,
// Kiefer & Wolfowitz (constant of Massart 1990) around the distribution function, which has half-width √(ln(2/α)/(2n)),
// and by exact binomial tests of single values or tails. A true claim is refuted with probability at most α.
//
//	verify.Claim{Check: distribution.Check{
//		Quantity: "the noise", Distribution: distribution.Laplace(0, 2), Samples: 100_000,
//		Sample: func(r *rand.Rand) (any, error) { return noise(r), nil },
//	}}
//
// Files:
//
//	distribution.go  distributions by their parameters, distribution function, values or moments
//	discrete.go      distributions on the integers
//	cells.go         partition of the outputs into cells
//	check.go         sampling
//	judge.go         evaluation of the counts
package distribution
