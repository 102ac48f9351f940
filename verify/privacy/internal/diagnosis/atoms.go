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

// Atoms counts the values of a sample that recur and that the search over the reals rounds. Noise with a density has
// none. The zero value is empty.
type Atoms struct {
	outputs int64
	times   map[atom]int64
}

// atom is a number at a place of an output.
type atom struct {
	place int
	value uint64 // its bits
}

const (
	// mostAtomOutputs of a sample are counted: atoms of a large violation are common.
	mostAtomOutputs = 2000
	// mostAtoms bounds the values that are kept.
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

// Outputs is how many outputs were counted.
func (s *Atoms) Outputs() int64 { return s.outputs }

// AtomDifference returns, in words, an atom whose numbers of outputs in two samples are too far apart, if there is one.
// apart reports whether x of nx and y of ny are; its error probability is to be divided by tests.
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
