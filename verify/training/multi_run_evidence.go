package training

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// multiRunJudge is a judgment of the statistics.
type multiRunJudge struct {
	multiRunStatistics
	finding
	bets *bets // nil if runs are counted
	runs int64 // of the world with fewer runs
	at   int   // index of the view with the largest lower limit
}

// limit returns the lower limit that a view certifies.
func (f multiRunStatistics) limit(v view, alpha float64) (float64, error) {
	if f.Guarantee.IsApproximate() {
		return v.EpsilonLower(f.Guarantee.Delta(), alpha)
	}
	return v.MuLower(alpha)
}

// Judge returns the evidence from the counts or the bets. It places the bets of a report again.
func (f multiRunStatistics) Judge(s verify.Settings) (e verify.Evidence, err error) {
	j := multiRunJudge{multiRunStatistics: f, runs: min(f.Runs[0], f.Runs[1]),
		finding: newFinding(f.Guarantee, f.Described, s.Alpha, "audit", "shows", "does not allow for it")}
	if f.Bets != nil {
		if j.bets = f.Bets.followed; f.tooWeak() {
			e.Verdict, e.Quantity, e.Sense, e.Claimed = verify.Inconclusive, f.Guarantee.Quantity(), verify.AtMost,
				verify.Num(f.Guarantee.Value())
			e.Method, e.Power = "sequential test of the claim", "no bet can refute so weak a claim"
			e.Needed = "a stronger claim: no number of runs refutes this one"
			return e, nil
		}
		if j.bets == nil {
			if j.bets, err = f.place(s.Alpha); err != nil {
				return e, err
			}
		}
		j.lowest, j.usual, j.middle = j.bets.lower(j.alpha), j.bets.lower(usualAlpha), j.bets.lower(0.5)
		j.broken, j.described = j.bets.broken[0], j.bets.broken[1]
		e.Levels = j.bets.passed.List()
	} else if err = j.counted(); err != nil {
		return e, err
	}
	j.show(&e, j.label(), f.Runs[0]+f.Runs[1])
	e.Cells = slices.Concat(e.Cells, j.usualRow(), f.Reached.Reached(""))
	e.Curves = f.Reached.Curve(j.allowed())
	seen := j.sees()
	j.decide(&e, seen)
	e.Power, e.Method = j.power(seen), j.method()
	e.LookAgain(&j)
	if f.Dependent {
		e.Verdict, e.Attempt, e.Counterexample = verify.Inconclusive, "", verify.Counterexample{}
		e.Needed = "independent runs, each recorded once: see the warning"
	}
	return e, nil
}

// counted fills in the limits from the counts. All views have equal shares of alpha.
func (j *multiRunJudge) counted() (err error) {
	share := rung{alpha: 1 / float64(len(j.Views))}
	views := counts[view]{j.Views, slices.Repeat([]rung{share}, len(j.Views)), 1}
	refuted := func(null confidence.TradeOff) bool {
		return views.refuted(j.alpha, func(v view, alpha float64) bool { return v.TradeOffRefuted(null, alpha) })
	}
	j.at, err = bound(&j.finding, views, j.limit, func(v *view) { v.Hits, v.FalseHits = v.Runs, 0 })
	j.broken = refuted(tradeOff(j.Guarantee))
	j.described = j.Described != nil && refuted(j.Described.Null)
	return err
}

// label describes the event or the bets from which the limit follows.
func (j multiRunJudge) label() string {
	switch {
	case j.bets != nil:
		return fmt.Sprintf("bets on %d runs of each world", j.runs)
	case len(j.Views) == 0:
		return "a run of each world: none remains to test a threshold that another chose"
	}
	return j.Views[j.at].String()
}

