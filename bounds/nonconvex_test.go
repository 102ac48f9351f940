package bounds

import (
	"math"
	"testing"
)

// The formulas of Wang & Xu at places where they can be done by hand.
func TestNonconvex(t *testing.T) {
	delta := math.Exp(-4)
	smooth := Smooth{Smoothness: 2, Lipschitz: 3, Range: 5, Constant: 8}
	for _, c := range []struct {
		reason    string
		got, want float64
	}{
		{"T of Theorem 2: 300·2/√(9·4)", DescentRatio(300, 2, delta, 9), 100},
		{"eq. (4): (9·4)^¼/√600", ProjectedGradientPrinted(300, 2, delta, 9), math.Sqrt(6.0 / 600)},
		{"eq. (6) at ‖C‖ = 2, G_C² = 5", FrankWolfeGapPrinted(300, 2, delta, 2, math.Sqrt(5)), 2 * math.Sqrt(6.0/600)},
		{"eq. (7) at ‖C‖ = 4: a factor of 8", MirrorGradientPrinted(300, 2, delta, 4, 0), 8 * math.Sqrt(8.0/600)},
		{"T of Theorem 6: 300·2/(2·ln e³)", VertexRatio(300, 2, delta, math.Exp(3)/300, 1), 100},
		{"eq. (8) at ‖C‖₁ = 7", VertexGapPrinted(300, 2, delta, 7, math.Exp(3)/300, 1), 7 * math.Sqrt(6.0/600)},
		{"√(4·2·5 + 4·8·9)", smooth.DescentFactor(), math.Sqrt(328)},
		{"5 + 6·4 + 4", smooth.GapFactor(), 33},
		{"5/√2 + 4√2 + 48", smooth.VertexFactor(), 6.5*math.Sqrt2 + 48},
		{"eq. (5), middle: √(2²·9·1·ln e²/e²) + …", PopulationPrinted(math.Exp(2), 2, delta, 9, 2, 2/math.E), math.Sqrt(72*math.Exp(-2)) + math.Sqrt(6/(2*math.Exp(2)))},
		{"eq. (5), right: 2√(9·1·2·2/(2e²))", PopulationShortPrinted(math.Exp(2), 2, delta, 9, 2, 2/math.E), 2 * math.Sqrt(18*math.Exp(-2))},
		{"c of the corrected Theorem 1: (√2 − 1)² = 2/c", 2 / ConcentratedConstant, (math.Sqrt2 - 1) * (math.Sqrt2 - 1)},
	} {
		if math.Abs(c.got-c.want) > 1e-12*c.want {
			t.Errorf("%s: %v, want %v", c.reason, c.got, c.want)
		}
	}
}
