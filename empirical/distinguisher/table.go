package distinguisher

import (
	"iter"
	"slices"
	"sync"
)

// table is two samples side by side: the distinct rows, and how often each was
// seen in either. Discrete outputs shrink to a few rows; others keep one each.
type table struct {
	samples [2]*Rows
	shape   *Rows     // one of them: both have its width and arrangement
	first   []int32   // where each row was seen first: in a at i, or in b at ^i
	a, b    []float64 // counts of each row
	na, nb  float64   // their sums
	places  [2][]int32
	whole   *[]wholeSource // of these rows, whatever their counts; points to nil before they are looked for
	*scratch
}

// scratch is memory that the columns of a search use one after another.
type scratch struct {
	sorter   radixSorter
	values   []float64
	groups   []valued
	segments []segment
	block    struct {
		from    int // the cell of the first column; −1 where there is none
		columns [blockCells][]float64
	}
}

// blockCells are read at a time: they are next to each other in memory, and those of the next row are far away.
const blockCells = 8

// scratches go from search to search.
var scratches = sync.Pool{New: func() any { return &scratch{} }}

// close gives the memory of columns back: none of the table's is valid afterwards.
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
			at := index.Place(rowKey(s.Row(i)))
			if int(at) == len(t.first) {
				t.first = append(t.first, int32(i)^-int32(side))
			}
			t.places[side][i] = at
		}
	}
	t.weigh(0, len(t.places[0]), 0, len(t.places[1]))
	return t
}

// weigh counts the rows of either sample from one place up to another.
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

// halves are tables of the same rows that count the first and the second half of the samples,
// and one that counts both: of each sample at most so many rows, its first.
func (t *table) halves(most int) (first, second, both *table) {
	a, b := min(most, len(t.places[0])), min(most, len(t.places[1]))
	part := func(fromA, toA, fromB, toB int) *table {
		out := &table{samples: t.samples, shape: t.shape, first: t.first, places: t.places,
			whole: t.whole, scratch: t.scratch}
		out.weigh(fromA, toA, fromB, toB)
		return out
	}
	return part(0, a/2, 0, b/2), part(a/2, a, b/2, b), part(0, a, 0, b)
}

// counted reports whether row i was seen in either sample.
func (t *table) counted(i int) bool { return t.a[i]+t.b[i] > 0 }

// seen are the rows that either sample has, with their indices.
func (t *table) seen() iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		for i := range t.a {
			if t.counted(i) && !yield(i, t.row(i)) {
				return
			}
		}
	}
}

// row is distinct row i; it must not be changed.
func (t *table) row(i int) []float64 {
	at := t.first[i]
	if at < 0 {
		return t.samples[1].Row(int(^at))
	}
	return t.samples[0].Row(int(at))
}

// cell is the values of a cell in all rows, valid up to the next block of cells.
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

// fill puts the values of a function of the rows into out, which has room for them.
func (t *table) fill(out []float64, f func([]float64) float64) []float64 {
	out = slices.Grow(out[:0], len(t.first))[:len(t.first)]
	for i := range out {
		out[i] = f(t.row(i))
	}
	return out
}

// column is a score's values in all rows of a table, and the rows in the order of the values;
// those of which the value is a symbol or NaN have none. It is valid up to the next column of a search.
type column struct {
	values []float64
	order  []int32
	groups []valued // the different values, ascending, with the counts of their rows
}

// newColumn is the column of a score; known is nil, or gets its values sooner than row by row.
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

// valued is a score with the counts of the rows that have it.
type valued struct{ v, a, b float64 }

// ascending is values in their order.
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
