package pld

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// unit is the unit roundoff of float64.
const unit = 1.0 / (1 << 53)

// mostLoss is the largest supported finite loss. For larger losses, the smaller probability underflows.
const mostLoss = 650

// Atom is an output, or a set of outputs with equal privacy loss, with its probabilities under P and Q.
type Atom struct{ P, Q float64 }

func (a Atom) loss() float64 { return math.Log(a.P) - math.Log(a.Q) }

// Finite is a pair of distributions with finitely many outputs. Build it with NewFinite.
type Finite struct {
	atoms        []located // in increasing order of loss
	lostP, lostQ float64
	rel          float64 // relative error of every probability
	tail         float64 // bound of the probability that is not in atoms
	spacing      float64
	aligned      bool
	beyond       *gaussianTail // outputs that are not in atoms; nil if there are none
}

// located is an atom with its loss, whose error is a few roundings of 1 + |loss|.
type located struct {
	loss float64
	Atom
}

// NewFinite returns the pair with these outputs. Each probability has a relative error of at most rel, 0 ≤ rel ≤ 1e-6,
// and they are assumed to add up to 1. It returns an error if a probability is invalid or a finite loss exceeds 650.
func NewFinite(outputs []Atom, rel float64) (*Finite, error) {
	f := &Finite{rel: rel + 4*unit}
	for i, a := range outputs {
		switch {
		case !(a.P >= 0 && a.P <= 1 && a.Q >= 0 && a.Q <= 1):
			return nil, fmt.Errorf("output %d has probabilities %v and %v: want numbers in [0, 1]", i+1, a.P, a.Q)
		case a.P == 0:
			f.lostQ += a.Q
		case a.Q == 0:
			f.lostP += a.P
		case math.Abs(a.loss()) > mostLoss:
			return nil, fmt.Errorf("output %d has a privacy loss of %.4g: want at most %d", i+1, a.loss(), mostLoss)
		default:
			f.atoms = append(f.atoms, located{a.loss(), a})
		}
	}
	f.rel += float64(len(outputs)) * unit
	slices.SortFunc(f.atoms, func(a, b located) int { return cmp.Compare(a.loss, b.loss) })
	f.spacing, f.aligned = f.common()
	return f, nil
}

// common returns the spacing of a lattice through 0 that contains all losses.
func (f *Finite) common() (spacing float64, ok bool) {
	for _, a := range f.atoms {
		if x := math.Abs(a.loss); x > 1e-12 {
			if spacing = CommonSpacing(spacing, x); spacing == 0 {
				return 0, false
			}
		}
	}
	return spacing, true
}

// Losses returns the range of all finite losses.
func (f *Finite) Losses(float64) (low, high float64) {
	if len(f.atoms) == 0 {
		return 0, 0
	}
	return f.atoms[0].loss, f.atoms[len(f.atoms)-1].loss
}

// Atoms returns the outputs by increasing loss, and the relative error of their probabilities. all is false if there
// are other outputs.
func (f *Finite) Atoms() (atoms []Atom, rel float64, all bool) {
	for _, a := range f.atoms {
		atoms = append(atoms, a.Atom)
	}
	return atoms, f.rel, f.tail == 0 && f.lostP == 0 && f.lostQ == 0
}

// Lattice returns the common spacing of the losses.
func (f *Finite) Lattice() (spacing float64, ok bool) { return f.spacing, f.aligned }

// Smooth reports whether no lattice contains the losses.
func (f *Finite) Smooth() bool { return !f.aligned }

// Cells puts the atoms on the lattice.
func (f *Finite) Cells(h, tail float64) (above, below *Cells) {
	low, high := f.Losses(tail)
	first, last := math.Floor(low/h-1e-9), math.Ceil(high/h+1e-9)
	c := NewCells(h, int(first), max(1, int(last-first)))
	// The loss of inexact probabilities has an error of at most 2·rel.
	c.Jitter = 2*f.rel + 8*unit*(1+math.Max(math.Abs(low), math.Abs(high)))
	c.Rel += f.rel + 8*unit*(1+math.Max(math.Abs(low), math.Abs(high)))
	for _, a := range f.atoms {
		c.Add(a.loss, a.P)
	}
	c.Lost, c.LostQ = f.lostP, f.lostQ
	f.withTail(c)
	return c, c
}

// LogMoment sums over the atoms. Outputs that are not among them increase only the upper end.
func (f *Finite) LogMoment(alpha float64) Interval {
	top := math.Inf(-1)
	term := func(a located) float64 { return math.Log(a.Q) + alpha*a.loss }
	for _, a := range f.atoms {
		top = math.Max(top, term(a))
	}
	if math.IsInf(top, -1) {
		return Interval{none, none}
	}
	sum, size := 0.0, 0.0
	for _, a := range f.atoms {
		sum += math.Exp(term(a) - top)
		size = math.Max(size, math.Abs(a.loss))
	}
	l := top + math.Log(sum)
	roundoff := f.rel*(1+2*math.Abs(alpha)) + 16*unit*(1+math.Abs(top)+(1+math.Abs(alpha))*(1+size))
	m := Interval{l - roundoff, l + roundoff}
	if f.beyond != nil {
		m.High = f.beyond.moment(alpha, m.High, f.tail)
	}
	return m
}

