package training

import (
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// Two other ways to choose guesses refute too often on scores without information, and this package's way does not. A
// limit of each rate at an error of 1e-3 distinguishes them.
func TestPlantedFaults(t *testing.T) {
	const runs, m, alpha = 400, 500, 0.05
	list := rungs(m, 0, alpha)
	refuted := func(g confidence.Guesses, alpha float64) bool { return g.EpsilonP(0, 0) <= alpha }
	ways := []struct {
		name  string
		sound bool
		errs  func(s *Scores, g guessed) bool
	}{
		{"numbers of guesses that share alpha", true, func(s *Scores, g guessed) bool {
			for i, c := range s.right(g, list, 0) {
				if refuted(c, list[i].alpha) {
					return true
				}
			}
			return false
		}},
		{"each with all of alpha", false, func(s *Scores, g guessed) bool {
			for _, c := range s.right(g, append(list, rung{guesses: 60}, rung{guesses: 120}), 0) {
				if refuted(c, alpha) {
					return true
				}
			}
			return false
		}},
		{"the number with the best bound on the same coins", false, func(s *Scores, g guessed) bool {
			c := confidence.Guesses{Canaries: m}
			for _, row := range g.order {
				c.Guessed++
				if g.in[row] == s.included[row] {
					c.Right++
				}
				if c.Guessed%5 == 0 && refuted(c, alpha) {
					return true
				}
			}
			return false
		}},
	}
	counts := make([]int64, len(ways))
	r := rand.New(rand.NewPCG(29, 2))
	for range runs {
		values, coins := make([]float64, m), make([]bool, m)
		for i := range values {
			values[i], coins[i] = r.NormFloat64(), r.IntN(2) == 1
		}
		s, err := NewScores("nothing", values, coins)
		if err != nil {
			t.Fatal(err)
		}
		g := s.guess(r, s.sortedValues())
		for i, way := range ways {
			if way.errs(s, g) {
				counts[i]++
			}
		}
	}
	for i, way := range ways {
		lower, _, err := confidence.ClopperPearson(counts[i], runs, 2e-3)
		if err != nil || (lower <= alpha) != way.sound {
			t.Errorf("%s: %d of %d runs err, at least %.3f: sound %v (%v)", way.name, counts[i], runs, lower, way.sound, err)
		}
	}
}

// The shares of alpha add up to 1, and no rung has more guesses than there are canaries.
func TestRungs(t *testing.T) {
	for _, m := range []int{1, 2, 7, 99, 500, 2000, 1_000_000} {
		for _, chance := range []float64{0, 0.01, 0.4, 0.9} {
			all := 0.0
			for _, r := range rungs(m, chance, 0.05) {
				all += r.alpha
				if r.guesses < 1 || r.guesses > int64(m) || !(r.alpha > 0) {
					t.Errorf("%d canaries, chance %v: a rung is %+v", m, chance, r)
				}
			}
			if all > 0.05*(1+1e-12) || all < 0.05*(1-1e-12) {
				t.Errorf("%d canaries, chance %v: the rungs have %v of alpha", m, chance, all)
			}
		}
	}
}

// The guesses do not depend on the order of rows with equal scores, nor on the coins.
func TestGuessesIgnoreTheCoins(t *testing.T) {
	values := make([]float64, 1000)
	coins := make([]bool, len(values))
	for i := range values {
		coins[i] = i < 500 // included first
		values[i] = float64(i % 2)
	}
	s, err := NewScores("ties", values, coins)
	if err != nil {
		t.Fatal(err)
	}
	right := s.right(s.guess(rand.New(rand.NewPCG(1, 1)), s.sortedValues()), []rung{{guesses: 200}}, 0)[0].Right
	if right < 70 || right > 130 { // fair guesses are outside this range with probability 1e-5
		t.Errorf("%d of 200 guesses on tied scores are right", right)
	}
}
