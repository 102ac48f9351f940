package pld

import (
	"fmt"
	"math"
	"sync"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Folded is a pair that covers both orders of the neighbors. Its positive losses are those of a given pair, and its
// negative losses mirror them. If a pair dominates one order at all ε ≥ 0 and the inputs may be exchanged, the folded
// pair dominates both orders at all ε (Zhu, Dong & Wang 2022, Theorem 11). Build it with NewFolded.
type Folded struct {
	pair  Pair
	rough func() *Side // coarse lattice for moments
	high  float64      // the largest loss of rough
}

// NewFolded folds a pair. Consider the event that P is more likely than Q. Its probabilities under P and Q must add up
// to at most 1; otherwise no pair has these losses, and the folded pair reveals everything. This holds for sampled
// symmetric noise: the event's probability under P is at most the probability of its complement under Q.
func NewFolded(pair Pair) *Folded {
	f := &Folded{pair: pair}
	const tail = 1e-40
	low, high := pair.Losses(tail)
	h := math.Max(-low, high) / (1 << 12)
	if h == 0 {
		h = 1 // all losses are 0
	}
	f.high = math.Max(0, high)
	f.rough = sync.OnceValue(func() *Side {
		above, _ := pair.Cells(h, tail)
		folded, ok := above.Folded()
		if !ok {
			return nil
		}
		return folded.Upper()
	})
	return f
}

// Of returns the pair that is folded.
func (f *Folded) Of() Pair { return f.pair }

// Losses returns a symmetric range.
func (f *Folded) Losses(tail float64) (low, high float64) {
	_, high = f.pair.Losses(tail)
	high = math.Max(0, high)
	return -high, high
}

// Lattice returns the lattice of the given pair.
func (f *Folded) Lattice() (spacing float64, ok bool) { return f.pair.Lattice() }

// Smooth reports whether the given pair is smooth.
func (f *Folded) Smooth() bool { return f.pair.Smooth() }

// Lost returns the probability of infinite loss in the given order, for both orders.
func (f *Folded) Lost() (p, q Interval) {
	p, _ = f.pair.Lost()
	return p, p
}

// Most returns that of the given pair.
func (f *Folded) Most() Interval { return f.pair.Most() }

// Symmetric returns true.
func (f *Folded) Symmetric() bool { return true }

// Sampled returns an error: the pair describes replaced records.
func (f *Folded) Sampled(float64) (Pair, error) {
	return nil, fmt.Errorf("sampling a pair of replaced records is not supported")
}

// Cells folds the cells of the given pair.
func (f *Folded) Cells(h, tail float64) (above, below *Cells) {
	cells, _ := f.pair.Cells(h, tail)
	c, ok := cells.Folded()
	if !ok { // the pair cannot be folded, so everything may be revealed
		c = NewCells(h, 0, 1)
		c.Lost, c.LostQ = 1, 1
	}
	return c, c
}

// LogMoment adds the moment of the finite losses on a coarse lattice and a bound of the rest by Markov's inequality.
func (f *Folded) LogMoment(alpha float64) Interval {
	if alpha < 0 {
		alpha = 1 - alpha // both orders have the same distribution
	}
	side := f.rough()
	if side == nil {
		return Interval{none, math.Inf(1)}
	}
	side.Count = 1
	moment := Cumulant([]*Side{side}, side.H, alpha-1)
	beyond := math.Inf(1)
	for _, more := range []float64{0.1, 0.3, 1, 3, 10, 30, 100} {
		s := more * alpha
		beyond = math.Min(beyond, f.pair.LogMoment(alpha+s).High-s*f.high)
	}
	top := math.Max(moment, beyond)
	return Interval{none, math.Max(0, top+math.Log(math.Exp(moment-top)+math.Exp(beyond-top))+1e-12*(1+math.Abs(top)))}
}

// Revealed chooses Second with probability Chance, First otherwise, and reveals the choice. It dominates a mechanism
// that makes the same choice without revealing it.
type Revealed struct {
	First, Second Pair
	Chance        float64
}

// Losses returns the union of both ranges.
func (r *Revealed) Losses(tail float64) (low, high float64) {
	low, high = r.First.Losses(tail)
	lowest, highest := r.Second.Losses(tail)
	return math.Min(low, lowest), math.Max(high, highest)
}

// Lattice returns a lattice for both pairs.
func (r *Revealed) Lattice() (spacing float64, ok bool) { return latticeOf(r.First, r.Second) }

// Smooth reports whether at least one pair is smooth.
func (r *Revealed) Smooth() bool { return r.First.Smooth() || r.Second.Smooth() }

// Lost returns the weighted mean of both pairs.
func (r *Revealed) Lost() (p, q Interval) {
	firstP, firstQ := r.First.Lost()
	secondP, secondQ := r.Second.Lost()
	mean := func(a, b Interval) Interval {
		return Interval{((1-r.Chance)*a.Low + r.Chance*b.Low) * (1 - 4*unit),
			math.Min(1, ((1-r.Chance)*a.High+r.Chance*b.High)*(1+4*unit))}
	}
	return mean(firstP, secondP), mean(firstQ, secondQ)
}

// Most returns the larger of both.
func (r *Revealed) Most() Interval {
	a, b := r.First.Most(), r.Second.Most()
	return Interval{math.Max(a.Low, b.Low), math.Max(a.High, b.High)}
}

// Symmetric reports whether both pairs are symmetric.
func (r *Revealed) Symmetric() bool { return r.First.Symmetric() && r.Second.Symmetric() }

// Sampled samples both pairs. The revealed choice is independent of the sample.
func (r *Revealed) Sampled(q float64) (Pair, error) {
	first, err := r.First.Sampled(q)
	if err != nil {
		return nil, err
	}
	second, err := r.Second.Sampled(q)
	return &Revealed{first, second, r.Chance}, err
}

// LogMoment returns the weighted mean of the moments.
func (r *Revealed) LogMoment(alpha float64) Interval {
	first, second := r.First.LogMoment(alpha), r.Second.LogMoment(alpha)
	mean := func(a, b float64) (m, roundoff float64) {
		m = numeric.LogAddExp(a+math.Log1p(-r.Chance), b+math.Log(r.Chance))
		return m, 1e-14 * (1 + math.Abs(m))
	}
	low, offLow := mean(first.Low, second.Low)
	high, offHigh := mean(first.High, second.High)
	if math.IsInf(low, -1) {
		offLow = 0
	}
	return Interval{low - offLow, math.Max(0, high+offHigh)}
}

// Cells adds the weighted cells of both pairs.
func (r *Revealed) Cells(h, tail float64) (above, below *Cells) {
	firstAbove, firstBelow := r.First.Cells(h, tail)
	secondAbove, secondBelow := r.Second.Cells(h, tail)
	return Mixed(firstAbove, secondAbove, r.Chance), Mixed(firstBelow, secondBelow, r.Chance)
}

// Losing is a pair that reveals the input with probability Chance, which is an infinite loss.
type Losing struct {
	Of     Pair
	Chance Interval
}

// Losses returns the range of the given pair.
func (l *Losing) Losses(tail float64) (low, high float64) { return l.Of.Losses(tail) }

// Lattice returns the lattice of the given pair.
func (l *Losing) Lattice() (spacing float64, ok bool) { return l.Of.Lattice() }

// Smooth reports whether the given pair is smooth.
func (l *Losing) Smooth() bool { return l.Of.Smooth() }

// Lost returns the chance for both orders.
func (l *Losing) Lost() (p, q Interval) { return l.Chance, l.Chance }

// Most returns that of the given pair.
func (l *Losing) Most() Interval { return l.Of.Most() }

// Symmetric reports whether the given pair is symmetric.
func (l *Losing) Symmetric() bool { return l.Of.Symmetric() }

// Sampled combines the sampled pair with one that reveals the record if it was sampled.
func (l *Losing) Sampled(q float64) (Pair, error) {
	base, err := l.Of.Sampled(q)
	if err != nil {
		return nil, err
	}
	revealed, err := NewFinite([]Atom{{q, 0}, {1 - q, 1}}, unit)
	if err != nil {
		return nil, err
	}
	return &Bracketed{Above: &Revealed{base, revealed, l.Chance.High}, Below: &Revealed{base, revealed, l.Chance.Low}}, nil
}

// LogMoment has the upper end of the given pair, and its lower end reduced by the chance.
func (l *Losing) LogMoment(alpha float64) Interval {
	m := l.Of.LogMoment(alpha)
	return Interval{m.Low + math.Log1p(-l.Chance.High)*(1+4*unit), m.High}
}

// Cells multiplies the probabilities by one minus the chance and adds the chance as infinite loss: the largest chance
// above, the smallest below.
func (l *Losing) Cells(h, tail float64) (above, below *Cells) {
	above, below = l.Of.Cells(h, tail)
	return above.Losing(l.Chance.High), below.Losing(l.Chance.Low)
}

// Reverse exchanges the distributions of a pair.
func Reverse(p Pair) Pair {
	if b, ok := p.(*Bracketed); ok {
		return &Bracketed{Reverse(b.Above), Reverse(b.Below)}
	}
	return &reversed{p}
}

type reversed struct{ pair Pair }

// Losses returns the negated range.
func (r *reversed) Losses(tail float64) (low, high float64) {
	low, high = r.pair.Losses(tail)
	return -high, -low
}

// Lattice returns the lattice of the given pair.
func (r *reversed) Lattice() (spacing float64, ok bool) { return r.pair.Lattice() }

// Smooth reports whether the given pair is smooth.
func (r *reversed) Smooth() bool { return r.pair.Smooth() }

// Lost exchanges the probabilities of the given pair.
func (r *reversed) Lost() (p, q Interval) {
	p, q = r.pair.Lost()
	return q, p
}

// Most returns that of the given pair.
func (r *reversed) Most() Interval { return r.pair.Most() }

// Symmetric reports whether the given pair is symmetric.
func (r *reversed) Symmetric() bool { return r.pair.Symmetric() }

// Sampled returns an error: the second distribution is the one with the record.
func (r *reversed) Sampled(float64) (Pair, error) {
	return nil, fmt.Errorf("sampling a pair of a removed record is not supported")
}

// LogMoment returns the moment of the other order: E_P[(Q/P)^α] = E_Q[(P/Q)^(1−α)].
func (r *reversed) LogMoment(alpha float64) Interval { return r.pair.LogMoment(1 - alpha) }

// Cells mirrors the cells.
func (r *reversed) Cells(h, tail float64) (above, below *Cells) {
	above, below = r.pair.Cells(h, tail)
	return above.Mirror(), below.Mirror()
}

// latticeOf returns the spacing of a lattice that contains the losses of two pairs.
func latticeOf(a, b Pair) (spacing float64, ok bool) {
	first, okFirst := a.Lattice()
	second, okSecond := b.Lattice()
	if !okFirst || !okSecond {
		return 0, false
	}
	if first == 0 || second == 0 {
		return math.Max(first, second), true
	}
	spacing = CommonSpacing(first, second)
	return spacing, spacing > 0
}
