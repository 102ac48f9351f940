// Package matrix computes the sensitivity of matrix mechanisms, whose noise is correlated between steps. DP-FTRL,
// tree aggregation and banded noise are matrix mechanisms.
//
// A workload A = BC of n steps, prefix sums as a rule, is answered with B(CG + Z). Row i of G is the
// sum of the clipped contributions to step i, and Z has independent entries of deviation σ times the
// clip norm of one participation. B is post-processing. For a lower-triangular C the rows of G may be
// chosen in view of all earlier releases (Denisov et al. 2022; Choquette-Choo et al. 2022, section 2), and
// the release is exactly a Gaussian mechanism: μ-GDP with μ = sens(C)/σ,
//
//	sens(C)² = sup ‖Σ_{i∈π} C[:,i] ⊗ u_i‖² = sup Σ_{i,j∈π} X_ij⟨u_i, u_j⟩, X = CᵀC,
//
// over the patterns π of steps in which a record may take part, and over vectors ‖u_i‖ ≤ 1. The scale of C
// counts: the noise multiplier is that of Z, whatever the norms of the columns.
//
// # Neighbours
//
// One data set has a record more: all its participations are there or are not (add-or-remove-one, or
// its contributions set to zero). If a record is replaced, in all its participations and perhaps in
// other steps, the sensitivity is exactly twice as large: the difference of two sums, each of norm
// at most sens(C), and of opposite ones at worst.
//
// # Strategies
//
//	identity  C = I: fresh noise in each step, as in DP-SGD
//	prefix    C[i,j] = 1 for j ≤ i: noise on the prefix sums themselves
//	tree      a row for each node of binary trees whose leaves are all among the steps: the last
//	          steps of an n that is no power of two have fewer nodes, and no node spans a restart.
//	          Who fills the tree up ("tree completion") has as many steps as the filled tree has
//	honaker   the same C, whose B is the estimator of least variance (Honaker 2015): it changes what
//	          is made of the releases, and nothing of their privacy
//	banded    C[i,j] = c_{i−j} for i − j < b, the coefficients c_m of (1−x)^(−1/2): the square root of
//	          the prefix sums, cut to b bands (Kalinin & Lampert 2024). Not normalized: c_0 = 1
//	file      any lower-triangular matrix of released rows, by Read or New
//
// # Which theorem gives the bracket
//
//   - Of a fixed pattern, Σ|X_ij| bounds the sum from above, and is attained by u_i = s_i·u where signs
//     exist with s_i s_j X_ij ≥ 0, as for all X ≥ 0 (Choquette-Choo et al. 2022, section 2). Where there are
//     none the supremum depends on the dimension of the contributions. The lower end is a pattern
//     with signs, evaluated: it holds in every dimension, as the upper end does.
//   - Toeplitz C in a fixed order: moved to the right a pattern loses rows of its sum and nothing else, so
//     the earliest is the worst, for any signs and vectors.
//   - Toeplitz C with c_0 ≥ c_1 ≥ … ≥ 0 at a least separation b: the steps 1, 1+b, 1+2b, … are the worst
//     (Kalinin & Lampert 2024, Theorem 2): X_ij falls in max(i, j) at the same lag, and in the lag.
//   - Trees: nodes of at most b leaves hold at most one participation; for larger ones a dynamic
//     programme over (count, slack at the left, slack at the right) is exact, since which leaf within
//     a block is taken matters through its distances alone, and these obey difference constraints. Where
//     it would take too long, each level by itself is filled with full nodes, which bounds the sum.
//   - C of at most 2b bands at a least separation b, or any C and two participations: only consecutive
//     participations interact, signs can be chosen along the chain, and a dynamic programme is exact. With
//     at most b bands the columns are orthogonal (Choquette-Choo et al. 2023).
//   - Few patterns, as in a fixed order: each by itself.
//   - Other C at a least separation: the maximum is that of a quadratic form over patterns, NP-hard in general.
//     Above: Σ_{i∈π} r_i with r_i the largest Σ_{j∈π'} |X_ij| over patterns π' through i, both maxima by
//     dynamic programming over the steps, as for a vector. Below: the form is convex, so that the best
//     pattern for its tangent is never worse; iterated from many starts.
//
// Every end is rounded outward, with the errors of all sums and of the decimals of a file.
//
// References: Kairouz, McMahan, Song, Thakkar, Thakurta & Xu 2021 (arXiv 2103.00039); Denisov, McMahan,
// Rush, Smith & Thakurta 2022 (2202.08312); Choquette-Choo, McMahan, Rush & Thakurta 2022 (2211.06530);
// Choquette-Choo, Ganesh, McKenna, McMahan, Rush, Thakurta & Xu 2023 (2306.08153); Kalinin & Lampert 2024
// (2405.13763).
package matrix
