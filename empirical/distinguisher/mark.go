package distinguisher

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// Mark records for a row whether the event occurred, and the number of nested events of its score that contain the
// row.
type Mark uint8

// MaxLevels is the largest number of nested events that a mark can hold.
const MaxLevels = 100

// Hit reports whether the event occurred.
func (m Mark) Hit() bool { return m&1 == 1 }

// Within returns the number of nested events that contain the row.
func (m Mark) Within() int { return int(m >> 1) }

// Nest adds at most the given number of nested events to w: rows whose score is beyond a level on the event's side.
// The levels come from the given rows of both inputs, which must not be counted in the nested events.
func (w *Event) Nest(limit int, rows ...*Rows) {
	var values []float64
	for _, s := range rows {
		for i := range s.Len() {
			values = append(values, w.score(w.plan.arranged(s.Row(i))))
		}
	}
	w.levels = confidence.Levels(values, min(limit, MaxLevels))
}

// Mark returns the mark of a row; r breaks ties.
func (w *Event) Mark(r *rand.Rand, row []float64) (m Mark) {
	s := w.score(w.plan.arranged(row))
	if math.IsNaN(s) { // a symbol or NaN is on neither side of a threshold
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

// Certain reports whether a row belongs to the event for every outcome of tie breaking.
func (w *Event) Certain(row []float64) bool { return w.share(w.score(w.plan.arranged(row))) == 1 }

// share returns the share of the rows with this score that belong to the event.
func (w *Event) share(score float64) float64 {
	if score == w.threshold {
		return min(1, w.tie)
	}
	return indicator((score < w.threshold) == w.below && !math.IsNaN(score))
}
