// Package curricula holds the claims of An & Shi 2021, "Differentially Private Stochastic Gradient Descent with
// Curricula".
//
//	renyi.go        Section 3.2: divergences, their sums, Theorem 3.1
//	schedules.go    Table 1: its ends, and which schedules mirror each other
//	epsilon.go      the comparison of a printed ε with a recomputed one
//	accounting.go   the ε of Tables 2 and 3, the batches of Algorithm 1
//	sensitivity.go  the clipped gradient, the order of Algorithm 2
//	attack.go       shuffled batches, by samples of the implementation
//	tables.go       the accuracies of Tables 2 to 4, Sections 5.1 and 6.2
//	statements.go   other lines of the text
//	causes.go       gains in accuracy, the reasons of Section 6.3
//	settings.go     what follows at the parameters of Section 3.3
//	mnist.go        the curricula trained on MNIST; contest.go how runs are compared
//
// # Readings
//
// Some statements can be read in more than one way. These readings were fixed before anything was run.
//
//   - table-1/range: t ∈ [1, T], as in Algorithm 1. All other claims count t from 0 to T − 1.
//   - alg-1/sensitivity: the mean gradient of a batch clipped, as printed, and one record added or removed.
//   - alg-1/sampling: batches that split the data, in a new random order each epoch (Section 4.1).
//   - alg-2/order: the order by the loss of another, fixed model; …/trained: of a model trained on the same records.
//   - table-2/eps: Poisson sampling at 600/60000, 100 steps an epoch, conversion by Theorem 3.1; …/corrected: with
//     the conversion of Canonne, Kamath & Steinke. …/poisson: the printed ε as guarantees for Poisson samples;
//     …/replace-one: for a replaced record; …/as-written: for Algorithm 1 as printed.
//   - table-2/accuracy: single runs on one test set.
//   - table-4/gains: "more slowly" by steps of one multiplier.
//   - noise-curriculum/mnist, sample-curriculum/mnist: a difference of at least half of the printed one, on all
//     images; the batch gradient clipped, as printed, without noise.
//
// # Statements without a claim
//
// Reason 1 of Section 6.3 blames the difference between the logistic regression of the order and the network, but in
// sample-curriculum/mnist both are softmax regressions. The sizes of the network are not printed, so its need for more
// epochs cannot be tested. Section 7 says that difficulty is not evenly distributed, without a definition of its
// levels. Statements about earlier work, and those that the paper calls possible or preliminary, are not tested.
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
