package pld

import (
	"math"
	"slices"
)

// Instances is the lower pair of a mechanism for which several pairs of neighbors are known. Each bound of a single
// number uses the best of them. Cells uses the first; Rotated exchanges it.
type Instances struct {
	pairs []Pair
	// Once has the largest δ of one run at every ε. Each of its half-spaces is attained by some neighbors, but not all by
	// the same. It is nil if it is unknown.
	Once Pair
}

// NewInstances returns the lower pair of at least one pair of neighbors. once may be nil.
func NewInstances(once Pair, pairs ...Pair) *Instances { return &Instances{pairs, once} }

// Rotated returns the same instances with another one first.
func (i *Instances) Rotated() *Instances {
	return &Instances{append(slices.Clone(i.pairs[1:]), i.pairs[0]), i.Once}
}

// Losses returns the range of the first instance.
func (i *Instances) Losses(tail float64) (low, high float64) { return i.pairs[0].Losses(tail) }

// Lattice returns the lattice of the first instance.
func (i *Instances) Lattice() (spacing float64, ok bool) { return i.pairs[0].Lattice() }

// Smooth reports whether the first instance is smooth.
func (i *Instances) Smooth() bool { return i.pairs[0].Smooth() }

// Symmetric reports whether the first instance is symmetric.
func (i *Instances) Symmetric() bool { return i.pairs[0].Symmetric() }

// Cells discretizes the first instance.
func (i *Instances) Cells(h, tail float64) (above, below *Cells) { return i.pairs[0].Cells(h, tail) }

// Lost returns the probabilities of infinite loss for the first instance.
func (i *Instances) Lost() (p, q Interval) { return i.pairs[0].Lost() }

// Most has the largest lower end of all instances.
func (i *Instances) Most() Interval {
	largest := i.pairs[0].Most()
	for _, p := range i.pairs[1:] {
		m := p.Most()
		largest = Interval{math.Max(largest.Low, m.Low), math.Max(largest.High, m.High)}
	}
	return largest
}

// LogMoment has the largest lower end of all instances. They are distributions of one mechanism on different
// neighbors, so at every order the best of them occurs.
func (i *Instances) LogMoment(alpha float64) Interval {
	largest := i.pairs[0].LogMoment(alpha)
	for _, p := range i.pairs[1:] {
		m := p.LogMoment(alpha)
		largest = Interval{math.Max(largest.Low, m.Low), math.Max(largest.High, m.High)}
	}
	return largest
}

// Sampled samples every instance.
func (i *Instances) Sampled(q float64) (Pair, error) {
	sampled := &Instances{pairs: make([]Pair, len(i.pairs))}
	for k, p := range i.pairs {
		var err error
		if sampled.pairs[k], err = p.Sampled(q); err != nil {
			return nil, err
		}
	}
	return sampled, nil
}
