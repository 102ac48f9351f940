// Package diagnosis explains a refuted privacy claim. It gives example outputs and, if they suffice, the likely
// cause.
//
// One part of the outputs chooses what to look at: the coordinate, the distribution, the value. The other part, which
// did
// not choose, confirms it, by a statement that errs with probability at most [CauseLevel]. Without confirmation nothing
// is said.
//
//	shown.go, spoken.go, limits.go  example outputs of each pair, events in words, limits of the privacy loss
//	readings.go                     readings of the outputs at a pair
//	fixed.go                        outputs without noise, or with the same noise twice
//	never.go                        outputs that one input never gives
//	noise.go, moves.go              distributions of noise, and by how much of it outputs move
//	likely_cause.go                 the fault that the readings look like
//	distance.go                     distances of inputs
//	lowbits.go, atoms.go            features of the low-order bits of numbers in an output
package diagnosis
