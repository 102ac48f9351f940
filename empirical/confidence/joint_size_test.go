package confidence

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

// The sizes are exact, by enumeration of all outcomes, because simulation cannot resolve 1e-9.

// jointTable holds a statistic of every outcome (x, y).
type jointTable struct {
	n1, n2 int64
	value  [][]float64 // [x][y]
}

func newJointTable(n1, n2 int64, f func(x, y int64) float64) jointTable {
	t := jointTable{n1, n2, make([][]float64, n1+1)}
	for x := range n1 + 1 {
		t.value[x] = make([]float64, n2+1)
		for y := range n2 + 1 {
			t.value[x][y] = f(x, y)
		}
	}
	return t
}

// levels returns the distinct finite values in the table.
func (t jointTable) levels() []float64 {
	seen := map[float64]bool{}
	var levels []float64
	for _, row := range t.value {
		for _, v := range row {
			if !seen[v] && !math.IsInf(v, 0) {
				seen[v] = true
				levels = append(levels, v)
			}
		}
	}
	return levels
}

// binomialMasses computes the probabilities by products. They are accurate for the few outcomes of an enumeration,
// and independent of the code under test.
func binomialMasses(n int64, p float64) []float64 {
	masses := make([]float64, n+1)
	ways, power := 1.0, 1.0
	for k := range n + 1 {
		masses[k] = ways * power
		ways *= float64(n-k) / float64(k+1)
		power *= p
	}
	power = 1
	for k := n; k >= 0; k-- {
		masses[k] *= power
		power *= 1 - p
	}
	return masses
}

// probability of the outcomes that in accepts.
func (t jointTable) probability(p, q float64, in func(float64) bool) float64 {
	px, py := binomialMasses(t.n1, p), binomialMasses(t.n2, q)
	sum := 0.0
	for x, row := range t.value {
		for y, v := range row {
			if in(v) {
				sum += px[x] * py[y]
			}
		}
	}
	return sum
}

// worst is the largest probability over a dense grid of the boundary, its ends
// and the point where p reaches 1 included.
func (t jointTable) worst(line boundary, in func(float64) bool) (worst, q float64) {
	grid := []float64{0, 1, math.Min(1, math.Max(0, line.full()))}
	for u := -24.0; u <= 12; u += 0.3 {
		grid = append(grid, expit(u))
	}
	for i := range 40 { // towards the corner where p = 1
		grid = append(grid, math.Min(1, line.full()*(1-math.Exp(-float64(i)/2))))
	}
	for _, at := range grid {
		p, _ := line.p(at)
		if got := t.probability(p, at, in); got > worst {
			worst, q = got, at
		}
	}
	return worst, q
}

// Samples are as many on either side, or several times as many on one: those of an input that
// pairs of an audit share.
var sizeTables = []struct{ n1, n2 int64 }{{1, 1}, {5, 5}, {12, 12}, {16, 7}, {6, 18}, {3, 24}, {28, 4}}

// numericalRoom is granted to the enumeration's own rounding.
const numericalRoom = 1 + 1e-9

// met reports whether a test uses sample size i with claim k and alpha l. It uses half of the combinations, and each size
// with each claim. The long form uses all.
func met(i, k, l int) bool { return testutil.Asked() || (i+k+l)%2 == 0 }

func TestEpsilonLowerHasItsSize(t *testing.T) {
	for i, n := range sizeTables {
		for k, delta := range []float64{0, 0.01, 0.2} {
			for l, alpha := range []float64{0.3, 0.05, 1e-3, 1e-6, 1e-9} {
				if !met(i, k, l) {
					continue
				}
				table := newJointTable(n.n1, n.n2, func(x, y int64) float64 { return EpsilonLower(x, n.n1, y, n.n2, delta, alpha) })
				nearest := 0.0
				for _, level := range table.levels() {
					// the truth is a hair below a possible limit: reaching the limit is the error
					size, q := table.worst(boundary{math.Exp(level), delta}, func(v float64) bool { return v >= level })
					if !(size <= alpha*numericalRoom) {
						t.Errorf("n = %v, delta = %v, alpha = %v: limits ≥ %v have probability %v at q = %v", n, delta, alpha, level, size, q)
					}
					nearest = math.Max(nearest, size)
				}
				// otherwise even x = n₁ has probability δ^n₁ ≥ alpha at q = 0 and proves nothing
				provable := math.Pow(delta, float64(n.n1)) < alpha
				if n.n1 > 10 && n.n2 > 10 && provable && nearest < 0.9*alpha {
					t.Errorf("n = %v, delta = %v, alpha = %v: the largest size is only %v", n, delta, alpha, nearest)
				}
			}
		}
	}
}

func TestDeltaLowerHasItsSize(t *testing.T) {
	for i, n := range sizeTables {
		for k, eps := range []float64{-1, 0, 0.5, 2} {
			for l, alpha := range []float64{0.3, 0.05, 1e-3, 1e-6} {
				if !met(i, k, l) {
					continue
				}
				table := newJointTable(n.n1, n.n2, func(x, y int64) float64 { return DeltaLower(x, n.n1, y, n.n2, eps, alpha) })
				for _, level := range table.levels() {
					if level == 0 {
						continue
					}
					size, q := table.worst(boundary{math.Exp(eps), level}, func(v float64) bool { return v >= level })
					if !(size <= alpha*numericalRoom) {
						t.Errorf("n = %v, eps = %v, alpha = %v: limits ≥ %v have probability %v at q = %v", n, eps, alpha, level, size, q)
					}
				}
			}
		}
	}
}

