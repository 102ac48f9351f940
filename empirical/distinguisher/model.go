package distinguisher

import (
	"iter"
	"math"
	"slices"
)

const (
	// maxBins is the largest number of bins for the numbers in words, by rank.
	maxBins = 6
	// maxCells is the largest number of combinations of words and bins.
	maxCells = 128
	// maxForBins is the number of numbers that determine the bin edges.
	maxForBins = 4096
)

// sequenceModel models the log ratio of words, first sample over second, for each word and each bin of its first
// number. A word differs from words with the same beginning only by its remaining symbols. The ratios are therefore
// modeled as a random walk down the prefix tree, and close numbers have similar ratios. The sizes of the
// differences are learned from the counts (empirical Bayes). A rare word is shrunk towards words with the same
// beginning, not towards 0.
type sequenceModel struct {
	reader
	words map[uint64]int // index by hash
	edges []float64      // largest number of each bin except the last
	cells []int          // cell of word·(bins + 1) + bin, the last bin for words without a number; −1 if not seen
	mean  []float64      // ratio of each cell
	// Posterior is the posterior of the ratios.
	Posterior *trend
}

// countedWords is a cell with its counts in the two samples.
type countedWords struct {
	word, bin int
	a, b      float64
}

// newSequenceModel fits a model to rows with counts a and b in samples of na and nb rows. cells holds the cells of
// a row's symbols, in order. The result is nil if there are too many words or only one.
func newSequenceModel(cells []int, rows iter.Seq2[int, []float64], a, b []float64, na, nb float64) *sequenceModel {
	m := &sequenceModel{reader: newReader(cells, rows, len(a)), words: make(map[uint64]int)}
	var spelled [][]uint64
	var numbers []float64
	read := 0
	for _, row := range rows {
		hash, first := m.word(row)
		if _, ok := m.words[hash]; !ok {
			m.words[hash] = len(spelled)
			spelled = append(spelled, m.spelled(row))
		}
		if read++; len(spelled) > maxWords || read == glance && len(spelled) == 1 {
			return nil
		}
		if !math.IsNaN(first) {
			numbers = append(numbers, first)
		}
	}
	if len(spelled) < 2 {
		return nil
	}
	m.edges = edgesOf(numbers, min(maxBins, maxCells/len(spelled)))
	m.cells = slices.Repeat([]int{-1}, len(spelled)*(len(m.edges)+2))
	var seen []countedWords
	for i, row := range rows {
		word, bin := m.place(row)
		cell := &m.cells[m.index(word, bin)]
		if *cell < 0 {
			*cell = len(seen)
			seen = append(seen, countedWords{word: word, bin: bin})
		}
		seen[*cell].a += a[i]
		seen[*cell].b += b[i]
	}
	m.fit(spelled, seen, na, nb)
	return m
}

// edgesOf returns the edges of bins with about equal numbers of values.
func edgesOf(numbers []float64, bins int) (edges []float64) {
	var some []float64
	for i := 0; i < len(numbers); i += 1 + len(numbers)/maxForBins {
		some = append(some, numbers[i])
	}
	slices.Sort(some)
	for k := 1; k < bins && len(some) > 0; k++ {
		edges = append(edges, some[k*len(some)/bins])
	}
	return slices.Compact(edges)
}

// noWord is the bin of words without a number, and the word of unknown rows.
const noWord = -1

// place returns the word of a row, or noWord, and the bin of its first number.
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

// Score returns the expected log ratio of a row, or 0 if its word and bin were not seen.
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

// near returns the similarity of two bins, from 0 to 1.
func near(u, v int) float64 {
	if u == v {
		return 1
	}
	if u == noWord || v == noWord {
		return 0
	}
	return math.Exp(-math.Abs(float64(u-v)) * 3 / maxBins)
}
