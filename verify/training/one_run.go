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

// OneRunAudit checks a claim about a training, (ε, δ)-DP or Gaussian privacy for one record more or less, on the
// scores of one run's canaries. A claim of ε is judged by what (ε, δ)-DP alone allows, of μ by what Gaussian
// privacy does.
//
// With an event the lower limit that is told is the published one, which takes the number of its canaries for fixed;
// where that is not proved for one that follows from the scores, the verdict rests on another: see judgedBy.
//
// The audit refutes the claim if too many guesses are right. Otherwise the verdict is consistent or inconclusive. It is
// consistent if the audit would have refuted an attack with a known score distribution with probability at least 0.99.
// This power accounts for the ties of these scores and for the inclusion probability. The attack is randomized response
// at 1.25 ε, or Gaussian noise at 1.25 μ if the file states that score. If the file states the score of a training, the
// attacks are that training with named faults: see [Score]. With an account, only these trainings count, with the
// parameters of the account. Scores that evidently do not have the stated distribution show no power. A weak attack
// shows little about any training: a small lower bound is not evidence of privacy.
type OneRunAudit struct {
	Scores    *Scores
	Guarantee privacy.Guarantee
	// Chance is the probability with which each canary was included; 0 is that of a fair coin.
	Chance float64
	// Event says, where it is fixed before the scores are read, which canaries are guessed to be in.
	Event Event
	// Described is the account's trade-off function. It is tested together with the claim.
	Described *Described
}

// Described is the trade-off function of a described training.
type Described struct {
	Null        confidence.TradeOff
	Description string // the description
	// Steps describes the steps of the account if they are equal steps with Gaussian noise; nil otherwise.
	Steps *Steps
}

// Check returns an error that names what is out of its domain.
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

// design is what is fixed before the coins are read.
func (a OneRunAudit) design() oneRunStatistics {
	if a.Chance == 0.5 {
		a.Chance = 0
	}
	return oneRunStatistics{Guarantee: a.Guarantee, Chance: a.Chance, Event: a.Event, Described: a.Described,
		Score: a.Scores.Score}
}

// Prepare counts and decides: there is nothing to sample.
func (a OneRunAudit) Prepare(_ context.Context, s verify.Settings) (verify.Trial, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	f, sorted := a.design(), a.Scores.sortedValues()
	f.Coins, f.Reached, f.Misfit = a.Scores.coins(), figures(a.Scores.sides()), a.Scores.misfit()
	f.count(s, a.Scores, sorted)
	if r, ok := f.near(); ok {
		f.Cuts = r.cuts(sorted, f.low())
	}
	e, err := verify.JudgeStatistics(OneRunMethod, f, s)
	e.Data = a.Scores.Name
	return verify.Decided(e), err
}

// chance is that of the coins.
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

// null of a claim. Where an event is fixed beforehand a fair coin has the published bound.
func (f oneRunStatistics) null() null {
	if _, gaussian := f.Guarantee.Gaussian(); gaussian {
		return gaussianNull
	}
	if f.Event != (Event{}) && f.Chance == 0 {
		return approximateNull(f.Guarantee.Delta(), confidence.Guesses.SteinkeLower, confidence.Guesses.SteinkeP)
	}
	return approximateNull(f.Guarantee.Delta(), confidence.Guesses.EpsilonLower, confidence.Guesses.EpsilonP)
}

// approximateNull is (ε, δ)-DP, by a lower limit of ε and by its p-value.
func approximateNull(delta float64, lower func(g confidence.Guesses, delta, alpha float64) (float64, error),
	p func(g confidence.Guesses, epsilon, delta float64) float64) null {
	return null{
		func(g confidence.Guesses, alpha float64) (float64, error) { return lower(g, delta, alpha) },
		func(g confidence.Guesses, epsilon, alpha float64) bool { return p(g, epsilon, delta) <= alpha },
	}
}

// test is a hypothesis with the guesses that it is tested on.
type test struct {
	counts[confidence.Guesses]
	null  null
	picks []picked // ranks of the guessed scores, for each number of them
}

// with tests another hypothesis on the guesses.
func (t test) with(n null) test { t.null = n; return t }

// refuted reports whether some number of guesses refutes a value.
func (t test) refuted(value, alpha float64) bool {
	return t.counts.refuted(alpha, func(g confidence.Guesses, alpha float64) bool {
		return t.null.refuted(g, value, alpha)
	})
}

// judgedBy is what the verdict rests on: the guesses of the claim's own figure, unless those are of an event, whose
// number follows from the scores. Then (ε, δ) has a bound that allows for it, which is the same at δ = 0; of
// trade-off functions none is known, and those of fixed numbers decide.
func (j oneRunJudge) judgedBy() test {
	if j.Event == (Event{}) {
		return j.own
	}
	if _, gaussian := j.Guarantee.Gaussian(); gaussian {
		return j.fixed.with(gaussianNull)
	}
	// This bound allows for a number of guesses that follows from the scores.
	return j.own.with(approximateNull(j.Guarantee.Delta(), confidence.Guesses.SelectedLower, confidence.Guesses.SelectedP))
}

// curved tells whether a trade-off function is tested that guesses of an event's own number do not bound.
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

// count makes the guesses; sorted has all scores in rising order.
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

// numbers are those of guesses without an event; chance is the probability that one is right where nothing is
// known, 0 of a fair coin, and in says which kind is guessed of other coins.
func (f oneRunStatistics) numbers(canaries int) (list []rung, chance float64, in bool) {
	list, chance, in = rungs(canaries, f.Chance, 1), f.Chance, f.Chance <= 0.5
	if !in {
		chance = 1 - chance
	}
	return list, chance, in
}

// low reports whether canaries with small scores are guessed to be included.
func (f oneRunStatistics) low() bool { return f.Event != (Event{}) && !f.Event.Holds(math.Inf(1)) }
