package distinguisher

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Event is an event that distinguishes two output distributions: the rows whose score is on one side of a
// threshold.
type Event struct {
	*scorer
	plan      *arrangement // layout of the rows that the score accepts
	threshold float64
	beyond    float64 // next value of the score on the other side of the threshold; NaN if there is none
	below     bool    // the event is score ≤ threshold, else score ≥ threshold
	tie       float64 // share of the rows at the threshold that count, drawn at random
	levels    []float64
	// Swapped reports that the event is more likely for the second input.
	Swapped bool
	rows    float64 // number of rows of both search samples in the event
	Event   string  // the event in words
	Text    string  // the event in words that describe the output; see verify.EventInWords
	P, Q    float64 // probabilities for the more likely input and the other input, corrected for the winner's curse
	// SeenP and SeenQ are the shares in the search samples, or the trend's shares, without the correction.
	SeenP, SeenQ float64
	Value        float64 // value that certification is expected to find at P and Q
	// Excess is the deviation of a scan event from the claim in the search samples, in standard deviations. It is 0
	// if the event was chosen by Value.
	Excess float64
	Scores int // number of fixed scores that were tested
}

// Holds reports whether the event occurred; r breaks ties. A row of another width is cut or padded like the rows of
// the search.
func (w *Event) Holds(r *rand.Rand, row []float64) bool { return w.Mark(r, row).Hit() }

// ErrNoEvent reports that no event is worth testing.
var ErrNoEvent = errors.New("no event to test: as far as the search sees, the outputs are the same under both inputs")

// CertainEvent returns the event that always occurs. It is certified if no other event is worth testing.
func CertainEvent() *Event {
	c := &scorer{name: "any output", score: func([]float64) float64 { return 0 }}
	return &Event{scorer: c, plan: &arrangement{}, below: true, tie: 1, Event: c.name,
		Text: "the output is anything at all", P: 1, Q: 1, SeenP: 1, SeenQ: 1}
}

// SameEvent reports whether two results of one search are the same event.
func (w *Event) SameEvent(v *Event) bool {
	return w.scorer == v.scorer && w.threshold == v.threshold && w.below == v.below && w.tie == v.tie
}

// Search is a search for the event that best refutes a claim, from samples of the outputs for two inputs.
type Search struct {
	// Samples holds the numbers of samples of the first and the second input that certification may draw. Find
	// returns one event for each pair.
	Samples [][2]int64
	// Certified returns the value that certification would find at counts x of nx and y of ny, for example a lower
	// bound of ε. It must increase in x and decrease in y. It may be approximate, because only the search uses it.
	Certified func(x, nx, y, ny float64) float64
	// Score is the known log-likelihood ratio of a row, or nil.
	Score func(row []float64) float64
	// HalfCorrection halves the standard errors that are subtracted for the winner's curse. The best number depends
	// on the unknown correlation of the candidate events. One of two searches should use the smaller correction.
	HalfCorrection bool
	// Against returns a statement that the claim implies for an event of the given probability. It is nil if there
	// is no scan. Refutes reports whether a value refutes the claim.
	Against func(mass float64) Line
	Refutes func(value float64) bool
	Pairs   int // number of pairs that are searched in the same way, including this one
}

// scorer is a candidate score.
type scorer struct {
	name   string // name of the score, for "name ≥ threshold"
	score  func(row []float64) float64
	signed bool // high scores indicate the first sample, so one direction suffices
	smooth bool // the tail beyond the last value may be extrapolated
	complexity
	posterior *trend                   // posterior of a score that was fitted to the selection rows; else nil
	known     func(t *table) []float64 // values in all rows, if they can be computed faster than by row
	counts    []valued                 // values in ascending order with their counts, if already known
	values    []valued                 // values of the mean of cross-fitted scores, unsorted; counts come from the folds
	// classes returns the labels of the classes inside and outside an event; nil for a score without classes
	classes func(w *Event) (in, out []string)
}

// Find returns the best event for each of s.Samples, or ErrNoEvent. a and b are outputs for the two inputs, at
// least 20 each and of equal width. Find fits candidate scores on one half of the rows. It chooses score, threshold
// and direction by the expected value of Certified, estimated on the other half (cross-fitting), or on all rows for
// fixed scores.
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
	learn := s.Score == nil && all.na+all.nb >= minToLearn
	family := s.family(all)
	scores := family.size(all)
	scan := newScan(s, all, scores)
	var binners []*binner
	for _, c := range family.scores {
		column := newColumn(c.score, c.known, all)
		c.known = nil // an event needs only the score
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
		first, second, both := all.halves(maxToLearn)
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
		if w.Event == "" { // not an event of the scan
			w.settle(all.scratch)
		}
		w.Scores = scores
		w.plan = planOf(a)
	}
	for _, w := range best {
		w.counts, w.values = nil, nil // release memory
	}
	return best, nil
}

const (
	// minToLearn is the number of rows below which a learned score is mostly noise.
	minToLearn = 1000
	// fewPatterns is the number of whole outputs that are compared even with few rows, because nothing else
	// distinguishes symbols.
	fewPatterns = 16
	// maxToLearn is the number of rows of each sample that are used for learning. More rows take more time for
	// little gain.
	maxToLearn = 100_000
)

// frequencyScores returns the scores by frequency ratios in all rows, with their posterior: of the classes of
// divisions, and of whole outputs if there are few.
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

func patternScores(t *table, limit int) []scorer {
	p := newPatterns(t, limit)
	if p == nil {
		return nil
	}
	return []scorer{{name: frequencyScoreName, score: p.Score, signed: true, posterior: p.posterior,
		complexity: wholeOutput}}
}

// threshold returns the cuts of a score with the largest values, one for each of s.Samples, or nil. The events must
// still be settled. values holds the score's values in ascending order with their counts in the search sample t.
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

// settle sets the texts of the chosen event and the threshold on the scale of its score.
func (w *Event) settle(s *scratch) {
	if w.values != nil {
		values := s.ascending(w.values)
		w.rescale(values)
		w.beyond = beyond(values, w.threshold, w.below)
	}
	w.nameIt()
}

// rescale moves the threshold of a cross-fitted score to the mean score, so that equally many rows are beyond it.
// The threshold is set between two values, so that rounding does not affect the rows at it. values must be
// ascending.
func (w *Event) rescale(values []valued) {
	if !w.below {
		slices.Reverse(values)
		defer slices.Reverse(values)
	}
	var mass float64
	for i := 0; i < len(values); {
		value, group := values[i].v, 0.0
		for ; i < len(values) && values[i].v == value; i++ {
			group += values[i].a + values[i].b
		}
		if mass+group/2 > w.rows && mass > 0 {
			break
		}
		mass += group
		w.threshold = value
		if i < len(values) && finite(value) && finite(values[i].v) {
			w.threshold = value + (values[i].v-value)/2
		}
	}
	w.tie = 1
}
