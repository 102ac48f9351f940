package calibration

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// canaryCases are scores whose law is known, of the canaries of one training and of many trainings.
func canaryCases() (out []Case, err error) {
	rows, err := scoreRows()
	for _, row := range rows {
		c := Case{Name: row.Name, True: row.True, Check: drawn(row.Drawn)}
		if row.Power {
			c.Counted, c.Hidden = results.Confirmed, math.Inf(1) // any confirmation is wrong
		}
		out = append(out, c)
	}
	for _, row := range runsRows() {
		out = append(out, Case{Name: row.Name, True: row.True, Check: drawn(row.Drawn)})
	}
	return out, err
}

// scoreRow is a law of scores with a claim about them, and whether it is true.
type scoreRow struct {
	Name  string
	True  bool
	Draw  scoreLaw
	Audit training.OneRunAudit // without its scores
	// Power marks a training at 1.25 times the claim: at most 1 in 100 may be consistent.
	Power bool
}

// Drawn is the audit of scores that are drawn.
func (row scoreRow) Drawn(r *rand.Rand, _ verify.Settings) (verify.Check, error) {
	audit := row.Audit
	values, coins := row.Draw(r, audit.Chance)
	var err error
	audit.Scores, err = training.NewScores("scores", values, coins)
	return audit, err
}

// scoreRows are laws at their bound, where randomized response attains ε and a Gaussian release of each coin μ, and
// beyond it.
func scoreRows() ([]scoreRow, error) {
	pure, approximate, gaussian := privacy.ApproximateDP(1, 0), privacy.ApproximateDP(1, 1e-4), privacy.GaussianDP(1)
	nothing := privacy.ApproximateDP(0, 0)
	event, err := training.ParseEvent("score >= 1")
	if err != nil {
		return nil, err
	}
	rows := []scoreRow{
		{"scores of nothing, ε = 0", true, normalScores(0), training.OneRunAudit{Guarantee: nothing}, false},
		{"scores of nothing, μ = 0", true, normalScores(0), training.OneRunAudit{Guarantee: privacy.GaussianDP(0)}, false},
		{"randomized response at its ε", true, responseScores(1, 1), training.OneRunAudit{Guarantee: pure}, false},
		{"the same, at δ = 1e-4", true, responseScores(1, 1), training.OneRunAudit{Guarantee: approximate}, false},
		{"the same, on the event of an answer", true, responseScores(1, 1), training.OneRunAudit{Guarantee: pure,
			Event: event},
			false},
		{"the same, of one canary in five", true, responseScores(1, 0.2), training.OneRunAudit{Guarantee: pure}, false},
		{"all coins shown with probability δ", true, shownScores(1e-4),
			training.OneRunAudit{Guarantee: privacy.ApproximateDP(0, 1e-4)}, false},
		{"a number of guesses that follows what is shown, at δ = 6e-4", true, spentScores(6e-4, 60),
			training.OneRunAudit{Guarantee: privacy.ApproximateDP(0, 6e-4), Event: event}, false},
		{"a Gaussian release at its μ", true, normalScores(1), training.OneRunAudit{Guarantee: gaussian}, false},
		{"the same, on an event", true, normalScores(1), training.OneRunAudit{Guarantee: gaussian, Event: event}, false},
		{"the same, rounded to five values", true, roundedScores(normalScores(1)),
			training.OneRunAudit{Guarantee: gaussian}, false},
		{"responses whose number follows how many are right", true, chosenScores(1), training.OneRunAudit{Guarantee: pure},
			false},
		{"scores that the order of the file repeats", true, tiedScores, training.OneRunAudit{Guarantee: nothing}, false},
		{"identical canaries, one answer for their number", true, identicalScores(1), training.OneRunAudit{Guarantee: pure},
			false},
		{"canaries included with probability 0.2", true, rarerScores(1, 0.2), training.OneRunAudit{Guarantee: pure,
			Chance: 0.2},
			false},
		{"randomized response at 2.5 times ε", false, responseScores(2.5, 1), training.OneRunAudit{Guarantee: pure}, false},
		{"the same, at δ = 1e-4, 2.5 times ε", false, responseScores(2.5, 1), training.OneRunAudit{Guarantee: approximate},
			false},
		{"a Gaussian release at 3 times μ", false, normalScores(3), training.OneRunAudit{Guarantee: gaussian}, false},
		{"one canary in ten memorised, ε = 1", false, memorizedScores(0.1), training.OneRunAudit{Guarantee: pure}, false},
		{"included with probability 0.2, at 3 times ε", false, rarerScores(3, 0.2),
			training.OneRunAudit{Guarantee: pure, Chance: 0.2}, false},
	}
	return append(rows, scorePowerRows()...), nil
}

