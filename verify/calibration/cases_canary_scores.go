package calibration

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
)

// canaryCount is the number of canaries of a run, of whom a coin includes each: scores of none or all together.
const canaryCount = 1000

// scoreLaw draws the coins, fair where no chance is told, and the scores.
type scoreLaw func(r *rand.Rand, chance float64) (values []float64, coins []bool)

// coinFlips are the coins of all canaries.
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

// eachCanary scores every canary by itself.
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

// normalScores is a release of the coin with Gaussian noise, of Gaussian privacy μ.
func normalScores(mu float64) scoreLaw {
	return eachCanary(func(r *rand.Rand, in bool) float64 {
		if in {
			return mu + rng.Normal(r)
		}
		return rng.Normal(r)
	})
}

// coinAnswer is the sign of the coin by randomized response.
func coinAnswer(r *rand.Rand, in bool, epsilon float64) float64 {
	if in == (r.Float64() < 1/(1+math.Exp(-epsilon))) {
		return 1
	}
	return -1
}

// responseScores is that of a share of the canaries; the others get scores between, of nothing.
func responseScores(epsilon, share float64) scoreLaw {
	return eachCanary(func(r *rand.Rand, in bool) float64 {
		if r.Float64() < share {
			return coinAnswer(r, in, epsilon)
		}
		return r.Float64() - 0.5
	})
}

// splitScores is randomized response whose answers have several values, each equally likely: so many for "out", below
// the ones for "in".
func splitScores(epsilon float64, out, in int) scoreLaw {
	return eachCanary(func(r *rand.Rand, coin bool) float64 {
		if coinAnswer(r, coin, epsilon) > 0 {
			return float64(out + r.IntN(in))
		}
		return float64(r.IntN(out))
	})
}

// joinedScores joins the canaries of several draws, whose scores are independent.
func joinedScores(draws int, of scoreLaw) scoreLaw {
	return func(r *rand.Rand, chance float64) (values []float64, coins []bool) {
		for range draws {
			x, in := of(r, chance)
			values, coins = append(values, x...), append(coins, in...)
		}
		return values, coins
	}
}

// shownScores is (0, δ)-DP: all coins or nothing.
func shownScores(delta float64) scoreLaw {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		if r.Float64() < delta {
			return responseScores(40, 1)(r, chance)
		}
		return normalScores(0)(r, chance)
	}
}

// spentScores is (0, δ)-DP: with probability mδ/few it shows so few coins, in scores that no other has, and else many
// canaries have a score of nothing that is as large.
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

// roundedScores are scores of five values.
func roundedScores(of scoreLaw) scoreLaw {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		values, coins := of(r, chance)
		for i, x := range values {
			values[i] = math.Min(2, math.Max(-2, math.Round(x)))
		}
		return values, coins
	}
}

// chosenScores is what an adversary makes of randomized responses, which is as private: it knows how many guesses an
// audit makes, and gives scores that stand out to as many of one answer as it has most of.
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

// tiedScores are scores of nothing, all but equal, in a file in which the included come first.
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

// identicalScores are those of identical canaries with coins of their own, of whom one noisy number of all is released:
// each gets it with a little noise. A canary changes the number by 1, so that Laplace noise of scale 1/ε keeps ε.
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

// memorizedScores are canaries of which a share stands out if it was included, and the others show nothing.
func memorizedScores(share float64) scoreLaw {
	return eachCanary(func(r *rand.Rand, in bool) float64 {
		if in && r.Float64() < share {
			return 9 + rng.Normal(r)
		}
		return rng.Normal(r)
	})
}
