package erm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Set is a closed, bounded, convex constraint set C in R^Dim (Wang & Xu 2019,
// Definition 1). Every vector handed to a method has Dim entries. No method keeps
// or allocates memory in the steady state, and all may run at the same time.
//
// A vector of another length, or with a NaN or infinite entry, is a member of no set;
// such an entry in an argument of Project or Linear makes every entry of the result NaN.
//
// A new set is one file: a type with these methods, and one row in the table of
// the package's test of set laws. A set whose Gaussian width has a closed form
// says so by the method of ExactWidth.
type Set interface {
	// Name identifies the set, with its dimension and size, in reports.
	Name() string
	// Dim is the dimension of the space, at least 1.
	Dim() int
	// Contains tells whether w satisfies each inequality and equation of the
	// set up to tol ≥ 0, in absolute terms.
	Contains(w []float64, tol float64) bool
	// Project replaces w by the member nearest to it in the ℓ2 norm.
	Project(w []float64)
	// Linear writes to dst a member v that minimises ⟨g, v⟩, an extreme point where
	// g ≠ 0; dst may be g.
	Linear(g, dst []float64)
	// MaxNorm is ‖C‖₂, the largest ℓ2 norm of a member.
	MaxNorm() float64
	// Diameter is the largest ℓ2 distance of two members.
	Diameter() float64
}

// minSize and maxSize bound radii and coordinates of sets, so that no square and
// no sum of squares overflows or vanishes.
const (
	minSize = 1e-100
	maxSize = 1e100
)

// FrankWolfeGap returns max ⟨v - w, -g⟩ over the members v, for the gradient g at the
// member w (Wang & Xu 2019, eq. (6)); it leaves a maximiser in dst. dst must be
// neither w nor g.
func FrankWolfeGap(set Set, w, g, dst []float64) float64 {
	set.Linear(g, dst)
	gap := 0.0
	for i, v := range dst {
		gap += g[i] * (w[i] - v)
	}
	return gap
}

// checkDim guards the dimension of a set.
func checkDim(owner string, dim int) error {
	if dim < 1 {
		return domain.Error(owner, "dim", dim, "at least 1")
	}
	return nil
}

// checkSize guards the dimension and the radius of a set.
func checkSize(owner string, dim int, radius float64) error {
	if err := checkDim(owner, dim); err != nil {
		return err
	}
	if !(radius >= minSize && radius <= maxSize) {
		return domain.Error(owner, "radius", radius, "a number in [1e-100, 1e100]")
	}
	return nil
}

// isVector tells whether w has dim entries, all finite.
func isVector(w []float64, dim int) bool { return len(w) == dim && finite(w) }

// finite tells whether no entry is NaN or infinite.
func finite(w []float64) bool {
	sum := 0.0
	for _, v := range w {
		sum += v * 0
	}
	return sum == 0
}

func fillNaN(w []float64) {
	for i := range w {
		w[i] = math.NaN()
	}
}

// norm2 is the ℓ2 norm, by the plain sum of squares where that cannot fail.
func norm2(w []float64) float64 {
	if square := floats.Dot(w, w); square >= 1e-200 && square <= 1e300 {
		return math.Sqrt(square)
	}
	return floats.Norm(w, 2)
}

// shrinkTo scales a finite w onto the sphere of the radius if it is outside. The
// largest entry is divided out first: the norm may overflow, and radius/norm vanish.
func shrinkTo(w []float64, radius float64) {
	if norm2(w) <= radius {
		return
	}
	top := largest(w, magnitude)
	for i := range w {
		w[i] /= top
	}
	floats.Scale(radius/norm2(w), w)
}

// stretchTo writes to dst the vector of norm radius in the direction of -g, or 0 if
// g is 0.
func stretchTo(g, dst []float64, radius float64) {
	top := largest(g, magnitude)
	if top == 0 {
		clear(dst)
		return
	}
	for i, v := range g {
		dst[i] = -v / top
	}
	floats.Scale(radius/norm2(dst), dst)
}

// onlyEntry makes dst value·e_at.
func onlyEntry(dst []float64, at int, value float64) {
	clear(dst)
	dst[at] = value
}
