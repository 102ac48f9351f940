package pld

import "math"

// For two records with opposite contributions, both distributions depend on γ. The curve is bounded at some points, and
// the returned distributions have the piecewise linear curves through these bounds. The pair is symmetric, so the curve
// for γ < 1 follows from that for γ > 1.

// deepest is the log of the smallest δ at a point.
const deepest = -40

// opposedCells returns the number of cells for one γ, so that the total work is similar to that of the other bounds.
func opposedCells(cells int) int { return max(leastCells, 2*cells/5) }

// opposedEpsilons returns increasing ε from 0 on, evenly spaced in the normal scores of δ.
func opposedEpsilons(e Epoch, cells int) []float64 {
	s := newStatistic(e)
	law := s.law(s.times(e.Steps, min(cells, 128)), s.taken(0), s.taken(1))
	low, high := normalScore(math.Exp(law.LogDelta(0))/2), normalScore(math.Exp(deepest))
	list := []float64{0}
	nodes := min(max(16, cells/20), 200)
	for i := 1; i <= nodes; i++ {
		logDelta := normalTail(low + (high-low)*float64(i)/float64(nodes))
		if eps := law.Epsilon(logDelta); eps > list[len(list)-1]*(1+1e-6) {
			list = append(list, eps)
		}
	}
	return list
}

// opposedAbove returns a distribution that dominates an epoch with one pick, by the chords of the convex hull of upper
// bounds of δ.
func opposedAbove(shift float64, steps, cells int) *AllocationLaw {
	n := opposedCells(cells)
	var gamma, delta []float64
	at := func(epsilon float64) float64 {
		g := math.Exp(epsilon)
		one, infinite := stepOpposed(shift, g, n)
		a := one.times(steps, n)
		sum := 0.0
		for i, x := range a.x {
			sum += a.q[i] * max(0, x)
		}
		d := sum/float64(steps)*(1+1.01*a.eta+unit*float64(len(a.x)+8)) + infinite + underflow
		// The curve is decreasing.
		previous := 1.0
		if len(delta) > 0 {
			previous = delta[len(delta)-1]
		}
		gamma, delta = append(gamma, g), append(delta, math.Min(previous, d))
		return d
	}
	// Continue to the largest loss of a step.
	last, maxLoss := 0.0, 1.98*shift*reachOf(shift)
	for _, epsilon := range opposedEpsilons(Epoch{Sigma: 1 / shift, Steps: steps, Picks: 1, Replace: true}, cells) {
		last = math.Min(epsilon, maxLoss)
		if at(last) < math.Exp(deepest) || last == maxLoss {
			break
		}
	}
	for delta[len(delta)-1] > math.Exp(deepest) && last < maxLoss {
		last = math.Min(maxLoss, math.Max(1.1*last, maxLoss/1000))
		at(last)
	}
	return brokenLine(lowerHull(gamma, delta))
}

// brokenLine returns the symmetric distribution whose curve from γ = 1 on is a convex decreasing piecewise linear
// function.
func brokenLine(gamma, delta []float64) *AllocationLaw {
	m := len(gamma)
	// The rounding of each difference of slopes moves the curve by less than 4 roundings of its value.
	scale := 1 + 16*unit*float64(m+4)
	law := &AllocationLaw{Infinite: delta[m-1] * scale}
	slope := 0.0 // downward slope on the right
	for i := m - 1; i > 0; i-- {
		left := (delta[i-1] - delta[i]) / (gamma[i] - gamma[i-1])
		if left > slope {
			loss, q := math.Log(gamma[i]), math.Log((left-slope)*scale)
			law.add(q+loss+8*unit*(1+math.Abs(loss)+math.Abs(q)), q)
		}
		slope = left
	}
	return law.mirror(+1)
}

