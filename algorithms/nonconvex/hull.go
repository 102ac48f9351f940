package nonconvex

import (
	"fmt"

	"github.com/dpverify/dpverify/algorithms/erm"
)

// Hull is a constraint set with the finite set A whose convex hull it is (Assumption 4). The zero value is
// invalid.
type Hull struct {
	set   erm.Set
	scale float64 // scale of the ℓ1 ball or simplex
	twice bool    // both signs are vertices
}

// HullOf returns the hull of an erm.L1Ball (2p vertices) or an erm.Simplex (p vertices). Other sets give an error.
func HullOf(set erm.Set) (Hull, error) {
	switch c := set.(type) {
	case erm.L1Ball:
		return Hull{set: set, scale: c.MaxNorm(), twice: true}, nil
	case erm.Simplex:
		return Hull{set: set, scale: c.MaxNorm()}, nil
	}
	return Hull{}, fmt.Errorf("nonconvex: the vertices of a %T are not known: use an L1Ball or a Simplex", set)
}

// Len returns |A|.
func (h Hull) Len() int {
	if h.twice {
		return 2 * h.set.Dim()
	}
	return h.set.Dim()
}

// scores writes -⟨v_i, g⟩ for every vertex v_i. The vertices of the ℓ1 ball are scale·e_0, -scale·e_0, scale·e_1,
// ….
func (h Hull) scores(g, dst []float64) {
	for j, v := range g {
		if h.twice {
			dst[2*j], dst[2*j+1] = -h.scale*v, h.scale*v
		} else {
			dst[j] = -h.scale * v
		}
	}
}

// write writes vertex i to dst.
func (h Hull) write(i int, dst []float64) {
	clear(dst)
	if h.twice {
		dst[i/2] = h.scale * float64(1-2*(i%2))
	} else {
		dst[i] = h.scale
	}
}
