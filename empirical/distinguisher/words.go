// A model of how much two inputs differ in outputs that are sequences of few symbols, with a number among them or
// without: words.go turns outputs into words of symbols, model.go fits the log ratio of words, shrunk towards those
// that begin alike, and posterior.go holds what is known of it, over several sizes of the differences.

package distinguisher

import (
	"iter"
	"math"
	"slices"
)

const (
	// mostSymbols are the different values that make symbols of what stands at a place; where there are more, those
	// that are finite are numbers.
	mostSymbols = 16
	// mostPlaces of an output are read.
	mostPlaces = 64
	// mostWords are modelled: of more, each is too rare.
	mostWords = 64
	// glance are the rows after which words of one kind are taken to be all there are.
	glance = 1000
)

// reader makes words of rows: the symbols at some cells, in their order.
type reader struct {
	cells   []int
	symbols []bool // whether the finite values of a cell are symbols
}

// newReader finds which of the cells hold few values.
func newReader(cells []int, rows iter.Seq2[int, []float64]) reader {
	r := reader{cells: cells[:min(len(cells), mostPlaces)]}
	seen := make([][]float64, len(r.cells))
	for _, row := range rows {
		for k, cell := range r.cells {
			if v := row[cell]; len(seen[k]) <= mostSymbols && finite(v) && !slices.Contains(seen[k], v) {
				seen[k] = append(seen[k], v)
			}
		}
	}
	for _, values := range seen {
		r.symbols = append(r.symbols, len(values) <= mostSymbols)
	}
	return r
}

// number stands for any number where numbers are no symbols: the bits of a NaN that is none of a row's.
const number = ^uint64(0)

// symbol at the k-th place of a row.
func (r reader) symbol(k int, row []float64) uint64 {
	v := row[r.cells[k]]
	if v == 0 {
		v = 0 // −0 is 0
	}
	if finite(v) && !r.symbols[k] {
		return number
	}
	return math.Float64bits(v)
}

// word of a row by a hash of its symbols, a multiply–xorshift one, and its first number; NaN where it has none.
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

// spelled is a word by its symbols.
func (r reader) spelled(row []float64) []uint64 {
	out := make([]uint64, len(r.cells))
	for k := range out {
		out[k] = r.symbol(k, row)
	}
	return out
}

// likeness of two words is the share of their symbols with which they begin alike.
func likeness(u, v []uint64) float64 {
	n := 0
	for n < len(u) && u[n] == v[n] {
		n++
	}
	return float64(n) / float64(len(u))
}
