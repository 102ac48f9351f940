package accountant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// FuzzRareLosses computes ε of long runs of rarely sampled steps with little noise. The brackets must intersect those
// of a coarse lattice, which is independent of the inversion, those of another lattice, and the closed form of one
// step. Numbers are drawn by their logarithms.
func FuzzRareLosses(f *testing.F) {
	f.Add(false, -1.2, -11.5, 6.9, -11.5)
	f.Add(false, -0.49, -10.1, 11.5, -22.9)
	f.Add(true, -0.69, -9.2, 13.8, -18.4)
	f.Add(false, 0.0, -6.9, 0.0, -20.0)
	f.Fuzz(checkRareLoss)
}

// The same check for drawn runs, in a normal test run.
func TestDrawnRareLosses(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 1))
	n := 25
	if testutil.Asked() {
		n = 700
	}
	for i := range n {
		count := 16.1 * r.Float64()
		if i%5 == 0 {
			count = 0
		}
		checkRareLoss(t, i%4 == 3, -1.2+2.7*r.Float64(), -14+12*r.Float64(), count, -5-25*r.Float64())
	}
}

// rareLoss is a question about n sampled steps.
type rareLoss struct {
	sigma, rate, delta float64
	n                  int64
	adjacency          event.Adjacency
}

func drawnRareLoss(replace bool, logNoise, logRate, logCount, logDelta float64) rareLoss {
	draw := func(x, lo, hi float64) float64 { return math.Exp(math.Max(lo, math.Min(hi, x))) }
	r := rareLoss{sigma: draw(logNoise, -1.2, 1.5), rate: draw(logRate, -14, -2), n: int64(draw(logCount, 0, 16.1)),
		delta: draw(logDelta, -30, -5)}
	if replace {
		r.adjacency = event.ReplaceOne
	}
	return r
}

// ask plans the question at the given precision.
func (r rareLoss) ask(w Precision) (*profile, question, plan, error) {
	q := question{logDelta: math.Log(r.delta), slack: 1e-12}
	p, err := newProfile(sampledSteps(r.rate, r.sigma, r.n), r.adjacency)
	if err != nil {
		return nil, q, plan{}, err
	}
	pl, err := p.plan(q, w)
	return p, q, pl, err
}

// inverted returns the bracket of ε by inversion only.
func (r rareLoss) inverted() (Bracket, error) {
	w := Precision{Width: 0.01, MaxPoints: 1 << 17}
	p, q, pl, err := r.ask(w)
	if err != nil {
		return Bracket{}, err
	}
	b, _, err := p.invert(q, pl, w)
	return b, err
}

// wrong describes a fault in a bracket of ε near the given value, or returns "".
func (r rareLoss) wrong(t *testing.T, b Bracket, near float64) string {
	t.Helper()
	w := Precision{MaxPoints: 1 << 12}
	p, q, pl, err := r.ask(w)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	coarse, err := p.lattice(q, pl, w)
	if _, apart := b.Meet(coarse); err == nil && apart != nil {
		return fmt.Sprintf("%+v: %v, by a lattice %v", r, b, coarse)
	}
	if c, ok := newSampledCurve(r, near); ok {
		high, low := c.delta(math.Max(0, b.Lower-c.off)), c.delta(b.Upper+c.off)
		if b.Lower > c.off && !(high >= r.delta) || !(low <= r.delta) {
			return fmt.Sprintf("%+v: %v, δ at its ends is %v and %v", r, b, high, low)
		}
	}
	// Beyond this, the reversed order of the neighbors has no privacy loss.
	if r.n > 1 || r.adjacency == event.ReplaceOne || b.Lower <= -math.Log1p(-r.rate) {
		return ""
	}
	const rounding = 1e-14
	low, high := oneSampledStep(r.rate, 1/r.sigma, b.Upper), oneSampledStep(r.rate, 1/r.sigma, b.Lower)
	if !(low <= r.delta*(1+1e-9)+rounding && high >= r.delta*(1-1e-9)-rounding) {
		return fmt.Sprintf("%+v: %v, δ at its ends is %v and %v", r, b, high, low)
	}
	return ""
}

func checkRareLoss(t *testing.T, replace bool, logNoise, logRate, logCount, logDelta float64) {
	r := drawnRareLoss(replace, logNoise, logRate, logCount, logDelta)
	b, err := r.inverted()
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	if problem := r.wrong(t, b, b.Estimate); problem != "" {
		t.Fatal(problem)
	}
}

// Negative controls of these checks: brackets of other runs, and brackets in which one end moved by twice the width, on
// both sides of the true value.
func TestWrongRareLossIsSeen(t *testing.T) {
	for _, r := range []rareLoss{
		{sigma: 0.6, rate: 1e-4, delta: 1e-8, n: 1000},
		{sigma: 1, rate: 1e-3, delta: 1e-9, n: 1},
		{sigma: 1, rate: 0.01, delta: 1e-6, n: 1000, adjacency: event.ReplaceOne},
		{sigma: 0.614, rate: 4e-5, delta: 1.1e-10, n: 100000},
	} {
		honest, err := r.inverted()
		if err != nil {
			t.Fatal(err)
		}
		if problem := r.wrong(t, honest, honest.Estimate); problem != "" {
			t.Error(problem)
		}
		faults := map[string]Bracket{
			"an upper end below the truth": {Upper: 0.95*honest.Lower - 2*honest.Width()},
			"a lower end above the truth":  {1.05*honest.Upper + 2*honest.Width(), math.Inf(1), math.Inf(1)},
		}
		for fault, damage := range map[string]func(*rareLoss){
			"too much noise":    func(r *rareLoss) { r.sigma *= 1.1 },
			"too little noise":  func(r *rareLoss) { r.sigma /= 1.1 },
			"too rare a sample": func(r *rareLoss) { r.rate /= 2 },
			"too large a δ":     func(r *rareLoss) { r.delta *= 10 },
		} {
			another := r
			damage(&another)
			if faults[fault], err = another.inverted(); err != nil {
				t.Fatal(err)
			}
		}
		for fault, b := range faults {
			if r.wrong(t, b, honest.Estimate) == "" {
				t.Errorf("%+v with %s: %v is not seen to be wrong", r, fault, b)
			}
		}
	}
}

// oneSampledStep returns δ(ε), ε > 0, of (1−q)N(0, 1) + qN(μ, 1) against N(0, 1).
func oneSampledStep(q, mu, epsilon float64) float64 {
	y := math.Log1p(math.Expm1(epsilon)/q)/mu + mu/2
	tail := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
	return q*tail(y-mu) - (math.Expm1(epsilon)+q)*tail(y)
}
