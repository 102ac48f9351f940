package distinguisher

import (
	"math"
)

// modelled replaces the found events by the best event of a model of sequences of few symbols, if the model applies
// and its event is better. The best of many separate estimates is mostly luck. The model uses all outputs to
// estimate each event.
func (s Search) modelled(found []contenders, t *table) {
	cells := symbolCells(t.shape)
	if s.Score != nil || len(cells) == 0 || t.na+t.nb < minToLearn {
		return
	}
	m := newSequenceModel(cells, t.seen(), t.a, t.b, t.na, t.nb)
	if m == nil {
		return
	}
	c := scorer{name: symbolsScoreName, score: m.Score, signed: true, complexity: learned, posterior: m.Posterior}
	for k, w := range s.threshold(&c, newColumn(c.score, nil, t).groups, t) {
		if old := s.simplest(found[k], k); w != nil && (old == nil || s.outdone(old, w, m, t, k)) {
			found[k] = contenders{learned: w}
		}
	}
}

const (
	// learnedGain is the relative gain in value that a learned event needs over a simpler event.
	learnedGain = 0.03
	// luckiest is the deviation from the expectation, in standard errors, that the best of many events reaches by
	// chance.
	luckiest = 3.5
	// rowsOfEvents is the number of rows from which the model's expectation of an event is computed.
	rowsOfEvents = 1 << 14
)

// outdone reports whether an event of the model replaces another event for the k-th samples. Either the model's
// event has a larger value, or the other event's advantage is within chance and its expected value under the model
// is smaller.
func (s Search) outdone(old, w *Event, m *sequenceModel, t *table, k int) bool {
	if w.discounted() > old.Value {
		return true
	}
	old.settle(t.scratch)
	p, q := old.expected(m, t)
	n := s.newTailSearch(t.na, t.nb, old.below, old.Swapped)
	seenP, seenQ := old.SeenP*n.na+0.5, old.SeenQ*n.nb+0.5
	beyond := math.Log(seenP / seenQ * n.nb / n.na)
	if p > 0 {
		beyond -= math.Log(p / q)
	}
	if beyond > luckiest*math.Sqrt(1/seenP+1/seenQ) {
		return false
	}
	best := s.certifies(w, w.SeenP, w.SeenQ, k)
	return best-learnedGain*math.Abs(best) > s.certifies(old, p, q, k)
}

// expected returns the probabilities of an event for the more likely input and the other input, as the model
// expects them.
func (w *Event) expected(m *sequenceModel, t *table) (p, q float64) {
	step := 1 + len(t.a)/rowsOfEvents
	for i := 0; i < len(t.a); i += step {
		row := t.row(i)
		if rows := w.share(w.score(row)) * (t.a[i] + t.b[i]) * float64(step); rows > 0 {
			ofA := 1 / (1 + math.Exp(-m.Score(row))*t.nb/t.na)
			p, q = p+rows*ofA/t.na, q+rows*(1-ofA)/t.nb
		}
	}
	if w.Swapped {
		p, q = q, p
	}
	return math.Min(1, p), math.Min(1, q)
}

// symbolCells returns the cells of the symbols of a sequence, in order: the values after the length, whose end
// implies the length. For a string it returns the cells of its characters and then the whole string. For one number
// it returns none.
func symbolCells(s *Rows) (cells []int) {
	for i := 1; i < s.values(); i++ {
		cells = append(cells, i)
	}
	if len(cells) > 0 || s.plan == nil || len(s.plan.details) != 1 || s.plan.details[0].kind != textDetail {
		return cells
	}
	text := s.plan.details[0].offset
	cells = []int{text + 1} // first character
	for i := range leading - 1 {
		cells = append(cells, text+textCells+shapeCells+i)
	}
	return append(cells, 0)
}
