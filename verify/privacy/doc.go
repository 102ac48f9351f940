// Package privacy checks privacy claims. [Exact] uses known output distributions, and [Sampled] tests given
// events. [Audit] tests a black box: it chooses an event on one sample and certifies it on independent samples.
// [PairAudit] also searches for the pair of inputs, and [RecordedAudit] audits outputs in files. [FloatingPoint]
// tests whether the low-order bits of floating-point outputs reveal the input.
//
//	guarantee.go   the guarantees, which are those of package guarantee
//	exact.go       privacy loss of known laws
//	sampled.go     given events, certified from samples
//	audit*.go      a black box, with events learned from samples
//	audit_diagnosis.go   why a claim is refuted, from the samples that chose the event
//	audit_shared.go  the releases of an input that several pairs have in common
//	recompute*.go  evidence that is recomputed from its statistics; statistics*.go has these
//	search_power*.go   the power of a search and a certificate together
//	sharing.go     inputs that several pairs share: samples are divided so that none counts twice
//	sampling_plan.go   what an audit is going to draw
//	pairs.go       the local search for the pair; shrink.go the smallest that still violates
//	recorded.go    recorded outputs in place of a mechanism
//	precision.go   the low-order bits of the numbers in an output
//
// # What a consistent privacy claim says
//
// An audit that refutes nothing is consistent only if what it leaves open is small: on any one of
// the pairs that it looked at, in the families of events that it searches, both of these would
// have been seen with probability at least 0.99 ([verify.Sizes] has the figures).
//
//   - A near violation, by the factor 1.25 ([Audit.Effect]), at the mass of the event that
//     certifies most. Where nothing is certified on that event, or it is nearly sure under both
//     inputs (mass above 0.95), no power rests on it: the near violation is then one at an event
//     of mass ½, which the search would have to find as well. A claim of ε = 0 with δ > 0 has a
//     total variation of 2δ in place of the factor, a claim of no loss at all a loss of 0.1.
//   - A gross violation, by one nat of privacy loss more than the claim allows, from a mass m₀ up,
//     with m₀ ≤ 0.01 ([Audit.EventProbability]). Of a claim with δ > 0 its δ is doubled as well, to
//     δ₂ = min(2δ, (1+δ)/2): it has a mass of at least δ₂, and unless a mass is asked for,
//     every one must be seen, m₀ = δ₂. That takes about 150/δ samples of each input at ε = 1 and
//     an error of 1e-6.
//
// m₀ is the least mass such that a gross violation of this mass, and of any larger one, is found by
// the search and refutes the claim in the certificate, both at unlucky counts (search_power.go). One in
// an event that is rarer, or smaller than near, is left open. Pairs that have an input in common
// share its releases, which makes the certificate of their events stronger; both sizes are those of
// as many samples of either input as one pair has by itself.
//
// The families of events are those of the fixed scores of package distinguisher: of every feature of
// the outputs, all values beyond a threshold, all values in an interval, and each single value; and
// each whole output; each residue, digit and character; the order and the equality of two of the
// first 24 values. Features are the values themselves (the first 4096 positions of a sequence),
// the differences of neighbours, the length, of a string its shape, prefixes and suffix, and of a
// sequence its sum, range, extremes, their positions and gaps, its counts of equal and of non-finite
// values and of descents. That package lists them, and what is left out. Where a density is given
// its log-likelihood ratio takes their place. Learned scores are searched as well, and refute,
// but no size is promised for them. For given events ([Sampled]) the family is those events, and m₀ need not be
// below the mass of the rarest of them; for low-order bits ([FloatingPoint]) m₀ ≤ 0.05.
package privacy
