package privacy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/empirical/witness"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/privacy/internal/likeness"
	"github.com/dpverify/dpverify/verify/why"
)

// Why a claim is refuted is told from the samples that chose the event: some of the outputs in it, what they look like,
// and of pairs at several distances the loss at each. It has no part in the verdict, and draws nothing.

// shown is what the samples of the search show of each pair.
type shown struct {
	pairs  []shownPair // nil where nothing is told
	growth bool        // the inputs of the pairs are apart by different distances
	names  []string    // of the values of a list, where they have any
}

type shownPair struct {
	examples [2]examples // at A and at B
	reading  likeness.Pair
	lower    [2]float64 // limit of the parameter by the event of either fold; 0 where it has none
}

// mostReadings of pairs that refute nothing are read for how the outputs move from distance to distance.
const mostReadings = 16

func newShown[D any](pairs []neighbours.Pair[D]) shown {
	s := shown{pairs: make([]shownPair, len(pairs))}
	apart := make(map[float64]bool)
	for i, p := range pairs {
		if d, ok := likeness.Between(p.A, p.B); ok {
			s.pairs[i].reading.Distance = &d
			apart[d.Sum] = true
		}
	}
	s.growth = len(apart) > 1
	return s
}

// examples are some outputs of a sample, with their rows.
type examples struct {
	rows  [][]float64
	texts []string
}

const (
	mostExamples  = 60
	widestExample = 64 // values
	longExample   = 80 // bytes
	shownExamples = 3
)

// see takes the first outputs that are short enough to be shown.
func (e *examples) see(output any, row []float64) {
	if len(e.rows) == mostExamples || len(row) > widestExample {
		return
	}
	text, err := json.Marshal(output)
	if err != nil || len(text) > longExample { // NaN, among others, has no JSON
		text = nil
	}
	e.rows, e.texts = append(e.rows, slices.Clone(row)), append(e.texts, string(text))
}

// inputText is an input as JSON, or in Go syntax where it has none.
func inputText(input any) string {
	if text, err := json.Marshal(input); err == nil && string(text) != "{}" {
		return string(text)
	}
	return fmt.Sprintf("%#v", input)
}

// in the event of a witness: the commonest, each once.
func (e *examples) in(w *witness.Witness) []string {
	times := make(map[string]int)
	for i, row := range e.rows {
		if e.texts[i] != "" && w.Certain(row) {
			times[e.texts[i]]++
		}
	}
	all := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return all[:min(len(all), shownExamples)]
}

// read the outputs at a pair, if one of its events promises to refute the claim, or for how outputs move.
func (t *auditTrial[D, O]) read(pair int, a, b likeness.Sample, found ...candidates) {
	if t.shown.pairs == nil || t.LogLikelihood != nil {
		return
	}
	suspect := slices.ContainsFunc(found, func(c candidates) bool {
		return slices.ContainsFunc(c, func(w *witness.Witness) bool { return w.Deviation > 0 || t.wouldRefute(w.Value) })
	})
	if p := &t.shown.pairs[pair].reading; suspect || t.shown.growth && p.Distance != nil && len(t.Pairs) <= mostReadings {
		p.Reading = likeness.Read(a, b, t.Guarantee)
	}
}

// readDraws reads what was learned from, one half after the other, and takes the parameters that were refuted.
func (t *auditTrial[D, O]) readDraws(l *learning, d *draws[D, O]) {
	n := d.a.Len()
	halves := func(rows *witness.Rows) likeness.Sample {
		return likeness.Sample{rows.Slice(0, n/2), rows.Slice(n/2, n)}
	}
	var found candidates
	if l.witness != nil {
		found = candidates{l.witness}
	}
	t.read(d.pair, halves(d.a), halves(d.b), found)
	need := -math.Log(t.settings.Alpha / float64(len(t.Pairs)))
	for i := 0; i < len(l.rungs) && l.stream.PeakLogWealth(i) >= need; i++ {
		t.shown.pairs[d.pair].lower[0] = l.rungs[i]
	}
}

// grow bounds the loss at a pair by an event of one fold, in the rows of the other.
func (t *auditTrial[D, O]) grow(pair, fold int, w *witness.Witness, a, b *witness.Rows) error {
	if !t.shown.growth || t.shown.pairs[pair].reading.Distance == nil || t.LogLikelihood != nil {
		return nil
	}
	likelier, other := a, b
	if w.Swapped {
		likelier, other = b, a
	}
	x, y := certainIn(w, likelier), certainIn(w, other)
	lower, err := t.lowerLimit(x, int64(likelier.Len()), y, int64(other.Len()), t.settings.Alpha/float64(2*len(t.Pairs)))
	t.shown.pairs[pair].lower[fold] = lower
	return err
}

// certainIn is in how many rows the event happens, whatever becomes of ties.
func certainIn(w *witness.Witness, rows *witness.Rows) (hits int64) {
	for i := range rows.Len() {
		if w.Certain(rows.Row(i)) {
			hits++
		}
	}
	return hits
}

