package outputs

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

// mechanisms returns independent releases of many kinds.
func mechanisms(r *rand.Rand) map[string]func(int) any {
	geometric := func(scale float64) float64 {
		return math.Floor(r.ExpFloat64()*scale) - math.Floor(r.ExpFloat64()*scale)
	}
	return map[string]func(int) any{
		"normal":              func(int) any { return r.NormFloat64() },
		"randomized response": func(int) any { return r.Float64() < 0.73 },
		"debiased response":   func(int) any { return []any{1.313035285499331, -0.31303528549933135}[r.IntN(2)] },
		"geometric":           func(int) any { return geometric(1) },
		"wide geometric":      func(int) any { return geometric(200) },
		"rare":                func(int) any { return r.Float64() < 0.003 },
		"a rare number":       func(int) any { return math.Floor(max(0, r.ExpFloat64()-5) * 100) },
		"heavy-tailed":        func(int) any { return math.Floor(1 / r.Float64()) },
		"very heavy-tailed":   func(int) any { return math.Round(math.Exp(5 * r.ExpFloat64())) },
		"a choice of four":    func(int) any { return string("abcd"[r.IntN(4)]) },
		"thirty values":       func(int) any { return float64(r.IntN(30)) },
		"clamped":             func(int) any { return math.Max(-1, math.Min(1, r.NormFloat64())) },
		"vectors":             func(int) any { return []any{float64(r.IntN(2)), float64(r.IntN(2))} },
		"three decimals":      func(int) any { return math.Round(r.NormFloat64()*1000) / 1000 },
		"a constant":          func(int) any { return 1.0 },
	}
}

func concatenated(x []any, copies int) (out []any) {
	for range copies {
		out = append(out, x...)
	}
	return out
}

// inRows repeats blocks of outputs.
func inRows(x []any, copies, block int) (out []any) {
	for part := range slices.Chunk(x, block) {
		out = append(out, concatenated(part, copies)...)
	}
	return out
}

// turned interleaves a recording with itself, starting at another place.
func turned(x []any, at int) (out []any) {
	for i := range x {
		out = append(out, x[i], x[(i+at)%len(x)])
	}
	return out
}

func TestCopiesInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, name := range []string{
		"normal", "randomized response", "geometric", "wide geometric", "a choice of four", "heavy-tailed", "vectors",
		"rare",
	} {
		x := drawn(1000, mechanisms(r)[name]).Outputs
		other := drawn(700, mechanisms(r)[name]).Outputs
		if name == "rare" {
			x[17], x[500] = true, true // at least two
		}
		for _, c := range []struct {
			outputs []any
			want    string
		}{
			{concatenated(x, 2), "again 1000 lines later: 2 copies of one recording"},
			{concatenated(x, 10), "again 1000 lines later: 10 copies of one recording"},
			{concatenated(x, 100), "again 1000 lines later: 100 copies of one recording"},
			{concatenated(x, 4)[:3210], "again 1000 lines later: 3 copies of one recording and 210 lines of another copy"},
			{inRows(x, 10, 1), "written 10 times in a row"},
			{inRows(x, 2, 1), "written 2 times in a row"},
			{inRows(x, 10, 7), "occur again 7 lines later"},
			{turned(x, 300), "occur again 599 lines later"},
			{slices.Concat(other, concatenated(x, 2)), "occur again 1000 lines later"},
			{slices.Concat(concatenated(x, 3), other), "occur again 1000 lines later"},
		} {
			few := name == "rare" && len(c.outputs) < 10_000 // two copies of a few events show little
			word, sorted := Recording{Outputs: c.outputs}.Dependence()
			if !few && !strings.Contains(word, "outputs are not independent: ") || word != "" && !strings.Contains(word,
				c.want) || sorted {
				t.Errorf("%s, %d outputs: %q, want %q", name, len(c.outputs), word, c.want)
			}
		}
	}
}

// A long recording is compared in parts.
func TestCopiesOfALongRecording(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	x := drawn(50_000, mechanisms(r)["geometric"]).Outputs
	other := drawn(50_000, mechanisms(r)["geometric"]).Outputs
	for _, c := range []struct {
		outputs []any
		want    string
	}{
		{concatenated(x, 3), "3 copies of one recording"},
		{slices.Concat(x, x, other), "occur again 50000 lines later"},
		{slices.Concat(other, x, x), "occur again 50000 lines later"},
		{slices.Concat(x, other), ""},
	} {
		if word, _ := (Recording{Outputs: c.outputs}).Dependence(); !strings.Contains(word,
			c.want) || (word == "") != (c.want == "") {
			t.Errorf("%q, want %q", word, c.want)
		}
	}
}

func TestCopiesOutOfOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, c := range []struct {
		name   string
		copies int
		found  bool
	}{
		{"geometric", 100, true}, {"wide geometric", 10, true}, {"normal", 2, true}, {"heavy-tailed", 10, true},
		{"randomized response", 100, false}, {"a choice of four", 100, false}, {"rare", 100, false}, {"a constant", 100,
			false},
	} {
		x := concatenated(drawn(1000, mechanisms(r)[c.name]).Outputs, c.copies)
		r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		want := fmt.Sprintf("multiples of %d: %d copies of each release", c.copies, c.copies)
		if word, _ := (Recording{Outputs: x}).Dependence(); strings.Contains(word,
			want) != c.found || !c.found && word != "" {
			t.Errorf("%d copies of %s: %q", c.copies, c.name, word)
		}
		slices.SortFunc(x, compare)
		if word, sorted := (Recording{Outputs: x}).Dependence(); strings.Contains(word,
			want) != c.found || sorted == c.found && word != "" {
			t.Errorf("%d copies of %s, sorted: %q", c.copies, c.name, word)
		}
	}
}

// A sorted recording of independent releases gets at most the warning that it is sorted, in each order that programs
// use.
func TestSortedRecordingsAreNoCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	sound := mechanisms(r)
	for _, name := range slices.Sorted(maps.Keys(sound)) {
		x := drawn(1000, sound[name]).Outputs
		for i, order := range []func(a, b any) int{
			compare, func(a, b any) int { return compare(b, a) },
			func(a, b any) int { return strings.Compare(text(a), text(b)) },
		} {
			slices.SortFunc(x, order)
			if word, sorted := (Recording{Outputs: x}).Dependence(); (word != "") != sorted {
				t.Errorf("%s, order %d: %q", name, i, word)
			}
		}
	}
}

// Independent recordings get no warning, at many sizes.
func TestIndependentRecordingsAreNoCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	sound := mechanisms(r)
	for _, name := range slices.Sorted(maps.Keys(sound)) {
		for range testutil.Size(6, 400) {
			for _, n := range []int{200, 777, 3000} {
				if word, _ := drawn(n, sound[name]).Dependence(); word != "" {
					t.Errorf("%s, %d outputs: %s", name, n, word)
				}
			}
		}
	}
}

// Each bound on a probability at one distance holds: computed over all orders of a few outputs.
func TestRepeatsBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, counts := range [][]int{{12, 12}, {20, 4}, {3, 3, 3, 3, 3, 3, 3, 3}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
		{15, 3, 2, 2, 1, 1}} {
		var x []uint64
		for v, n := range counts {
			for range n {
				x = append(x, uint64(v))
			}
		}
		f := countValues(x)
		of, single := f.classes()
		const runs = 20_000
		tails := [2]map[float64]int{{}, {}}
		for range runs {
			r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
			classes := make([]uint8, len(x))
			for i, p := range x {
				class, repeated := of[p]
				if classes[i] = class; !repeated {
					classes[i] = single
				}
			}
			p := pairsAt(x, classes, 3, 0)
			tails[0][math.Exp(p.logHalves())]++
			tails[1][math.Exp(p.logRare(f))]++
		}
		for test, tail := range tails {
			for p := range tail {
				n := 0
				for q, k := range tail {
					if q <= p {
						n += k
					}
				}
				if want := p*runs + 5*math.Sqrt(p*runs); float64(n) > want {
					t.Errorf("counts %v, test %d: %d of %d have a probability of at most %v", counts, test, n, runs, p)
				}
			}
		}
	}
}

// The share of multiples satisfies its definition, at any mean.
func TestMultipleShare(t *testing.T) {
	for _, g := range []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100, 300} {
		for y := 0.05; y < float64(g*g+6*g); y *= 1.01 {
			sum, wide := 0.0, 12*math.Sqrt(y)+30
			for j := max(1, int((y-wide)/float64(g))); float64(j*g) < y+wide+float64(g); j++ {
				lg, _ := math.Lgamma(float64(j*g) + 1)
				sum += math.Exp(float64(j*g)*math.Log(y)-lg-y) / multipleShare(g, j*g)
			}
			if any := -math.Expm1(-y); sum > any*(1+1e-9) {
				t.Fatalf("g = %d, mean %v: %v, above %v", g, y, sum, any)
			}
		}
	}
}
