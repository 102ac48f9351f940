package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// oneRunJudge is a judgment of the statistics.
type oneRunJudge struct {
	oneRunStatistics
	finding
	whole float64 // error probability of the verdict, before a division between claim and account

	own, fixed test     // tests with the numbers of guesses of the audit, and with fixed ones
	by         test     // decides the verdict without an account
	at         int      // index of the number of guesses with the largest limit
	sound      bool     // false if the coins contradict the stated inclusion probability or independence
	attacks    []attack // attacks whose power the report states
	misstated  string   // why the stated score of the file gives no power
}

func (f oneRunStatistics) canaries() int { return f.Coins.Canaries }

// Judge returns the evidence from the counts.
func (f oneRunStatistics) Judge(s verify.Settings) (e verify.Evidence, err error) {
	j := oneRunJudge{oneRunStatistics: f, whole: s.Alpha, misstated: f.misstated(),
		finding: newFinding(f.Guarantee, f.Described, s.Alpha, "run", "show", "does not allow that many right guesses")}
	if j.own, j.fixed, err = f.tests(); err != nil {
		return e, err
	}
	if j.by = j.judgedBy(); j.misstated == "" {
		j.attacks = j.known()
	}
	j.at, err = bound(&j.finding, j.own.counts, j.own.null.lower, func(g *confidence.Guesses) { g.Right = g.Guessed })
	if err != nil {
		return e, err
	}
	claimed := f.Guarantee.Value()
	if f.Described == nil { // consistent with the lower limit
		j.broken = j.by.refuted(claimed, j.alpha) && (!j.open() || j.lowest > claimed)
	} else if j.described = j.decidedBy().refuted(claimed, j.whole); !j.described {
		j.lowest = min(j.lowest, claimed)
	}
	g := j.own.tallies[j.at]
	j.show(&e, fmt.Sprintf("%d of %d guesses on %d canaries are right", g.Right, g.Guessed, g.Canaries), g.Canaries)
	if e.Cells, err = j.rows(); err != nil {
		return e, err
	}
	if e.Assumed, err = j.assumedLimits(); err != nil {
		return e, err
	}
	e.Curves = f.Reached.Curve(j.allowed())
	seen := j.sees(j.decidedBy(), g.Canaries)
	enough := all(j.attacks, seen)
	if enough && j.open() && f.Described == nil {
		enough = all(j.attacks, j.sees(j.own, g.Canaries))
	}
	j.decide(&e, enough)
	if e.Warnings, j.sound = f.Coins.judged(f.chance()); !j.sound {
		e.Verdict = verify.Inconclusive
	}
	if !j.sound || f.Score.trained() {
		e.Detects = verify.Detects{}
	}
	if j.misstated != "" && e.Verdict == verify.Inconclusive {
		e.Warnings = append(e.Warnings, j.misstated)
	}
	e.Power, e.Method = j.power(enough, seen), j.method()
	e.LookAgain(&j)
	return e, nil
}

// rows returns the cells: the deciding one first, then other bounds, then figures that no verdict uses.
func (j oneRunJudge) rows() (rows []verify.Cell, err error) {
	add := func(label string, t test, alpha float64) {
		x, _, failed := t.counts.lower(alpha, t.null.lower)
		rows, err = append(rows, j.row(label, x)), cmp.Or(err, failed)
	}
	rows = append(rows, j.nearest)
	if j.open() {
		add("for any number of canaries with the event; the verdict uses this bound", j.by, j.alpha)
		rows[1].Claimed = j.nearest.Claimed
	}
	rows = append(append(rows, j.usualRow()...), j.row("if every guess had been right", j.most))
	if _, gaussian := j.Guarantee.Gaussian(); gaussian {
		pure := approximateNull(0, confidence.Guesses.EpsilonLower, confidence.Guesses.EpsilonP)
		add("as pure privacy loss ε, for any distribution", j.own.with(pure), j.alpha)
	} else {
		const mu = "μ, if the distribution is Gaussian"
		add(mu, j.own.with(gaussianNull), j.alpha)
		if j.alpha < usualAlpha {
			add(fmt.Sprintf("%s, at an error of %g instead", mu, usualAlpha), j.own.with(gaussianNull), usualAlpha)
		}
	}
	return append(rows, j.Reached.Reached("if scores are independent: ")...), err
}

// decidedBy returns the test of the claim. If there is an account, it tests the account's trade-off function and the
// claim together.
func (j oneRunJudge) decidedBy() test {
	if j.Described == nil {
		return j.by
	}
	by, both := j.own, stricter{j.Described.Null, tradeOff(j.Guarantee)}
	if j.curved() {
		by = j.fixed
	}
	return by.with(null{refuted: func(g confidence.Guesses, _, alpha float64) bool {
		return g.TradeOffRefuted(both, alpha)
	}})
}

// stricter is the trade-off function of two guarantees that hold together: the maximum of two convex functions, which
// is convex.
type stricter [2]confidence.TradeOff

func (s stricter) MinProbability(r float64) float64 {
	return max(s[0].MinProbability(r), s[1].MinProbability(r))
}

