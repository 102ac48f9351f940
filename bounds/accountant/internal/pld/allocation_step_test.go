package pld

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// stepTables have losses on a lattice, on none, of one order only, infinite in either order, and equal columns.
var stepTables = map[string][][2]float64{
	"response":   {{0.75, 0.25}, {0.25, 0.75}},
	"uneven":     {{0.5, 0.1}, {0.3, 0.35}, {0.15, 0.3}, {0.05, 0.25}},
	"impossible": {{0.1, 0}, {0.6, 0.3}, {0.3, 0.7}},
	"certain":    {{0.9, 0.5}, {0.1, 0.3}, {0, 0.2}},
	"both":       {{0.05, 0}, {0.6, 0.4}, {0.35, 0.5}, {0, 0.1}},
	"disjoint":   {{1, 0}, {0, 1}},
	"equal":      {{0.2, 0.2}, {0.8, 0.8}},
	"far":        {{1 - 1e-20, 1e-20}, {1e-20, 1 - 1e-20}},
}

// enumerated returns δ in both orders of an epoch with a table, by all sequences of outputs and all sets of picks.
func enumerated(rows [][2]float64, steps, picks int, epsilon float64) (remove, add float64) {
	gamma, sequences := math.Exp(epsilon), 1
	for range steps {
		sequences *= len(rows)
	}
	for s := range sequences {
		q, p, sets := 1.0, 0.0, 0.0
		for set := range 1 << steps {
			if bits.OnesCount(uint(set)) != picks {
				continue
			}
			in, rest := 1.0, s
			q = 1
			for i := range steps {
				row := rows[rest%len(rows)]
				rest /= len(rows)
				in, q = in*row[1-set>>i&1], q*row[1]
			}
			p, sets = p+in, sets+1
		}
		p /= sets
		remove, add = remove+math.Max(0, p-gamma*q), add+math.Max(0, q-gamma*p)
	}
	return remove, add
}

// tableBounds returns the bounds of an epoch with a table. For several picks, the upper bound is a composition of
// several factors, and only the lower one is returned.
func tableBounds(t *testing.T, rows [][2]float64, steps, picks, cells int) bracket {
	t.Helper()
	step, err := TableStep(rows)
	if err != nil {
		t.Fatal(err)
	}
	e := Epoch{Step: step, Steps: steps, Picks: picks}
	if picks == 1 {
		return allocationBounds(t, e, cells)
	}
	lower, err := e.Lower(cells)
	if err != nil {
		t.Fatal(err)
	}
	return bracket{lower: lower}
}

// within reports whether exact curves of δ are within the bracket at ε, up to their absolute error.
func (b bracket) within(epsilon, remove, add, slack float64) error {
	exact := [2]float64{remove, add}
	for i, l := range [2][2]*AllocationLaw{{b.lower.Remove, b.upper.Remove}, {b.lower.Add, b.upper.Add}} {
		low, high := math.Exp(l[0].LogDelta(epsilon)), math.Exp(l[1].LogDelta(epsilon))
		if !(low <= exact[i]+slack && exact[i]-slack <= high) {
			return fmt.Errorf("order %d: δ(%v) = %v … %v, exactly %v", i, epsilon, low, high, exact[i])
		}
	}
	return nil
}

// Brackets contain the enumerated curve. Few sums are kept exactly, so the brackets of one pick have no width.
func TestTableStepsAreEnumerated(t *testing.T) {
	for name, rows := range stepTables {
		for steps := 1; steps <= 4; steps++ {
			for _, cells := range []int{16, 300} {
				b := tableBounds(t, rows, steps, 1, cells)
				for _, epsilon := range []float64{-2, -0.5, 0, 1e-3, 0.1, 0.4, 0.9, 1.3, 3, 40} {
					remove, add := enumerated(rows, steps, 1, epsilon)
					if err := b.within(epsilon, remove, add, 2e-15); err != nil {
						t.Errorf("%s, %d steps, %d cells: %v", name, steps, cells, err)
					}
					for order, l := range [2][2]*AllocationLaw{{b.lower.Remove, b.upper.Remove}, {b.lower.Add, b.upper.Add}} {
						low, high := math.Exp(l[0].LogDelta(epsilon)), math.Exp(l[1].LogDelta(epsilon))
						if cells == 300 && !(high-low <= 1e-11) {
							t.Errorf("%s, %d steps, order %d: δ(%v) = %v … %v, too wide", name, steps, order, epsilon, low, high)
						}
					}
				}
			}
		}
	}
}

