package distinguisher

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"

	"github.com/dpverify/dpverify/internal/testutil"
)

// sampleOf draws n rows from the outputs of a mechanism.
func sampleOf(seed uint64, n int, draw func(r *rand.Rand) []float64) *Rows {
	r := empirical.NewSeed(seed).Rand()
	var s Sample
	for range n {
		s.Add(draw(r))
	}
	return s.Rows()
}

// searchAt returns a search for ε at δ = 0 with n certification samples.
func searchAt(n int64) Search {
	fast := confidence.NewEpsilonFast(0, 0.05)
	return Search{Samples: [][2]int64{{n, n}}, Certified: fast.Lower}
}

// find returns the event of a search with one pair of sample sizes.
func find(s Search, a, b *Rows) (*Event, error) {
	found, err := s.Find(a, b)
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// certified certifies an event on new rows.
func certified(w *Event, a, b *Rows) float64 {
	r := empirical.NewSeed(99).Rand()
	if w.Swapped {
		a, b = b, a
	}
	count := func(rows *Rows) (n int64) {
		for i := range rows.Len() {
			if w.Holds(r, rows.Row(i)) {
				n++
			}
		}
		return n
	}
	x := count(a)
	return confidence.EpsilonLower(x, int64(a.Len()), count(b), int64(b.Len()), 0, 0.05)
}

func laplaceRow(at float64) func(r *rand.Rand) []float64 {
	return func(r *rand.Rand) []float64 {
		e := r.ExpFloat64()
		if r.IntN(2) == 0 {
			e = -e
		}
		return []float64{at + e}
	}
}

// The inputs of each case differ in one way, which one kind of feature detects.
func TestFindSeesWhatDiffers(t *testing.T) {
	const n = 8000
	flip := func(p float64) func(r *rand.Rand) float64 {
		return func(r *rand.Rand) float64 { return indicator(r.Float64() < p) }
	}
	for _, c := range []struct {
		reason string
		a, b   func(r *rand.Rand) []float64
		least  float64 // ε that must be certified on fresh rows; the true one stands behind
	}{
		{"a scalar shifted (1)", laplaceRow(0), laplaceRow(1), 0.85},
		{"a scalar whose spread differs (|x| alone tells; ∞)", laplaceRow(0), func(r *rand.Rand) []float64 { return []float64{3 * laplaceRow(0)(r)[0]} }, 0.8},
		{"a symbol's frequency (ln 2)", func(r *rand.Rand) []float64 { return []float64{Symbol([]string{"x", "y", "z"}[r.IntN(3)])} },
			func(r *rand.Rand) []float64 {
				return []float64{Symbol([]string{"x", "y", "y", "y", "z", "z"}[r.IntN(6)])}
			}, 0.5},
		{"the length of a sequence (ln 3)", func(r *rand.Rand) []float64 { return make([]float64, 2+r.IntN(4)/3) },
			func(r *rand.Rand) []float64 { return make([]float64, 2+(3+r.IntN(4))/4) }, 0.8},
		{"whether two neighbours are equal, each fair by itself (ln 4)", func(r *rand.Rand) []float64 {
			v := flip(0.5)(r)
			return []float64{2, v, math.Abs(v - flip(0.2)(r))}
		}, func(r *rand.Rand) []float64 { v := flip(0.5)(r); return []float64{2, v, math.Abs(v - flip(0.8)(r))} }, 1.2},
		{"many small shifts (2)", func(r *rand.Rand) []float64 {
			row := []float64{20}
			for range 20 {
				row = append(row, laplaceRow(0)(r)[0])
			}
			return row
		}, func(r *rand.Rand) []float64 {
			row := []float64{20}
			for range 20 {
				row = append(row, laplaceRow(0.1)(r)[0])
			}
			return row
		}, 0.3},
		{"NaN now and then (∞)", laplaceRow(0), func(r *rand.Rand) []float64 {
			if r.IntN(20) == 0 {
				return []float64{math.NaN()}
			}
			return laplaceRow(0)(r)
		}, 3},
	} {
		a, b := SameWidth(sampleOf(1, n, c.a), sampleOf(2, n, c.b))
		w, err := find(searchAt(n), a, b)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		fa, fb := SameWidth(sampleOf(3, n, c.a), sampleOf(4, n, c.b))
		if got := certified(w, fa, fb); got < c.least {
			t.Errorf("%s: certified %.3f by %q, want at least %v", c.reason, got, w.Event, c.least)
		}
	}
}

// Both samples have the same distribution, so new rows must not confirm any event. At error 5 %, 20 runs err more
// than 6 times, and 40 runs more than 9 times, with probability 1e-4.
func TestFindOnEqualLawsIsNotBelieved(t *testing.T) {
	wrong, runs, most := 0, testutil.Size(20, 40), testutil.Size(6, 9)
	for seed := range uint64(runs) {
		draw := func(r *rand.Rand) []float64 {
			return []float64{3, float64(r.IntN(4)), r.NormFloat64(), float64(r.IntN(2))}
		}
		w, err := find(searchAt(2000), sampleOf(4*seed, 1000, draw), sampleOf(4*seed+1, 1000, draw))
		if errors.Is(err, ErrNoEvent) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if certified(w, sampleOf(4*seed+2, 2000, draw), sampleOf(4*seed+3, 2000, draw)) > 0 {
			wrong++
		}
	}
	if wrong > most {
		t.Errorf("%d of %d runs certified a difference where there is none", wrong, runs)
	}
}

func TestFindUsesAKnownScore(t *testing.T) {
	s := searchAt(8000)
	s.Score = func(row []float64) float64 { return math.Abs(row[0]-1) - math.Abs(row[0]) }
	w, err := find(s, sampleOf(1, 4000, laplaceRow(0)), sampleOf(2, 4000, laplaceRow(1)))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.Event, "likelihood ratio") {
		t.Errorf("the event %q is not one of the score", w.Event)
	}
	if got := certified(w, sampleOf(3, 8000, laplaceRow(0)), sampleOf(4, 8000, laplaceRow(1))); got < 0.9 {
		t.Errorf("certified %.3f of 1", got)
	}
}

