package training

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
)

// OneRunAudit checks a privacy claim about a training run from the scores of its canaries. The claim is (ε, δ)-DP or
// Gaussian differential privacy (μ-GDP) for adding or removing one record. A claim of ε is tested against all (ε,
// δ)-DP trainings, and a claim of μ against all μ-GDP trainings.
//
// With an event, the report states the published lower limit, which assumes a fixed number of guesses. If this
// assumption is not known to be harmless, the verdict uses another bound; see judgedBy.
//
// The audit refutes the claim if too many guesses are right. Otherwise the verdict is consistent or inconclusive. It
// is consistent if the audit would have refuted an attack with a known score distribution with probability at least
// 0.99. This power accounts for the ties of these scores and for the inclusion probability. The attack is randomized
// response at 1.25 ε, or Gaussian noise at 1.25 μ if the file states that score. If the file states the score of a
// training, the attacks are that training with named faults: see [Score]. With an account, only these trainings
// count, with the parameters of the account. Scores that clearly do not have the stated distribution show no power. A
// weak attack shows little about any training: a small lower bound is not evidence of privacy.
type OneRunAudit struct {
	Scores    *Scores
	Guarantee privacy.Guarantee
	// Chance is the probability with which each canary was included; 0 means a fair coin.
	Chance float64
	// Event selects the canaries that are guessed to be included, if it was fixed before the scores were read.
	Event Event
	// Described is the account's trade-off function. It is tested together with the claim.
	Described *Described
}

// Described is the trade-off function of a training, computed from its account.
type Described struct {
	Null        confidence.TradeOff
	Description string // description of the account
	// Steps describes the steps of the account if they are equal steps with Gaussian noise; nil otherwise.
	Steps *Steps
}

// Check returns an error that names the first invalid parameter.
func (a OneRunAudit) Check() error {
	if a.Scores == nil || a.Scores.Len() == 0 {
		return errors.New("there are no canaries")
	}
	err := a.design().claimed()
	if err == nil && a.Event != (Event{}) && a.Scores.rightOf(a.Event).Guessed == 0 {
		err = fmt.Errorf("%s: none of the %d canaries has a %s: nothing is guessed", a.Scores.Name, a.Scores.Len(), a.Event)
	}
	return err
}

// design returns the statistics that are fixed before the coins are read.
func (a OneRunAudit) design() oneRunStatistics {
	if a.Chance == 0.5 {
		a.Chance = 0
	}
	return oneRunStatistics{Guarantee: a.Guarantee, Chance: a.Chance, Event: a.Event, Described: a.Described,
		Score: a.Scores.Score}
}

// Prepare counts the right guesses and judges them. No sampling is necessary.
func (a OneRunAudit) Prepare(_ context.Context, s verify.Settings) (verify.Trial, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	f, sorted := a.design(), a.Scores.sortedValues()
	in, out := a.Scores.sides()
	f.Coins, f.Reached, f.Misfit = a.Scores.coins(), figures(in, out), a.Scores.misfit()
	f.Assumed = f.assumed(s.Stream("ties at thresholds"), in, out)
	f.count(s, a.Scores, sorted)
	if r, ok := f.near(); ok {
		f.Cuts = r.cuts(sorted, f.low())
	}
	e, err := verify.JudgeStatistics(OneRunMethod, f, s)
	e.Data = a.Scores.Name
	return verify.Decided(e), err
}

// chance returns the inclusion probability.
func (f oneRunStatistics) chance() float64 {
	if f.Chance == 0 {
		return 0.5
	}
	return f.Chance
}

// null is the hypothesis whose parameter is bounded from below.
type null struct {
	lower   func(g confidence.Guesses, alpha float64) (float64, error)
	refuted func(g confidence.Guesses, value, alpha float64) bool
}

