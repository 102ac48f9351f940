package confidence

import (
	"math"
	"testing"
)

// A (0, δ)-DP mechanism either makes many uninformed guesses or, with probability mδ/j, reveals j coins. If the
// number of guesses depends on the release, bounds for a fixed number err more often than alpha. SelectedP does
// not.
func TestSelectedNumberOfGuesses(t *testing.T) {
	const alpha, m = 0.05, 100_000
	exceeded := false
	for _, j := range []int64{8, 40, 400} {
		for _, expected := range []float64{0.01, 0.1, 0.6, 3} { // mδ
			delta := expected / m
			errs := func(p func(g Guesses) float64) float64 {
				many := Guesses{Canaries: m, Guessed: m}
				for low, high := int64(0), int64(m)+1; ; { // bisect the smallest number of right guesses that refutes
					if high-low <= 1 {
						many.Right = high
						break
					}
					many.Right = (low + high) / 2
					if p(many) <= alpha {
						high = many.Right
					} else {
						low = many.Right
					}
				}
				shown := math.Min(1, expected/float64(j))
				err := (1 - shown) * math.Exp(logBinomialUpper(float64(many.Right), m, 0.5, 0.5))
				if p(Guesses{Canaries: m, Guessed: j, Right: j}) <= alpha {
					err += shown
				}
				return err
			}
			published := errs(func(g Guesses) float64 { return g.SteinkeP(0, delta) })
			exceeded = exceeded || published > alpha
			if got := errs(func(g Guesses) float64 { return g.SelectedP(0, delta) }); got > alpha {
				t.Errorf("%d coins shown, mδ = %v: errs with probability %v", j, expected, got)
			}
		}
	}
	if !exceeded {
		t.Error("the published bound errs nowhere: this test shows nothing")
	}
}

// At δ = 0 a variable number of guesses costs nothing.
func TestSelectedAtZeroDelta(t *testing.T) {
	for _, g := range []Guesses{{Canaries: 50, Guessed: 20, Right: 18}, {Canaries: 9, Guessed: 9, Right: 9}} {
		for _, epsilon := range []float64{0, 0.7, 3} {
			if a, b := g.SelectedP(epsilon, 0), g.EpsilonP(epsilon, 0); a != b {
				t.Errorf("%+v at ε = %v: %v, want %v", g, epsilon, a, b)
			}
		}
	}
}
