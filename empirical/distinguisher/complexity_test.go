package distinguisher

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The input determines a bit. The outputs contain it exactly in a form that is difficult to read, and with errors
// in a simpler form. The search reports the simpler form if it certifies at most 2 % less and both clearly exceed
// the claim.
func TestFindReportsTheSimplestEvent(t *testing.T) {
	const n = 20_000
	for _, c := range []struct {
		reason string
		errors float64 // probability that the easier form is wrong
		claim  float64 // ε
		want   string
		row    func(r *rand.Rand, hard, easy int) []float64
	}{
		{"threshold, 1.3 % less than a residue", 0.005, 0.5, "output ≤ ", residueOrThreshold},
		{"threshold, 13 % less than a residue", 0.05, 0.5, "output mod ", residueOrThreshold},
		{"threshold, 5 % less than a residue, far beyond the claim", 0.02, 0.1, "output mod ", residueOrThreshold},
		{"value, 1.3 % less than a pair", 0.005, 0.5, "output[0] ≤ ", pairOrValue},
		{"value, 13 % less than a pair", 0.05, 0.5, "output[2] − output[1] ", pairOrValue},
		{"value, 1.3 % less than whole outputs", 0.005, 0.5, "output[0] ≤ ", parityOrValue},
		{"value, 2 % less than whole outputs", 0.008, 0.5, "output[0] ≤ ", parityOrValue},
		{"value, 2 % less, a claim near to both", 0.008, 1.3, "log ratio of the output's frequencies ", parityOrValue},
		{"value, 2 % less, a claim that neither refutes", 0.008, 2, "log ratio of the output's frequencies ", parityOrValue},
	} {
		draw := func(p float64) func(r *rand.Rand) []float64 {
			return func(r *rand.Rand) []float64 {
				bit := int(indicator(r.Float64() < p))
				return c.row(r, bit, bit^int(indicator(r.Float64() < c.errors)))
			}
		}
		s := searchAt(n)
		s.Against = func(float64) Line { return Line{Slope: math.Exp(c.claim)} }
		s.Refutes = func(epsilon float64) bool { return epsilon > c.claim }
		w, err := find(s, sampleOf(1, n, draw(0.8)), sampleOf(2, n, draw(0.2)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(w.Event, c.want) {
			t.Errorf("%s: event %q, value %.3f, want %q", c.reason, w.Event, w.Value, c.want)
		}
	}
}

func residueOrThreshold(r *rand.Rand, hard, easy int) []float64 {
	return []float64{float64(100*easy + 2*r.IntN(50) + hard)}
}

func pairOrValue(r *rand.Rand, hard, easy int) []float64 {
	v := r.IntN(2)
	return []float64{3, float64(easy), float64(v), float64(v ^ hard)}
}

func parityOrValue(r *rand.Rand, hard, easy int) []float64 {
	u, v := r.IntN(2), r.IntN(2)
	return []float64{4, float64(easy), float64(u), float64(v), float64(u ^ v ^ hard)}
}

// With few rows the correction of a fitted score exceeds its excess over the claim. The search keeps the best event
// for a sequential test if the log wealth would grow less than half as fast with the simpler event.
func TestFewRowsKeepTheBestEvent(t *testing.T) {
	const n, claim, errors = 250, 0.8, 0.1
	s := searchAt(n)
	s.Certified = func(x, nx, y, ny float64) float64 { // growth of a bet, in standard deviations of a sample
		p, q, e := x/nx, y/ny, math.Exp(claim)
		return (p - e*q) / math.Sqrt(p*(1-p)+e*e*q*(1-q)+1/nx)
	}
	s.Against = func(float64) Line { return Line{Slope: math.Exp(claim)} }
	s.Refutes = func(growth float64) bool { return growth > 0 }
	for seed := range uint64(10) {
		draw := func(p float64) func(r *rand.Rand) []float64 {
			return func(r *rand.Rand) []float64 {
				bit := int(indicator(r.Float64() < p))
				return parityOrValue(r, bit, bit^int(indicator(r.Float64() < errors)))
			}
		}
		w, err := find(s, sampleOf(2*seed, n, draw(0.8)), sampleOf(2*seed+1, n, draw(0.2)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(w.Event, "output[0] ") {
			t.Errorf("seed %d: event %q, growth %.3f", seed, w.Event, w.Value)
		}
	}
}
