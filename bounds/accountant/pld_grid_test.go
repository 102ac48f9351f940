package accountant

import (
	"math"
	"testing"
	"time"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

func sampledSteps(q, sigma float64, steps int64) event.Event {
	return event.Repeat(steps, event.Poisson(q, event.Gaussian(sigma)))
}

// Rarely sampled steps with little noise have nearly constant losses and rare large ones. The values come from an
// independent tilted lattice, extrapolated to spacing 0, and are accurate to half a unit in the last digit.
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
		if c.steps > 1e3 && !testutil.Asked() {
			continue
		}
		b, err := LossEpsilon(sampledSteps(c.q, c.sigma, c.steps), event.AddRemove, c.delta, Precision{})
		if err != nil || !(b.Lower <= c.value+c.half && c.value-c.half <= b.Upper) || !(b.Width() <= c.width) {
			t.Errorf("q = %v, σ = %v, %d steps, δ = %v: %v, want %v within %v (%v)", c.q, c.sigma, c.steps, c.delta,
				b, c.value, c.width, err)
		}
	}
}

// A grid of training runs. No bracket is wider than 0.002 and 0.1 %, and none is trivial if ε exceeds 0.01. All
// intersect those of a coarse lattice, which is independent of the inversion, and those at other δ are ordered.
func TestGridOfTrainingRuns(t *testing.T) {
	steps, deltas := []int64{1e2, 1e5}, []float64{1e-5, 1e-12}
	rates, noises := []float64{1e-5, 1e-3, 0.1}, []float64{0.5, 10}
	if testutil.Asked() {
		steps, deltas = []int64{1e2, 1e3, 1e4, 1e5, 1e6, 1e7}, []float64{1e-5, 1e-8, 1e-10, 1e-12}
		rates, noises = []float64{1e-5, 1e-4, 1e-3, 1e-2, 0.1}, []float64{0.3, 0.5, 0.7, 1, 3, 10}
	}
	var g grid
	for i, steps := range steps {
		for k, q := range rates {
			for l, sigma := range noises {
				if (i+k+l)%2 == 0 || testutil.Asked() { // any two of them are nearly adjacent
					g.run(t, sampledSteps(q, sigma, steps), deltas)
				}
			}
		}
	}
	t.Logf("%d brackets, %d wider than 0.002 and 0.1 %%, %d that prove nothing below", g.all, g.wide, g.none)
	t.Logf("the widest, in shares of what is allowed, %.3g; the slowest %v", g.widest, g.slowest)
	if g.wide > 0 || g.none > 0 {
		t.Error("brackets are wide, or prove nothing below")
	}
}

type grid struct {
	all, wide, none int
	widest          float64
	slowest         time.Duration
}

func (g *grid) run(t *testing.T, run event.Event, deltas []float64) {
	before := Bracket{}
	for _, delta := range deltas {
		start := time.Now()
		rs, err := Epsilons(run, event.AddRemove, delta, Options{})
		if err != nil {
			t.Fatalf("%v at δ = %v: %v", run, delta, err)
		}
		took, b := time.Since(start), rs[0].Bracket
		q := question{logDelta: math.Log(delta), slack: 1e-12}
		p, err := newProfile(run, event.AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		few := Precision{MaxPoints: 1 << 14}
		if pl, err := p.plan(q, few); err == nil {
			coarse, err := p.lattice(q, pl, few)
			if err == nil && !(coarse.Lower <= b.Upper && b.Lower <= coarse.Upper) {
				t.Errorf("%v at δ = %v: %v, by a lattice %v", run, delta, b, coarse)
			}
		}
		if !(b.Lower <= b.Estimate && b.Estimate <= b.Upper) || b.Upper < before.Lower {
			t.Errorf("%v at δ = %v: %v, at a larger δ %v", run, delta, b, before)
		}
		share := b.Width() / math.Max(0.002, 1e-3*b.Upper)
		g.all++
		if !(share <= 1) {
			g.wide++
		}
		if b.Lower == 0 && b.Upper > 0.01 {
			g.none++
		}
		g.widest, g.slowest, before = math.Max(g.widest, share), max(g.slowest, took), b
		t.Logf("%v at δ = %v: %.7g … %.7g, width %.2g, %v", run, delta, b.Lower, b.Upper, b.Width(), took)
	}
}
