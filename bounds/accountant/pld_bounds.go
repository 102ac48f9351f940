package accountant

import (
	"math"
	"slices"
	"sync"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// lossAt computes one bracket on the lattice of pl.h: the worse of both orders
// of the neighbours, and remembers in pl what the next lattice need not find out again. span
// is the widest window of losses it needed; ok is false where that had too many points.
func (p *profile) lossAt(q question, pl *plan, w Precision) (b Bracket, span float64, ok bool) {
	upper, lower := p.pairs(*pl)
	ok = true
	var lock sync.Mutex
	var wait sync.WaitGroup
	highest, reserve := make([]float64, len(upper)), pl.reserve
	for order := range upper {
		if pl.settled[order] {
			continue
		}
		theta := tilt(upper[order], q, *pl)
		work := func(sides []*side, sign float64, found func(end float64)) {
			c := compose(sides, *pl, pl.reserve[order], theta, q, sign, w)
			end := 0.0
			if c.fits(w) {
				end = c.answer(q, sign)
			}
			lock.Lock()
			defer lock.Unlock()
			span = math.Max(span, c.size*pl.h)
			reserve[order] = math.Max(reserve[order], c.reserve)
			ok = ok && c.fits(w)
			found(end)
		}
		wait.Go(func() { work(upper[order], +1, func(end float64) { highest[order] = end }) })
		wait.Go(func() { work(lower[order], -1, func(end float64) { b.Lower = math.Max(b.Lower, end) }) })
	}
	wait.Wait()
	b.Upper = slices.Max(highest)
	pl.reserve = reserve
	for order, end := range highest {
		pl.settled[order] = pl.settled[order] || ok && end < b.Lower
	}
	return b, span, ok
}

// compose runs the composition of the sides, in a window that is widened by more than the
// reserve given where what lies outside drowns the answer: of a heavy tail, no tilt makes the
// losses asked for the typical ones.
func compose(sides []*side, pl plan, reserve, theta float64, q question, sign float64, w Precision) *composed {
	const step, most = 14, 56
	c := newComposed(sides, pl, reserve, theta)
	if !c.fits(w) {
		return c
	}
	for c.run(sides); reserve < most && c.drowned(q, sign, pl.width/8); {
		reserve += step
		wider := newComposed(sides, pl, reserve, theta)
		if !wider.fits(w) {
			break
		}
		c = wider
		c.run(sides)
	}
	return c
}

// tilt returns the tilt that puts the tail asked for in the middle: the θ at
// which the tight conversion from Rényi order θ + 1 is best.
func tilt(sides []*side, q question, pl plan) float64 {
	clamp := func(x float64) float64 { return math.Min(math.Max(math.Exp(x), 1e-6), 5/pl.h) }
	shift := shiftOf(sides)
	x, _ := minimise(func(x float64) float64 {
		theta := clamp(x)
		k := cumulant(sides, pl.h, theta) + theta*math.Log(theta) - (1+theta)*math.Log1p(theta)
		if q.byEpsilon {
			return k - theta*(q.epsilon-shift)
		}
		return (k - q.logDelta) / theta
	}, math.Log(pl.theta), 0.3, 0.03)
	return anyNear(clamp(x))
}

// pairs cuts every mechanism on the lattice and returns the upper and lower
// sides, for one order of the neighbours if the other has the same losses.
func (p *profile) pairs(pl plan) (upper, lower [][]*side) {
	symmetric := p.only(func(l leaf) bool { return l.q == 1 || l.opposed })
	orders := 2
	if symmetric {
		orders = 1
	}
	upper, lower = make([][]*side, orders), make([][]*side, orders)
	for i := range upper {
		upper[i], lower[i] = make([]*side, len(p.terms)), make([]*side, len(p.terms))
	}
	var wait sync.WaitGroup
	for i, t := range p.terms {
		wait.Go(func() {
			for _, shift := range t.shifts(pl.h) {
				above := t.cells(pl.h, shift, pl.tail)
				below := above
				if t.kind == event.KindExponential {
					// No mechanism attains the dominating pair; the one with two equal ends
					// is an instance, and bounds the family from below.
					below = leaf{kind: event.KindPure, a: t.a / 2, q: t.q}.cells(pl.h, shift, pl.tail)
				}
				for order := range orders {
					if pl.settled[order] && order > 0 {
						continue
					}
					// A symmetric pair is its own mirror image; its masses at losses of −700 and
					// below would underflow on the way.
					if order == 1 && t.q < 1 && !t.opposed {
						above, below = above.mirror(), below.mirror()
					}
					upper[order][i] = better(upper[order][i], above.upper(), pl, +1)
					lower[order][i] = better(lower[order][i], below.lower(), pl, -1)
					if shift != 0 {
						lower[order][i] = better(lower[order][i], below.grouped(), pl, -1)
					}
					upper[order][i].count, lower[order][i].count = t.count, t.count
				}
			}
		})
	}
	wait.Wait()
	return upper, lower
}

// better returns the bound that is closer to the law, on the side of the sign: the upper one
// with the smaller moment, the lower one with the larger. The moment is of low order, that of
// the bulk: far out there are few cells to be off by.
func better(a, b *side, pl plan, sign float64) *side {
	if a == nil {
		return b
	}
	theta := math.Min(pl.theta, 1)
	moment := func(s *side) float64 { return s.cumulant(pl.h, theta) + theta*s.shift }
	if sign*(moment(b)-moment(a)) < 0 {
		return b
	}
	return a
}
