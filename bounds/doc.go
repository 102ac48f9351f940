// Package bounds holds theorems of differential privacy as functions. It derives the quantities of the papers
// again, by other methods than the papers use.
//
// It knows nothing of the code under test. What the papers print is in package printed, to the letter
// and under the same names; no derivation calls it.
//
//	private_sampling.go    the bound B of private sampling and the mean of a half-sphere
//	randomized_response.go Warner's design matrix
//	composition.go         sequential composition
//	divergence.go          privacy loss and hockey-stick divergence of finite laws
//	renyi.go               Rényi divergences of finite laws and of the sampled Gaussian
//	pairwise.go            sensitivity, noise and rates of private pairwise learning
//	convergence.go         the constants of the convergence theorems
//	information.go         what local privacy lets through
//	laplace_noise.go       densities of ℓ2-Laplace noise; the sensitivity of logistic gradients
//	noisy_sgd.go           the noise of the same paper in an update, in an iterate, and its divergence
//	nonconvex.go           utility of private non-convex ERM with its constants
package bounds
