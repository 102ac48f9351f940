package premises

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
)

// printed rounds to the digits of a format for strconv.
func printed(format byte, digits int) func(float64) float64 {
	return func(x float64) float64 {
		v, _ := strconv.ParseFloat(strconv.FormatFloat(x, format, digits, 64), 64)
		return v
	}
}

// roundedLog returns a log whose contributions have the given norm and are rounded, like all other values. The released
// values contain kept times the sum of the step before.
func roundedLog(round func(float64) float64, size, kept, divisor float64) *Log {
	const steps, coordinates = 100, 3
	r := rand.New(rand.NewPCG(13, 14))
	l := &Log{Records: 100, Coordinates: coordinates}
	before := make([]float64, coordinates)
	for range steps {
		s := step{Divisor: &divisor}
		sum := make([]float64, coordinates)
		for i := range 20 {
			g := []float64{rng.Normal(r), 1 + rng.Normal(r), rng.Normal(r)}
			length := norm(g)
			for j, v := range g {
				g[j] = round(v / length * size)
				sum[j] += v / length * size
			}
			s.Batch, s.Norms = append(s.Batch, int32(i)), append(s.Norms, min(1, size))
			s.Contributions = append(s.Contributions, g)
		}
		for j := range coordinates {
			z := rng.Normal(r)
			s.Noise = append(s.Noise, round(z))
			s.Released = append(s.Released, round((sum[j]+kept*before[j]+z)/divisor))
		}
		l.Steps, before = append(l.Steps, s.condensed(coordinates)), sum
	}
	return l
}

// TestRounding leaves a premise open if only the digits of the log violate it, and refutes larger violations.
func TestRounding(t *testing.T) {
	zero := func(float64) float64 { return 0 }
	for _, test := range []struct {
		premise             string
		round               func(float64) float64
		size, kept, divisor float64
		want                verify.Verdict
		text                string
	}{
		{"norms", exactly, 1, 0, 1, verify.Holds, ""},
		{"norms", printed('g', 4), 1, 0, 1, verify.Inconclusive, "contributions with less rounding"},
		{"norms", printed('f', 2), 1, 0, 1, verify.Inconclusive, "the contribution of record"},
		{"norms", toBfloat16, 1, 0, 1, verify.Inconclusive, "contributions with less rounding"},
		{"norms", printed('g', 4), 1.1, 0, 1, verify.Refuted, "norm at the logged coordinates"},
		{"norms", exactly, 1.001, 0, 1, verify.Refuted, "norm at the logged coordinates"},
		{"update", printed('f', 4), 1, 0, 3000, verify.Inconclusive, "a log with less rounding"},
		{"update", printed('f', 2), 1, 0, 20, verify.Inconclusive, "a log with less rounding"},
		{"update", printed('f', 4), 1, 1, 3000, verify.Refuted, "the sum of the step before is kept"},
		{"update", toBfloat16, 1e-5, 0, 1, verify.Inconclusive, "no sum of contributions exceeds the rounding"},
		{"update", toBfloat16, 1e-5, 1, 1, verify.Inconclusive, "no sum of contributions exceeds the rounding"},
		{"update", toFloat32, 1e-5, 0, 1, verify.Holds, ""},
		{"update", zero, 1, 0, 1, verify.Inconclusive, "no sum of contributions exceeds the rounding"},
	} {
		l := roundedLog(test.round, test.size, test.kept, test.divisor)
		claim := Training{ClippingNorm: 1, NoiseMultiplier: 1, Divisor: test.divisor, Tolerance: 1e-6}
		p := norms(l, claim)
		if test.premise == "update" {
			p = update(l, claim)
		}
		e := evidence(t, p, 0.05)
		if text := fmt.Sprint(e.Needed, e.Counterexample.Label); e.Verdict != test.want || !strings.Contains(text, test.text) {
			t.Errorf("%s of %+v: %s %q, want %s with %q", test.premise, test, e.Verdict, text, test.want, test.text)
		}
	}
}
