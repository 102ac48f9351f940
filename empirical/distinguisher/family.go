package distinguisher

import (
	"fmt"
	"math"
	"slices"
)

// family holds the events that a scan tests. It depends only on the pooled outputs of both inputs. The stated power
// must not depend on the observed difference.
type family struct {
	scores    []scorer // scores that the search also uses
	scanned   []scorer // scores that only the scan uses
	divisions []division
	pairs     []division
}

// family returns the family of a search. If the likelihood ratio is known, it is the only score.
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

// size returns the size of a family as a number of scores. The classes of divisions, and whole outputs without a
// score, count as the events of additional scores.
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

// maxScanned is the number of values of an output that are scanned individually.
const maxScanned = 4096

// NotCovered is the score count of outputs that have more values than the scan covers. Differences beyond these
// values are not detected.
const NotCovered = math.MaxInt

// ScoreCount returns the number of scores, or equivalent events, that the scan tests for such outputs if the search
// has no known score. It returns [NotCovered] if the outputs are too long.
func ScoreCount(rows *Rows) int {
	a, b := arrange(rows, rows)
	t := newTable(a, b)
	defer t.close()
	return familyOf(t).size(t)
}

// rest tests the events that are not thresholds of the search's scores.
func (s *scan) rest(f family) {
	for _, c := range f.scanned {
		column := newColumn(c.score, c.known, s.table)
		c.known = nil // an event needs only the score
		s.score(&c, column)
	}
	for _, all := range [][]division{f.divisions, f.pairs} {
		for _, d := range all {
			s.classes(d)
		}
	}
	s.wholeOutputs()
}

// classes tests each class of a division and its complement.
func (s *scan) classes(d division) {
	for i, c := range d.counts {
		s.see(c[0], c[1], func() Event { return d.event(i, false) })
		s.see(s.table.na-c[0], s.table.nb-c[1], func() Event { return d.event(i, true) })
	}
}

// event returns the event of a class of the division, or of its complement.
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

// pairedPositions is the number of leading values whose pairs are compared.
const pairedPositions = 24

// Classes of a pair of values.
const (
	inOrder = iota // the first is smaller
	equal
	reversed
	noOrder // a symbol or NaN, and not equal
	orders
)

// orderOf returns the class of a pair of values. It avoids branches on the order of the values, which is random.
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

// pairDivisions returns the divisions of sequences by the order of two of the first values. For bits, equality
// means that they do not differ.
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
	for r := range t.a { // rows in the outer loop, because they are long
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

// scannedFeatures returns the nonconstant features that only the scan uses: the number of descents of a sequence,
// and its values beyond those with features.
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
		all = append(all, cellFeature(i, t.shape.name(i)))
	}
	return slices.DeleteFunc(all, func(f Feature) bool { return constant(f, t) })
}