// With several picks, lower bounds are below the enumerated curve, and upper bounds above it.
func TestTablePicksAreEnumerated(t *testing.T) {
	for name, rows := range stepTables {
		for steps := 2; steps <= 4; steps++ {
			for picks := 2; picks <= steps; picks++ {
				step, err := TableStep(rows)
				if err != nil {
					t.Fatal(err)
				}
				factors, err := Epoch{Step: step, Steps: steps, Picks: picks}.Upper(40)
				if err != nil {
					t.Fatal(err)
				}
				b := tableBounds(t, rows, steps, picks, 300)
				for _, epsilon := range []float64{0, 0.1, 0.4, 0.9, 1.3, 3} {
					remove, add := enumerated(rows, steps, picks, epsilon)
					low, lowAdd := math.Exp(b.lower.Remove.LogDelta(epsilon)), math.Exp(b.lower.Add.LogDelta(epsilon))
					if !(low <= remove+1e-15 && lowAdd <= add+1e-15 && low >= 0.8*remove-1e-9 && lowAdd >= 0.8*add-1e-9) {
						t.Errorf("%s, %d of %d steps: δ(%v) at least %v and %v, exactly %v and %v", name, picks, steps, epsilon, low,
							lowAdd, remove, add)
					}
					high := composedStep(factors, func(p AllocatedPair) *AllocationLaw { return p.Remove }, epsilon)
					highAdd := composedStep(factors, func(p AllocatedPair) *AllocationLaw { return p.Add }, epsilon)
					if !(high >= remove-1e-15 && highAdd >= add-1e-15) {
						t.Errorf("%s, %d of %d steps: δ(%v) at most %v and %v, exactly %v and %v", name, picks, steps, epsilon, high,
							highAdd, remove, add)
					}
				}
			}
		}
	}
}

// composedStep returns δ of a composition of factors by all products of their atoms.
func composedStep(factors []Factor, law func(AllocatedPair) *AllocationLaw, epsilon float64) float64 {
	type loss struct{ p, q float64 }
	all, infinite := []loss{{1, 1}}, 0.0
	for _, f := range factors {
		l := law(f.AllocatedPair)
		for range f.Count {
			var next []loss
			total := l.Infinite
			for i := range l.LogP {
				total += math.Exp(l.LogP[i])
			}
			finite := 0.0
			for _, a := range all {
				finite += a.p
				for i := range l.LogP {
					next = append(next, loss{a.p * math.Exp(l.LogP[i]), a.q * math.Exp(l.LogQ[i])})
				}
			}
			all, infinite = next, infinite*total+finite*l.Infinite
		}
	}
	delta := infinite
	for _, a := range all {
		delta += math.Max(0, a.p-math.Exp(epsilon)*a.q)
	}
	return delta
}

// laplaceSums returns δ in both orders of two steps of Laplace noise, by Gauss–Legendre quadrature over one step
// between the two atoms of its loss, with the other step in closed form.
func laplaceSums(s, epsilon float64) (remove, add float64) {
	gamma := math.Exp(epsilon)
	// call returns E(R − c)⁺ under Q: the integral of P(R > x) over x > c, with P(R > e^{2y−s}) = e^{−y}/2.
	call := func(c float64) float64 {
		if c <= math.Exp(-s) {
			return 1 - c
		}
		y := math.Min(s, (math.Log(c)+s)/2)
		if c >= math.Exp(s) {
			return 0
		}
		return (1-math.Exp(y-s))/2 + math.Exp(-s)/2*math.Exp(s) - c*math.Exp(-y)/2
	}
	at := func(y float64) (remove, add float64) {
		r := math.Exp(2*y - s)
		c := 2*gamma - r
		d := 2/gamma - r
		return call(c) / 2, gamma / 2 * (d - 1 + call(d))
	}
	weigh := func(y, w float64) {
		r, a := at(y)
		remove, add = remove+w*r, add+w*a
	}
	weigh(0, 0.5)
	weigh(s, math.Exp(-s)/2)
	const n = 4000
	for i := range n {
		for j, x := range rule.x {
			y := s * (float64(i) + x) / n
			weigh(y, s/n*rule.w[j]*math.Exp(-y)/2)
		}
	}
	return remove, add
}

func laplaceBounds(t *testing.T, s float64, steps, cells int) bracket {
	t.Helper()
	step, err := LaplaceStep(s)
	if err != nil {
		t.Fatal(err)
	}
	return allocationBounds(t, Epoch{Step: step, Steps: steps, Picks: 1}, cells)
}

func TestLaplaceSteps(t *testing.T) {
	for _, s := range []float64{1e-6, 0.3, 1, 4, 20} {
		for _, cells := range []int{16, 400} {
			one, two := laplaceBounds(t, s, 1, cells), laplaceBounds(t, s, 2, cells)
			for _, share := range []float64{0, 0.1, 0.3, 0.6, 0.9, 0.97} {
				epsilon := share * s
				want := -math.Expm1((epsilon - s) / 2) // one step: 1 − e^{(ε−s)/2}
				if err := one.holds(epsilon, want, want, 1e-14/want); err != nil {
					t.Errorf("s = %v, %d cells, one step: %v", s, cells, err)
				}
				remove, add := laplaceSums(s, epsilon)
				if err := two.within(epsilon, remove, add, 1e-13); err != nil {
					t.Errorf("s = %v, %d cells, two steps: %v", s, cells, err)
				}
				low, high := two.lower.Remove.LogDelta(epsilon), two.upper.Remove.LogDelta(epsilon)
				if cells == 400 && remove > 1e-9 && high-low > 0.01 {
					t.Errorf("s = %v: log δ(%v) = %v … %v, too wide", s, epsilon, low, high)
				}
			}
		}
	}
}

