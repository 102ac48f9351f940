package distinguisher

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// The scan looks for a large violation of the claim in the raw counts of the search sample. The rest of the search
// maximizes the certified value: it shrinks ratios and cuts each score at one threshold. The scan tests a fixed
// family of events for the largest deviation from the claim. It reports an event only if this deviation exceeds the
// largest deviation that occurs by chance under a true claim. Its detections can therefore be predicted, which
// gives the stated power of an audit.
//
// The family contains, for every fixed score, all tails, all intervals and each single value, number or symbol. It
// also contains each class of every division, its complement, and each whole output.

// Line is the statement p ≤ Slope·q + Offset about the probabilities of an event for two inputs. (ε, δ)-DP is the
// line with slope e^ε and offset δ. Slope > 0, Offset in [0, 1).
type Line struct{ Slope, Offset float64 }

// commonMass is the probability above which the scan uses binomial counts. Below it Poisson counts, whose
// likelihood has a closed form, are a good approximation.
const commonMass = 0.05

// deviation returns how far counts x of na and y of nb samples are beyond the line, in standard deviations (signed
// root of the likelihood ratio). It returns 0 if they are not beyond it.
func (l Line) deviation(x, na, y, nb float64) float64 {
	t, d := l.Slope*na/nb, l.Offset*na
	if !(x > t*y+d) {
		return 0
	}
	if x > commonMass*na {
		half := confidence.HalfDeviance(l.Slope, l.Offset, x, na, y, nb)
		return math.Sqrt(2 * half)
	}
	// At the maximum likelihood on the line y has mean m and x has mean t·m + d. The derivative in m is 0 there.
	b := (t+1)*d - t*(x+y)
	m := (-b + math.Sqrt(b*b+4*t*(t+1)*y*d)) / (2 * t * (t + 1))
	half := confidence.PoissonDeviance(y, m)
	if mean := t*m + d; mean > 0 {
		half += confidence.PoissonDeviance(x, mean)
	}
	return math.Sqrt(2 * half)
}

const (
	// scanError is the approximate probability that the scan reports an event if the claim holds.
	scanError = 0.02
	// minScanned is the minimal count of an event. Smaller counts never stand out.
	minScanned = 8
	// overlap is the approximate number of events of a score per disjoint event, because events may begin and end
	// anywhere.
	overlap = 1000
	// eventsPerDelta is the approximate number of events that can use the δ of the claim. Over disjoint events the excess
	// of p over e^ε·q sums to at most δ.
	eventsPerDelta = 8
	// lineMasses is the number of probabilities 2⁻ᵏ for which a line is stored.
	lineMasses = 30
)

// StandsOut reports whether counts x of na and y of nb samples deviate from the claim by more than the largest
// chance deviation in a scan of the given number of scores, over all pairs. It also returns the deviation. There
// are two conditions, each adjusted for the number of events that could meet it, in both directions. The counts
// must deviate from the line without its offset; as many disjoint events can reach this line as events of this size
// fit in the samples. They must also deviate from the line itself; only a few events can reach it.
func (l Line) StandsOut(x, na, y, nb float64, scores int) (deviation float64, out bool) {
	if x+y < minScanned {
		return 0, false
	}
	withoutOffset := Line{Slope: l.Slope}.deviation(x, na, y, nb)
	if !(withoutOffset > 2.5) { // every threshold below is higher
		return 0, false
	}
	all := 2 * float64(max(scores, 1))
	if !(withoutOffset > confidence.NormalUpperQuantile(scanError/all/overlap*math.Min(1, (x+y)/(na+nb)))) {
		return 0, false
	}
	if l.Offset == 0 {
		return withoutOffset, true
	}
	deviation = l.deviation(x, na, y, nb)
	return deviation, deviation > confidence.NormalUpperQuantile(scanError/all/eventsPerDelta)
}

// scan holds the state of the scan of one pair of inputs.
type scan struct {
	Search
	table  *table
	lines  [lineMasses]Line
	scores int
	best   scanned
}

// scanned is an event that stands out, with its counts. The counts of the input with the larger probability come
// first.
type scanned struct {
	deviation, x, y float64
	swapped         bool
	witness         func() Event // constructs the event with its score, threshold and text
}