// scorePowerRows are randomized response at ε and at 1.25 ε, of enough canaries that the true claim is often
// consistent.
func scorePowerRows() (list []scoreRow) {
	const epsilon, near, draws = 4, 5, 5
	for _, c := range []struct {
		name   string
		chance float64
		of     func(epsilon float64) scoreLaw
	}{
		{"two answers", 0, func(epsilon float64) scoreLaw { return responseScores(epsilon, 1) }},
		{"answers of four values", 0, func(epsilon float64) scoreLaw { return splitScores(epsilon, 2, 2) }},
		{"answers of which one has three values", 0, func(epsilon float64) scoreLaw { return splitScores(epsilon, 3, 1) }},
		{"two answers, inclusion 0.3", 0.3, func(epsilon float64) scoreLaw { return responseScores(epsilon, 1) }},
		{"two answers, inclusion 0.7", 0.7, func(epsilon float64) scoreLaw { return responseScores(epsilon, 1) }},
	} {
		claim := training.OneRunAudit{Guarantee: privacy.ApproximateDP(epsilon, 0), Chance: c.chance}
		list = append(list, scoreRow{c.name + " at ε = 4", true, joinedScores(draws, c.of(epsilon)), claim, false},
			scoreRow{c.name + " at 1.25 times ε = 4", false, joinedScores(draws, c.of(near)), claim, true})
	}
	return list
}

// runsRow is an audit of many trainings, of which each has a score.
type runsRow struct {
	Name  string
	True  bool
	Mu    float64                // of the trainings
	Audit training.MultiRunAudit // without its scores
}

// runsEachWorld is the number of trainings of each world.
const runsEachWorld = 30

// Drawn is the audit of scores that are drawn.
func (row runsRow) Drawn(r *rand.Rand, _ verify.Settings) (verify.Check, error) {
	audit := row.Audit
	audit.A.Name, audit.B.Name = "with", "without"
	for range runsEachWorld {
		audit.A.Outputs = append(audit.A.Outputs, row.Mu+rng.Normal(r))
		audit.B.Outputs = append(audit.B.Outputs, rng.Normal(r))
	}
	return audit, nil
}

// runsRows are trainings of Gaussian privacy at its μ, and beyond.
func runsRows() []runsRow {
	claimed := privacy.GaussianDP(1)
	return []runsRow{
		{"many runs at their μ, a threshold that is learned", true, 1, training.MultiRunAudit{Guarantee: claimed}},
		{"many runs at their μ, on an event", true, 1, training.MultiRunAudit{Guarantee: claimed,
			Event: training.ScoresAtLeast(0.5)}},
		{"many runs of nothing, ε = 0", true, 0,
			training.MultiRunAudit{Guarantee: privacy.ApproximateDP(0, 0), Event: training.ScoresAtLeast(0)}},
		{"many runs at 4 times μ, a threshold that is learned", false, 4, training.MultiRunAudit{Guarantee: claimed}},
		{"many runs at 4 times μ, on an event", false, 4, training.MultiRunAudit{Guarantee: claimed,
			Event: training.ScoresAtLeast(2)}},
	}
}
