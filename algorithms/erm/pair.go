package erm

import "github.com/dpverify/dpverify/algorithms/dataset"

// Example is a row with its label y in {-1, +1}.
type Example struct {
	X dataset.Row
	Y float64
}

// PairLoss is a function ℓ(w; z, z') = φ(Y(y, y')·h(w; x, x')) of two examples (Huai et al. 2020, Assumption 1),
// with φ a [Loss] and h affine in w. Each row may be dense or sparse. The methods do not allocate.
//
// The constants are in the ℓ2 norm of the flat w. They hold for rows of norm at most rowNorm > 0 and for w, v in
// the ball of the given radius > 0, or +Inf for the whole space. A new pair loss is a type with these methods and
// one row in the table of the law tests.
type PairLoss interface {
	// Name identifies the loss in reports.
	Name() string
	// Dim returns the length of w for rows of dimension d ≥ 1.
	Dim(d int) int
	// Value returns ℓ(w; a, b).
	Value(w []float64, a, b Example) float64
	// AddGradient adds c·∇ℓ(w; a, b) to dst, which has the length of w and does not overlap it.
	AddGradient(w []float64, a, b Example, c float64, dst []float64)
	// Lipschitz returns G with |ℓ(w)-ℓ(v)| ≤ G‖w-v‖; +Inf if none.
	Lipschitz(rowNorm, radius float64) float64
	// Smoothness returns L with ‖∇ℓ(w)-∇ℓ(v)‖ ≤ L‖w-v‖; +Inf if none.
	Smoothness(rowNorm, radius float64) float64
	// Convex reports whether ℓ is convex in w on the whole space.
	Convex() bool
	// Check returns an error if φ is nil or a parameter of φ is outside its domain.
	Check() error
}

// difference iterates in increasing order over the columns in which u = a-b is not zero. It starts with zero
// fields. A copy continues independently.
type difference struct {
	a, b   dataset.Row
	i, j   int // index of the next stored value of each row
	column int
	value  float64
}

// next moves to the next column. It returns false after the last one.
func (u *difference) next() bool {
	for u.i < len(u.a.Values) || u.j < len(u.b.Values) {
		ca, cb := column(u.a, u.i), column(u.b, u.j)
		u.column, u.value = min(ca, cb), 0
		if ca == u.column {
			u.value = u.a.Values[u.i]
			u.i++
		}
		if cb == u.column {
			u.value -= u.b.Values[u.j]
			u.j++
		}
		if u.value != 0 {
			return true
		}
	}
	return false
}

// column returns the column of the k-th stored value of a row, or the largest int at the row's end.
func column(x dataset.Row, k int) int {
	switch {
	case k >= len(x.Values):
		return int(^uint(0) >> 1)
	case x.Columns == nil:
		return k
	}
	return int(x.Columns[k])
}
