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

// MultiRunMethod names the statistics of [MultiRunAudit].
var MultiRunMethod = verify.RegisterStatistics[multiRunStatistics]("runs/two-worlds")

// maxWritten is the maximum number of runs of each world whose scores a report contains. Bets depend on each score
// and on the order.
const maxWritten = 1000

// multiRunStatistics holds the counts from which the evidence follows. They do not show how the thresholds were chosen.
// Check requires only that the runs that choose a threshold are not counted in its test.
type multiRunStatistics struct {
	Guarantee privacy.Guarantee `json:"guarantee"`
	Event     Event             `json:"event,omitzero"`
	Described *Described        `json:"described,omitempty"`
	Runs      [worlds]int64     `json:"runs"` // with the record, and without it
	Views     []view            `json:"views,omitempty"`
	Bets      *placed           `json:"bets,omitempty"` // instead of views
	Reached   Figures           `json:"reached"`
	Dependent bool              `json:"dependent,omitempty"`
}

// placed holds the scores that were bet on, in order, and the seed for ties.
type placed struct {
	Scores   scores `json:"scores"`
	Seed     string `json:"seed"`
	followed *bets  // the original bets; nil in a report that was read
}

// evidence judges the runs; followed holds bets already placed on them, or nil.
func (a MultiRunAudit) evidence(s verify.Settings, own scores, followed *bets) (e verify.Evidence, err error) {
	f := a.design(s)
	words, bad := a.dependence()
	switch f.Dependent = bad; {
	case f.Bets == nil:
		f.Views = f.countViews(s, own)
	case f.tooWeak(): // no bet is placed
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
	case f.tooWeak() && a.Anytime:
		e.Statistics = nil
	case a.Anytime && max(f.Runs[0], f.Runs[1]) > maxWritten:
		e.Statistics = &verify.SufficientStatistics{Reason: fmt.Sprintf(
			"bets were placed on more than %d runs of each world, in their order, and the report does not contain the "+
				"scores of so large a number", maxWritten)}
	}
	e.Statistics.Note(false, words...)
	return e, nil
}

// design returns the statistics that are fixed before the runs.
func (a MultiRunAudit) design(s verify.Settings) multiRunStatistics {
	f := multiRunStatistics{Guarantee: a.Guarantee, Event: a.Event, Described: a.Described}
	if a.Anytime {
		f.Bets = &placed{Seed: hex.EncodeToString(s.Seed[:])}
	}
	return f
}

// tooWeak reports whether the claim is too weak to bet against.
func (f multiRunStatistics) tooWeak() bool { return f.Guarantee.Value() >= maxLoss }

func (f multiRunStatistics) Check() error {
	if err := checkGuarantee(f.Guarantee, "the scores of runs", "few runs"); err != nil {
		return err
	}
	if f.Runs != [worlds]int64{int64(f.Reached.Included), int64(f.Reached.Excluded)} {
		return fmt.Errorf("%v runs, and figures of %d and %d: want the same numbers", f.Runs,
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
		return errors.New("there are no runs of one world: want at least one of each")
	case len(f.Views) > 0 || max(len(own[0]), len(own[1])) > maxWritten || f.tooWeak():
		return fmt.Errorf("bets on more than %d runs, bets together with counts, or bets on a claim that is "+
			"too weak",
			maxWritten)
	case !reflect.DeepEqual(own.figures(), f.Reached):
		return errors.New("the figures do not agree with the scores that were bet on")
	}
	return nil
}

// place repeats the bets on the runs of a report.
func (f multiRunStatistics) place(alpha float64) (*bets, error) {
	s, own := verify.Settings{Alpha: alpha}, f.Bets.Scores
	if _, err := hex.Decode(s.Seed[:], []byte(f.Bets.Seed)); err != nil {
		return nil, err
	}
	b, err := f.newBets(s)
	if err == nil {
		if b.follow(own); b.n != len(own[0]) || b.n != len(own[1]) {
			err = fmt.Errorf("bets end after %d runs of each world, but the report has %d and %d", b.n, len(own[0]),
				len(own[1]))
		}
	}
	return b, err
}

// checkViews checks that the number of counted runs is the number of all runs less those that choose the threshold.
func (f multiRunStatistics) checkViews() error {
	runs, want := f.Runs, 2
	if f.Event == (Event{}) {
		k1, k2, parts := layout(f.Reached.Included, f.Reached.Excluded)
		runs, want = [worlds]int64{runs[0] - int64(k1), runs[1] - int64(k2)}, parts
	}
	if len(f.Views) != want {
		return fmt.Errorf("%d counted events: want %d", len(f.Views), want)
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
			return fmt.Errorf("%v, and %v: want the same event and counts, for both orders of the worlds", one, other)
		}
	}
	return nil
}
