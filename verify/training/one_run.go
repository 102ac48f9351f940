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
	// Score is the distribution of the scores, as their file states it. Prepare copies it from Scores.
	Score Score
}

// Described is the trade-off function of a described training.
type Described struct {
	Null        confidence.TradeOff
	Description string // the description
	// Steps describes the steps of the account if they are equal steps with Gaussian noise; nil otherwise.
	Steps *Steps
}

// claimed names what is out of its domain, but for the scores.
func (a OneRunAudit) claimed() error {
	if err := a.Guarantee.Check(); err != nil {
		return err
	}
	_, _, approximate := a.Guarantee.Approximate()
	_, gaussian := a.Guarantee.Gaussian()
	switch {
	case !(a.Chance >= 0 && a.Chance < 1):
		return fmt.Errorf("canaries included with probability %v: want one above 0 and below 1", a.Chance)
	case !approximate && !gaussian:
		return fmt.Errorf("canaries bear on ε (with δ) and on μ: no bound of a %s is known of one run",
			a.Guarantee.Quantity())
	}
	return nil
}

// Check returns an error that names what is out of its domain.
func (a OneRunAudit) Check() error {
	if a.Scores == nil || a.Scores.Len() == 0 {
		return errors.New("there are no canaries")
	}
	err := a.claimed()
	if err == nil && a.Event != (Event{}) && a.Scores.rightOf(a.Event, 0).Guessed == 0 {
		err = fmt.Errorf("%s: none of the %d canaries has a %s: nothing is guessed", a.Scores.Name, a.Scores.Len(), a.Event)
	}
	return err
}

// chance is that of the coins.
func (a OneRunAudit) chance() float64 {
	if a.Chance == 0 {
		return 0.5
	}
	return a.Chance
}

// null is the hypothesis whose parameter is bounded from below.
type null struct {
	lower   func(g confidence.Guesses, alpha float64) (float64, error)
	refuted func(g confidence.Guesses, value, alpha float64) bool
}

// null of a claim. Where an event is fixed beforehand a fair coin has the published bound.
func (a OneRunAudit) null() null {
	if _, gaussian := a.Guarantee.Gaussian(); gaussian {
		return gaussianNull
	}
	_, delta, _ := a.Guarantee.Approximate()
	if a.Event != (Event{}) && a.Chance == 0 {
		return null{
			func(g confidence.Guesses, alpha float64) (float64, error) { return g.SteinkeLower(delta, alpha) },
			func(g confidence.Guesses, epsilon, alpha float64) bool { return g.SteinkeP(epsilon, delta) <= alpha },
		}
	}
	return approximateNull(delta)
}

// selectedNull is that of (ε, δ)-DP where the number of guesses follows from the scores.
func selectedNull(delta float64) null {
	return null{
		func(g confidence.Guesses, alpha float64) (float64, error) { return g.SelectedLower(delta, alpha) },
		func(g confidence.Guesses, epsilon, alpha float64) bool { return g.SelectedP(epsilon, delta) <= alpha },
	}
}

// deciding is what a verdict rests on.
type deciding struct {
	counts
	null
}

// refuted tells whether some number of guesses refutes a value.
func (d deciding) refuted(value, alpha float64) bool {
	return d.counts.refuted(alpha, func(g confidence.Guesses, alpha float64) bool {
		return d.null.refuted(g, value,
			alpha)
	})
}

// lower is the best bound.
func (d deciding) lower(alpha float64) (float64, error) {
	x, _, err := d.counts.lower(d.null, alpha)
	return x, err
}

// judgedBy is what the verdict rests on: the guesses of the claim's own figure, unless those are of an event, whose
// number follows from the scores. Then (ε, δ) has a bound that allows for it, which is the same at δ = 0; of
// trade-off functions none is known, and those of fixed numbers decide.
func (a OneRunAudit) judgedBy(own, fixed counts) deciding {
	if a.Event == (Event{}) {
		return deciding{own, a.null()}
	}
	if _, gaussian := a.Guarantee.Gaussian(); gaussian {
		return deciding{fixed, gaussianNull}
	}
	_, delta, _ := a.Guarantee.Approximate()
	return deciding{own, selectedNull(delta)}
}

// curved tells whether a trade-off function is tested that guesses of an event's own number do not bound.
func (a OneRunAudit) curved() bool {
	_, gaussian := a.Guarantee.Gaussian()
	return a.Event != (Event{}) && (gaussian || a.Described != nil)
}

