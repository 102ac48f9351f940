package accountant

import (
	"math"
	"testing"
	"time"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/longtest"
)

func sampledSteps(q, sigma float64, steps int64) event.Event {
	return event.Repeat(steps, event.Poisson(q, event.Gaussian(sigma)))
}

// Hardly sampled steps of little noise: nearly an atom and a rare large loss. The values are
// those of an independent tilted lattice, extrapolated to spacing 0, to half a unit of the
// last digit given.
func TestRareLargeLosses(t *testing.T) {
	for _, c := range []struct {
		q, sigma    float64
		steps       int64
		delta       float64
		value, half float64
		width       float64
	}{
		{1e-5, 0.3, 1e3, 1e-5, 3.66759, 5e-6, 1e-3},
		{4e-5, 0.614, 1e5, 1.1e-10, 1.690, 5e-4, 2e-3},
		{1e-4, 0.5, 1e6, 1e-8, 6.377, 5e-4, 6e-3},
	} {
		if c.steps > 1e3 && !longtest.Asked() {
			continue
		}
		b, err := LossEpsilon(sampledSteps(c.q, c.sigma, c.steps), event.AddRemove, c.delta, Precision{})
		if err != nil || !(b.Lower <= c.value+c.half && c.value-c.half <= b.Upper) || !(b.Width() <= c.width) {
			t.Errorf("q = %v, σ = %v, %d steps, δ = %v: %v, want %v within %v (%v)", c.q, c.sigma, c.steps, c.delta, b, c.value, c.width, err)
		}
	}
}

// The grid of training runs: every width and time is logged, and what is wider than 0.002 and
// 0.1 % is counted. Brackets at the default precision meet those of a tenth of the points and
// those at other δ are ordered.
func TestGridOfTrainingRuns(t *testing.T) {
	if !longtest.Asked() {
		t.Skip("the grid takes some ten minutes")
	}
	all, wide, none := 0, 0, 0
	for _, steps := range []int64{1e2, 1e3, 1e4, 1e5, 1e6, 1e7} {
		for _, q := range []float64{1e-5, 1e-4, 1e-3, 1e-2, 0.1} {
			for _, sigma := range []float64{0.3, 0.5, 0.7, 1, 3, 10} {
				before := Bracket{}
				for _, delta := range []float64{1e-5, 1e-8, 1e-10, 1e-12} {
					run := sampledSteps(q, sigma, steps)
					start := time.Now()
					rs, err := Epsilons(run, event.AddRemove, delta, Options{})
					if err != nil {
						t.Fatalf("%v at δ = %v: %v", run, delta, err)
					}
					took, b := time.Since(start), rs[0].Bracket
					coarse, err := LossEpsilon(run, event.AddRemove, delta, Precision{MaxPoints: 1 << 16})
					if err == nil && !(coarse.Lower <= b.Upper && b.Lower <= coarse.Upper) || b.Upper < before.Lower {
						t.Errorf("%v at δ = %v: %v, with fewer points %v, at a larger δ %v", run, delta, b, coarse, before)
					}
					all++
					if b.Width() > math.Max(0.002, 1e-3*b.Upper) {
						wide++
					}
					if b.Lower == 0 && b.Upper > 0.01 {
						none++
					}
					before = b
					t.Logf("q = %v, σ = %v, %d steps, δ = %v: %.7g … %.7g, width %.2g, %v", q, sigma, steps, delta, b.Lower, b.Upper, b.Width(), took)
				}
			}
		}
	}
	t.Logf("%d brackets, %d wider than 0.002 and 0.1 %%, %d that prove nothing below", all, wide, none)
}
