package premises

import (
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// divided returns a log of three steps with the divisors.
func divided(records int, divisors ...float64) *Log {
	l := &Log{Records: records, Coordinates: 1}
	for i, d := range divisors {
		l.Steps = append(l.Steps, Step{Batch: make([]int32, i+7), Sum: []float64{0}, Size: []float64{0},
			Noise: []float64{1}, Released: []float64{1 / d}, Divisor: d})
	}
	return l
}

// TestTwoDivisors compares the divisors of two runs: a divisor that depends on the data is refuted with its cause, and
// is left open if the tolerance allows both divisors.
func TestTwoDivisors(t *testing.T) {
	for _, c := range []struct {
		reason    string
		first     *Log
		second    *Log
		claimed   float64
		tolerance float64
		verdict   verify.Verdict
		want      string
	}{
		{"a constant", divided(1000, 64, 64, 64), divided(1001, 64, 64, 64), 64, 1e-6, verify.Holds, ""},
		{"another constant", divided(1000, 65, 65, 65), divided(1001, 65, 65, 65), 64, 1e-6, verify.Refuted, "step 1"},
		{"the number of records", divided(1000, 1000, 1000, 1000), divided(999, 999, 999, 999), 1000, 1e-6, verify.Refuted,
			"divided by the number of records: step 1 divides by 1000 on 1000 records and by 999 on 999 records"},
		{"a rate times the number of records", divided(1000, 100, 100, 100), divided(1001, 100.1, 100.1, 100.1), 100, 1e-6,
			verify.Refuted, "the divisor depends on the data"},
		{"the batch", divided(1000, 7, 8, 9), divided(1001, 8, 8, 9), 7, 1e-6, verify.Refuted,
			"the divisor is the number of records in the batch; step 1 divides by 7"},
		{"one step", divided(1000, 64, 64, 64), divided(1001, 64, 64, 64.5), 64, 1e-6, verify.Refuted, "step 3 divides by 64 on"},
		{"within the tolerance", divided(1000, 1000, 1000, 1000), divided(1001, 1001, 1001, 1001), 1000, 0.01,
			verify.Inconclusive, "a smaller tolerance"},
	} {
		training := Training{Sampling: Poisson, Rate: 0.1, ClippingNorm: 1, NoiseMultiplier: 1, Divisor: c.claimed, Steps: 3,
			Tolerance: c.tolerance}
		list, err := Premises(c.first, c.second, training)
		if err != nil {
			t.Fatal(err)
		}
		e := evidence(t, list[3], 0.05)
		if text := e.Counterexample.Label + e.Needed; e.Verdict != c.verdict || !strings.Contains(text, c.want) {
			t.Errorf("%s: %s, %q; want %s with %q", c.reason, e.Verdict, text, c.verdict, c.want)
		}
		if len(e.Warnings) > 0 {
			t.Errorf("%s: two logs leave %q", c.reason, e.Warnings)
		}
	}
}
