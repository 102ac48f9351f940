package training

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The power of a stated score rests on a lower bound of the probability that a guess is right. If few drawn scores are
// in the tail of the guesses, all of them may be right by chance.
func TestRightIsALowerBound(t *testing.T) {
	beyond := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	for _, c := range []struct {
		mu       float64 // of the scores of included canaries, N(μ, 1)
		drawn    int
		canaries int64
		guesses  int64 // half of them from either end
		least    float64
	}{
		{0.3, 2000, 200_000, 40, 0}, {1, 2000, 200_000, 40, 0}, {1, 2000, 20_000, 24, 0}, {2, 2000, 2000, 24, 0},
		{1, 10_000, 1_000_000, 20, 0}, {1, 10_000, 4000, 2000, 0.75}, {1, 10_000, 4000, 400, 0.8},
	} {
		near, far := 0.0, 20.0 // distance from the median, which all guessed scores exceed
		for range 100 {
			d := (near + far) / 2
			if share := beyond(d-c.mu/2) + beyond(d+c.mu/2); share > float64(c.guesses)/float64(c.canaries) {
				near = d
			} else {
				far = d
			}
		}
		truth := 1 / (1 + beyond(near+c.mu/2)/beyond(near-c.mu/2))
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(45, seed))
			law := rank(0.5, c.drawn, func(_ int, in bool) float64 {
				if in {
					return c.mu + r.NormFloat64()
				}
				return r.NormFloat64()
			})
			half := pick{Beyond: c.guesses / 2}
			if x := law.right(picked{In: half, Out: half}, c.canaries); x > truth || x < c.least {
				t.Errorf("%+v, seed %d: right with probability %.4f, at least %.4f by the draws", c, seed, truth, x)
			}
		}
	}
}
