// Package replay finds faults of a release from a few runs, without sampling. It answers the question: is the release
// private because of the noise primitives that it calls, with the sensitivities that they declare?
//
// # Method
//
// The package records every call to a noise primitive on one input. It then replays the calls on a neighboring input,
// where each call releases its recorded value again. If the output depends on the input only through the primitives,
// and each primitive is private for its declared sensitivity, then four statements hold. They are the parts of a
// [Replay], and each is a separate claim:
//
//   - [Flow]: both runs make the same calls in the same order. Otherwise the control flow depends on the data.
//   - [Sensitivity]: the values given to each call differ by at most its declared sensitivity.
//   - [Release]: both runs have the same output, because the output is a function of the released values.
//   - [Account]: by the accountant, the total privacy loss of the calls is at most the claimed one.
//
// For example, a release adds Laplace noise to a sum and declares the sensitivity 1, but forgets to clip the values to
// [0, 1]. On the inputs [5] and [], the call is given 5 and 0. This breaks [Sensitivity].
//
// # Verdicts
//
// The differences are computed, so a verdict has no error probability. A part is refuted by a pair of neighbors, the
// call, its place and the values given to it on both inputs. This refutes the proof by primitives, not differential
// privacy itself. If the release has another proof, such as the sparse vector technique, wrap it in one call of
// [primitive.Pure] with [primitive.Noise.Release]. All other results are inconclusive: a search does not prove that no
// other pair breaks the part.
//
// # Rounding
//
// Integers are exact. For other values, the distance has to exceed the declared sensitivity by a relative 1e-5
// ([SingleRounding]) or by 1e-9 of the values ([Rounding]), whichever is larger. If all values are float32 numbers, it
// has to exceed it by 1e-5 of the values. Scales count as equal up to a relative 1e-9. Outputs count as equal up to
// 1e-12 of the largest number in the runs. An excess that arithmetic can explain is not a finding.
//
// # Coins
//
// Random samples and random orders of records are replayed with a coupling: every record keeps its coin. The package
// does not know which record of A corresponds to which record of B. If a replay shows a difference, all couplings that
// leave out one record of A and insert one of B are tried. A difference that disappears under one coupling is not a
// finding. If there are too many couplings, or none is known for the two sizes, the pair is left open. The inputs of a
// pair should therefore differ in one record if the release samples. A pair is also left open after raw coins.
//
// Coins drawn outside the primitives are not part of the proof. A finding has to hold with 16 other seeds for these
// coins while every call releases its recorded values, and for a [Mechanism] none may be drawn before it. Draw coins
// that are independent of the data with [primitive.Noise.Public]. Noise around 0, drawn first and added to a value
// later, has the same effect as noise around this value. If a call is given 0 in both runs, later differences are
// therefore not findings. A call with a positive sensitivity may be a noisy threshold, or a mask of the data, if every
// pair of the search gives it the same value on both inputs. Later differences in the calls or in the output are then
// not findings. Every finding is repeated. Calls from several goroutines have a random order and are left open.
//
// # Account
//
// The account charges each call for the distance between its values in A and in B, which is a lower bound on its cost.
// Calls whose values move by less than their declared sensitivity are left open, because each may concern other
// records. The accountant also computes the cost after a Poisson sample, if the inputs differ by one additional record,
// for all couplings of the coins. Other samples and random orders can reduce the cost by an unknown amount and are left
// open.
//
// The account charges only values that the output determines. The index of a noisy maximum and the answers of a sparse
// vector have proofs that are not the sum of their calls. Two tests have to agree before a released value is charged.
// First, if only this value changes, some output number moves in one direction and takes many values. Second, if all
// other released values are drawn again, except those already determined, this output number and the value given to the
// call do not change. The second test can only clear a call. A sum or a difference of two noisy values determines
// neither. If one noisy value affects only the last digits of another, the output determines only one of them.
//
// For claims with δ = 0, the cost has to be attained at one output, on which both inputs are run. A search makes a
// limited number of these tests, the most expensive values first. Equal calls are charged the smallest cost among three
// orders: as made, sorted by value, and with identical values paired. The order of sorted records therefore costs
// nothing.
//
// No number of replays proves that an output determines a value. A finding of the account therefore has to withstand up
// to 240 redraws of the other calls, for each value that is charged. If it fails one, the account is left open for all
// pairs, because the search could otherwise continue until it finds a pair on which a rare event does not occur. For
// claims with δ > 0, all calls are redrawn: each run has to make the same calls, with distances at least as large. A
// release whose later calls depend on earlier releases, for example one that stops early, is left open.
package replay
