package erm_test

import (
	"math"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/erm"
)

// The hull of the vertices of an ℓ1 ball, a simplex or a cube is that set, whose
// projection is other code.
func TestPolytopeAgainstClosedForms(t *testing.T) {
	const dim = 8
	var corners [][]float64
	for i := range dim {
		corners = append(corners, setAxis(dim, i, 2))
	}
	for _, c := range []struct {
		reason   string
		hull, of erm.Set
	}{
		{"l1 ball", setHull("", setCross(dim, 2)).set, setL1(dim, 2).set},
		{"simplex", setHull("", corners).set, setSimplex(dim, 2).set},
		{"cube", setHull("", setCube(dim)).set, setBox{dim}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := setRand(21)
			for range 300 {
				scale := math.Pow(10, 6*r.Float64()-2)
				w := setUnit(r, dim, scale)
				if apart := floats.Distance(setProjected(c.hull, w), setProjected(c.of, w), 2); !(apart <= 1e-13*(1+scale)) {
					t.Fatalf("the projections of %v differ by %v", w, apart)
				}
			}
		})
	}
}

// Random and nearly degenerate hulls, from within to far away: always certified (no NaN), and
// the gap at the result is at the level of rounding.
func TestPolytopeStress(t *testing.T) {
	for _, c := range []struct {
		reason      string
		dim, points int
		flat        float64 // factor of all coordinates but the first two
	}{
		{"more dimensions than points", 30, 12, 1},
		{"many points", 10, 300, 1},
		{"in the plane", 2, 50, 1},
		{"on the line", 1, 20, 1},
		{"nearly flat", 6, 60, 1e-8},
		{"flat", 6, 60, 0},
		{"flat at the level of rounding", 6, 60, 1e-15},
		{"flat beyond rounding", 6, 60, 1e-17},
	} {
		t.Run(c.reason, func(t *testing.T) {
			r := setRand(23)
			points := make([][]float64, c.points)
			for i := range points {
				points[i] = setUnit(r, c.dim, 1+r.Float64())
				for j := 2; j < c.dim; j++ {
					points[i][j] *= c.flat
				}
			}
			set := setHull("", points).set
			for range 100 {
				scale := math.Pow(10, 12*r.Float64()-4)
				w := setUnit(r, c.dim, scale)
				p := setProjected(set, w)
				g := floats.SubTo(make([]float64, c.dim), p, w)
				gap := erm.FrankWolfeGap(set, p, g, make([]float64, c.dim))
				if !(gap <= 1e-13*(1+scale)) {
					t.Fatalf("the gap of the projection of a point of norm %v is %v", scale, gap)
				}
			}
		})
	}
}

func TestPolytopeContains(t *testing.T) {
	set := setHull("", setCube(3)).set
	for _, c := range []struct {
		reason string
		w      []float64
		tol    float64
		want   bool
	}{
		{"a vertex, exactly", []float64{1, -1, 1}, 0, true},
		{"inside", []float64{0.3, -0.2, 0.9}, 1e-12, true},
		{"outside by 0.1", []float64{1.1, 0, 0}, 0.09, false},
		{"outside by 0.1, within the tolerance", []float64{1.1, 0, 0}, 0.11, true},
		{"outside by 0.1 on each axis", []float64{1.1, 1.1, 1.1}, 0.11, false},
	} {
		if got := set.Contains(c.w, c.tol); got != c.want {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

// Workspaces are not shared; the race detector sees it.
func TestPolytopeConcurrent(t *testing.T) {
	set, of := setHull("", setCross(6, 2)).set, setL1(6, 2).set
	var group sync.WaitGroup
	for seed := range uint64(4) {
		group.Go(func() {
			r := setRand(seed)
			for range 200 {
				w := setUnit(r, 6, 5)
				if apart := floats.Distance(setProjected(set, w), setProjected(of, w), 2); !(apart <= 1e-13) {
					t.Errorf("the projections of %v differ by %v", w, apart)
				}
			}
		})
	}
	group.Wait()
}

// Beyond what products can hold there is no certificate, and no guess in its place.
func TestPolytopeOverflow(t *testing.T) {
	p := setProjected(setHull("", setCube(2)).set, []float64{math.MaxFloat64, math.MaxFloat64})
	if !math.IsNaN(p[0]) || !math.IsNaN(p[1]) {
		t.Errorf("projection %v, want NaN", p)
	}
}

func TestPolytopePoints(t *testing.T) {
	points := [][]float64{{1, 2}, {3, 4}}
	set := setMust(erm.NewPolytope(points))
	points[1][0] = 99
	if set.Points() != 2 || set.Point(1)[0] != 3 || set.Point(1)[1] != 4 {
		t.Errorf("%d points, the second %v; want 2 and [3 4], a copy", set.Points(), set.Point(1))
	}
}
