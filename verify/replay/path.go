package replay

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
)

// only returns the comparison in which every call gets the same value in B as in A, except at the known units.
func (d *decoder[D]) only(c comparison) comparison {
	c.b.Calls, c.moves = slices.Clone(c.b.Calls), slices.Clone(c.moves)
	for i := range c.moves {
		x := c.a.Calls[i]
		if coin(x.Kind) {
			continue
		}
		units, value := d.units(i), slices.Clone(c.b.Calls[i].Value)
		all := true
		for _, u := range units {
			if _, ok := d.known[u]; !ok {
				all, value[u.entry] = false, x.Value[u.entry]
			}
		}
		if !all && (!additive(x.Kind) || x.Kind == primitive.L2Laplace) { // such a call is charged completely or not at all
			value = x.Value
		}
		c.b.Calls[i].Value = value
		c.moves[i] = moved(x, c.b.Calls[i])
	}
	return c
}

// attained returns the largest privacy loss found at one output, at which all known units release values that are
// likelier on one input. It returns 0 if the two runs with these values differ.
func (d *decoder[D]) attained() (most float64) {
	for side := range 2 {
		if (side == 0 && d.c.by.insert >= 0 && d.c.by.drop < 0) || (side == 1 && d.c.by.drop >= 0 && d.c.by.insert < 0) {
			continue // the cost of a sample is known only for outputs that are likelier with the record
		}
		most = math.Max(most, d.attainedOn(side))
	}
	return most
}

// attainedOn returns the loss at releases that are likelier on A (side 0) or on B (side 1).
func (d *decoder[D]) attainedOn(side int) float64 {
	calls, runs := d.c.recorded, [2]Run{d.c.a, d.c.b}
	for range 3 { // the values given to later calls may depend on earlier releases
		next := slices.Clone(calls)
		for _, u := range d.decided() {
			own, other := runs[side].Calls[u.call], runs[1-side].Calls[u.call]
			if released, ok := d.favouring(u, d.known[u], own, other); ok {
				next = withRelease(next, u, released)
			}
		}
		calls = next
		var ok [2]bool
		var out [2][]any
		runs[0], out[0], ok[0] = d.replay(d.pair.A, calls)
		runs[1], out[1], ok[1] = d.replay(d.pair.B, d.c.by.apply(calls))
		if !ok[0] || !ok[1] {
			return 0
		}
	}
	seen := spent{pure: true}
	for i := range calls {
		x, y := runs[0].Calls[i], runs[1].Calls[i]
		switch {
		case x.Kind == primitive.Poisson && x.Value[0] != y.Value[0]:
			seen.sample(x.Scale)
		case !coin(x.Kind):
			loss := d.loss(i, runs[side].Calls[i], runs[1-side].Calls[i])
			seen.add(loss - math.Abs(loss)*Rounding)
		}
	}
	seen.end()
	return seen.loss
}

// favouring returns a released value of the unit that is likelier under own than under other, and that the output
// distinguishes from less likely ones.
func (d *decoder[D]) favouring(u unit, is response, own, other Call) (released float64, ok bool) {
	switch {
	case own.Sensitivity == 0: // costs nothing
		return 0, false
	case own.Kind == primitive.Exponential:
		p, q := choiceLogs(own), choiceLogs(other)
		at := 0
		for i := range p {
			if p[i]-q[i] > p[at]-q[at] {
				at = i
			}
		}
		return float64(at), true
	case own.Kind == primitive.RandomizedResponse:
		return own.Value[0], len(own.Value) == 1 && is.at[own.Value[0]] != nil
	case !additive(own.Kind):
		return 0, false
	}
	a, b := own.Value[u.entry], other.Value[u.entry]
	if a == b {
		return 0, false
	}
	steps := []float64{0.47, 1.13, 2.29, 4.37}
	if own.Kind == primitive.Gaussian || own.Kind == primitive.DiscreteGaussian {
		far := 2 * (1 + d.s.accounts.atMost) * own.Scale / math.Abs(a-b)
		steps = []float64{math.Max(4.37, far)}
	}
	for _, step := range steps {
		released = a + math.Copysign(1, a-b)*spread(own, step)
		if d.beyond(u, is, a, released) {
			return released, true
		}
	}
	return 0, false
}

