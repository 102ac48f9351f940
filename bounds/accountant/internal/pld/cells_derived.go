package pld

import "math"

// Folded returns the cells of the folded pair. Its positive losses are those of c, and its negative losses mirror them.
// The remaining probability has loss 0. ok is false if the probabilities of positive losses under P and Q add up to
// more than 1, so that no such pair exists.
func (c *Cells) Folded() (folded *Cells, ok bool) {
	top := max(1, c.Lo+c.N)
	m := NewCells(c.H, -top, 2*top)
	m.Rel, m.Jitter = c.Rel, c.Jitter
	m.PLow, m.PHigh, m.QLow, m.QHigh = c.QHigh, c.PHigh, c.PHigh, c.QHigh
	m.Lost, m.LostQ = c.Lost, c.Lost
	var all sum
	all.add(c.PHigh + c.QHigh + c.Lost)
	errors := 0.0
	for j := max(0, -2*c.Lo); j < 2*c.N; j++ {
		// Half cells [g, g+1] and [−g−1, −g] of width h/2.
		g := 2*c.Lo + j
		up, down := g-2*m.Lo, -g-1-2*m.Lo
		shrink := math.Exp(-float64(c.Lo+Touched(j)) * c.H)
		m.P[up], m.Rho[up], m.Err[up] = c.P[j], c.Rho[j], c.Err[j]
		m.P[down], m.Rho[down], m.Err[down] = c.Rho[j]*shrink, c.P[j]*shrink, c.Err[j]*shrink
		all.add(m.P[up])
		all.add(m.P[down])
		errors += c.Err[j] * (1 + shrink)
	}
	for i := max(0, 1-c.Lo); i <= c.N; i++ {
		index, shrink := c.Lo+i, math.Exp(-float64(c.Lo+i)*c.H)
		m.At[index-m.Lo] = c.At[i]
		m.At[-index-m.Lo] = c.At[i] * shrink
		all.add(c.At[i] * (1 + shrink))
	}
	roundoff := errors + 2*(c.Rel+8*unit)
	m.At[-m.Lo] = math.Max(0, 1-all.value())
	m.Err[-1-2*m.Lo] += roundoff
	return m, all.value() <= 1+roundoff
}

// Mixed returns the cells of the pair that is second with the given probability, first otherwise, and reveals the
// choice. Both must be on the same lattice.
func Mixed(first, second *Cells, chance float64) *Cells {
	lo := min(first.Lo, second.Lo)
	m := NewCells(first.H, lo, max(first.Lo+first.N, second.Lo+second.N)-lo)
	m.Rel, m.Jitter = math.Max(first.Rel, second.Rel)+4*unit, math.Max(first.Jitter, second.Jitter)
	put := func(c *Cells, w float64) {
		for j := range c.P {
			to := j + 2*(c.Lo-lo)
			m.P[to] += w * c.P[j]
			m.Rho[to] += w * c.Rho[j]
			m.Err[to] += w * c.Err[j]
		}
		for i, p := range c.At {
			m.At[i+c.Lo-lo] += w * p
		}
		m.PLow, m.PHigh = m.PLow+w*c.PLow, m.PHigh+w*c.PHigh
		m.QLow, m.QHigh = m.QLow+w*c.QLow, m.QHigh+w*c.QHigh
		m.Lost, m.LostQ = m.Lost+w*c.Lost, m.LostQ+w*c.LostQ
	}
	put(first, 1-chance)
	put(second, chance)
	return m
}

// Losing returns the cells of the pair that, with the given probability, has an infinite loss instead, in both orders.
func (c *Cells) Losing(chance float64) *Cells {
	all := NewCells(c.H, c.Lo, c.N)
	m := Mixed(c, all, chance)
	m.Lost, m.LostQ = (1-chance)*c.Lost+chance, (1-chance)*c.LostQ+chance
	return m
}

// sum adds numbers with compensation of rounding errors (Neumaier 1974).
type sum struct{ total, rest float64 }

func (s *sum) add(x float64) {
	t := s.total + x
	if math.Abs(s.total) >= math.Abs(x) {
		s.rest += (s.total - t) + x
	} else {
		s.rest += (x - t) + s.total
	}
	s.total = t
}

func (s *sum) value() float64 { return s.total + s.rest }
