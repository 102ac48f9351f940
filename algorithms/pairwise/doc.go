// Package pairwise implements the training algorithms of Huai et al. 2020, "Pairwise Learning with Differential
// Privacy Guarantees": Pairwise GIGA (the baseline NonPrivate) and its private forms OnPairStrC, OnPairC,
// OffPairStrC and OffPairC. It also has the performance measures of the paper's experiments.
//
// Line by line:
//
//	eq. (1)                        Risk
//	eq. (3), (4)                   Result.Penalty, if Options.Penalties is set
//	Alg. 1, step 2                 WarmupSteps, Options.Warmup
//	Alg. 1, step 3                 Budget
//	Alg. 1, steps 4-7              run.warmup, Options.Draw
//	Alg. 1, step 10                StepSize
//	Alg. 1, step 11                run.gradient, run.step
//	Alg. 1, step 12                OnlineStdDev
//	Alg. 1, step 13                run.release, Options.Feedback
//	Alg. 1 without 12, 13          GIGA
//	Alg. 2                         OnPairC, Problem.Regularized
//	Alg. 3, steps 3-8              OffPairStrC, by the same run
//	Alg. 3, steps 9, 10            OfflineStdDev
//	Alg. 4                         OffPairC
//	Performance measures           AUC, NearestNeighborAccuracy, Risk
//
// A data set is a sequence z_1, …, z_n of n ≥ 1 records in stored order, with rows of dimension d ≥ 1 and labels
// in {-1, +1}. w and all vectors have the dimension of the constraint set: d for AUC maximization, d² for metric
// learning.
//
// A step at time t adds up the gradients of the t-1 pairs of z_t with earlier records. All of them depend on w,
// and the derivative of the logistic loss is not a polynomial, so no state carried from step to step can replace
// the sum. A step takes O(t·k) for k stored values per row (O(t·d²) for metric learning), and a run O(n²k). AUC
// maximization skips pairs with equal labels, whose gradient is zero, and computes one inner product per pair.
// Memory is the data set and four vectors. A step does not allocate.
//
// The noise is computed by the paper's own lines from the constants G, L and α that the caller states. The
// functions claim no privacy beyond their documentation; package verify/claims/pairwise checks the paper's claims.
package pairwise