// The largest loss of a step is a bound for any number of steps: without noise of unbounded loss there is no infinite
// loss. Brackets are ordered, and tables of many outputs are merged to the cells.
func TestManySteps(t *testing.T) {
	rows := make([][2]float64, 900)
	s := 1.0
	for i := range rows { // Laplace noise in cells
		from, to := s*float64(i)/900, s*float64(i+1)/900
		width := math.Expm1(to-from) / 2
		rows[i] = [2]float64{math.Exp(from-s) * width, math.Exp(-to) * width}
	}
	rows = append(rows, [2]float64{math.Exp(-s) / 2, 0.5}, [2]float64{0.5, math.Exp(-s) / 2})
	for _, steps := range []int{1, 3, 10, 100, 1000} {
		table, noise := tableBounds(t, rows, steps, 1, 400), laplaceBounds(t, s, steps, 400)
		for _, epsilon := range []float64{0, 1e-3, 0.01, 0.1, 0.3, 0.7} {
			for name, l := range map[string][3]*AllocationLaw{
				"remove": {table.lower.Remove, noise.lower.Remove, noise.upper.Remove},
				"add":    {table.lower.Add, noise.lower.Add, noise.upper.Add},
			} {
				coarse, low, high := l[0].LogDelta(epsilon), l[1].LogDelta(epsilon), l[2].LogDelta(epsilon)
				// The table is a function of the noise.
				if !(coarse <= high+1e-12 && low <= high+1e-12) {
					t.Errorf("%d steps, %s: log δ(%v) at least %v and %v, at most %v", steps, name, epsilon, coarse, low, high)
				}
				if high > math.Log(1e-4) && high-low > 0.02 {
					t.Errorf("%d steps, %s: log δ(%v) = %v … %v, too wide", steps, name, epsilon, low, high)
				}
			}
		}
		for _, l := range []*AllocationLaw{noise.upper.Remove, noise.upper.Add, table.upper.Remove, table.upper.Add} {
			if n := len(l.LogP) - 1; !(l.Infinite == 0 && l.LogP[n]-l.LogQ[n] <= s+1e-9) {
				t.Errorf("%d steps: loss %v, infinite with probability %v; want at most %v", steps, l.LogP[n]-l.LogQ[n],
					l.Infinite, s)
			}
		}
	}
}

// Controls: wrong pairs are outside the enumerated curve in one of the orders.
func TestWrongStepsAreCaught(t *testing.T) {
	rows, swapped := stepTables["uneven"], [][2]float64{}
	for _, row := range rows {
		swapped = append(swapped, [2]float64{row[1], row[0]})
	}
	caught := func(b bracket, steps int) bool {
		for _, epsilon := range []float64{0, 0.1, 0.4, 0.9, 1.3} {
			remove, add := enumerated(rows, steps, 1, epsilon)
			if b.holds(epsilon, remove, add, 1e-12) != nil {
				return true
			}
		}
		return false
	}
	right := tableBounds(t, rows, 3, 1, 300)
	for name, b := range map[string]bracket{
		"exchanged columns": tableBounds(t, swapped, 3, 1, 300),
		"one more step":     tableBounds(t, rows, 4, 1, 300),
		"one step fewer":    tableBounds(t, rows, 2, 1, 300),
		"exchanged orders": {
			AllocatedPair{right.lower.Add, right.lower.Remove}, AllocatedPair{right.upper.Add, right.upper.Remove},
		},
	} {
		if !caught(b, 3) {
			t.Errorf("%s is not seen", name)
		}
	}
	if caught(right, 3) {
		t.Error("the right pair is rejected")
	}
}

func TestStepDomain(t *testing.T) {
	for _, shift := range []float64{0, -1, 1e-7, 101, math.NaN(), math.Inf(1)} {
		if _, err := LaplaceStep(shift); !errors.Is(err, numeric.ErrDomain) {
			t.Errorf("shift %v: %v; want a domain error", shift, err)
		}
	}
	for _, rows := range [][][2]float64{
		{{math.NaN(), 1}, {1, 0}}, {{2, 1}, {-1, 0}}, {{1 - 1e-60, 1e-60}, {1e-60, 1 - 1e-60}}, {},
	} {
		if _, err := TableStep(rows); !errors.Is(err, numeric.ErrDomain) {
			t.Errorf("%v: %v; want a domain error", rows, err)
		}
	}
	step, err := LaplaceStep(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Epoch{{Step: step, Steps: 3, Picks: 1, Replace: true}, {Step: step, Steps: 200, Picks: 129}} {
		if _, err := e.Upper(100); !errors.Is(err, numeric.ErrDomain) {
			t.Errorf("%+v: %v; want a domain error", e, err)
		}
	}
}
