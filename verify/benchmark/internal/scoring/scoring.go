// Package scoring has laws of the scores of canaries whose privacy is known.
package scoring

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
)

// canaries of one run each, of whom a coin includes each: scores of none or all together.
const canaries = 1000

// Law draws the coins, fair where no chance is told, and the scores.
type Law func(r *rand.Rand, chance float64) (values []float64, coins []bool)

// flips are the coins of all canaries.
func flips(r *rand.Rand, chance float64) []bool {
	if chance == 0 {
		chance = 0.5
	}
	coins := make([]bool, canaries)
	for i := range coins {
		coins[i] = r.Float64() < chance
	}
	return coins
}

// each scores every canary by itself.
func each(score func(r *rand.Rand, in bool) float64) Law {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		coins := flips(r, chance)
		values := make([]float64, len(coins))
		for i, in := range coins {
			values[i] = score(r, in)
		}
		return values, coins
	}
}

// Normal is a release of the coin with Gaussian noise, of Gaussian privacy μ.
func Normal(mu float64) Law {
	return each(func(r *rand.Rand, in bool) float64 {
		if in {
			return mu + rng.Normal(r)
		}
		return rng.Normal(r)
	})
}

// answer is the sign of the coin by randomized response.
func answer(r *rand.Rand, in bool, epsilon float64) float64 {
	if in == (r.Float64() < 1/(1+math.Exp(-epsilon))) {
		return 1
	}
	return -1
}

// Response is that of a share of the canaries; the others get scores between, of nothing.
func Response(epsilon, share float64) Law {
	return each(func(r *rand.Rand, in bool) float64 {
		if r.Float64() < share {
			return answer(r, in, epsilon)
		}
		return r.Float64() - 0.5
	})
}

// Split is randomized response whose answers have several values, each equally likely: so many for "out", below the
// ones for "in".
func Split(epsilon float64, out, in int) Law {
	return each(func(r *rand.Rand, coin bool) float64 {
		if answer(r, coin, epsilon) > 0 {
			return float64(out + r.IntN(in))
		}
		return float64(r.IntN(out))
	})
}

// Several joins the canaries of several draws, whose scores are independent.
func Several(draws int, of Law) Law {
	return func(r *rand.Rand, chance float64) (values []float64, coins []bool) {
		for range draws {
			x, in := of(r, chance)
			values, coins = append(values, x...), append(coins, in...)
		}
		return values, coins
	}
}

// Shown is (0, δ)-DP: all coins or nothing.
func Shown(delta float64) Law {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		if r.Float64() < delta {
			return Response(40, 1)(r, chance)
		}
		return Normal(0)(r, chance)
	}
}

// Spent is (0, δ)-DP: with probability mδ/few it shows so few coins, in scores that no other has, and else many
// canaries have a score of nothing that is as large.
func Spent(delta float64, few int) Law {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		coins := flips(r, chance)
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

// Rounded are scores of five values.
func Rounded(of Law) Law {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		values, coins := of(r, chance)
		for i, x := range values {
			values[i] = math.Min(2, math.Max(-2, math.Round(x)))
		}
		return values, coins
	}
}

// Chosen is what an adversary makes of randomized responses, which is as private: it knows how many guesses an
// audit makes, and gives scores that stand out to as many of one answer as it has most of.
func Chosen(epsilon float64) Law {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		values, coins := Response(epsilon, 1)(r, chance)
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

// SortedTies are scores of nothing, all but equal, in a file in which the included come first.
func SortedTies(r *rand.Rand, _ float64) ([]float64, []bool) {
	values, coins := make([]float64, canaries), make([]bool, canaries)
	in := 0
	for _, coin := range flips(r, 0) {
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

// Identical canaries have coins of their own, of whom one noisy number of all is released: each gets it with a
// little noise. A canary changes the number by 1, so that Laplace noise of scale 1/ε keeps ε.
func Identical(epsilon float64) Law {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		coins := flips(r, chance)
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

// Rarer are answers of canaries whose coins include few.
func Rarer(epsilon, chance float64) Law {
	return func(r *rand.Rand, _ float64) ([]float64, []bool) { return Response(epsilon, 1)(r, chance) }
}

// Memorised are canaries of which a share stands out if it was included, and the others show nothing.
func Memorised(share float64) Law {
	return each(func(r *rand.Rand, in bool) float64 {
		if in && r.Float64() < share {
			return 9 + rng.Normal(r)
		}
		return rng.Normal(r)
	})
}
