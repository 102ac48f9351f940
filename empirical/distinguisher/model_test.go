package distinguisher

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// combs returns the words of the given length with their first 1 at each place, and the word without a 1.
func combs(places int) (rows [][]float64) {
	for k := range places + 1 {
		row := make([]float64, places+1)
		row[0] = float64(places)
		for i := k; i < places; i++ {
			row[i+1] = 2
		}
		if k < places {
			row[k+1] = 1
		}
		rows = append(rows, row)
	}
	return rows
}

// drawnWords returns the counts of n draws of words with the given probabilities.
func drawnWords(r *rand.Rand, law []float64, n int) []float64 {
	counts := make([]float64, len(law))
	for range n {
		u, i := r.Float64(), 0
		for u > law[i] && i < len(law)-1 {
			u -= law[i]
			i++
		}
		counts[i]++
	}
	return counts
}

func cellsOf(width int) (cells []int) {
	for i := 1; i < width; i++ {
		cells = append(cells, i)
	}
	return cells
}

// If words differ from some place on, the model estimates their ratios better than their separate counts: the sum
// of squared errors is about half as large. If the distributions are the same, the ratios are small compared with
// their errors.
func TestWordsLearnFromThoseThatBeginAlike(t *testing.T) {
	const n, places, tilt = 20_000, 10, 0.15
	rows := combs(places)
	var same, differ []float64
	sum := 0.0
	for k := range rows {
		p := math.Exp2(-float64(k)/2) / 3
		same = append(same, p)
		if k >= 4 {
			p *= math.Exp(tilt)
		}
		differ = append(differ, p)
		sum += p
	}
	all := 0.0
	for k := range same {
		all += same[k]
	}
	for k := range same {
		same[k], differ[k] = same[k]/all, differ[k]/sum
	}
	var byModel, byCounts, none float64
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b := drawnWords(r, differ, n), drawnWords(r, same, n)
		m := newSequenceModel(cellsOf(places+1), slices.All(rows), a, b, n, n)
		var counts [][2]float64
		for k := range a {
			counts = append(counts, [2]float64{a[k], b[k]})
		}
		shrunk, _ := shrunkRatios(counts, n, n)
		equal := newSequenceModel(cellsOf(places+1), slices.All(rows), drawnWords(r, same, n), b, n, n)
		for k := range rows {
			true := math.Log(differ[k] / same[k])
			byModel += math.Pow(m.Score(rows[k])-true, 2)
			byCounts += math.Pow(shrunk[k]-true, 2)
			none += math.Pow(equal.Score(rows[k]), 2)
		}
	}
	if !(byModel <= 0.7*byCounts) || !(none <= 0.25*byCounts) {
		t.Errorf("squared errors %.3g by the model, %.3g by the counts, and %.3g of equal laws: want at most .7, and a quarter",
			byModel, byCounts, none)
	}
}

// A model needs at least two words and rejects too many. −0 equals 0, and words may contain a number.
func TestWordsOfAModel(t *testing.T) {
	ones := func(n int) []float64 { return slices.Repeat([]float64{5}, n) }
	model := func(rows [][]float64) *sequenceModel {
		n := len(rows)
		return newSequenceModel(cellsOf(len(rows[0])), slices.All(rows), ones(n), ones(n), 5*float64(n), 5*float64(n))
	}
	var many, numbers, bits [][]float64
	for i := range 70 {
		many = append(many, []float64{7, float64(i & 1), float64(i >> 1 & 1), float64(i >> 2 & 1), float64(i >> 3 & 1),
			float64(i >> 4 & 1), float64(i >> 5 & 1), float64(i >> 6)})
		numbers = append(numbers, []float64{2, float64(i % 2), math.Sqrt(float64(i))})
		bits = append(bits, []float64{1, 0})
	}
	if model(many) != nil || model(bits) != nil {
		t.Error("a model of 70 words, or of one")
	}
	m := model(numbers)
	if m == nil || len(m.words) != 2 || len(m.edges) != maxBins-1 {
		t.Fatalf("the model of two words with numbers is %+v", m)
	}
	hash, first := m.word([]float64{2, 1, 3.5})
	other, _ := m.word([]float64{2, 1, -8})
	if hash != other || first != 3.5 {
		t.Errorf("words with numbers are %x and %x, the number %v", hash, other, first)
	}
	minus, _ := m.word([]float64{2, math.Copysign(0, -1), 1})
	if zero, _ := m.word([]float64{2, 0, 1}); zero != minus {
		t.Error("−0 is not 0")
	}
	if m.Score([]float64{2, math.NaN(), 1}) != 0 {
		t.Error("a word that was never seen has a ratio")
	}
}
