package training

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// countedScores are the counts of the scores, from which all follows.
type countedScores struct {
	coins   coins
	own     counts
	fixed   counts  // of an event: see countFixed
	cuts    []int64 // numbers of answers of randomized response: see response.cuts
	misfit  float64 // between the scores and their stated distribution: see Scores.misfit
	figures Figures
}

// judgedRun is an audit whose guesses are counted.
type judgedRun struct {
	OneRunAudit // without its scores where they are not at hand
	countedScores
	counts
	null
	alpha float64 // for the lower limit: half of the check's if there is a description
	whole float64 // for the verdict

	by      deciding // the test that decides the verdict
	attacks []attack // attacks whose power the report states

	unlawful string // why the stated score of the file gives no power

	lowest    float64 // that is certified
	at        int     // by these guesses
	most      float64 // that could have been certified
	described bool    // what the account allows is refuted
	cells     verify.Cases[verify.Cell]
	nearest   verify.Cell
}

// usualAlpha is that of which every report says what it would have shown.
const usualAlpha = 0.05

// judgeScores is the evidence of counts.
func (a OneRunAudit) judge(own countedScores, alpha float64) (verify.Evidence, error) {
	given := own.coins.given(a.chance())
	own.own.given, own.fixed.given = given, given
	j := judgedRun{OneRunAudit: a, countedScores: own, counts: own.own, null: a.null(), alpha: alpha, whole: alpha}
	if j.by = a.judgedBy(own.own, own.fixed); a.Described != nil {
		j.alpha /= 2
	}
	if j.unlawful = a.unlawful(own.misfit); j.unlawful == "" {
		j.attacks = j.known()
	}
	return j.evidence()
}

func (j judgedRun) canaries() int { return j.coins.Canaries }

func (j judgedRun) evidence() (e verify.Evidence, err error) {
	claimed := j.Guarantee.Value()
	if j.lowest, j.at, err = j.counts.lower(j.null, j.alpha); err != nil {
		return e, err
	}
	if j.most, _, err = j.allRight().lower(j.null, j.alpha); err != nil {
		return e, err
	}
	middle, _, err := j.counts.lower(j.null, 0.5/j.given) // an estimate for independent coins
	if err != nil {
		return e, err
	}
	g := j.of[j.at]
	e.Quantity, e.Sense, e.Samples = j.Guarantee.Quantity(), verify.AtMost, g.Canaries
	warnings, sound := j.coins.judged(j.chance())
	e.Warnings = warnings
	broken := j.Described == nil && j.by.refuted(claimed, j.alpha) &&
		(!j.open() || j.lowest > claimed) // of one mind with the lower limit
	if j.Described != nil {
		if j.described = j.decidedBy().refuted(claimed, j.whole); !j.described {
			j.lowest = min(j.lowest, claimed)
		}
	}
	j.nearest = verify.Cell{Label: fmt.Sprintf("%d of %d guesses on %d canaries are right", g.Right, g.Guessed,
		g.Canaries),
		Claimed: verify.Num(claimed), Measured: verify.Num(max(middle, j.lowest)), Lower: verify.Num(j.lowest),
		Samples: g.Canaries}
	j.cells.Noun = "run"
	j.cells.See(j.nearest, broken || j.described)
	e.CopyWorst(j.nearest)
	if e.Cells, err = j.rows(); err != nil {
		return e, err
	}
	e.Curves = j.figures.Curve(j.allowed())
	seen := j.sees(j.decidedBy(), j.attacks, j.decidedBy().picks, g.Canaries)
	enough := all(j.attacks, seen)
	if enough && j.open() && j.Described == nil {
		enough = all(j.attacks, j.sees(deciding{j.counts, j.null}, j.attacks, j.picks, g.Canaries))
	}
	switch {
	case !sound:
		e.Verdict = verify.Inconclusive
	case broken || j.described:
		e.Verdict = verify.Refuted
	case enough && j.lowest <= claimed:
		e.Verdict = verify.Consistent
		if !j.Score.trained() {
			e.Detects = verify.Detects{Effect: (nearFactor - 1) * claimed, Probability: nearPower}
		}
	default:
		e.Verdict = verify.Inconclusive
	}
	if j.unlawful != "" && e.Verdict == verify.Inconclusive {
		e.Warnings = append(e.Warnings, j.unlawful)
	}
	e.Power = j.power(enough, seen)
	if e.Method, err = j.method(); err != nil {
		return e, err
	}
	e.LookAgain(&look{j, sound})
	return e, nil
}

