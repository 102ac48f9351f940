// Package replay finds faults of a release from a few runs, without sampling. It records every call to a noise
// primitive on one input. It then replays the calls on a neighbouring input, where each call returns its recorded
// value.
//
// A release whose every dependence on its input passes through primitives, each private for the sensitivity that
// it declares, then makes the same calls, in the same order (else its control flow depends on the data), gives
// each of them a value within that sensitivity, and puts out the same: what comes after a primitive is a function
// of what was released. And the primitives cost no more together than is claimed, by the accountant. These are the
// four parts of a [Replay], each a claim by itself.
//
// # What a verdict means
//
// Nothing is sampled, so that no error probability is stated. A part is refuted by a pair of neighbours, the call, its
// place, and what it is given on either side. That refutes "private by the primitives that it calls, as they
// declare", and not differential privacy itself: where a sound proof is another one, of the sparse vector
// technique say, the whole is to be one call of [primitive.Pure] by [primitive.Noise.Release]. All else is
// inconclusive: not refuted on the pairs that were tried, which is no proof.
//
// # Rounding
//
// Whole numbers are exact. Of other values the distance has to exceed the declared sensitivity by 1e-5 of it, as
// [SingleRounding] has it, or by [Rounding], 1e-9 of the values, whichever is larger, and by 1e-5 of the values too
// where all of them are singles; scales are equal to 1e-9, and outputs to 1e-12 of the largest number that the runs
// have to do with. An excess that arithmetic can explain is no finding.
//
// # Coins
//
// Samples of records and their order by chance are replayed as couplings: every record keeps its coin. Which
// record of A is which of B is not known. Where a replay finds something, all couplings are tried that leave
// out one record of A and put in one of B, the others in their order, and what one of them explains is no
// finding; where there are too many, or sizes that no coupling is known for, the pair is left open, and so it
// is after raw coins. Neighbours are to differ in one record there.
//
// Coins that no primitive shows are no part of the proof: a finding has to stand where they fall otherwise and
// every call releases the same, which sixteen other seeds show, and the generator of a [Mechanism] in every run.
// What has nothing to do with the data is drawn by [primitive.Noise.Public]. Noise that is drawn around 0, before the
// data are read, and added to a value later does what noise around that value does: where a call is given 0 in both
// runs, what comes after it is no finding. A call with a sensitivity above 0 may be a noisy threshold, or a mask of
// the data, if every pair of the search gives it the same value on both inputs. Later differences in the calls or in
// the output are then no findings. Every finding is repeated, and calls from several goroutines, whose order is
// chance, are left open.
//
// # The account
//
// The account charges each call for the distance between what it was given in A and in B, which is what is
// certain: calls that declare more than they move by, as where each is about records of its own, are left open.
// What follows a Poisson sample of inputs that differ by one record costs what the accountant says of that
// sample, by every coupling of the coins; other samples and orders by chance, by which a cost may fall, are
// left open. The account charges only numbers that the output determines: the index of a noisy maximum, or answers of a
// sparse vector, have proofs that are not the sum of their calls. Two tests have to agree. If a call's number
// changes, and no other, then a number of the output moves one way only, to many values. If all other numbers are
// drawn again, except those that are already determined, then this number of the output stays, and so does the
// value that the call is given. The second test can only clear a call: a sum or a difference of two noisy values
// determines neither, and if one noisy value is only in the last digits of another, the output determines only one of
// them. For claims with δ = 0, the account has to be attained at one output, on which both inputs
// are run. A search makes a limited number of these tests. It tests the numbers first that may cost most. And it
// charges the least of what equal calls cost in the order in which they are made, in that of their values, and where
// those that are given the same are compared: sorted records are no cost.
//
// No number of replays proves what an output determines. A finding of the account therefore has to withstand up to 240
// redraws of the other calls, for each number that is charged. The first that does not leaves the account open for all
// pairs: a search would find a pair on which a rare event was not drawn. For claims with δ > 0, all calls are redrawn,
// and the calls and their distances have to be the same in each of these runs, or the distances larger. A release whose
// later calls follow earlier releases, such as one that stops early, is left open.
package replay
