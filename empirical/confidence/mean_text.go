package confidence

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Text is the tally in a line: the ends of the grid, its number of points, and point:count of each
// point with a count, points from 0. It is for those who read along; [MeanTally.MarshalJSON] keeps the form of
// journals.
func (t *MeanTally) Text() string {
	var b strings.Builder
	short := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	fmt.Fprintf(&b, "%s %s %d", short(t.lo), short(t.hi), len(t.counts))
	for i, c := range t.counts {
		if c > 0 {
			fmt.Fprintf(&b, " %d:%d", i, c)
		}
	}
	return b.String()
}

// Read fills a tally with what [MeanTally.Text] writes. Points in another order than they have on the grid, or
// twice, and counts below 1 are an error.
func (t *MeanTally) Read(text string) error {
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
	next, total := 0, int64(0)
	for _, word := range words[3:] {
		at, n, _ := strings.Cut(word, ":")
		i, err1 := strconv.Atoi(at)
		count, err2 := strconv.ParseInt(n, 10, 64)
		if err1 != nil || err2 != nil || i < next || i >= cells || count < 1 ||
			count > math.MaxInt64-total {
			return fmt.Errorf("mean tally: %q: want a point from %d to %d and its count, as 3:17", word, next, cells-1)
		}
		read.counts[i], next, total = count, i+1, total+count
	}
	*t = *read
	return nil
}

// SameGrid tells whether two tallies are over one grid, whose ends may differ by the rounding of another machine.
func (t *MeanTally) SameGrid(other *MeanTally) bool {
	slack := 1e-9 * (t.hi - t.lo)
	return len(t.counts) == len(other.counts) && math.Abs(t.lo-other.lo) <= slack && math.Abs(t.hi-other.hi) <= slack
}
