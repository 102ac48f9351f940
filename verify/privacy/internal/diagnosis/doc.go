// Package diagnosis explains a refuted privacy claim. It gives example outputs and, if they suffice, the likely
// cause.
//
// One part of the outputs chooses the value, the column and the event. The other part confirms them, by a statement
// that errs with probability at most [CauseLevel]. Without confirmation no cause is reported.
//
//	shown.go, spoken.go, limits.go  example outputs of each pair, events in words, limits of the privacy loss
//	outputs.go                      the outputs at a pair, by columns
//	exclusive.go                    outputs that only one input gives
//	scale.go                        noise that is too small for the shift of the outputs
//	distance.go                     distances of inputs
//	lowbits.go, atoms.go            features of the low-order bits of numbers in an output
package diagnosis
