package privacy

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify/guarantee"
)

// auditDesign is how the samples of an audit are divided.
type auditDesign string

const (
	crossFittedDesign auditDesign = "cross-fitted" // two folds that search, and fresh samples
	recordedDesign    auditDesign = "recorded"     // parts of what is there search, and the rest certifies
	bitsDesign        auditDesign = "bits"         // one search, and fresh samples
)

// auditStatistics are what the evidence of an audit follows from.
type auditStatistics struct {
	Guarantee guarantee.Guarantee `json:"guarantee"`
	Effect    float64             `json:"effect"`
	Mass      float64             `json:"mass"` // 0 is that of the guarantee
	Pairs     int                 `json:"pairs"`
	Design    auditDesign         `json:"design"`
	Searches  int                 `json:"searches"` // of each pair
	Most      int64               `json:"most_rows"`
	Scores    int                 `json:"scores"`
	Total     int64               `json:"total"` // samples of each input of a pair
	Band      bool                `json:"band,omitempty"`
	Reals     bool                `json:"over_the_reals,omitempty"`
	Dependent bool                `json:"dependent,omitempty"`
	Picked    []int               `json:"picked,omitempty"` // places of the numbers whose low-order bits are probed
	Whole     bool                `json:"whole,omitempty"`  // all of these numbers are whole
	Odd       []string            `json:"odd,omitempty"`    // warnings about what was observed
	Unseeded  bool                `json:"unseeded,omitempty"`
	Rounded   string              `json:"rounded,omitempty"` // an atom that the search rounds and that differs
	Views     []viewStatistics    `json:"views"`
}

// viewStatistics are the events of one of the tests, and their held-out counts: under the input where they are to be
// likelier, and under the other.
type viewStatistics struct {
	Events  []eventStatistics `json:"events"`
	Samples [2]int64          `json:"samples"`
	// Counts are those of the event and, if there is a band, of each ring of the nested events.
	Counts [2][]int64 `json:"counts"`
}

// eventStatistics of a pair.
type eventStatistics struct {
	Pair      int     `json:"pair"` // its place, from 0
	Name      string  `json:"name"`
	Event     string  `json:"event"`
	Said      string  `json:"said,omitempty"` // the event in the words of the output
	Swapped   bool    `json:"swapped,omitempty"`
	P         float64 `json:"p"` // the masses that its search saw, corrected
	Q         float64 `json:"q"`
	Deviation float64 `json:"deviation,omitempty"`
}

// mostPairs that statistics may speak of.
const mostPairs = 1 << 20

// Check names what is out of its domain.
func (f auditStatistics) Check() error {
	switch {
	case f.Pairs < 1 || f.Pairs > mostPairs:
		return fmt.Errorf("%d pairs: want 1 to %d", f.Pairs, mostPairs)
	case !(f.Effect > 1 && f.Effect <= math.MaxFloat64) || !(f.Mass >= 0 && f.Mass < 1):
		return fmt.Errorf("effect %v, mass %v: want a finite factor above 1 and a probability below 1", f.Effect, f.Mass)
	case f.Searches < 1 || f.Searches > 2 || f.Total < 1 || f.Most < 1:
		return fmt.Errorf("%d searches of at most %d rows of %d samples: want 1 or 2 of at least one", f.Searches, f.Most,
			f.Total)
	case f.Design != crossFittedDesign && f.Design != recordedDesign && f.Design != bitsDesign:
		return fmt.Errorf("design %q: want %s, %s or %s", f.Design, crossFittedDesign, recordedDesign, bitsDesign)
	case len(f.Views) < 1 || len(f.Views) > f.Searches:
		return fmt.Errorf("%d tests by %d searches: want one of each at most", len(f.Views), f.Searches)
	}
	return f.Guarantee.Check()
}

// Check names what is out of its domain, of so many pairs and counts under each input.
func (v viewStatistics) Check(pairs, perInput int) error {
	for _, e := range v.Events {
		if e.Pair < 0 || e.Pair >= pairs || !(e.P >= 0 && e.P <= 1 && e.Q >= 0 && e.Q <= 1) {
			return fmt.Errorf("an event of pair %d with masses %v and %v: want one of %d pairs, and probabilities", e.Pair,
				e.P, e.Q, pairs)
		}
	}
	if len(v.Events) == 0 {
		return errors.New("a test without an event")
	}
	for side, counts := range v.Counts {
		n := v.Samples[side]
		if len(counts) != perInput || !(counts[0] >= 0 && counts[0] <= n) || n < 1 {
			return fmt.Errorf("counts %v of %d samples: want %d, of which none is more", counts, n, perInput)
		}
		rest := n
		for _, k := range counts[1:] {
			if k < 0 || k > rest {
				return fmt.Errorf("counts %v: the rings of nested events hold more than %d samples", counts[1:], n)
			}
			rest -= k
		}
		if perInput > 1 && rest != 0 {
			return fmt.Errorf("counts %v: the rings of nested events hold %d of %d samples", counts[1:], n-rest, n)
		}
	}
	return nil
}
