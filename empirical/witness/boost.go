package witness

import "math"

// ensemble is a sum of small decision trees on binned features: the log odds of
// an output to come from the first sample, as far as the training rows show them.
// It is fitted by gradient boosting with Newton steps on the logistic loss
// (Friedman 2001). A split that is not significant is not made, so that an
// ensemble without any is the answer where the samples do not differ.
type ensemble struct {
	binners []*binner // of the features in use
	trees   []tree
	tables  [][]float64 // for stumps: the summed score of every bin of every feature
}

// tree is a binary tree in an array: the children of node i are 2i+1 and 2i+2.
type tree []node

type node struct {
	leaf    bool
	feature int   // index into binners
	bin     uint8 // rows with at most this bin go left
	value   float64
}

// shape of an ensemble.
type shape struct {
	depth  int
	rounds int
	rate   float64 // shrinkage of each tree
}

var (
	stumps = shape{depth: 1, rounds: 120, rate: 0.3}
	shrubs = shape{depth: 3, rounds: 40, rate: 0.3}
)

// booster is the state of a fit.
type booster struct {
	binners []*binner
	columns [][]uint8 // bins of all rows, feature by feature
	table   *table
	score   []float64
	grad    []float64
	hess    []float64
	least   float64 // gain of a split that is significant
	hist    [256][2]float64
}

// newBooster bins the rows of a table.
func newBooster(binners []*binner, data *table) *booster {
	n := len(data.a)
	t := &booster{binners: binners, table: data, score: make([]float64, n), grad: make([]float64, n),
		hess: make([]float64, n)}
	cuts := 1
	for _, bin := range binners {
		column := make([]uint8, n)
		for i := range column {
			column[i] = bin.bin(data.rows.Row(i))
		}
		t.columns = append(t.columns, column)
		cuts += bin.bins
	}
	// The gain of a split at a useless cut is a χ² of one degree of freedom; the
	// largest of m of them is about 2 ln m.
	t.least = 2 * math.Log(float64(cuts))
	return t
}

// fit grows trees until no split is significant.
func (t *booster) fit(s shape) *ensemble {
	for i := range t.score {
		t.score[i] = 0
	}
	rows := make([]int32, len(t.score))
	var e ensemble
	for range s.rounds {
		for i, f := range t.score {
			p, weight := 1/(1+math.Exp(-f)), t.table.a[i]+t.table.b[i]
			t.grad[i], t.hess[i] = t.table.a[i]-weight*p, weight*math.Max(p*(1-p), 1e-6)
		}
		for i := range rows {
			rows[i] = int32(i)
		}
		grown := make(tree, 1<<(s.depth+1)-1)
		if !t.grow(grown, 0, rows, s.depth, s.rate) {
			break
		}
		e.trees = append(e.trees, grown)
	}
	e.compact(t.binners, s.depth == 1)
	return &e
}

// grow splits rows at node i, or makes it a leaf and adds its value to the
// scores. It reports whether it split.
func (t *booster) grow(grown tree, i int, rows []int32, depth int, rate float64) bool {
	var g, h float64
	for _, r := range rows {
		g, h = g+t.grad[r], h+t.hess[r]
	}
	feature, bin, gain := -1, uint8(0), t.least
	if depth > 0 {
		for f := range t.columns {
			if b, v := t.bestCut(f, rows, g, h); v > gain {
				feature, bin, gain = f, b, v
			}
		}
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
	k := partition(rows, t.columns[feature], bin)
	t.grow(grown, 2*i+1, rows[:k], depth-1, rate)
	t.grow(grown, 2*i+2, rows[k:], depth-1, rate)
	return true
}

// bestCut is the cut of a feature with the largest gain in the second-order
// approximation of the log likelihood.
func (t *booster) bestCut(f int, rows []int32, g, h float64) (bin uint8, gain float64) {
	bins := t.binners[f].bins
	hist := t.hist[:bins]
	clear(hist)
	column := t.columns[f]
	for _, r := range rows {
		c := &hist[column[r]]
		c[0] += t.grad[r]
		c[1] += t.hess[r]
	}
	const ridge, leastWeight = 1, 2
	whole := g * g / (h + ridge)
	var gl, hl float64
	for b := range bins - 1 {
		gl, hl = gl+hist[b][0], hl+hist[b][1]
		if hl < leastWeight || h-hl < leastWeight {
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
func (e *ensemble) compact(binners []*binner, additive bool) {
	index := make(map[int]int)
	for _, t := range e.trees {
		for i := range t {
			if n := &t[i]; !n.leaf && n.reachable(t, i) {
				k, ok := index[n.feature]
				if !ok {
					k = len(e.binners)
					index[n.feature] = k
					e.binners = append(e.binners, binners[n.feature])
				}
				n.feature = k
			}
		}
	}
	if !additive {
		return
	}
	for _, b := range e.binners {
		e.tables = append(e.tables, make([]float64, b.bins))
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

// empty tells that the training rows did not differ.
func (e *ensemble) empty() bool { return len(e.binners) == 0 }

// maxUsed bounds the features of an ensemble that score keeps on the stack.
const maxUsed = 3 * maxPositions

// Score of a row; high where it speaks for the first sample.
func (e *ensemble) Score(row []float64) float64 {
	var sum float64
	if e.tables != nil {
		for f, b := range e.binners {
			sum += e.tables[f][b.bin(row)]
		}
		return sum
	}
	var bins [maxUsed]uint8
	for f, b := range e.binners {
		bins[f] = b.bin(row)
	}
	for _, t := range e.trees {
		i := 0
		for !t[i].leaf {
			i = 2*i + 1
			if bins[t[(i-1)/2].feature] > t[(i-1)/2].bin {
				i++
			}
		}
		sum += t[i].value
	}
	return sum
}