func TestFindRefuses(t *testing.T) {
	same := func(*rand.Rand) []float64 { return []float64{7} }
	if _, err := find(searchAt(100), sampleOf(1, 100, same), sampleOf(2, 100, same)); !errors.Is(err, ErrNoEvent) {
		t.Errorf("constant outputs: %v, want ErrNoEvent", err)
	}
	if _, err := find(searchAt(100), sampleOf(1, 3, same), sampleOf(2, 3, same)); err == nil {
		t.Error("three rows were taken for a sample")
	}
	if _, err := find(searchAt(100), NewRows(2, 0), NewRows(3, 0)); err == nil {
		t.Error("rows of different widths were taken")
	}
}

// Features accept every row.
func TestFeaturesTakeAnything(t *testing.T) {
	values := []float64{0, -1, math.Inf(1), math.Inf(-1), math.NaN(), Symbol("s"), Absent, math.MaxFloat64, 5e-324}
	draw := func(r *rand.Rand) []float64 {
		row := []float64{4}
		for range 4 {
			row = append(row, values[r.IntN(len(values))])
		}
		return row[:1+r.IntN(5)]
	}
	a, b := SameWidth(sampleOf(1, 2000, draw), sampleOf(2, 2000, draw))
	w, err := find(searchAt(2000), a, b)
	if err != nil && !errors.Is(err, ErrNoEvent) {
		t.Fatal(err)
	}
	if w != nil { // rows of other widths than the search's
		w.Holds(empirical.NewSeed(1).Rand(), nil)
		w.Holds(empirical.NewSeed(1).Rand(), make([]float64, 50))
	}
}

func TestSymbolsAreNotNumbers(t *testing.T) {
	for _, x := range []float64{0, 1, math.NaN(), math.Inf(1), math.Inf(-1), 0 / math.Inf(1), math.Inf(1) - math.Inf(1)} {
		if IsSymbol(x) {
			t.Errorf("%v (%x) is taken for a symbol", x, math.Float64bits(x))
		}
	}
	if !IsSymbol(Symbol("a")) || !IsSymbol(Absent) || valueKey(Symbol("a")) == valueKey(Symbol("b")) {
		t.Error("symbols are not told apart")
	}
}

