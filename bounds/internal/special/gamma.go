// Package special has the special functions and the quadrature that the formulas share.
package special

import "math"

// GammaRatio returns Γ(x+½)/Γ(x) for x > 0, with a relative error of a few
// units in the last place at any x. (The difference of two Lgamma loses nine
// digits at x = 5e5.)
//
// From x = 16 on it is √x·exp(−1/(8x) + 1/(192x³) − 1/(640x⁵) + 17/(14336x⁷) −
// 31/(18432x⁹)), the asymptotic series of ln Γ(x+½) − ln Γ(x) (DLMF 5.11.8 at
// h = ½ less h = 0), whose next term 0.0039/x¹¹ is below 3e-16; below 16 the
// recurrence Γ(x+½)/Γ(x) = x/(x+½) · Γ(x+3/2)/Γ(x+1) brings x there.
func GammaRatio(x float64) float64 {
	product := 1.0
	for ; x < 16; x++ {
		product *= x / (x + 0.5)
	}
	y := 1 / (x * x)
	series := (-1.0/8 + y*(1.0/192+y*(-1.0/640+y*(17.0/14336+y*(-31.0/18432))))) / x
	return product * math.Sqrt(x) * math.Exp(series)
}
