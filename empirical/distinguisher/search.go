package distinguisher

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Event is an event by which two output distributions are distinguished: the rows
// whose score lies on one side of a threshold.
type Event struct {
	*scorer
	plan      *arrangement // of the rows that the score knows
	threshold float64
	beyond    float64 // the next value of the score on the other side of the threshold; NaN where there is none
	below     bool    // the event is score ≤ threshold, else score ≥ threshold
	tie       float64 // share of the rows at the threshold that count, drawn at random
	levels    []float64
	// Swapped says that the event is more likely under the second input.
	Swapped bool
	rows    float64 // of both samples of the search that lie in the event
	Event   string  // the event in words
	Text    string  // the same of the output; see verify.EventInWords
	P, Q    float64 // its probabilities under the likelier input and the other, corrected for the winner's curse
	// SeenP and SeenQ are the shares of the search sample, or those of the trend, uncorrected.
	SeenP, SeenQ float64
	Value        float64 // what certification is expected to find at them
	// Excess is that of an event of the scan from what the claim allows, in the samples
	// of the search; 0 where the event was chosen for its Value.
	Excess float64
	Scores int // fixed scores that were gone through
}

// Holds reports whether the event happened; r breaks ties. A row of another width
// is cut or filled as the search's rows were.
func (w *Event) Holds(r *rand.Rand, row []float64) bool { return w.Mark(r, row).Hit() }

// ErrNoEvent says that no event was found to be worth testing.
var ErrNoEvent = errors.New("no event to test: as far as the search sees, the outputs are the same under both inputs")

// CertainEvent is the event that always happens: what is left to certify where none is worth
// testing.
func CertainEvent() *Event {
	c := &scorer{name: "any output", score: func([]float64) float64 { return 0 }}
	return &Event{scorer: c, plan: &arrangement{}, below: true, tie: 1, Event: c.name,
		Text: "the output is anything at all", P: 1, Q: 1, SeenP: 1, SeenQ: 1}
}

// SameEvent reports whether two witnesses of one search are of the same event.
func (w *Event) SameEvent(v *Event) bool {
	return w.scorer == v.scorer && w.threshold == v.threshold && w.below == v.below && w.tie == v.tie
}

// Search is a search for the event that refutes a claim best, by samples of the outputs under
// two inputs.
type Search struct {
	// Samples of the first and of the second input that the certification may draw: a witness is
	// found for each two.
	Samples [][2]int64
	// Certified is the value that certification finds at counts x of nx and y of ny, quickly and
	// not soundly: for the search alone. It grows in x and falls in y.
	Certified func(x, nx, y, ny float64) float64
	// Score is a known log-likelihood ratio of a row, or nil.
	Score func(row []float64) float64
	// HalfCorrection halves the standard errors that are subtracted for the winner's curse. How
	// many are right depends on how strongly the candidate events are correlated, which is not
	// known: of two searches, one had better subtract fewer.
	HalfCorrection bool
	// Against is, for an event of a mass, a statement that the claim implies; nil where
	// none is to be scanned for. Refutes reports whether a value refutes the claim.
	Against func(mass float64) Line
	Refutes func(value float64) bool
	Pairs   int // that are searched alike, this one included
}

// scorer is a candidate for a witness's score.
type scorer struct {
	name   string // of the score, for "name ≥ threshold"
	score  func(row []float64) float64
	signed bool // high scores speak for the first sample: one direction suffices
	smooth bool // a tail beyond the last value may be extrapolated
	complexity
	posterior *trend                   // of a score that was fitted to the rows that choose; nil of others
	known     func(t *table) []float64 // its values in all rows, where they are got sooner than row by row
	counts    []valued                 // its values, ascending, with the rows that have each, where they are known already
	values    []valued                 // its own of a cross-fitted score, whose counts are those of its folds; unsorted
	// classes are the labels of those that are in an event, and of the others; nil of a score that has none
	classes func(w *Event) (in, out []string)
}

