package distinguisher

import (
	"fmt"
	"math"
	"slices"
)

var (
	stumps = treeShape{Depth: 1, Rounds: 120, Rate: 0.3}
	shrubs = treeShape{Depth: 3, Rounds: 40, Rate: 0.3}
)

// fitted is a score fitted to the rows of a table, with its values in all rows.
type fitted struct {
	name   string
	score  func(row []float64) float64
	signed bool
	smooth bool
	values []float64
}

// crossFitted returns scores that are fitted to each half of the rows; the returned score is the mean of both fits.
// Its counts use, for each half, the fit to the other half.
func crossFitted(binners []*binner, first, second *table) (out []scorer) {
	seen := 0 // number of rows that occur in either half
	for i := range first.a {
		for _, half := range []*table{first, second} {
			if half.counted(i) {
				seen++
			}
		}
	}
	secondFits := make(map[string]fitted)
	for _, two := range fits(binners, second) {
		secondFits[two.name] = two
	}
	for _, one := range fits(binners, first) {
		two, ok := secondFits[one.name]
		if !ok {
			continue
		}
		c := scorer{name: one.name, signed: one.signed, smooth: one.smooth, complexity: learned,
			score: func(row []float64) float64 { return (one.score(row) + two.score(row)) / 2 }}
		c.counts, c.values = make([]valued, 0, seen), make([]valued, 0, len(one.values))
		for i := range one.values {
			if u, v := one.values[i], two.values[i]; !math.IsNaN(u + v) {
				c.counts = appendCounted(c.counts, u, second, i)
				c.counts = appendCounted(c.counts, v, first, i)
				c.values = append(c.values, valued{(u + v) / 2, first.a[i] + second.a[i], first.b[i] + second.b[i]})
			}
		}
		c.counts = first.ascending(c.counts)
		out = append(out, c)
	}
	return out
}

func appendCounted(out []valued, v float64, t *table, i int) []valued {
	if t.counted(i) {
		out = append(out, valued{v, t.a[i], t.b[i]})
	}
	return out
}

// fits returns the scores learned from a table.
func fits(binners []*binner, t *table) (out []fitted) {
	patterns := patternScores(t, int(math.Min(t.na, t.nb)/2))
	for _, c := range slices.Concat(linearScores(t), quadraticScores(t), patterns) {
		out = append(out, fitted{c.name, c.score, c.signed, c.smooth, t.fill(nil, c.score)})
	}
	var features []*binner
	for _, b := range binners {
		features = append(features, b.ordered(t))
	}
	for _, d := range strongest(significant(divisions(t), t), maxDivisions) {
		f := Feature{Name: d.name, eval: func(row []float64) float64 { return float64(d.class(row)) }}
		features = append(features, newBinner(f, newColumn(f.eval, nil, t), t).ordered(t))
	}
	columns := make([]binnedColumn, len(features))
	for i, b := range features {
		columns[i] = b.column()
	}
	if len(columns) == 0 {
		return out
	}
	booster := newBooster(columns, t.a, t.b)
	for _, shape := range []treeShape{stumps, shrubs} {
		if shape.Depth > 1 && len(columns) == 1 { // equivalent to stumps
			continue
		}
		e := booster.Fit(shape)
		if len(e.Used) == 0 {
			continue
		}
		out = append(out, fitted{fmt.Sprintf("learned log-likelihood ratio (trees of depth %d)", shape.Depth),
			scoreOf(e, features), true, false, e.Scores(columns)})
	}
	return out
}

// maxUsed is the largest number of features of an ensemble, whose bins fit on the stack.
const maxUsed = 3 * maxPositions

// scoreOf returns the score function of an ensemble.
func scoreOf(e *treeEnsemble, features []*binner) func(row []float64) float64 {
	used := make([]*binner, len(e.Used))
	for i, f := range e.Used {
		used[i] = &binner{feature: features[f].feature, edges: features[f].edges, codes: features[f].codes,
			other: features[f].other} // without the bins of the rows, which need much memory
	}
	return func(row []float64) float64 {
		var bins [maxUsed]uint8
		for i, b := range used {
			bins[i] = b.bin(row)
		}
		return e.Score(bins[:len(used)])
	}
}
