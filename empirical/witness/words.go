package witness

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/witness/internal/wording"
)

// An event has two texts. Event names the score and the threshold, to six digits; Said says the same of the output, for
// a reader: "the number is at least 4.2". In Said a value of a list is "number output[2]", or string, or value;
// why.Spoken makes "the third number" of it.

// nameIt says the event of a threshold.
func (w *Witness) nameIt() {
	t := wording.Threshold{Name: w.name, At: w.threshold, Beyond: w.beyond, Below: w.below,
		Tie: w.tie, Learned: w.learned, Abstract: w.learned || w.signed}
	if w.classes != nil {
		t.In, t.Out = w.classes(w)
	}
	w.Event, w.Said = t.Event(), t.Said()
}

// beyond is the value before, or after, a threshold among ascending ones; NaN where there is none.
func beyond(values []valued, at float64, after bool) float64 {
	i, met := slices.BinarySearchFunc(values, at, func(v valued, at float64) int { return cmp.Compare(v.v, at) })
	if !after {
		i--
	} else if met {
		for i < len(values) && values[i].v == at {
			i++
		}
	}
	if i < 0 || i >= len(values) {
		return math.NaN()
	}
	return values[i].v
}