// Find fits candidate scores on one half of the rows and chooses score, threshold and
// direction by the value that certification is expected to find, estimated on the other half
// (cross-fitting), or on all rows where nothing was fitted. a and b are outputs under the two
// inputs, at least 20 each. There is a witness for each of s.Samples, or ErrNoEvent.
func (s Search) Find(a, b *Rows) ([]*Event, error) {
	if a.Width != b.Width || a.Len() < 20 || b.Len() < 20 {
		return nil, fmt.Errorf("witness search needs rows of equal width, at least 20 of each input; got %d and %d", a.Len(),
			b.Len())
	}
	a, b = arrange(a, b)
	all := newTable(a, b)
	defer all.close()
	found := make([]contenders, len(s.Samples))
	consider := func(c scorer, values []valued, all *table) {
		for k, w := range s.threshold(&c, values, all) {
			found[k].add(w)
		}
	}
	learn := s.Score == nil && all.na+all.nb >= leastToLearn
	family := s.family(all)
	scores := family.size(all)
	scan := newScan(s, all, scores)
	var binners []*binner
	for _, c := range family.scores {
		column := newColumn(c.score, c.known, all)
		c.known = nil // a witness needs the score alone
		consider(c, column.groups, all)
		if scan != nil {
			scan.score(&c, column)
		}
		if learn {
			binners = append(binners, newBinner(Feature{Name: c.name, eval: c.score}, column, all))
		}
	}
	for _, c := range s.frequencyScores(all, family.divisions) {
		counts := c.counts
		if counts == nil {
			counts = newColumn(c.score, nil, all).groups
		}
		consider(c, all.ascending(counts), all)
	}
	if learn {
		first, second, both := all.halves(mostToLearn)
		for _, c := range crossFitted(binners, first, second) {
			consider(c, c.counts, both)
		}
	}
	s.modelled(found, all)
	if scan != nil {
		scan.rest(family)
		scan.into(found)
	}
	best := make([]*Event, len(found))
	for k := range found {
		w := s.simplest(found[k], k)
		if w == nil {
			return nil, ErrNoEvent
		}
		best[k] = w
		if w.Event == "" { // not of the scan
			w.settle(all.scratch)
		}
		w.Scores = scores
		w.plan = planOf(a)
	}
	for _, w := range best {
		w.counts, w.values = nil, nil // which are many
	}
	return best, nil
}

const (
	// leastToLearn is the number of rows below which a learned score is noise.
	leastToLearn = 1000
	// fewPatterns are told apart by few rows too: of symbols nothing else tells.
	fewPatterns = 16
	// mostToLearn rows of each sample are learned from: more cost time, and gain little.
	mostToLearn = 100_000
)

// frequencyScores are the ratios of frequencies in all rows, with their posterior: of the
// classes of divisions, and of whole outputs where they are few.
func (s Search) frequencyScores(t *table, divisions []division) (out []scorer) {
	if s.Score != nil {
		return nil
	}
	for _, d := range significant(divisions, t) {
		out = append(out, d.scorer(t))
	}
	rows := math.Min(t.na, t.nb)
	return append(out, patternScores(t, int(math.Max(rows/200, math.Min(rows/10, fewPatterns))))...)
}

func patternScores(t *table, most int) []scorer {
	p := newPatterns(t, most)
	if p == nil {
		return nil
	}
	return []scorer{{name: frequencyScoreName, score: p.Score, signed: true, posterior: p.posterior,
		complexity: wholeOutput}}
}

// threshold finds the cuts of a score with the largest promises, one for each of
// s.Samples, or nil; they are still to be settled. values are its values, ascending, with their counts in the
// search sample t.
func (s Search) threshold(c *scorer, values []valued, t *table) []*Event {
	if len(values) == 0 {
		return nil
	}
	posterior := c.posterior
	if posterior == nil {
		posterior = newTrend(values, t.na, t.nb)
	}
	best := make([]*Event, len(s.Samples))
	for _, below := range []bool{true, false} {
		var searches []*tailSearch
		for _, swapped := range []bool{false, true} {
			if c.signed && below != swapped {
				continue
			}
			search := s.newTailSearch(t.na, t.nb, below, swapped)
			if c.smooth {
				search.tail = search.fitTail(values)
			}
			searches = append(searches, search)
		}
		tails(values, below, posterior, t.na, t.nb, func(at float64, beyond, ties tailCount, deviation float64) {
			for _, search := range searches {
				search.try(at, beyond, ties, deviation)
			}
		})
		for _, search := range searches {
			for k, w := range search.best {
				if w != nil && (best[k] == nil || w.Value > best[k].Value) {
					best[k] = w
				}
			}
		}
	}
	for _, w := range best {
		if w != nil {
			w.scorer = c
			w.beyond = beyond(values, w.threshold, w.below)
		}
	}
	return best
}

// settle puts a witness that was chosen into words, its threshold on the scale of its score.
func (w *Event) settle(s *scratch) {
	if w.values != nil {
		values := s.ascending(w.values)
		w.rescale(values)
		w.beyond = beyond(values, w.threshold, w.below)
	}
	w.nameIt()
}

// rescale moves the threshold of a cross-fitted score to its mean over the folds:
// to where as many rows lie beyond it. It lies between two values, lest rounding
// decide about the rows on it. values ascend.
func (w *Event) rescale(values []valued) {
	if !w.below {
		slices.Reverse(values)
		defer slices.Reverse(values)
	}
	var mass float64
	for i := 0; i < len(values); {
		at, group := values[i].v, 0.0
		for ; i < len(values) && values[i].v == at; i++ {
			group += values[i].a + values[i].b
		}
		if mass+group/2 > w.rows && mass > 0 {
			break
		}
		mass += group
		w.threshold = at
		if i < len(values) && finite(at) && finite(values[i].v) {
			w.threshold = at + (values[i].v-at)/2
		}
	}
	w.tie = 1
}
