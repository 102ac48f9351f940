// Package prestige holds the claims of Han et al. 2018, "Privacy-preserving Stochastic Gradual Learning". Package
// algorithms/localsgd has its algorithms.
//
//	sampling.go   Proposition 1 and its proof: the privacy of private sampling
//	gradient.go   the angle of a private gradient; eqs. (17), (18) and the losses and regularisers they are used for
//	domain.go     the premise of Proposition 1 along the steps of Algorithm 1, and the premise of Theorem 1
//	response.go   Proposition 2 and Lemma 1: randomized response, composition
//	local.go      local and global privacy: Sect. 3.1, Remark 3
//	curriculum.go the first epoch
//	order.go      the order in which records update w, and the labels that do
//	whole.go      the privacy of a step and of a run; runlaw.go is their exact law
//	unbiased.go   Lemma 2 and its proof: the constant B; surface.go: its lines on the sphere
//	lines.go      the lines of the proof of Theorem 1 that are algebra, and the remarks
//	noise.go      eq. (26), the mean of the gradient noise
//	constants.go  the inequalities behind Theorem 1 and Corollary 1
//	theorem*.go   Theorem 1 and Corollary 1 as bounds on the gap of a run
//	experiments*.go the tables and figures: their text, and measurements on A7A
//	prose*.go     the prose on noise and rates
//	settings*.go  observations at the paper's own settings
//
// # Readings
//
// Some statements can be read in more than one way. These readings were fixed before anything was run.
//
//   - thm-1 and the claims below it: see theoremClaims.
//   - prop-1: the distribution of eq. (4) is judged exactly; prop-1/sampled judges the implementation by its samples.
//   - prop-1/domain: the norm of the gradient without projection, as Algorithm 1 is printed.
//   - alg-1/privacy: neighbours are records (x, y), as Definition 2 has them; alg-1/p-curriculum, alg-1/privacy-label
//     and alg-1/epochs: records that differ in the label alone.
//   - remark-1: "earlier" is an earlier epoch; within an epoch the order is the shuffled one.
//   - eq-26: the mean given w_t over the records that the curriculum selects.
//   - label-noise: a reversed gradient is the gradient under the other label.
//   - remark-5/minimax: a minimax rate is a lower bound up to its constant.
//   - mini-batch/rate: the rate of convergence is the bound of eq. (29) after the same number of records.
//   - table-3/text: the comparisons of the text on the printed numbers, one id each; hinge/obvious with the deviations
//     of the 20 runs.
//   - table-3/budget: ε n T_max = 1 as printed; …/corrected as a budget per record.
//   - fig-4, fig-6, table-3/a7a: the budget is ε of one update, the most favourable reading; fig-4/per-record: ε T_max.
//     All project on the ball. "Errs less" is read as "in most runs". SGD has no privacy.
package prestige

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
)

// ID is the paper's name in the ledger.
const ID = "prestige"

// Claims returns the claims of the paper in its own order.
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

// diagonal is the vector of R^d along (1, …, 1) with the given length, signed.
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
