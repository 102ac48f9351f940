package erm

import "math"

// Metric is the loss φ(yy'(1 - (x-x')ᵀW(x-x'))) of Mahalanobis metric learning (Huai et al. 2020, Example 1, with
// φ = Logistic). w is the d×d matrix W, flat and row by row. The gradient is a symmetric matrix.
//
// Let u = x-x', let r bound the norm of a row and R bound ‖W‖_F. The gradient is -yy'φ'(t)uuᵀ at t = yy'(1-uᵀWu).
// As ‖uuᵀ‖_F = ‖u‖² ≤ 4r² and |uᵀWu| ≤ ‖W‖_F‖u‖², |t| ≤ D = 1+4r²R, so G = 4r²·G_φ(D) and L = 16r⁴·β_φ(D).
//
// The pair x = -x', ‖x‖ = r, attains ‖u‖² = 4r². Along W = s·uuᵀ/‖u‖², |s| ≤ R, t covers 1±4r²R for equal labels
// and the negated interval for different labels. If 4r²R ≥ 1 the two intervals cover [-D, D] and the constants are
// the smallest. Otherwise they are upper bounds; G is still the smallest if φ is steepest at -D, as Logistic is.
type Metric struct{ Phi Loss }

// Name returns "metric/" followed by the name of φ.
func (l Metric) Name() string { return "metric/" + l.Phi.Name() }

// Check returns an error if φ is nil or a parameter of φ is outside its domain.
func (l Metric) Check() error { return CheckLoss(l.Phi) }

// Dim returns d², because w is a matrix.
func (Metric) Dim(d int) int { return d * d }

// Value returns φ(yy'(1-uᵀWu)).
func (l Metric) Value(w []float64, a, b Example) float64 {
	return l.Phi.Value(l.argument(w, a, b))
}

// AddGradient adds -c·yy'φ'(t)uuᵀ to dst, in time O(k²) if the rows differ in k columns. The added matrix is
// exactly symmetric.
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

// side returns d for a flat d×d matrix. The square root of a square below 2^53 is exact.
func side(w []float64) int { return int(math.Sqrt(float64(len(w)))) }

// Lipschitz returns 4r²·G_φ(1+4r²R).
func (l Metric) Lipschitz(rowNorm, radius float64) float64 {
	square := 4 * rowNorm * rowNorm
	return square * l.Phi.Lipschitz(1+square*radius)
}

// Smoothness returns 16r⁴·β_φ(1+4r²R).
func (l Metric) Smoothness(rowNorm, radius float64) float64 {
	square := 4 * rowNorm * rowNorm
	return square * square * l.Phi.Smoothness(1+square*radius)
}

// Convex reports whether φ is convex. The argument of φ is affine in W.
func (l Metric) Convex() bool { return l.Phi.Convex() }