// lowerLimit of the parameter from the counts of an event.
func (t *auditTrial[D, O]) lowerLimit(x, nx, y, ny int64, alpha float64) (float64, error) {
	if g := t.Guarantee; g.IsApproximate() {
		return math.Max(0, limits.EpsilonLower(x, nx, y, ny, g.Delta(), alpha)), nil
	}
	p, err := limits.BinomialLower(x, nx, alpha/2)
	if err != nil {
		return 0, err
	}
	q, err := limits.BinomialUpper(y, ny, alpha/2)
	return t.Guarantee.OfMasses(p, q), err
}

// why the claim is refuted by the event of a view, with its shares of the outputs counted.
func (t *auditTrial[D, O]) why(v view, rate, other float64) *why.Why {
	w := &why.Why{Rate: rate, Other: other, Growth: t.growth()}
	var events, pairs, likelier []string
	for _, c := range v.chosen {
		events = append(events, c.witness.Said)
		pairs = append(pairs, t.Pairs[c.pair].Name)
		likelier = append(likelier, string("AB"[c.at(0).Side()]))
	}
	events, likelier = slices.Compact(events), slices.Compact(likelier)
	w.Said, w.Pair = strings.Join(events, "; or "), strings.Join(pairs, "; ")
	names := t.shown.names
	if names == nil {
		names = t.shown.places()
	}
	w.Event = why.Spoken(w.Said, names)
	if len(likelier) == 1 {
		w.Likelier = likelier[0]
	}
	if t.shown.pairs == nil {
		return w
	}
	c := v.chosen[0]
	of := func(at shownPair, side int) []string { return at.examples[side].in(c.witness) }
	at := c.at(0)
	if w.Outputs = of(t.shown.pairs[at.Pair], at.Side()); w.Outputs == nil {
		at = t.sharing.Input(at)
		w.Outputs = of(t.shown.pairs[at.Pair], at.Side())
	}
	var readings []likeness.Pair
	for _, p := range t.shown.pairs {
		readings = append(readings, p.reading)
	}
	w.Likeness = likeness.Name(t.Guarantee, readings, c.pair)
	return w
}

// growth of the loss with the distance of the inputs; nil where they are all one.
func (t *auditTrial[D, O]) growth() *why.Growth {
	if !t.shown.growth || t.LogLikelihood != nil {
		return nil
	}
	g := &why.Growth{Quantity: t.Guarantee.Quantity(), Alpha: t.settings.Alpha}
	for _, p := range t.shown.pairs {
		if p.reading.Distance == nil {
			continue
		}
		lower := max(p.lower[0], p.lower[1])
		i, met := slices.BinarySearchFunc(g.Points, p.reading.Distance.Sum, func(at why.Point, d float64) int {
			return cmp.Compare(at.Distance, d)
		})
		if !met {
			g.Points = slices.Insert(g.Points, i, why.Point{Distance: p.reading.Distance.Sum})
		}
		g.Points[i].Lower, g.Points[i].Pairs = max(g.Points[i].Lower, lower), g.Points[i].Pairs+1
	}
	return g
}

// places are the names of the values of outputs that are more than a number or a list of such, as they are written out;
// nil of those.
func (s shown) places() (names []string) {
	const mostNames = 256
	for _, p := range s.pairs {
		for _, e := range p.examples {
			for _, text := range e.texts {
				var v any
				if text == "" || json.Unmarshal([]byte(text), &v) != nil || plain(v) {
					continue
				}
				var these []string
				if list, ok := v.([]any); ok {
					for i, item := range list {
						these = appendPlaces(these, fmt.Sprintf("item %d", i+1), item)
					}
				} else {
					these = appendPlaces(nil, "", v)[1:]
				}
				if names != nil && !slices.Equal(these, names) { // from output to output other values stand there
					names = make([]string, mostNames)
					for i := range names {
						names[i] = fmt.Sprintf("value %d of the output, written out with its lengths,", i+1)
					}
					return names
				}
				names = these
			}
		}
	}
	return names
}

// plain values are no objects, and no lists of lists or objects.
func plain(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return false
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool {
			_, list := item.([]any)
			return list || !plain(item)
		})
	}
	return true
}

// appendPlaces are the names of the cells of a value, as an encoder has them: a list has its length before its items.
func appendPlaces(names []string, at string, v any) []string {
	switch v := v.(type) {
	case []any:
		names = append(names, "the length of "+at)
		for i, item := range v {
			names = appendPlaces(names, fmt.Sprintf("item %d of %s", i+1, at), item)
		}
		return names
	case map[string]any:
		names = append(names, "the keys of "+at)
		for _, key := range witness.Keys(v) {
			name := fmt.Sprintf("%q", key)
			if at != "" {
				name += " of " + at
			}
			names = appendPlaces(names, name, v[key])
		}
		for _, key := range witness.Keys(v) {
			names = append(names, fmt.Sprintf("the key %q", key))
		}
		return names
	}
	return append(names, at)
}
