// Package trial tests package accountant by simulation. It samples the mechanisms of random events and compares
// the outputs with the ε and δ that the accountant computes.
//
// Generate draws random descriptions. Simulate turns a description into pairs of neighbors, which it samples
// from the definition of the mechanism. Run audits each pair at an ε at which the account's δ(ε) is between
// 0.05 and 0.3:
//
//   - (ε, upper δ) must not be refuted on any pair, and
//   - (ε, lower δ − 0.03) must be refuted on one of them, with the number of samples that gives power 0.99.
//
// The simulators do not import the accountant's formulas. An event with only an upper end in the account counts as
// one-sided. Shrink returns the smallest description that still fails with the seed of a failed one.
//
//	description.go  kinds of events and their random parameters
//	mechanism.go    draws and densities: composition and sampling
//	noise.go        noise on a sum
//	outcomes.go     mechanisms with finitely many outputs
//	partition.go    thresholded partitions
//	sparse.go       the sparse vector technique
//	repeated.go     the best of repeated runs
//	replaced.go     draws with replacement and shuffled reports
//	simulate.go     from a description to its pairs of neighbors
//	audit.go        search for an event, number of samples, certification
//	run.go          many descriptions, and the table of outcomes
//	shrink.go       smaller descriptions that still fail
package trial
