// Package dptest tests claims about Go mechanisms with go test.
//
//	func TestNoisyCount(t *testing.T) {
//		Audit(t, noisyCount, privacy.ApproximateDP(1, 0), Pair([]bool{true}, []bool{}))
//	}
//
// Besides privacy, what else is stated of a release:
//
//	Unbiased      its mean, UnbiasedOver at the worst of many inputs
//	Distribution           its distribution, DistributionOver at the worst of many inputs
//	Rate          how an error falls along a grid
//	Sensitivity   how far neighbours move what the noise is added to
//	Precision     its low-order bits
//	Account       what it costs, as it is described
//	Canaries      what a training gives away, by one run of it; CanaryAudit of recorded scores
//	Replay        that it is private by the primitives that it calls, for certain from a few runs
//	Check, Claim  any check of the packages under verify, and a claim with its control
//
// The mechanism is a function of a random source and an input, or a
// [verify.Mechanism]; the claim is any [privacy.Guarantee]; the inputs are [Pairs] of
// neighbours that you give, pairs [Generated] for datasets, pairs [RandomPairs] by
// generators of pgregory.net/rapid, whose violations are shrunk as rapid shrinks, or several of these joined
// by [Inputs.And]. Package inputs describes spaces of any inputs, among which a [Search] finds the worst pair.
//
// # What a failure means
//
// A test that fails with "refuted" has found a pair of inputs and an event that
// violate the claim, on samples drawn for that purpose, after the choice of both. A true claim is refuted
// with probability at most 1e-9 for each call, all pairs, drawn ones and the search for
// a smaller pair included. All randomness comes from one fixed seed, so a test does
// not flake: it passes or fails every time. Give another seed by [Seed], or by the
// environment variable DPTEST_SEED, which wins; m runs on fresh seeds have m times
// the probability of a false alarm. A mechanism that draws from elsewhere, from crypto/rand in
// a library, is found out: two releases from one seed differ. Then every run is one on fresh seeds, the
// message says so, and the command in it runs the test again but does not repeat its figures.
//
// # What a pass means
//
// No violation was seen on the pairs and events that were tried. The test logs what
// would have been: a near violation, by a factor of 1.25 (see [Effect]), and a gross one, one nat
// more than is claimed, from a mass of events up (see [EventProbability]; package verify has the details and
// the families of events). Where the samples were too few for that, it
// logs how many would do, and fails if it is [Strict]. A pass is no proof: other pairs and
// rarer events were not tried, nor were side channels such as time. The low-order bits of
// numbers are looked at apart, on two of the pairs: see [LowBits] and [Precision].
//
// # What a mechanism must do
//
// It must take all its randomness from the source it is given, or from elsewhere at the price
// named above, be safe for concurrent use, leave its input as it is, and return outputs that it does not
// change later. Outputs are of any type that holds values: numbers, strings, truth values, pointers (nil is an
// output of its own), slices, arrays, maps, structs and times, within one another; package
// outputs says how they are taken apart. Functions and channels are refused. A function that may fail is given
// by [Must]. A mechanism that panics,
// returns an error, hangs, or breaks these rules in a way that is seen ends the test by
// t.Fatal with a message that names the claim.
package dptest
