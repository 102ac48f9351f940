package distinguisher

import (
	"fmt"
	"math"
	"slices"
)

// family is what a scan goes through. It depends on the outputs of both inputs together,
// not on what tells them apart: a promise of what is seen may not rest on what was seen.
type family struct {
	scores    []scorer // that the search looks at, too
	scanned   []scorer // those of gross differences alone
	divisions []division
	pairs     []division
}

// family of a search: what is known of the likelihood ratio, if anything is.
func (s Search) family(t *table) family {
	if s.Score != nil {
		return family{scores: []scorer{{name: "log-likelihood ratio", score: s.Score, signed: true}}}
	}
	return familyOf(t)
}

func familyOf(t *table) (f family) {
	for _, g := range featuresOf(t) {
		f.scores = append(f.scores, scorer{name: g.Name, score: g.eval, smooth: true, known: g.known,
			complexity: g.complexity})
	}
	for _, g := range scannedFeatures(t) {
		f.scanned = append(f.scanned, scorer{name: g.Name, score: g.eval, known: g.known, complexity: g.complexity})
	}
	f.divisions, f.pairs = divisions(t), pairDivisions(t)
	return f
}

// size of a family, in scores: the classes of divisions count as the events of a score of
// which there are as many, and so do the whole outputs where they are no score.
func (f family) size(t *table) int {
	events := 0
	for _, all := range [][]division{f.divisions, f.pairs} {
		for _, d := range all {
			events += 2 * len(d.counts)
		}
	}
	if t.shape.values() > maxScanned+1 {
		return NotCovered
	}
	scores := len(f.scores) + len(f.scanned) + int(math.Ceil(float64(events)/overlap))
	if t.shape.Width > 1 {
		scores++
	}
	return max(scores, 1)
}

// maxScanned is how many values of an output are scanned, each by itself.
const maxScanned = 4096

// NotCovered stands for the number of scores where outputs have more values than are scanned:
// what differs beyond them goes unseen.
const NotCovered = math.MaxInt

// ScoreCount is the number of scores, or as many events, that the scan of a search without a
// known score goes through for outputs like these; [NotCovered] where they are too long.
func ScoreCount(rows *Rows) int {
	a, b := arrange(rows, rows)
	t := newTable(a, b)
	defer t.close()
	return familyOf(t).size(t)
}

// rest sees what is not seen with the scores of the search.
func (s *scan) rest(f family) {
	for _, c := range f.scanned {
		column := newColumn(c.score, c.known, s.table)
		c.known = nil // an event needs the score alone
		s.score(&c, column)
	}
	for _, all := range [][]division{f.divisions, f.pairs} {
		for _, d := range all {
			s.classes(d)
		}
	}
	s.wholeOutputs()
}

// classes sees each class of a division, and all others together.
func (s *scan) classes(d division) {
	for i, c := range d.counts {
		s.see(c[0], c[1], func() Event { return d.event(i, false) })
		s.see(s.table.na-c[0], s.table.nb-c[1], func() Event { return d.event(i, true) })
	}
}

// event is a class of the division, or all others.
func (d division) event(class int, others bool) Event {
	sign := "="
	if others {
		sign = "≠"
	}
	name := fmt.Sprintf("%s %s %s", d.name, sign, d.label(class))
	c := &scorer{name: name, complexity: d.complexity,
		score: func(row []float64) float64 { return indicator((d.class(row) == class) != others) }}
	return Event{scorer: c, threshold: 1, tie: 1, Event: name,
		Text: classesText(d.name, []string{d.label(class)}, others)}
}

// pairedPositions are the first values whose pairs are compared.
const pairedPositions = 24

// classes of a pair of values.
const (
	inOrder = iota // the first is less
	equal
	reversed
	noOrder // a symbol or NaN, and not equal
	orders
)

// orderOf two values; without a branch that depends on which is less, as that is a matter of chance.
func orderOf(u, v float64) int {
	less, more, differ := 0, 0, 0
	if u < v {
		less = 1
	}
	if u > v {
		more = 1
	}
	if u != v {
		differ = 1
	}
	if differ != less+more && !same(u, v) { // one is a symbol or NaN
		return noOrder
	}
	return equal + more - less
}

// pairDivisions are those of sequences by the order of two of the first values: whether they
// are equal is, for bits, whether they differ.
func pairDivisions(t *table) (out []division) {
	last := min(t.shape.values()-1, pairedPositions)
	for i := 1; i <= last; i++ {
		for j := i + 1; j <= last; j++ {
			first, second := t.shape.name(i), t.shape.name(j)
			out = append(out, division{
				name:       fmt.Sprintf("the order of %s and %s", first, second),
				complexity: severalValues,
				class:      func(row []float64) int { return orderOf(row[i], row[j]) },
				label:      func(class int) string { return [orders]string{"less first", "equal", "greater first", "none"}[class] },
			})
		}
	}
	counts := make([][orders][2]float64, len(out))
	for r := range t.a { // rows outside: they are long
		row, next := t.row(r), counts
		for i := 1; i <= last; i++ {
			for j, v := range row[i+1 : last+1] {
				tallyUp(&next[j][orderOf(row[i], v)], t.a[r], t.b[r])
			}
			next = next[last-i:]
		}
	}
	for k := range out {
		out[k].counts = counts[k][:]
	}
	return out
}

// scannedFeatures are those of gross differences alone, without those that are constant: how
// often a sequence descends, and its values beyond those that have features of their own.
func scannedFeatures(t *table) []Feature {
	values := t.shape.values()
	if values <= 2 {
		return nil
	}
	all := []Feature{{Name: "number of values below the one before", complexity: severalValues,
		eval: func(row []float64) float64 {
			return countValues(row[:values], func(i int, v float64) bool { return i > 1 && v < row[i-1] })
		}}}
	for i := maxPositions + 1; i < min(values, maxScanned+1); i++ {
		all = append(all, at(i, t.shape.name(i)))
	}
	return slices.DeleteFunc(all, func(f Feature) bool { return constant(f, t) })
}
