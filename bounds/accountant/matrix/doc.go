// Package matrix computes the sensitivity of matrix mechanisms, whose noise is correlated between steps. Examples are
// DP-FTRL, tree aggregation and banded noise.
//
// A workload A = BC of n steps, usually prefix sums, is answered with B(CG + Z). Row i of G is the sum of the clipped
// contributions to step i. Z has independent entries, whose standard deviation is σ times the clipping norm of one
// participation. Multiplication by B is post-processing. For a lower-triangular C, the rows of G may depend on all
// earlier releases (Denisov et al. 2022; Choquette-Choo et al. 2022, section 2). The release is exactly a Gaussian
// mechanism, which is μ-GDP with μ = sens(C)/σ and
//
//	sens(C)² = sup ‖Σ_{i∈π} C[:,i] ⊗ u_i‖² = sup Σ_{i,j∈π} X_ij⟨u_i, u_j⟩,   X = CᵀC.
//
// The supremum is over the patterns π of steps in which a record may take part, and over vectors ‖u_i‖ ≤ 1. The scale
// of C matters: the noise multiplier describes Z, independently of the column norms.
//
// # Neighbors
//
// One data set has one record more, with all its participations (add-or-remove-one, or its contributions set to zero).
// If a record is replaced, in all its participations and perhaps in other steps, the sensitivity is exactly twice as
// large. It is the norm of a difference of two sums, each with norm at most sens(C), which may be opposite.
//
// # Strategies
//
//	identity  C = I: independent noise in each step, as in DP-SGD
//	prefix    C[i,j] = 1 for j ≤ i: independent noise on the prefix sums
//	tree      a row for each node of binary trees. All leaves of a node are steps of one restart period, so the last
//	          steps have fewer nodes if n is not a power of two. With tree completion, use the number of steps of the
//	          completed tree
//	honaker   the same C with the minimum-variance estimator B (Honaker 2015), which does not affect privacy
//	banded    C[i,j] = c_{i−j} for i − j < b, where c_m are the coefficients of (1−x)^(−1/2): the square root of the
//	          prefix sums, truncated to b bands (Kalinin & Lampert 2024). It is not normalized: c_0 = 1
//	file      any lower-triangular matrix, by Read or New
//
// # Theorems
//
//   - Fixed pattern: Σ|X_ij| is an upper bound. If signs exist with s_i s_j X_ij ≥ 0, for example if X ≥ 0, then
//     u_i = s_i·u attains it (Choquette-Choo et al. 2022, section 2). Otherwise the supremum depends on the dimension
//     of the contributions. The lower end is the value at a pattern with signs. Both ends hold in every dimension.
//   - Toeplitz C in a fixed order: a pattern that moves to the right loses rows of its sum. So the earliest pattern is
//     the worst, for any signs and vectors.
//   - Toeplitz C with c_0 ≥ c_1 ≥ … ≥ 0 and minimum separation b: the steps 1, 1+b, 1+2b, … are the worst (Kalinin &
//     Lampert 2024, Theorem 2). X_ij decreases in max(i, j) at a fixed lag, and in the lag.
//   - Trees: nodes with at most b leaves contain at most one participation. For larger nodes, a dynamic program over
//     the count and the slack at both ends is exact. It is sufficient to know the distances between the chosen leaves,
//     and these satisfy difference constraints. If the program would take too long, each level is filled separately
//     with full nodes, which is an upper bound.
//   - At most 2b bands and minimum separation b, or any C and two participations: only consecutive participations
//     interact. Signs can be chosen along the chain, and a dynamic program is exact. With at most b bands the columns
//     are orthogonal (Choquette-Choo et al. 2023).
//   - Few patterns, as in a fixed order: each pattern is evaluated.
//   - Other C with minimum separation: this is a quadratic form over patterns, NP-hard in general. The upper end is
//     Σ_{i∈π} r_i, where r_i is the maximum of Σ_{j∈π'} |X_ij| over patterns π' that contain i. Dynamic programs over
//     the steps find both maxima. The lower end is a local search from many starts. The form is convex, so the best
//     pattern for its tangent is at least as good.
//
// Every end is rounded outwards and includes the rounding of all sums and of the decimals in a file.
//
// References: Kairouz, McMahan, Song, Thakkar, Thakurta & Xu 2021 (arXiv 2103.00039); Denisov, McMahan, Rush, Smith &
// Thakurta 2022 (2202.08312); Choquette-Choo, McMahan, Rush & Thakurta 2022 (2211.06530); Choquette-Choo, Ganesh,
// McKenna, McMahan, Rush, Thakurta & Xu 2023 (2306.08153); Kalinin & Lampert 2024 (2405.13763).
package matrix
