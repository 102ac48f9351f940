package outputs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// drawn returns n outputs.
func drawn(n int, draw func(i int) any) Recording {
	r := Recording{Name: "x"}
	for i := range n {
		r.Outputs = append(r.Outputs, draw(i))
	}
	return r
}

func TestDependence(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	few := make([]any, 30)
	for i := range few {
		few[i] = r.NormFloat64()
	}
	shuffle := func(out Recording) Recording {
		r.Shuffle(len(out.Outputs), func(i, j int) { out.Outputs[i], out.Outputs[j] = out.Outputs[j], out.Outputs[i] })
		return out
	}
	sorted := drawn(1000, func(int) any { return r.NormFloat64() })
	slices.SortFunc(sorted.Outputs, compare)
	pairsSorted := drawn(1000, func(i int) any { return []any{r.NormFloat64() + float64(i)/100, float64(i * i)} })
	sortedBits := drawn(1000, func(i int) any { return float64(i / 600) })
	for _, c := range []struct {
		reason string
		of     Recording
		want   string
		sorted bool
	}{
		{"30 draws, each a hundred times in a row", drawn(3000, func(i int) any { return few[i/100] }),
			"written 100 times in a row", false},
		{"30 draws, a hundred times over", drawn(3000, func(i int) any { return few[i%30] }), "30 lines later: 100 " +
			"copies of one recording", false},
		{"30 draws, a hundred times over, the last incomplete", drawn(2990, func(i int) any { return few[i%30] }),
			"99 copies of one recording and 20 " +
				"lines of another copy", false},
		{"30 draws, each a hundred times in a row, the last incomplete", drawn(2993,
			func(i int) any { return few[i/100] }), "2963 of 2992 outputs occur again on " +
			"the next line", false},
		{"shuffled", shuffle(drawn(3000, func(i int) any { return few[i%30] })), "multiples of 100: 100 copies", false},
		{"every draw twice", drawn(1000, func(i int) any { return fmt.Sprint(i / 2) }), "written 2 times in a row", false},
		{"sorted", sorted, "sorted, or drift", true},
		{"sorted, of two values", sortedBits, "sorted, or drift", true},
		{"a drift", drawn(2000, func(i int) any { return r.NormFloat64() + float64(i)/500 }), "they drift", false},
		{"pairs, sorted by the second number", pairsSorted, "sorted, or drift", true},
		{"a slow switch", drawn(4000, func(i int) any { return float64(i / 50 % 2) }), "written 50 times in a row, or a " +
			"multiple", false},
		{"independent", drawn(2000, func(int) any { return r.NormFloat64() }), "", false},
		{"a constant", drawn(2000, func(int) any { return 1.0 }), "", false},
		{"a constant of another kind", drawn(2000, func(int) any { return []any{"x"} }), "", false},
		{"alternating bits", drawn(2000, func(i int) any { return i%2 == 0 }), "again 2 lines later: 1000 copies", false},
	} {
		word, sorted := c.of.Dependence()
		if !strings.Contains(word, c.want) || (c.want == "") != (word == "") || sorted != c.sorted {
			t.Errorf("%s: %q, sorted %v; want %q", c.reason, word, sorted, c.want)
		}
	}
}

// A recording that repeats the other one line by line contains no information about the mechanism at its input.
func TestCopied(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	normal := func(int) any { return r.NormFloat64() }
	bits := func(int) any { return r.IntN(2) }
	a, b := drawn(1000, normal), drawn(1000, bits)
	partly := Recording{Outputs: slices.Clone(a.Outputs)}
	for i := range 500 {
		partly.Outputs[i] = r.NormFloat64()
	}
	for _, c := range []struct {
		reason string
		a, b   Recording
		copied bool
	}{
		{"the same twice", a, a, true},
		{"half of them", a, partly, true},
		{"the same bits", b, b, true},
		{"independent", a, drawn(1000, normal), false},
		{"independent bits", b, drawn(1000, bits), false},
		{"the same constant", drawn(1000, func(int) any { return 1 }), drawn(1000, func(int) any { return 1 }), false},
	} {
		if word := CopiedWord(c.a, c.b); (word != "") != c.copied {
			t.Errorf("%s: %q", c.reason, word)
		}
	}
}

// Independent recordings of many kinds get no warning, and the p-values of the tests are valid: a share of at most p
// has a p-value of at most p, up to 5 standard deviations.
func TestIndependenceGetsNoWord(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	mechanisms := map[string]func(int) any{
		"normal":              func(int) any { return r.NormFloat64() },
		"randomized response": func(int) any { return r.Float64() < 0.73 },
		"debiased response":   func(int) any { return []any{1.313035285499331, -0.31303528549933135}[r.IntN(2)] },
		"geometric":           func(int) any { return math.Floor(r.ExpFloat64()*2) - math.Floor(r.ExpFloat64()*2) },
		"wide geometric":      func(int) any { return math.Floor(r.ExpFloat64() * 200) },
		"rare":                func(int) any { return r.Float64() < 0.003 },
		"a choice of four":    func(int) any { return string("abcd"[r.IntN(4)]) },
		"thirty values":       func(int) any { return float64(r.IntN(30)) },
		"clamped":             func(int) any { return math.Max(-1, math.Min(1, r.NormFloat64())) },
		"vectors":             func(int) any { return []any{float64(r.IntN(2)), float64(r.IntN(2))} },
	}
	names := make([]string, 0, len(mechanisms))
	for name := range mechanisms {
		names = append(names, name)
	}
	slices.Sort(names) // all draw from one stream
	const runs, p = 300, 0.01
	low := map[string]int{}
	for _, name := range names {
		for range runs {
			x := drawn(400, mechanisms[name])
			if word, _ := x.Dependence(); word != "" {
				t.Errorf("%s: %s", name, word)
			}
			ascents, pairs := trend(x.Outputs)
			if binomialTail(max(ascents, pairs-ascents), pairs, 0.5)*2 <= p {
				low["trend"]++
			}
			prints := Fingerprints(x.Outputs)
			f := countValues(prints)
			if repeats(prints, f, p).p <= p {
				low["repeats"]++
			}
			if _, q := multiplied(f.counts, f.singles); q <= p {
				low["multiplied"]++
			}
		}
	}
	all := float64(runs * len(names))
	for name, n := range low {
		if limit := p*all + 5*math.Sqrt(p*all); float64(n) > limit {
			t.Errorf("%s: %d of %v have a probability of at most %v", name, n, all, p)
		}
	}
}