// lowerHull returns the points of the lower convex hull. x must be increasing.
func lowerHull(x, y []float64) (hx, hy []float64) {
	for i := range x {
		for n := len(hx); n >= 2; n-- {
			if (hy[n-1]-hy[n-2])*(x[i]-hx[n-1]) < (y[i]-hy[n-1])*(hx[n-1]-hx[n-2]) {
				break
			}
			hx, hy = hx[:n-1], hy[:n-1]
		}
		hx, hy = append(hx, x[i]), append(hy, y[i])
	}
	return hx, hy
}

// mirror completes a distribution by the mirror images of its atoms and by the remaining probability at loss 0, for an
// upper bound (sign 1) or a lower bound (−1). For total probabilities of one, the curve for γ < 1 is 1 − γ + γ times
// the curve at 1/γ. It remains a bound if the total under P is on the safe side of 1 and of the total under Q.
func (l *AllocationLaw) mirror(sign float64) *AllocationLaw {
	total := l.Infinite
	for i := range l.LogP {
		total += math.Exp(l.LogP[i]) + math.Exp(l.LogQ[i])
	}
	if sign < 0 && total > 1 {
		for i := range l.LogP { // a smaller measure is also a lower bound
			l.LogP[i] -= math.Log(total) + 1e-13
			l.LogQ[i] -= math.Log(total) + 1e-13
		}
		total = 1
	}
	for i := range l.LogP {
		l.add(l.LogQ[i], l.LogP[i])
	}
	if rest := 1 - total + sign*1e-13; rest > 0 {
		l.add(math.Log(rest)+sign*1e-14, math.Log(rest))
	}
	return l.sort()
}

// event is an output event A, with a lower bound of its probability under P and an upper bound under Q. P(A) − γQ(A) is
// below the curve.
type event struct{ p, q float64 }

// opposedBelow returns a distribution that an epoch with one pick dominates: the curve of several events, each optimal
// for the score at some γ.
func opposedBelow(e Epoch, cells int) *AllocationLaw {
	n := opposedCells(cells)
	list := opposedEpsilons(e, cells)
	var events []event
	for i, epsilon := range list {
		s := newStatistic(e)
		s.gamma = math.Exp(epsilon)
		law := s.law(s.times(e.Steps, n), s.taken(0), s.taken(1))
		for _, near := range [3]float64{list[max(i-1, 0)], epsilon, list[min(i+1, len(list)-1)]} {
			events = append(events, law.exceeding((epsilon+near)/2))
		}
	}
	return hullOfEvents(events)
}

// exceeding returns the event of a loss above ε.
func (l *AllocationLaw) exceeding(epsilon float64) (a event) {
	for i := len(l.LogP) - 1; i >= 0 && l.LogP[i]-l.LogQ[i] > epsilon; i-- {
		a.p += math.Exp(l.LogP[i])
		a.q += math.Exp(l.LogQ[i])
	}
	roundoff := unit * float64(len(l.LogP)+1024) // rounding of the sums, and of exp at logarithms down to −500
	return event{a.p * (1 - roundoff), a.q * (1 + roundoff)}
}

// hullOfEvents returns the symmetric distribution whose curve is the maximum of the events' lines for γ ≥ 1.
func hullOfEvents(events []event) *AllocationLaw {
	var now event // the event with the largest value at γ = 1
	for _, a := range events {
		if a.p-a.q > now.p-now.q {
			now = a
		}
	}
	law := &AllocationLaw{}
	for now.p > 0 {
		// The next line to intersect this one belongs to the event with smaller probabilities and the smallest ratio of
		// differences.
		next, ratio := event{}, now.p/now.q
		for _, a := range events {
			if r := (now.p - a.p) / (now.q - a.q); a.q < now.q && a.p < now.p && r < ratio {
				next, ratio = a, r
			}
		}
		logP, logQ := math.Log(now.p-next.p), math.Log(now.q-next.q)
		roundoff := 8 * unit * (1 + math.Abs(logP) + math.Abs(logQ))
		law.add(logP-roundoff, logQ)
		now = next
	}
	return law.mirror(-1)
}
