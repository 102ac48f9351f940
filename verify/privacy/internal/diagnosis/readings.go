package diagnosis

import (
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// CauseLevel is the error probability of what a likeness rests on.
const CauseLevel = 1e-3

const (
	// leastRows of each input in either part.
	leastRows = 200
	// mostRows of a part are read: more take time and tell no more.
	mostRows = 100_000
	// mostColumns of an output are looked at. What has more numbers is told by none of the first only where these
	// are like nothing.
	mostColumns = 32
)

// Sample are rows of the outputs at one input, as an encoder makes them: the part that chooses, and the part that
// bears out.
type Sample [2]*distinguisher.Rows

// Reading is what the outputs at a pair show. They are looked at when somebody asks: most claims are not refuted.
// The zero value shows nothing.
type Reading struct {
	shownBy, neverBy func() *verify.LikelyCause
	movesBy          func() *moves
}

// shown by itself, whatever is claimed.
func (r Reading) shown() *verify.LikelyCause { return asked(r.shownBy) }

// never is nil unless the claim does not come near to it.
func (r Reading) never() *verify.LikelyCause { return asked(r.neverBy) }

// moves are nil where no law fits.
func (r Reading) moves() *moves { return asked(r.movesBy) }

func asked[T any](f func() *T) *T {
	if f == nil {
		return nil
	}
	return f()
}

// Settle looks at the outputs now, and keeps none.
func (r Reading) Settle() {
	r.shown()
	r.never()
	r.moves()
}

// ReadOutputs reads the outputs at both inputs of a pair for which a guarantee is claimed. The outputs must not change.
// The
// function names returns the names of output values for [verify.EventInWords]; it may be nil.
func ReadOutputs(a, b Sample, g guarantee.Guarantee, names func() []string) (r Reading) {
	read := sync.OnceValue(func() *outputs {
		o := newOutputs(a, b)
		if o != nil && names != nil {
			o.names = names()
		}
		return o
	})
	r.shownBy = sync.OnceValue(func() *verify.LikelyCause {
		o := read()
		if o == nil {
			return nil
		}
		if l := o.fixed(); l != nil {
			return l
		}
		return o.reused()
	})
	r.movesBy = sync.OnceValue(func() *moves {
		if o := read(); o != nil && r.shown() == nil {
			return o.moves()
		}
		return nil
	})
	r.neverBy = sync.OnceValue(func() *verify.LikelyCause {
		if o := read(); o != nil && r.shown() == nil {
			return o.never(g)
		}
		return nil
	})
	return r
}

// outputs are the values of all outputs: by part, by input, by column.
type outputs struct {
	columns int
	scalar  bool
	values  [2][2][][]float64
	sorted  [2][2][][]float64 // those that were asked for
	// same: all outputs have so many values.
	same  bool
	names []string // of the values, if they have any
}

func newOutputs(a, b Sample) *outputs {
	o := &outputs{same: true}
	width := -1
	for part := range 2 {
		for _, rows := range []*distinguisher.Rows{a[part], b[part]} {
			if rows == nil || rows.Len() < leastRows {
				return nil
			}
			for i := range min(rows.Len(), mostRows) {
				n := len(distinguisher.Values(rows.Row(i)))
				if width >= 0 && n != width {
					o.same = false
				}
				width, o.columns = n, max(o.columns, n)
			}
		}
	}
	o.scalar = o.columns == 1
	wide := o.columns > mostColumns
	if o.columns = min(o.columns, mostColumns); wide {
		o.same = false // what lies beyond may move as well
	}
	for part := range 2 {
		for input, rows := range []*distinguisher.Rows{a[part], b[part]} {
			n := min(rows.Len(), mostRows)
			columns := make([][]float64, o.columns)
			for k := range columns {
				columns[k] = make([]float64, n)
			}
			for i := range n {
				values := distinguisher.Values(rows.Row(i))
				for k := range columns {
					if columns[k][i] = distinguisher.Absent; k < len(values) {
						columns[k][i] = values[k]
					}
				}
			}
			o.values[part][input], o.sorted[part][input] = columns, make([][]float64, o.columns)
		}
	}
	return o
}

// ascending values of a column, which has no NaN.
func (o *outputs) ascending(part, input, k int) []float64 {
	kept := &o.sorted[part][input][k]
	if *kept == nil {
		*kept = slices.Sorted(slices.Values(o.values[part][input][k]))
	}
	return *kept
}

// name of a column, as it is in events.
func (o *outputs) name(k int) string { return o.says(k, "") }

// says returns the name of the number in a column, followed by a predicate, for example " is above 3".
func (o *outputs) says(k int, predicate string) string {
	switch {
	case o.scalar:
		return "the number" + predicate
	case k == 0:
		return verify.EventInWords("number output[0]"+predicate, []string{"the length of the list"})
	}
	return verify.EventInWords("number output["+strconv.Itoa(k-1)+"]"+predicate, o.names)
}

// length reports whether a column holds the length of the output or of a list within it.
func (o *outputs) length(k int) bool {
	if o.scalar || k == 0 {
		return !o.scalar
	}
	return k <= len(o.names) && verify.IsLengthName(o.names[k-1])
}

// rows of an input in a part.
func (o *outputs) rows(part, input int) int { return len(o.values[part][input][0]) }

func floatBits(x float64) uint64 {
	if x == 0 {
		return 0 // of −0, too
	}
	return math.Float64bits(x)
}

// constant reports whether all values are one.
func constant(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return floatBits(v) != floatBits(values[0]) })
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func allFinite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return !finite(v) })
}
