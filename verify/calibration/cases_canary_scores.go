package calibration

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
)

// canaryCount is the number of canaries of a run. An inclusion bit includes each canary.
const canaryCount = 1000

// scoreLaw draws the inclusion bits and the scores. chance is the inclusion probability; 0 means 0.5.
type scoreLaw func(r *rand.Rand, chance float64) (values []float64, coins []bool)

// coinFlips draws the inclusion bits of all canaries.
func coinFlips(r *rand.Rand, chance float64) []bool {
	if chance == 0 {
		chance = 0.5
	}
	coins := make([]bool, canaryCount)
	for i := range coins {
		coins[i] = r.Float64() < chance
	}
	return coins
}

// eachCanary returns a scoreLaw whose scores are independent: score depends only on the canary's inclusion bit.
func eachCanary(score func(r *rand.Rand, in bool) float64) scoreLaw {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		coins := coinFlips(r, chance)
		values := make([]float64, len(coins))
		for i, in := range coins {
			values[i] = score(r, in)
		}
		return values, coins
	}
}

// normalScores releases each inclusion bit with Gaussian noise, at exactly μ-GDP.
func normalScores(mu float64) scoreLaw {
	return eachCanary(func(r *rand.Rand, in bool) float64 {
		if in {
			return mu + rng.Normal(r)
		}
		return rng.Normal(r)
	})
}

// coinAnswer returns 1 for an included canary and −1 otherwise, by randomized response.
func coinAnswer(r *rand.Rand, in bool, epsilon float64) float64 {
	if in == (r.Float64() < 1/(1+math.Exp(-epsilon))) {
		return 1
	}
	return -1
}

// responseScores applies randomized response to a fraction of the canaries. The other scores are between −0.5 and 0.5
// and independent of the inclusion bit.
func responseScores(epsilon, share float64) scoreLaw {
	return eachCanary(func(r *rand.Rand, in bool) float64 {
		if r.Float64() < share {
			return coinAnswer(r, in, epsilon)
		}
		return r.Float64() - 0.5
	})
}

// splitScores applies randomized response whose answers have several equally likely values: out values for "out", and
// above them in values for "in".
func splitScores(epsilon float64, out, in int) scoreLaw {
	return eachCanary(func(r *rand.Rand, coin bool) float64 {
		if coinAnswer(r, coin, epsilon) > 0 {
			return float64(out + r.IntN(in))
		}
		return float64(r.IntN(out))
	})
}

// joinedScores joins the canaries of several independent draws.
func joinedScores(draws int, law scoreLaw) scoreLaw {
	return func(r *rand.Rand, chance float64) (values []float64, coins []bool) {
		for range draws {
			x, in := law(r, chance)
			values, coins = append(values, x...), append(coins, in...)
		}
		return values, coins
	}
}

// shownScores returns (0, δ)-DP scores. With probability δ they reveal all inclusion bits, and otherwise nothing.
func shownScores(delta float64) scoreLaw {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		if r.Float64() < delta {
			return responseScores(40, 1)(r, chance)
		}
		return normalScores(0)(r, chance)
	}
}

// spentScores returns (0, δ)-DP scores. With probability mδ/few, where m is the number of canaries, they reveal few
// inclusion bits by large scores. Otherwise about half of the canaries get equally large scores that reveal nothing.
func spentScores(delta float64, few int) scoreLaw {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		coins := coinFlips(r, chance)
		values := make([]float64, len(coins))
		shown := r.Float64() < delta*float64(len(coins))/float64(few)
		for i, row := range r.Perm(len(coins)) {
			switch {
			case !shown && r.IntN(2) == 1:
				values[row] = 1 + r.Float64()
			case shown && i < few && coins[row]:
				values[row] = 1 + r.Float64()
			}
		}
		return values, coins
	}
}

// roundedScores rounds scores to the five values −2, …, 2.
func roundedScores(law scoreLaw) scoreLaw {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		values, coins := law(r, chance)
		for i, x := range values {
			values[i] = math.Min(2, math.Max(-2, math.Round(x)))
		}
		return values, coins
	}
}

// chosenScores returns randomized responses that an adversary has post-processed. The adversary gives the largest
// scores to the more frequent answer, so that the number of extreme scores depends on the responses.
func chosenScores(epsilon float64) scoreLaw {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		values, coins := responseScores(epsilon, 1)(r, chance)
		up := 0
		for _, x := range values {
			if x > 0 {
				up++
			}
		}
		for i, x := range values {
			values[i] = x * (1 + r.Float64()/8)
			if (x > 0) == (2*up > len(values)) {
				values[i] *= 3
			}
		}
		return values, coins
	}
}

// tiedScores returns scores that reveal nothing and have many ties, in a file that lists the included canaries first.
func tiedScores(r *rand.Rand, _ float64) ([]float64, []bool) {
	values, coins := make([]float64, canaryCount), make([]bool, canaryCount)
	in := 0
	for _, coin := range coinFlips(r, 0) {
		if coin {
			in++
		}
	}
	for i := range values {
		coins[i] = i < in
		if r.IntN(20) == 0 {
			values[i] = 1
		}
	}
	return values, coins
}

// identicalScores returns scores of identical canaries with independent inclusion bits. The mechanism releases one
// noisy count of the included canaries, and every score is derived from it with a little noise. A canary changes the
// count by 1, so that Laplace noise of scale 1/ε is ε-DP.
func identicalScores(epsilon float64) scoreLaw {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		coins := coinFlips(r, chance)
		total := 0.0
		for _, in := range coins {
			if in {
				total++
			}
		}
		total += math.Copysign(rng.Exponential(r)/epsilon, r.Float64()-0.5)
		values := make([]float64, len(coins))
		for i := range values {
			values[i] = math.Copysign(1+r.Float64(), total-float64(len(coins))/2)
		}
		return values, coins
	}
}

// memorizedScores returns scores in which a fraction of the included canaries have large scores. The other scores
// reveal nothing.
func memorizedScores(share float64) scoreLaw {
	return eachCanary(func(r *rand.Rand, in bool) float64 {
		if in && r.Float64() < share {
			return 9 + rng.Normal(r)
		}
		return rng.Normal(r)
	})
}
