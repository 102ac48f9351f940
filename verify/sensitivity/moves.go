package sensitivity

import (
	"math"

	"github.com/dpverify/dpverify/internal/rng"
)

// pairs returns the number of pairs of a finite domain, +Inf for other domains.
func (s *sensitivitySearch) pairs() float64 {
	if s.cell.Records.Dim+s.cell.Shared.Dim > 0 {
		return math.Inf(1)
	}
	count := 1.0
	for _, k := range s.radices() {
		count *= float64(k)
	}
	return count
}

// radices returns the number of values of each discrete parameter: labels, position, choices.
func (s *sensitivitySearch) radices() []int {
	var out []int
	for range s.slots() {
		out = append(out, max(1, len(s.cell.Records.Labels)))
	}
	return append(append(out, s.cell.N), s.cell.Choices...)
}

// slots returns the number of records in a pair: N, and one more if a record is replaced.
func (s *sensitivitySearch) slots() int {
	if s.replace {
		return s.cell.N + 1
	}
	return s.cell.N
}

// enumerate tries every pair of a finite domain. It returns false if the map draws random numbers, since these pairs do
// not cover all of its outputs, or if the search has ended.
func (s *sensitivitySearch) enumerate() bool {
	s.left = math.MaxInt64
	c, radices := s.newSuspect(), s.radices()
	digits := make([]int, len(radices))
	for {
		n := s.slots()
		copy(c.labels, digits[:n])
		c.at = digits[n]
		copy(c.choice, digits[n+1:])
		if !s.evaluate(c) {
			return false
		}
		s.offer(c)
		i := 0
		for ; i < len(digits); i++ {
			if digits[i]++; digits[i] < radices[i] {
				break
			}
			digits[i] = 0
		}
		if i == len(digits) || s.runs.tape.read {
			return !s.runs.tape.read
		}
	}
}

// explore draws pairs: three of four consist of extreme points in patterns, the others of random points.
func (s *sensitivitySearch) explore() {
	c := s.newSuspect()
	for i := 0; !s.over(); i++ {
		if i%4 == 3 {
			s.drawRandom(c)
		} else {
			s.drawEdges(c)
		}
		s.drawDiscrete(c)
		if s.evaluate(c) {
			s.offer(c)
		}
	}
}

// sweep tries the best pair at every position and with every value of every choice, until the evaluations are used up.
func (s *sensitivitySearch) sweep() {
	trial, best := s.newSuspect(), s.newSuspect()
	s.order()
	best.copyFrom(s.pool[0])
	try := func(change func()) {
		trial.copyFrom(best)
		change()
		if !s.evaluate(trial) {
			return
		}
		if s.offer(trial); trial.rank > best.rank {
			best.copyFrom(trial)
		}
	}
	for i, k := range s.cell.Choices {
		for value := 0; value < k && !s.over(); value++ {
			try(func() { trial.choice[i] = value })
		}
	}
	for to := 0; to < s.cell.N && !s.over(); to++ {
		try(func() { s.shift(trial, to) })
	}
}

// shift exchanges the differing record with the record at another position.
func (s *sensitivitySearch) shift(c *suspect, to int) {
	c.labels[c.at], c.labels[to] = c.labels[to], c.labels[c.at]
	a, b := s.block(c, c.at), s.block(c, to)
	for k := range a {
		a[k], b[k] = b[k], a[k]
	}
	c.at = to
}

// drawDiscrete draws the choices, the labels, the position and the seed.
func (s *sensitivitySearch) drawDiscrete(c *suspect) {
	for i, k := range s.cell.Choices {
		c.choice[i] = s.r.IntN(k)
	}
	if labels := max(1, len(s.cell.Records.Labels)); s.r.IntN(2) == 0 {
		first := s.r.IntN(labels)
		for i := range c.labels {
			c.labels[i] = first
		}
	} else {
		for i := range c.labels {
			c.labels[i] = s.r.IntN(labels)
		}
	}
	switch n := s.cell.N; s.r.IntN(4) {
	case 0:
		c.at = 0
	case 1:
		c.at = n - 1
	default:
		c.at = s.r.IntN(n)
	}
	s.drawSeed(c)
}