// Lost returns the probabilities of infinite loss.
func (f *Finite) Lost() (p, q Interval) { return f.within(f.lostP), f.within(f.lostQ) }

func (f *Finite) within(mass float64) Interval {
	return Interval{mass * (1 - f.rel), math.Min(1, mass*(1+f.rel))}
}

// Most brackets the largest finite loss.
func (f *Finite) Most() Interval {
	low, high := f.Losses(0)
	largest := math.Max(-low, high)
	roundoff := 4*unit*(1+largest) + 2*f.rel
	if f.tail > 0 {
		return Interval{math.Inf(1), math.Inf(1)}
	}
	return Interval{math.Max(0, largest-roundoff), largest + roundoff}
}

// Symmetric compares the atoms with those of the reversed pair.
func (f *Finite) Symmetric() bool {
	n := len(f.atoms)
	for i, a := range f.atoms {
		b := f.atoms[n-1-i]
		if a.P != b.Q || a.Q != b.P {
			return false
		}
	}
	return f.lostP == f.lostQ
}

// Sampled mixes P with Q.
func (f *Finite) Sampled(q float64) (Pair, error) {
	if f.tail > 0 {
		return f.sampled(q), nil
	}
	outputs := make([]Atom, 0, len(f.atoms)+2)
	for _, a := range f.atoms {
		outputs = append(outputs, Atom{(1-q)*a.Q + q*a.P, a.Q})
	}
	return NewFinite(append(outputs, Atom{q * f.lostP, 0}, Atom{(1 - q) * f.lostQ, f.lostQ}), f.rel+8*unit)
}

// Delta brackets the hockey-stick divergence at ε ≥ 0, in the worse order of the distributions.
func (f *Finite) Delta(epsilon float64) Interval {
	forth, back, size := f.lostP, f.lostQ, 0.0
	for _, a := range f.atoms {
		if d := a.loss - epsilon; d > 0 {
			forth += a.P * -math.Expm1(-d)
			size += a.P
		}
		if d := -a.loss - epsilon; d > 0 {
			back += a.Q * -math.Expm1(-d)
			size += a.Q
		}
	}
	// The error of a loss is a few roundings plus the relative errors of both probabilities.
	low, high := f.Losses(0)
	roundoff := size*(8*unit*(1+math.Max(math.Abs(low), math.Abs(high))+epsilon)+3*f.rel) + f.tail
	d := math.Max(forth, back)
	rel := f.rel + 2*float64(len(f.atoms))*unit
	return Interval{math.Max(0, d*(1-rel)-roundoff), math.Min(1, d*(1+rel)+roundoff)}
}

// sampled computes Sampled for distributions with tails and keeps their atoms.
func (f *Finite) sampled(q float64) *Finite {
	m := &Finite{rel: f.rel + 8*unit, tail: f.tail, beyond: f.beyond.sampled(q)}
	for _, a := range f.atoms {
		mixed := Atom{(1-q)*a.Q + q*a.P, a.Q}
		_, loss := numeric.MixtureRatio(q, a.loss)
		m.atoms = append(m.atoms, located{loss, mixed})
	}
	return m
}

// Bracketed is a pair that is only known to be between two others.
type Bracketed struct {
	Above, Below Pair
}

// Losses returns the union of both ranges.
func (b Bracketed) Losses(tail float64) (low, high float64) {
	low, high = b.Above.Losses(tail)
	lowest, highest := b.Below.Losses(tail)
	return math.Min(low, lowest), math.Max(high, highest)
}

// Lattice returns a lattice for both pairs.
func (b Bracketed) Lattice() (spacing float64, ok bool) { return latticeOf(b.Above, b.Below) }

// Smooth reports whether at least one pair is smooth.
func (b Bracketed) Smooth() bool { return b.Above.Smooth() || b.Below.Smooth() }

// Cells discretizes both pairs.
func (b Bracketed) Cells(h, tail float64) (above, below *Cells) {
	above, _ = b.Above.Cells(h, tail)
	_, below = b.Below.Cells(h, tail)
	return above, below
}

// LogMoment combines the upper end of the upper pair and the lower end of the lower pair.
func (b Bracketed) LogMoment(alpha float64) Interval {
	return Interval{b.Below.LogMoment(alpha).Low, b.Above.LogMoment(alpha).High}
}

// Lost combines the upper end of the upper pair and the lower end of the lower pair.
func (b Bracketed) Lost() (p, q Interval) {
	aboveP, aboveQ := b.Above.Lost()
	belowP, belowQ := b.Below.Lost()
	return Interval{belowP.Low, aboveP.High}, Interval{belowQ.Low, aboveQ.High}
}

// Most combines the upper end of the upper pair and the lower end of the lower pair.
func (b Bracketed) Most() Interval { return Interval{b.Below.Most().Low, b.Above.Most().High} }

// Symmetric reports whether both pairs are symmetric.
func (b Bracketed) Symmetric() bool { return b.Above.Symmetric() && b.Below.Symmetric() }

// Sampled samples both pairs.
func (b Bracketed) Sampled(q float64) (Pair, error) {
	above, err := b.Above.Sampled(q)
	if err != nil {
		return nil, err
	}
	below, err := b.Below.Sampled(q)
	return &Bracketed{above, below}, err
}