// beyond reports whether the output distinguishes a release from the value (for Gaussian noise, from the midpoint),
// and larger releases move the output in the same direction. At the value itself, Laplace noise already has its full
// loss.
func (d *decoder[D]) beyond(u unit, is response, value, released float64) bool {
	var out [3][]any
	from := value
	if kind := d.c.a.Calls[u.call].Kind; kind == primitive.Gaussian || kind == primitive.DiscreteGaussian {
		from = (value + released) / 2
	}
	for k, r := range []float64{from, released, released + (released - value)} {
		var ok bool
		if _, out[k], ok = d.replay(d.pair.A, withRelease(d.c.recorded, u, r)); !ok {
			return false
		}
	}
	return slices.ContainsFunc(is.leaves, func(leaf int) bool {
		x, first := out[0][leaf].(float64)
		y, second := out[1][leaf].(float64)
		z, third := out[2][leaf].(float64)
		return first && second && third && (x < y && y <= z || x > y && y >= z)
	})
}

// loss returns the log ratio of the probabilities of a call's known units given own and given other, less the
// possible effect of rounding.
func (d *decoder[D]) loss(call int, own, other Call) (loss float64) {
	known := func(u unit) bool { _, ok := d.known[u]; return ok }
	units := slices.DeleteFunc(d.units(call), func(u unit) bool { return !known(u) })
	if len(units) == 0 || own.Sensitivity == 0 {
		return 0
	}
	m := moved(own, other)
	slack := m.slack / own.Scale
	if m.distance > 0 && own.Sensitivity < m.distance { // the part sensitivity reports the excess
		defer func() { loss *= own.Sensitivity / m.distance }()
	}
	distance := func(p float64) (by float64) {
		var a, b float64
		for _, u := range units {
			r := own.Released[u.entry]
			a, b = a+math.Pow(math.Abs(r-own.Value[u.entry]), p), b+math.Pow(math.Abs(r-other.Value[u.entry]), p)
		}
		return b - a
	}
	switch own.Kind {
	case primitive.Laplace, primitive.DiscreteLaplace:
		return distance(1)/own.Scale - slack
	case primitive.Gaussian, primitive.DiscreteGaussian: // the loss at the midpoint of value and release; see beyond
		return (distance(2) - m.distance*m.distance) / 2 / (2 * own.Scale * own.Scale)
	case primitive.L2Laplace:
		if len(units) < len(own.Value) {
			return 0
		}
		r := own.Released
		return (euclid(r, other.Value)-euclid(r, own.Value))/own.Scale - slack
	case primitive.Exponential:
		at := int(own.Released[0])
		return choiceLogs(own)[at] - choiceLogs(other)[at] - 2*slack
	case primitive.RandomizedResponse:
		switch r := own.Released[0]; {
		case m.distance == 0:
		case r == own.Value[0]:
			return 1 / own.Scale
		case r == other.Value[0]:
			return -1 / own.Scale
		}
	}
	return 0
}

func euclid(x, y []float64) float64 {
	var s float64
	for i := range x {
		s = math.Hypot(s, x[i]-y[i])
	}
	return s
}

// attributed reports whether each known unit uses only the last sample before it, counting the samples over different
// numbers of records. Leaving the additional record out of this sample has to remove the unit's difference.
func (d *decoder[D]) attributed() bool {
	larger, small, at := d.pair.A, d.c.b, d.c.by.drop
	if at < 0 {
		larger, small, at = d.pair.B, d.c.a, d.c.by.insert
	}
	for k := range d.c.moves {
		if d.c.a.Calls[k].Kind != primitive.Poisson || d.c.a.Calls[k].Value[0] == d.c.b.Calls[k].Value[0] {
			continue
		}
		calls, was := d.c.recorded, d.c.a
		if d.c.by.insert >= 0 {
			calls, was = d.c.by.apply(calls), d.c.b
		}
		if at < 0 || at >= len(calls[k].Released) {
			return false
		}
		run, _, ok := d.replay(larger, withRelease(calls, unit{k, at}, 0))
		if !ok {
			return false
		}
		for _, u := range d.decided() {
			want := was
			if d.sampleOf(u.call) == k {
				want = small
			}
			if !d.givenAs(want.Calls[u.call], run.Calls[u.call], u) {
				return false
			}
		}
	}
	return true
}

// sampleOf returns the last sample before a call that is over different numbers of records in A and B, or −1.
func (d *decoder[D]) sampleOf(call int) int {
	for k := call - 1; k >= 0; k-- {
		if d.c.a.Calls[k].Kind == primitive.Poisson && d.c.a.Calls[k].Value[0] != d.c.b.Calls[k].Value[0] {
			return k
		}
	}
	return -1
}