// drawSeed draws one of four seeds half of the time, so that pairs can be compared at equal seeds. A map without random
// numbers always gets firstSeed.
func (s *sensitivitySearch) drawSeed(c *suspect) {
	if c.seed = firstSeed; !s.runs.tape.read {
		return
	}
	if s.r.IntN(2) == 0 {
		c.seed = s.r.Uint64() >> 11
	} else {
		c.seed += s.r.Uint64N(4)
	}
}

// Patterns of the records in an edge pair. The index of the record is i.
const (
	allZero = iota
	allEqual
	alternating
	someEqual // each is zero or one of two opposite points
	twoAxes   // each is one of two points or their opposites
	anyEdges
	edgePatterns
)

// drawEdges makes a pair from two directions u and v. The common records form a pattern. The differing record is an
// extreme point, usually replaced by its opposite.
func (s *sensitivitySearch) drawEdges(c *suspect) {
	r, norm := s.r, s.cell.Records.Norm
	if s.cell.Records.Dim > 0 {
		norm.edge(r, s.u)
		norm.edge(r, s.v)
		pattern := r.IntN(edgePatterns)
		for i := range s.slots() {
			s.drawPattern(s.block(c, i), pattern, i)
		}
		s.drawDifference(c)
	}
	shared := s.block(c, s.cell.N+1)
	if len(shared) == 0 {
		return
	}
	s.cell.Shared.Norm.edge(r, shared)
	switch r.IntN(6) {
	case 0:
		clear(shared)
		return
	case 1, 2, 3: // parallel to a record
		if len(shared) == len(s.u) {
			put(shared, s.oneOf(s.u, s.v), float64(2*r.IntN(2)-1))
			s.cell.Shared.Norm.boundary(shared)
		}
	}
	s.drawScale(shared)
}

// drawDifference draws extreme points for the differing records.
func (s *sensitivitySearch) drawDifference(c *suspect) {
	r, norm := s.r, s.cell.Records.Norm
	a, other := s.block(c, c.at), s.block(c, s.cell.N)
	put(a, s.oneOf(s.u, s.v), float64(2*r.IntN(2)-1))
	if !s.replace {
		return
	}
	switch r.IntN(5) {
	case 0:
		clear(other)
	case 1:
		put(other, s.oneOf(s.u, s.v), float64(2*r.IntN(2)-1))
	case 2:
		norm.edge(r, other)
	default:
		put(other, a, -1)
	}
}

func (s *sensitivitySearch) drawPattern(x []float64, pattern, i int) {
	switch pattern {
	case allZero:
		clear(x)
	case allEqual:
		put(x, s.u, 1)
	case alternating:
		put(x, s.u, float64(1-2*(i%2)))
	case someEqual:
		put(x, s.u, float64(s.r.IntN(3)-1))
	case twoAxes:
		put(x, s.oneOf(s.u, s.v), float64(2*s.r.IntN(2)-1))
	case anyEdges:
		s.cell.Records.Norm.edge(s.r, x)
	}
}

func (s *sensitivitySearch) oneOf(u, v []float64) []float64 {
	if s.r.IntN(2) == 0 {
		return u
	}
	return v
}

// put sets dst to factor · x.
func put(dst, x []float64, factor float64) {
	for i, v := range x {
		dst[i] = factor * v
	}
}

// drawScale shrinks parameters half of the time, by a factor up to 10⁶, since the map may vary on a smaller scale than
// the radius of the domain.
func (s *sensitivitySearch) drawScale(x []float64) {
	if s.r.IntN(2) == 0 {
		put(x, x, math.Pow(10, -6*s.r.Float64()))
	}
}

// drawRandom makes a pair of points inside their balls.
func (s *sensitivitySearch) drawRandom(c *suspect) {
	for i := range s.cell.N + 2 {
		x := s.block(c, i)
		if len(x) == 0 {
			continue
		}
		gaussian(s.r, x)
		s.blockNorm(i).boundary(x)
		put(x, x, math.Pow(s.r.Float64(), 1/float64(len(x))))
		if i > s.cell.N {
			s.drawScale(x)
		}
	}
}

