package erm_test

import (
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"

	"github.com/dpverify/dpverify/algorithms/erm"
)

// setFaulty is a set with one method replaced.
type setFaulty struct {
	erm.Set
	project  func(w []float64)
	linear   func(g, dst []float64)
	contains func(w []float64, tol float64) bool
	maxNorm  float64
	diameter float64
}

func (f setFaulty) Project(w []float64) {
	if f.project != nil {
		f.project(w)
		return
	}
	f.Set.Project(w)
}

func (f setFaulty) Linear(g, dst []float64) {
	if f.linear != nil {
		f.linear(g, dst)
		return
	}
	f.Set.Linear(g, dst)
}

func (f setFaulty) Contains(w []float64, tol float64) bool {
	if f.contains != nil {
		return f.contains(w, tol)
	}
	return f.Set.Contains(w, tol)
}

func (f setFaulty) MaxNorm() float64 {
	if f.maxNorm != 0 {
		return f.maxNorm
	}
	return f.Set.MaxNorm()
}

func (f setFaulty) Diameter() float64 {
	if f.diameter != 0 {
		return f.diameter
	}
	return f.Set.Diameter()
}

// setTwins returns sets with one known fault each. The named laws must detect the fault.
func setTwins() []struct {
	fault string
	set   erm.Set
	row   setRow
	laws  []string
} {
	l2, l1, simplex, frobenius := setL2(5, 1.5), setL1(7, 3), setSimplex(6, 1.5), setFrobenius(3, 1)
	cube := setBoxRow(3)
	after := func(set erm.Set, factor float64) func([]float64) {
		return func(w []float64) { set.Project(w); floats.Scale(factor, w) }
	}
	uphill := func(set erm.Set) func(g, dst []float64) {
		return func(g, dst []float64) { floats.ScaleTo(dst, -1, g); set.Linear(dst, dst) }
	}
	return []struct {
		fault string
		set   erm.Set
		row   setRow
		laws  []string
	}{
		{"a radius 5 % small throughout", setL2(5, 1.425).set, l2, []string{"member", "oracle", "size"}},
		{"a radius 5 % large in the projection", setFaulty{Set: l1.set, project: setL1(7, 3.15).set.Project}, l1, []string{"member"}},
		{"a radius 5 % small in the projection", setFaulty{Set: l1.set, project: setL1(7, 2.85).set.Project}, l1, []string{"nearest"}},
		{"scaled after the projection", setFaulty{Set: l2.set, project: after(l2.set, 0.95)}, l2, []string{"idempotent", "nearest"}},
		{"scaled instead of projected", setFaulty{Set: l1.set, project: func(w []float64) {
			if norm := floats.Norm(w, 1); norm > 3 {
				floats.Scale(3/norm, w)
			}
		}}, l1, []string{"nearest", "not finite"}},
		{"expansive", setFaulty{Set: l2.set, project: after(l2.set, 1.05)}, l2, []string{"member", "size"}},
		{"not symmetrized", setFaulty{Set: frobenius.set, project: setL2(9, 1).set.Project}, frobenius, []string{"member"}},
		{"an oracle of the wrong sign", setFaulty{Set: simplex.set, linear: uphill(simplex.set)}, simplex, []string{"oracle", "support"}},
		{"an oracle at half the distance", setFaulty{Set: cube.set, linear: func(g, dst []float64) {
			cube.set.Linear(g, dst)
			floats.Scale(0.5, dst)
		}}, cube, []string{"oracle"}},
		{"all contained", setFaulty{Set: simplex.set, contains: func([]float64, float64) bool { return true }}, simplex, []string{"outside", "not finite"}},
		{"a norm 5 % small", setFaulty{Set: cube.set, maxNorm: 0.95 * cube.set.MaxNorm()}, cube, []string{"size"}},
		{"a diameter 5 % small", setFaulty{Set: cube.set, diameter: 0.95 * cube.set.Diameter()}, cube, []string{"size"}},
	}
}

// setBreaks returns the error of a law that fails on one of 300 fixed draws.
func setBreaks(law setLaw, set erm.Set, row setRow) error {
	r := setRand(7)
	for range 300 {
		dim := set.Dim()
		d := setDraw{setUnit(r, dim, 6*r.Float64()), setUnit(r, dim, 6*r.Float64()), setUnit(r, dim, 1), row.extreme(r)}
		if err := law.check(set, d); err != nil {
			return err
		}
	}
	return nil
}

func TestSetLawsDetectFaults(t *testing.T) {
	for _, twin := range setTwins() {
		t.Run(twin.fault, func(t *testing.T) {
			want := map[string]bool{}
			for _, name := range twin.laws {
				want[name] = true
			}
			for _, law := range setLaws {
				if err := setBreaks(law, twin.row.set, twin.row); err != nil {
					t.Errorf("the sound set breaks law %q: %v", law.name, err)
				}
				if err := setBreaks(law, twin.set, twin.row); want[law.name] && err == nil {
					t.Errorf("law %q does not detect the fault", law.name)
				}
			}
		})
	}
}

// The expected sizes are constants and do not come from the code under test.
func TestSetSizes(t *testing.T) {
	const root2, root3 = 1.4142135623730951, 1.7320508075688772
	for _, c := range []struct {
		reason            string
		set               erm.Set
		maxNorm, diameter float64
	}{
		{"radius and twice the radius", setL2(5, 1.5).set, 1.5, 3},
		{"its vertices are the farthest points", setL1(7, 3).set, 3, 6},
		{"an edge is the longest chord", setSimplex(6, 1.5).set, 1.5, 1.5 * root2},
		{"one point", setSimplex(1, 2).set, 2, 0},
		{"radius and twice the radius", setFrobenius(3, 1).set, 1, 2},
		{"the diagonal of a cube", setBox{3}, root3, 2 * root3},
	} {
		if !scalar.EqualWithinRel(c.set.MaxNorm(), c.maxNorm, 1e-15) || !scalar.EqualWithinAbsOrRel(c.set.Diameter(), c.diameter, 0, 1e-15) {
			t.Errorf("%s, %s: norm %v, diameter %v, want %v and %v", c.set.Name(), c.reason, c.set.MaxNorm(), c.set.Diameter(), c.maxNorm, c.diameter)
		}
	}
}