func TestJointPValueHasItsSize(t *testing.T) {
	for _, n := range sizeTables {
		for _, delta := range []float64{0, 0.05} {
			for _, eps := range []float64{-0.5, 0, 0.1, 1, 3} {
				table := newJointTable(n.n1, n.n2, func(x, y int64) float64 { return jointPValue(x, n.n1, y, n.n2, eps, delta) })
				for _, level := range table.levels() {
					size, q := table.worst(boundary{math.Exp(eps), delta}, func(v float64) bool { return v <= level })
					if !(size <= level*numericalRoom) && level < 1 {
						t.Errorf("n = %v, eps = %v, delta = %v: p-values ≤ %v have probability %v at q = %v", n, eps, delta, level, size, q)
					}
				}
			}
		}
	}
}

// The null hypothesis is all of p ≤ boundary, not its edge alone.
func TestSizeBelowTheBoundary(t *testing.T) {
	const n, eps, delta, alpha = 12, 0.7, 0.02, 0.05
	table := newJointTable(n, n, func(x, y int64) float64 { return EpsilonLower(x, n, y, n, delta, alpha) })
	for q := 0.0; q <= 1; q += 0.05 {
		edge, _ := boundary{math.Exp(eps), delta}.p(q)
		for _, share := range []float64{0, 0.3, 0.7, 0.95, 1} {
			if size := table.probability(share*edge, q, func(v float64) bool { return v > eps }); size > alpha {
				t.Errorf("p = %v, q = %v: size %v", share*edge, q, size)
			}
		}
	}
}

// Twins: the enumeration sees each of the faults that the method avoids.
func TestFaultyJointTestsFailTheEnumeration(t *testing.T) {
	const n, alpha = 12, 0.05
	table := func(f func(x, y int64) float64) jointTable { return newJointTable(n, n, f) }
	line := boundary{math.Exp(1), 0}
	at := func(x, y int64) countPair { return countPair{float64(x), n, float64(y), n} }
	region := func(x, y int64) (*jointRegion, float64) {
		half, q := line.half(at(x, y).shifted())
		return newJointRegion(n, n, line, half, 0, 1, 60), q
	}
	cases := []struct {
		reason string
		pvalue func(x, y int64) float64
	}{
		{"the normal approximation instead of the sum", func(x, y int64) float64 {
			half, _ := line.half(at(x, y))
			return 0.5 * math.Erfc(math.Sqrt(half))
		}},
		{"the nuisance at its estimate instead of the supremum", func(x, y int64) float64 {
			half, _ := line.half(at(x, y).shifted())
			if half == 0 {
				return 1
			}
			g, q := region(x, y)
			mass, _ := g.mass(line.on(q))
			return mass
		}},
		{"a confidence set of the nuisance whose error is not added", func(x, y int64) float64 {
			half, _ := line.half(at(x, y).shifted())
			if half == 0 {
				return 1
			}
			g, _ := region(x, y)
			box := newJointBox(x, n, y, n, 0.9)
			low, high, corner := box.span(line)
			if corner || low > high {
				return 0
			}
			worst := 0.0
			for i := 0.0; i <= 50; i++ {
				mass, _ := g.mass(line.on(low + (high-low)*i/50))
				worst = math.Max(worst, mass)
			}
			return worst
		}},
		{"no sign guard: outcomes far on either side of the boundary count", func(x, y int64) float64 {
			return 0.5 * math.Erfc(math.Sqrt(unsignedHalf(at(x, y), line)))
		}},
	}
	for _, c := range cases {
		worst := 0.0
		faulty := table(c.pvalue)
		for _, level := range faulty.levels() {
			if level > 1e-9 && level < 0.5 {
				size, _ := faulty.worst(line, func(v float64) bool { return v <= level })
				worst = math.Max(worst, size/level)
			}
		}
		if worst <= 1.001 {
			t.Errorf("%s: size at most %.4f of the level", c.reason, worst)
		}
	}
	// splitting nothing: a limit that ignores its order's calibration
	fast := table(func(x, y int64) float64 { return EpsilonLowerFast(x, n, y, n, 0, alpha) })
	worst := 0.0
	for _, level := range fast.levels() {
		size, _ := fast.worst(boundary{math.Exp(level), 0}, func(v float64) bool { return v >= level })
		worst = math.Max(worst, size)
	}
	if worst <= alpha {
		t.Errorf("EpsilonLowerFast as a certificate: size %v", worst)
	}
}

// unsignedHalf is half the deviance from the boundary without the guard of its
// sign and without the minimum with 1.
func unsignedHalf(c countPair, line boundary) float64 {
	least := math.Inf(1)
	for u := -40.0; u < 0; u += 0.001 {
		q := math.Exp(u)
		p := line.t*q + line.delta
		if p >= 1 {
			break
		}
		d := divergence(c.x, c.n1, p) + divergence(c.y, c.n2, q)
		least = math.Min(least, d)
	}
	return least
}

func divergence(k, n, p float64) float64 {
	return PoissonDeviance(k, n*p) + PoissonDeviance(n-k, n*(1-p))
}
