// Package prestige holds the claims of Han et al. 2018, "Privacy-preserving Stochastic Gradual Learning". Package
// algorithms/localsgd has its algorithms.
//
//	sampling.go   Proposition 1 and its proof: the privacy of private sampling
//	gradient.go   the angle of a private gradient; eqs. (17) and (18), and the losses and regularizers of the paper
//	domain.go     the premise of Proposition 1 along the steps of Algorithm 1, and the premise of Theorem 1
//	response.go   Proposition 2 and Lemma 1: randomized response, composition
//	local.go      local and global privacy: Sect. 3.1, Remark 3
//	curriculum.go the first epoch
//	order.go      the order in which records update w, and the labels of the selected records
//	whole.go      the privacy of a step and of a run; runlaw.go computes their exact distribution
//	unbiased.go   Lemma 2 and its proof: the constant B; surface.go: the surface of the sphere in its proof
//	lines.go      the algebra in the proof of Theorem 1, and Remarks 4 to 6
//	noise.go      eq. (26), the mean of the gradient noise
//	constants.go  the inequalities behind Theorem 1 and Corollary 1
//	theorem*.go   Theorem 1 and Corollary 1 as bounds on the gap of a run
//	experiments*.go the text about the tables and figures, and measurements on A7A
//	prose*.go     statements outside theorems about noise and rates
//	settings*.go  observations at the paper's own settings
//
// # Readings
//
// Some statements can be read in more than one way. These readings were fixed before anything was run.
//
//   - thm-1 and the claims below it: see theoremClaims.
//   - prop-1: the exact distribution of eq. (4); prop-1/sampled samples our implementation.
//   - prop-1/domain: the norm of the gradient without projection, as Algorithm 1 is printed.
//   - alg-1/privacy: any two records (x, y) are neighbors, as in Definition 2; alg-1/p-curriculum, alg-1/privacy-label
//     and alg-1/epochs: records that differ only in the label.
//   - remark-1: "earlier" is an earlier epoch; within an epoch the records are shuffled.
//   - eq-26: the mean given w_t over the records that the curriculum selects.
//   - label-noise: a reversed gradient is the gradient under the other label.
//   - remark-5/minimax: a minimax rate is a lower bound up to its constant.
//   - mini-batch/rate: the rate of convergence is the bound of eq. (29) after the same number of records.
//   - table-3/text: each comparison in the text, applied to the printed numbers; hinge/obvious also uses the printed
//     standard deviations of the 20 runs.
//   - table-3/budget: ε n T_max = 1 as printed; …/corrected as a budget per record.
//   - fig-4, fig-6, table-3/a7a: the budget is ε of one update, the reading that favors the paper; fig-4/per-record:
//     ε T_max. All runs project on the ball. "Errs less" is read as "in most runs". SGD is not private.
package prestige

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
)

// ID is the first part of the paper's claim ids.
const ID = "prestige"

// Claims returns the claims of the paper in the paper's order.
func Claims() []verify.Claim {
	return slices.Concat(settingsClaims(), samplingClaims(), gradientClaims(), domainClaims(), responseClaims(),
		localClaims(), curriculumClaims(), orderClaims(), wholeClaims(),
		unbiasedClaims(), surfaceClaims(), lineClaims(), convexityClaims(), noiseClaims(), constantClaims(),
		theoremClaims(),
		proseClaims(), experimentClaims())
}

// The grid on which the statements are evaluated: dimensions from 1 to MNIST's 784, with A7A's 123, and privacy levels
// from far below the paper's restriction ε ≤ 1 to above it.
var (
	dimensions = []int{1, 2, 3, 10, 123, 784}
	epsilons   = []float64{0.01, 0.1, 0.2, 0.5, 1, 2}
)

const gridWords = "d ∈ {1, 2, 3, 10, 123, 784}, ε ∈ {0.01, 0.1, 0.2, 0.5, 1, 2}"

// diagonal returns the multiple of (1, …, 1) in R^d with the given signed length.
func diagonal(d int, length float64) []float64 {
	v := make([]float64, d)
	for i := range v {
		v[i] = length / math.Sqrt(float64(d))
	}
	return v
}

// onSphere draws a uniform point of the unit sphere in R^d.
func onSphere(r *rand.Rand, d int) []float64 {
	x := make([]float64, d)
	for {
		for j := range x {
			x[j] = rng.Normal(r)
		}
		if n := floats.Norm(x, 2); n > 0 {
			floats.Scale(1/n, x)
			return x
		}
	}
}
