package diagnosis

import (
	"math"
	"strconv"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
)

const (
	// leastRows is the minimum number of rows per input in either part.
	leastRows = 200
	// mostRows is the maximum number of rows used of a part. More take time without a benefit.
	mostRows = 100_000
	// mostColumns is the maximum number of columns used.
	mostColumns = 32
)

// Sample holds the encoded outputs at one input: the part that chooses and the part that confirms.
type Sample [2]*distinguisher.Rows

// outputs holds the values of all outputs by part, input and column. Column 0 of a list is its length.
type outputs struct {
	columns int
	scalar  bool
	values  [2][2][][]float64
	names   []string // of the values, if they have names
}

// newOutputs returns the outputs of a pair, or nil if there are too few rows.
func newOutputs(a, b Sample) *outputs {
	o := &outputs{}
	for part := range 2 {
		for _, rows := range []*distinguisher.Rows{a[part], b[part]} {
			if rows == nil || rows.Len() < leastRows {
				return nil
			}
			for i := range min(rows.Len(), mostRows) {
				o.columns = max(o.columns, len(distinguisher.Values(rows.Row(i))))
			}
		}
	}
	o.scalar = o.columns == 1
	o.columns = min(o.columns, mostColumns)
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
			o.values[part][input] = columns
		}
	}
	return o
}

// says returns the name of the value in a column followed by a predicate, for example " is above 3".
func (o *outputs) says(k int, kind, predicate string) string {
	switch {
	case o.scalar && kind == "number":
		return "the number" + predicate
	case o.scalar:
		return "the output" + predicate
	case k == 0:
		return verify.EventInWords("number output[0]"+predicate, []string{"the length of the list"})
	}
	return verify.EventInWords(kind+" output["+strconv.Itoa(k-1)+"]"+predicate, o.names)
}

// length reports whether a column holds the length of the output or of a list within it.
func (o *outputs) length(k int) bool {
	if o.scalar || k == 0 {
		return !o.scalar
	}
	return k <= len(o.names) && verify.IsLengthName(o.names[k-1])
}

// rows returns the number of rows of an input in a part.
func (o *outputs) rows(part, input int) int { return len(o.values[part][input][0]) }

func floatBits(x float64) uint64 {
	if x == 0 {
		return 0 // also for −0
	}
	return math.Float64bits(x)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
