package distinguisher

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// binnedColumn is a feature of all rows as bins. Count is the number of bins, at most 256.
type binnedColumn struct {
	Bins  []uint8
	Count int
}

// treeShape holds the parameters of an ensemble.
type treeShape struct {
	Depth  int
	Rounds int
	Rate   float64 // shrinkage of each tree
}

// treeEnsemble is a sum of decision trees. Only significant splits are made, so the ensemble is empty if the
// samples do not differ.
type treeEnsemble struct {
	// Used holds the indices of the columns in use; trees and tables refer to positions in Used.
	Used   []int
	trees  []tree
	tables [][]float64 // for stumps: the total score of each bin of each feature
}

// tree is a binary tree in an array. The children of node i are 2i+1 and 2i+2.
type tree []node

type node struct {
	leaf    bool
	feature int   // position in Used
	bin     uint8 // rows with bin ≤ bin go left
	value   float64
}

// booster holds the state of a fit by gradient boosting (Friedman 2001).
type booster struct {
	columns []binnedColumn
	bins    [][]uint8 // bins of the training rows, by column
	a, b    []float64 // counts of each training row in the two samples
	score   []float64
	prior   float64      // log odds that a training row comes from the first sample
	steps   [][2]float64 // gradient and second derivative of the loss at each row
	minGain float64      // minimal gain of a significant split
	hist    [256][2]float64
	bounds  *bounds // bounds on the gains of columns; nil if there are few columns
}

// newBooster returns a booster for rows with counts a[i] and b[i] in the two samples. Rows with count 0 are not
// training rows.
func newBooster(columns []binnedColumn, a, b []float64) *booster {
	rows := make([]int32, 0, len(a))
	for i := range a {
		if a[i]+b[i] > 0 {
			rows = append(rows, int32(i))
		}
	}
	t := &booster{columns: columns, a: make([]float64, len(rows)), b: make([]float64, len(rows))}
	for k, row := range rows {
		t.a[k], t.b[k] = a[row], b[row]
	}
	t.prior = math.Log(floats.Sum(t.a) / floats.Sum(t.b))
	cuts := 1
	for _, c := range columns {
		bins := make([]uint8, len(rows))
		for k, row := range rows {
			bins[k] = c.Bins[row]
		}
		t.bins = append(t.bins, bins)
		cuts += c.Count
	}
	t.score, t.steps = make([]float64, len(rows)), make([][2]float64, len(rows))
	// The gain of a split at an uninformative cut has a χ² distribution with one degree of freedom. The largest of m
	// gains is about 2 ln m.
	t.minGain = 2 * math.Log(float64(cuts))
	if len(columns) >= manyColumns {
		t.bounds = newBounds(t)
	}
	return t
}

// Fit adds trees until no split is significant, at most s.Rounds.
func (t *booster) Fit(s treeShape) *treeEnsemble {
	for i := range t.score {
		t.score[i] = t.prior
	}
	rows := make([]int32, len(t.score))
	var e treeEnsemble
	for range s.Rounds {
		t.step()
		for i := range rows {
			rows[i] = int32(i)
		}
		grown := make(tree, 1<<(s.Depth+1)-1)
		if !t.grow(grown, 0, rows, t.bounds.root(t.steps, s.Depth), s.Depth, s.Rate) {
			break
		}
		e.trees = append(e.trees, grown)
	}
	e.compact(t.columns, s.Depth == 1)
	return &e
}

// step computes gradients and second derivatives from the scores. With few columns the scores repeat, so
// probabilities are cached, indexed by a hash of the score.
func (t *booster) step() {
	const places, factor = 10, 0x9e3779b97f4a7c15
	var known [1 << places]struct{ score, p float64 }
	for i := range known {
		known[i].p = 0.5 // probability of score 0
	}
	for i, f := range t.score {
		last := &known[math.Float64bits(f)*factor>>(64-places)]
		if last.score != f {
			last.score, last.p = f, 1/(1+math.Exp(-f))
		}
		p, weight := last.p, t.a[i]+t.b[i]
		t.steps[i] = [2]float64{t.a[i] - weight*p, weight * max(p*(1-p), 1e-6)}
	}
}

// grow splits rows at node i, or makes the node a leaf and adds its value to the scores. It reports whether it
// split. sums holds the histograms of the rows, or nil.
func (t *booster) grow(grown tree, i int, rows []int32, sums histograms, depth int, rate float64) bool {
	var g, h float64
	for _, r := range rows {
		g, h = g+t.steps[r][0], h+t.steps[r][1]
	}
	feature, bin := -1, uint8(0)
	if depth > 0 {
		feature, bin = t.bestSplit(rows, sums, g, h)
	}
	if feature < 0 {
		value := rate * math.Max(-4, math.Min(4, g/(h+1)))
		grown[i] = node{leaf: true, value: value}
		for _, r := range rows {
			t.score[r] += value
		}
		return false
	}
	grown[i] = node{feature: feature, bin: bin}
	k := partition(rows, t.bins[feature], bin)
	left, right := t.bounds.divide(sums, rows[:k], rows[k:], depth-1)
	t.grow(grown, 2*i+1, rows[:k], left, depth-1, rate)
	t.grow(grown, 2*i+2, rows[k:], right, depth-1, rate)
	return true
}

