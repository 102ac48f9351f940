package bounds_test

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
)

// The formulas of Wang & Xu at points computed by hand.
func TestNonconvex(t *testing.T) {
	delta := math.Exp(-4)
	smooth := bounds.Smooth{Smoothness: 2, Lipschitz: 3, Range: 5, Constant: 8}
	for _, c := range []struct {
		reason    string
		got, want float64
	}{
		{"T of Theorem 2: 300·2/√(9·4)", bounds.DescentRatio(300, 2, delta, 9), 100},
		{"eq. (4): (9·4)^¼/√600", paper.ProjectedGradient(300, 2, delta, 9), math.Sqrt(6.0 / 600)},
		{"eq. (6) at ‖C‖ = 2, G_C² = 5", paper.FrankWolfeGap(300, 2, delta, 2, math.Sqrt(5)), 2 * math.Sqrt(6.0/600)},
		{"eq. (7) at ‖C‖ = 4: a factor of 8", paper.MirrorGradient(300, 2, delta, 4, 0), 8 * math.Sqrt(8.0/600)},
		{"T of Theorem 6: 300·2/(2·ln e³)", bounds.VertexRatio(300, 2, delta, math.Exp(3)/300, 1), 100},
		{"eq. (8) at ‖C‖₁ = 7", paper.VertexGap(300, 2, delta, 7, math.Exp(3)/300, 1), 7 * math.Sqrt(6.0/600)},
		{"√(8·2·5/30 + (4/3)·8·9·10/20²)", smooth.DescentBound(20, 10), math.Sqrt(8.0/3 + 2.4)},
		{"√(4·2·5/10 + 8·9·10/20²)", smooth.GradientBound(20, 10), math.Sqrt(4 + 1.8)},
		{"5·4/10 + 3·√(8·10)/16 + 4/4", smooth.GapBound(16, 10), 3 + 3*math.Sqrt(80)/16},
		{"(5/√2 + 4√2)/√8 + 24√2·√8/16", smooth.VertexBound(16, 8), 1.25 + 2 + 6},
		{"3·√(9·1·2/e²) + √(80/(3T) + 72T/(3v²)), v = 2e²/6, T = 3", smooth.PopulationBound(math.Exp(2), 2, delta, 9, math.E), 9*math.Sqrt(2*math.Exp(-2)) + math.Sqrt(80.0/9+72*9/math.Exp(4))},
		{"eq. (5), middle: √(2²·9·1·ln e²/e²) + …", paper.Population(math.Exp(2), 2, delta, 9, 2, 2/math.E), math.Sqrt(72*math.Exp(-2)) + math.Sqrt(6/(2*math.Exp(2)))},
		{"eq. (5), right: 2√(9·1·2·2/(2e²))", paper.PopulationShort(math.Exp(2), 2, delta, 9, 2, 2/math.E), 2 * math.Sqrt(18*math.Exp(-2))},
		{"c of the corrected Theorem 1: (√2 − 1)² = 2/c", 2 / bounds.ConcentratedConstant, (math.Sqrt2 - 1) * (math.Sqrt2 - 1)},
	} {
		if math.Abs(c.got-c.want) > 1e-12*c.want {
			t.Errorf("%s: %v, want %v", c.reason, c.got, c.want)
		}
	}
}

// The bounds at T = ⌈v⌉ are at most the factors in their comments, divided by √v. They are close to them if ⌈v⌉ is
// close to 2v.
func TestNonconvexSteps(t *testing.T) {
	smooth := bounds.Smooth{Smoothness: 2, Lipschitz: 3, Range: 5, Constant: 8}
	for _, c := range []struct {
		name   string
		factor float64
		bound  func(v, steps float64) float64
	}{
		{"descent", math.Sqrt((8*10 + 8*72) / 3.0), smooth.DescentBound},
		{"gradient", math.Sqrt(4*10 + 2*72), smooth.GradientBound},
		{"gap", 5 + 3*4 + 4, smooth.GapBound},
	} {
		for _, v := range []float64{1.000001, 1.5, 2, 7.3, 1000} {
			factor, bound := c.factor/math.Sqrt(v), c.bound(v, math.Ceil(v))
			if bound > factor*(1+1e-12) {
				t.Errorf("%s at v=%g: %v above the factor's %v", c.name, v, bound, factor)
			}
			if v < 1.1 && bound < 0.8*factor {
				t.Errorf("%s at v=%g, T=2: %v far below the factor's %v", c.name, v, bound, factor)
			}
		}
	}
}
