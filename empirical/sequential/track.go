package sequential

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// track bets along one score, with each prior.
type track struct {
	known  bool                 // the score is the log ratio, which replaces the first prior
	score  *distinguisher.Score // nil until a score is followed
	values [2][]float64         // values of the observed rows for both inputs
	cells  cells
	pays   [priors][]payoff  // by prior and claim; empty before the first bets
	logs   [priors][]float64 // log wealth by prior and claim
}

func newTrack(claims int) *track {
	t := &track{}
	for k := range t.logs {
		t.logs[k] = make([]float64, claims)
	}
	return t
}

// follow switches to a score and computes its values for the observed rows.
func (t *track) follow(score distinguisher.Score, a, b *distinguisher.Rows) {
	*t = track{score: &score, logs: t.logs, known: t.known}
	for side, rows := range []*distinguisher.Rows{a, b} {
		t.values[side] = make([]float64, rows.Len(), rows.Len()*5/4+8)
		for i := range t.values[side] {
			t.values[side][i] = score.Value(rows.Row(i))
		}
	}
}

// clone returns a copy of the log wealths.
func (t *track) clone() (logs [priors][]float64) {
	for k := range logs {
		logs[k] = slices.Clone(t.logs[k])
	}
	return logs
}

func (t *track) observe(a, b []float64) {
	if t.score == nil {
		return
	}
	x, y := t.score.Value(a), t.score.Value(b)
	if t.pays[0] != nil {
		f, g := t.cells.index(x), t.cells.index(y)
		for k := range t.pays {
			for i, pay := range t.pays[k] {
				t.logs[k][i] += pay.f[f] + pay.g[g]
			}
		}
	}
	t.values[0], t.values[1] = append(t.values[0], x), append(t.values[1], y)
}

// bet sets the bets on the next pairs.
func (t *track) bet(claims []*dominating, pairs int) {
	if t.score == nil || pairs < 2 {
		return
	}
	scorePriors := ordered
	if t.score.Classes > 0 {
		t.cells = classesOf(t.score.Classes)
		scorePriors = classes
	} else {
		sorted := slices.DeleteFunc(slices.Concat(t.values[0], t.values[1]), math.IsNaN)
		slices.Sort(sorted)
		t.cells = divide(sorted, min(maxCells, max(2, pairs/pairsPerCell)))
	}
	counts := [2][]float64{make([]float64, t.cells.n+1), make([]float64, t.cells.n+1)}
	for side, values := range t.values {
		for _, v := range values {
			counts[side][t.cells.index(v)]++
		}
	}
	for k, prior := range scorePriors {
		var p, q []float64
		if t.known && k == 0 {
			p, q = t.knownLaws(counts[0], counts[1])
		} else {
			p, q = prior.laws(counts[0], counts[1])
		}
		t.pays[k] = make([]payoff, len(claims))
		for i, c := range claims {
			t.pays[k][i] = c.bet(p, q)
		}
	}
}

// knownLaws returns the cell probabilities if the score is the log density ratio.
func (t *track) knownLaws(first, second []float64) (p, q []float64) {
	ratios := make([]float64, len(first))
	for _, values := range t.values {
		for _, v := range values {
			j := t.cells.index(v)
			ratios[j] += math.Max(1e-6, math.Min(1-1e-6, logistic(v))) / (first[j] + second[j])
		}
	}
	ratios[len(ratios)-1] = 0.5
	return laws(ratios, first, second)
}

// eventBet bets on an event that was learned elsewhere.
type eventBet struct {
	event  *distinguisher.Event // nil until an event is adopted
	counts [2]float64           // counts of the event for the more likely input and the other input
	n      float64              // number of counted samples of each input
	pays   []payoff
	wealth []float64
}

func (e *eventBet) observe(ties *rand.Rand, a, b []float64) {
	if e.event == nil {
		return
	}
	in := [2]bool{e.event.Holds(ties, a), e.event.Holds(ties, b)}
	cell := func(in bool) int {
		if in {
			return 0
		}
		return 1
	}
	for i, pay := range e.pays {
		e.wealth[i] += pay.f[cell(in[0])] + pay.g[cell(in[1])]
	}
	if e.event.Swapped {
		in[0], in[1] = in[1], in[0]
	}
	for side := range in {
		if in[side] {
			e.counts[side]++
		}
	}
	e.n++
}

func (e *eventBet) bet(claims []*dominating) {
	if e.event == nil {
		return
	}
	p, q := (e.counts[0]+0.5)/(e.n+1), (e.counts[1]+0.5)/(e.n+1)
	if e.event.Swapped {
		p, q = q, p
	}
	e.pays = make([]payoff, len(claims))
	for i, c := range claims {
		e.pays[i] = c.bet([]float64{p, 1 - p}, []float64{q, 1 - q})
	}
}
