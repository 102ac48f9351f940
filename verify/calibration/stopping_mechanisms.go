package calibration

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify/privacy"
)

// noisyNumber releases a number with noise. The input, 0 or 1, selects the location and the scale.
type noisyNumber struct {
	location, scale [2]float64
	laplace         bool
}

func (m noisyNumber) Release(r *rand.Rand, input int) (float64, error) {
	noise := rng.Normal
	if m.laplace {
		noise = laplaceNoise
	}
	return m.location[input] + m.scale[input]*noise(r), nil
}

func laplaceNoise(r *rand.Rand) float64 { return rng.Exponential(r) * sign(r) }

// cdf returns the distribution function of the output.
func (m noisyNumber) cdf(input int, x float64) float64 {
	if m.laplace {
		return distuv.Laplace{Mu: m.location[input], Scale: m.scale[input]}.CDF(x)
	}
	return distuv.Normal{Mu: m.location[input], Sigma: m.scale[input]}.CDF(x)
}

// canaryScore releases the score of a canary in noisy gradient descent with full batches. Input 1 has the canary,
// whose gradient is the first axis at the clipping norm 1, and input 0 does not. Each step releases the sum of the
// clipped gradients with normal noise. The score is the sum over the steps of the component along the canary, minus
// the contribution of the other records, which the auditor knows. After T steps at noise multiplier σ, the means of
// the scores differ by √T/σ standard deviations, which is the μ of the training (Dong, Roth & Su 2022, Corollary
// 3.3).
type canaryScore struct {
	steps      int
	multiplier float64
}

const (
	scoreRate    = 0.1
	scoreRecords = 4
)

func (m canaryScore) Release(r *rand.Rand, input int) (float64, error) {
	var weights [2]float64
	score := 0.0
	for range m.steps {
		var known [2]float64
		for i := range scoreRecords { // quadratic losses centered at four points
			angle := math.Pi / 2 * float64(i)
			x, y := weights[0]-math.Cos(angle), weights[1]-math.Sin(angle)
			norm := math.Max(1, math.Hypot(x, y))
			known[0], known[1] = known[0]+x/norm, known[1]+y/norm
		}
		along := known[0] + float64(input) + m.multiplier*rng.Normal(r)
		across := known[1] + m.multiplier*rng.Normal(r)
		score += along - known[0]
		weights[0] -= scoreRate * along / scoreRecords
		weights[1] -= scoreRate * across / scoreRecords
	}
	return score, nil
}

// cdf returns the distribution function of the score.
func (m canaryScore) cdf(input int, x float64) float64 {
	steps := float64(m.steps)
	return distuv.Normal{Mu: steps * float64(input), Sigma: m.multiplier * math.Sqrt(steps)}.CDF(x)
}

// knownMechanism is a mechanism with known output distributions.
type knownMechanism interface {
	Release(r *rand.Rand, input int) (float64, error)
	cdf(input int, x float64) float64
}

// stoppingSubject is a mechanism with a false claim.
type stoppingSubject struct {
	name      string
	mechanism knownMechanism
	claim     privacy.Guarantee
	wanted    float64 // target for the median; 0 means no target
	known     string  // the median of the best public sequential auditor, at an asymptotic level
}

// stoppingSubjects returns the rows of the table.
func stoppingSubjects() []stoppingSubject {
	normal := noisyNumber{location: [2]float64{0, 1}, scale: [2]float64{1, 1}}
	double := normal
	double.laplace = true
	// The mean of n records in [0, 1] has noise for its sensitivity 1/n. The noise on the count n, which is also
	// private, is missing. The inputs are one record and two records, all 1.
	mean := func(epsilon, factor float64, laplace bool) noisyNumber {
		return noisyNumber{location: [2]float64{1, 1}, scale: [2]float64{factor / epsilon, factor / epsilon / 2},
			laplace: laplace}
	}
	const delta = 1e-5
	approximate := func(epsilon float64) privacy.Guarantee { return privacy.ApproximateDP(epsilon, delta) }
	factor := math.Sqrt(2 * math.Log(1.25/delta))
	sgd := canaryScore{steps: 25, multiplier: 5 / 1.3} // μ = 1.3
	return []stoppingSubject{
		{"Gaussian, μ .5 → 1", normal, privacy.GaussianDP(0.5), 170, "160"},
		{"Gaussian, μ .8 → 1", normal, privacy.GaussianDP(0.8), 1400, "1390"},
		{"Laplace, ε .5 → 1", double, privacy.ApproximateDP(0.5, 0), 190, "190"},
		{"Laplace, ε .8 → 1", double, privacy.ApproximateDP(0.8, 0), 1300, "1495"},
		{"Gaussian mean, noise on the count missing, ε .01", mean(0.01, factor, false), approximate(0.01), 60, "50"},
		{"Gaussian mean, noise on the count missing, ε .1", mean(0.1, factor, false), approximate(0.1), 60, "60"},
		{"Laplace mean, noise on the count missing, ε .01", mean(0.01, 1, true), privacy.ApproximateDP(0.01, 0), 90, "70"},
		{"Laplace mean, noise on the count missing, ε .1", mean(0.1, 1, true), privacy.ApproximateDP(0.1, 0), 90, "90"},
		{"scores of a canary in noisy gradient descent, μ .8 → 1.3", sgd, privacy.GaussianDP(0.8), 0, "206"},
		{"scores of a canary in noisy gradient descent, μ 1 → 1.3", sgd, privacy.GaussianDP(1), 0, "603"},
		{"scores of a canary in noisy gradient descent, μ 1.2 → 1.3", sgd, privacy.GaussianDP(1.2), 0, "7743"},
	}
}
