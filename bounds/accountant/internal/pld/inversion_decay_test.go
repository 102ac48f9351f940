package pld

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

// Transforms are below their bounds at every tested frequency. For distributions close to normal they are at least a
// quarter of the bound. The bound is at most twice the variation.
func TestDecay(t *testing.T) {
	for _, law := range []Sampled{
		{Mu: 0.5, Q: 0.01}, {Mu: 0.5, Q: 0.01, Reversed: true}, {Mu: 0.5, Q: 0.01, Opposed: true},
		{Mu: 0.25, Q: 0.1}, {Mu: 3, Q: 0.9}, {Mu: 3, Q: 0.9, Reversed: true}, {Mu: 2, Q: 0.3, Opposed: true},
		{Mu: 0.1, Q: 1e-4}, {Mu: 1.6, Q: 1e-4, Opposed: true}, {Mu: 3, Q: 1e-3},
	} {
		for _, theta := range testutil.Size([]float64{2, 13}, []float64{0.05, 2, 13}) {
			const tolerance = 1e-13
			log, err := law.Moment(theta, 1e-15)
			lo, hi := law.reach(theta, log, 4-math.Log(tolerance))
			d := law.decay(theta, log-err, lo, hi, tolerance)
			if v := variation(law, theta, log, lo, hi); !(d.slope >= v && d.slope < 2*v) {
				t.Errorf("%+v at θ = %v: a variation of %v, bounded by %v", law, theta, v, d.slope)
			}
			close := false
			for _, at := range testutil.Size([]float64{0.2, 1.1, 3, 20}, []float64{0.1, 0.2, 0.5, 1.1, 1.7, 3, 8, 20}) {
				at *= d.slope
				phi, _ := law.tilted(theta, tolerance)(at)
				if phi == nil {
					continue // more nodes than allowed
				}
				step := at / 64
				phi.start(64, step)
				re, im := phi.next()
				size := math.Hypot(1+re, im)
				if !(size <= phi.beyond(at)+phi.roundoff()) {
					t.Errorf("%+v at θ = %v: |φ(%v)| = %v, bounded by %v", law, theta, at, size, phi.beyond(at))
				}
				close = close || size > d.beyond(4*at)+phi.roundoff()
			}
			if law.Mu < 1 && !close {
				t.Errorf("%+v at θ = %v: a quarter of the bound is not seen to be wrong", law, theta)
			}
		}
	}
}

// variation returns the variation of p/|L′| over outputs, by its differences.
func variation(s Sampled, theta, log, lo, hi float64) float64 {
	const cells = 200_000
	total, before := 0.0, 0.0
	for i := range cells + 1 {
		y := lo + (hi-lo)*float64(i)/cells
		l, _, _, _ := s.at(theta, y)
		slope, _ := s.slopes(theta, y)
		r := math.Exp(l-log) / (slope * sqrt2Pi)
		total += math.Abs(r - before)
		before = r
	}
	return total + before
}

// Derivatives agree with differences, and the bound of the second derivative holds.
func TestSlopes(t *testing.T) {
	const h = 1e-4
	for _, law := range []Sampled{
		{Mu: 0.5, Q: 0.3}, {Mu: 3, Q: 0.1}, {Mu: 0.5, Q: 0.3, Reversed: true}, {Mu: 3, Q: 0.1, Reversed: true},
		{Mu: 0.5, Q: 0.3, Opposed: true}, {Mu: 3, Q: 0.1, Opposed: true}, {Mu: 2, Q: 0.9, Opposed: true},
	} {
		for _, theta := range []float64{0, 1, 9} {
			logR := func(y float64) float64 {
				l, _, _, _ := law.at(theta, y)
				slope, _ := law.slopes(theta, y)
				return l - math.Log(slope)
			}
			for y := -4.0; y < 6; y += 0.1 {
				slope, f := law.slopes(theta, y)
				if want := math.Abs(lossOf(law, y+h)-lossOf(law, y-h)) / (2 * h); !(math.Abs(slope/want-1) < 1e-5) {
					t.Errorf("%+v at %v: L′ = %v, by differences %v", law, y, slope, want)
				}
				if want := (logR(y+h) - logR(y-h)) / (2 * h); !(math.Abs(f-want) < 1e-5*(1+math.Abs(f))) {
					t.Errorf("%+v, θ = %v at %v: f = %v, by differences %v", law, theta, y, f, want)
				}
				_, next := law.slopes(theta, y+h)
				if limit := law.bent(theta); !(math.Abs(next-f)/h <= limit) {
					t.Errorf("%+v, θ = %v at %v: f′ = %v, bounded by %v", law, theta, y, (next-f)/h, limit)
				}
			}
		}
	}
}

// Distributions with a bound in closed form, and distributions without any.
func TestBeyond(t *testing.T) {
	normal := &gaussian{mu: 0.7}
	for _, at := range []float64{0.1, 1, 9} {
		if want := math.Exp(-0.49 * at * at / 2); !(normal.beyond(at) >= want && normal.beyond(at) < want*(1+1e-12)) {
			t.Errorf("a normal law at %v: %v, want %v", at, normal.beyond(at), want)
		}
	}
	if v := (&laplace{}).beyond(1e9); v != 1 {
		t.Errorf("Laplace: %v", v)
	}
	cut := Sampled{Mu: 1, Q: 0.01}.WithoutTail(-20, 3)
	if d := cut.decay(3, 0, -5, 9, 1e-13); d.beyond(1e9) != 1 {
		t.Errorf("a law without its tail: %v", d)
	}
}
