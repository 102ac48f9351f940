package distinguisher

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// binnedColumn is a feature of all rows in bins, of which there are Count, at most 256.
type binnedColumn struct {
	Bins  []uint8
	Count int
}

// treeShape of an ensemble.
type treeShape struct {
	Depth  int
	Rounds int
	Rate   float64 // shrinkage of each tree
}

// treeEnsemble is a sum of trees. A split that is not significant is not made, so that an
// ensemble without any is the answer where the samples do not differ.
type treeEnsemble struct {
	// Used are the columns in use; the ensemble knows each by its place here.
	Used   []int
	trees  []tree
	tables [][]float64 // for stumps: the summed score of every bin of every feature
}

// tree is a binary tree in an array: the children of node i are 2i+1 and 2i+2.
type tree []node

type node struct {
	leaf    bool
	feature int   // its place in Used
	bin     uint8 // rows with at most this bin go left
	value   float64
}

// booster is the state of a fit.
type booster struct {
	columns []binnedColumn
	bins    [][]uint8 // of the training rows, column by column
	a, b    []float64 // how often each training row was seen in either sample
	score   []float64
	prior   float64      // log odds of a training row to come from the first sample
	steps   [][2]float64 // gradient and second derivative of the loss at each row
	least   float64      // gain of a split that is significant
	hist    [256][2]float64
	bounds  *bounds // of the gains of columns; nil where these are few
}

// newBooster takes the columns of rows that were seen a[i] and b[i] times; those that were never seen
// are no training rows.
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
	// The gain of a split at a useless cut is a χ² of one degree of freedom; the
	// largest of m of them is about 2 ln m.
	t.least = 2 * math.Log(float64(cuts))
	if len(columns) >= manyColumns {
		t.bounds = newBounds(t)
	}
	return t
}

// Fit grows trees until no split is significant.
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

// step sets the steps by the scores. Where columns are few, scores are: their probabilities are remembered, at a
// place by some bits of a product.
func (t *booster) step() {
	const places, factor = 10, 0x9e3779b97f4a7c15
	var known [1 << places]struct{ score, p float64 }
	for i := range known {
		known[i].p = 0.5 // of the score 0
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

// grow splits rows at node i, or makes it a leaf and adds its value to the
// scores. It reports whether it split. sums are those of the rows, or nil.
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

// bestSplit is the significant cut with the largest gain, of the first feature that has it; feature −1
// where no cut is significant.
func (t *booster) bestSplit(rows []int32, sums histograms, g, h float64) (feature int, bin uint8) {
	feature, gain := -1, t.least
	look := func(f int) {
		if b, v := t.bestCut(f, rows, g, h); v > gain || v == gain && f < feature {
			feature, bin, gain = f, b, v
		}
	}
	if sums == nil {
		for f := range t.bins {
			look(f)
		}
		return feature, bin
	}
	most := t.bounds.gains(sums, len(rows), g, h)
	for {
		f := floats.MaxIdx(most)
		if !(most[f] >= gain) {
			return feature, bin
		}
		look(f)
		most[f] = math.Inf(-1)
	}
}

const (
	ridge           = 1 // added to the weight of a leaf
	leastLeafWeight = 2 // of a leaf
)

// bestCut is the cut of a feature with the largest gain in the second-order
// approximation of the log likelihood.
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
	whole := g * g / (h + ridge)
	var gl, hl float64
	for b := range bins - 1 {
		gl, hl = gl+hist[b][0], hl+hist[b][1]
		if hl < leastLeafWeight || h-hl < leastLeafWeight {
			continue
		}
		gr := g - gl
		if v := gl*gl/(hl+ridge) + gr*gr/(h-hl+ridge) - whole; v > gain {
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

// compact drops the features that no tree uses, and sums stumps to tables.
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

// reachable tells a split from a place of the array that was never grown.
func (n *node) reachable(t tree, i int) bool {
	for i > 0 {
		i = (i - 1) / 2
		if t[i].leaf {
			return false
		}
	}
	return true
}

// Score of a row by the bins of the columns in Used; high where it speaks for the first sample.
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

// Scores of all rows of the columns that it was fitted to, or of others with the same bins.
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
