package distinguisher

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// The scan looks for a gross violation of the claim, by the counts of the search sample as
// they are. The rest of the search asks which event certifies most: it shrinks what it sees,
// and cuts scores at one threshold. The scan asks which of a fixed family of events lies
// furthest beyond what the claim allows, and reports it only where that is more than the
// largest of all events of a true claim would be by chance. What it finds, and from which mass
// on, can therefore be foreseen: the power of an audit rests on it.
//
// The family is that of scanned: for every fixed score all values beyond a threshold, all
// values in an interval, and each single value, numbers and symbols; each class of every
// division, and all others; and each whole output.

// Line is a statement p ≤ Slope·q + Offset about the probabilities of an event under
// two inputs: (ε, δ)-DP is that of slope e^ε and offset δ. Slope > 0, Offset in [0, 1).
type Line struct{ Slope, Offset float64 }

// commonMass is the mass from which on counts are binomial to the scan: below it they are
// as good as Poisson counts, whose likelihood has a closed form.
const commonMass = 0.05

// deviation is how far x of na samples and y of nb lie beyond the line, in standard
// deviations: the signed root of the likelihood ratio. 0 on the line and on its side.
func (l Line) deviation(x, na, y, nb float64) float64 {
	t, d := l.Slope*na/nb, l.Offset*na
	if !(x > t*y+d) {
		return 0
	}
	if x > commonMass*na {
		half := confidence.HalfDeviance(l.Slope, l.Offset, x, na, y, nb)
		return math.Sqrt(2 * half)
	}
	// Where the line is likeliest y has mean m and x has mean t·m + d: the derivative
	// of the likelihood in m vanishes.
	b := (t+1)*d - t*(x+y)
	m := (-b + math.Sqrt(b*b+4*t*(t+1)*y*d)) / (2 * t * (t + 1))
	half := confidence.PoissonDeviance(y, m)
	if mean := t*m + d; mean > 0 {
		half += confidence.PoissonDeviance(x, mean)
	}
	return math.Sqrt(2 * half)
}

const (
	// scanError is the probability, roughly, that the scan reports an event where the claim holds.
	scanError = 0.02
	// leastScanned rows make an event: fewer stand out under no claim.
	leastScanned = 8
	// overlap is how many events, roughly, count for every one of those that have no row in
	// common: they may begin and end anywhere.
	overlap = 1000
	// spentOn is how many events, roughly, may be at the claim's δ: over events without a
	// row in common, what they have beyond e^ε times their other mass sums to δ at most.
	spentOn = 8
	// lineMasses are the masses 2⁻ᵏ for which a line is kept.
	lineMasses = 30
)

// StandsOut reports whether counts x of na samples and y of nb, of an event of a scan of so many
// scores, over all pairs, deviate more than any event's of a true claim would by chance; and
// their deviation from the claim. Two things are asked for, each of as many events as may
// reach it, of either direction: that the counts deviate from the line without its offset, at
// which there may be as many events without a common row as rows of this one fit
// in the samples; and from the line, at which there are a few.
func (l Line) StandsOut(x, na, y, nb float64, scores int) (deviation float64, out bool) {
	if x+y < leastScanned {
		return 0, false
	}
	pure := Line{Slope: l.Slope}.deviation(x, na, y, nb)
	if !(pure > 2.5) { // no threshold below is as low
		return 0, false
	}
	all := 2 * float64(max(scores, 1))
	if !(pure > confidence.NormalUpperQuantile(scanError/all/overlap*math.Min(1, (x+y)/(na+nb)))) {
		return 0, false
	}
	if l.Offset == 0 {
		return pure, true
	}
	deviation = l.deviation(x, na, y, nb)
	return deviation, deviation > confidence.NormalUpperQuantile(scanError/all/spentOn)
}

// scan is the state of a search of one pair.
type scan struct {
	Search
	table  *table
	lines  [lineMasses]Line
	scores int
	best   scanned
}

// scanned is an event that stands out, with its counts, those of the input where it is
// likelier first.
type scanned struct {
	deviation, x, y float64
	swapped         bool
	witness         func() Event // its score, threshold and words
}

// newScan is nil where nothing is claimed, or a claim that no count contradicts.
func newScan(s Search, t *table, scores int) *scan {
	if s.Against == nil {
		return nil
	}
	out := &scan{Search: s, table: t, scores: min(scores, math.MaxInt32)}
	for k := range out.lines {
		out.lines[k] = s.Against(math.Exp2(-float64(k)))
		if !(out.lines[k].Slope <= 1e200) {
			return nil
		}
	}
	return out
}

