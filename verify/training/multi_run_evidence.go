package training

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// countedRuns are the runs that were used, from which all follows.
type countedRuns struct {
	used      [worlds]int64 // with the record, and without
	views     []view
	bets      *bets // nil where runs are counted
	figures   Figures
	dependent bool // the runs are evidently not independent
}

// judgedRuns is an audit with what was found.
type judgedRuns struct {
	MultiRunAudit // without its runs where they are not at hand
	countedRuns
	alpha float64 // of the claim: half of the check's where a description is tested beside it
	runs  int64   // of the world with fewer

	at        int // the view with the largest limit
	lowest    float64
	most      float64 // that could have been certified
	broken    bool
	described bool
	cells     verify.Cases[verify.Cell]
	nearest   verify.Cell
}

// lower is the largest limit of all views, and its place.
func (j judgedRuns) lower(alpha float64, views []view) (best float64, at int, err error) {
	for i, v := range views {
		var x float64
		if _, delta, approximate := j.Guarantee.Approximate(); approximate {
			x, err = v.EpsilonLower(delta, alpha/float64(len(views)))
		} else {
			x, err = v.MuLower(alpha / float64(len(views)))
		}
		if err != nil {
			return 0, 0, err
		}
		if x > best {
			best, at = x, i
		}
	}
	return best, at, nil
}

// refutes tells whether some view refutes a trade-off function.
func (j judgedRuns) refutes(null confidence.TradeOff, views []view) bool {
	for _, v := range views {
		if v.TradeOffRefuted(null, j.alpha/float64(len(views))) {
			return true
		}
	}
	return false
}

// shared is the part of alpha that a claim has: half where a description is tested beside it.
func (a MultiRunAudit) shared(alpha float64) float64 {
	if a.Described != nil {
		return alpha / 2
	}
	return alpha
}

// evidence of the runs; the bets are those that followed them, where there are some.
func (a MultiRunAudit) evidence(s verify.Settings, own scores, followed *bets) (e verify.Evidence, err error) {
	used := countedRuns{bets: followed}
	words, bad := a.dependence()
	used.dependent = bad
	switch {
	case a.Anytime && a.lossless(): // nothing is bet
	case a.Anytime:
		if used.bets == nil {
			if used.bets, err = a.newBets(s, a.shared(s.Alpha)); err != nil {
				return e, err
			}
			used.bets.follow(own)
		}
		own = scores{own.with[:used.bets.n], own.without[:used.bets.n]}
	default:
		used.views = a.countViews(s, own, a.shared(s.Alpha))
	}
	used.used = [worlds]int64{int64(len(own.with)), int64(len(own.without))}
	both, err := NewWorldScores(own.with, own.without)
	if err != nil {
		return e, err
	}
	used.figures = both.Figures()
	if e, err = a.judge(used, s.Alpha); err != nil {
		return e, err
	}
	if e.Samples > 0 {
		e.Data = a.A.Name + ", " + a.B.Name
	}
	e.Warnings = append(e.Warnings, words...)
	e.Statistics = a.basis(used, s, own)
	e.Statistics.Note(false, words...)
	return e, nil
}

// lossless tells whether no bet can be lost on so weak a claim.
func (a MultiRunAudit) lossless() bool { return a.Guarantee.Value() >= mostLoss }

