package scoring

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/canary"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Row is a law of scores with a claim about them, and whether it is true.
type Row struct {
	Name  string
	True  bool
	Draw  Law
	Audit canary.Audit // without its scores
}

// Drawn is the audit of scores that are drawn.
func (row Row) Drawn(r *rand.Rand, _ verify.Settings) (verify.Check, error) {
	audit := row.Audit
	values, coins := row.Draw(r, audit.Chance)
	var err error
	audit.Scores, err = canary.NewScores("scores", values, coins)
	return audit, err
}

// Rows are laws at their bound, where randomized response attains ε and a Gaussian release of each coin μ, and
// beyond it.
func Rows() ([]Row, error) {
	pure, approximate, gaussian := privacy.ApproximateDP(1, 0), privacy.ApproximateDP(1, 1e-4), privacy.GaussianDP(1)
	nothing := privacy.ApproximateDP(0, 0)
	event, err := canary.ParseEvent("score >= 1")
	if err != nil {
		return nil, err
	}
	return []Row{
		{"scores of nothing, ε = 0", true, Normal(0), canary.Audit{Guarantee: nothing}},
		{"scores of nothing, μ = 0", true, Normal(0), canary.Audit{Guarantee: privacy.GaussianDP(0)}},
		{"randomized response at its ε", true, Response(1, 1), canary.Audit{Guarantee: pure}},
		{"the same, at δ = 1e-4", true, Response(1, 1), canary.Audit{Guarantee: approximate}},
		{"the same, on the event of an answer", true, Response(1, 1), canary.Audit{Guarantee: pure, Event: event}},
		{"the same, of one canary in five", true, Response(1, 0.2), canary.Audit{Guarantee: pure}},
		{"all coins shown with probability δ", true, Shown(1e-4),
			canary.Audit{Guarantee: privacy.ApproximateDP(0, 1e-4)}},
		{"a number of guesses that follows what is shown, at δ = 6e-4", true, Spent(6e-4, 60),
			canary.Audit{Guarantee: privacy.ApproximateDP(0, 6e-4), Event: event}},
		{"a Gaussian release at its μ", true, Normal(1), canary.Audit{Guarantee: gaussian}},
		{"the same, on an event", true, Normal(1), canary.Audit{Guarantee: gaussian, Event: event}},
		{"the same, rounded to five values", true, Rounded(Normal(1)), canary.Audit{Guarantee: gaussian}},
		{"responses whose number follows how many are right", true, Chosen(1), canary.Audit{Guarantee: pure}},
		{"scores that the order of the file repeats", true, SortedTies, canary.Audit{Guarantee: nothing}},
		{"identical canaries, one answer for their number", true, Identical(1), canary.Audit{Guarantee: pure}},
		{"canaries included with probability 0.2", true, Rarer(1, 0.2), canary.Audit{Guarantee: pure, Chance: 0.2}},
		{"randomized response at 2.5 times ε", false, Response(2.5, 1), canary.Audit{Guarantee: pure}},
		{"the same, at δ = 1e-4, 2.5 times ε", false, Response(2.5, 1), canary.Audit{Guarantee: approximate}},
		{"a Gaussian release at 3 times μ", false, Normal(3), canary.Audit{Guarantee: gaussian}},
		{"one canary in ten memorised, ε = 1", false, Memorised(0.1), canary.Audit{Guarantee: pure}},
		{"included with probability 0.2, at 3 times ε", false, Rarer(3, 0.2),
			canary.Audit{Guarantee: pure, Chance: 0.2}},
	}, nil
}
