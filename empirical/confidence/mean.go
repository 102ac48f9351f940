package confidence

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/empirical"
)

// maxMeanCells bounds the memory of a MeanTally. Rounding to the grid adds a standard deviation of at most
// range/(2·2047).
const maxMeanCells = 2048

// MeanTally counts values of a bounded variable on a fixed grid over [lo, hi]. A value between two grid points is
// rounded to one of them at random, with probabilities that preserve its expectation. Limits for the mean of the
// counted values are therefore limits for the mean of the variable. Memory does not depend on the number of values,
// and the order of merging does not matter.
type MeanTally struct {
	lo, hi float64
	counts []int64
}

// NewMeanTally returns an empty tally for values in [lo, hi] on a grid with the given number of points. It requires
// finite lo < hi and 2 to 2048 points, and returns ErrDomain otherwise.
func NewMeanTally(lo, hi float64, cells int) (*MeanTally, error) {
	t := &MeanTally{lo: lo, hi: hi, counts: make([]int64, max(0, min(cells, maxMeanCells)))}
	if err := t.check(); err != nil || cells != len(t.counts) {
		return nil, fmt.Errorf("mean tally on [%v, %v] with %d grid points: need finite lo < hi and 2 to %d points: %w",
			lo, hi, cells, maxMeanCells, ErrDomain)
	}
	return t, nil
}

func (t *MeanTally) check() error {
	if !(t.lo < t.hi && !math.IsInf(t.hi-t.lo, 0)) || len(t.counts) < 2 || len(t.counts) > maxMeanCells {
		return ErrDomain
	}
	return nil
}

// Add counts one value. It rejects a value outside [lo, hi] or NaN with an error and does not count it.
func (t *MeanTally) Add(r *rand.Rand, x float64) error {
	if !(x >= t.lo && x <= t.hi) {
		return fmt.Errorf("mean tally: value %v outside [%v, %v]: widen the range given to NewMeanTally: %w", x, t.lo, t.hi,
			ErrDomain)
	}
	last := len(t.counts) - 1
	position := (x - t.lo) / (t.hi - t.lo) * float64(last)
	cell := min(int(position), last)
	if rest := position - float64(cell); rest > 0 && r.Float64() < rest {
		cell = min(cell+1, last)
	}
	t.counts[cell]++
	return nil
}

// point returns the value of a grid point.
func (t *MeanTally) point(cell int) float64 {
	return t.lo + (t.hi-t.lo)*(float64(cell)/float64(len(t.counts)-1))
}

// N returns the number of counted values.
func (t *MeanTally) N() int64 {
	var n int64
	for _, c := range t.counts {
		n += c
	}
	return n
}

// Mean returns the mean of the counted values, or NaN if there are none.
func (t *MeanTally) Mean() float64 {
	sum := 0.0
	for i, c := range t.counts {
		sum += float64(c) * t.point(i)
	}
	return sum / float64(t.N())
}

// Merge adds the counts of another MeanTally over the same grid.
func (t *MeanTally) Merge(other empirical.Tally) error {
	o, ok := other.(*MeanTally)
	if !ok || o.lo != t.lo || o.hi != t.hi || len(o.counts) != len(t.counts) {
		return fmt.Errorf("mean tally: cannot merge %T over another grid", other)
	}
	for i, c := range o.counts {
		if c < 0 || t.counts[i] > math.MaxInt64-c {
			return fmt.Errorf("mean tally: count of grid point %d out of range", i)
		}
		t.counts[i] += c
	}
	return nil
}

// MarshalJSON writes a string with lo, hi, the number of grid points, and point:count for each point with a nonzero
// count. Points are numbered from 0.
func (t *MeanTally) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	decimal := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	fmt.Fprintf(&b, "%s %s %d", decimal(t.lo), decimal(t.hi), len(t.counts))
	for i, c := range t.counts {
		if c > 0 {
			fmt.Fprintf(&b, " %d:%d", i, c)
		}
	}
	return json.Marshal(b.String())
}

// UnmarshalJSON fills a tally. If the tally comes from NewMeanTally, the data must have the same grid. An empty
// MeanTally takes the grid of the data. UnmarshalJSON rejects points out of order and counts below 1.
func (t *MeanTally) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("mean tally: %w", err)
	}
	words := strings.Fields(text)
	if len(words) < 3 {
		return fmt.Errorf("mean tally: %.40q: want the ends of a grid, its number of points, and counts", text)
	}
	lo, err1 := strconv.ParseFloat(words[0], 64)
	hi, err2 := strconv.ParseFloat(words[1], 64)
	cells, err3 := strconv.Atoi(words[2])
	if err1 != nil || err2 != nil || err3 != nil {
		return fmt.Errorf("mean tally: %.40q: want the ends of a grid, its number of points, and counts", text)
	}
	read, err := NewMeanTally(lo, hi, cells)
	if err != nil {
		return err
	}
	if t.counts != nil && (t.lo != lo || t.hi != hi || len(t.counts) != cells) {
		return fmt.Errorf("mean tally: data over [%v, %v] with %d grid points: want [%v, %v] with %d",
			lo, hi, cells, t.lo, t.hi, len(t.counts))
	}
	next, total := 0, int64(0)
	for _, word := range words[3:] {
		point, n, _ := strings.Cut(word, ":")
		i, err1 := strconv.Atoi(point)
		count, err2 := strconv.ParseInt(n, 10, 64)
		if err1 != nil || err2 != nil || i < next || i >= cells || count < 1 ||
			count > math.MaxInt64-total {
			return fmt.Errorf("mean tally: %q: want a point from %d to %d and its count, for example 3:17", word, next, cells-1)
		}
		read.counts[i], next, total = count, i+1, total+count
	}
	*t = *read
	return nil
}

// SameGrid reports whether two tallies have the same grid, up to a relative difference of 1e-9 between the ends,
// which rounding on another machine can cause.
func (t *MeanTally) SameGrid(other *MeanTally) bool {
	slack := 1e-9 * (t.hi - t.lo)
	return len(t.counts) == len(other.counts) && math.Abs(t.lo-other.lo) <= slack && math.Abs(t.hi-other.hi) <= slack
}
