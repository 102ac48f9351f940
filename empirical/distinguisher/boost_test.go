package distinguisher

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// drawnColumns returns columns of n rows: some distinguish the samples, some duplicate another column, and one is
// constant. It also returns counts of up to most for each row.
func drawnColumns(r *rand.Rand, n, features, most int, effect float64) (columns []binnedColumn, a, b []float64) {
	a, b = make([]float64, n), make([]float64, n)
	for f := range features {
		count := 2 + r.IntN(255)
		bins := make([]uint8, n)
		for i := range bins {
			bins[i] = uint8(math.Min(float64(count-1), float64(count)*math.Pow(r.Float64(), 1+float64(f%3))))
		}
		switch {
		case f == 2:
			clear(bins)
		case f%7 == 3:
			copy(bins, columns[f-1].Bins)
			count = columns[f-1].Count
		}
		columns = append(columns, binnedColumn{bins, count})
	}
	for i := range n {
		odds := 0.0
		for f := 0; f < min(features, 12); f += 2 {
			odds += effect * (float64(columns[f].Bins[i])/float64(columns[f].Count) - 0.5)
		}
		if columns[0].Bins[i] > 3 && columns[1].Bins[i] < 2 {
			odds += 4 * effect
		}
		for range r.IntN(most + 1) {
			if r.Float64() < 1/(1+math.Exp(-odds)) {
				a[i]++
			} else {
				b[i]++
			}
		}
	}
	return columns, a, b
}

var shapes = []treeShape{{Depth: 1, Rounds: 40, Rate: 0.3}, {Depth: 3, Rounds: 20, Rate: 0.3}}

// Bounds only determine which columns are evaluated: the trees are the same, bit for bit.
func TestBoundsChangeNoTree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name              string
		n, features, most int
		effect            float64
		grows             bool
	}{
		{"strong", 3000, 13, 1, 2, true}, {"weak", 5000, 9, 1, 0.3, true}, {"nothing", 2000, 30, 1, 0, false},
		{"few rows, often seen", 300, 8, 1000, 0.5, true}, {"few columns", 2000, 4, 1, 1, true},
		{"hardly any rows", 12, 5, 3, 3, false}, {"rows seen a million times", 50, 6, 1_000_000, 0.01, true},
	} {
		columns, a, b := drawnColumns(r, c.n, c.features, c.most, c.effect)
		bounded, exact := newBooster(columns, a, b), newBooster(columns, a, b)
		if bounded.bounds == nil {
			t.Fatalf("%s: no bounds for %d columns", c.name, c.features)
		}
		exact.bounds = nil
		for _, s := range shapes {
			got, want := bounded.Fit(s), exact.Fit(s)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, depth %d: other trees with bounds than without", c.name, s.Depth)
			}
			if grew := len(want.Used) > 0; grew != c.grows {
				t.Errorf("%s, depth %d: a tree was grown: %v", c.name, s.Depth, grew)
			}
		}
	}
}

// A bound is at least the gain at every node, and not much larger, because a loose bound would save no time.
func TestBoundsAreNotBelowTheGains(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n, features = 4000, 12
	columns, a, b := drawnColumns(r, n, features, 2, 0.5)
	m := newBooster(columns, a, b)
	for i := range m.steps {
		p, weight := r.Float64(), m.a[i]+m.b[i]
		m.steps[i] = [2]float64{m.a[i] - weight*p, weight * max(p*(1-p), 1e-6)}
	}
	var check func(rows []int32, sums histograms, depth int)
	check = func(rows []int32, sums histograms, depth int) {
		var g, h float64
		for _, row := range rows {
			g, h = g+m.steps[row][0], h+m.steps[row][1]
		}
		most := append([]float64(nil), m.bounds.gains(sums, len(rows), g, h)...)
		for f := range columns {
			_, gain := m.bestCut(f, rows, g, h)
			if gain > 0 && !(most[f] >= gain && most[f] < gain+0.01*(1+gain)) {
				t.Errorf("%d rows, column %d: bound %v of gain %v", len(rows), f, most[f], gain)
			}
		}
		if depth > 1 {
			f := r.IntN(features)
			k := partition(rows, m.bins[f], uint8(columns[f].Count/3))
			left, right := m.bounds.divide(sums, rows[:k], rows[k:], depth-1)
			check(rows[:k], left, depth-1)
			check(rows[k:], right, depth-1)
		}
	}
	rows := make([]int32, len(m.steps))
	for range 20 {
		for i := range rows {
			rows[i] = int32(i)
		}
		check(rows, m.bounds.root(m.steps, 4), 4)
	}
}

func BenchmarkFit(b *testing.B) {
	for _, size := range []struct {
		name        string
		n, features int
	}{{"many columns", 20_000, 300}, {"few columns", 20_000, 8}} {
		b.Run(size.name, func(b *testing.B) {
			columns, x, y := drawnColumns(rand.New(rand.NewPCG(5, 6)), size.n, size.features, 1, 0.3)
			for b.Loop() {
				booster := newBooster(columns, x, y)
				for _, s := range shapes {
					booster.Fit(s)
				}
			}
		})
	}
}