// rows are the figures: what decides first, then the other bounds, then what no verdict rests on.
func (j judgedRun) rows() ([]verify.Cell, error) {
	rows := []verify.Cell{j.nearest}
	add := func(at string, counts counts, n null, alpha float64) error {
		x, _, err := counts.lower(n, alpha)
		if err == nil {
			rows = append(rows, verify.Cell{Label: at, Lower: verify.Num(x), Samples: int64(j.canaries())})
		}
		return err
	}
	sound, err := j.by.lower(j.alpha)
	if err == nil && j.open() {
		rows = append(rows, verify.Cell{Label: "of whatever number the event's canaries are, on which the verdict rests, too",
			Claimed: j.nearest.Claimed, Lower: verify.Num(sound), Samples: int64(j.canaries())})
	}
	if err == nil && j.alpha < usualAlpha {
		err = add(fmt.Sprintf("at an error of %g instead", usualAlpha), j.counts, j.null, usualAlpha)
	}
	if err == nil {
		err = add("had every guess been right", j.allRight(), j.null, j.alpha)
	}
	if _, gaussian := j.Guarantee.Gaussian(); err == nil && gaussian {
		err = add("as pure privacy loss ε, whatever the law", j.counts, approximateNull(0), j.alpha)
	} else if err == nil {
		err = add("if the law is Gaussian: its μ", j.counts, gaussianNull, j.alpha)
	}
	if err == nil && j.alpha < usualAlpha {
		if _, gaussian := j.Guarantee.Gaussian(); !gaussian {
			err = add(fmt.Sprintf("if the law is Gaussian: its μ, at an error of %g instead", usualAlpha), j.counts,
				gaussianNull, usualAlpha)
		}
	}
	return append(rows, j.figures.Reached("if scores are independent: ")...), err
}

// decidedBy returns the test of the claim. If there is an account, it tests the account's trade-off function and the
// claim together.
func (j judgedRun) decidedBy() deciding {
	if j.Described == nil {
		return j.by
	}
	both := stricter{j.Described.Null, j.claim()}
	by := deciding{j.own, null{refuted: func(g confidence.Guesses, _, alpha float64) bool {
		return g.TradeOffRefuted(both, alpha)
	}}}
	if j.curved() {
		by.counts = j.fixed
	}
	return by
}

// stricter is the trade-off function of two guarantees together: their maximum, which is convex since both are.
type stricter [2]confidence.TradeOff

func (s stricter) MinProbability(r float64) float64 {
	return max(s[0].MinProbability(r), s[1].MinProbability(r))
}

// power says what the run could have shown.
func (j judgedRun) power(enough bool, seen []bool) string {
	symbol := j.symbol()
	text := fmt.Sprintf("with m = %d canaries no more than %s = %.3g can be certified", j.canaries(), symbol, j.most)
	if j.Score.trained() && len(j.attacks) > 0 {
		if text += "; " + j.Score.faultsSeen(j.attacks, seen); slices.Contains(seen, true) {
			text += j.conditional()
		}
		return text
	}
	if !enough {
		return text + ": a low bound is no privacy"
	}
	const weaker = "would have been refuted with probability at least %g; a weaker attack shows less of any training"
	if j.Score.Kind != "" {
		return text + fmt.Sprintf("; an attack whose score is %s at %g %s, with these ties and this inclusion, "+weaker,
			j.Score.Kind, nearFactor, symbol, nearPower) + j.conditional()
	}
	return text + fmt.Sprintf("; consistent against an attack that is randomized response at %g %s with these ties "+
		"and this inclusion, which "+weaker, nearFactor, symbol, nearPower) + j.conditional()
}

// conditional states the condition of a power: see judged.sees.
func (j judgedRun) conditional() string {
	if j.given < 1 {
		return fmt.Sprintf("; this probability is conditional on exactly %d included canaries", j.coins.Included)
	}
	down, up := expectedNumbers(j.canaries(), j.chance())
	other := fmt.Sprint(down)
	if up != down {
		other += fmt.Sprintf(" or %d", up)
	}
	return "; this probability is conditional on a number of included canaries other than " + other
}

// faultsSeen names the training faults that the run would have detected.
func (s Score) faultsSeen(attacks []attack, seen []bool) string {
	var refuted, open []string
	for i, a := range attacks {
		if seen[i] {
			refuted = append(refuted, a.name)
		} else {
			open = append(open, a.name)
		}
	}
	batches := fmt.Sprintf("sampling rate %g", s.Rate)
	if s.Turns > 0 {
		batches = fmt.Sprintf("%d of the steps with a canary", s.Turns)
	}
	text := fmt.Sprintf("a training of %d steps at noise multiplier %g and %s, by this score: ", s.Steps, s.Noise, batches)
	if len(refuted) > 0 {
		text += fmt.Sprintf("%s would have been refuted, each with probability at least %g", strings.Join(refuted, ", "),
			nearPower)
	}
	if len(open) > 0 {
		if len(refuted) > 0 {
			text += "; "
		}
		text += strings.Join(open, ", ") + " might not have been refuted"
	}
	return text
}

