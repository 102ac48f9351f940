// The allocation files bound the privacy of random allocation (balls in bins). In an epoch of t steps, each record
// takes part in k steps, which are chosen uniformly at random and independently of other records. Each step is a
// Gaussian mechanism with noise multiplier σ, or dominated by another pair (see StepPair). The bounds are finite
// distributions, which can be composed over epochs.
//
// The grid computations only add positive terms, without transforms. Even tails of 1e-26 keep their digits.
//
// Pair. Let R_i = exp(y_i/σ − 1/(2σ²)), with standard normal y_i, be the likelihood ratio of step i. Without the
// record, the outputs have the distribution Q = N(0, σ²I). With it, they have P = XQ, where X is the mean over the
// k-subsets of the products of R_i (for k = 1, the mean of all R_i). A mechanism may add any vector of norm at most 1
// in each step, chosen from earlier outputs. Its outputs are a randomization of these, the same for P and Q: scale y_i
// by the norm, rotate it, and add the missing noise. So (P, Q) dominates. It is itself such a mechanism, so a lower
// bound for it is a lower bound for the worst case (Chua et al. 2024, arXiv 2412.16802; Feldman & Shenfeld 2025, arXiv
// 2502.08202 and 2602.17284).
//
// Curve. With γ = e^ε, E_γ(P‖Q) = E_Q(X − γ)⁺ and E_γ(Q‖P) = E_Q(1 − γX)⁺. These are expectations of convex functions,
// so they increase in the convex order of X, and therefore in the convex order of every R_i. Sums of independent terms
// preserve the order.
//
// Upper bound for k = 1. Every R_i is spread along chords: the probability between two grid points moves to both
// points, with the same total and mean. The distribution of a sum is computed pair by pair and spread again on its own
// grid. Doubling needs about 2·log₂ t sums of n² products for n points. Grids are finer where the probability is, so
// distributions over e^{±8/σ} are as accurate as narrow ones. The error is that of the last sums, of order 1/n²,
// because averaging shrinks the earlier errors. Only the tail of R is cut. In R = R·1{z ≤ Z} + R·1{z > Z}, the first
// part has an atom at 0 for the cut tail. The mean of the second part is P(z > Z) for any t, and becomes the
// probability e of infinite loss. So the atoms X′ satisfy E(X − γ)⁺ ≤ E(X′ − γ)⁺ + e and E(1 − γX)⁺ ≤ E(1 − γX′)⁺.
//
// Lower bound for any k. Use a statistic of the outputs, computed along a tree: the cell of a step's output, then the
// cell of the sum of the scores of two halves, and so on. The distribution of the cell under Q, and with j ≤ k of the
// steps taken so far, is exact; halves are mixed with hypergeometric weights. Every statistic has a curve below that of
// the pair. For k = 1, the score is R and a cell's likelihood ratio is the conditional mean of X (Jensen), so the error
// is also of order 1/n².
//
// Upper bound for k > 1. A uniform k-subset can be chosen as follows: divide the steps at random into k groups of ⌊t/k⌋
// or ⌊t/k⌋+1 steps, and take one step from each. So P is a mean over partitions, Q is the same for all, and E_γ is
// jointly convex. Therefore the composition of k allocations of one step each, t mod k of them with the larger size,
// dominates. This holds for all t ≥ k without divisibility (Feldman & Shenfeld 2025, reduction of k to 1), but is not
// tight.
//
// Replaced record for k = 1. The outputs with either record have likelihood ratios X and X′ relative to the outputs
// with neither; they are means of R_i and R′_i. Then E_γ = E_Q(ΣD_i)⁺/t with D_i = R_i − γR′_i. Given earlier outputs,
// each term of D_i is in the convex order at most the term of e^{y/σ−1/(2σ²)} − γe^{−y/σ−1/(2σ²)}. These two terms are
// comonotone, so their sum is also at most this, for every angle between the two contributions (Dhaene et al. 2002).
// From the last step to the first, independent terms of this distribution are therefore the worst case, and
// contributions of opposite signs attain it. They depend on γ, so both bounds are computed at many γ. From above, the
// result is the convex hull of the bounds, because the curve is convex. From below, it consists of the lines of the
// events {ΣD_i > 0}. For k > 1, groups interleave, and concurrent composition of dominating pairs applies (Vadhan &
// Zhang 2022, arXiv 2207.08335). The lower bound for k > 1 uses only the score of γ = 1.
//
// Rounding. All terms are positive, so errors are relative. Those of probabilities are proportional to the number of
// operations and double with the steps. Those of points are proportional to the number of levels. The returned
// distributions are moved by these bounds to the safe side. Their probabilities then need not add up to one. This is
// valid, because composition preserves an order of curves for all γ ≥ 0 for positive measures too.

