package privacy

import (
	"fmt"
	"slices"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Statistics of an audit are judged by a trial without a mechanism, all of whose samples are held out.

// lay sets the division of the samples into search rows, at most `most`, and certifying samples.
func (t *auditTrial[D, O]) lay(d auditDesign, most int64) {
	t.design, t.most = d, most
	share := searchShare
	if d == crossFittedDesign {
		share = viewShare
	}
	t.sight.Rows = func(total int64) int64 { return min(int64(share*float64(total)), most) }
	t.sight.Certifying = map[auditDesign]func(total int64) int64{
		crossFittedDesign: func(total int64) int64 { return t.sight.Rows(total) + t.perShardOf(total)*auditShards },
		recordedDesign:    func(total int64) int64 { return total - t.sight.Rows(total) },
		runsDesign:        func(total int64) int64 { return total - t.sight.Rows(total) },
		bitsDesign: func(total int64) int64 {
			return max(1, (total-t.sight.Rows(total))/auditShards) * auditShards
		},
	}[d]
}

// AuditMethod is the method of the statistics of [Audit], [FloatingPoint] and their recorded forms.
var AuditMethod = verify.RegisterStatistics[auditStatistics]("privacy/audit")

// basis returns the sufficient statistics of the audit after counting.
func (t *auditTrial[D, O]) basis(counts []int64) auditStatistics {
	f := auditStatistics{Guarantee: t.Guarantee, Effect: t.Effect, Mass: t.EventProbability, Pairs: len(t.Pairs),
		Design:   t.design,
		Searches: t.sight.Searches, Most: t.most, Scores: t.sight.Scores, Total: t.total, Band: t.perInput() > 1,
		Reals: t.overTheReals, Dependent: t.dependent, Picked: t.pick, Whole: t.whole, Odd: t.warnings,
		Unseeded: t.unseeded, Rounded: t.roundedAtom}
	for i, v := range t.views {
		drawn := t.countsOf(counts, i)
		of := viewStatistics{Samples: t.n(v), Events: t.eventsOf(v)}
		for side := range of.Counts {
			for k, n := range drawn[side] {
				of.Counts[side] = append(of.Counts[side], v.heldOut[side][k]+n)
			}
		}
		f.Views = append(f.Views, of)
	}
	for _, v := range t.others {
		f.Others = append(f.Others, viewStatistics{Events: t.eventsOf(v), Samples: v.heldOutN,
			Counts: [2][]int64{v.heldOut[0], v.heldOut[1]}})
	}
	return f
}

// eventsOf returns the events of a view for statistics.
func (t *auditTrial[D, O]) eventsOf(v view) (events []eventStatistics) {
	for _, c := range v.chosen {
		w := c.witness
		events = append(events, eventStatistics{Pair: c.pair, Name: t.Pairs[c.pair].Name, Event: t.shown.Event(w),
			Said: t.shown.Spoken(w.Text), Swapped: w.Swapped, P: w.P, Q: w.Q, Deviation: w.Excess})
	}
	return events
}

// viewOf returns the view described by the statistics.
func viewOf(f auditStatistics, of viewStatistics, perInput int) (v view, err error) {
	for _, e := range of.Events {
		v.chosen = append(v.chosen, choice{e.Pair,
			&distinguisher.Event{Event: e.Event, Text: e.Said, Swapped: e.Swapped, P: e.P, Q: e.Q, Excess: e.Deviation}})
	}
	v.heldOut, v.heldOutN = [2]seen{of.Counts[0], of.Counts[1]}, of.Samples
	return v, of.Check(f.Pairs, perInput)
}

// Judge certifies the events of all views.
func (f auditStatistics) Judge(s verify.Settings) (verify.Evidence, error) {
	t := &auditTrial[struct{}, struct{}]{settings: s, total: f.Total, alpha: s.Alpha / float64(f.Searches)}
	t.Guarantee, t.Effect, t.EventProbability, t.Band = f.Guarantee, f.Effect, f.Mass, f.Band
	t.overTheReals, t.dependent, t.roundedAtom = f.Reals, f.Dependent, f.Rounded
	t.pick, t.whole, t.warnings, t.unseeded = f.Picked, f.Whole, f.Odd, f.Unseeded
	t.Pairs = make([]inputs.Pair[struct{}], f.Pairs)
	t.sight = t.newSight(f.Searches, f.Scores)
	t.lay(f.Design, f.Most)
	for i, of := range append(slices.Clone(f.Views), f.Others...) {
		v, err := viewOf(f, of, t.perInput())
		if err != nil {
			return verify.Evidence{}, err
		}
		for _, e := range of.Events {
			t.Pairs[e.Pair].Name = e.Name
		}
		if i < len(f.Views) {
			t.views = append(t.views, v)
		} else {
			t.others = append(t.others, v)
		}
	}
	t.setMinProbability()
	judge := t.Judge
	if f.Searches == 1 { // only low-order bits use a single search
		judge = (&precisionTrial[struct{}, struct{}]{auditTrial: t}).Judge
	}
	e, err := judge(t.NewTally())
	if err != nil {
		return e, err
	}
	switch f.Design {
	case recordedDesign:
		e.Method = recordedMethod + e.Method
	case runsDesign:
		e.Method = fmt.Sprintf(runsMethod, s.Alpha*float64(f.Pairs))
		err = t.addOthers(&e)
	}
	t.withdraw(&e)
	return e, err
}
