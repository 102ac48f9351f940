package distinguisher

import (
	"math"
)

// modelled puts the best events of a model of sequences of few symbols in the place of those that were found, where it
// applies. The best of many estimates is mostly luck, and the model knows of each event what all outputs together say
// of it.
func (s Search) modelled(found []contenders, t *table) {
	cells := symbolCells(t.shape)
	if s.Score != nil || len(cells) == 0 || t.na+t.nb < leastToLearn {
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
	// learnedGain is what a learned event must gain over an easier one, as a share of its value.
	learnedGain = 0.03
	// luckiest is the deviation, in standard errors, from what is expected of it that the best of many events reaches
	// by luck.
	luckiest = 3.5
	// rowsOfEvents show what a model expects of an event.
	rowsOfEvents = 1 << 14
)

// outdone reports whether an event of the model is to be taken in the place of another one, for the k-th samples: it
// promises more, or the other does so by luck, being no more than the model allows for, and is expected to be worth
// less.
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

// expected are the masses of an event under the likelier input and the other, as a model expects them.
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

// symbolCells are the places of the symbols of a sequence, in their order: the values after the length, which their
// end tells; of a string its characters, and all of it after them. None of one number.
func symbolCells(s *Rows) (cells []int) {
	for i := 1; i < s.values(); i++ {
		cells = append(cells, i)
	}
	if len(cells) > 0 || s.plan == nil || len(s.plan.details) != 1 || s.plan.details[0].kind != textDetail {
		return cells
	}
	text := s.plan.details[0].at
	cells = []int{text + 1} // its first character
	for i := range leading - 1 {
		cells = append(cells, text+textCells+shapeCells+i)
	}
	return append(cells, 0)
}
