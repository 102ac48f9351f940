// Package allocation bounds the privacy of random allocation (balls in bins): in an epoch of t steps each
// record takes part in k steps chosen uniformly at random, independently of all others, and each step is a
// Gaussian mechanism with noise multiplier σ. The bounds are finite laws, to be composed over epochs.
//
// The work on the grid is all in sums of positive terms, without transforms: tails of 1e-26 keep their digits.
//
// Pair. Let R_i = exp(y_i/σ − 1/(2σ²)), y_i standard normal, be the likelihood ratio of step i. With the record
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
package allocation
