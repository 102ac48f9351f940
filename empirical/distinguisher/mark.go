package distinguisher

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// Mark tells of a row whether the event happened, and in how many of the nested events of its score the row lies.
type Mark uint8

// MaxLevels that a mark can tell apart.
const MaxLevels = 100

// Hit reports whether the event happened.
func (m Mark) Hit() bool { return m&1 == 1 }

// Within is the number of nested events.
func (m Mark) Within() int { return int(m >> 1) }

// Nest gives the witness so many nested events at most, of its score beyond levels to its side: levels are chosen by
// rows of both inputs, which must not be counted in them.
func (w *Event) Nest(most int, rows ...*Rows) {
	var values []float64
	for _, s := range rows {
		for i := range s.Len() {
			values = append(values, w.score(w.plan.arranged(s.Row(i))))
		}
	}
	w.levels = confidence.Levels(values, min(most, MaxLevels))
}

// Mark of a row; r breaks ties.
func (w *Event) Mark(r *rand.Rand, row []float64) (m Mark) {
	s := w.score(w.plan.arranged(row))
	if math.IsNaN(s) { // a symbol, or NaN: on no side of a threshold
		return 0
	}
	within := confidence.Cell(w.levels, s)
	if w.below {
		within = len(w.levels) - within
	}
	m = Mark(2 * within)
	if s == w.threshold && (w.tie >= 1 || r.Float64() < w.tie) || s != w.threshold && (s < w.threshold) == w.below {
		m |= 1
	}
	return m
}

// Certain reports whether a row is in the event however ties are broken.
func (w *Event) Certain(row []float64) bool { return w.share(w.score(w.plan.arranged(row))) == 1 }

// share of the rows with a score that are in the event.
func (w *Event) share(score float64) float64 {
	if score == w.threshold {
		return min(1, w.tie)
	}
	return indicator((score < w.threshold) == w.below && !math.IsNaN(score))
}
