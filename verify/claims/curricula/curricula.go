// Package curricula holds the claims of An & Shi 2021, "Differentially Private Stochastic Gradient Descent with
// Curricula".
//
//	renyi.go        Section 3.2: Rényi divergences, their sums, Theorem 3.1
//	schedules.go    Table 1: the range and the ends of the schedules, and mirrored schedules
//	epsilon.go      the comparison of a printed ε with a recomputed one
//	accounting.go   the ε of Tables 2 and 3, the batches of Algorithm 1
//	sensitivity.go  the sensitivity of clipped gradients, and the order of Algorithm 2
//	attack.go       an attack on shuffled batches, sampled from our implementation
//	tables.go       the accuracies of Tables 2 to 4, Sections 5.1 and 6.2
//	statements.go   the noise of Algorithm 1 and the claim of Section 2.3
//	causes.go       gains in accuracy, the reasons of Section 6.3
//	settings.go     observations at the parameters of Section 3.3
//	mnist.go        the curricula trained on MNIST; contest.go compares the runs
//
// # Readings
//
// Some statements can be read in more than one way. These readings were fixed before anything was run.
//
//   - table-1/range: t ∈ [1, T], as in Algorithm 1. All other claims count t from 0 to T − 1.
//   - alg-1/sensitivity: the clipped mean gradient of a batch, as printed, with one record added or removed.
//   - alg-1/sampling: batches that partition the data, in a new random order each epoch (Section 4.1).
//   - alg-2/order: the order by the loss of another, fixed model; …/trained: of a model trained on the same records.
//   - table-2/eps: Poisson sampling at 600/60000, 100 steps an epoch, conversion by Theorem 3.1; …/corrected: with
//     the conversion of Canonne, Kamath & Steinke. …/poisson: the printed ε as guarantees for Poisson batches;
//     …/replace-one: for a replaced record; …/as-written: for Algorithm 1 as printed.
//   - table-2/accuracy: single runs on one test set.
//   - table-4/gains: "more slowly" in steps of one multiplier.
//   - noise-curriculum/mnist, sample-curriculum/mnist: a difference of at least half of the printed one, on all
//     images; the batch gradient clipped, as printed, without noise.
//
// # Statements without a claim
//
// Reason 1 of Section 6.3 is the difference between the network and the logistic regression that gives the order, but
// in sample-curriculum/mnist both are softmax regressions. The paper does not state the size of the network, so its
// need for more epochs cannot be tested. Section 7 says that difficulty is not evenly distributed, but does not define
// levels of difficulty. Statements about earlier work, and those that the paper calls possible or preliminary, are not
// tested.
package curricula

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// ID is the first part of the paper's claim ids.
const ID = "curricula"

// Claims returns the claims of the paper.
func Claims() []verify.Claim {
	return slices.Concat(settingsClaims(), renyiClaims(), scheduleClaims(), sensitivityClaims(), samplingClaims(),
		attackClaims(), accountingClaims(), tableClaims(), statementClaims(), causeClaims(), mnistClaims())
}

// Parameters of the experiments, from Section 3.3 and Tables 2 and 3.
const (
	epochs = 20
	rate   = 600. / 60000
	steps  = 60000 / 600 // batches per epoch
	delta  = 1e-5
)
