// Package dptest tests claims about differentially private Go code with go test.
//
//	func TestNoisyCount(t *testing.T) {
//		Audit(t, noisyCount, privacy.ApproximateDP(1, 0), Pair([]bool{true}, []bool{}))
//	}
//
// Other tests check other properties of a release:
//
//	Unbiased      its mean (UnbiasedOver: the worst of many inputs)
//	Distribution  its distribution (DistributionOver: the worst of many inputs)
//	Rate          how fast an error decreases along a grid
//	Sensitivity   the sensitivity of a map before noise is added
//	Precision     leaks through the low-order bits of its numbers
//	Account       the privacy loss of a description
//	Canaries      a training algorithm, from one run (CanaryAudit: from recorded scores)
//	MultiRun      a training algorithm, from many runs
//	Premises      the premises of a training's account, in the log of one run or of two neighboring runs
//	Replay        privacy by recording its noise calls and replaying them
//	Check, Claim  any check of the packages under verify; a claim with its control
//
// A mechanism is a function of a random source and an input, or a [verify.Mechanism]. A claim is any
// [privacy.Guarantee]. The inputs are [Pairs] of neighbors, pairs [Generated] from a space of datasets, or
// [RandomPairs] from generators of pgregory.net/rapid. [Inputs.And] joins several of these. If a drawn pair
// violates the claim, the audit shrinks it as rapid does. Package inputs describes spaces of arbitrary inputs, and
// the option [Search] makes an audit search such a space for the worst pair.
//
// # Meaning of a failure
//
// A test fails with "refuted" if the audit found a pair of inputs and an output event that violate the claim. It
// certifies the violation on new samples, drawn after it chose the pair and the event. Each call refutes a true
// claim with probability at most 1e-9 (see [Alpha]). The probability covers all pairs, drawn pairs and the search
// for a smaller pair.
//
// All randomness comes from one fixed seed, so a test is not flaky: it always passes or always fails. [Seed] and
// the environment variable DPTEST_SEED change the seed; DPTEST_SEED has precedence. Running with m different seeds
// multiplies the probability of a false refutation by at most m. With [Evidence] it does not.
//
// A mechanism can draw from another source, for example from crypto/rand inside a library. The audit detects that
// two releases with equal seeds differ. Each run then counts as a run with a new seed and the message says so. The
// command in the message runs the test again but does not reproduce its figures.
//
// # Meaning of a pass
//
// A pass means that no violation was found on the tested pairs and events. The test logs the violations that it
// would have detected: a small violation, 1.25 ε (see [Effect]), and a large violation, ε + 1 on events of at least
// a stated probability (see [EventProbability]). Package verify describes both and the families of events.
//
// If there were too few samples for that, the test logs the required number. It then passes unless it is [Strict].
// A pass is not a proof: other pairs, rarer events and side channels such as timing are not tested. A separate
// check tests the low-order bits of the outputs on two of the pairs, see [LowBits] and [Precision].
//
// # Evidence of many runs
//
// By default every run draws the same samples and learns nothing new. With the option [Evidence], each run of a test,
// for example every night, draws new samples and adds its evidence to a file. A claim is refuted when the evidence of
// all runs suffices. A true claim is ever refuted with probability at most alpha, so smaller violations are found.
//
//	Audit(t, noisyCount, privacy.ApproximateDP(1, 0), pairs, Evidence("testdata/noisy_count.jsonl"), EvidenceStart(1))
//
// Each test has a file of its own and keeps its [Alpha], and the file must outlive the run. A missing file fails the
// test, because a lost file restarts the evidence. To begin the files of new tests, run them once with
//
//	DPTEST_EVIDENCE_NEW=1 go test -count=1 -run '^TestNoisyCount$' ./...
//
// After a loss raise [EvidenceStart] by 1 as well. After a fix of the mechanism set a new [EvidenceVersion].
//
// The option -count=1 is necessary: go test otherwise repeats the cached result and adds no run. DPTEST_RUN sets the id
// of the run, for example to the number of the CI run. By default the id is the number of the run. The seed and the
// id determine the samples, so a repeated id is rejected. If two machines continue the same file, the command
// "dpverify evidence A B -o FILE" merges their files, but each machine has decided with the whole alpha. The same
// command shows the evidence against each version. A run that fails with t.Fatal is not added.
//
// # Rules for mechanisms
//
// A mechanism must
//   - draw all its randomness from the given source (see above for mechanisms that cannot);
//   - be safe for concurrent use;
//   - leave its input unchanged;
//   - return outputs that it does not change later.
//
// Outputs may have any type that consists of values: numbers, strings, booleans, pointers, slices, arrays, maps,
// structs and times. A nil pointer is a distinct output. Package outputs documents how an output is split into
// values. Functions and channels are rejected. Wrap a function that can return an error with [Must].
//
// If a mechanism panics, returns an error, hangs or is seen to break a rule, the test ends with t.Fatal and a
// message that names the claim.
package dptest
