// Random allocation. The files of this part bound the privacy of random allocation (balls in bins): in an epoch of t
// steps each
// record takes part in k steps chosen uniformly at random, independently of all others, and each step is a
// Gaussian mechanism with noise multiplier σ. The bounds are finite laws, to be composed over epochs.
//
// The work on the grid is all in sums of positive terms, without transforms: tails of 1e-26 keep their digits.
//
// AllocatedPair. Let R_i = exp(y_i/σ − 1/(2σ²)), y_i standard normal, be the likelihood ratio of step i. With the
// record
// left out the outputs have the law Q = N(0, σ²I), with it P = XQ, X the mean of the products of R_i over
// the k-subsets (for k = 1 the mean of all R_i). Whatever a mechanism adds of norm at most 1 in each step, chosen
// by what came before, its outputs are made of these by a randomisation that is the same under both: scale y_i
// by the norm, turn it, add what noise is missing. So (P, Q) dominates; it is itself such a mechanism, so
// that a bound from below of it is one of the worst case (Chua et al. 2024, arXiv 2412.16802; Feldman & Shenfeld
// 2025, arXiv 2502.08202 and 2602.17284).
//
// Curve. With γ = e^ε, E_γ(P‖Q) = E_Q(X − γ)⁺ and E_γ(Q‖P) = E_Q(1 − γX)⁺: expectations of convex functions, which
// grow in the convex order of X, hence in that of every R_i; and sums of independent terms keep the order.
//
// Above (k = 1). Every R_i is spread along chords: what lies between two points of a grid moves to both, mass and
// mean kept. Sums of two laws are taken pair by pair and spread again on a grid of their own, doubling by
// doubling: about 2·log₂ t sums of n² products for n points. Grids are finer where mass is, so that laws over
// e^{±8/σ} are no worse than narrow ones, and the error is that of the last sums, of order 1/n², since averaging
// shrinks those before. Only R's own tail is cut: by R = R·1{z ≤ Z} + R·1{z > Z} the first part is an atom at 0
// for what is cut, and the second, whose mean is P(z > Z) for any t, a mass of infinite loss. So the law's atoms
// X′ and that mass e satisfy E(X − γ)⁺ ≤ E(X′ − γ)⁺ + e and E(1 − γX)⁺ ≤ E(1 − γX′)⁺.
//
// Below (any k). A statistic of the outputs, by a tree: the cell of a step's output; then the cell of the sum of
// the scores of two halves; and so on. The law of the cell under Q, and with j of the steps so far taken, j ≤ k,
// follow exactly, mixed with hypergeometric weights; any statistic has a curve below that of the pair. For k = 1
// the score is R itself and a cell's ratio the conditional mean of X (Jensen), of the same order 1/n².
//
// Above (k > 1). A uniform k-subset is what one gets by dividing the steps at random into k groups of ⌊t/k⌋ or
// ⌊t/k⌋+1 steps and taking one of each. So P is a mean over partitions, Q the same for all, E_γ jointly convex, and
// k allocations of one step each, t mod k of them of the larger size, composed, dominate, for all t ≥ k: no
// divisibility is needed (Feldman & Shenfeld 2025, reduction of k to 1). That is not tight.
//
// Replacing a record (k = 1). The outputs with either record have ratios X and X′ to those with neither, means of
// R_i and R′_i of step i; E_γ is E_Q(ΣD_i)⁺/t, D_i = R_i − γR′_i. Given what came before, each term of D_i is at
// most that of e^{y/σ−1/(2σ²)} − γe^{−y/σ−1/(2σ²)} in the convex order, and those are comonotone: so is their
// sum, whatever the angle of the two contributions (Dhaene et al. 2002). From the last step to the first,
// independent terms of that law are hence the worst, and are attained by contributions of opposite signs. They
// depend on γ: both bounds are found at many γ, the laws are those of the chords through the bounds from above
// (their convex hull, as the curve is convex), and of the lines of the events {ΣD_i > 0} from below. For k > 1
// groups interleave: the composition of dominating pairs holds concurrently too (Vadhan & Zhang 2022, arXiv
// 2207.08335). Below, the score is that of γ = 1 alone.
//
// Rounding. All terms are positive, so errors are relative: of masses by the number of operations, doubled
// with the steps, and of points by the number of levels. The laws returned are moved by these bounds to their safe
// side; their masses then need not sum to one. That is in order: for positive measures, too, composition keeps
// an order of curves that holds for all γ ≥ 0.

package pld

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// tailLog is the logarithm of the probability under either law that tails may have: far below any δ.
const tailLog = -60

// reachOf returns the point z beyond which both laws N(0, 1) and N(±shift, 1) have tails of at most e^tailLog.
func reachOf(shift float64) float64 { return shift + numeric.TailPoint(tailLog) }