// see compares an event with the claim, in both directions.
func (s *scan) see(a, b float64, witness func() Event) {
	s.seeOne(a, s.table.na, b, s.table.nb, false, witness)
	s.seeOne(b, s.table.nb, a, s.table.na, true, witness)
}

func (s *scan) seeOne(x, nx, y, ny float64, swapped bool, witness func() Event) {
	if !(x > 0) {
		return
	}
	k := max(0, min(lineMasses-1, int(-math.Log2(x/nx))))
	if z, out := s.lines[k].StandsOut(x, nx, y, ny, s.scores*max(s.Pairs, 1)); out && z > s.best.deviation {
		s.best = scanned{z, x, y, swapped, witness}
	}
}

// wholeOutputs sees every output by itself.
func (s *scan) wholeOutputs() {
	for i := range s.table.a {
		if s.table.a[i]+s.table.b[i] < leastScanned {
			continue
		}
		s.see(s.table.a[i], s.table.b[i], func() Event {
			of := rowKey(s.table.row(i))
			return s.indicator(wholeOutput, "one whole output", "the output is a certain one", s.table.a[i], s.table.b[i],
				func(row []float64) bool { return rowKey(row) == of })
		})
	}
}

// indicator is the witness of an event by itself; what cannot be shown is described by
// its counts.
func (s *scan) indicator(of complexity, name, said string, a, b float64,
	holds func(row []float64) bool) Event {
	c := &scorer{name: name, complexity: of, score: func(row []float64) float64 { return indicator(holds(row)) }}
	return Event{scorer: c, threshold: 1, tie: 1, Text: said,
		Event: fmt.Sprintf("%s (in the samples of the search, %.0f times under A and %.0f under B)", name, a, b)}
}

// score sees the events of a score by its values in the table.
func (s *scan) score(c *scorer, column *column) {
	groups := column.groups
	for _, g := range groups {
		if g.a+g.b >= leastScanned {
			s.see(g.a, g.b, func() Event { return interval(c, g.v, g.v, groups) })
		}
	}
	s.thresholds(c, groups)
	var slopes []float64
	for _, mass := range []int{1, 4, 7} {
		if slope := s.lines[mass].Slope; !slices.Contains(slopes, slope) {
			slopes = append(slopes, slope)
			s.intervals(c, groups, slope)
		}
	}
	if len(column.order) < len(column.values) {
		s.symbols(c, column.values)
	}
}

// thresholds sees the tails of a score, their sizes on a geometric grid from either end.
func (s *scan) thresholds(c *scorer, groups []valued) {
	const step = 1.02
	var low valued
	next := 0.0
	for _, g := range groups {
		low.a, low.b = low.a+g.a, low.b+g.b
		if low.a+low.b >= next {
			next = step * (low.a + low.b)
			s.see(low.a, low.b, func() Event { return tail(c, g.v, true, groups) })
		}
	}
	next = 0
	var high valued
	for _, g := range slices.Backward(groups) {
		high.a, high.b = high.a+g.a, high.b+g.b
		if high.a+high.b >= next {
			next = step * (high.a + high.b)
			s.see(high.a, high.b, func() Event { return tail(c, g.v, false, groups) })
		}
	}
}

func tail(c *scorer, at float64, below bool, groups []valued) Event {
	w := Event{scorer: c, threshold: at, below: below, beyond: beyond(groups, at, below), tie: 1}
	w.nameIt()
	return w
}

// interval is the event that a score lies between two values, both included.
func interval(c *scorer, low, high float64, groups []valued) Event {
	name, of := fmt.Sprintf("%s in [%.6g, %.6g]", c.name, low, high), max(c.complexity, functionOfValue)
	if low == high {
		name, of = fmt.Sprintf("%s = %.6g", c.name, low), c.complexity
	}
	score := c.score
	inside := &scorer{name: name, complexity: of, score: func(row []float64) float64 {
		v := score(row)
		return indicator(v >= low && v <= high)
	}}
	return Event{scorer: inside, threshold: 1, tie: 1, Event: name,
		Text: betweenText(c.name, low, high, beyond(groups, low, false), beyond(groups, high, true))}
}