package pld

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// tailLog is the log of the maximum probability of a tail under either distribution, far below any δ.
const tailLog = -60

// reachOf returns the point beyond which the distributions N(0, 1) and N(±shift, 1) have tails of at most e^tailLog.
func reachOf(shift float64) float64 { return shift + numeric.TailPoint(tailLog) }

// rule is the Gauss–Legendre rule with 8 points on (0, 1).
var rule = func() (r struct{ x, w [8]float64 }) {
	quad.Legendre{}.FixedLocations(r.x[:], r.w[:], 0, 1)
	return r
}()

// panels calls visit with the nodes of (from, to), as distances from its lower end, and their weights.
//
// The 16th derivative of φ(z) is at most (|z|+2.5)¹⁶φ(z), by E(z + iY)¹⁶, and e^{sz}φ(z) is a shifted φ. So with panels
// of width w and w(|z| + s + 2.5) ≤ 1, the error of the rule is at most 1.7e-23·e times w times the maximum of the
// integrand.
func panels(from, to, shift float64, visit func(distance, weight float64)) {
	width := to - from
	n := math.Ceil(width * (math.Max(math.Abs(from), math.Abs(to)) + shift + 2.5))
	for i := range int(n) {
		for j, x := range rule.x {
			visit(width*(float64(i)+x)/n, width*rule.w[j]/n)
		}
	}
}

// stepError bounds the relative error of the probabilities of cells, in which exponents of up to reach² are rounded.
func stepError(reach, shift float64) float64 {
	r := reach + 2*shift
	return unit * (128 + 4*r*r)
}

// density returns the standard normal density.
func density(z float64) float64 { return math.Exp(-z*z/2 - numeric.LogSqrt2Pi) }

// stepAbove spreads R = exp(sz − s²/2), with standard normal z and s = shift, along chords between grid points.
// infinite is the mean of the cut upper tail.
func stepAbove(shift float64, cells int) (a *above, infinite float64) {
	reach := reachOf(shift)
	edge := func(i int) float64 { return reach * (2*float64(i)/float64(cells) - 1) }
	a = &above{
		x: make([]float64, cells+2), q: make([]float64, cells+2), steps: 1, reach: reach,
		// The edges are exact, the points at them rounded.
		jitter: 8 * unit * (1 + shift*reach + shift*shift), eta: stepError(reach, shift),
	}
	for i := range cells + 1 {
		a.x[i+1] = math.Exp(shift*edge(i) - shift*shift/2)
	}
	for i := range cells {
		from, to := edge(i), edge(i+1)
		total := math.Expm1(shift * (to - from))
		panels(from, to, shift, func(d, w float64) {
			w *= density(from + d)
			a.q[i+2] += w * math.Expm1(shift*d) / total
			a.q[i+1] += w * math.Exp(shift*d) * math.Expm1(shift*(to-from-d)) / total
		})
	}
	const slack = 1 + 1e-9
	// Below the grid, use the chord from 0, with at most all the probability at 0 and all the mean at the first point.
	// Above the grid, use 0.
	a.q[0] = 2 * math.Exp(numeric.LogPhi(-reach)) * slack
	a.q[1] += math.Exp(numeric.LogPhi(-reach-shift)) / a.x[1] * slack
	return a, math.Exp(numeric.LogPhi(shift-reach)) * slack
}

// stepOpposed spreads D = R(z) − γR(−z) along chords between grid points. infinite is the mean of the cut tails. Its
// points are not below those of D.
func stepOpposed(shift, gamma float64, cells int) (a *above, infinite float64) {
	reach := reachOf(shift)
	edge := func(i int) float64 { return reach * (2*float64(i)/float64(cells) - 1) }
	ratio := func(z float64) float64 { return math.Exp(shift*z - shift*shift/2) }
	// rise returns D(z + d) − D(z) for d ≥ 0.
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
		total := rise(from, to-from)
		panels(from, to, shift, func(d, w float64) {
			w *= density(from + d)
			a.q[i+1] += w * rise(from, d) / total
			a.q[i] += w * rise(from+d, to-from-d) / total
		})
	}
	const slack = 1 + 1e-9
	// Beyond the ends, D is at most R, and 0 moves up to the next point.
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
