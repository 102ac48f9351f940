package accountant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/longtest"
)

// FuzzRareLosses asks for ε of long runs of hardly sampled steps of little noise: brackets meet those of a
// coarse lattice, which shares nothing with the inversion, and hold the closed form of one step.
// Numbers are drawn by their logarithms.
func FuzzRareLosses(f *testing.F) {
	f.Add(false, -1.2, -11.5, 6.9, -11.5)
	f.Add(false, -0.49, -10.1, 11.5, -22.9)
	f.Add(true, -0.69, -9.2, 13.8, -18.4)
	f.Add(false, 0.0, -6.9, 0.0, -20.0)
	f.Fuzz(checkRareLoss)
}

// The same over drawn runs, in a plain run of the tests.
func TestDrawnRareLosses(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 1))
	n := 25
	if longtest.Asked() {
		n = 5000
	}
	for i := range n {
		count := 16.1 * r.Float64()
		if i%5 == 0 {
			count = 0
		}
		checkRareLoss(t, i%4 == 3, -1.2+2.7*r.Float64(), -14+12*r.Float64(), count, -5-25*r.Float64())
	}
}

func checkRareLoss(t *testing.T, replace bool, logNoise, logRate, logCount, logDelta float64) {
	draw := func(x, lo, hi float64) float64 { return math.Exp(math.Max(lo, math.Min(hi, x))) }
	sigma, rate := draw(logNoise, -1.2, 1.5), draw(logRate, -14, -2)
	n, delta := draw(logCount, 0, 16.1), draw(logDelta, -30, -5)
	adj := event.AddRemove
	if replace {
		adj = event.ReplaceOne
	}
	run := sampledSteps(rate, sigma, int64(n))
	p, err := newProfile(run, adj)
	if err != nil {
		t.Fatal(err)
	}
	q, w := question{logDelta: math.Log(delta), slack: 1e-12}, Precision{Width: 0.01, MaxPoints: 1 << 17}
	pl, err := p.plan(q, w)
	if err != nil {
		t.Fatalf("%v under %v at δ = %v: %v", run, adj, delta, err)
	}
	b, _ := p.invert(q, pl, w)
	few := Precision{MaxPoints: 1 << 12}
	if pl, err = p.plan(q, few); err != nil {
		t.Fatal(err)
	}
	if coarse, err := p.lattice(q, pl, few); err == nil && !(coarse.Lower <= b.Upper && b.Lower <= coarse.Upper) {
		t.Fatalf("%v under %v at δ = %v: %v, by a lattice %v", run, adj, delta, b, coarse)
	}
	if int64(n) > 1 || replace || b.Lower <= -math.Log1p(-rate) { // beyond, the reversed order loses nothing
		return
	}
	const rounding = 1e-14
	low, high := oneSampledStep(rate, 1/sigma, b.Upper), oneSampledStep(rate, 1/sigma, b.Lower)
	if !(low <= delta*(1+1e-9)+rounding && high >= delta*(1-1e-9)-rounding) {
		t.Fatalf("%v at δ = %v: %v, δ at its ends is %v and %v", run, delta, b, high, low)
	}
}

// oneSampledStep is δ(ε), ε > 0, of (1−q)N(0, 1) + qN(μ, 1) against N(0, 1).
func oneSampledStep(q, mu, epsilon float64) float64 {
	y := math.Log1p(math.Expm1(epsilon)/q)/mu + mu/2
	tail := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
	return q*tail(y-mu) - (math.Expm1(epsilon)+q)*tail(y)
}
