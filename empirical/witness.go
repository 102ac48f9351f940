package empirical

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Witness is an event by which two output distributions are told apart: the rows
// whose score lies on one side of a threshold.
type Witness struct {
	score     func(row []float64) float64
	width     int // of the rows that score knows
	threshold float64
	below     bool    // the event is score ≤ threshold, else score ≥ threshold
	tie       float64 // share of the rows at the threshold that count, drawn at random
	// Swapped says that the event is more likely under the second input.
	Swapped bool
	Event   string  // the event in words
	Mass    float64 // its estimated probability under the likelier input
	Value   float64 // what certification is expected to find, cautiously
}

// Holds tells whether the event happened; r breaks ties. A row of another width
// is cut or filled as the search's rows were.
func (w *Witness) Holds(r *rand.Rand, row []float64) bool {
	for len(row) < w.width {
		row = append(row, Absent)
	}
	s := w.score(row[:w.width])
	if s == w.threshold {
		return w.tie >= 1 || r.Float64() < w.tie
	}
	return (s < w.threshold) == w.below
}

// Search says what a witness is looked for.
type Search struct {
	// Samples of each input that the certification will draw.
	Samples int64
	// Certified is the value that certification finds at counts x and y of n each,
	// quickly and not soundly: for the search alone. It grows in x and falls in y.
	Certified func(x, y, n float64) float64
	// Score is a known log-likelihood ratio of a row, or nil.
	Score func(row []float64) float64
}

// scorer is a candidate for a witness's score.
type scorer struct {
	name   string // of the score, for "name ≥ threshold"
	score  func(row []float64) float64
	signed bool // high scores speak for the first sample: one direction suffices
	smooth bool // a tail beyond the last value may be extrapolated
	simple bool // a reader understands the event
}

// Find learns candidate scores from one half of the rows and picks score,
// threshold and direction by the value they promise on the other half. a and b
// are outputs under the two inputs, at least 20 each.
func (s Search) Find(a, b *Rows) (*Witness, error) {
	if a.Width != b.Width || a.Len() < 20 || b.Len() < 20 {
		return nil, fmt.Errorf("witness search needs rows of equal width, at least 20 of each input; got %d and %d", a.Len(), b.Len())
	}
	trainA, selectA := a.halves()
	trainB, selectB := b.halves()
	var best *Witness
	for _, c := range s.candidates(trainA, trainB) {
		w := s.threshold(c, selectA, selectB)
		// A simple event is preferred where it promises nearly as much.
		if w != nil && (best == nil || w.Value > best.Value) {
			best = w
		}
	}
	if best == nil {
		return nil, errors.New("the outputs under both inputs are one and the same value: there is no event to test")
	}
	best.width = a.Width
	return best, nil
}

// halves splits rows in the middle; they are independent, so any half is as good.
func (s *Rows) halves() (first, second *Rows) {
	mid := s.Len() / 2 * s.Width
	return &Rows{s.Width, s.data[:mid:mid]}, &Rows{s.Width, s.data[mid:]}
}

// candidates learns scores from the training rows.
func (s Search) candidates(a, b *Rows) []scorer {
	if s.Score != nil {
		return []scorer{{name: "log-likelihood ratio", score: s.Score, signed: true}}
	}
	var out []scorer
	features := featuresOf(a, b)
	var binners []*binner
	for _, f := range features {
		bin := newBinner(f, a, b)
		binners = append(binners, bin)
		out = append(out, scorer{name: f.Name, score: f.eval, smooth: bin.codes == nil, simple: true})
	}
	for _, shrink := range []float64{0.5, 2} {
		if p := newPatterns(a, b, shrink); p != nil {
			out = append(out, scorer{name: "log ratio of the output's frequencies", score: p.Score, signed: true})
		}
	}
	if len(binners) > 0 {
		t := newBooster(binners, a, b)
		for _, sh := range []shape{stumps, shrubs} {
			if e := t.fit(sh); !e.empty() && (sh.depth == 1 || len(binners) > 1) {
				out = append(out, scorer{name: "learned log-likelihood ratio", score: e.Score, signed: true})
			}
		}
	}
	return out
}

// caution is how many standard errors the counts of the selection rows are moved
// to the wrong side before they are trusted: the best of many is lucky.
const caution = 1

