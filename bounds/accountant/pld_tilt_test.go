package accountant

import (
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// The Rényi bound of δ(0) of a sampled Gaussian can be smallest at a tilt of almost 0. The bracket is then not narrower
// than 1e-5 δ, which would take 20 s, and contains the closed form δ(0) = q(2Φ(1/(2σ)) − 1). Larger noise is the
// control.
func TestDeltaAtZeroIsNotTooNarrow(t *testing.T) {
	const q = 0.3
	for _, c := range []struct {
		noise float64
		tilt  bool // the Rényi bound is smallest at a usual tilt
	}{{0.5, false}, {1, false}, {1.16, false}, {1.18, true}} {
		e := event.Poisson(q, event.Gaussian(c.noise))
		p, err := newProfile(e, event.AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		if _, theta := Tight.LogDelta(p.finiteRenyi, 0); (theta > minDeltaTilt) != c.tilt {
			t.Errorf("noise %v: tilt %v", c.noise, theta)
		}
		want := q * (2*normal(1/(2*c.noise)) - 1)
		b, err := LossDelta(e, event.AddRemove, 0, Precision{MaxPoints: 1 << 16})
		if err != nil || !(b.Lower <= want && want <= b.Upper && b.Width() <= 1e-3*want && b.Width() >= 1e-5*want) {
			t.Errorf("noise %v: %v, the closed form is %v: %v", c.noise, b, want, err)
		}
	}
}
