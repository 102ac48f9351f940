package ties

import (
	"math"
	"testing"
)

func TestAbove(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		x, y  float64
		above bool
	}{
		{1, 1, false}, {1 + 1e-12, 1, false}, {1 + 1e-8, 1, true}, {1, 1 + 1e-8, false},
		{1e-300, 0, true}, {0, 0, false}, {-1, -2, true}, {-1, -1 - 1e-12, false},
		{inf, 1, true}, {inf, inf, false}, {1, -inf, true}, {inf, -inf, true}, {-inf, -inf, false},
		{nan, 1, false}, {1, nan, false}, {math.MaxFloat64, -math.MaxFloat64, true},
	} {
		if got := Above(c.x, c.y); got != c.above {
			t.Errorf("Above(%v, %v) is %v", c.x, c.y, got)
		}
	}
}

func TestRounded(t *testing.T) {
	for x, want := range map[float64]float64{
		1.0000000001: 1, 1.00000001: 1.00000001, -1234567891.23: -1234567890, 0: 0, math.Inf(1): math.Inf(1),
	} {
		if got := Rounded(x); got != want {
			t.Errorf("Rounded(%v) is %v, want %v", x, got, want)
		}
	}
}
