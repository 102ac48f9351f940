package privacy

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify/guarantee"
)

// auditDesign is the division of the samples of an audit.
type auditDesign string

const (
	crossFittedDesign auditDesign = "cross-fitted" // two folds that search, and new samples
	recordedDesign    auditDesign = "recorded"     // parts of the recording search, the rest certifies
	bitsDesign        auditDesign = "bits"         // one search, and new samples
	runsDesign        auditDesign = "runs"         // earlier runs search, later ones certify
)

// auditStatistics holds the sufficient statistics of an audit.
type auditStatistics struct {
	Guarantee guarantee.Guarantee `json:"guarantee"`
	Effect    float64             `json:"effect"`
	Mass      float64             `json:"mass"` // 0 means the default of the guarantee
	Pairs     int                 `json:"pairs"`
	Design    auditDesign         `json:"design"`
	Searches  int                 `json:"searches"` // per pair
	Most      int64               `json:"most_rows"`
	Scores    int                 `json:"scores"`
	Total     int64               `json:"total"` // samples per input of a pair
	Band      bool                `json:"band,omitempty"`
	Reals     bool                `json:"over_the_reals,omitempty"`
	Dependent bool                `json:"dependent,omitempty"`
	Picked    []int               `json:"picked,omitempty"` // positions of the numbers whose low-order bits are tested
	Whole     bool                `json:"whole,omitempty"`  // all of these numbers are integers
	Odd       []string            `json:"odd,omitempty"`    // warnings about observations
	Unseeded  bool                `json:"unseeded,omitempty"`
	Rounded   string              `json:"rounded,omitempty"` // number whose frequency contradicts the claim
	Views     []viewStatistics    `json:"views"`
	Others    []viewStatistics    `json:"other_pairs,omitempty"` // in an audit of many runs
}

// viewStatistics holds the events of one test and their held-out counts, under the input where they should be
// likelier and under the other.
type viewStatistics struct {
	Events  []eventStatistics `json:"events"`
	Samples [2]int64          `json:"samples"`
	// Counts holds the counts of the event and, if there is a band, of each ring of the nested events.
	Counts [2][]int64 `json:"counts"`
}

// eventStatistics is the event of a pair.
type eventStatistics struct {
	Pair      int     `json:"pair"` // index from 0
	Name      string  `json:"name"`
	Event     string  `json:"event"`
	Said      string  `json:"said,omitempty"` // event in terms of the output
	Swapped   bool    `json:"swapped,omitempty"`
	P         float64 `json:"p"` // probabilities estimated by the search, corrected
	Q         float64 `json:"q"`
	Deviation float64 `json:"deviation,omitempty"`
}

// mostPairs is the maximum number of pairs in statistics.
const mostPairs = 1 << 20

// Check returns an error that names the field outside its domain.
func (f auditStatistics) Check() error {
	switch {
	case f.Pairs < 1 || f.Pairs > mostPairs:
		return fmt.Errorf("%d pairs: want 1 to %d", f.Pairs, mostPairs)
	case !(f.Effect > 1 && f.Effect <= math.MaxFloat64) || !(f.Mass >= 0 && f.Mass < 1):
		return fmt.Errorf("effect %v, mass %v: want a finite factor above 1 and a probability below 1", f.Effect, f.Mass)
	case f.Searches < 1 || f.Searches > 2 || f.Total < 1 || f.Most < 1:
		return fmt.Errorf("%d searches of at most %d rows of %d samples: want 1 or 2 searches and at least 1 row and "+
			"sample", f.Searches, f.Most,
			f.Total)
	case !slices.Contains([]auditDesign{crossFittedDesign, recordedDesign, bitsDesign, runsDesign}, f.Design):
		return fmt.Errorf("design %q: want %s, %s, %s or %s", f.Design, crossFittedDesign, recordedDesign,
			bitsDesign, runsDesign)
	case len(f.Others) > 0 && f.Design != runsDesign || len(f.Others) >= f.Pairs:
		return fmt.Errorf("%d other pairs of %d, design %s: want fewer, and the design %s", len(f.Others), f.Pairs, f.Design,
			runsDesign)
	case len(f.Views) < 1 || len(f.Views) > f.Searches:
		return fmt.Errorf("%d tests by %d searches: want at least 1 test, at most one per search", len(f.Views), f.Searches)
	}
	return f.Guarantee.Check()
}

// Check returns an error that names the field outside its domain, for the given numbers of pairs and of counts per
// input.
func (v viewStatistics) Check(pairs, perInput int) error {
	for _, e := range v.Events {
		if e.Pair < 0 || e.Pair >= pairs || !(e.P >= 0 && e.P <= 1 && e.Q >= 0 && e.Q <= 1) {
			return fmt.Errorf("event of pair %d with probabilities %v and %v: want one of %d pairs and numbers in [0, 1]",
				e.Pair,
				e.P, e.Q, pairs)
		}
	}
	if len(v.Events) == 0 {
		return errors.New("test without an event")
	}
	for side, counts := range v.Counts {
		n := v.Samples[side]
		if len(counts) != perInput || !(counts[0] >= 0 && counts[0] <= n) || n < 1 {
			return fmt.Errorf("counts %v of %d samples: want %d counts of these samples", counts, n, perInput)
		}
		rest := n
		for _, k := range counts[1:] {
			if k < 0 || k > rest {
				return fmt.Errorf("counts %v: the rings of nested events contain more than %d samples", counts[1:], n)
			}
			rest -= k
		}
		if perInput > 1 && rest != 0 {
			return fmt.Errorf("counts %v: the rings of nested events contain %d of %d samples", counts[1:], n-rest, n)
		}
	}
	return nil
}