// judgeRuns is the evidence of runs that were counted, or bet on.
func (a MultiRunAudit) judge(used countedRuns, alpha float64) (e verify.Evidence, err error) {
	j := judgedRuns{MultiRunAudit: a, countedRuns: used, alpha: a.shared(alpha), runs: min(used.used[0], used.used[1])}
	if a.Anytime && a.lossless() {
		e.Verdict, e.Quantity, e.Sense, e.Claimed = verify.Inconclusive, a.Guarantee.Quantity(), verify.AtMost,
			verify.Num(a.Guarantee.Value())
		e.Method, e.Power = "betting against the claim", "no bet can be lost on so weak a claim"
		e.Needed = "a stronger claim: no number of runs refutes this one"
		return e, nil
	}
	usual, middle := 0.0, 0.0
	if a.Anytime {
		j.lowest, usual, middle = j.bets.lower(j.alpha), j.bets.lower(usualAlpha), j.bets.lower(0.5)
		j.broken, j.described = j.bets.of[0], j.bets.of[1]
		e.Levels = j.bets.passed.List()
	} else if usual, middle, err = j.counted(); err != nil {
		return e, err
	}
	e.Quantity, e.Sense, e.Samples = a.Guarantee.Quantity(), verify.AtMost, used.used[0]+used.used[1]
	j.nearest = verify.Cell{Label: j.place(), Claimed: verify.Num(a.Guarantee.Value()),
		Measured: verify.Num(max(middle, j.lowest)), Lower: verify.Num(j.lowest), Samples: e.Samples}
	j.cells.Noun = "audit"
	j.cells.See(j.nearest, j.broken || j.described)
	e.CopyWorst(j.nearest)
	e.Cells = append(e.Cells, j.nearest)
	if j.alpha < usualAlpha {
		e.Cells = append(e.Cells, verify.Cell{Label: fmt.Sprintf("at an error of %g instead", usualAlpha),
			Lower: verify.Num(usual), Samples: e.Samples})
	}
	e.Cells = append(e.Cells, used.figures.Reached("")...)
	e.Curves = used.figures.Curve(a.allowed())
	seen := j.sees()
	switch {
	case j.broken || j.described:
		e.Verdict = verify.Refuted
	case seen:
		e.Verdict = verify.Consistent
		e.Detects = verify.Detects{Effect: (nearFactor - 1) * a.Guarantee.Value(), Probability: nearPower}
	default:
		e.Verdict = verify.Inconclusive
	}
	e.Power, e.Method = j.power(seen), j.method(usual)
	e.LookAgain(&j)
	if used.dependent {
		e.Verdict, e.Attempt, e.Counterexample = verify.Inconclusive, "", verify.Counterexample{}
		e.Needed = "independent runs, each recorded once: see the warning"
	}
	return e, nil
}

// counted fills in what the counts of the views show, and says what they would at usualAlpha and at one half.
func (j *judgedRuns) counted() (usual, middle float64, err error) {
	if j.lowest, j.at, err = j.lower(j.alpha, j.views); err != nil {
		return 0, 0, err
	}
	if usual, _, err = j.lower(usualAlpha, j.views); err != nil {
		return 0, 0, err
	}
	if middle, _, err = j.lower(0.5, j.views); err != nil {
		return 0, 0, err
	}
	var best []view
	for _, v := range j.views {
		v.Hits, v.FalseHits = v.Runs, 0
		best = append(best, v)
	}
	if j.most, _, err = j.lower(j.alpha, best); err != nil {
		return 0, 0, err
	}
	j.broken = j.refutes(j.null(j.Guarantee.Value()), j.views)
	j.described = j.Described != nil && j.refutes(j.Described.Null, j.views)
	return usual, middle, nil
}

// allowed is the trade-off function that the claim allows, or the description.
func (a MultiRunAudit) allowed() confidence.TradeOff {
	if a.Described != nil {
		return a.Described.Null
	}
	return a.null(a.Guarantee.Value())
}

// place says where the limit stands.
func (j judgedRuns) place() string {
	switch {
	case j.bets != nil:
		return fmt.Sprintf("bets on %d runs of each world", j.runs)
	case len(j.views) == 0:
		return "a run of each world: none is left to certify what another chose"
	}
	return j.views[j.at].String()
}

// sees is whether an event that was fixed would have refuted a near violation, at its probability or that of its
// complement.
func (j judgedRuns) sees() bool {
	if j.Event == (Event{}) || j.bets != nil || len(j.views) == 0 {
		return false
	}
	v := j.views[0]
	in, out := float64(v.Hits)/float64(v.Runs), float64(v.FalseHits)/float64(v.OtherRuns)
	p := math.Min(math.Max(in, out), math.Max(1-in, 1-out))
	q, ok := j.Guarantee.Small(nearFactor, p)
	if !ok {
		return false
	}
	for _, sides := range [][2]int64{{v.Runs, v.OtherRuns}, {v.OtherRuns, v.Runs}} {
		x, _ := confidence.BinomialRange(sides[0], p, (1-nearPower)/2)
		_, y := confidence.BinomialRange(sides[1], q, (1-nearPower)/2)
		near := []view{{Attack: confidence.Attack{Hits: x, Runs: sides[0], FalseHits: y, OtherRuns: sides[1]}}, {}}
		if !near[0].TradeOffRefuted(j.null(j.Guarantee.Value()), j.alpha/float64(len(near))) {
			return false
		}
	}
	return j.lowest <= j.Guarantee.Value()
}

