// Package verify judges: it holds claims, the checks that measure them, and the
// rules by which evidence becomes a verdict.
//
// A [Claim] binds a statement to a [Check]. Prepare chooses whatever is to be
// chosen (witness, pair, worst dataset) on streams of its own and returns a
// [Trial]; the engine of package empirical samples the trial in shards; Judge
// turns the merged tally into [Evidence]. No verdict is written by hand.
//
//	verdict.go          the nine verdicts and the kinds of claims
//	claim.go            Claim, Check, Trial, Twin
//	evidence*.go        Evidence, Cell, Number, Sizes of violations
//	attempt.go          what stands behind a verdict; *_attempt.go has it for each sort of check
//	ledger.go           a set of claims, their ids and patterns, and their shares of alpha
//	run.go              running claims: workers, timeouts, panics, progress
//
// # What a consistent privacy claim says
//
// An audit that refutes nothing is consistent only if what it leaves open is small: on any one of
// the pairs that it looked at, in the families of events that it searches, both of these would
// have been seen with probability at least 0.99 ([Sizes] has the figures).
//
//   - A near violation, by the factor 1.25 ([privacy.Audit.Effect]), at the mass of the event that
//     certifies most. Where nothing is certified on that event, or it is nearly sure under both
//     inputs (mass above 0.95), no power rests on it: the near violation is then one at an event
//     of mass ½, which the search would have to find as well. A claim of ε = 0 with δ > 0 has a
//     total variation of 2δ in place of the factor, a claim of no loss at all a loss of 0.1.
//   - A gross violation, by one nat of privacy loss more than the claim allows, from a mass m₀ up,
//     with m₀ ≤ 0.01 ([privacy.Audit.Mass]). Of a claim with δ > 0 its δ is doubled as well, to
//     δ₂ = min(2δ, (1+δ)/2): it has a mass of at least δ₂, and unless a mass is asked for,
//     every one must be seen, m₀ = δ₂. That takes about 150/δ samples of each input at ε = 1 and
//     an error of 1e-6.
//
// m₀ is the least mass such that a gross violation of this mass, and of any larger one, is found by
// the search and refutes the claim in the certificate, both at unlucky counts (sight.go). One in
// an event that is rarer, or smaller than near, is left open.
//
// The families of events are those of the fixed scores of package empirical: of every feature of
// the outputs, all values beyond a threshold, all values in an interval, and each single value; and
// each whole output; each residue, digit and character; the order and the equality of two of the
// first 24 values. Features are the values themselves (the first 4096 positions of a sequence),
// the differences of neighbours, the length, of a string its shape, prefixes and suffix, and of a
// sequence its sum, range, extremes, their positions and gaps, its counts of equal and of non-finite
// values and of descents. That package lists them, and what is left out. Where a density is given
// its log-likelihood ratio takes their place. Learned scores are searched as well, and refute,
// but no size is promised for them. For given events ([privacy.Sampled]) the family is those events, and m₀ need not be
// below the mass of the rarest of them; for low-order bits ([privacy.Precision]) m₀ ≤ 0.05.
package verify
