package accountant

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
)

// Concentrated brackets the smallest ρ of zero-concentrated DP that the event guarantees: D_α ≤ ρα at every order α >
// 1, in both orders of the neighbors (Bun & Steinke 2016). Upper is a theorem, or +Inf if no guarantee is known. It is
// a closed form that adds up over a composition, or the supremum over all orders of the upper end of Renyi. Lower is
// D_α/α for output distributions of some neighbors, at one order α for all parts of a composition, or the limit for
// large orders. Both ends are +Inf if the supports of two such distributions differ. Errors wrap [event.ErrDomain] or
// [ErrBreach].
func Concentrated(e event.Event, adj event.Adjacency) (Bracket, error) {
	p, err := newProfile(e, adj)
	if err != nil {
		return Bracket{}, err
	}
	if p.unequal() {
		inf := math.Inf(1)
		return Bracket{inf, inf, inf}, nil
	}
	rel := sums(parts(e))
	b := Bracket{Lower: farShift(e, adj, false) / 2 * (1 - rel), Upper: rhoMeasure.above(e, adj) * (1 + rel)}
	if b.Lower < b.Upper*(1-1e-9) {
		low, high := p.concentrated(b.Upper)
		b.Lower, b.Upper = math.Max(b.Lower, low), math.Min(b.Upper, high)
	}
	if p.upperOnly && b.Lower < b.Upper*(1-1e-9) {
		for _, part := range eachPart(e) {
			single, err := Concentrated(part, adj)
			if err != nil {
				return Bracket{}, err
			}
			b.Lower = math.Max(b.Lower, single.Lower)
		}
	}
	return p.sealedMeasure("zcdp", e, b)
}

// sums returns an upper bound on the relative error of a sum of n positive numbers, each known to within a few hundred
// roundings.
func sums(n int) float64 { return 1e-13 + 4*unit*float64(n) }

// parts returns the number of nodes in the event's tree.
func parts(e event.Event) int {
	n := 1
	for _, part := range e.Parts {
		n += parts(part)
	}
	return n
}

// sealedMeasure checks a bracket of ρ or μ and fills in its estimate.
func (p *profile) sealedMeasure(method string, e event.Event, b Bracket) (Bracket, error) {
	if b.Estimate = b.Upper; math.IsInf(b.Upper, 1) {
		b.Estimate = b.Lower
	}
	b, err := sealed(method, b, math.Inf(1))
	return b, breachOf(err, e)
}

// eachPart returns the parts of a composition, nil for one mechanism. A composition leaks at least as much as each
// part.
func eachPart(e event.Event) []event.Event {
	if e.Kind == event.KindCompose && len(e.Parts) > 1 || e.Kind == event.KindRepeat && e.Count > 1 {
		return e.Parts
	}
	return nil
}

// unequal reports whether some mechanism has outputs that are possible on only one of two neighboring inputs. Its Rényi
// divergences are then infinite under every sampling and composition. The test uses the kind of event, since a
// probability may underflow.
func (p *profile) unequal() bool {
	return p.lost().Low > 0 || slices.ContainsFunc(p.terms, func(t term) bool {
		switch t.kind {
		case event.KindUniform, event.KindTruncatedLaplace, event.KindThreshold:
			return true
		case event.KindApproximate:
			return t.b > 0
		}
		return false
	})
}