func (j judgedRuns) symbol() string {
	if _, gaussian := j.Guarantee.Gaussian(); gaussian {
		return "μ"
	}
	return "ε"
}

// power says what the runs could have shown.
func (j judgedRuns) power(seen bool) string {
	if j.bets != nil {
		return "a low bound is no privacy: the attack may be weak"
	}
	text := fmt.Sprintf("with so many runs no more than %s = %.3g can be certified", j.symbol(), j.most)
	if seen {
		return text + fmt.Sprintf("; a training of %g times the claimed %s on this event, or its complement, would have "+
			"been "+
			"refuted with probability at least %g; no other event was looked at", nearFactor, j.symbol(), nearPower)
	}
	return text + ": a low bound is no privacy"
}

// method says how it was measured, and on what it rests.
func (j judgedRuns) method(usual float64) string {
	var b strings.Builder
	b.WriteString("many training runs, with the record or without, one score a run; ")
	if j.Described != nil {
		fmt.Fprintf(&b, "against the account of %s, its trade-off function and what it claims, each at half of alpha; ",
			j.Described.Description)
	}
	switch {
	case j.bets != nil && j.Event != (Event{}):
		fmt.Fprintf(&b, "bets on %s, fixed beforehand, and on its complement, against both orders of the worlds, run by "+
			"run; the error holds for all times to stop together, also where the files grow; ", j.Event)
	case j.bets != nil:
		b.WriteString("bets on the score, each learned from the runs before, against both orders of the worlds; the error " +
			"holds for all times to stop together, also where the files grow; ")
	case j.Event != (Event{}):
		fmt.Fprintf(&b, "all runs count %s, fixed beforehand: with the record over without, and without over with, each at "+
			"half of alpha, by the exact law of both counts; ", j.Event)
	default:
		fmt.Fprintf(&b, "%d parts of the runs choose a threshold each, with its side, and the others certify it, each at an "+
			"equal share of alpha, by the exact law of both counts; ", folds)
	}
	fmt.Fprintf(&b, "at an error of %g these scores show %s ≥ %.4g; ", usualAlpha, j.symbol(), usual)
	b.WriteString("assumed: the runs are independent, and differ in the record alone")
	return b.String()
}

func (j *judgedRuns) Tried() verify.Tried { return j.cells.Tried(verify.Cell.Place, j.nearest) }

func (j *judgedRuns) Attempt() string {
	return fmt.Sprintf("%s, which shows %s ≥ %.4g, where %.4g is claimed and %.4g could have been shown", j.nearest.Label,
		j.symbol(), j.lowest, j.Guarantee.Value(), j.most)
}

func (j *judgedRuns) Counterexample() verify.Counterexample {
	x := j.cells.Simplest(verify.Cell.Itself)
	if j.described {
		x.Choice += "; the account's trade-off function does not allow for it"
	}
	return x
}

// mostRunsWanted is the most runs that a report asks for.
const mostRunsWanted = 1_000_000

func (j *judgedRuns) Needed() string {
	const attack = "an attack that sees what is given away"
	if n := j.enough(); n > j.runs {
		return fmt.Sprintf("some %d runs of each world, and %s; there are %d", n, attack, j.runs)
	}
	return fmt.Sprintf("more runs than the %d of each world, or %s", j.runs, attack)
}

// enough is about how many runs of each world see a near violation where it is largest, by how fast a bet on it
// grows.
func (j *judgedRuns) enough() int64 {
	p := 0.5
	if j.views != nil && j.Event != (Event{}) {
		p = math.Max(float64(j.views[0].Hits)/float64(j.views[0].Runs), 0.01)
	}
	q, ok := j.Guarantee.Small(nearFactor, p)
	if !ok || !(p < 1) || !(q > 0) {
		return 0
	}
	growth := j.Guarantee.Growth([]float64{p, 1 - p}, []float64{q, 1 - q})
	n := math.Ceil(-math.Log(j.alpha) / growth)
	if !(n <= mostRunsWanted) {
		return 0
	}
	return int64(n)
}
