package dependence

import (
	"math"
	"slices"
)

const (
	// watched is the number of coordinates of an output that are watched; they are evenly spaced.
	watched = 8
	// features is the number of features of an output: these coordinates, the sum and the number of all coordinates.
	features = watched + 2
	// references is the number of outputs that choose the events. They do not count.
	references = 32
)

// output keeps a few numbers of an output, and a hash of all of it.
type output struct {
	features [features]float64
	print    uint64
}

// newOutput returns the output for a row of numbers.
func newOutput(row []float64, print uint64) (o output) {
	for i := range o.features {
		o.features[i] = math.NaN()
	}
	wide := min(len(row), watched)
	for i := range wide {
		o.features[i] = row[i*len(row)/wide]
	}
	if len(row) > 1 {
		sum := 0.0
		for _, x := range row {
			sum += x
		}
		o.features[watched] = sum
	}
	o.features[watched+1] = float64(len(row))
	print ^= print >> 31 // the low bits of a hash of short texts are not uniform
	print *= 0x9e3779b97f4a7c15
	o.print = print ^ print>>29
	return o
}

// printOf returns a hash of the numbers of a row.
func printOf(row []float64) uint64 {
	h := uint64(len(row))
	for _, x := range row {
		h = (h ^ math.Float64bits(x)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return h
}

// event is a set of outputs: those with a feature in [lo, hi], or with some bits in the hash.
type event struct {
	feature     int
	lo, hi      float64
	print, mask uint64
}

// running sets hits[k] to the number of outputs in the event up to and including outputs[k].
func (e event) running(outputs []output, hits []int) {
	sum := 0
	for k := range outputs {
		var holds bool
		if e.mask != 0 {
			holds = outputs[k].print&e.mask == e.print
		} else {
			x := outputs[k].features[e.feature]
			holds = e.lo <= x && x <= e.hi
		}
		if holds {
			sum++
		}
		hits[k] = sum
	}
}

// eventsOf chooses the events from reference outputs. For each feature, the limits are the median (inclusive and
// exclusive), the first and the last eighth, and the quartiles. For the whole output, the events are the most frequent
// value and two bits of the hash.
func eventsOf(reference []output) (out []event) {
	inf := math.Inf(1)
	for f := range features {
		var sorted []float64
		for _, o := range reference {
			if !math.IsNaN(o.features[f]) {
				sorted = append(sorted, o.features[f])
			}
		}
		if len(sorted) == 0 {
			continue
		}
		slices.Sort(sorted)
		at := func(eighths int) float64 { return sorted[min(len(sorted)-1, eighths*len(sorted)/8)] }
		for _, e := range []event{
			{lo: at(4), hi: inf}, {lo: math.Nextafter(at(4), inf), hi: inf}, {lo: at(1), hi: inf}, {lo: at(7), hi: inf},
			{lo: at(2), hi: at(6)},
		} {
			if e.feature = f; !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	counts := make(map[uint64]int)
	mode := reference[0].print
	for _, o := range reference {
		if counts[o.print]++; counts[o.print] > counts[mode] {
			mode = o.print
		}
	}
	const first, second = 1 << 20, 1 << 40
	return append(out, event{print: mode, mask: math.MaxUint64}, event{print: first, mask: first},
		event{print: second, mask: second})
}
