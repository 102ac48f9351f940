package pld

import (
	"fmt"
	"math"
	"sync"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Folded is the pair of both orders at once: its positive losses are those of a pair, and its negative
// ones the same mirrored. Where a pair dominates one order of inputs at all ε ≥ 0, and its inputs may
// be exchanged, that is what dominates both orders at all ε (Zhu, Dong & Wang 2022, Theorem 11).
// Build it with NewFolded.
type Folded struct {
	of    Pair
	rough func() *Side // for moments
	high  float64      // the largest loss of rough
}

// NewFolded folds a pair. The events that P is the likelier must have probabilities under P and Q that
// add up to at most 1, or else no pair has these losses, and the folded one says nothing. So it is for a sample of
// noise that is symmetric around its centre: under P the event has at most the probability that under Q it has not.
func NewFolded(of Pair) *Folded {
	f := &Folded{of: of}
	const tail = 1e-40
	low, high := of.Losses(tail)
	h := math.Max(-low, high) / (1 << 12)
	if h == 0 {
		h = 1 // no loss but 0
	}
	f.high = math.Max(0, high)
	f.rough = sync.OnceValue(func() *Side {
		above, _ := of.Cells(h, tail)
		folded, ok := above.Folded()
		if !ok {
			return nil
		}
		return folded.Upper()
	})
	return f
}

// Of returns the pair that is folded.
func (f *Folded) Of() Pair { return f.of }

// Losses are symmetric.
func (f *Folded) Losses(tail float64) (low, high float64) {
	_, high = f.of.Losses(tail)
	high = math.Max(0, high)
	return -high, high
}

// Lattice is that of the pair.
func (f *Folded) Lattice() (spacing float64, ok bool) { return f.of.Lattice() }

// Smooth is as of the pair.
func (f *Folded) Smooth() bool { return f.of.Smooth() }

// Lost is what is lost in the order of the pair, in both.
func (f *Folded) Lost() (p, q Interval) {
	p, _ = f.of.Lost()
	return p, p
}

// Most is that of the pair.
func (f *Folded) Most() Interval { return f.of.Most() }

// Symmetric says that it is.
func (f *Folded) Symmetric() bool { return true }

// Sampled is not known: the pair is one of replaced records.
func (f *Folded) Sampled(float64) (Pair, error) {
	return nil, fmt.Errorf("what a replaced record does on a sample is not sampled again")
}

// Cells folds those of the pair.
func (f *Folded) Cells(h, tail float64) (above, below *Cells) {
	of, _ := f.of.Cells(h, tail)
	c, ok := of.Folded()
	if !ok { // all may be told
		c = NewCells(h, 0, 1)
		c.Lost, c.LostQ = 1, 1
	}
	return c, c
}

// LogMoment sums the moment of the finite losses of a coarse lattice, and what Markov's inequality
// leaves beyond it.
func (f *Folded) LogMoment(alpha float64) Interval {
	if alpha < 0 {
		alpha = 1 - alpha // the laws of both orders are one
	}
	side := f.rough()
	if side == nil {
		return Interval{none, math.Inf(1)}
	}
	side.Count = 1
	within := Cumulant([]*Side{side}, side.H, alpha-1)
	beyond := math.Inf(1)
	for _, more := range []float64{0.1, 0.3, 1, 3, 10, 30, 100} {
		s := more * alpha
		beyond = math.Min(beyond, f.of.LogMoment(alpha+s).High-s*f.high)
	}
	top := math.Max(within, beyond)
	return Interval{none, math.Max(0, top+math.Log(math.Exp(within-top)+math.Exp(beyond-top))+1e-12*(1+math.Abs(top)))}
}

// Revealed is a pair chosen by chance, where the choice is seen: with probability Chance the second,
// else the first. A mechanism that does not tell is dominated by it.
type Revealed struct {
	First, Second Pair
	Chance        float64
}

// Losses are those of both.
func (r *Revealed) Losses(tail float64) (low, high float64) {
	low, high = r.First.Losses(tail)
	least, most := r.Second.Losses(tail)
	return math.Min(low, least), math.Max(high, most)
}

// Lattice is one for both.
func (r *Revealed) Lattice() (spacing float64, ok bool) { return latticeOf(r.First, r.Second) }

// Smooth says so of either.
func (r *Revealed) Smooth() bool { return r.First.Smooth() || r.Second.Smooth() }

// Lost is the mean of both.
func (r *Revealed) Lost() (p, q Interval) {
	firstP, firstQ := r.First.Lost()
	secondP, secondQ := r.Second.Lost()
	mean := func(a, b Interval) Interval {
		return Interval{((1-r.Chance)*a.Low + r.Chance*b.Low) * (1 - 4*unit),
			math.Min(1, ((1-r.Chance)*a.High+r.Chance*b.High)*(1+4*unit))}
	}
	return mean(firstP, secondP), mean(firstQ, secondQ)
}

// Most is the larger one.
func (r *Revealed) Most() Interval {
	a, b := r.First.Most(), r.Second.Most()
	return Interval{math.Max(a.Low, b.Low), math.Max(a.High, b.High)}
}

// Symmetric says so of both.
func (r *Revealed) Symmetric() bool { return r.First.Symmetric() && r.Second.Symmetric() }

// Sampled samples both: what is seen tells of no sample.
func (r *Revealed) Sampled(q float64) (Pair, error) {
	first, err := r.First.Sampled(q)
	if err != nil {
		return nil, err
	}
	second, err := r.Second.Sampled(q)
	return &Revealed{first, second, r.Chance}, err
}

// LogMoment is the mean of the moments.
func (r *Revealed) LogMoment(alpha float64) Interval {
	first, second := r.First.LogMoment(alpha), r.Second.LogMoment(alpha)
	mean := func(a, b float64) (m, off float64) {
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

// Cells adds those of both, weighted.
func (r *Revealed) Cells(h, tail float64) (above, below *Cells) {
	firstAbove, firstBelow := r.First.Cells(h, tail)
	secondAbove, secondBelow := r.Second.Cells(h, tail)
	return Mixed(firstAbove, secondAbove, r.Chance), Mixed(firstBelow, secondBelow, r.Chance)
}

// Losing is a pair that with a probability tells the inputs apart for good, seen.
type Losing struct {
	Of     Pair
	Chance Interval
}

// Losses are those of the pair.
func (l *Losing) Losses(tail float64) (low, high float64) { return l.Of.Losses(tail) }

// Lattice is that of the pair.
func (l *Losing) Lattice() (spacing float64, ok bool) { return l.Of.Lattice() }

// Smooth is as of the pair.
func (l *Losing) Smooth() bool { return l.Of.Smooth() }

// Lost is the chance.
func (l *Losing) Lost() (p, q Interval) { return l.Chance, l.Chance }

// Most is that of the pair.
func (l *Losing) Most() Interval { return l.Of.Most() }

// Symmetric is as of the pair.
func (l *Losing) Symmetric() bool { return l.Of.Symmetric() }

// Sampled is that of the pair, or of what tells for good who was sampled, and hides who was not.
func (l *Losing) Sampled(q float64) (Pair, error) {
	of, err := l.Of.Sampled(q)
	if err != nil {
		return nil, err
	}
	told, err := NewFinite([]Atom{{q, 0}, {1 - q, 1}}, unit)
	if err != nil {
		return nil, err
	}
	return &Bracketed{Above: &Revealed{of, told, l.Chance.High}, Below: &Revealed{of, told, l.Chance.Low}}, nil
}

// LogMoment is at most that of the pair, and less by the chance.
func (l *Losing) LogMoment(alpha float64) Interval {
	m := l.Of.LogMoment(alpha)
	return Interval{m.Low + math.Log1p(-l.Chance.High)*(1+4*unit), m.High}
}

// Cells takes the chance off the masses, the least for the one and the most for the other.
func (l *Losing) Cells(h, tail float64) (above, below *Cells) {
	above, below = l.Of.Cells(h, tail)
	return above.Losing(l.Chance.High), below.Losing(l.Chance.Low)
}

// Reverse exchanges the laws of a pair.
func Reverse(p Pair) Pair {
	if b, ok := p.(*Bracketed); ok {
		return &Bracketed{Reverse(b.Above), Reverse(b.Below)}
	}
	return &reversed{p}
}

type reversed struct{ of Pair }

// Losses are the negatives of those of the pair.
func (r *reversed) Losses(tail float64) (low, high float64) {
	low, high = r.of.Losses(tail)
	return -high, -low
}

// Lattice is that of the pair.
func (r *reversed) Lattice() (spacing float64, ok bool) { return r.of.Lattice() }

// Smooth is as of the pair.
func (r *reversed) Smooth() bool { return r.of.Smooth() }

// Lost are the masses of the pair, exchanged.
func (r *reversed) Lost() (p, q Interval) {
	p, q = r.of.Lost()
	return q, p
}

// Most is that of the pair.
func (r *reversed) Most() Interval { return r.of.Most() }

// Symmetric is as of the pair.
func (r *reversed) Symmetric() bool { return r.of.Symmetric() }

// Sampled is not known: without the record its law is that of the pair with it.
func (r *reversed) Sampled(float64) (Pair, error) {
	return nil, fmt.Errorf("what is known of a record that is removed is not sampled")
}

// LogMoment is that of the pair in the other order: E_P[(Q/P)^α] = E_Q[(P/Q)^(1−α)].
func (r *reversed) LogMoment(alpha float64) Interval { return r.of.LogMoment(1 - alpha) }

// Cells are mirrored.
func (r *reversed) Cells(h, tail float64) (above, below *Cells) {
	above, below = r.of.Cells(h, tail)
	return above.Mirror(), below.Mirror()
}

// latticeOf is the spacing of a lattice that holds the losses of two pairs.
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
