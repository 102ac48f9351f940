package distinguisher

import (
	"iter"
	"math"
	"slices"
)

const (
	// mostBins of the numbers in words, by their ranks.
	mostBins = 6
	// mostCells of words and bins.
	mostCells = 128
	// mostForBins numbers say where bins end.
	mostForBins = 4096
)

// sequenceModel is the log ratio of words, of the first sample over the second: of each word, and of each bin of its
// first
// number. A word differs from the one with which it begins alike by what follows, so that the ratios of words are
// those of a random walk down the tree of their beginnings; numbers next to each other differ little. How
// large all these differences are is learned from the counts (empirical Bayes). A rare word is so drawn to those that
// begin as it does, and not to 0.
type sequenceModel struct {
	reader
	words map[uint64]int // by their hashes
	edges []float64      // the largest number of each bin but the last
	cells []int          // of word·(bins + 1) + bin, the last for words without a number; −1 where none was seen
	mean  []float64      // the ratio of each cell
	// Posterior of the ratios.
	Posterior *trend
}

// countedWords is a cell with its counts.
type countedWords struct {
	word, bin int
	a, b      float64
}

// newSequenceModel fits a model to rows that were seen so often in either sample, of na and nb rows; cells are the
// places of a
// row's symbols, in their order. It is nil where there are too many words, or one alone.
func newSequenceModel(cells []int, rows iter.Seq2[int, []float64], a, b []float64, na, nb float64) *sequenceModel {
	m := &sequenceModel{reader: newReader(cells, rows), words: make(map[uint64]int)}
	var spelled [][]uint64
	var numbers []float64
	read := 0
	for _, row := range rows {
		hash, first := m.word(row)
		if _, ok := m.words[hash]; !ok {
			m.words[hash] = len(spelled)
			spelled = append(spelled, m.spelled(row))
		}
		if read++; len(spelled) > mostWords || read == glance && len(spelled) == 1 {
			return nil
		}
		if !math.IsNaN(first) {
			numbers = append(numbers, first)
		}
	}
	if len(spelled) < 2 {
		return nil
	}
	m.edges = edgesOf(numbers, min(mostBins, mostCells/len(spelled)))
	m.cells = slices.Repeat([]int{-1}, len(spelled)*(len(m.edges)+2))
	var seen []countedWords
	for i, row := range rows {
		word, bin := m.place(row)
		at := &m.cells[m.index(word, bin)]
		if *at < 0 {
			*at = len(seen)
			seen = append(seen, countedWords{word: word, bin: bin})
		}
		seen[*at].a += a[i]
		seen[*at].b += b[i]
	}
	m.fit(spelled, seen, na, nb)
	return m
}

// edgesOf so many bins, of about as many numbers each.
func edgesOf(numbers []float64, bins int) (edges []float64) {
	var some []float64
	for i := 0; i < len(numbers); i += 1 + len(numbers)/mostForBins {
		some = append(some, numbers[i])
	}
	slices.Sort(some)
	for k := 1; k < bins && len(some) > 0; k++ {
		edges = append(edges, some[k*len(some)/bins])
	}
	return slices.Compact(edges)
}

// noWord is the bin of words without a number.
const noWord = -1

// place of a row: its word, or none, and the bin of its first number.
func (m *sequenceModel) place(row []float64) (word, bin int) {
	hash, first := m.word(row)
	word, ok := m.words[hash]
	if !ok {
		word = noWord
	}
	if math.IsNaN(first) {
		return word, noWord
	}
	bin, _ = slices.BinarySearch(m.edges, first)
	return word, bin
}

func (m *sequenceModel) index(word, bin int) int { return word*(len(m.edges)+2) + 1 + bin }

// Score of a row; 0 of one that was never seen.
func (m *sequenceModel) Score(row []float64) float64 {
	word, bin := m.place(row)
	if word == noWord {
		return 0
	}
	if cell := m.cells[m.index(word, bin)]; cell >= 0 {
		return m.mean[cell]
	}
	return 0
}

// near is how alike two bins are.
func near(u, v int) float64 {
	if u == v {
		return 1
	}
	if u == noWord || v == noWord {
		return 0
	}
	return math.Exp(-math.Abs(float64(u-v)) * 3 / mostBins)
}