// bestSplit returns the significant cut with the largest gain; ties go to the first feature. feature is −1 if no
// cut is significant.
func (t *booster) bestSplit(rows []int32, sums histograms, g, h float64) (feature int, bin uint8) {
	feature, gain := -1, t.minGain
	try := func(f int) {
		if b, v := t.bestCut(f, rows, g, h); v > gain || v == gain && f < feature {
			feature, bin, gain = f, b, v
		}
	}
	if sums == nil {
		for f := range t.bins {
			try(f)
		}
		return feature, bin
	}
	upper := t.bounds.gains(sums, len(rows), g, h)
	for {
		f := floats.MaxIdx(upper)
		if !(upper[f] >= gain) {
			return feature, bin
		}
		try(f)
		upper[f] = math.Inf(-1)
	}
}

const (
	ridge         = 1 // added to the weight of a leaf
	minLeafWeight = 2 // minimal weight of a leaf
)

// bestCut returns the cut of a feature with the largest gain in the second-order approximation of the log
// likelihood.
func (t *booster) bestCut(f int, rows []int32, g, h float64) (bin uint8, gain float64) {
	bins := t.columns[f].Count
	hist := t.hist[:bins]
	clear(hist)
	column := t.bins[f]
	for _, r := range rows {
		c, s := &hist[column[r]], &t.steps[r]
		c[0] += s[0]
		c[1] += s[1]
	}
	unsplit := g * g / (h + ridge)
	var gl, hl float64
	for b := range bins - 1 {
		gl, hl = gl+hist[b][0], hl+hist[b][1]
		if hl < minLeafWeight || h-hl < minLeafWeight {
			continue
		}
		gr := g - gl
		if v := gl*gl/(hl+ridge) + gr*gr/(h-hl+ridge) - unsplit; v > gain {
			bin, gain = uint8(b), v
		}
	}
	return bin, gain
}

// partition moves the rows that go left to the front and returns their number.
func partition(rows []int32, column []uint8, bin uint8) int {
	k := 0
	for i, r := range rows {
		if column[r] <= bin {
			rows[i], rows[k] = rows[k], rows[i]
			k++
		}
	}
	return k
}

// compact removes unused features, and for additive ensembles sums the stumps into tables.
func (e *treeEnsemble) compact(columns []binnedColumn, additive bool) {
	index := make(map[int]int)
	for _, t := range e.trees {
		for i := range t {
			if n := &t[i]; !n.leaf && n.reachable(t, i) {
				k, ok := index[n.feature]
				if !ok {
					k = len(e.Used)
					index[n.feature] = k
					e.Used = append(e.Used, n.feature)
				}
				n.feature = k
			}
		}
	}
	if !additive {
		return
	}
	for _, f := range e.Used {
		e.tables = append(e.tables, make([]float64, columns[f].Count))
	}
	for _, t := range e.trees {
		for bin := range e.tables[t[0].feature] {
			leaf := t[1]
			if bin > int(t[0].bin) {
				leaf = t[2]
			}
			e.tables[t[0].feature][bin] += leaf.value
		}
	}
	e.trees = nil
}

// reachable reports whether a node of the array belongs to the tree.
func (n *node) reachable(t tree, i int) bool {
	for i > 0 {
		i = (i - 1) / 2
		if t[i].leaf {
			return false
		}
	}
	return true
}

// Score returns the score of a row from the bins of the columns in Used. High scores indicate the first sample.
func (e *treeEnsemble) Score(bins []uint8) (sum float64) {
	for f, table := range e.tables {
		sum += table[bins[f]]
	}
	for _, t := range e.trees {
		i := 0
		for !t[i].leaf {
			right := bins[t[i].feature] > t[i].bin
			i = 2*i + 1
			if right {
				i++
			}
		}
		sum += t[i].value
	}
	return sum
}

// Scores returns the scores of all rows of the fitted columns, or of other columns with the same bins.
func (e *treeEnsemble) Scores(columns []binnedColumn) []float64 {
	if len(e.Used) == 0 {
		return nil
	}
	out := make([]float64, len(columns[0].Bins))
	bins := make([]uint8, len(e.Used))
	for row := range out {
		for i, f := range e.Used {
			bins[i] = columns[f].Bins[row]
		}
		out[row] = e.Score(bins)
	}
	return out
}
