package pld

import (
	"math"
	"testing"
)

// A pair whose positive losses are too likely cannot be folded, and the bound is then trivial.
func TestFoldedOfUnlikelyLosses(t *testing.T) {
	for _, c := range []struct {
		reason string
		atoms  []Atom
		holds  bool
	}{
		{"symmetric", []Atom{{0.7, 0.3}, {0.3, 0.7}}, true},
		{"a sample of it", []Atom{{0.34, 0.3}, {0.66, 0.7}}, true},
		{"rare losses", []Atom{{0.01, 0}, {0.5, 0.6}, {0.49, 0.4}}, true},
		{"hardly any loss, nearly always", []Atom{{0.9, 0.8}, {0.1, 0.2}}, false},
	} {
		base, err := NewFinite(c.atoms, 0)
		if err != nil {
			t.Fatal(err)
		}
		f := NewFolded(base)
		above, _ := f.Cells(0.01, 1e-20)
		if lost, moment := above.Lost == 1, math.IsInf(f.LogMoment(2).High, 1); lost == c.holds || moment == c.holds {
			t.Errorf("%s: lost with certainty %v, infinite moment %v", c.reason, lost, moment)
		}
	}
}

// Opposed mixtures: losses are odd and increasing functions of the output, outputs are found from them, and moments are
// at least those by quadrature.
func TestOpposedMixtures(t *testing.T) {
	n := &Normal{Rest: 0.3, Shifts: []Shift{{0.5, 0.4}, {1.5, 0.2}, {2, 0.1}}, Opposed: true}
	for _, y := range []float64{-7, -1, -1e-3, 0, 0.2, 3, 12} {
		x := n.lossAt(y)
		if back := n.outputAt(x); math.Abs(back-y) > 1e-9*(1+math.Abs(y)) || math.Abs(n.lossAt(-y)+x) > 1e-14*(1+math.Abs(x)) {
			t.Errorf("at %v the loss is %v, which is at %v", y, x, back)
		}
	}
	for _, alpha := range []float64{-3, -0.5, 1.5, 2, 6} {
		const h = 1e-2
		sum := 0.0
		for y := -25.0; y < 25; y += h {
			q := n.Rest * math.Exp(-y*y/2)
			for _, s := range n.Shifts {
				q += s.Weight * math.Exp(-(y+s.Mu)*(y+s.Mu)/2)
			}
			sum += h * q / math.Sqrt(2*math.Pi) * math.Exp(alpha*n.lossAt(y))
		}
		if m := n.LogMoment(alpha).High; !(m >= math.Log(sum)) {
			t.Errorf("the moment of order %v is at most %v, by quadrature %v", alpha, m, math.Log(sum))
		}
	}
}
