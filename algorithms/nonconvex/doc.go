// Package nonconvex implements the training algorithms of Wang & Xu 2019, "Differentially Private Empirical Risk
// Minimization with Smooth Non-convex Loss Functions": noisy projected gradient descent, mirror descent and
// Frank–Wolfe, and the baselines of Figure 4. They minimize F(x) = (1/n) Σ f(x, z_i), where f is a loss of the
// margin y⟨x, row⟩.
//
// The paper, line by line:
//
//	Algorithm 1, DP-PGD     PGD; line 2 is the step of erm.Proximal, with noise of standard deviation Sigma
//	  line 3, ρ and σ²      Rho, NoiseStep3; eq. (3) is NoiseTheorem1, Remark 1 NoiseConcentrated
//	  line 5, x_R           Result.X, R drawn uniformly from 1, …, T before the loop
//	Algorithm 2, DP-FW-L2   FrankWolfe; v_t is the linear oracle of the set at the noisy gradient
//	Algorithm 3, DP-PMD     PMD; line 2 is the step of erm.Mirror
//	Algorithm 4, DP-FW-L1   FrankWolfeVertices; line 2 by Selection, line 3 as printed
//	Zhang et al. 2017       NoiseZhang
//	Wang, Ye & Xu 2017      GD, NoiseMoments
//
// Line 2 of Algorithm 4 is incomplete in print: "Use exponential mechanism M(D, u, R), where … as x̃_t". This
// package reads it as follows. The range R is A, because line 3 uses x̃_t as a vertex. The score is u(D, v) = -⟨v,
// ∇F(x_t)⟩, because x̃_t replaces argmax ⟨v, -∇F(x_t)⟩ of Algorithm 2 and the text calls u linear. Its sensitivity
// is 2G·max‖v‖₁/n if one of n records is replaced, because the entries of a gradient are at most G by Assumption
// 4: ScoreSensitivity. The ε of a step is Lemma 1's value for T steps: StepEpsilon. The paper prints neither
// number, so both are parameters.
//
// A data set has n ≥ 1 rows of dimension p ≥ 1 and labels in {-1, +1}. All vectors have p entries. A noise
// standard deviation is per coordinate of the gradient of F, 1/n included. The functions promise no privacy;
// package verify/claims/nonconvex checks the paper's claims. Only x_R is meant to be released; Observe sees
// everything.
package nonconvex
