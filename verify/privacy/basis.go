package privacy

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/witness"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/neighbours"
)

// An audit is judged again from its counts as it was judged first: by a trial without a mechanism, whose samples
// are all held out.

// design is how the samples of an audit are divided.
type design string

const (
	crossFitted     design = "cross-fitted" // two folds that search, and fresh samples
	recordedOutputs design = "recorded"     // parts of what is there search, and the rest certifies
	freshBits       design = "bits"         // one search, and fresh samples
)

// lay divides the samples: of so many in all the rows of a search, at most so many, and those that certify.
func (t *auditTrial[D, O]) lay(d design, most int64) {
	t.design, t.most = d, most
	share := searchShare
	if d == crossFitted {
		share = viewShare
	}
	t.sight.rows = func(total int64) int64 { return min(int64(share*float64(total)), most) }
	t.sight.certifying = map[design]func(total int64) int64{
		crossFitted: func(total int64) int64 { return t.sight.rows(total) + t.perShardOf(total)*auditShards },
		recordedOutputs: func(total int64) int64 {
			return total - t.sight.rows(total)
		},
		freshBits: func(total int64) int64 {
			return max(1, (total-t.sight.rows(total))/auditShards) * auditShards
		},
	}[d]
}

// AuditBasis is the method of [Recompute].
const AuditBasis = "privacy/audit"

// auditFacts are what the evidence of an audit follows from.
type auditFacts struct {
	Guarantee Guarantee   `json:"guarantee"`
	Effect    float64     `json:"effect"`
	Mass      float64     `json:"mass"` // 0 is that of the guarantee
	Pairs     int         `json:"pairs"`
	Design    design      `json:"design"`
	Searches  int         `json:"searches"` // of each pair
	Most      int64       `json:"most_rows"`
	Scores    int         `json:"scores"`
	Total     int64       `json:"total"` // samples of each input of a pair
	Band      bool        `json:"band,omitempty"`
	Bits      bool        `json:"low_order_bits,omitempty"`
	Reals     bool        `json:"over_the_reals,omitempty"`
	Dependent bool        `json:"dependent,omitempty"`
	Views     []viewFacts `json:"views"`
}

// viewFacts are the events of one of the tests, and their held-out counts: under the input where they are to be
// likelier, and under the other.
type viewFacts struct {
	Events  []eventFacts `json:"events"`
	Samples [2]int64     `json:"samples"`
	Counts  [2]seen      `json:"counts"` // of the event; where there is a band, of each ring of the nested ones after it
}

type eventFacts struct {
	Pair      int     `json:"pair"` // its place, from 0
	Name      string  `json:"name"`
	Event     string  `json:"event"`
	Swapped   bool    `json:"swapped,omitempty"`
	P         float64 `json:"p"` // the masses that its search saw, corrected
	Q         float64 `json:"q"`
	Deviation float64 `json:"deviation,omitempty"`
}

// facts of the audit, once its samples are counted.
func (t *auditTrial[D, O]) facts(counts []int64) auditFacts {
	f := auditFacts{Guarantee: t.Guarantee, Effect: t.Effect, Mass: t.Mass, Pairs: len(t.Pairs), Design: t.design,
		Searches: t.sight.searches, Most: t.most, Scores: t.sight.scores, Total: t.total, Band: t.perInput() > 1,
		Bits: t.sight.searches == 1, Reals: t.overTheReals, Dependent: t.dependent}
	for i, v := range t.views {
		drawn := t.countsOf(counts, i)
		of := viewFacts{Samples: t.n(v)}
		for side := range of.Counts {
			for k, n := range drawn[side] {
				of.Counts[side] = append(of.Counts[side], v.heldOut[side][k]+n)
			}
		}
		for _, c := range v.chosen {
			w := c.witness
			of.Events = append(of.Events, eventFacts{c.pair, t.Pairs[c.pair].Name, w.Event, w.Swapped, w.P, w.Q, w.Deviation})
		}
		f.Views = append(f.Views, of)
	}
	return f
}

// mostPairs that facts may speak of.
const mostPairs = 1 << 20

