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
	// Power marks a training at 1.25 times the claim: at most 1 in 100 may be consistent.
	Power bool
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
	rows := []Row{
		{"scores of nothing, ε = 0", true, Normal(0), canary.Audit{Guarantee: nothing}, false},
		{"scores of nothing, μ = 0", true, Normal(0), canary.Audit{Guarantee: privacy.GaussianDP(0)}, false},
		{"randomized response at its ε", true, Response(1, 1), canary.Audit{Guarantee: pure}, false},
		{"the same, at δ = 1e-4", true, Response(1, 1), canary.Audit{Guarantee: approximate}, false},
		{"the same, on the event of an answer", true, Response(1, 1), canary.Audit{Guarantee: pure, Event: event}, false},
		{"the same, of one canary in five", true, Response(1, 0.2), canary.Audit{Guarantee: pure}, false},
		{"all coins shown with probability δ", true, Shown(1e-4),
			canary.Audit{Guarantee: privacy.ApproximateDP(0, 1e-4)}, false},
		{"a number of guesses that follows what is shown, at δ = 6e-4", true, Spent(6e-4, 60),
			canary.Audit{Guarantee: privacy.ApproximateDP(0, 6e-4), Event: event}, false},
		{"a Gaussian release at its μ", true, Normal(1), canary.Audit{Guarantee: gaussian}, false},
		{"the same, on an event", true, Normal(1), canary.Audit{Guarantee: gaussian, Event: event}, false},
		{"the same, rounded to five values", true, Rounded(Normal(1)), canary.Audit{Guarantee: gaussian}, false},
		{"responses whose number follows how many are right", true, Chosen(1), canary.Audit{Guarantee: pure}, false},
		{"scores that the order of the file repeats", true, SortedTies, canary.Audit{Guarantee: nothing}, false},
		{"identical canaries, one answer for their number", true, Identical(1), canary.Audit{Guarantee: pure}, false},
		{"canaries included with probability 0.2", true, Rarer(1, 0.2), canary.Audit{Guarantee: pure, Chance: 0.2}, false},
		{"randomized response at 2.5 times ε", false, Response(2.5, 1), canary.Audit{Guarantee: pure}, false},
		{"the same, at δ = 1e-4, 2.5 times ε", false, Response(2.5, 1), canary.Audit{Guarantee: approximate}, false},
		{"a Gaussian release at 3 times μ", false, Normal(3), canary.Audit{Guarantee: gaussian}, false},
		{"one canary in ten memorised, ε = 1", false, Memorised(0.1), canary.Audit{Guarantee: pure}, false},
		{"included with probability 0.2, at 3 times ε", false, Rarer(3, 0.2),
			canary.Audit{Guarantee: pure, Chance: 0.2}, false},
	}
	return append(rows, powerRows()...), nil
}

// powerRows are randomized response at ε and at 1.25 ε, of enough canaries that the true claim is often
// consistent.
func powerRows() (list []Row) {
	const epsilon, near, draws = 4, 5, 5
	for _, c := range []struct {
		name   string
		chance float64
		of     func(epsilon float64) Law
	}{
		{"two answers", 0, func(epsilon float64) Law { return Response(epsilon, 1) }},
		{"answers of four values", 0, func(epsilon float64) Law { return Split(epsilon, 2, 2) }},
		{"answers of which one has three values", 0, func(epsilon float64) Law { return Split(epsilon, 3, 1) }},
		{"two answers, inclusion 0.3", 0.3, func(epsilon float64) Law { return Response(epsilon, 1) }},
		{"two answers, inclusion 0.7", 0.7, func(epsilon float64) Law { return Response(epsilon, 1) }},
	} {
		claim := canary.Audit{Guarantee: privacy.ApproximateDP(epsilon, 0), Chance: c.chance}
		list = append(list, Row{c.name + " at ε = 4", true, Several(draws, c.of(epsilon)), claim, false},
			Row{c.name + " at 1.25 times ε = 4", false, Several(draws, c.of(near)), claim, true})
	}
	return list
}
