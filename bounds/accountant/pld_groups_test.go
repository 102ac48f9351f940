package accountant

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// curve returns δ at ε of one step of a bound, the sum over its masses.
func (s *side) curve(h, epsilon, sign float64) float64 {
	sum := 0.0
	for i, m := range s.mass {
		if x := float64(s.lo+i)*h + s.shift; x > epsilon {
			sum += m * -math.Expm1(epsilon-x)
		}
	}
	return sum + sign*s.extra
}

// The bounds of one step hold its δ between them at every ε, wherever the lattice is put,
// and between neighbouring lattice points too; moved up by a quarter of a cell they do not.
func TestCurvesOfOneStep(t *testing.T) {
	for _, c := range []struct {
		reason   string
		q, sigma float64
	}{
		{"nearly an atom", 1e-5, 0.3}, {"nearly an atom and a tail", 1e-4, 0.6}, {"spread", 0.01, 1}, {"spread evenly", 0.1, 3},
		{"hardly sampled, much noise", 1e-5, 10}, {"sampled often", 0.7, 0.8},
	} {
		l := leaf{kind: event.KindGaussian, a: 1 / c.sigma, q: c.q}
		exact := func(epsilon float64) float64 { // under P, of (1 − q)N(0, 1) + qN(μ, 1) against N(0, 1)
			y := l.outputAt(epsilon)
			if math.IsInf(y, -1) {
				return -math.Expm1(epsilon)
			}
			tail := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
			return c.q*tail(y-l.a) + (1-c.q-math.Exp(epsilon))*tail(y)
		}
		broken := false
		for _, h := range []float64{0.3, 0.01, math.Max(c.q, 1e-4)} {
			for _, shift := range append(l.shifts(h), 0, h/3) {
				cut := l.cells(h, shift, 1e-20)
				up, low, grouped := cut.upper(), cut.lower(), cut.grouped()
				for _, over := range []float64{0, 0.1, 0.4, 0.5, 0.77, 1, 1.5, 2, 2.3, 3, 5.6, 10, 31.4} {
					epsilon := math.Log1p(-c.q) + over*h
					want := exact(epsilon)
					slack := 1e-14 * (1 + math.Abs(want)) // of the closed form, a difference
					if u := up.curve(h, epsilon, +1); !(u >= want-slack) {
						t.Errorf("%s, h = %v, shift %v: upper δ(%v) = %v, exactly %v", c.reason, h, shift, epsilon, u, want)
					}
					for name, s := range map[string]*side{"tangents": low, "groups": grouped} {
						if d := s.curve(h, epsilon, -1); !(d <= want+slack) {
							t.Errorf("%s, h = %v, shift %v: %s δ(%v) = %v, exactly %v", c.reason, h, shift, name, epsilon, d, want)
						}
					}
					broken = broken || grouped.curve(h, epsilon-h/4, -1) > want+slack
				}
			}
		}
		if !broken {
			t.Errorf("%s: groups a quarter of a cell higher are not seen", c.reason)
		}
	}
}