// concentrated brackets the supremum of D_α/α by bisection of the orders. limit is an upper end.
//
// The function K(α) = (α − 1)·D_α is convex and 0 at α = 1. Between two orders, K is below its chord. Below the first
// order, D_α is at most its value at that order. Above the last order, renyiTail bounds D_α/α.
func (p *profile) concentrated(limit float64) (low, high float64) {
	const (
		first, ratio, last = 1e-5, 1.5, 1e6 // α − 1
		accuracy           = 1e-7
		bisections         = 80
	)
	type order struct{ beta, upper, bound float64 } // bound: upper bound of D_α/α between the previous order and this one
	at := func(beta float64) order {
		low = math.Max(low, p.renyiLow(beta)/(1+beta)*(1-4*unit))
		return order{beta: beta, upper: p.renyi(beta)}
	}
	at(first * first) // approximately the Kullback–Leibler divergence, except for pairs
	var orders []order
	for beta := first; beta <= last; beta *= ratio {
		orders = append(orders, at(beta))
	}
	for i := len(orders) - 1; i > 0; i-- { // D_α increases with α
		orders[i-1].upper = math.Min(orders[i-1].upper, orders[i].upper)
	}
	end := math.Min(limit, p.renyiTail(1+orders[len(orders)-1].beta))
	orders[0].bound = orders[0].upper
	for i, o := range orders[1:] {
		orders[i+1].bound = chordBound(orders[i].beta, orders[i].upper, o.beta, o.upper)
	}
	for range bisections {
		worst := 0
		for i, o := range orders {
			if o.bound > orders[worst].bound {
				worst = i
			}
		}
		high = orders[worst].bound
		if worst == 0 || high <= math.Max(end, low*(1+accuracy)) || math.IsInf(high, 1) {
			break
		}
		before, after := orders[worst-1], orders[worst]
		if after.beta < before.beta*(1+accuracy) {
			break
		}
		middle := at(math.Sqrt(before.beta * after.beta))
		middle.upper = math.Min(middle.upper, after.upper)
		middle.bound = chordBound(before.beta, before.upper, middle.beta, middle.upper)
		orders[worst].bound = chordBound(middle.beta, middle.upper, after.beta, after.upper)
		orders = slices.Insert(orders, worst, middle)
	}
	for _, o := range orders {
		end = math.Max(end, o.bound)
	}
	return low, math.Min(limit, end)
}

// chordBound returns an upper bound of D_α/α between two values of α − 1, at which D_α is at most d1 and d2. It uses
// that (α − 1)·D_α is below its chord, and rounds up.
func chordBound(beta1, d1, beta2, d2 float64) float64 {
	if math.IsInf(d2, 1) {
		return math.Inf(1)
	}
	k1, k2 := beta1*d1, beta2*d2
	at := func(beta float64) float64 {
		w := math.Min(1, math.Max(0, (beta-beta1)/(beta2-beta1)))
		return (k1*(1-w) + k2*w) / (beta * (1 + beta))
	}
	largest := math.Max(at(beta1), at(beta2))
	slope := (k2 - k1) / (beta2 - beta1)
	if c := k1 - slope*beta1; c < 0 && slope > 0 { // the quotient has its maximum at c + 2cβ + slope·β² = 0
		if beta := (-c + math.Sqrt(c*c-c*slope)) / slope; beta > beta1 && beta < beta2 {
			largest = math.Max(largest, at(beta))
		}
	}
	return largest * (1 + roundings)
}

// renyiTail returns an upper bound of D_α/α for all orders from alpha on, +Inf if no bound is known.
func (p *profile) renyiTail(alpha float64) float64 {
	total := 0.0
	for _, t := range p.terms {
		total += t.count * t.renyiTail(alpha)
	}
	return total * (1 + roundings)
}

func (l leaf) renyiTail(alpha float64) float64 {
	upper := pureEpsilon(l) / alpha // D_α is at most the largest loss
	switch {
	case l.pair != nil:
		upper = math.Min(upper, pairTail(l.pair, alpha))
	case l.kind == event.KindGaussian:
		upper = l.a * l.a / 2
		if l.opposed { // against N(0), which has weight 1 − q in Q
			upper = math.Min(4*upper, upper-math.Log1p(-l.q)/alpha)
		}
	case l.kind == event.KindConcentrated:
		upper = l.a
	}
	return upper
}

// pairTail computes renyiTail for a pair, for both orders of the neighbors.
func pairTail(law pld.Pair, alpha float64) float64 {
	switch l := law.(type) {
	case *pld.Bracketed:
		return pairTail(l.Above, alpha)
	case *mechanism:
		return l.renyiTail(alpha)
	case *pld.Normal:
		maxShift := l.Shifts[len(l.Shifts)-1].Mu
		if maxShift *= maxShift / 2; l.Opposed {
			maxShift = math.Min(4*maxShift, maxShift-math.Log(l.Rest)/alpha)
		}
		return maxShift
	case *pld.Folded: // losses above 0 contribute at most E[(P/Q)^α] of the pair, the other losses at most 1
		return pairTail(l.Of(), alpha) + math.Ln2/(alpha*(alpha-1))
	case *pld.Finite:
		return l.Rho()
	case *selected:
		return l.base.renyiTail(alpha) + l.tuning()/alpha + l.logRuns()/(alpha*(alpha-1))
	}
	return math.Inf(1)
}
