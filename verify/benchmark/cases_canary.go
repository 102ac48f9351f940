package benchmark

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/canary"
	"github.com/dpverify/dpverify/verify/privacy"
)

// canaries of one run each, of whom a coin includes each: scores of none or all together.
const canaries = 1000

// canaryCases are scores whose law is known: at their bound, where randomized response attains ε and a Gaussian
// release of each coin μ, and beyond it.
func canaryCases() ([]Case, error) {
	pure, approximate, gaussian := privacy.ApproximateDP(1, 0), privacy.ApproximateDP(1, 1e-4), privacy.GaussianDP(1)
	nothing := privacy.ApproximateDP(0, 0)
	event, err := canary.ParseEvent("score >= 1")
	if err != nil {
		return nil, err
	}
	rows := []struct {
		name  string
		holds bool
		draw  scoring
		audit canary.Audit
	}{
		{"scores of nothing, ε = 0", true, normal(0), canary.Audit{Guarantee: nothing}},
		{"scores of nothing, μ = 0", true, normal(0), canary.Audit{Guarantee: privacy.GaussianDP(0)}},
		{"randomized response at its ε", true, response(1, 1), canary.Audit{Guarantee: pure}},
		{"the same, at δ = 1e-4", true, response(1, 1), canary.Audit{Guarantee: approximate}},
		{"the same, on the event of an answer", true, response(1, 1), canary.Audit{Guarantee: pure, Event: event}},
		{"the same, of one canary in five", true, response(1, 0.2), canary.Audit{Guarantee: pure}},
		{"all coins shown with probability δ", true, shown(1e-4), canary.Audit{Guarantee: privacy.ApproximateDP(0, 1e-4)}},
		{"a Gaussian release at its μ", true, normal(1), canary.Audit{Guarantee: gaussian}},
		{"the same, on an event", true, normal(1), canary.Audit{Guarantee: gaussian, Event: event}},
		{"the same, rounded to five values", true, rounded(normal(1)), canary.Audit{Guarantee: gaussian}},
		{"responses whose number follows how many are right", true, chosen(1), canary.Audit{Guarantee: pure}},
		{"scores that the order of the file repeats", true, sortedTies, canary.Audit{Guarantee: nothing}},
		{"identical canaries, one answer for their number", true, identical(1), canary.Audit{Guarantee: pure}},
		{"canaries included with probability 0.2", true, rarer(1, 0.2), canary.Audit{Guarantee: pure, Chance: 0.2}},
		{"randomized response at 2.5 times ε", false, response(2.5, 1), canary.Audit{Guarantee: pure}},
		{"the same, at δ = 1e-4", false, response(2.5, 1), canary.Audit{Guarantee: approximate}},
		{"a Gaussian release at 3 times μ", false, normal(3), canary.Audit{Guarantee: gaussian}},
		{"one canary in ten memorised, ε = 1", false, memorised(0.1), canary.Audit{Guarantee: pure}},
		{"included with probability 0.2, at 3 times ε", false, rarer(3, 0.2), canary.Audit{Guarantee: pure, Chance: 0.2}},
	}
	var out []Case
	for _, row := range rows {
		out = append(out, Case{Name: row.name, True: row.holds, Check: drawn(
			func(r *rand.Rand, _ verify.Settings) (verify.Check, error) {
				audit := row.audit
				values, coins := row.draw(r, audit.Chance)
				var err error
				audit.Scores, err = canary.NewScores("scores", values, coins)
				return audit, err
			})})
	}
	return out, nil
}

// scoring draws the coins, fair where no chance is told, and the scores.
type scoring func(r *rand.Rand, chance float64) (values []float64, coins []bool)

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
func each(score func(r *rand.Rand, in bool) float64) scoring {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		coins := flips(r, chance)
		values := make([]float64, len(coins))
		for i, in := range coins {
			values[i] = score(r, in)
		}
		return values, coins
	}
}

// normal is a release of the coin with Gaussian noise, of Gaussian privacy μ.
func normal(mu float64) scoring {
	return each(func(r *rand.Rand, in bool) float64 {
		if in {
			return mu + r.NormFloat64()
		}
		return r.NormFloat64()
	})
}

// answer is the sign of the coin by randomized response.
func answer(r *rand.Rand, in bool, epsilon float64) float64 {
	if in == (r.Float64() < 1/(1+math.Exp(-epsilon))) {
		return 1
	}
	return -1
}

// response is that of a share of the canaries; the others get scores between, of nothing.
func response(epsilon, share float64) scoring {
	return each(func(r *rand.Rand, in bool) float64 {
		if r.Float64() < share {
			return answer(r, in, epsilon)
		}
		return r.Float64() - 0.5
	})
}

// shown is (0, δ)-DP: all coins or nothing.
func shown(delta float64) scoring {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		if r.Float64() < delta {
			return response(40, 1)(r, chance)
		}
		return normal(0)(r, chance)
	}
}

func rounded(of scoring) scoring {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		values, coins := of(r, chance)
		for i, x := range values {
			values[i] = math.Min(2, math.Max(-2, math.Round(x)))
		}
		return values, coins
	}
}

// chosen is what an adversary makes of randomized responses, which is as private: it knows how many guesses an
// audit makes, and gives scores that stand out to as many of one answer as it has most of.
func chosen(epsilon float64) scoring {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		values, coins := response(epsilon, 1)(r, chance)
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

// sortedTies are scores of nothing, all but equal, in a file in which the included come first.
func sortedTies(r *rand.Rand, _ float64) ([]float64, []bool) {
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

// identical canaries have coins of their own, of whom one noisy number of all is released: each gets it with a
// little noise. A canary changes the number by 1, so that Laplace noise of scale 1/ε keeps ε.
func identical(epsilon float64) scoring {
	return func(r *rand.Rand, chance float64) ([]float64, []bool) {
		coins := flips(r, chance)
		total := 0.0
		for _, in := range coins {
			if in {
				total++
			}
		}
		total += math.Copysign(r.ExpFloat64()/epsilon, r.Float64()-0.5)
		values := make([]float64, len(coins))
		for i := range values {
			values[i] = math.Copysign(1+r.Float64(), total-float64(len(coins))/2)
		}
		return values, coins
	}
}

// rarer are answers of canaries whose coins include few.
func rarer(epsilon, chance float64) scoring {
	return func(r *rand.Rand, _ float64) ([]float64, []bool) { return response(epsilon, 1)(r, chance) }
}

// memorised are canaries of which a share stands out if it was included, and the others show nothing.
func memorised(share float64) scoring {
	return each(func(r *rand.Rand, in bool) float64 {
		if in && r.Float64() < share {
			return 9 + r.NormFloat64()
		}
		return r.NormFloat64()
	})
}
