package confidence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestLevels(t *testing.T) {
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(i % 500)
	}
	for _, c := range []struct {
		reason string
		values []float64
		most   int
		want   int
	}{
		{"as many as wanted", values, 20, 20},
		{"one", values, 1, 1},
		{"of equal values none divides", []float64{3, 3, 3}, 20, 0},
		{"two values have one level", []float64{0, 1, 0, 1, 0, 1, 0, 1}, 20, 1},
		{"NaN has none", []float64{math.NaN(), math.NaN(), 1}, 20, 0},
		{"infinities are values", []float64{math.Inf(-1), 0, 0, math.Inf(1), math.Inf(-1), 0, 0, math.Inf(1)}, 20, 1},
		{"none", nil, 20, 0},
	} {
		levels := Levels(c.values, c.most)
		if len(levels) != c.want || !slices.IsSorted(levels) {
			t.Errorf("%s: %v, want %d", c.reason, levels, c.want)
		}
		for _, v := range c.values {
			if n := Cell(levels, v); n < 0 || n > len(levels) || n > 0 && v < levels[n-1] || n < len(levels) && v >= levels[n] {
				t.Errorf("%s: %v is in cell %d of %v", c.reason, v, n, levels)
			}
		}
	}
}

// counted draws samples of two exponential distributions and counts their cells.
func counted(r *rand.Rand, n int, rate float64, levels []float64) []int64 {
	cells := make([]int64, len(levels)+1)
	for range n {
		cells[Cell(levels, r.ExpFloat64()/rate)]++
	}
	return cells
}

// exponential returns δ(ε) of rates 1 and 2 in the worse order, for the best half-line.
func exponential(epsilon float64) float64 {
	// The ratio of densities e^x/2 exceeds t for x > ln 2t. In the other order 2e^−x exceeds t for x < ln 2/t.
	t := math.Exp(epsilon)
	x := math.Max(0, math.Log(2*t))
	up := math.Exp(-x) - t*math.Exp(-2*x)
	down := 0.0
	if y := math.Log(2 / t); y > 0 {
		down = -math.Expm1(-2*y) + t*math.Expm1(-y)
	}
	return math.Max(up, down)
}

// Over many runs, the band contains a false limit at most as often as its error permits, and the bound of δ exceeds
// the truth at some ε less often. Limits at the full error for each level are false more often, so the test has
// power.
func TestBandHoldsAtAllPlaces(t *testing.T) {
	const runs, n, alpha = 600, 400, 0.1
	r := rand.New(rand.NewPCG(28, 1))
	var values []float64
	for range 4000 {
		values = append(values, r.ExpFloat64(), r.ExpFloat64()/2)
	}
	levels := Levels(values, 20)
	wrong := map[string]int{}
	for range runs {
		x, y := counted(r, n, 1, levels), counted(r, n, 2, levels)
		b, err := New(x, y, alpha)
		if err != nil {
			t.Fatal(err)
		}
		pointwise, err := New(x, y, alpha*float64(len(levels)))
		if err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string]Band{"limits": b, "pointwise limits": pointwise} {
			for k, e := range b {
				if v := levels[k]; e.P > math.Exp(-v) || e.Q < math.Exp(-2*v) {
					wrong[name]++
					break
				}
			}
		}
		for epsilon := 0.0; epsilon < 3; epsilon += 0.02 {
			if b.Delta(epsilon) > exponential(epsilon)+1e-12 {
				wrong["δ"]++
				break
			}
		}
	}
	if wrong["δ"] > wrong["limits"] || wrong["limits"] > runs*alpha || wrong["pointwise limits"] < 2*runs*alpha {
		t.Errorf("of %d runs at error %v: %v", runs, alpha, wrong)
	}
}

// The trade-off function of the band agrees with its δ. It is convex, decreasing, and between 0 and 1 − α.
func TestTradeOffOfTheBand(t *testing.T) {
	b := Band{{P: 0.6, Q: 0.2}, {P: 0.3, Q: 0.05}}
	before := 1.0
	for i := range 101 {
		a := float64(i) / 100
		f := b.TradeOff(a)
		if f > before+1e-12 || f > 1-a+1e-12 || f < 0 {
			t.Errorf("f(%v) = %v after %v", a, f, before)
		}
		before = f
		for _, epsilon := range []float64{0, 0.5, 1, 2} { // δ(ε) ≥ 1 − f(α) − e^ε α of every test
			if d := b.Delta(epsilon); 1-f-math.Exp(epsilon)*a > d+1e-9 {
				t.Errorf("at α = %v, ε = %v: f = %v, δ = %v", a, epsilon, f, d)
			}
		}
	}
	if f := b.TradeOff(0.2); math.Abs(f-0.4) > 1e-12 {
		t.Errorf("f(0.2) = %v, want that of the event", f)
	}
	if b, err := New(nil, nil, 0.1); err != nil || b.Delta(0) != 0 || b.TradeOff(0.3) != 0.7 {
		t.Errorf("without levels: %v, %v", b, err)
	}
	if d := (Band{{P: 1, Q: 0}}).Delta(700); d != 1 {
		t.Errorf("an event that never happens under the other: δ = %v", d)
	}
}