func TestEncoder(t *testing.T) {
	if _, err := Encoder[map[string]int](); err == nil {
		t.Error("maps were taken for outputs")
	}
	vector, err := Encoder[[]float64]()
	if err != nil {
		t.Fatal(err)
	}
	if row := vector(nil, []float64{4, 5}); len(row) != 3 || row[0] != 2 || row[2] != 5 {
		t.Errorf("a vector became %v", row)
	}
	decoded, err := Encoder[any]()
	if err != nil {
		t.Fatal(err)
	}
	row := Values(decoded(nil, []any{1.5, "inf", true, nil, []any{"word"}}))
	if len(row) != 7 || row[0] != 5 || row[1] != 1.5 || !math.IsInf(row[2], 1) || !IsSymbol(row[3]) || !IsSymbol(row[4]) || row[5] != 1 || !IsSymbol(row[6]) {
		t.Errorf("decoded JSON became %v", row)
	}
}

// An object is encoded as its values in a fixed order and its keys. Different outputs have different rows.
func TestEncodeObjects(t *testing.T) {
	number := func(v float64) any { return v }
	row := Values(encodeJSON(nil, map[string]any{"b": number(2), "a": []any{number(7)}, "c": true}))
	want := []float64{Symbol("object:3"), 2, Symbol("bool:true"), 1, 7, Symbol("key:b"), Symbol("key:c"), Symbol("key:a")}
	if !slices.EqualFunc(row, want, same) {
		t.Errorf("an object became %v, want %v", row, want)
	}
	outputs := []any{
		map[string]any{}, []any{}, map[string]any{"a": number(1)}, map[string]any{"b": number(1)}, map[string]any{"a": nil}, map[string]any{"a": "1"},
		[]any{number(1), "a"}, []any{number(1), "key:a"}, map[string]any{"a": number(1), "b": number(1)}, map[string]any{"a": map[string]any{"b": number(1)}},
		[]any{map[string]any{"a": number(1)}}, map[string]any{"a": []any{number(1)}}, map[string]any{"a": json.Number("18446744073709551617")}, map[string]any{"a": json.Number("18446744073709551616")},
	}
	rows := make(map[string]any)
	for _, o := range outputs {
		var bits strings.Builder
		for _, x := range encodeJSON(nil, o) {
			fmt.Fprintf(&bits, "%x ", math.Float64bits(x))
		}
		if other, taken := rows[bits.String()]; taken {
			t.Errorf("%#v and %#v have one row", o, other)
		}
		rows[bits.String()] = o
	}
}

func BenchmarkFindScalar(b *testing.B) {
	x, y := sampleOf(1, 35_000, laplaceRow(0)), sampleOf(2, 35_000, laplaceRow(1))
	for b.Loop() {
		if _, err := find(searchAt(65_000), x, y); err != nil {
			b.Fatal(err)
		}
	}
}

// The benchmark measures the cost of long outputs, for fractions and integers.
func BenchmarkFindVector(b *testing.B) {
	const n, d = 2000, 100
	for _, unit := range []float64{0, 1} {
		draw := func(r *rand.Rand) []float64 {
			row := []float64{d}
			for range d {
				v := 1000 * r.NormFloat64()
				if unit > 0 {
					v = math.Round(v)
				}
				row = append(row, v)
			}
			return row
		}
		x, y := sampleOf(1, n, draw), sampleOf(2, n, draw)
		b.Run(map[bool]string{false: "fractions", true: "whole"}[unit > 0], func(b *testing.B) {
			for b.Loop() {
				if _, err := find(searchAt(n), x, y); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWitnessHolds(b *testing.B) {
	x, y := sampleOf(1, 10_000, laplaceRow(0)), sampleOf(2, 10_000, laplaceRow(1))
	w, err := find(searchAt(65_000), x, y)
	if err != nil {
		b.Fatal(err)
	}
	r := empirical.NewSeed(1).Rand()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w.Holds(r, x.Row(i%x.Len()))
	}
}
