package erm

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Set is a closed, bounded, convex constraint set C in R^Dim (Wang & Xu 2019, Definition 1). Vectors passed to a
// method have Dim entries. Methods may run concurrently. In the steady state they do not allocate.
//
// A vector of another length, or with a NaN or infinite entry, is in no set. Such an entry in an argument of
// Project or Linear makes every entry of the result NaN.
//
// A new set is a type with these methods and one row in the table of the set law tests. A set whose Gaussian width
// has a closed form also implements ExactWidth.
type Set interface {
	// Name identifies the set, with its dimension and size, in reports.
	Name() string
	// Dim returns the dimension of the space, at least 1.
	Dim() int
	// Contains reports whether w satisfies each inequality and equation of the set up to an absolute error of tol
	// ≥ 0.
	Contains(w []float64, tol float64) bool
	// Project replaces w by the nearest member in the ℓ2 norm.
	Project(w []float64)
	// Linear writes to dst a member v that minimizes ⟨g, v⟩, an extreme point if g ≠ 0. dst may be g.
	Linear(g, dst []float64)
	// MaxNorm returns ‖C‖₂, the largest ℓ2 norm of a member.
	MaxNorm() float64
	// Diameter returns the largest ℓ2 distance between two members.
	Diameter() float64
}

// minSize and maxSize bound the radii and coordinates of sets, so that squares and sums of squares neither
// overflow nor underflow.
const (
	minSize = 1e-100
	maxSize = 1e100
)

// FrankWolfeGap returns max ⟨v - w, -g⟩ over the members v, for the gradient g at the member w (Wang & Xu 2019,
// eq. (6)). It writes a maximizer to dst, which must be neither w nor g.
func FrankWolfeGap(set Set, w, g, dst []float64) float64 {
	set.Linear(g, dst)
	gap := 0.0
	for i, v := range dst {
		gap += g[i] * (w[i] - v)
	}
	return gap
}

// checkDim returns an error unless dim ≥ 1.
func checkDim(owner string, dim int) error {
	if dim < 1 {
		return domain.Error(owner, "dim", dim, "at least 1")
	}
	return nil
}

// checkSize returns an error unless dim ≥ 1 and radius is in [1e-100, 1e100].
func checkSize(owner string, dim int, radius float64) error {
	if err := checkDim(owner, dim); err != nil {
		return err
	}
	if !(radius >= minSize && radius <= maxSize) {
		return domain.Error(owner, "radius", radius, "a number in [1e-100, 1e100]")
	}
	return nil
}

// isVector reports whether w has dim entries and all of them are finite.
func isVector(w []float64, dim int) bool { return len(w) == dim && finite(w) }

// finite reports whether no entry is NaN or infinite.
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

// norm2 returns the ℓ2 norm. It uses the plain sum of squares if that neither overflows nor underflows.
func norm2(w []float64) float64 {
	if square := floats.Dot(w, w); square >= 1e-200 && square <= 1e300 {
		return math.Sqrt(square)
	}
	return floats.Norm(w, 2)
}

// shrinkTo scales a finite w onto the sphere of the given radius if it is outside. It first divides by the largest
// entry, because the norm may overflow and radius/norm may underflow.
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

// stretchTo writes the vector of norm radius in the direction of -g to dst, or 0 if g is 0.
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

// onlyEntry writes value·e_i to dst.
func onlyEntry(dst []float64, i int, value float64) {
	clear(dst)
	dst[i] = value
}
