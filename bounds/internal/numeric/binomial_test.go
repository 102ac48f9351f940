package numeric

import (
	"math"
	"testing"
)

func close(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*math.Abs(b) }

func TestGammaRatio(t *testing.T) {
	for _, c := range []struct {
		x, want float64
		reason  string
	}{
		{0.5, 1 / math.Sqrt(math.Pi), "Γ(1)/Γ(½)"},
		{1, math.Sqrt(math.Pi) / 2, "Γ(3/2)/Γ(1)"},
		{10, 654729075 * math.Sqrt(math.Pi) / (1024 * 362880), "Γ(10.5)/Γ(10) = 19!!·√π/(2^10·9!)"},
		{5e5, math.Sqrt(5e5) * (1 - 1/4e6 + 1/(128*25e10)), "√x(1 − 1/(8x) + 1/(128x²)), the rest below 1e-17"},
	} {
		if got := GammaRatio(c.x); !close(got, c.want, 4e-15) {
			t.Errorf("GammaRatio(%v) = %.17g, want %.17g (%s)", c.x, got, c.want, c.reason)
		}
	}
	for x := 0.5; x < 40; x += 0.5 { // follows from Γ(x+1) = xΓ(x)
		if got := GammaRatio(x) * GammaRatio(x+0.5); !close(got, x, 1e-14) {
			t.Errorf("GammaRatio(%v)·GammaRatio(%v) = %.17g, want %v", x, x+0.5, got, x)
		}
	}
}