// power returns the power text: the largest limit that this number of canaries can certify, and the attacks that the
// run detects.
func (j oneRunJudge) power(enough bool, seen []bool) string {
	symbol := j.symbol()
	text := fmt.Sprintf("with m = %d canaries at most %s = %.3g can be certified", j.canaries(), symbol, j.most)
	if j.Score.trained() && len(j.attacks) > 0 {
		if text += "; " + j.Score.faultsSeen(j.attacks, seen); slices.Contains(seen, true) {
			text += j.conditional()
		}
		return text
	}
	if !enough {
		return text + ": a small lower bound is not evidence of privacy"
	}
	const weaker = "would have been refuted with probability at least %g; a weaker attack shows less about the training"
	if j.Score.Kind != "" {
		return text + fmt.Sprintf("; an attack whose score is %s at %g %s, with these ties and this inclusion "+
			"probability, "+weaker,
			j.Score.Kind, nearFactor, symbol, nearPower) + j.conditional()
	}
	return text + fmt.Sprintf("; randomized response at %g %s, with these ties and this inclusion probability, "+weaker,
		nearFactor, symbol, nearPower) + j.conditional()
}

// conditional states the condition of a power; see sees.
func (j oneRunJudge) conditional() string {
	if j.own.given < 1 {
		return fmt.Sprintf("; this probability is conditional on exactly %d included canaries", j.Coins.Included)
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
	text := fmt.Sprintf("a training of %d steps at noise multiplier %g and %s, by this score: ", s.Steps, s.Noise,
		batches)
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

// open reports whether the verdict uses another bound than the reported lower limit; see judgedBy.
func (j oneRunJudge) open() bool {
	return j.Event != (Event{}) && (!j.Guarantee.IsApproximate() || j.Guarantee.Delta() > 0)
}

// method describes the test and its assumptions.
func (j oneRunJudge) method() string {
	var b strings.Builder
	if j.Described != nil {
		fmt.Fprintf(&b, "one training run against the account of %s, its trade-off function and the claim in one test; "+
			"the lower limit is at half of alpha; ", j.Described.Description)
	}
	g := j.own.tallies[j.at]
	if j.Event != (Event{}) {
		fmt.Fprintf(&b, "the canaries with %s are guessed to be in, the others are not guessed; ", j.Event)
		if j.open() {
			b.WriteString("the lower limit is the published one, which assumes a fixed number of guesses, although this " +
				"number follows from the scores; the verdict uses this limit and ")
			if _, gaussian := j.Guarantee.Gaussian(); gaussian {
				b.WriteString("fixed numbers of the canaries with the most extreme scores on that side; ")
			} else {
				b.WriteString("a bound that allows for that; ")
			}
		}
	} else {
		var ks []string
		for _, r := range j.own.rungs {
			ks = append(ks, fmt.Sprint(r.guesses))
		}
		kind := "furthest from their median"
		if g.Chance != 0 {
			kind = "on the side of the rarer coin"
		}
		fmt.Fprintf(&b, "the canaries with the scores %s are guessed, %s of them, numbers that share alpha; the choice "+
			"uses only the scores; ", kind, strings.Join(ks, " and "))
	}
	fmt.Fprintf(&b, "at an error of %g these scores show %s ≥ %.4g; ", usualAlpha, j.symbol(), j.usual)
	fmt.Fprintf(&b, "assumed: each canary was included independently with probability %g", j.chance())
	if j.own.given < 1 {
		fmt.Fprintf(&b, ", or %d of %d canaries were drawn at random; to allow for this, tests use %.3g times alpha",
			j.Coins.Included, j.canaries(), j.own.given)
	}
	b.WriteString("; the scores depend on the inclusion only through the released model; each row is one canary")
	return b.String()
}

func (j *oneRunJudge) Needed() string {
	delta := j.Guarantee.Delta()
	switch n := j.enough(); {
	case !j.sound:
		return "canaries that were each included by an independent coin: see the warning"
	case j.misstated != "":
		return "a file whose first line states the distribution of its scores, with the parameters of the account: see " +
			"the warning"
	case j.Score.Kind == "" && j.Described != nil:
		return "a file whose first line states its score, as written by dp_canaries.py: without this line no power is " +
			"known against the account"
	case j.loose():
		return "an audit of this file without an event: a fault changes the number of canaries with the event, so " +
			"the number in this file shows no power"
	case len(j.attacks) == 0 && j.Guarantee.Value() > 0 && !math.IsInf(j.Guarantee.Value(), 0):
		return "a file whose first line states a score with a known distribution for this claim"
	case j.alpha <= delta:
		return fmt.Sprintf("an error probability above δ = %g: with probability δ a training may reveal all coins, and "+
			"no run refutes it at %.2g", delta, j.alpha)
	case n > int64(j.canaries()):
		return fmt.Sprintf("some %d canaries, and an attack that detects the privacy loss; this run has %d", n,
			j.canaries())
	case n == 0 && math.IsInf(j.Guarantee.Value(), 0):
		return ""
	}
	return fmt.Sprintf("many more canaries than the %d of this run, or a larger error probability than %.2g",
		j.canaries(), j.alpha)
}
