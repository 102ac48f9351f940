// Package diagnosis explains a refuted privacy claim. It returns example outputs and, if the outputs suffice, the
// likely cause.
//
// One part of the outputs chooses the value, the column and the event. The other part confirms the choice with a
// test that errs with probability at most [CauseLevel]. Without confirmation no cause is reported. The verdict does
// not use the diagnosis.
//
// [LikelyCause] detects two faults. An output that only one input produces indicates missing noise or a missing
// threshold. If the outputs under B are a shifted copy of the outputs under A, and still violate the claim after
// the shift is reduced by a factor, the noise is too small by at least that factor. For example, half of the
// required Laplace noise is reported with a factor near 2.
//
//	shown.go, spoken.go, limits.go  example outputs, events as text, limits of the privacy loss
//	outputs.go                      the outputs of a pair by column
//	exclusive.go                    outputs that only one input produces
//	scale.go                        noise too small for the shift of the outputs
//	distance.go                     distances between inputs
//	lowbits.go, atoms.go            features of the low-order bits of numbers
package diagnosis