// symbols sees the values of a score that have no order.
func (s *scan) symbols(c *scorer, values []float64) {
	type count struct {
		key  uint64
		a, b float64
	}
	places := make(map[uint64]int)
	var counts []count
	last := 0 // often the next one, too
	for i, v := range values {
		if !math.IsNaN(v) {
			continue
		}
		if k := valueKey(v); last == len(counts) || counts[last].key != k {
			at, seen := places[k]
			if !seen {
				at = len(counts)
				places[k], counts = at, append(counts, count{key: k})
			}
			last = at
		}
		counts[last].a += s.table.a[i]
		counts[last].b += s.table.b[i]
	}
	score := c.score
	for _, n := range counts {
		s.see(n.a, n.b, func() Event {
			said := numberedSubject(c.name) + " is a certain one, which is not counted as a number"
			return s.indicator(c.complexity, c.name+" of one value", said, n.a, n.b,
				func(row []float64) bool { return valueKey(score(row)) == n.key })
		})
	}
}

// intervals sees, in either direction, the maximal segments of a score's values: those in
// which the likelihood ratio of a gross violation to the claim rises most (Ruzzo & Tompa
// 1999). A violation that fills an interval is, but for a few values at its ends, one of
// them.
func (s *scan) intervals(c *scorer, groups []valued, slope float64) {
	for _, swapped := range []bool{false, true} {
		t := slope * s.table.na / s.table.nb
		if swapped {
			t = slope * s.table.nb / s.table.na
		}
		// A row of the event is from the likelier input with odds t under the claim, and
		// e·t under a gross violation.
		other := math.Log1p(t) - math.Log1p(math.E*t)
		ofA, ofB := 1+other, other
		if swapped {
			ofA, ofB = ofB, ofA
		}
		gain := func(i int) float64 { return groups[i].a*ofA + groups[i].b*ofB }
		s.table.segments = maximalSegments(s.table.segments[:0], len(groups), gain)
		for _, seg := range s.table.segments {
			var sum valued
			for _, g := range groups[seg.From : seg.To+1] {
				sum.a, sum.b = sum.a+g.a, sum.b+g.b
			}
			if sum.a+sum.b < leastScanned {
				continue
			}
			low, high := groups[seg.From].v, groups[seg.To].v
			s.see(sum.a, sum.b, func() Event { return interval(c, low, high, groups) })
		}
	}
}

// into adds the event of the scan to the contenders, or puts it in their place if they do not
// promise to refute the claim.
func (s *scan) into(found []contenders) {
	if s.best.witness == nil {
		return
	}
	event := s.best.witness()
	event.Swapped, event.Excess = s.best.swapped, s.best.deviation
	event.rows = s.best.x + s.best.y
	tail := tailSearch{Search: s.Search, na: s.table.na, nb: s.table.nb, swapped: event.Swapped}
	if event.Swapped {
		tail.na, tail.nb = tail.nb, tail.na
	}
	event.SeenP, event.SeenQ = s.best.x/tail.na, s.best.y/tail.nb
	for k, n := range s.Samples {
		w := event
		got := tail.at(s.best.x, s.best.y, tail.standardErrors(), 1, tail.sides(n))
		w.P, w.Q, w.Value = got.p, got.q, got.value
		if best := s.simplest(found[k], k); best == nil || !s.Refutes(best.Value) {
			found[k] = contenders{}
		}
		found[k].add(&w)
	}
}

// segment is a run of a sequence, both ends included, with the sums of the gains before it and up to its end.
type segment struct {
	From, To     int
	before, upto float64
	lower        int // the last segment ahead of it that begins lower; −1 where none does
}

// maximalSegments are the disjoint runs of n gains that no longer and no shorter run around them exceeds, by the
// algorithm of
// Ruzzo and Tompa (1999), in linear time; they are appended to out, which is empty.
func maximalSegments(out []segment, n int, gain func(i int) float64) []segment {
	sum := 0.0
	for i := range n {
		v := gain(i)
		before := sum
		sum += v
		if !(v > 0) {
			continue
		}
		next := segment{From: i, To: i, before: before, upto: sum}
		for {
			j := len(out) - 1
			for j >= 0 && out[j].before >= next.before {
				j = out[j].lower
			}
			if j < 0 || out[j].upto >= next.upto {
				next.lower = j
				out = append(out, next)
				break
			}
			next.From, next.before = out[j].From, out[j].before
			out = out[:j]
		}
	}
	return out
}