func (f auditFacts) check() error {
	switch {
	case f.Pairs < 1 || f.Pairs > mostPairs:
		return fmt.Errorf("%d pairs: want 1 to %d", f.Pairs, mostPairs)
	case !(f.Effect > 1 && f.Effect <= math.MaxFloat64) || !(f.Mass >= 0 && f.Mass < 1):
		return fmt.Errorf("effect %v, mass %v: want a finite factor above 1 and a probability below 1", f.Effect, f.Mass)
	case f.Searches < 1 || f.Searches > 2 || f.Total < 1 || f.Most < 1:
		return fmt.Errorf("%d searches of at most %d rows of %d samples: want 1 or 2 of at least one", f.Searches, f.Most,
			f.Total)
	case f.Design != crossFitted && f.Design != recordedOutputs && f.Design != freshBits:
		return fmt.Errorf("design %q: want %s, %s or %s", f.Design, crossFitted, recordedOutputs, freshBits)
	case len(f.Views) < 1 || len(f.Views) > f.Searches:
		return fmt.Errorf("%d tests by %d searches: want one of each at most", len(f.Views), f.Searches)
	case f.Bits != (f.Searches == 1):
		return errors.New("low-order bits have one search, and all else two")
	}
	return f.Guarantee.Check()
}

// view of the facts.
func (f auditFacts) view(of viewFacts, perInput int) (v view, err error) {
	for _, e := range of.Events {
		if e.Pair < 0 || e.Pair >= f.Pairs || !(e.P >= 0 && e.P <= 1 && e.Q >= 0 && e.Q <= 1) {
			return v, fmt.Errorf("an event of pair %d with masses %v and %v: want one of %d pairs, and probabilities", e.Pair,
				e.P, e.Q, f.Pairs)
		}
		v.chosen = append(v.chosen, choice{e.Pair,
			&witness.Witness{Event: e.Event, Swapped: e.Swapped, P: e.P, Q: e.Q, Deviation: e.Deviation}})
	}
	if len(v.chosen) == 0 {
		return v, errors.New("a test without an event")
	}
	for side, counts := range of.Counts {
		n := of.Samples[side]
		if len(counts) != perInput || !(counts[0] >= 0 && counts[0] <= n) || n < 1 {
			return v, fmt.Errorf("counts %v of %d samples: want %d, of which none is more", counts, n, perInput)
		}
		rest := n
		for _, k := range counts[1:] {
			if k < 0 || k > rest {
				return v, fmt.Errorf("counts %v: the rings of nested events hold more than %d samples", counts[1:], n)
			}
			rest -= k
		}
		if perInput > 1 && rest != 0 {
			return v, fmt.Errorf("counts %v: the rings of nested events hold %d of %d samples", counts[1:], n-rest, n)
		}
	}
	v.heldOut, v.heldOutN = of.Counts, of.Samples
	return v, nil
}

// Recompute is the evidence of an audit, of [Precision] or of their recorded forms, from its facts.
func Recompute(b verify.Basis, s verify.Settings) (verify.Evidence, error) {
	var f auditFacts
	if err := b.Read(&f); err != nil {
		return verify.Evidence{}, err
	}
	if err := f.check(); err != nil {
		return verify.Evidence{}, err
	}
	t := &auditTrial[struct{}, struct{}]{settings: s, total: f.Total, alpha: s.Alpha / float64(f.Searches)}
	t.Guarantee, t.Effect, t.Mass, t.Band = f.Guarantee, f.Effect, f.Mass, f.Band
	t.overTheReals, t.dependent = f.Reals, f.Dependent
	t.Pairs = make([]neighbours.Pair[struct{}], f.Pairs)
	t.sight = t.newSight(f.Searches, f.Scores)
	t.lay(f.Design, f.Most)
	for _, of := range f.Views {
		v, err := f.view(of, t.perInput())
		if err != nil {
			return verify.Evidence{}, err
		}
		for _, e := range of.Events {
			t.Pairs[e.Pair].Name = e.Name
		}
		t.views = append(t.views, v)
	}
	t.setLeastMass()
	judge := t.Judge
	if f.Bits {
		judge = (&precisionTrial[struct{}, struct{}]{auditTrial: t}).Judge
	}
	e, err := judge(t.NewTally())
	t.withdraw(&e)
	return e, err
}
