package erm

import (
	"math"
	"testing"
)

// Twice the panels give the same result, up to the largest dimension in use and beyond.
func TestWidthPanels(t *testing.T) {
	for _, k := range []float64{1, 2, 3, 10, 1e3, 1e6, 1e9} {
		f := func(x float64) float64 { return -math.Expm1(k * math.Log1p(-math.Erfc(x/math.Sqrt2))) }
		got, finer := overHalfLine(f), panels(f, 56)
		if !(math.Abs(got-finer) <= 1e-13*finer) {
			t.Errorf("k = %g: %v with 28 panels, %v with 56", k, got, finer)
		}
		if coarse := panels(f, 2); k >= 10 && math.Abs(coarse-finer) <= 1e-10*finer {
			t.Errorf("k = %g: two panels give the same result, so the comparison proves nothing", k)
		}
	}
}
