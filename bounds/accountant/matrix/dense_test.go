package matrix

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

// drawn returns a lower-triangular matrix with the given number of steps and bands, with or without signs; some entries
// are zero.
func drawn(r *rand.Rand, n, bands int, signed bool) [][]float64 {
	return toeplitzRows(n, bands, func(int) float64 {
		x := float64(r.IntN(2000)) / 1000 * float64(r.IntN(4)/2+r.IntN(2)) / 2
		if signed && r.IntN(2) == 0 {
			x = -x
		}
		return x
	})
}

// Matrices by entries: the bracket contains the maximum over all patterns and signs, and the value of unit vectors in
// more dimensions. So do the bounds for matrices with too many patterns. Without negative entries, or with a chain of
// interactions, the bracket is exact.
func TestDrawnAgainstAllPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 1))
	var rough, same int
	for range testutil.Size(150, 5000) {
		n := 1 + r.IntN(9)
		bands, signed := 1+r.IntN(n), r.IntN(2) == 0
		rows := drawn(r, n, bands, signed)
		s, err := New(rows)
		must(t, s, err)
		for _, p := range relations(n, 3) {
			exact := p.Times <= 1 || !signed || p.Times == 2 && p.Separation > 0 || p.Separation > 0 && s.Bands() <= 2*p.Separation
			got := compare(t, s, rows, p, exact)
			if high := math.Sqrt(vectors(rows, p, r)); high > got.Upper*(1+1e-13) {
				t.Errorf("%v, %s: vectors attain %v, above %v", rows, p, high, got.Upper)
			}
			if p.Separation > 0 && s.Bands() > 1 {
				rough++
				if betweenRows(t, rows, p, got) {
					same++
				}
			}
		}
	}
	t.Logf("the search found the worst pattern in %d of %d cases", same, rough)
	if !(same > rough*9/10) {
		t.Errorf("the search found the worst pattern in %d of %d cases", same, rough)
	}
}

// Larger matrices without all signs: every pattern of three among two dozen steps.
func TestRowsAgainstAllPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 7))
	for range testutil.Size(20, 500) {
		n := 16 + r.IntN(9)
		rows := drawn(r, n, n, r.IntN(2) == 0)
		p := Participation{Times: 3, Separation: 1 + r.IntN(5)}
		s, err := New(rows)
		got, err := must(t, s, err).Sensitivity(p)
		if err != nil || got.Theorem != "all patterns" {
			t.Fatalf("%v, %v", got, err)
		}
		betweenRows(t, rows, p, got)
	}
}

// betweenRows compares the bound by rows and the pattern search with the bracket over all patterns. It reports whether
// the search found the lower end.
func betweenRows(t *testing.T, rows [][]float64, p Participation, all Sensitivity) bool {
	t.Helper()
	times, distance := p.spacing(len(rows))
	g := newDense(rows).products(distance, 1)
	high, pattern := g.rows(times, distance)
	b := g.between(high, pattern, times, distance, "")
	if !(b.Upper >= all.Lower && b.Lower <= all.Upper && b.Upper < 1.8*b.Lower) {
		t.Errorf("%v, %s: [%v, %v] row by row, [%v, %v] by all patterns", rows, p, b.Lower, b.Upper, all.Lower, all.Upper)
	}
	return b.Lower > all.Lower*(1-1e-12)
}

// FuzzSensitivity derives matrices from bytes. The bracket contains the maximum over all patterns and signs.
func FuzzSensitivity(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6}, uint8(2), uint8(2), false)
	f.Add([]byte{255, 1, 128, 7, 200, 3, 90, 0, 0, 17}, uint8(3), uint8(1), true)
	f.Add([]byte{10, 246, 10, 10, 246, 10}, uint8(2), uint8(1), false)
	f.Fuzz(func(t *testing.T, entries []byte, times, distance uint8, fixed bool) {
		n := 1
		for n < 7 && (n+1)*(n+2)/2 <= len(entries) {
			n++
		}
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = make([]float64, n)
			for j := 0; j <= i && len(entries) > 0; j++ {
				rows[i][j], entries = float64(int8(entries[0]))/16, entries[1:]
			}
		}
		p := Participation{Times: 1 + int(times)%n, Separation: 1 + int(distance)%n}
		if fixed {
			p.Separation, p.Every = 0, p.Separation
		}
		s, err := New(rows)
		compare(t, must(t, s, err), rows, p, p.Times == 1)
	})
}