// rule is the Gauss–Legendre rule of 8 points on (0, 1).
var rule = func() (r struct{ x, w [8]float64 }) {
	quad.Legendre{}.FixedLocations(r.x[:], r.w[:], 0, 1)
	return r
}()

// panels calls visit with the nodes of (from, to), as distances from its lower end, and their weights.
//
// The 16th derivative of φ(z) is at most (|z|+2.5)¹⁶φ(z), by E(z + iY)¹⁶, and e^{sz}φ(z) is a shifted φ. So with
// panels of width w, w(|z| + s + 2.5) ≤ 1, the rule is off by 1.7e-23·e of the integrand's largest value times w.
func panels(from, to, shift float64, visit func(distance, weight float64)) {
	width := to - from
	n := math.Ceil(width * (math.Max(math.Abs(from), math.Abs(to)) + shift + 2.5))
	for i := range int(n) {
		for j, x := range rule.x {
			visit(width*(float64(i)+x)/n, width*rule.w[j]/n)
		}
	}
}

// stepError bounds the relative error of masses of cells: exponents of up to reach² are rounded.
func stepError(reach, shift float64) float64 {
	r := reach + 2*shift
	return unit * (128 + 4*r*r)
}

// density is the standard normal density.
func density(z float64) float64 { return math.Exp(-z*z/2 - numeric.LogSqrt2Pi) }

// stepAbove spreads R = exp(sz − s²/2), z standard normal, along chords between so many points, and returns the
// mean of what it cuts off at the top.
func stepAbove(shift float64, cells int) (a *above, infinite float64) {
	reach := reachOf(shift)
	edge := func(i int) float64 { return reach * (2*float64(i)/float64(cells) - 1) }
	a = &above{
		x: make([]float64, cells+2), q: make([]float64, cells+2), steps: 1, reach: reach,
		// The edges are exact, the points next to them rounded.
		jitter: 8 * unit * (1 + shift*reach + shift*shift), eta: stepError(reach, shift),
	}
	for i := range cells + 1 {
		a.x[i+1] = math.Exp(shift*edge(i) - shift*shift/2)
	}
	for i := range cells {
		from, to := edge(i), edge(i+1)
		whole := math.Expm1(shift * (to - from))
		panels(from, to, shift, func(d, w float64) {
			w *= density(from + d)
			a.q[i+2] += w * math.Expm1(shift*d) / whole
			a.q[i+1] += w * math.Exp(shift*d) * math.Expm1(shift*(to-from-d)) / whole
		})
	}
	const slack = 1 + 1e-9
	// Below: the chord from 0, at most all of the mass at 0 and all of the mean at the first point. Above: 0.
	a.q[0] = 2 * math.Exp(numeric.LogPhi(-reach)) * slack
	a.q[1] += math.Exp(numeric.LogPhi(-reach-shift)) / a.x[1] * slack
	return a, math.Exp(numeric.LogPhi(shift-reach)) * slack
}

// stepOpposed spreads D = R(z) − γR(−z) along chords between so many points, and returns the mean of what it cuts
// off. Its points are not below those of D.
func stepOpposed(shift, gamma float64, cells int) (a *above, infinite float64) {
	reach := reachOf(shift)
	edge := func(i int) float64 { return reach * (2*float64(i)/float64(cells) - 1) }
	ratio := func(z float64) float64 { return math.Exp(shift*z - shift*shift/2) }
	// rise is D(z + d) − D(z), d ≥ 0.
	rise := func(z, d float64) float64 {
		return ratio(z)*math.Expm1(shift*d) - gamma*ratio(-z)*math.Expm1(-shift*d)
	}
	a = &above{
		x: make([]float64, cells+1), q: make([]float64, cells+1), steps: 1, reach: reach, eta: stepError(reach, shift),
	}
	jitter := 16 * unit * (1 + shift*reach + shift*shift)
	for i := range a.x {
		up, down := ratio(edge(i)), gamma*ratio(-edge(i))
		a.x[i] = up - down + jitter*(up+down)
	}
	for i := range cells {
		from, to := edge(i), edge(i+1)
		whole := rise(from, to-from)
		panels(from, to, shift, func(d, w float64) {
			w *= density(from + d)
			a.q[i+1] += w * rise(from, d) / whole
			a.q[i] += w * rise(from+d, to-from-d) / whole
		})
	}
	const slack = 1 + 1e-9
	// Beyond the ends D is at most R, and 0 is moved up to the next point.
	var points []point
	for i, x := range a.x {
		z := edge(i)
		points = append(points, point{x, [3]float64{density(z), density(z - shift), density(z + shift)}})
	}
	a.regroup(points)
	zero, _ := slices.BinarySearch(a.x, 0)
	a.q[zero] += 2 * math.Exp(numeric.LogPhi(-reach)) * slack
	return a, 2 * math.Exp(numeric.LogPhi(shift-reach)) * slack
}
