package logmath

import "math"

// ProductUp and SumUp return a·b and a + b, rounded up where they are not exact: at the
// largest loss δ is 0, just below it is not.
func ProductUp(a, b float64) float64 {
	p := a * b
	if math.FMA(a, b, -p) > 0 {
		p = math.Nextafter(p, math.Inf(1))
	}
	return p
}

func SumUp(a, b float64) float64 {
	s := a + b
	if part := s - a; (a-(s-part))+(b-part) > 0 {
		s = math.Nextafter(s, math.Inf(1))
	}
	return s
}