// newScan returns nil if there is no claim or no count can contradict it.
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

// see compares an event with the claim in both directions.
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

// wholeOutputs tests every single output.
func (s *scan) wholeOutputs() {
	for i := range s.table.a {
		if s.table.a[i]+s.table.b[i] < minScanned {
			continue
		}
		s.see(s.table.a[i], s.table.b[i], func() Event {
			key := rowKey(s.table.row(i))
			return s.indicator(wholeOutput, "one whole output", "the output is a certain one", s.table.a[i], s.table.b[i],
				func(row []float64) bool { return rowKey(row) == key })
		})
	}
}

// indicator returns the event of an indicator score. Its name includes the counts, because the value cannot be
// shown.
func (s *scan) indicator(rank complexity, name, said string, a, b float64,
	holds func(row []float64) bool) Event {
	c := &scorer{name: name, complexity: rank, score: func(row []float64) float64 { return indicator(holds(row)) }}
	return Event{scorer: c, threshold: 1, tie: 1, Text: said,
		Event: fmt.Sprintf("%s (in the samples of the search, %.0f times under A and %.0f under B)", name, a, b)}
}

// score tests the events of a score from its values in the table.
func (s *scan) score(c *scorer, column *column) {
	groups := column.groups
	for _, g := range groups {
		if g.a+g.b >= minScanned {
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

// thresholds tests the tails of a score. Their sizes form a geometric grid from both ends.
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

// interval returns the event that a score is in [low, high].
func interval(c *scorer, low, high float64, groups []valued) Event {
	name, rank := fmt.Sprintf("%s in [%.6g, %.6g]", c.name, low, high), max(c.complexity, functionOfValue)
	if low == high {
		name, rank = fmt.Sprintf("%s = %.6g", c.name, low), c.complexity
	}
	score := c.score
	inside := &scorer{name: name, complexity: rank, score: func(row []float64) float64 {
		v := score(row)
		return indicator(v >= low && v <= high)
	}}
	return Event{scorer: inside, threshold: 1, tie: 1, Event: name,
		Text: betweenText(c.name, low, high, beyond(groups, low, false), beyond(groups, high, true))}
}

// symbols tests the values of a score that have no order.
func (s *scan) symbols(c *scorer, values []float64) {
	type count struct {
		key  uint64
		a, b float64
	}
	places := make(map[uint64]int)
	var counts []count
	last := 0 // consecutive values often agree
	for i, v := range values {
		if !math.IsNaN(v) {
			continue
		}
		if k := valueKey(v); last == len(counts) || counts[last].key != k {
			place, seen := places[k]
			if !seen {
				place = len(counts)
				places[k], counts = place, append(counts, count{key: k})
			}
			last = place
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

// intervals tests, in both directions, the maximal segments of a score's values: those in which the likelihood
// ratio of a large violation to the claim increases most (Ruzzo & Tompa 1999). If a violation occupies an interval,
// one of the segments equals it except for a few values at its ends.
func (s *scan) intervals(c *scorer, groups []valued, slope float64) {
	for _, swapped := range []bool{false, true} {
		t := slope * s.table.na / s.table.nb
		if swapped {
			t = slope * s.table.nb / s.table.na
		}
		// Under the claim a row of the event comes from the more likely input with odds t, under a large violation
		// with odds e·t.
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
			if sum.a+sum.b < minScanned {
				continue
			}
			low, high := groups[seg.From].v, groups[seg.To].v
			s.see(sum.a, sum.b, func() Event { return interval(c, low, high, groups) })
		}
	}
}

// into adds the event of the scan to the contenders. If the contenders are not expected to refute the claim, it
// replaces them.
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
		got := tail.correct(s.best.x, s.best.y, tail.standardErrors(), 1, tail.sides(n))
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
	lower        int // index of the last earlier segment with a smaller sum before it; −1 if there is none
}

// maximalSegments returns the disjoint maximal runs of n gains by the algorithm of Ruzzo and Tompa (1999) in linear
// time: no run that contains or is contained in a maximal run has a larger sum. It appends them to out, which must
// be empty.
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
