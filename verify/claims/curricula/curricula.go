// Package curricula holds the claims of An & Shi 2021, "Differentially Private Stochastic Gradient Descent with
// Curricula".
//
//	renyi.go        Section 3.2: divergences, their sums, Theorem 3.1
//	schedules.go    Table 1: its ends, and which schedules mirror each other; the t of Algorithm 1
//	epsilon.go      how a printed ε is held against a recomputed one
//	accounting.go   the ε of Tables 2 and 3, the batches of Algorithm 1
//	sensitivity.go  the clipped gradient, the order of Algorithm 2
//	attack.go       both by samples of the implementation
//	tables.go       the accuracies of Tables 2 to 4, Sections 5.1 and 6.2
//	statements.go   lines of the text beside these
//	causes.go       the shape of a schedule, gains, the reasons of Section 6.3
//	settings.go     what follows at the parameters of Section 3.3
//	mnist.go        the curricula trained on MNIST; contest.go how runs are compared
//
// # Readings
//
// Where a statement can be read in more than one way, the readings are these,
// fixed before anything is run; each has an id.
//
//   - renyi-divergence: the second display of step 1, to the letter;
//     …/corrected is what its right-hand side is.
//   - renyi-inequality: to the letter, both sides with the ratio M(S)/M(S′);
//     …/roles with the ratio inverted on the right, as Mironov, Talwar & Zhang prove
//     it, and S′ the larger data set.
//   - renyi-additivity: product laws, as the paper writes them; …/adaptive for
//     epochs that start where the last one ended, as Algorithm 1 runs them.
//   - table-1/range: t ∈ [1, T] as in Algorithm 1; …/corrected t ∈ [0, T−1];
//     …/ends for the caption, "begins with 5 and gradually decreases to 1".
//   - table-1/mirror: the three shapes for which Table 2 prints one ε, t from 0;
//     …/index with t from 1; …/all-shapes with the quadratic pair of Table 1.
//   - alg-1/sensitivity: the mean gradient of a batch clipped, as printed, one
//     record added or removed; …/replace one replaced; …/per-example each sample
//     clipped and the sum released, as in the paper's reference [1].
//   - alg-1/sampling: fixed batches, as printed; …/shuffled as Section 4.1 says.
//   - alg-2/order: the loss of another, fixed model; a record is replaced.
//     …/same-loss where the record keeps its place.
//   - table-2/eps: the divergence that Section 3.2 defines first, t from 0, Poisson sampling at
//     600/60000 with 100 steps an epoch, conversion by Theorem 3.1. …/corrected
//     with the conversion of Canonne, Kamath & Steinke, …/orders at the orders of the usual tutorials;
//     …/index t from 1;
//     …/per-epoch one sampled release an epoch; …/divergence with the last
//     display of step 1; …/poisson whether the printed ε are guarantees at all
//     if batches were Poisson samples; …/replace-one the same for a replaced
//     record; …/as-written what Algorithm 1 as printed costs.
//   - table-2/accuracy, table-3/accuracy: single runs on one test set;
//     …/corrected the printed order.
//   - table-2/shape: "similar" as nearer than to the other schedules; log-law/slower, table-4/gains: "more slowly" by
//     steps of the multiplier; reason-3: "affect" as bring into another batch, "small subset" as at most half.
//   - fig-4/proportional: "proportional" as through 0, where Section 6.2 has "linear"; table-4/monotone: of every
//     printed run.
//   - noise-curriculum/mnist, sample-curriculum/mnist: half of the printed difference as one that matters, on all
//     images; the batch gradient clipped, as printed, without noise; …/per-example each sample clipped.
//
// # Statements without an id
//
// Nothing can be computed of these: Algorithm 1 takes its batches from D′, which Algorithm 2 alone
// defines (D is taken); C is the number of classes, the clipping bound and the list that is sorted. Reason 1 of
// Section 6.3 blames the difference between the logistic regression of the order and the network: in
// sample-curriculum/mnist both are softmax regressions. That the network needs more epochs for 98 % is of an
// architecture whose sizes are not printed; that difficulty is not evenly distributed (Section 7) of levels that are
// not defined; what earlier work did is of the literature. What is called possible, potential or preliminary is no
// claim.
package curricula

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// ID is the paper's name in the ledger.
const ID = "curricula"

// Claims returns the claims of the paper in its own order.
func Claims() []verify.Claim {
	return slices.Concat(settingsClaims(), renyiClaims(), scheduleClaims(), sensitivityClaims(), samplingClaims(),
		attackClaims(), accountingClaims(), tableClaims(), statementClaims(), causeClaims(), mnistClaims())
}

// What Section 3.3 and Tables 2 and 3 state of the experiments.
const (
	epochs = 20
	rate   = 600. / 60000
	steps  = 60000 / 600 // of an epoch
	delta  = 1e-5
)
