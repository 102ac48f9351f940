package tolerance

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

func TestSettled(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		x      float64
		digits int
		want   float64
	}{
		{292.74999999999994, PrintDigits, 292.75}, {292.75000000000006, PrintDigits, 292.75}, // a half, either side
		{math.Nextafter(0.05, 0), PrintDigits, 0.05}, {-math.Nextafter(0.05, 1), PrintDigits, -0.05},
		{0.012345678, 3, 0.0123}, {99951, 3, 1e5}, {5e-324, PrintDigits, 5e-324},
		{0, 3, 0}, {inf, 3, inf}, {-inf, 3, -inf}, {math.MaxFloat64, 3, math.MaxFloat64},
	} {
		if got := Settled(c.x, c.digits); got != c.want {
			t.Errorf("Settled(%v, %d) is %v, want %v", c.x, c.digits, got, c.want)
		}
	}
	if got := Settled(math.NaN(), 3); !math.IsNaN(got) {
		t.Errorf("Settled(NaN) is %v", got)
	}
}
