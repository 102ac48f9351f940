// Package pairwise implements the training algorithms of Huai et al. 2020, "Pairwise Learning with Differential
// Privacy Guarantees". These are Pairwise GIGA (the baseline NonPrivate) and its private forms OnPairStrC,
// OnPairC, OffPairStrC and OffPairC. The package also has the performance measures of the paper's experiments.
//
// Line by line:
//
//	eq. (1)                        Risk
//	eq. (3), (4)                   Result.Penalty, where Options.Penalties asks for it
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
// A data set is a sequence z_1, …, z_n of n ≥ 1 records, in the order in which it is
// stored, of rows of dimension d ≥ 1 with labels in {-1, +1}. w and all vectors have the
// dimension of the constraint set: d for AUC maximization, d² for metric learning.
//
// A step at time t adds up the gradients of the t-1 pairs of z_t with the records before
// it. They all move with w, and the derivative of the logistic loss is no
// polynomial, so no state carried from step to step can replace the sum: a step costs O(t·k)
// for k stored values of a row (O(t·d²) for metric learning), a run O(n²k). AUC maximization leaves out pairs
// of equal labels, whose gradient is zero, and takes one inner product a pair.
// Memory is the data set and four vectors; a step allocates nothing.
//
// The noise is computed from the constants G, L and α that the caller states, by the
// paper's own lines. The learners make no claim of privacy beyond what their
// documentation says: the paper's claims are checked elsewhere.
package pairwise
