package nonconvex

import (
	"math"

	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds/accountant"
)

// gaussianDelta returns the smallest δ at ε of one or several Gaussian releases. The argument mu is the ℓ2 norm of
// the movement of all released values over the standard deviation of the noise.
func gaussianDelta(mu, epsilon float64) float64 {
	if mu == 0 {
		return 0
	}
	return math.Exp(accountant.GDP{Mu: mu}.LogDelta(epsilon))
}

// gaussianDeltaError is the relative error of gaussianDelta and of sums of it.
const gaussianDeltaError = 1e-9

// stepsMu returns the μ of T Gaussian steps of sensitivity 2G/n, G = b.Lipschitz, under noise of standard deviation
// sigma.
func stepsMu(b algorithm.Budget, sigma float64) float64 {
	return 2 * b.Lipschitz * math.Sqrt(float64(b.Steps)) / (float64(b.Records) * sigma)
}

// releaseDelta returns the smallest δ at ε of a release computed from T noisy gradients; mu is the μ of all of them
// together.
type releaseDelta func(mu, epsilon float64, steps int) float64

// allIterates returns the δ of all iterates, which is the δ of the noisy gradients.
func allIterates(mu, epsilon float64, _ int) float64 { return gaussianDelta(mu, epsilon) }

// lastIterate returns the δ of x_R for R uniform on 1, …, T: the mean over R of the δ of R − 1 noisy gradients. It is
// an upper bound, because x_R is a function of R and these gradients. Linear losses ⟨z, x⟩ on R^p approach it: x_R is
// x_1 minus γ times the sum of the gradients, a sufficient statistic, and a steep regularizer ⟨a, x⟩ orthogonal to
// the records makes x_R reveal R.
//
// δ increases with R. Each block of T/1000 steps counts as its first step, which gives a lower bound.
func lastIterate(mu, epsilon float64, steps int) float64 {
	blocks := min(steps, 1000)
	sum := 0.0
	for k := range blocks {
		sum += gaussianDelta(mu*math.Sqrt(float64(k)/float64(blocks)), epsilon)
	}
	return sum / float64(blocks)
}

// releaseEpsilon returns the ε of a run of T steps: the ε at which the release has the given δ.
func releaseEpsilon(release releaseDelta, mu, delta float64, steps int) float64 {
	low, high := 0.0, 1.0
	for release(mu, high, steps) > delta {
		low, high = high, 2*high
	}
	for range 60 {
		if middle := (low + high) / 2; release(mu, middle, steps) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}
