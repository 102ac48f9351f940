package privacy

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// The diagnosis of a refuted claim uses the samples that chose the event: example outputs, their likely cause, and
// the privacy loss of pairs at several distances. It does not affect the verdict and draws no samples.

// maxStoredValues limits the number of values in the rows that are stored for the diagnosis.
const maxStoredValues = 1 << 24

// read prepares the likely cause from the outputs of a pair if one of its events is expected to refute the claim.
func (t *auditTrial[D, O]) read(pair int, a, b diagnosis.Sample, found ...candidates) {
	suspect := slices.ContainsFunc(slices.Concat(found...), func(w *distinguisher.Event) bool {
		return w.Excess > 0 || t.wouldRefute(w.Value)
	})
	if t.shown.Pairs == nil || t.LogLikelihood != nil || !suspect {
		return
	}
	p := &t.shown.Pairs[pair]
	distance := p.Distance
	if p.Resized { // the size of a removed record is not the distance of the query's values
		distance = 0
	}
	p.LikelyCause = sync.OnceValue(func() *verify.LikelyCause {
		return diagnosis.LikelyCause(a, b, t.Guarantee, distance, t.shown.Places)
	})
	if !t.keeps(pair, a, b) {
		p.LikelyCause()
	}
}

// keeps reports whether the rows of a pair may stay in memory until the claim is refuted. That requires a fixed
// number of samples and few rows besides those that pairs share.
func (t *auditTrial[D, O]) keeps(pair int, samples ...diagnosis.Sample) bool {
	values := 0
	for side, s := range samples {
		if len(t.sharing.Pooled(t.sharing.Input(inputPlace{Pair: pair, AtB: side == 1}))) == 0 {
			values += s[0].Len()*s[0].Width + s[1].Len()*s[1].Width
		}
	}
	return !t.Anytime && values <= maxStoredValues/len(t.Pairs)
}

// readDraws prepares the diagnosis from the learning samples, split into halves, and stores the refuted parameters.
func (t *auditTrial[D, O]) readDraws(l *learning, d *draws[D, O]) {
	n := d.a.Len()
	halves := func(rows *distinguisher.Rows) diagnosis.Sample {
		return diagnosis.Sample{rows.Slice(0, n/2), rows.Slice(n/2, n)}
	}
	var found candidates
	if l.witness != nil {
		found = candidates{l.witness}
	}
	t.read(d.pair, halves(d.a), halves(d.b), found)
	need := -math.Log(t.settings.Alpha / float64(len(t.Pairs)))
	for i := 0; i < len(l.rungs) && l.stream.PeakLogWealth(i) >= need; i++ {
		t.shown.Pairs[d.pair].Lower[0] = func() float64 { return l.rungs[i] }
	}
}

// grow prepares lower limits on the privacy loss of a pair: the event of each fold, counted in the rows of the
// other fold.
func (t *auditTrial[D, O]) grow(pair int, of folds, a, b diagnosis.Sample) {
	if !t.shown.Apart || t.shown.Pairs[pair].Distance == 0 || t.LogLikelihood != nil {
		return
	}
	for fold, f := range of {
		if len(f.found) == 0 {
			continue
		}
		w, likelier, other := f.found[0], a[1-fold], b[1-fold]
		if w.Swapped {
			likelier, other = other, likelier
		}
		lower := sync.OnceValue(func() float64 {
			x, y := diagnosis.Hits(w, likelier), diagnosis.Hits(w, other)
			return diagnosis.LowerLimit(t.Guarantee, x, int64(likelier.Len()), y, int64(other.Len()),
				t.settings.Alpha/float64(2*len(t.Pairs)))
		})
		if !t.keeps(pair, a, b) {
			lower()
		}
		t.shown.Pairs[pair].Lower[fold] = lower
	}
}

// diagnosisOf returns the diagnosis of a claim that the event of a view refutes. The rates are the event's shares of
// the outputs under both inputs.
func (t *auditTrial[D, O]) diagnosisOf(v view, rate, other float64) *verify.Diagnosis {
	w := &verify.Diagnosis{Rate: rate, Other: other}
	var events, pairs, likelier []string
	for _, c := range v.chosen {
		events = append(events, c.witness.Text)
		pairs = append(pairs, t.Pairs[c.pair].Name)
		likelier = append(likelier, string("AB"[c.at(0).Side()]))
	}
	events, likelier = slices.Compact(events), slices.Compact(likelier)
	w.RawEvent, w.Pair = strings.Join(events, "; or "), strings.Join(pairs, "; ")
	w.Event = t.shown.Spoken(w.RawEvent)
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
	if cause := t.shown.Pairs[c.pair].LikelyCause; cause != nil {
		w.LikelyCause = cause()
	}
	return w
}
