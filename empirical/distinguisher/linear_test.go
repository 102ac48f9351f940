package distinguisher

import (
	"math"
	"math/rand/v2"
	"testing"
)

// separation returns the squared signal-to-noise ratio of the weights relative to the best linear function, for
// independent positions with variance 1 and the given shift.
func separation(w, shift []float64) float64 {
	var signal, noise, best float64
	for i, d := range shift {
		signal, noise, best = signal+w[i]*d, noise+w[i]*w[i], best+d*d
	}
	if noise == 0 {
		return 0
	}
	return signal * signal / (noise * best)
}

// Half of 60 positions differ by about two standard errors in either direction. One common size is estimated more
// accurately than sixty sizes.
func TestAlikeLearnsOneSize(t *testing.T) {
	const positions, rows, seeds = 60, 4000, 8
	shift := make([]float64, positions)
	for i := 0; i < positions; i += 2 {
		shift[i] = 0.05 * float64(1-i%4)
	}
	draw := func(shift []float64) func(r *rand.Rand) []float64 {
		return func(r *rand.Rand) []float64 {
			row := make([]float64, positions)
			for i := range row {
				row[i] = r.NormFloat64()
				if shift != nil {
					row[i] += shift[i]
				}
			}
			return row
		}
	}
	var one, sixty float64
	for seed := range uint64(seeds) {
		m := newPositions(newTable(sampleOf(2*seed, rows, draw(shift)), sampleOf(2*seed+1, rows, draw(nil))))
		w := m.alike()
		if w == nil {
			t.Fatalf("seed %d: no position is believed to differ", seed)
		}
		for i, v := range w {
			if v != 0 && math.Abs(v) != 1 {
				t.Fatalf("seed %d: position %d weighs %v, want 0 or ±1, for its variance is 1", seed, i, v)
			}
		}
		one, sixty = one+separation(w, shift)/seeds, sixty+separation(m.independent(), shift)/seeds
	}
	if one < 0.6 || one < 1.1*sixty {
		t.Errorf("one size separates %.2f of the best, sixty %.2f; want 0.6 at least, and a tenth more", one, sixty)
	}
	if flat := newPositions(newTable(NewRows(positions, rows), NewRows(positions, rows))).alike(); flat != nil {
		t.Errorf("constant rows have weights %v", flat)
	}
}
