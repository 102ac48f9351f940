package privacy

import (
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/witness"
	"github.com/dpverify/dpverify/verify/privacy/internal/likeness"
	"github.com/dpverify/dpverify/verify/privacy/internal/showing"
	"github.com/dpverify/dpverify/verify/why"
)

// Why a claim is refuted is told from the samples that chose the event: some of the outputs in it, what they look like,
// and of pairs at several distances the loss at each. It has no part in the verdict, and draws nothing.

// mostReadings of pairs that refute nothing are read for how the outputs move from distance to distance.
const mostReadings = 16

// read the outputs at a pair, if one of its events promises to refute the claim, or for how outputs move.
func (t *auditTrial[D, O]) read(pair int, a, b likeness.Sample, found ...candidates) {
	if t.shown.Pairs == nil || t.LogLikelihood != nil {
		return
	}
	suspect := slices.ContainsFunc(found, func(c candidates) bool {
		return slices.ContainsFunc(c, func(w *witness.Witness) bool { return w.Deviation > 0 || t.wouldRefute(w.Value) })
	})
	if p := &t.shown.Pairs[pair].Reading; suspect || t.shown.Apart && p.Distance != nil && len(t.Pairs) <= mostReadings {
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
		t.shown.Pairs[d.pair].Lower[0] = l.rungs[i]
	}
}

// grow bounds the loss at a pair by an event of one fold, in the rows of the other.
func (t *auditTrial[D, O]) grow(pair, fold int, w *witness.Witness, a, b *witness.Rows) error {
	if !t.shown.Apart || t.shown.Pairs[pair].Reading.Distance == nil || t.LogLikelihood != nil {
		return nil
	}
	likelier, other := a, b
	if w.Swapped {
		likelier, other = b, a
	}
	x, y := showing.Hits(w, likelier), showing.Hits(w, other)
	lower, err := showing.LowerLimit(t.Guarantee, x, int64(likelier.Len()), y, int64(other.Len()),
		t.settings.Alpha/float64(2*len(t.Pairs)))
	t.shown.Pairs[pair].Lower[fold] = lower
	return err
}

// why the claim is refuted by the event of a view, with its shares of the outputs counted.
func (t *auditTrial[D, O]) why(v view, rate, other float64) *why.Why {
	w := &why.Why{Rate: rate, Other: other}
	var events, pairs, likelier []string
	for _, c := range v.chosen {
		events = append(events, c.witness.Said)
		pairs = append(pairs, t.Pairs[c.pair].Name)
		likelier = append(likelier, string("AB"[c.at(0).Side()]))
	}
	events, likelier = slices.Compact(events), slices.Compact(likelier)
	w.Said, w.Pair = strings.Join(events, "; or "), strings.Join(pairs, "; ")
	w.Event = t.shown.Spoken(w.Said)
	if len(likelier) == 1 {
		w.Likelier = likelier[0]
	}
	if t.shown.Pairs == nil || t.LogLikelihood != nil {
		return w
	}
	c := v.chosen[0]
	at := c.at(0)
	if w.Outputs = t.shown.Outputs(c.witness, at.Pair, at.Side()); w.Outputs == nil {
		at = t.sharing.Input(at)
		w.Outputs = t.shown.Outputs(c.witness, at.Pair, at.Side())
	}
	w.Growth = t.shown.Growth(t.Guarantee.Quantity(), t.settings.Alpha)
	w.Likeness = t.shown.Likeness(t.Guarantee, c.pair)
	return w
}
