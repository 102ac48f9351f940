package sequential

import (
	"math"
	"slices"
)

// projectionSteps and projectionChange end the iteration below: the most steps, and a relative
// change of the payoffs.
const (
	projectionSteps  = 60
	projectionChange = 1e-4
)

// project is p and q over the nearest pair (P, Q) of the claim, by the sum of both relative
// entropies. With the true p and q that payoff grows fastest (Grünwald, de Heide & Koolen 2024).
// Pairs of the claim are what a kernel makes of the dominating pair (Blackwell 1953), so that the
// nearest is that of a largest likelihood, found by expectation maximisation. It need not be
// found: whatever the payoff, its price is exact.
func (d *dominating) project(p, q []float64) (f, g []float64) {
	m := len(p)
	kernel := make([]float64, m*len(d.p)) // of source z into cell j at z·m + j
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
			nextF, nextG := min(mostPayoff, p[j]/mass[0][j]), min(mostPayoff, q[j]/mass[1][j])
			change = max(change, math.Abs(nextF-f[j])/nextF, math.Abs(nextG-g[j])/nextG)
			f[j], g[j] = nextF, nextG
		}
		if change < projectionChange {
			break
		}
	}
	return f, g
}

// mostPayoff keeps payoffs finite where the claim has next to no mass.
const mostPayoff = 1e9

// reweigh moves the kernel towards the cells that pay, and computes the masses of the cells under
// the image of either distribution.
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

// line is an (ε, δ) statement in both orders: t = e^ε.
type line struct{ epsilon, t, delta float64 }

func newLine(epsilon, delta float64) line { return line{epsilon, math.Exp(epsilon), delta} }

// bet is the payoff against the statement that grows fastest. By the conditions of the nearest
// pair it is (a, b) where the ratio of p and q is what the statement allows, and where it is
// larger, f = c r and g = t c (1−r) of r = p/(p+q), c = a + b/t, up to a largest r; and likewise in
// the other order. Its price is half of a + b and of δ times the most that f is above a and g
// above b.
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
		return f, g // the statement allows them
	}
	caps := []float64{1}
	if l.delta > 0 {
		for _, beyond := range []float64{0.1, 0.25, 0.5, 1, 2, 4} {
			caps = append(caps, logistic(l.epsilon+beyond))
		}
	}
	most, at, largest := math.Inf(-1), 1.0, 1.0
	for _, top := range caps {
		a, growth := l.balance(p, q, ratios, top)
		if growth > most {
			most, at, largest = growth, a, top
		}
	}
	for j, r := range ratios {
		f[j], g[j], _ = l.pays(at, r, largest)
	}
	return f, g
}

// balance finds the best a, b being 2 − a, by golden sections.
func (l line) balance(p, q, ratios []float64, top float64) (a, growth float64) {
	of := func(a float64) float64 {
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
	atU, atV := of(u), of(v)
	for range 10 {
		if atU > atV {
			high, v, atV = v, u, atU
			u = high - golden*(high-low)
			atU = of(u)
		} else {
			low, u, atU = u, v, atV
			v = low + golden*(high-low)
			atV = of(v)
		}
	}
	a = (low + high) / 2
	return a, of(a)
}

// pays is the payoff at a ratio r, and the order in which the statement is violated there: 1, −1,
// or 0 for neither.
func (l line) pays(a, r, top float64) (f, g float64, order int) {
	b := 2 - a
	r = max(1-top, min(top, r))
	switch {
	case r*b > l.t*a*(1-r):
		c := a + b/l.t
		return max(1/mostPayoff, c*r), max(1/mostPayoff, l.t*c*(1-r)), 1
	case (1-r)*a > l.t*b*r:
		c := b + a/l.t
		return max(1/mostPayoff, l.t*c*r), max(1/mostPayoff, c*(1-r)), -1
	}
	return a, b, 0
}
