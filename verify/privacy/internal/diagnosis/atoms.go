package diagnosis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// Atoms counts the repeated values of a sample that the search rounds. Noise with a density has no such values. The
// zero value is empty.
type Atoms struct {
	outputs int64
	times   map[atom]int64
}

// atom is a number at a position of an output.
type atom struct {
	place int
	value uint64 // bits of the number
}

const (
	// mostAtomOutputs is the number of outputs that are counted. They suffice, because the atoms of a large
	// violation are frequent.
	mostAtomOutputs = 2000
	// mostAtoms limits the number of stored values.
	mostAtoms = 1 << 14
)

// See counts the values of an output.
func (s *Atoms) See(output any) {
	if s.outputs == mostAtomOutputs {
		return
	}
	s.outputs++
	for i, l := range LeavesOf(nil, output) {
		if l.Large || distinguisher.Rounded(l.Value) == l.Value || !l.finite() {
			continue
		}
		if s.times == nil {
			s.times = make(map[atom]int64)
		}
		at := atom{i, math.Float64bits(l.Value)}
		if n := s.times[at]; n > 0 || len(s.times) < mostAtoms {
			s.times[at] = n + 1
		}
	}
}

// Outputs returns the number of counted outputs.
func (s *Atoms) Outputs() int64 { return s.outputs }

// AtomDifference describes an atom whose frequencies in the two samples differ too much, or returns "". The
// function apart reports whether x of nx and y of ny differ too much; its error probability must be divided by
// tests.
func AtomDifference(a, b *Atoms, apart func(x, nx, y, ny int64, tests int) bool) string {
	if a.outputs == 0 || b.outputs == 0 {
		return ""
	}
	all := make(map[atom]bool)
	for _, s := range []*Atoms{a, b} {
		for at, n := range s.times {
			if n > 1 {
				all[at] = true
			}
		}
	}
	order := func(u, v atom) int { return cmp.Or(cmp.Compare(u.place, v.place), cmp.Compare(u.value, v.value)) }
	for _, at := range slices.SortedFunc(maps.Keys(all), order) {
		x, y := a.times[at], b.times[at]
		if apart(x, a.outputs, y, b.outputs, 2*len(all)) || apart(y, b.outputs, x, a.outputs, 2*len(all)) {
			return fmt.Sprintf("number %d of the output is %s in %d of %d outputs under A and in %d of %d under B",
				at.place+1, strconv.FormatFloat(math.Float64frombits(at.value), 'g', -1, 64), x, a.outputs, y, b.outputs)
		}
	}
	return ""
}
