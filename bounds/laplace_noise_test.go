package bounds

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
)

func TestExpIntegral(t *testing.T) {
	for _, c := range []struct {
		x, want float64
		reason  string
	}{
		{0.1, 1.8229239584193906661, "Abramowitz & Stegun, Table 5.1"},
		{1, 0.21938393439552027368, "Abramowitz & Stegun, Table 5.1, the boundary of the two methods"},
		{10, 4.156968929685324277e-6, "Abramowitz & Stegun, Table 5.1"},
	} {
		if got := math.Exp(LogExpIntegral(c.x)); math.Abs(got-c.want) > 1e-13*c.want {
			t.Errorf("E₁(%v) = %.17g, want %.17g (%s)", c.x, got, c.want, c.reason)
		}
	}
	for x := 1e-6; x < 1e4; x *= 1.7 { // e^(-x)/2·ln(1+2/x) < E₁ < e^(-x) ln(1+1/x), DLMF 6.8.1
		got := LogExpIntegral(x) + x
		if lo, hi := math.Log(math.Log1p(2/x)/2), math.Log(math.Log1p(1/x)); !(lo < got && got < hi) {
			t.Errorf("x = %v: ln E₁ + x = %v, outside (%v, %v)", x, got, lo, hi)
		}
	}
	if !math.IsInf(LogExpIntegral(0), 1) || !math.IsNaN(LogExpIntegral(-1)) || !math.IsNaN(LogExpIntegral(math.NaN())) {
		t.Error("E₁ is not +Inf at 0 or not NaN at −1 and NaN")
	}
}

// The densities integrate to 1 over spheres, in the variable x = ln r.
func TestNoiseDensitiesHaveMassOne(t *testing.T) {
	for _, d := range []int{1, 2, 9, 34} {
		for name, density := range map[string]func(int, float64, float64) float64{"(7)": LogL2LaplaceDensity, "sphere": LogSphereGammaDensity, "ball": LogBallGammaDensity} {
			got := quad.Fixed(func(x float64) float64 {
				r := math.Exp(x)
				return math.Exp(density(d, 2, r) + logSphere(d) + float64(d)*x)
			}, -40, math.Log(2000), 4000, nil, 0)
			if math.Abs(got-1) > 1e-8 {
				t.Errorf("d = %d, %s: mass %v", d, name, got)
			}
		}
	}
}

func TestLogisticGradientSensitivity(t *testing.T) {
	bruteForce := 0.0 // maximum over a grid at d = 1
	for w := 0.0; w < 12; w += 0.05 {
		low, high := 0.0, 0.0
		for u := -1.0; u <= 1; u += 0.002 {
			g := u / (1 + math.Exp(w*u))
			low, high = math.Min(low, g), math.Max(high, g)
		}
		bruteForce = math.Max(bruteForce, high-low)
	}
	if got, err := LogisticGradientSensitivity(1); err != nil || !(got >= bruteForce && got < bruteForce+1e-4) {
		t.Errorf("d = 1: %v, %v by brute force (%v)", got, bruteForce, err)
	}
	if got, _ := LogisticGradientSensitivity(2); got != 2 {
		t.Errorf("d = 2: %v", got)
	}
}
