// Package prestige is the ledger of Han et al. 2018, "Privacy-preserving
// Stochastic Gradual Learning".
//
//	sampling.go   Proposition 1 and its proof: the privacy of private sampling
//	domain.go     its premise along the steps of Algorithm 1
//	response.go   Proposition 2 and Lemma 1: randomized response, composition
//	unbiased.go   Lemma 2 and its proof: the constant B
//	constants.go  the inequalities behind Theorem 1 and Corollary 1
//
// # Readings
//
// Where a statement can be read in more than one way, the readings are these,
// fixed before anything is run; each has an id.
//
//   - prop-1: the law of eq. (4) is judged exactly; prop-1/sampled judges the
//     reference implementation by its samples.
//   - prop-1/domain: the norm of the gradient without projection, as Algorithm 1
//     is printed; …/projected with w kept in the ball of radius R, as Theorem 1
//     assumes; …/zero for the other half of the premise, g ≠ 0.
//   - eq-8-9: the equation between a supremum and e^−ε; …/bound is the inequality
//     that the proof of Proposition 1 takes from it.
//   - prop-2: the optimum under local privacy as Definition 2 has it;
//     …/rows is the proof's premise that privacy bounds the ratios within a row.
//   - eq-13: its last line, the closed form; …/chain its first line against its last.
//   - eq-30: the inequality between gamma functions; …/bound is the bound on B.
package prestige

import (
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// ID is the paper's name in the ledger.
const ID = "prestige"

// Claims returns the claims of the paper in its own order.
func Claims() []verify.Claim {
	return slices.Concat(samplingClaims(), domainClaims(), responseClaims(), curriculumClaims(), wholeClaims(), lineClaims(), noiseClaims(), unbiasedClaims(), constantClaims(), tableClaims())
}

// The grid on which the statements are evaluated: dimensions from the least to
// that of MNIST, A7A's 123 among them, and privacy levels from far below to
// above the paper's restriction ε ≤ 1.
var (
	dimensions = []int{1, 2, 3, 10, 123, 784}
	epsilons   = []float64{0.01, 0.1, 0.2, 0.5, 1, 2}
)

const gridWords = "d ∈ {1, 2, 3, 10, 123, 784}, ε ∈ {0.01, 0.1, 0.2, 0.5, 1, 2}"
