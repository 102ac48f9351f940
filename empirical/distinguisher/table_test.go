package distinguisher

import (
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
)

// strange holds values of every kind.
func strange(r *rand.Rand) float64 {
	return []float64{r.NormFloat64(), float64(r.IntN(3)), -1e300, math.Inf(1), math.Inf(-1), math.NaN(), Symbol("a"), Absent, math.Copysign(0, -1)}[r.IntN(9)]
}

// The features computed for all rows of a table equal the features computed for a single row.
func TestKnownValuesAreThoseOfRows(t *testing.T) {
	draw := func(r *rand.Rand) []float64 {
		row := []float64{5}
		for range 5 {
			row = append(row, strange(r))
		}
		return row
	}
	all := newTable(sampleOf(1, 500, draw), sampleOf(2, 500, draw))
	defer all.close()
	for _, f := range append(ofSequences(all), cellFeature(0, "length"), cellFeature(4, "a value"), cellFeature(5, "a value"), step(2),
		step(5)) {
		for i, v := range f.known(all) {
			if math.Float64bits(v) != math.Float64bits(f.eval(all.row(i))) {
				t.Errorf("%s of %v: known to be %v, computed as %v", f.Name, all.row(i), v, f.eval(all.row(i)))
			}
		}
	}
}

// The rows do not depend on the expected number of rows, nor on whether widths differ.
func TestSample(t *testing.T) {
	for _, widths := range [][]int{{2, 2, 2}, {1, 3, 2}, {3, 1, 1}, {0, 0}, {0, 2}, {}} {
		for _, expected := range []int{0, 2, 3, 10} {
			s := NewSample(expected)
			width := 1
			for i, w := range widths {
				row := s.Scratch()
				for k := range w {
					row = append(row, float64(10*i+k))
				}
				s.Add(row)
				width = max(width, w)
			}
			rows := s.Rows()
			if rows.Width != width || rows.Len() != len(widths) {
				t.Fatalf("%v: %d rows of width %d", widths, rows.Len(), rows.Width)
			}
			for i, w := range widths {
				for k, v := range rows.Row(i) {
					if want := float64(10*i + k); k < w && v != want || k >= w && valueKey(v) != valueKey(Absent) {
						t.Errorf("%v: value %d of row %d is %v", widths, k, i, v)
					}
				}
			}
		}
	}
}

// The result of a search does not depend on earlier or concurrent searches that share memory.
func TestSearchesShareMemoryAlone(t *testing.T) {
	draw := func(at float64) func(*rand.Rand) []float64 {
		return func(r *rand.Rand) []float64 {
			return []float64{3, at + r.NormFloat64(), math.Round(3 * r.NormFloat64()), at * float64(r.IntN(2))}
		}
	}
	samples := [][2]*Rows{
		{sampleOf(1, 3000, draw(0)), sampleOf(2, 3000, draw(0.5))}, {sampleOf(3, 1000, laplaceRow(0)), sampleOf(4, 1000, laplaceRow(1))},
	}
	type found struct {
		Event  string
		P, Q   float64
		Hits   []bool
		Scores int
	}
	look := func(a, b *Rows) found {
		w, err := find(searchAt(5000), a, b)
		if err != nil {
			t.Error(err)
			return found{}
		}
		hits, ties := make([]bool, a.Len()), rand.New(rand.NewPCG(1, 2))
		for i := range hits {
			hits[i] = w.Holds(ties, a.Row(i))
		}
		return found{w.Event, w.P, w.Q, hits, w.Scores}
	}
	first := [2]found{look(samples[0][0], samples[0][1]), look(samples[1][0], samples[1][1])}
	var searches sync.WaitGroup
	for i := range 4 {
		searches.Go(func() {
			if got := look(samples[i%2][0], samples[i%2][1]); !reflect.DeepEqual(got, first[i%2]) {
				t.Errorf("found %q, before %q", got.Event, first[i%2].Event)
			}
		})
	}
	searches.Wait()
}