func approximateNull(delta float64) null {
	return null{
		func(g confidence.Guesses, alpha float64) (float64, error) { return g.EpsilonLower(delta, alpha) },
		func(g confidence.Guesses, epsilon, alpha float64) bool { return g.EpsilonP(epsilon, delta) <= alpha },
	}
}

var gaussianNull = null{
	confidence.Guesses.MuLower,
	func(g confidence.Guesses, mu, alpha float64) bool {
		return g.TradeOffRefuted(confidence.GaussianTradeOff(mu), alpha)
	},
}

// counts are the guesses of a run, each number of them with its share of alpha, which is 1 in all.
type counts struct {
	rungs []rung
	of    []confidence.Guesses
	picks []picked // ranks of the guessed scores, for each rung
	given float64  // the share of alpha that tests use: see coins.given
}

// count makes the guesses; sorted has all scores in rising order.
func (a OneRunAudit) count(s verify.Settings, sorted []float64) counts {
	if a.Event != (Event{}) {
		g := a.Scores.rightOf(a.Event, a.Chance)
		return counts{[]rung{{g.Guessed, 1}}, []confidence.Guesses{g}, []picked{{In: pick{Beyond: g.Guessed}}}, 1}
	}
	list, chance, in := a.numbers(a.Scores.Len())
	r := s.Stream("guesses")
	var g guessed
	if chance == 0 {
		g = a.Scores.guess(r, sorted)
	} else {
		g = a.Scores.guessOne(r, in)
	}
	return counts{list, a.Scores.right(g, list, chance), a.Scores.picks(g, list, sorted, false), 1}
}

// numbers are those of guesses without an event; chance is the probability that one is right where nothing is
// known, 0 of a fair coin, and in says which kind is guessed of other coins.
func (a OneRunAudit) numbers(canaries int) (list []rung, chance float64, in bool) {
	list, chance, in = rungs(canaries, a.Chance, 1), a.Chance, a.Chance <= 0.5
	if !in {
		chance = 1 - chance
	}
	return list, chance, in
}

// countFixed makes guesses of numbers that are fixed beforehand, of the canaries with the most extreme scores on an
// event's side.
func (a OneRunAudit) countFixed(s verify.Settings, sorted []float64) counts {
	list := halves(a.Scores.Len())
	g := a.Scores.guessEvent(s.Stream("guesses"), a.Event)
	return counts{list, a.Scores.right(g, list, a.Chance), a.Scores.picks(g, list, sorted, a.low()), 1}
}

// low reports whether canaries with small scores are guessed to be included.
func (a OneRunAudit) low() bool { return a.Event != (Event{}) && !a.Event.Holds(math.Inf(1)) }

// lower is the best bound of all numbers of guesses, and the place of that number.
func (c counts) lower(n null, alpha float64) (best float64, at int, err error) {
	for i, g := range c.of {
		x, err := n.lower(g, alpha*c.given*c.rungs[i].alpha)
		if err != nil {
			return 0, 0, err
		}
		if x > best {
			best, at = x, i
		}
	}
	return best, at, nil
}

// refuted tells whether some number of guesses refutes.
func (c counts) refuted(alpha float64, by func(g confidence.Guesses, alpha float64) bool) bool {
	for i, g := range c.of {
		if by(g, alpha*c.given*c.rungs[i].alpha) {
			return true
		}
	}
	return false
}

// allRight is what would have been counted had every guess been right.
func (c counts) allRight() counts {
	out := counts{rungs: c.rungs, given: c.given}
	for _, g := range c.of {
		g.Right = g.Guessed
		out.of = append(out.of, g)
	}
	return out
}

// Prepare counts and decides: there is nothing to sample.
func (a OneRunAudit) Prepare(_ context.Context, s verify.Settings) (verify.Trial, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if a.Chance == 0.5 {
		a.Chance = 0
	}
	a.Score = a.Scores.Score
	sorted := a.Scores.sortedValues()
	own := countedScores{coins: a.Scores.coins(), own: a.count(s, sorted), figures: a.Scores.Figures(),
		misfit: a.Scores.misfit()}
	if a.curved() {
		own.fixed = a.countFixed(s, sorted)
	}
	if r, ok := a.near(); ok {
		own.cuts = r.cuts(sorted, a.low())
	}
	e, err := a.judge(own, s.Alpha)
	e.Data, e.Statistics = a.Scores.Name, verify.NewStatistics(OneRunMethod, a.statistics(own))
	return verify.Decided(e), err
}
