// The model of sequences estimates how much two inputs differ in outputs that are sequences of few symbols,
// possibly with a number. words.go maps outputs to words of symbols. model.go fits the log ratio of words, shrunk
// towards words with the same beginning. posterior.go computes the posterior over several sizes of the differences.

package distinguisher

import (
	"iter"
	"math"
	"slices"
)

const (
	// maxSymbols is the largest number of distinct values in a cell that are treated as symbols. With more, finite
	// values are numbers.
	maxSymbols = 16
	// maxPlaces is the number of cells of an output that are read.
	maxPlaces = 64
	// maxWords is the largest number of modeled words. With more words each is too rare.
	maxWords = 64
	// glance is the number of rows after which a single word ends the fit.
	glance = 1000
)

// reader maps rows to words: the symbols in some cells, in order.
type reader struct {
	cells   []int
	symbols []bool   // whether the finite values of a cell are symbols
	mixture *mixture // of the other cells; nil if all their finite values are numbers
}

// newReader finds the cells with few values, and the repeated values of the other cells, in count rows.
func newReader(cells []int, rows iter.Seq2[int, []float64], count int) reader {
	r := reader{cells: cells[:min(len(cells), maxPlaces)]}
	seen := make([][]float64, len(r.cells))
	for _, row := range rows {
		for k, cell := range r.cells {
			if v := row[cell]; len(seen[k]) <= maxSymbols && finite(v) && !slices.Contains(seen[k], v) {
				seen[k] = append(seen[k], v)
			}
		}
	}
	for _, values := range seen {
		r.symbols = append(r.symbols, len(values) <= maxSymbols)
	}
	var numbers []int
	for k, cell := range r.cells {
		if !r.symbols[k] {
			numbers = append(numbers, cell)
		}
	}
	r.mixture = newMixture(numbers, rows, count)
	return r
}

// number is the symbol of any number in a cell of numbers. Its bits are those of a NaN that does not occur in rows.
const number = ^uint64(0)

// symbol returns the symbol at the k-th place of a row.
func (r reader) symbol(k int, row []float64) uint64 {
	v := row[r.cells[k]]
	if v == 0 {
		v = 0 // −0 equals 0
	}
	if finite(v) && !r.symbols[k] && (r.mixture == nil || r.mixture.isNumber(v)) {
		return number
	}
	return math.Float64bits(v)
}

// word returns a multiply–xorshift hash of a row's symbols, and the row's first number or NaN.
func (r reader) word(row []float64) (hash uint64, first float64) {
	first = math.NaN()
	for k, cell := range r.cells {
		s := r.symbol(k, row)
		if s == number && math.IsNaN(first) {
			first = row[cell]
		}
		hash = (hash ^ s) * 0xff51afd7ed558ccd
		hash ^= hash >> 32
	}
	return hash, first
}

// spelled returns the symbols of a row's word.
func (r reader) spelled(row []float64) []uint64 {
	out := make([]uint64, len(r.cells))
	for k := range out {
		out[k] = r.symbol(k, row)
	}
	return out
}

// likeness returns the length of the common beginning of two words as a share of their length.
func likeness(u, v []uint64) float64 {
	n := 0
	for n < len(u) && u[n] == v[n] {
		n++
	}
	return float64(n) / float64(len(u))
}
