// Package bounds holds what theory promises: the formulas of the papers as they
// are printed, and the same quantities derived anew by routes of their own.
//
// It knows nothing of the code under test. Where a paper's formula and a
// derivation stand side by side, the printed one is named …Printed and follows
// the paper's line to the letter; the derivation never calls it.
//
//	domain.go              the parameter checks and their one voice
//	gamma.go               ratios of gamma functions, stable for large arguments
//	private_sampling.go    the bound B of private sampling and the mean of a half-sphere
//	randomized_response.go Warner's design matrix
//	composition.go         sequential composition
//	renyi.go               Rényi divergences of finite laws and of the sampled Gaussian
//	pairwise.go            sensitivity, noise and rates of private pairwise learning
//	convergence.go         the constants of the convergence theorems
//	information.go         what local privacy lets through
//	laplace_noise.go       densities of ℓ2-Laplace noise; the sensitivity of logistic gradients
//	nonconvex.go           utility of private non-convex ERM, printed and with constants
package bounds
