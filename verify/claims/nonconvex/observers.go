package nonconvex

import (
	"math"

	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds/accountant"
)

// gaussianDelta is the least δ at ε of a Gaussian release, or of many: mu is the ℓ2
// norm of all that moves over the deviation of the noise.
func gaussianDelta(mu, epsilon float64) float64 {
	if mu == 0 {
		return 0
	}
	return math.Exp(accountant.GDP{Mu: mu}.LogDelta(epsilon))
}

// gaussianDeltaError is the relative error of gaussianDelta and of sums of it.
const gaussianDeltaError = 1e-9

// stepsMu is μ of T Gaussian steps of sensitivity 2G/n, G = b.Lipschitz, under noise of deviation sigma.
func stepsMu(b algorithm.Budget, sigma float64) float64 {
	return 2 * b.Lipschitz * math.Sqrt(float64(b.Steps)) / (float64(b.Records) * sigma)
}

// releaseDelta is the least δ at ε of what is released of a run of T noisy gradients, mu being that of
// all of them together.
type releaseDelta func(mu, epsilon float64, steps int) float64

// allIterates are as telling as the noisy gradients.
func allIterates(mu, epsilon float64, _ int) float64 { return gaussianDelta(mu, epsilon) }

// lastIterate is x_R for R uniform on 1, …, T: the mean over R of the δ of its R − 1 noisy
// gradients. It is not exceeded, for x_R is a function of R and these gradients. It is
// approached by linear losses ⟨z, x⟩ on R^p, whose x_R is x_1 less γ times the sum of the
// gradients seen, which is sufficient for them, with a regularizer ⟨a, x⟩ so steep, across
// the records, that x_R tells R.
//
// δ rises with R: blocks of T/1000 steps are counted as their first one, from below.
func lastIterate(mu, epsilon float64, steps int) float64 {
	blocks := min(steps, 1000)
	sum := 0.0
	for k := range blocks {
		sum += gaussianDelta(mu*math.Sqrt(float64(k)/float64(blocks)), epsilon)
	}
	return sum / float64(blocks)
}

// releaseEpsilon is the ε at which the release has δ: what a run of T steps costs.
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
