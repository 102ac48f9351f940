package pair

import (
	"fmt"
	"math"
	"sync"

	"github.com/dpverify/dpverify/bounds/internal/lattice"
)

// Folded is the pair of both orders at once: its positive losses are those of a pair, and its negative
// ones the same mirrored. Where a pair dominates one order of inputs at all ε ≥ 0, and its inputs may
// be exchanged, that is what dominates both orders at all ε (Zhu, Dong & Wang 2022, Theorem 11).
// Build it with NewFolded.
type Folded struct {
	of    Pair
	rough func() *lattice.Side // for moments
	high  float64              // the largest loss of rough
}

// NewFolded folds a pair that has no infinite loss. The event that P is the likelier must have a
// probability of at most 1/2 under Q where both are equally likely to be told apart: so it is for
// noise that is symmetric around its centre.
func NewFolded(of Pair) *Folded {
	f := &Folded{of: of}
	const tail = 1e-40
	low, high := f.Losses(tail)
	h := (high - low) / (1 << 13)
	f.high = high
	f.rough = sync.OnceValue(func() *lattice.Side {
		above, _ := f.Cells(h, tail)
		return above.Upper()
	})
	return f
}

// Losses are symmetric.
func (f *Folded) Losses(tail float64) (low, high float64) {
	_, high = f.of.Losses(tail)
	return -high, high
}

// Lattice is that of the pair.
func (f *Folded) Lattice() (spacing float64, ok bool) { return f.of.Lattice() }

// Smooth is as of the pair.
func (f *Folded) Smooth() bool { return f.of.Smooth() }

// Lost is nothing.
func (f *Folded) Lost() (p, q Interval) { return p, q }

// Most is that of the pair.
func (f *Folded) Most() Interval { return f.of.Most() }

// Symmetric says that it is.
func (f *Folded) Symmetric() bool { return true }

// Sampled is not known: the pair is one of replaced records.
func (f *Folded) Sampled(float64) (Pair, error) {
	return nil, fmt.Errorf("a batch of a fixed size is not sampled again")
}

// Cells folds those of the pair, which must be one.
func (f *Folded) Cells(h, tail float64) (above, below *lattice.Cells) {
	of, _ := f.of.Cells(h, tail)
	c := of.Folded()
	return c, c
}

// LogMoment sums the moment of the finite losses of a coarse lattice, and what Markov's inequality
// leaves beyond it.
func (f *Folded) LogMoment(alpha float64) float64 {
	if alpha < 0 {
		alpha = 1 - alpha // the laws of both orders are one
	}
	side := f.rough()
	side.Count = 1
	within := lattice.Cumulant([]*lattice.Side{side}, side.H, alpha-1)
	beyond := math.Inf(1)
	for _, more := range []float64{0.1, 0.3, 1, 3, 10, 30, 100} {
		s := more * alpha
		beyond = math.Min(beyond, f.of.LogMoment(alpha+s)-s*f.high)
	}
	top := math.Max(within, beyond)
	return math.Max(0, top+math.Log(math.Exp(within-top)+math.Exp(beyond-top))+1e-12*(1+math.Abs(top)))
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

// Lattice is not known.
func (r *Revealed) Lattice() (spacing float64, ok bool) { return 0, false }

// Smooth is what it is.
func (r *Revealed) Smooth() bool { return true }

// Lost is nothing.
func (r *Revealed) Lost() (p, q Interval) { return p, q }

// Most is the larger one.
func (r *Revealed) Most() Interval {
	a, b := r.First.Most(), r.Second.Most()
	return Interval{math.Max(a.Low, b.Low), math.Max(a.High, b.High)}
}

// Symmetric says so of both.
func (r *Revealed) Symmetric() bool { return r.First.Symmetric() && r.Second.Symmetric() }

// Sampled is not known.
func (r *Revealed) Sampled(float64) (Pair, error) {
	return nil, fmt.Errorf("a truncated sample is not sampled again")
}

// LogMoment is the mean of the moments.
func (r *Revealed) LogMoment(alpha float64) float64 {
	a, b := r.First.LogMoment(alpha)+math.Log1p(-r.Chance), r.Second.LogMoment(alpha)+math.Log(r.Chance)
	top := math.Max(a, b)
	return math.Max(0, top+math.Log(math.Exp(a-top)+math.Exp(b-top))+1e-14*(1+math.Abs(top)))
}

// Cells adds those of both, weighted.
func (r *Revealed) Cells(h, tail float64) (above, below *lattice.Cells) {
	first, _ := r.First.Cells(h, tail)
	second, _ := r.Second.Cells(h, tail)
	c := lattice.Mixed(first, second, r.Chance)
	return c, c
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

// Sampled is not known.
func (l *Losing) Sampled(float64) (Pair, error) {
	return nil, fmt.Errorf("a sample of it is not accounted")
}

// LogMoment is at most that of the pair.
func (l *Losing) LogMoment(alpha float64) float64 { return l.Of.LogMoment(alpha) }

// Cells takes the chance off the masses, the least for the one and the most for the other.
func (l *Losing) Cells(h, tail float64) (above, below *lattice.Cells) {
	above, below = l.Of.Cells(h, tail)
	return above.Losing(l.Chance.High), below.Losing(l.Chance.Low)
}
