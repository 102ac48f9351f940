package distinguisher

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// codedRows returns outputs of a sparse vector: 2 for an answer below the noisy threshold, then the first noisy answer
// above it, then 0.
func codedRows(r *rand.Rand, answers []float64, n int) *Rows {
	laplace := func() float64 { return 2 * math.Copysign(r.ExpFloat64(), r.Float64()-0.5) }
	s, row := NewRows(len(answers)+1, n), make([]float64, len(answers)+1)
	for range n {
		clear(row)
		row[0] = float64(len(answers))
		threshold := 1 + laplace()
		for i, v := range answers {
			row[i+1] = 2
			if noisy := v + laplace(); noisy >= threshold {
				row[i+1] = Rounded(noisy)
				break
			}
		}
		s.Append(row)
	}
	return s
}

var (
	onesThenZero = []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 0}
	zerosThenOne = []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}
)

func TestMixture(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rows := func(f func() []float64) *table {
		s := NewRows(4, 500)
		for range 500 {
			s.Append(append([]float64{3}, f()...))
		}
		a, b := arrange(s, s)
		return newTable(a, b)
	}
	x, count := r.NormFloat64, func() float64 { return math.Round(100 * r.NormFloat64()) }
	for _, test := range []struct {
		name string
		row  func() []float64
		want []string
	}{
		{"numbers", func() []float64 { return []float64{x(), x(), x()} }, nil},
		{"integers", func() []float64 { return []float64{count(), count(), count()} }, nil},
		{"bits", func() []float64 { return []float64{float64(r.IntN(2)), float64(r.IntN(2)), 1} }, nil},
		{"a flag and integers", func() []float64 { return []float64{float64(r.IntN(2)), count(), count()} }, nil},
		{"a flag and numbers", func() []float64 { return []float64{float64(r.IntN(2)), x(), x()} },
			[]string{"first number that is not 0 or 1"}},
		{"clamped numbers", func() []float64 { return []float64{min(x(), 0.5), min(x(), 0.5), x()} },
			[]string{"first number that is not 0.5", "position of the first number that is not 0.5"}},
		{"symbols and numbers", func() []float64 {
			if r.IntN(2) == 0 {
				return []float64{Symbol("none"), x(), x()}
			}
			return []float64{x(), x(), x()}
		}, []string{"first number", "position of the first number"}},
	} {
		var names []string
		for _, f := range featuresOf(rows(test.row)) {
			for _, m := range mixedFeatures(rows(test.row)) {
				if f.Name == m.Name {
					names = append(names, f.Name)
				}
			}
		}
		if !slices.Equal(names, test.want) {
			t.Errorf("%s: features %q, want %q", test.name, names, test.want)
		}
	}
}

// TestFirstAnswer checks that the search finds the value of the first answer of a sparse vector together with its
// position. No single position has a certifiable event at this size.
func TestFirstAnswer(t *testing.T) {
	const runs, rows, certify = 4, 4_000, 12_000
	fast := confidence.NewEpsilonFast(0, 0.025)
	for seed := range uint64(runs) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := Search{Samples: [][2]int64{{certify, certify}}, Certified: fast.Lower,
			Refutes: func(v float64) bool { return v > 1 }}
		found, err := s.Find(codedRows(r, onesThenZero, rows), codedRows(r, zerosThenOne, rows))
		if err != nil {
			t.Fatal(err)
		}
		var counts [2]float64
		for side, answers := range [][]float64{onesThenZero, zerosThenOne} {
			fresh := codedRows(r, answers, certify)
			for i := range certify {
				counts[side] += indicator(found[0].Holds(r, fresh.Row(i)))
			}
		}
		if found[0].Swapped {
			counts[0], counts[1] = counts[1], counts[0]
		}
		if lower := fast.Lower(counts[0], certify, counts[1], certify); lower <= 1 {
			t.Errorf("seed %d: %s certifies %.3g, want above 1", seed, found[0].Event, lower)
		}
	}
}

// TestWordsOfCodes checks that the model of sequences reads the codes of a sparse vector as symbols: a word is the
// position of the answer, or no answer.
func TestWordsOfCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	a, b := arrange(codedRows(r, onesThenZero, 4000), codedRows(r, zerosThenOne, 4000))
	all := newTable(a, b)
	m := newSequenceModel(symbolCells(a), all.seen(), all.a, all.b, all.na, all.nb)
	if m == nil || len(m.words) != len(onesThenZero)+1 {
		t.Fatalf("model %v, want one with %d words", m, len(onesThenZero)+1)
	}
}

// TestRowsHaveTheirBins checks that the rows of the table have the bins of new rows with the same values. Rows of one
// value must not be divided by their order, which depends on the sample that they come from.
func TestRowsHaveTheirBins(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	a, b := arrange(codedRows(r, onesThenZero, 2000), codedRows(r, zerosThenOne, 2000))
	all := newTable(a, b)
	for _, c := range familyOf(all).scores {
		bins := newBinner(Feature{Name: c.name, eval: c.score}, newColumn(c.score, c.known, all), all)
		for i, bin := range bins.bins {
			if other := bins.bin(all.row(i)); other != bin {
				t.Errorf("%s: row %v is in bin %d, an equal new row in bin %d", c.name, all.row(i), bin, other)
				break
			}
		}
	}
}