// null returns the hypothesis of the claim. With an event and a fair coin, it uses the published bound.
func (f oneRunStatistics) null() null {
	if _, gaussian := f.Guarantee.Gaussian(); gaussian {
		return gaussianNull
	}
	if f.Event != (Event{}) && f.Chance == 0 {
		return approximateNull(f.Guarantee.Delta(), confidence.Guesses.SteinkeLower, confidence.Guesses.SteinkeP)
	}
	return approximateNull(f.Guarantee.Delta(), confidence.Guesses.EpsilonLower, confidence.Guesses.EpsilonP)
}

// approximateNull returns the hypothesis of (ε, δ)-DP, given a function for the lower limit of ε and one for its
// p-value.
func approximateNull(delta float64, lower func(g confidence.Guesses, delta, alpha float64) (float64, error),
	p func(g confidence.Guesses, epsilon, delta float64) float64) null {
	return null{
		func(g confidence.Guesses, alpha float64) (float64, error) { return lower(g, delta, alpha) },
		func(g confidence.Guesses, epsilon, alpha float64) bool { return p(g, epsilon, delta) <= alpha },
	}
}

// test is a hypothesis with the guesses that test it.
type test struct {
	counts[confidence.Guesses]
	null  null
	picks []picked // ranks of the guessed scores, for each number of guesses
}

// with returns the test of another hypothesis on the same guesses.
func (t test) with(n null) test { t.null = n; return t }

// refuted reports whether some number of guesses refutes a parameter value.
func (t test) refuted(value, alpha float64) bool {
	return t.counts.refuted(alpha, func(g confidence.Guesses, alpha float64) bool {
		return t.null.refuted(g, value, alpha)
	})
}

// judgedBy returns the test of the verdict. Without an event, it is the test of the reported limit. With an event,
// the number of guesses depends on the scores. For (ε, δ)-DP there is a bound that allows for this, equal to the
// other one at δ = 0. For trade-off functions no such bound is known, so fixed numbers of guesses decide.
func (j oneRunJudge) judgedBy() test {
	if j.Event == (Event{}) {
		return j.own
	}
	if _, gaussian := j.Guarantee.Gaussian(); gaussian {
		return j.fixed.with(gaussianNull)
	}
	// This bound allows a number of guesses that depends on the scores.
	return j.own.with(approximateNull(j.Guarantee.Delta(), confidence.Guesses.SelectedLower,
		confidence.Guesses.SelectedP))
}

// curved reports whether the hypothesis is a trade-off function and the number of guesses depends on the scores.
func (f oneRunStatistics) curved() bool {
	_, gaussian := f.Guarantee.Gaussian()
	return f.Event != (Event{}) && (gaussian || f.Described != nil)
}

var gaussianNull = null{
	confidence.Guesses.MuLower,
	func(g confidence.Guesses, mu, alpha float64) bool {
		return g.TradeOffRefuted(confidence.GaussianTradeOff(mu), alpha)
	},
}

// count makes the guesses; sorted has all scores in increasing order.
func (f *oneRunStatistics) count(s verify.Settings, scores *Scores, sorted []float64) {
	list, chance, in := f.numbers(scores.Len())
	switch r := s.Stream("guesses"); {
	case f.Event != (Event{}):
		f.Guesses = []guesses{scores.rightOf(f.Event)}
		if f.curved() {
			f.Fixed = scores.count(scores.guessEvent(r, f.Event), halves(scores.Len()), sorted, f.low())
		}
	case chance == 0:
		f.Guesses = scores.count(scores.guess(r, sorted), list, sorted, false)
	default:
		f.Guesses = scores.count(scores.guessOne(r, in), list, sorted, false)
	}
}

// numbers returns the numbers of guesses without an event. Chance is the probability that a guess is right if the
// scores contain no information, or 0 for a fair coin. For other coins, in reports which kind is guessed.
func (f oneRunStatistics) numbers(canaries int) (list []rung, chance float64, in bool) {
	list, chance, in = rungs(canaries, f.Chance, 1), f.Chance, f.Chance <= 0.5
	if !in {
		chance = 1 - chance
	}
	return list, chance, in
}

// low reports whether canaries with small scores are guessed to be included.
func (f oneRunStatistics) low() bool { return f.Event != (Event{}) && !f.Event.Holds(math.Inf(1)) }
