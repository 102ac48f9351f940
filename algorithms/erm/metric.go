package erm

import "math"

// Metric is the loss φ(yy'(1 - (x-x')ᵀW(x-x'))) of Mahalanobis metric learning
// (Huai et al. 2020, Example 1; φ = Logistic there). w is the d×d matrix W,
// flat, row by row; the gradient is a symmetric matrix.
//
// With u = x-x', r the bound on the norm of a row and R the bound on ‖W‖_F, the
// gradient is -yy'φ'(t)uuᵀ at t = yy'(1-uᵀWu). As ‖uuᵀ‖_F = ‖u‖² ≤ 4r² and
// |uᵀWu| ≤ ‖W‖_F‖u‖², |t| ≤ D = 1+4r²R, so G = 4r²·G_φ(D) and L = 16r⁴·β_φ(D).
//
// The pair x = -x', ‖x‖ = r, reaches ‖u‖² = 4r². Along W = s·uuᵀ/‖u‖², |s| ≤ R, t
// runs over 1±4r²R for equal labels and over its mirror image for different ones;
// together they cover [-D, D] where 4r²R ≥ 1, and there the constants are the
// smallest. Elsewhere they are upper bounds, G still the smallest for φ steepest
// at -D, such as Logistic.
type Metric struct{ Phi Loss }

// Name is "metric/" and the name of φ.
func (l Metric) Name() string { return "metric/" + l.Phi.Name() }

// Check returns an error if there is no φ or its parameters are out of their
// domain.
func (l Metric) Check() error { return CheckLoss(l.Phi) }

// Dim is d²: w is a matrix.
func (Metric) Dim(d int) int { return d * d }

// Value is φ(yy'(1-uᵀWu)).
func (l Metric) Value(w []float64, a, b Example) float64 {
	return l.Phi.Value(l.argument(w, a, b))
}

// AddGradient adds -c·yy'φ'(t)uuᵀ to dst, in O(k²) for k columns in which the rows
// differ. What it adds is symmetric to the last bit.
func (l Metric) AddGradient(w []float64, a, b Example, c float64, dst []float64) {
	slope := -c * a.Y * b.Y * l.Phi.Derivative(l.argument(w, a, b))
	if slope == 0 {
		return
	}
	d := side(w)
	dst = dst[:len(w)]
	for u := (difference{a: a.X, b: b.X}); u.next(); {
		dst[u.column*d+u.column] += slope * (u.value * u.value)
		for v := u; v.next(); {
			add := slope * (u.value * v.value)
			dst[u.column*d+v.column] += add
			dst[v.column*d+u.column] += add
		}
	}
}

func (Metric) argument(w []float64, a, b Example) float64 {
	d := side(w)
	sum := 0.0
	for u := (difference{a: a.X, b: b.X}); u.next(); {
		row := w[u.column*d : (u.column+1)*d]
		sum += u.value * (a.X.Dot(row) - b.X.Dot(row))
	}
	return a.Y * b.Y * (1 - sum)
}

// side is d for a flat d×d matrix; the root of a square below 2^53 is exact.
func side(w []float64) int { return int(math.Sqrt(float64(len(w)))) }

// Lipschitz is 4r²·G_φ(1+4r²R).
func (l Metric) Lipschitz(rowNorm, radius float64) float64 {
	square := 4 * rowNorm * rowNorm
	return square * l.Phi.Lipschitz(1+square*radius)
}

// Smoothness is 16r⁴·β_φ(1+4r²R).
func (l Metric) Smoothness(rowNorm, radius float64) float64 {
	square := 4 * rowNorm * rowNorm
	return square * square * l.Phi.Smoothness(1+square*radius)
}

// Convex is that of φ: its argument is affine in W.
func (l Metric) Convex() bool { return l.Phi.Convex() }
