package distinguisher

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// familyCase hides a mark of probability 0.4 against 0.4/e² under a claim of ε = 1.
type familyCase struct {
	reason, event string
	draw          func(r *rand.Rand, marked bool) any
}

var familyCases = []familyCase{
	{"the order of keys", "string output", func(r *rand.Rand, marked bool) any {
		k := [2]string{fmt.Sprintf(`"age":%d`, r.IntN(90)), fmt.Sprintf(`"count":%d`, r.IntN(2000)-1000)}
		if marked {
			k[0], k[1] = k[1], k[0]
		}
		return "{" + k[0] + "," + k[1] + "}"
	}},
	{"a letter in the middle", "8th character", func(r *rand.Rand, marked bool) any {
		word := []byte("abcdefghijklmnop")
		for i := range word {
			word[i] = 'a' + byte(r.IntN(16))
		}
		word[7] = 'x' + byte(indicator(marked))
		return string(word)
	}},
	{"two equal values", "output[1] and output[4]", func(r *rand.Rand, marked bool) any {
		x, shift := r.IntN(10), 0
		if !marked {
			shift = 1 + r.IntN(9)
		}
		return []any{r.Float64(), float64(x), float64(r.IntN(10)), float64(r.IntN(10)), float64((x + shift) % 10)}
	}},
	{"two bits differ", "output[2] and output[5]", func(r *rand.Rand, marked bool) any {
		bits := make([]any, 8)
		for i := range bits {
			bits[i] = float64(r.IntN(2))
		}
		bits[5] = math.Abs(bits[2].(float64) - indicator(marked))
		return bits
	}},
}

// The scan detects each family if its mark is a large violation, and not if the mark has exactly the claimed loss.
func TestScanSeesFamilies(t *testing.T) {
	const n = 2000
	encode, err := Encoder[any]()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range familyCases {
		for _, loss := range []float64{2, 1} {
			sample := func(seed uint64, mass float64) *Rows {
				return sampleOf(seed, n, func(r *rand.Rand) []float64 { return encode(nil, c.draw(r, r.Float64() < mass)) })
			}
			s := searchAt(n)
			s.Against = func(float64) Line { return Line{Slope: math.E} }
			s.Refutes = func(value float64) bool { return value > 1 }
			a, b := SameWidth(sample(uint64(10*i+1), 0.4), sample(uint64(10*i+2), 0.4*math.Exp(-loss)))
			a, b = arrange(a, b)
			all := newTable(a, b)
			f := familyOf(all)
			scan := newScan(s, all, f.size(all))
			for _, g := range f.scores {
				scan.score(&g, newColumn(g.score, nil, all))
			}
			scan.rest(f)
			if loss == 1 {
				if scan.best.witness != nil {
					t.Errorf("%s, with the claimed loss: %q stands out", c.reason, scan.best.witness().Event)
				}
				continue
			}
			if scan.best.witness == nil {
				t.Errorf("%s: nothing stands out", c.reason)
			} else if event := scan.best.witness().Event; !strings.Contains(event, c.event) {
				t.Errorf("%s: found %q", c.reason, event)
			}
		}
	}
}

// The number of scores that a design predicts equals the number that the search tests.
func TestScoresOfIsWhatIsSearched(t *testing.T) {
	encode, err := Encoder[any]()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range familyCases {
		sample := func(seed uint64, mass float64) *Rows {
			return sampleOf(seed, 1000, func(r *rand.Rand) []float64 { return encode(nil, c.draw(r, r.Float64() < mass)) })
		}
		a, b := SameWidth(sample(uint64(2*i+1), 0.9), sample(uint64(2*i+2), 0.1))
		w, err := find(searchAt(1000), a, b)
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		if got := ScoreCount(Join(a, b)); got != w.Scores {
			t.Errorf("%s: ScoresOf says %d scores, the search went through %d", c.reason, got, w.Scores)
		}
	}
}

// Numbers within a string do not change its shape.
func TestShapeOf(t *testing.T) {
	for _, c := range []struct{ s, shape, format string }{
		{`{"age":-12.5,"n":3}`, `{"age":0,"n":0}`, `{"a":0,"a":0}`},
		{"2024-01-02", "0-0-0", "0-0-0"},
		{"u-abc12", "u-abc0", "a-a0"},
		{"", "", ""},
	} {
		if got, format := stringForm(c.s, false), stringForm(c.s, true); got != c.shape || format != c.format {
			t.Errorf("%q: %q and %q, want %q and %q", c.s, got, format, c.shape, c.format)
		}
	}
}
