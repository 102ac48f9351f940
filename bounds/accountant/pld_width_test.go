package accountant

import (
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// If the requested width would allow cells wider than certified ones, the lattice uses narrower cells and does not
// fail. The event is 414 steps with little noise, whose δ at ε = 0.5 is 0.99727.
func TestGreatWidth(t *testing.T) {
	steps := event.Repeat(414, event.Poisson(0.0491, event.Gaussian(1.0/3)))
	fine, err := LossDelta(steps, event.AddRemove, 0.5, Precision{Width: 0.01, MaxPoints: 1 << 18})
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []float64{0.1, 1, 10} {
		b, err := LossDelta(steps, event.AddRemove, 0.5, Precision{Width: width, MaxPoints: 1 << 18})
		if err != nil || !(b.Lower <= fine.Upper && fine.Lower <= b.Upper && b.Lower > 0.9) {
			t.Errorf("width %v: %v, %v; at a small width %v", width, b, err, fine)
		}
	}
}
