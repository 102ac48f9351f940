package distinguisher

import (
	"iter"
	"slices"
	"sync"
)

// table holds the distinct rows of two samples and their counts in each. Discrete outputs have few distinct rows.
type table struct {
	samples [2]*Rows
	shape   *Rows     // one of the samples: both have this width and layout
	first   []int32   // first occurrence of each row: i in a, or ^i in b
	a, b    []float64 // counts of each row
	na, nb  float64   // their sums
	places  [2][]int32
	whole   *[]wholeSource // integer sources of these rows; points to nil until computed
	*scratch
}

// scratch is memory that the columns of a search reuse.
type scratch struct {
	sorter   radixSorter
	values   []float64
	groups   []valued
	segments []segment
	block    struct {
		from    int // cell of the first column; −1 if there is none
		columns [blockCells][]float64
	}
}

// blockCells is the number of cells that are read together, because they are adjacent in memory.
const blockCells = 8

// scratches passes memory from search to search.
var scratches = sync.Pool{New: func() any { return &scratch{} }}

// close releases the memory of the columns, which are invalid afterwards.
func (t *table) close() { scratches.Put(t.scratch) }

// newTable counts the rows of two samples.
func newTable(a, b *Rows) *table {
	t := &table{samples: [2]*Rows{a, b}, shape: a, whole: new([]wholeSource),
		scratch: scratches.Get().(*scratch)}
	t.block.from = -1
	index := newKeyIndex(a.Len() + b.Len())
	for side, s := range t.samples {
		t.places[side] = make([]int32, s.Len())
		for i := range t.places[side] {
			place := index.Place(rowKey(s.Row(i)))
			if int(place) == len(t.first) {
				t.first = append(t.first, int32(i)^-int32(side))
			}
			t.places[side][i] = place
		}
	}
	t.weigh(0, len(t.places[0]), 0, len(t.places[1]))
	return t
}

// weigh counts the rows of both samples within the given ranges.
func (t *table) weigh(fromA, toA, fromB, toB int) {
	t.a, t.b = make([]float64, len(t.first)), make([]float64, len(t.first))
	for _, at := range t.places[0][fromA:toA] {
		t.a[at]++
	}
	for _, at := range t.places[1][fromB:toB] {
		t.b[at]++
	}
	t.na, t.nb = float64(toA-fromA), float64(toB-fromB)
}

// halves returns tables of the same rows that count the first and the second half of the samples, and one that
// counts both. They use at most the given number of rows of each sample.
func (t *table) halves(limit int) (first, second, both *table) {
	a, b := min(limit, len(t.places[0])), min(limit, len(t.places[1]))
	part := func(fromA, toA, fromB, toB int) *table {
		out := &table{samples: t.samples, shape: t.shape, first: t.first, places: t.places,
			whole: t.whole, scratch: t.scratch}
		out.weigh(fromA, toA, fromB, toB)
		return out
	}
	return part(0, a/2, 0, b/2), part(a/2, a, b/2, b), part(0, a, 0, b)
}

// counted reports whether row i occurs in either sample.
func (t *table) counted(i int) bool { return t.a[i]+t.b[i] > 0 }

// seen returns the rows that occur in either sample, with their indices.
func (t *table) seen() iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		for i := range t.a {
			if t.counted(i) && !yield(i, t.row(i)) {
				return
			}
		}
	}
}

// row returns distinct row i; it must not be changed.
func (t *table) row(i int) []float64 {
	index := t.first[i]
	if index < 0 {
		return t.samples[1].Row(int(^index))
	}
	return t.samples[0].Row(int(index))
}

// cell returns the values of a cell in all rows, valid until another block of cells is read.
func (t *table) cell(i int) []float64 {
	b := &t.block
	if from := i / blockCells * blockCells; b.from != from {
		b.from = from
		to := min(from+blockCells, t.shape.Width)
		for k := range to - from {
			b.columns[k] = slices.Grow(b.columns[k][:0], len(t.first))[:len(t.first)]
		}
		for r := range t.first {
			row := t.row(r)
			for k, v := range row[from:to] {
				b.columns[k][r] = v
			}
		}
	}
	return b.columns[i-b.from]
}

// fill writes the values of a function of the rows into out and returns it.
func (t *table) fill(out []float64, f func([]float64) float64) []float64 {
	out = slices.Grow(out[:0], len(t.first))[:len(t.first)]
	for i := range out {
		out[i] = f(t.row(i))
	}
	return out
}

// column holds a score's values in all rows of a table, and the order of the rows by value without symbols and NaN.
// It is valid until the next column of the search.
type column struct {
	values []float64
	order  []int32
	groups []valued // distinct values in ascending order with the counts of their rows
}

// newColumn returns the column of a score. known is nil, or computes the values faster than by row.
func newColumn(score func(row []float64) float64, known func(t *table) []float64, t *table) *column {
	if known == nil {
		t.scratch.values = t.fill(t.scratch.values, score)
		known = func(t *table) []float64 { return t.scratch.values }
	}
	c := &column{values: known(t)}
	c.order = t.sorter.Of(c.values)
	groups := slices.Grow(t.scratch.groups[:0], len(c.order))
	for i, row := range c.order {
		v := c.values[row]
		if i == 0 || v != groups[len(groups)-1].v {
			groups = append(groups, valued{v: v})
		}
		last := &groups[len(groups)-1]
		last.a, last.b = last.a+t.a[row], last.b+t.b[row]
	}
	t.scratch.groups, c.groups = groups, groups
	return c
}

// valued is a score value with the counts of its rows in the two samples.
type valued struct{ v, a, b float64 }

// ascending returns the values in ascending order.
func (s *scratch) ascending(values []valued) []valued {
	s.values = slices.Grow(s.values[:0], len(values))[:len(values)]
	for i, v := range values {
		s.values[i] = v.v
	}
	places := s.sorter.Of(s.values)
	out := make([]valued, len(places))
	for i, place := range places {
		out[i] = values[place]
	}
	return out
}
