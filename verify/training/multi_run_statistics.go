package training

import (
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"

	"github.com/dpverify/dpverify/empirical"
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
	Views     []view            `json:"views,omitempty"`
	Bets      *placed           `json:"bets,omitempty"` // instead of views
	Reached   Figures           `json:"reached"`
	Dependent bool              `json:"dependent,omitempty"`
}

// placed are bets: the scores that they were placed on, in their order, and the seed of what decides ties.
type placed struct {
	Scores   scores `json:"scores"`
	Seed     string `json:"seed"`
	followed *bets  // those that were placed; nil of a report
}

// evidence of the runs; the bets are those that followed them, where there are some.
func (a MultiRunAudit) evidence(s verify.Settings, own scores, followed *bets) (e verify.Evidence, err error) {
	f := a.design(s)
	words, bad := a.dependence()
	switch f.Dependent = bad; {
	case f.Bets == nil:
		f.Views = f.countViews(s, own)
	case f.lossless(): // nothing is bet
	default:
		if followed == nil {
			if followed, err = f.newBets(s); err != nil {
				return e, err
			}
			followed.follow(own)
		}
		own = scores{own[0][:followed.n], own[1][:followed.n]}
		f.Bets.Scores, f.Bets.followed = own, followed
	}
	f.Runs, f.Reached = [worlds]int64{int64(len(own[0])), int64(len(own[1]))}, own.figures()
	if e, err = verify.JudgeStatistics(MultiRunMethod, f, s); err != nil {
		return e, err
	}
	if e.Samples > 0 {
		e.Data = a.A.Name + ", " + a.B.Name
	}
	e.Warnings = append(e.Warnings, words...)
	switch {
	case f.lossless() && a.Anytime:
		e.Statistics = nil
	case a.Anytime && max(f.Runs[0], f.Runs[1]) > mostWritten:
		e.Statistics = &verify.SufficientStatistics{Reason: fmt.Sprintf(
			"bets were placed on more than %d runs of each world, in their order, and the "+
				"report has no scores of so many", mostWritten)}
	}
	e.Statistics.Note(false, words...)
	return e, nil
}

// design is what is fixed before the runs.
func (a MultiRunAudit) design(s verify.Settings) multiRunStatistics {
	f := multiRunStatistics{Guarantee: a.Guarantee, Event: a.Event, Described: a.Described}
	if a.Anytime {
		f.Bets = &placed{Seed: hex.EncodeToString(s.Seed[:])}
	}
	return f
}

// lossless reports whether no bet can be lost on so weak a claim.
func (f multiRunStatistics) lossless() bool { return f.Guarantee.Value() >= mostLoss }

func (f multiRunStatistics) Check() error {
	if err := checkGuarantee(f.Guarantee, "the scores of runs", "few runs"); err != nil {
		return err
	}
	if f.Runs != [worlds]int64{int64(f.Reached.Included), int64(f.Reached.Excluded)} {
		return fmt.Errorf("%v runs, and figures of %d and %d: want those of the same", f.Runs,
			f.Reached.Included, f.Reached.Excluded)
	}
	if err := f.Reached.Check(); err != nil {
		return err
	}
	if f.Bets != nil {
		return f.checkBets()
	}
	return f.checkViews()
}

// checkBets checks the scores that were bet on, and the seed.
func (f multiRunStatistics) checkBets() error {
	seed, err := hex.DecodeString(f.Bets.Seed)
	own := f.Bets.Scores
	switch {
	case err != nil || len(seed) != len(empirical.Seed{}):
		return fmt.Errorf("a seed %q: want %d hexadecimal digits", f.Bets.Seed, 2*len(empirical.Seed{}))
	case len(own[0]) == 0 || len(own[1]) == 0:
		return errors.New("want a run in each world")
	case len(f.Views) > 0 || max(len(own[0]), len(own[1])) > mostWritten || f.lossless():
		return fmt.Errorf("bets on more than %d runs, beside counts, or on so weak a claim that none can be lost",
			mostWritten)
	case !reflect.DeepEqual(own.figures(), f.Reached):
		return errors.New("figures of other scores than were bet on")
	}
	return nil
}

// place follows the runs of a report with its bets.
func (f multiRunStatistics) place(alpha float64) (*bets, error) {
	s, own := verify.Settings{Alpha: alpha}, f.Bets.Scores
	if _, err := hex.Decode(s.Seed[:], []byte(f.Bets.Seed)); err != nil {
		return nil, err
	}
	b, err := f.newBets(s)
	if err == nil {
		if b.follow(own); b.n != len(own[0]) || b.n != len(own[1]) {
			err = fmt.Errorf("bets end after %d runs of each world, where %d and %d are written", b.n, len(own[0]), len(own[1]))
		}
	}
	return b, err
}

// checkViews checks that the counts are of as many runs as those that choose leave.
func (f multiRunStatistics) checkViews() error {
	runs, want := f.Runs, 2
	if f.Event == (Event{}) {
		k1, k2, parts := layout(f.Reached.Included, f.Reached.Excluded)
		runs, want = [worlds]int64{runs[0] - int64(k1), runs[1] - int64(k2)}, parts
	}
	if len(f.Views) != want {
		return fmt.Errorf("%d events that are counted: want %d", len(f.Views), want)
	}
	for _, v := range f.Views {
		of := runs
		if v.Swapped {
			of[0], of[1] = of[1], of[0]
		}
		if v.Runs != of[0] || v.OtherRuns != of[1] || !(v.Hits >= 0 && v.Hits <= v.Runs) ||
			!(v.FalseHits >= 0 && v.FalseHits <= v.OtherRuns) || v.Event == (Event{}) {
			return fmt.Errorf("%v: want an event in at most %d and %d runs", v, of[0], of[1])
		}
	}
	if f.Event != (Event{}) {
		one, other := f.Views[0], f.Views[1]
		if one.Event != f.Event || other.Event != f.Event || one.Swapped || !other.Swapped || one.Hits != other.FalseHits ||
			one.FalseHits != other.Hits {
			return fmt.Errorf("%v, and %v: want the same event and counts, of either world over the other", one, other)
		}
	}
	return nil
}
