// Package bounds holds theorems of differential privacy as functions. It derives the quantities of the papers
// independently, by other methods than the papers use. It does not import the code under test. Package printed holds
// the formulas of the papers verbatim under the same names, and no derivation calls it.
//
//	private_sampling.go    the bound B of private sampling and the mean of a half-sphere
//	randomized_response.go Warner's design matrix
//	composition.go         sequential composition
//	divergence.go          privacy loss and hockey-stick divergence of finite distributions
//	renyi.go               Rényi divergences of finite distributions and of the sampled Gaussian
//	pairwise.go            sensitivity, noise and rates of private pairwise learning
//	convergence.go         the constants of the convergence theorems
//	information.go         error rates under local privacy
//	laplace_noise.go       densities of ℓ2-Laplace noise; the sensitivity of logistic gradients
//	noisy_sgd.go           the same noise in an update and in an iterate, and its divergence
//	nonconvex.go           utility of private non-convex ERM with its constants
package bounds
