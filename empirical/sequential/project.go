package sequential

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/internal/tolerance"
)

// projectionSteps and projectionChange end the iteration: the largest number of steps, and a relative change of the
// payoffs.
const (
	projectionSteps  = 60
	projectionChange = 1e-4
)

// project returns p and q divided by the nearest pair (P, Q) of the claim in the sum of both relative entropies.
// For the true p and q this payoff grows fastest (Grünwald, de Heide & Koolen 2024). The pairs of the claim are the
// images of the dominating pair under a kernel (Blackwell 1953). The nearest pair therefore maximizes a likelihood,
// and expectation maximization finds it. It need not be found exactly, because the price of any payoff is exact.
func (d *dominating) project(p, q []float64) (f, g []float64) {
	m := len(p)
	kernel := make([]float64, m*len(d.p)) // from atom z to cell j at index z·m + j
	for i := range kernel {
		kernel[i] = (p[i%m] + q[i%m]) / 2
	}
	mass := [2][]float64{make([]float64, m), make([]float64, m)}
	f, g = make([]float64, m), make([]float64, m)
	for j := range m {
		f[j], g[j] = 1, 1
	}
	for range projectionSteps {
		d.reweigh(kernel, f, g, mass)
		change := 0.0
		for j := range m {
			nextF, nextG := min(maxPayoff, p[j]/mass[0][j]), min(maxPayoff, q[j]/mass[1][j])
			change = max(change, math.Abs(nextF-f[j])/nextF, math.Abs(nextG-g[j])/nextG)
			f[j], g[j] = nextF, nextG
		}
		if change < projectionChange {
			break
		}
	}
	return f, g
}

// maxPayoff keeps payoffs finite if the claim has almost no probability in a cell.
const maxPayoff = 1e9

// reweigh moves the kernel towards cells with large payoffs, and computes the cell probabilities of both images.
func (d *dominating) reweigh(kernel, f, g []float64, mass [2][]float64) {
	m := len(f)
	clear(mass[0])
	clear(mass[1])
	for z, p := range d.p {
		q, row, sum := d.q[z], kernel[z*m:(z+1)*m], 0.0
		for j := range row {
			row[j] *= p*f[j] + q*g[j]
			sum += row[j]
		}
		p, q = p/sum, q/sum
		for j, k := range row {
			mass[0][j] += p * k
			mass[1][j] += q * k
			row[j] = k / sum
		}
	}
}

// line is an (ε, δ) statement in both orders, with t = e^ε.
type line struct{ epsilon, t, delta float64 }

func newLine(epsilon, delta float64) line { return line{epsilon, math.Exp(epsilon), delta} }

// bet returns the payoff against the statement with the fastest growth. By the optimality conditions it is (a, b)
// in cells whose ratio of p and q the statement permits. In cells with a larger ratio it is f = c r and g = t c
// (1−r), in which r = p/(p+q) is capped and c = a + b/t. The other order is analogous. The price is half of a + b
// plus δ times the largest excess of f over a and of g over b.
func (l line) bet(p, q []float64) (f, g []float64) {
	ratios := make([]float64, len(p))
	for j := range ratios {
		ratios[j] = p[j] / (p[j] + q[j])
	}
	f, g = make([]float64, len(p)), make([]float64, len(p))
	if keep := logistic(l.epsilon); slices.Max(ratios) <= keep && slices.Min(ratios) >= 1-keep {
		for j := range f {
			f[j], g[j] = 1, 1
		}
		return f, g // the statement permits p and q
	}
	caps := []float64{1}
	if l.delta > 0 {
		for _, beyond := range []float64{0.1, 0.25, 0.5, 1, 2, 4} {
			caps = append(caps, logistic(l.epsilon+beyond))
		}
	}
	bestGrowth, bestA, largest := math.Inf(-1), 1.0, 1.0
	for _, top := range caps {
		a, growth := l.balance(p, q, ratios, top)
		if growth > bestGrowth {
			bestGrowth, bestA, largest = growth, a, top
		}
	}
	for j, r := range ratios {
		f[j], g[j], _ = l.pays(bestA, r, largest)
	}
	return f, g
}

// balance returns the best a, with b = 2 − a, by golden-section search, and its growth.
func (l line) balance(p, q, ratios []float64, top float64) (a, growth float64) {
	growthAt := func(a float64) float64 {
		sum, above := 0.0, [2]float64{}
		for j, r := range ratios {
			f, g, order := l.pays(a, r, top)
			sum += p[j]*math.Log(f) + q[j]*math.Log(g)
			switch order {
			case 1:
				above[0] = max(above[0], f-a)
			case -1:
				above[1] = max(above[1], g-(2-a))
			}
		}
		return sum - 2*math.Log(1+l.delta*(above[0]+above[1])/2)
	}
	const golden = 0.6180339887498949
	low, high := 0.6, 1.4
	u, v := high-golden*(high-low), low+golden*(high-low)
	atU, atV := growthAt(u), growthAt(v)
	for range 10 {
		if tolerance.Above(atU, atV) {
			high, v, atV = v, u, atU
			u = high - golden*(high-low)
			atU = growthAt(u)
		} else {
			low, u, atU = u, v, atV
			v = low + golden*(high-low)
			atV = growthAt(v)
		}
	}
	a = (low + high) / 2
	return a, growthAt(a)
}

// pays returns the payoff at a ratio r, and the order in which the statement is violated there: 1, −1, or 0 for
// neither.
func (l line) pays(a, r, top float64) (f, g float64, order int) {
	b := 2 - a
	r = max(1-top, min(top, r))
	switch {
	case r*b > l.t*a*(1-r):
		c := a + b/l.t
		return max(1/maxPayoff, c*r), max(1/maxPayoff, l.t*c*(1-r)), 1
	case (1-r)*a > l.t*b*r:
		c := b + a/l.t
		return max(1/maxPayoff, l.t*c*r), max(1/maxPayoff, c*(1-r)), -1
	}
	return a, b, 0
}
