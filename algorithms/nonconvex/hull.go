package nonconvex

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/erm"
)

// Hull is a constraint set with the finite set A of which it is the convex hull
// (Assumption 4). The zero value is none.
type Hull struct {
	set   erm.Set
	scale float64       // of an ℓ1 ball or simplex
	twice bool          // both signs are vertices
	poly  *erm.Polytope // nil for the other two
}

// HullOf returns the hull of an erm.L1Ball (2p vertices), erm.Simplex (p vertices) or
// *erm.Polytope (the points it was made of).
func HullOf(set erm.Set) (Hull, error) {
	switch c := set.(type) {
	case erm.L1Ball:
		return Hull{set: set, scale: c.MaxNorm(), twice: true}, nil
	case erm.Simplex:
		return Hull{set: set, scale: c.MaxNorm()}, nil
	case *erm.Polytope:
		if c != nil {
			return Hull{set: set, poly: c}, nil
		}
	}
	return Hull{}, fmt.Errorf("nonconvex: the vertices of a %T are not known: use an L1Ball, a Simplex or a *Polytope", set)
}

// Len is |A|.
func (h Hull) Len() int {
	switch {
	case h.poly != nil:
		return h.poly.Points()
	case h.twice:
		return 2 * h.set.Dim()
	}
	return h.set.Dim()
}

// NormL1 is ‖C‖₁, the largest ℓ1 norm of a member.
func (h Hull) NormL1() float64 {
	if h.poly == nil {
		return h.scale
	}
	largest := 0.0
	for i := range h.poly.Points() {
		largest = math.Max(largest, floats.Norm(h.poly.Point(i), 1))
	}
	return largest
}

// scores writes -⟨v_i, g⟩ for every vertex. Those of the ℓ1 ball are scale·e_0,
// -scale·e_0, scale·e_1, ….
func (h Hull) scores(g, dst []float64) {
	switch {
	case h.poly != nil:
		for i := range dst {
			dst[i] = -floats.Dot(h.poly.Point(i), g)
		}
	case h.twice:
		for j, v := range g {
			dst[2*j], dst[2*j+1] = -h.scale*v, h.scale*v
		}
	default:
		for j, v := range g {
			dst[j] = -h.scale * v
		}
	}
}

// write writes vertex i to dst.
func (h Hull) write(i int, dst []float64) {
	switch {
	case h.poly != nil:
		copy(dst, h.poly.Point(i))
	case h.twice:
		clear(dst)
		dst[i/2] = h.scale * float64(1-2*(i%2))
	default:
		clear(dst)
		dst[i] = h.scale
	}
}
