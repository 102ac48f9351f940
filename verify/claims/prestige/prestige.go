// Package prestige holds the claims of Han et al. 2018, "Privacy-preserving Stochastic Gradual Learning". Package
// algorithms/localsgd has its algorithms.
//
//	sampling.go   Proposition 1 and its proof: the privacy of private sampling
//	gradient.go   what else is said of a private gradient; eqs. (17), (18) and the losses they are used for
//	domain.go     the premise of Proposition 1 along the steps of Algorithm 1
//	response.go   Proposition 2 and Lemma 1: randomized response, composition
//	local.go      local privacy beside Proposition 2: Sect. 3.1, Remarks 2 and 3
//	curriculum.go Definition 3, the threshold's schedule, the first epoch
//	order.go      the order in which records update w, and the labels that do
//	whole.go      the privacy of a step and of a run; runlaw.go is their exact law
//	unbiased.go   Lemma 2 and its proof: the constant B; surface.go: its lines on the sphere
//	lines.go      the lines of the proof of Theorem 1 that are algebra, and the remarks
//	noise.go      eq. (26), the mean of the gradient noise
//	constants.go  the inequalities behind Theorem 1 and Corollary 1
//	theorem*.go   Theorem 1 and Corollary 1 as bounds on what a run reaches
//	experiments*.go the tables and figures: their text, and what is measured on A7A
//	prose*.go     what the prose says of noise, privacy levels and rates
//	settings*.go  what follows at the paper's own settings
//
// # Readings
//
// Where a statement can be read in more than one way, the readings are these,
// fixed before anything is run; each has an id.
//
//   - thm-1 and what is below it: see theoremClaims. alg-1/threshold: that D_th falls; …/readmitted what follows for
//     a record.
//   - prop-1: the law of eq. (4) is judged exactly; prop-1/sampled judges the
//     reference implementation by its samples.
//   - prop-1/domain: the norm of the gradient without projection, as Algorithm 1
//     is printed; …/projected with w kept in the ball of radius R, as Theorem 1
//     assumes; …/zero for the other half of the premise, g ≠ 0.
//   - eq-8-9: the equation between a supremum and e^−ε; …/bound is the inequality
//     that the proof of Proposition 1 takes from it.
//   - prop-2: the optimum under local privacy as Definition 2 has it;
//     …/rows is the proof's premise that privacy bounds the ratios within a row.
//   - def-3: the words of the definition, "predicted label", which is ±1; …/corrected
//     is the score of line 8 of Algorithm 1.
//   - alg-1/p-curriculum, alg-1/privacy: neighbours are records (x, y), as Definition 2 has them;
//     alg-1/privacy-label and alg-1/epochs: records that differ in the label alone.
//     …/sampled runs the implementation.
//   - alg-1/threshold/epochs: whether the threshold decides anything in each of the ten epochs.
//   - alg-1/first-epoch: what its updates carry; …/unit-ball whether there are any.
//   - eq-23: the whole chain, from the sum to R²/(2η_T); …/first its first inequality.
//   - eq-26: the mean given w_t over the records that the curriculum selects;
//     …/true-labels all selected, F over the labels as they are; …/without-replacement
//     the second update of an epoch.
//   - remark-4: the order in λ; …/fixed-lambda in all else; …/updates the number T.
//   - table-3/text: the comparisons of the text on the printed numbers, one id each;
//     …/chance with the deviations of the 20 runs.
//   - table-3/budget: ε n T_max = 1 as printed; …/corrected as a budget per record.
//   - eq-13: its last line, the closed form; …/chain its first line against its last.
//   - eq-30: the inequality between gamma functions; …/bound is the bound on B.
//   - fig-4, table-3/a7a: the budget as printed, ε n T_max; …/per-record as ε T_max, …/per-update
//     as ε of one update. Fig. 4 literally has the printed step without projection, as has
//     …/unprojected; the others project. "Errs less" is read as "in most runs". At equal budget the
//     SGD has none.
//   - fig-6: the error of DJW; …/prestige that of PRESTIGE, …/deviation the distance between two runs.
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
		unbiasedClaims(), surfaceClaims(), lineClaims(), convexityClaims(), noiseClaims(), constantClaims(), theoremClaims(),
		proseClaims(), experimentClaims())
}

// The grid on which the statements are evaluated: dimensions from the least to
// that of MNIST, A7A's 123 among them, and privacy levels from far below to
// above the paper's restriction ε ≤ 1.
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