// threshold finds the cut of a score with the largest promise.
func (s Search) threshold(c scorer, a, b *Rows) *Witness {
	sa, sb := scores(c.score, a), scores(c.score, b)
	var best *Witness
	for _, below := range []bool{false, true} {
		for _, swapped := range []bool{false, true} {
			if c.signed && below != swapped {
				continue
			}
			x, y := sa, sb
			if swapped {
				x, y = sb, sa
			}
			t := tailSearch{Search: s, x: x, y: y, below: below, smooth: c.smooth}
			if at, tie, value, mass, ok := t.best(); ok && (best == nil || value > best.Value) {
				best = &Witness{score: c.score, threshold: at, below: below, tie: tie, Swapped: swapped, Mass: mass, Value: value}
			}
		}
	}
	if best != nil {
		best.Event = best.words(c)
	}
	return best
}

func (w *Witness) words(c scorer) string {
	sign := "≥"
	if w.below {
		sign = "≤"
	}
	text := fmt.Sprintf("%s %s %.6g", c.name, sign, w.threshold)
	if IsSymbol(w.threshold) || w.tie < 1 {
		text += fmt.Sprintf(" (ties counted with probability %g)", w.tie)
	}
	return text
}

// scores of all rows, sorted; symbols and NaN have no order and are left out.
func scores(f func([]float64) float64, s *Rows) []float64 {
	out := make([]float64, 0, s.Len())
	for i := range s.Len() {
		if v := f(s.Row(i)); !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// tailSearch looks for the threshold of one score in one direction: x are the
// sorted scores under the input that is to be likelier, y those under the other.
type tailSearch struct {
	Search
	x, y   []float64
	below  bool
	smooth bool
}

// best walks a geometric grid of tail sizes, and then the neighbourhood of the
// best one.
func (t *tailSearch) best() (at, tie, value, mass float64, ok bool) {
	if len(t.x) == 0 {
		return 0, 0, 0, 0, false
	}
	value = math.Inf(-1)
	try := func(rank int) {
		v := t.x[rank]
		if !t.below {
			v = t.x[len(t.x)-1-rank]
		}
		for _, share := range []float64{1, 0.5} {
			got, m := t.promise(v, share)
			if got > value {
				at, tie, value, mass, ok = v, share, got, m, true
			}
			if !t.tied(v) {
				break
			}
		}
	}
	var grid []int
	for r := 0; r < len(t.x); r = max(r+1, r*21/20) {
		grid = append(grid, r)
	}
	for _, r := range grid {
		try(r)
	}
	return at, tie, value, mass, ok && !math.IsInf(value, -1)
}

// tied tells whether several scores are equal to v, so that a part of them is a
// choice of its own.
func (t *tailSearch) tied(v float64) bool {
	i, _ := slices.BinarySearch(t.x, v)
	return i+1 < len(t.x) && t.x[i+1] == v
}

// promise is the certified value to be expected at threshold v, from the counts of the
// selection rows moved to the wrong side and scaled to the certification.
func (t *tailSearch) promise(v, tie float64) (value, mass float64) {
	m := float64(len(t.y))
	n := float64(t.Samples)
	k, tx := t.count(t.x, v)
	l, ty := t.count(t.y, v)
	x, y := k+tie*tx, l+tie*ty
	mass = x / m
	p := math.Max(0, x-caution*math.Sqrt(x*(1-x/m))) / m
	q := math.Min(m, y+caution*math.Sqrt(y+1)) / m
	if t.smooth && y < 10 {
		q = math.Min(q, t.extrapolate(v))
	}
	if !(p > 0) {
		return math.Inf(-1), mass
	}
	return t.Certified(p*n, q*n, n), mass
}

// count is the number of scores strictly beyond v, and at v.
func (t *tailSearch) count(s []float64, v float64) (beyond, at float64) {
	lo, _ := slices.BinarySearch(s, v)
	hi := lo
	for hi < len(s) && s[hi] == v {
		hi++
	}
	if t.below {
		return float64(lo), float64(hi - lo)
	}
	return float64(len(s) - hi), float64(hi - lo)
}

// extrapolate estimates the share of y beyond v, where hardly any was seen, from
// an exponential tail fitted to the last ones (their mean excess). It is twice
// the fit: a guide for the search, never part of a certificate.
func (t *tailSearch) extrapolate(v float64) float64 {
	const tail = 50
	n := len(t.y)
	if n < 4*tail {
		return 1
	}
	sign, at := 1.0, func(i int) float64 { return t.y[n-1-i] }
	if t.below {
		sign, at = -1, func(i int) float64 { return t.y[i] }
	}
	start := at(tail)
	var excess float64
	for i := range tail {
		excess += sign * (at(i) - start)
	}
	scale := excess / tail
	distance := sign * (v - start)
	if !(scale > 0) || !(distance > 0) {
		return 1
	}
	return 2 * tail / float64(n) * math.Exp(-distance/scale)
}
