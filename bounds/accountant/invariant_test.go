package accountant

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// plant adds a method to the table for the duration of a test.
func plant(t *testing.T, b Bracket) {
	t.Helper()
	honest := methods
	t.Cleanup(func() { methods = honest })
	delta := func(*profile, float64, Precision) (Bracket, error) { return b, nil }
	epsilon := func(*profile, float64, Precision) (Bracket, error) {
		if b.Upper == 1 { // no upper bound is proven
			return Bracket{b.Lower, b.Estimate, math.Inf(1)}, nil
		}
		return b, nil
	}
	methods = append(append([]method{}, honest...), method{name: "planted", theorem: "none", epsilon: epsilon, delta: delta})
}

// A faulty method is detected on every exported path, and the error contains the event and both sides of the
// contradiction. A sound method passes.
func TestPlantedBreachIsCaught(t *testing.T) {
	tree := event.Repeat(3, event.Poisson(0.5, event.Gaussian(2)))
	for _, c := range []struct {
		reason string
		give   Bracket
		caught bool
		names  string
	}{
		{"negative control: nothing proven", Bracket{0, 0.5, 1}, false, ""},
		{"upper end below the truth", Bracket{0, 0, 1e-9}, true, "pld"},
		{"lower end above the truth", Bracket{0.99999, 1, 1}, true, "pld"},
		{"lower above upper", Bracket{0.6, 0.6, 0.5}, true, ""},
		{"estimate outside", Bracket{0, 0.9, 0.5}, true, ""},
		{"below zero", Bracket{-1, 0, 1}, true, ""},
		{"not a number", Bracket{0, math.NaN(), 1}, true, ""},
	} {
		t.Run(c.reason, func(t *testing.T) {
			plant(t, c.give)
			_, epsilonErr := Epsilons(tree, event.AddRemove, 0.1, Options{Precision: coarse})
			_, deltaErr := Deltas(tree, event.AddRemove, 0.3, Options{Precision: coarse})
			_, noiseErr := Calibrate(func(s float64) event.Event { return event.Repeat(3, event.Poisson(0.5, event.Gaussian(s))) }, event.AddRemove, 0.5, 1e-2, "best")
			for name, err := range map[string]error{"ε": epsilonErr, "δ": deltaErr, "calibration": noiseErr} {
				if !c.caught && errors.Is(err, ErrBreach) {
					t.Errorf("%s: %v", name, err)
				}
				if !c.caught {
					continue
				}
				if !errors.Is(err, ErrBreach) {
					t.Errorf("%s: error %v, want a breach", name, err)
					continue
				}
				for _, want := range []string{"planted", "poisson(q=0.5", c.names} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%s: %q does not name %q", name, err, want)
					}
				}
			}
		})
	}
}

// Two brackets that do not intersect are a breach, whatever the true value is.
func TestAgreeing(t *testing.T) {
	bracket := func(name string, lower, upper float64) Result {
		return Result{Method: name, Bracket: Bracket{lower, lower, upper}}
	}
	if err := agreeing([]Result{bracket("a", 0, 2), bracket("b", 2, 3), bracket("c", 1, 4)}); err != nil {
		t.Error(err)
	}
	err := agreeing([]Result{bracket("a", 0, 4), bracket("b", 2, 3), bracket("c", 0, 1)})
	if !errors.Is(err, ErrBreach) || !strings.Contains(fmt.Sprint(err), "b gave [2, 3] and c gave [0, 1]") {
		t.Errorf("error %v", err)
	}
}

// The intersection of two brackets of one number is a bracket or a breach. A contradictory bracket intersects nothing.
func TestMeet(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		reason string
		a, b   Bracket
		want   Bracket
		breach bool
	}{
		{"negative control: they overlap", Bracket{1, 2, 3}, Bracket{2, 2.5, 4}, Bracket{2, 2.5, 3}, false},
		{"one point in common", Bracket{1, 2, 3}, Bracket{3, 4, 5}, Bracket{3, 3, 3}, false},
		{"nothing known", Bracket{1, 2, 3}, Bracket{0, inf, inf}, Bracket{1, 3, 3}, false},
		{"apart", Bracket{1, 2, 3}, Bracket{3.1, 4, 5}, Bracket{}, true},
		{"apart, the other way round", Bracket{3.1, 4, 5}, Bracket{1, 2, 3}, Bracket{}, true},
		{"in the wrong order", Bracket{3, 2, 1}, Bracket{0, 1, inf}, Bracket{}, true},
		{"not a number", Bracket{1, 2, math.NaN()}, Bracket{0, 1, inf}, Bracket{}, true},
	} {
		got, err := c.a.Meet(c.b)
		if errors.Is(err, ErrBreach) != c.breach || err == nil && got != c.want {
			t.Errorf("%s: %v, %v, want %v", c.reason, got, err, c.want)
		}
	}
}

// A large loss without sampling, composed with a sampled one. The probabilities of the first underflow in the other
// order of the neighbors.
func TestMirrorOfGreatLosses(t *testing.T) {
	for _, noise := range []float64{0.0274, 0.02, 0.05} {
		tree := event.Compose(event.Gaussian(noise), event.Poisson(2.5e-5, event.Gaussian(2*noise)))
		for _, eps := range []float64{500, 745, 1500} {
			b, err := LossDelta(tree, event.AddRemove, eps, Precision{Width: 0.3, MaxPoints: 1 << 14})
			if errors.Is(err, ErrNotApplicable) {
				continue
			}
			single, gaussianErr := GDP{Mu: 1 / noise}.Delta(eps)
			if err != nil || gaussianErr != nil || !(b.Upper >= single.Lower) {
				t.Errorf("σ = %v, ε = %v: δ of both %v (%v), of one %v (%v)", noise, eps, b, err, single, gaussianErr)
			}
		}
	}
}
