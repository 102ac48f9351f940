// Package privacy checks claims of differential privacy.
//
// [Audit] tests a black-box mechanism. It searches one sample for the event with the largest privacy loss and
// certifies that loss on independent samples. [PairAudit] also searches for the pair of inputs and shrinks it.
// [RecordedAudit] audits recorded outputs. [FloatingPoint] tests whether the low-order bits of floating-point
// outputs reveal the input. [Sampled] tests given events, and [Exact] computes the privacy loss of known
// distributions.
//
// The claims are defined in package guarantee. For (ε, δ)-DP, an event S with probabilities p = P(S) and q = Q(S)
// under neighboring inputs refutes the claim if p > e^ε q + δ. From counts x of n and y of m samples,
// confidence.EpsilonLower gives a lower confidence limit on ε with error probability alpha. The certified event is
// fixed before its counts are drawn. Two independent choices of events (cross-fitting) are tested at alpha/2 each.
//
// An audit refutes a true claim with probability at most alpha. For example, 10,000 samples of a Laplace mechanism with
// half of the required noise refute 1-DP at alpha = 1e-9 (the faulty example of dptest.Audit). ExampleAudit shows a
// count with geometric noise.
//
// # Meaning of a consistent verdict
//
// An audit that does not refute the claim is consistent only if it would have detected both of the following
// violations, on any of its pairs and in its families of events, with probability at least 0.99. [verify.Sizes]
// contains the figures.
//
//   - A small violation, 1.25 ε ([Audit.Effect]), at the probability of the event with the largest certificate. If
//     nothing is certified on that event, or if it is nearly certain under both inputs (probability above 0.95),
//     the small violation is at an event of probability 1/2, which the search must also find. For a claim with ε =
//     0 and δ > 0 it is a total variation of 2δ, for a claim of no loss at all a loss of 0.1.
//   - A large violation, ε + 1, at every event of probability at least m₀ ≤ 0.01 ([Audit.EventProbability]). For a
//     claim with δ > 0, δ increases to δ₂ = min(2δ, (1+δ)/2) as well. Such an event has a probability of at least
//     δ₂, and by default all of them must be detected: m₀ = δ₂. That takes about 150/δ samples per input at ε = 1
//     and alpha = 1e-6.
//
// The bound m₀ is the smallest probability at which, and above which, the search finds a large violation and the
// certificate refutes the claim, both at unlucky counts (search_power.go). Violations in rarer events, and
// violations below the small size, may remain undetected. Pairs with a common input share its releases, which
// strengthens the certificates. Both sizes are computed without this gain.
//
// # Families of events
//
// An audit searches the fixed scores of package distinguisher. For every feature of the output, it tests the values
// above a threshold, the values in an interval, and each single value. It also tests each whole output, each
// residue, digit and character, and the order and equality of any two of the first 24 values.
//
// Features are the values themselves (the first 4096 positions of a sequence), differences of adjacent values, and
// the length. Strings also have a shape, prefixes and a suffix. Sequences also have the sum, range, extremes, their
// positions and gaps, and counts of equal values, non-finite values and descents. Package distinguisher lists the
// features and what they omit. If a density is given, its log-likelihood ratio replaces the features.
//
// Learned scores are searched as well and can refute, but power is not promised for them. For [Sampled], the family
// contains the given events, and m₀ is at least the probability of the rarest. For [FloatingPoint], m₀ ≤ 0.05.
package privacy
