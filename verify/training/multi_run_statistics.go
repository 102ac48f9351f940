package training

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
)

// MultiRunMethod is the method of the statistics of [MultiRunAudit].
var MultiRunMethod = verify.RegisterStatistics[multiRunStatistics]("runs/two-worlds")

// mostWritten is how many runs of either world a report has the scores of. Bets rest on each of them, in their order.
const mostWritten = 1000

// multiRunStatistics are what the evidence follows from. That the thresholds are those that the runs beside them choose
// does not
// follow from counts, and need not: those that choose certify nothing.
type multiRunStatistics struct {
	Guarantee privacy.Guarantee `json:"guarantee"`
	Event     Event             `json:"event,omitzero"`
	Described *Described        `json:"described,omitempty"`
	Runs      [worlds]int64     `json:"runs"` // with the record, and without
	Views     []counted         `json:"views,omitempty"`
	Bets      *placed           `json:"bets,omitempty"` // instead of views
	Reached   Figures           `json:"reached"`
	Dependent bool              `json:"dependent,omitempty"`
}

// counted is an event in the runs that certify it. One that is swapped speaks for a run without the record.
type counted struct {
	Event     Event `json:"event"`
	Swapped   bool  `json:"swapped,omitempty"`
	Hits      int64 `json:"hits"`
	Runs      int64 `json:"runs"`
	FalseHits int64 `json:"false_hits"`
	OtherRuns int64 `json:"other_runs"`
}

// placed are bets: the scores that they were placed on, in their order, and the seed of what decides ties.
type placed struct {
	Scores [worlds][]float64 `json:"scores"`
	Seed   string            `json:"seed"`
}

func (a MultiRunAudit) basis(used countedRuns, s verify.Settings, own scores) *verify.SufficientStatistics {
	f := multiRunStatistics{Guarantee: a.Guarantee, Event: a.Event, Described: a.Described, Runs: used.used,
		Reached:   used.figures,
		Dependent: used.dependent}
	for _, v := range used.views {
		f.Views = append(f.Views, counted{v.event, v.swapped, v.Hits, v.Runs, v.FalseHits, v.OtherRuns})
	}
	switch {
	case a.Anytime && a.lossless():
		return nil
	case a.Anytime && max(len(own.with), len(own.without)) > mostWritten:
		return &verify.SufficientStatistics{Reason: fmt.Sprintf(
			"bets were placed on more than %d runs of each world, in their order, and the "+
				"report has no scores of so many", mostWritten)}
	case a.Anytime:
		f.Bets = &placed{[worlds][]float64{own.with, own.without}, hex.EncodeToString(s.Seed[:])}
	}
	return verify.NewStatistics(MultiRunMethod, f)
}

// audit is the audit without its runs.
func (f multiRunStatistics) audit() MultiRunAudit {
	return MultiRunAudit{Guarantee: f.Guarantee, Event: f.Event, Described: f.Described, Anytime: f.Bets != nil}
}

func (f multiRunStatistics) Check() error {
	if err := f.audit().Check(); err != nil {
		return err
	}
	if f.Runs != [worlds]int64{int64(f.Reached.Included), int64(f.Reached.Excluded)} {
		return fmt.Errorf("%v runs, and figures of %d and %d: want those of the same", f.Runs,
			f.Reached.Included, f.Reached.Excluded)
	}
	return f.Reached.Check()
}

// Judge judges the counts, or places the bets.
func (f multiRunStatistics) Judge(s verify.Settings) (verify.Evidence, error) {
	a := f.audit()
	used := countedRuns{used: f.Runs, figures: f.Reached, dependent: f.Dependent}
	var err error
	if f.Bets != nil {
		used.bets, err = a.again(f, s.Alpha)
	} else {
		used.views, err = a.viewsOf(f)
	}
	if err != nil {
		return verify.Evidence{}, err
	}
	return a.judge(used, s.Alpha)
}

// again places the bets.
func (a MultiRunAudit) again(f multiRunStatistics, alpha float64) (*bets, error) {
	var s verify.Settings
	seed, err := hex.DecodeString(f.Bets.Seed)
	if err != nil || copy(s.Seed[:], seed) != len(s.Seed) || len(seed) != len(s.Seed) {
		return nil, fmt.Errorf("a seed %q: want %d hexadecimal digits", f.Bets.Seed, 2*len(s.Seed))
	}
	own := scores{f.Bets.Scores[0], f.Bets.Scores[1]}
	both, err := NewWorldScores(own.with, own.without)
	switch {
	case err != nil:
		return nil, err
	case len(f.Views) > 0 || max(len(own.with), len(own.without)) > mostWritten || a.lossless():
		return nil, fmt.Errorf("bets on more than %d runs, beside counts, or on so weak a claim that none can be lost",
			mostWritten)
	case !both.Figures().Equal(f.Reached):
		return nil, errors.New("figures of other scores than were bet on")
	}
	b, err := a.newBets(s, a.shared(alpha))
	if err == nil {
		if b.follow(own); b.n != len(own.with) || b.n != len(own.without) {
			err = fmt.Errorf("bets end after %d runs of each world, where %d and %d are written", b.n, len(own.with),
				len(own.without))
		}
	}
	return b, err
}

// viewsOf are the counts of the statistics, of as many runs as those that choose leave.
func (a MultiRunAudit) viewsOf(f multiRunStatistics) (out []view, err error) {
	runs := f.Runs
	want := 2
	if a.Event == (Event{}) {
		k1, k2, parts := layout(f.Reached.Included, f.Reached.Excluded)
		runs, want = [worlds]int64{runs[0] - int64(k1), runs[1] - int64(k2)}, parts
	}
	if len(f.Views) != want {
		return nil, fmt.Errorf("%d events that are counted: want %d", len(f.Views), want)
	}
	for _, c := range f.Views {
		of := runs
		if c.Swapped {
			of[0], of[1] = of[1], of[0]
		}
		v := view{event: c.Event, swapped: c.Swapped, Attack: confidence.Attack{Hits: c.Hits, Runs: c.Runs,
			FalseHits: c.FalseHits, OtherRuns: c.OtherRuns}}
		if c.Runs != of[0] || c.OtherRuns != of[1] || !(c.Hits >= 0 && c.Hits <= c.Runs) ||
			!(c.FalseHits >= 0 && c.FalseHits <= c.OtherRuns) || c.Event == (Event{}) {
			return nil, fmt.Errorf("%v: want an event in at most %d and %d runs", v, of[0], of[1])
		}
		out = append(out, v)
	}
	if a.Event != (Event{}) {
		one, other := out[0], out[1]
		if one.event != a.Event || other.event != a.Event || one.swapped || !other.swapped || one.Hits != other.FalseHits ||
			one.FalseHits != other.Hits {
			return nil, fmt.Errorf("%v, and %v: want the same event and counts, of either world over the other", one, other)
		}
	}
	return out, nil
}
