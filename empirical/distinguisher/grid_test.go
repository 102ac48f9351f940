package distinguisher

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The fast path for sizes that are not tiny gives the same bits.
func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	slow := func(x, size float64) float64 {
		_, exponent := math.Frexp(size)
		grid := math.Ldexp(1, exponent-30)
		return math.Round(x/grid) * grid
	}
	for range 20_000 {
		size := math.Ldexp(1+r.Float64(), r.IntN(2046)-1022)
		x := size * (2*r.Float64() - 1)
		if r.IntN(4) == 0 { // half way between two points of the grid
			_, exponent := math.Frexp(size)
			x = math.Ldexp(float64(r.IntN(1<<20))-1<<19+0.5, exponent-30)
		}
		if got, want := nearestOnGrid(x, size), slow(x, size); math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("Nearest(%v, %v) = %v, want %v", x, size, got, want)
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 5e-324, -1e-310} {
		if got, want := nearestOnGrid(x, 1e-300), slow(x, 1e-300); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("Nearest(%v, 1e-300) = %v, want %v", x, got, want)
		}
	}
}
