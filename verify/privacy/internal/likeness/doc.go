// Package likeness tells which known fault the outputs at a pair of inputs look like, where they suffice for that.
//
// A part of the outputs chooses what to look at: the coordinate, the law, the value. The other part, which did not
// choose, bears it out, by a statement that errs with probability at most [Level]. Where it does not, nothing is said.
//
//	likeness.go  readings of the outputs at a pair
//	fixed.go     what has no noise, or the same noise twice
//	never.go     outputs that one input never gives
//	law.go       laws of noise; moves.go by how much of it outputs move
//	name.go      the fault that readings look like
//	distance.go  distances of inputs
package likeness