// open tells whether the verdict rests on another bound than the lower limit: see judgedBy.
func (j judgedRun) open() bool {
	_, delta, approximate := j.Guarantee.Approximate()
	return j.Event != (Event{}) && (!approximate || delta > 0)
}

func (j judgedRun) symbol() string {
	if _, gaussian := j.Guarantee.Gaussian(); gaussian {
		return "μ"
	}
	return "ε"
}

// method says how it was measured, and on what it rests.
func (j judgedRun) method() (string, error) {
	var b strings.Builder
	if j.Described != nil {
		fmt.Fprintf(&b, "one training run against the account of %s, its trade-off function and the claim in one test; the "+
			"lower limit is at half of alpha; ", j.Described.Description)
	}
	g := j.of[j.at]
	if j.Event != (Event{}) {
		fmt.Fprintf(&b, "the canaries with %s are guessed to be in, the others abstained from; ", j.Event)
		if j.open() {
			b.WriteString("the lower limit is the published one, which takes their number for fixed beforehand, where it " +
				"follows from the scores; the verdict rests on that and on ")
			if _, gaussian := j.Guarantee.Gaussian(); gaussian {
				b.WriteString("numbers that are fixed, of the canaries with the most extreme scores on that side; ")
			} else {
				b.WriteString("a bound that allows for that; ")
			}
		}
	} else {
		var ks []string
		for _, r := range j.rungs {
			ks = append(ks, fmt.Sprint(r.guesses))
		}
		kind := "furthest from their median"
		if g.Chance != 0 {
			kind = "on the side of the rarer coin"
		}
		fmt.Fprintf(&b, "the canaries with the scores %s are guessed, %s of them, numbers that share alpha; what is guessed "+
			"depends on the scores alone; ", kind, strings.Join(ks, " and "))
	}
	usual, _, err := j.counts.lower(j.null, usualAlpha)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "at an error of %g these scores show %s ≥ %.4g; ", usualAlpha, j.symbol(), usual)
	fmt.Fprintf(&b, "assumed: each canary was included independently with probability %g", j.chance())
	if j.given < 1 {
		fmt.Fprintf(&b, ", or %d of %d canaries were drawn at random; to allow for this, tests use %.3g times alpha",
			j.coins.Included, j.canaries(), j.given)
	}
	b.WriteString("; the scores depend on the inclusion only through the released model; each row is one canary")
	return b.String(), nil
}

// look is the second look at a verdict.
type look struct {
	judgedRun
	sound bool
}

func (l *look) Tried() verify.Tried { return l.cells.Tried(verify.Cell.Place, l.nearest) }

func (l *look) Attempt() string {
	return fmt.Sprintf("%s, which show %s ≥ %.4g, where %.4g is claimed and %.4g could have been shown", l.nearest.Label,
		l.symbol(), l.lowest, l.Guarantee.Value(), l.most)
}

func (l *look) Counterexample() verify.Counterexample {
	x := l.cells.Simplest(verify.Cell.Itself)
	if l.described {
		x.Choice += "; the account's trade-off function does not allow that many right guesses"
	}
	return x
}

func (l *look) Needed() string {
	_, delta, _ := l.Guarantee.Approximate()
	switch n := l.enough(); {
	case !l.sound:
		return "canaries of which each was included by a coin of its own: see the warning"
	case l.unlawful != "":
		return "a file whose first line states the score that it has, with the parameters of the account: see the warning"
	case l.Score.Kind == "" && l.Described != nil:
		return "a file whose first line says which score it has, as dp_canaries.py writes it: without one no power is " +
			"known against the account"
	case l.loose():
		return "an audit of this file without an event: a fault changes the number of canaries with the event, so " +
			"the number in this file shows no power"
	case len(l.attacks) == 0 && l.Guarantee.Value() > 0 && !math.IsInf(l.Guarantee.Value(), 0):
		return "a file whose first line says which score it has, of a law that is known for this claim"
	case l.alpha <= delta:
		return fmt.Sprintf("an error probability above δ = %g: with probability δ a training may show all of the coins, and "+
			"no run refutes it at %.2g", delta, l.alpha)
	case n > int64(l.canaries()):
		return fmt.Sprintf("some %d canaries, and an attack that sees what is given away; this run has %d", n, l.canaries())
	case n == 0 && math.IsInf(l.Guarantee.Value(), 0):
		return ""
	}
	return fmt.Sprintf("many more canaries than the %d of this run, or a larger error probability than %.2g",
		l.canaries(), l.alpha)
}
