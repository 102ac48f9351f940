package confidence

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// limited adds limits to computed points: the mean divided and multiplied by factors at alpha = 0.5. At a hundredth
// of this alpha their logarithms double.
func limited(points []SlopePoint, below, above float64) []SlopePoint {
	for i, p := range points {
		points[i].Limits = func(alpha float64) (lower, upper float64, err error) {
			stretch := 1 - math.Log(2*alpha)/math.Log(100)
			return p.Mean * math.Pow(below, -stretch), p.Mean * math.Pow(above, stretch), nil
		}
	}
	return points
}

// The interval contains the slope for every set of means within their limits, and its ends are attained by extreme
// sets.
func TestFitSlopeWithinLimits(t *testing.T) {
	const alpha = 1e-3
	grid := geometric(10, 3, 6)
	s, err := FitSlope(limited(computed(grid, power(2, -0.5)), 1.1, 1.3), alpha, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	// means anywhere within the limits, each missed with alpha/12
	stretch := 1 - math.Log(2*alpha/12)/math.Log(100)
	moved := func(move func(i int) float64) float64 {
		points := computed(grid, power(2, -0.5))
		for i := range points {
			points[i].Mean *= math.Exp(stretch * move(i))
		}
		line, err := FitSlope(points, alpha, 10) // of which none is left out
		if err != nil {
			t.Fatal(err)
		}
		return line.Value
	}
	low, high := -math.Log(1.1), math.Log(1.3)
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		if v := moved(func(int) float64 { return low + (high-low)*r.Float64() }); !(v >= s.Lower && v <= s.Upper) {
			t.Fatalf("slope %v of means within their limits, outside [%v, %v]", v, s.Lower, s.Upper)
		}
	}
	side := func(early, late float64) float64 {
		return moved(func(i int) float64 {
			if i < 3 {
				return early
			}
			return late
		})
	}
	if least, most := side(high, low), side(low, high); !(s.Lower <= least+1e-9 && s.Upper >= most-1e-9) {
		t.Errorf("[%v, %v], and a line from %v to %v", s.Lower, s.Upper, least, most)
	}
}

func TestFitSlopeLimitsThatSayNothing(t *testing.T) {
	points := func(lower, upper float64, err error) []SlopePoint {
		p := limited(computed(geometric(10, 3, 6), power(2, -0.5)), 1.1, 1.1)
		p[2].Limits = func(float64) (float64, float64, error) { return lower, upper, err }
		return p
	}
	s, err := FitSlope(points(0, 1, nil), 0.01, 0.1)
	if err != nil || !math.IsInf(s.Upper, 1) {
		t.Errorf("a mean that may be 0: [%v, %v], %v", s.Lower, s.Upper, err)
	}
	s, err = FitSlope(points(-1, math.Inf(1), nil), 0.01, 0.1)
	if err != nil || !math.IsInf(s.Upper, 1) || !math.IsInf(s.Lower, -1) {
		t.Errorf("a mean that may be anything: [%v, %v], %v", s.Lower, s.Upper, err)
	}
	broken := errors.New("out of order")
	if _, err := FitSlope(points(0, 1, broken), 0.01, 0.1); !errors.Is(err, broken) {
		t.Errorf("limits that fail: %v", err)
	}
	for _, l := range [][2]float64{{1, 2}, {0.01, 0.02}, {math.NaN(), 1}, {0, math.NaN()}} {
		if _, err := FitSlope(points(l[0], l[1], nil), 0.01, 0.1); !errors.Is(err, ErrDomain) {
			t.Errorf("limits %v without the mean: %v", l, err)
		}
	}
}