const (
	// stepGain and stepLoss keep the step size constant on average if one move in five succeeds (Rechenberg's rule):
	// ln 1.5 ≈ −4·ln 0.905.
	stepGain, stepLoss = 1.5, 0.905
	firstStep          = 0.3
	minStep            = 1e-7
	// negligible is the relative improvement that the search ignores.
	negligible = 1e-9
)

// climb improves a pair by random moves.
func (s *sensitivitySearch) climb(best *suspect) {
	step, trial := firstStep, s.newSuspect()
	for !s.over() {
		trial.copyFrom(best)
		s.move(trial, step)
		if !s.evaluate(trial) {
			return
		}
		if trial.value > best.value+negligible*math.Abs(best.value) {
			step = math.Min(1, step*stepGain)
		} else if step *= stepLoss; step < minStep {
			step = firstStep
		}
		if trial.rank >= best.rank {
			best.copyFrom(trial)
		}
	}
}

// move changes one component of a pair, or all real parameters slightly.
func (s *sensitivitySearch) move(c *suspect, step float64) {
	r, n := s.r, s.cell.N
	if len(c.z) == 0 {
		s.moveDiscrete(c)
		return
	}
	i := s.anyBlock(c)
	x := s.block(c, i)
	switch r.IntN(12) {
	case 0, 1, 2, 3, 4:
		s.nudge(c, i, step)
	case 5:
		for j := range n + 2 {
			s.nudge(c, j, step)
		}
	case 6:
		s.blockNorm(i).edge(r, x)
	case 7: // parallel or opposite to another record
		if from := s.block(c, r.IntN(s.slots())); len(x) == len(from) {
			put(x, from, float64(2*r.IntN(2)-1))
			s.confine(c, i)
		}
	case 8:
		put(x, x, math.Exp(rng.Normal(r)))
		s.confine(c, i)
	case 9: // all other records equal
		like := c.at
		if s.replace && r.IntN(2) == 0 {
			like = n
		}
		s.putOthers(c, s.block(c, like), float64(r.IntN(3)-1), c.labels[like])
	default:
		s.moveDiscrete(c)
	}
}

// anyBlock draws a block: the shared parameters, any record or, half of the time, a differing record.
func (s *sensitivitySearch) anyBlock(c *suspect) int {
	n, r := s.cell.N, s.r
	switch {
	case len(s.block(c, n+1)) > 0 && (s.cell.Records.Dim == 0 || r.IntN(4) == 0):
		return n + 1
	case r.IntN(3) == 0:
		return r.IntN(s.slots())
	case s.replace && r.IntN(2) == 0:
		return n
	}
	return c.at
}

// nudge adds a normal vector of expected length about step to a block.
func (s *sensitivitySearch) nudge(c *suspect, i int, step float64) {
	x := s.block(c, i)
	scale := step / math.Sqrt(float64(max(1, len(x))))
	for k := range x {
		x[k] += float64(scale * rng.Normal(s.r))
	}
	s.confine(c, i)
}

// moveDiscrete changes a label, the position, a choice or the seed.
func (s *sensitivitySearch) moveDiscrete(c *suspect) {
	r := s.r
	switch kind := r.IntN(4); {
	case kind == 0 && len(s.cell.Choices) > 0:
		i := r.IntN(len(c.choice))
		c.choice[i] = r.IntN(s.cell.Choices[i])
	case kind == 1 && s.runs.tape.read:
		s.drawSeed(c)
	case kind == 2: // the differing record moves, or another record becomes the differing one
		if to := r.IntN(s.cell.N); r.IntN(2) == 0 {
			s.shift(c, to)
		} else {
			c.at = to
		}
	default:
		i := r.IntN(s.slots())
		c.labels[i] = r.IntN(max(1, len(s.cell.Records.Labels)))
	}
}
