package outputs

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCounter checks that a row number in the outputs is found in any column, and that sorted outputs are not taken for
// one.
func TestCounter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name   string
		output func(i int) any
		want   int
	}{
		{"first column", func(i int) any { return []any{float64(i + 1), r.NormFloat64()} }, 1},
		{"second column", func(i int) any { return []any{r.NormFloat64(), float64(i)} }, 2},
		{"whole numbers", func(i int) any { return []any{int64(3 * i), int64(r.IntN(4))} }, 1},
		{"descending", func(i int) any { return []any{"x", float64(-i), r.NormFloat64()} }, 1},
		{"key of an object", func(i int) any { return map[string]any{"a": r.Float64(), "id": float64(i)} }, 2},
		{"only a counter", func(i int) any { return float64(i) }, 1},
		{"sorted", func(i int) any { return []any{float64(i) + r.Float64(), 1.0} }, 0},
		{"constant", func(int) any { return []any{1.0, 2.0} }, 0},
		{"counter with a break", func(i int) any { return []any{float64(i + i/150), r.NormFloat64()} }, 0},
		{"text", func(int) any { return "yes" }, 0},
	} {
		recording := Recording{Name: "a.csv"}
		for i := range 200 {
			recording.Outputs = append(recording.Outputs, c.output(i))
		}
		if got := counter(recording.Outputs); got != c.want {
			t.Errorf("%s: number %d counts, want %d", c.name, got, c.want)
		}
		word, sorted := recording.Dependence()
		if warned := strings.Contains(word, "counts the outputs"); warned != (c.want > 0) || warned && sorted {
			t.Errorf("%s: warning %q, sorted %v", c.name, word, sorted)
		}
	}
}
