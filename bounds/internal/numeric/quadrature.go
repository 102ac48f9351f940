package numeric

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// Integral returns the integral of a smooth f over [0, edge], by 32-point Gauss–Legendre rules on 16 equal panels.
func Integral(f func(float64) float64, edge float64) float64 {
	const n = 16
	var sum float64
	for i := range n {
		lo, hi := edge*float64(i)/n, edge*float64(i+1)/n
		sum += quad.Fixed(f, lo, hi, 32, quad.Legendre{}, 0)
	}
	return sum
}

// Rule is a quadrature rule: nodes and weights.
type Rule struct{ X, W []float64 }

// Legendre returns the n-point Gauss–Legendre rule on [0, 1]. Newton's method finds its nodes, the roots of the
// Legendre polynomial.
func Legendre(n int) Rule {
	r := Rule{make([]float64, n), make([]float64, n)}
	for i := range n {
		x := math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		slope := 0.0
		for range 10 {
			p0, p1 := 1.0, x
			for k := 2.0; k <= float64(n); k++ {
				p0, p1 = p1, ((2*k-1)*x*p1-(k-1)*p0)/k
			}
			slope = float64(n) * (x*p1 - p0) / (x*x - 1)
			x -= p1 / slope
		}
		r.X[i] = (1 - x) / 2
		r.W[i] = 1 / ((1 - x*x) * slope * slope)
	}
	return r
}