// sees reports whether the fixed event would have refuted a small violation, at its probability or that of its
// complement.
func (j multiRunJudge) sees() bool {
	if j.Event == (Event{}) || j.bets != nil || len(j.Views) == 0 {
		return false
	}
	v := j.Views[0]
	in, out := float64(v.Hits)/float64(v.Runs), float64(v.FalseHits)/float64(v.OtherRuns)
	p := math.Min(math.Max(in, out), math.Max(1-in, 1-out))
	q, ok := j.Guarantee.Small(nearFactor, p)
	if !ok {
		return false
	}
	for _, sides := range [][2]int64{{v.Runs, v.OtherRuns}, {v.OtherRuns, v.Runs}} {
		x, _ := confidence.BinomialRange(sides[0], p, (1-nearPower)/2)
		_, y := confidence.BinomialRange(sides[1], q, (1-nearPower)/2)
		near := confidence.Attack{Hits: x, Runs: sides[0], FalseHits: y, OtherRuns: sides[1]}
		if !near.TradeOffRefuted(tradeOff(j.Guarantee), j.alpha/2) {
			return false
		}
	}
	return j.lowest <= j.Guarantee.Value()
}

// power returns the power text: the largest limit that this number of runs can certify, and the attack that they
// detect.
func (j multiRunJudge) power(seen bool) string {
	if j.bets != nil {
		return "a small lower bound is not evidence of privacy: the attack may be weak"
	}
	text := fmt.Sprintf("with this number of runs at most %s = %.3g can be certified", j.symbol(), j.most)
	if seen {
		return text + fmt.Sprintf("; a training with %g times the claimed %s on this event, or its complement, would "+
			"have been refuted with probability at least %g; no other event was tested", nearFactor, j.symbol(), nearPower)
	}
	return text + ": a small lower bound is not evidence of privacy"
}

// method describes the test and its assumptions.
func (j multiRunJudge) method() string {
	var b strings.Builder
	b.WriteString("many training runs, with the record or without, one score for each run; ")
	if j.Described != nil {
		fmt.Fprintf(&b, "against the account of %s: its trade-off function and the claim, each at half of alpha; ",
			j.Described.Description)
	}
	switch {
	case j.bets != nil && j.Event != (Event{}):
		fmt.Fprintf(&b, "sequential bets on %s, fixed beforehand, and on its complement, against both orders of the "+
			"worlds; the error holds for all stopping times together, even if the files grow; ", j.Event)
	case j.bets != nil:
		b.WriteString("sequential bets on the score, each learned from the earlier runs, against both orders of the " +
			"worlds; the error holds for all stopping times together, even if the files grow; ")
	case j.Event != (Event{}):
		fmt.Fprintf(&b, "all runs count %s, fixed beforehand: with the record over without, and without over with, each "+
			"at half of alpha, by the exact distribution of both counts; ", j.Event)
	default:
		fmt.Fprintf(&b, "%d parts of the runs choose a threshold each, with its direction, and the others test it, each "+
			"at an equal share of alpha, by the exact distribution of both counts; ", folds)
	}
	fmt.Fprintf(&b, "at an error of %g these scores show %s ≥ %.4g; ", usualAlpha, j.symbol(), j.usual)
	b.WriteString("assumed: the runs are independent, and differ only in the record")
	return b.String()
}

// maxRunsWanted is the largest number of runs that a report requests.
const maxRunsWanted = 1_000_000

func (j *multiRunJudge) Needed() string {
	const attack = "an attack that detects the privacy loss"
	if n := j.enough(); n > j.runs {
		return fmt.Sprintf("some %d runs of each world, and %s; there are %d", n, attack, j.runs)
	}
	return fmt.Sprintf("more runs than the %d of each world, or %s", j.runs, attack)
}

// enough estimates the number of runs in each world that detect a small violation of the most detectable form, from
// the growth rate of a bet on it.
func (j *multiRunJudge) enough() int64 {
	p := 0.5
	if j.Views != nil && j.Event != (Event{}) {
		p = math.Max(float64(j.Views[0].Hits)/float64(j.Views[0].Runs), 0.01)
	}
	q, ok := j.Guarantee.Small(nearFactor, p)
	if !ok || !(p < 1) || !(q > 0) {
		return 0
	}
	growth := j.Guarantee.Growth([]float64{p, 1 - p}, []float64{q, 1 - q})
	n := math.Ceil(-math.Log(j.alpha) / growth)
	if !(n <= maxRunsWanted) {
		return 0
	}
	return int64(n)
}
