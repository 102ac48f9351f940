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

// canaryCases returns audits of canary scores with known distributions, in one run and in many runs. The
// distributions attain their bound or exceed it: randomized response attains ε, and a Gaussian release of each
// inclusion bit attains μ.
func canaryCases() []Case {
	event := must(training.ParseEvent("score >= 1"))
	pure := func(epsilon float64) training.OneRunAudit {
		return training.OneRunAudit{Guarantee: privacy.ApproximateDP(epsilon, 0)}
	}
	at := func(epsilon, delta float64) training.OneRunAudit {
		return training.OneRunAudit{Guarantee: privacy.ApproximateDP(epsilon, delta)}
	}
	gaussian := func(mu float64) training.OneRunAudit { return training.OneRunAudit{Guarantee: privacy.GaussianDP(mu)} }
	on := func(a training.OneRunAudit) training.OneRunAudit { a.Event = event; return a }
	rarer := func(a training.OneRunAudit) training.OneRunAudit { a.Chance = 0.2; return a }
	cases := []Case{
		scored("scores of nothing, ε = 0", true, normalScores(0), pure(0)),
		scored("scores of nothing, μ = 0", true, normalScores(0), gaussian(0)),
		scored("randomized response at its ε", true, responseScores(1, 1), pure(1)),
		scored("the same, at δ = 1e-4", true, responseScores(1, 1), at(1, 1e-4)),
		scored("the same, on the event of an answer", true, responseScores(1, 1), on(pure(1))),
		scored("the same, of one canary in five", true, responseScores(1, 0.2), pure(1)),
		scored("all coins shown with probability δ", true, shownScores(1e-4), at(0, 1e-4)),
		scored("a number of guesses that follows what is shown, at δ = 6e-4", true, spentScores(6e-4, 60), on(at(0, 6e-4))),
		scored("a Gaussian release at its μ", true, normalScores(1), gaussian(1)),
		scored("the same, on an event", true, normalScores(1), on(gaussian(1))),
		scored("the same, rounded to five values", true, roundedScores(normalScores(1)), gaussian(1)),
		scored("responses whose number follows how many are right", true, chosenScores(1), pure(1)),
		scored("scores that the order of the file repeats", true, tiedScores, pure(0)),
		scored("identical canaries, one answer for their number", true, identicalScores(1), pure(1)),
		scored("canaries included with probability 0.2", true, responseScores(1, 1), rarer(pure(1))),
		scored("randomized response at 2.5 times ε", false, responseScores(2.5, 1), pure(1)),
		scored("the same, at δ = 1e-4, 2.5 times ε", false, responseScores(2.5, 1), at(1, 1e-4)),
		scored("a Gaussian release at 3 times μ", false, normalScores(3), gaussian(1)),
		scored("one canary in ten memorised, ε = 1", false, memorizedScores(0.1), pure(1)),
		scored("included with probability 0.2, at 3 times ε", false, responseScores(3, 1), rarer(pure(1))),
	}
	claimed := training.MultiRunAudit{Guarantee: privacy.GaussianDP(1)}
	above := func(threshold float64) training.MultiRunAudit {
		a := claimed
		a.Event = training.ScoresAtLeast(threshold)
		return a
	}
	return append(append(cases, nearlyScored()...),
		trained("many runs at their μ, a threshold that is learned", true, 1, claimed),
		trained("many runs at their μ, on an event", true, 1, above(0.5)),
		trained("many runs of nothing, ε = 0", true, 0,
			training.MultiRunAudit{Guarantee: privacy.ApproximateDP(0, 0), Event: training.ScoresAtLeast(0)}),
		trained("many runs at 4 times μ, a threshold that is learned", false, 4, claimed),
		trained("many runs at 4 times μ, on an event", false, 4, above(2)))
}

// scored returns a one-run audit with scores that are drawn in every run.
func scored(name string, isTrue bool, law scoreLaw, audit training.OneRunAudit) Case {
	return Case{Name: name, isTrue: isTrue, check: drawn(func(r *rand.Rand) (verify.Check, error) {
		values, coins := law(r, audit.Chance)
		audit := audit
		var err error
		audit.Scores, err = training.NewScores("scores", values, coins)
		return audit, err
	})}
}

// nearlyScored returns cases of randomized response at ε and at 1.25 ε. There are enough canaries that the true claim
// is often consistent. At most 1 in 100 false claims may be consistent.
func nearlyScored() (cases []Case) {
	const epsilon, near, draws = 4, 5, 5
	two := func(epsilon float64) scoreLaw { return responseScores(epsilon, 1) }
	for _, c := range []struct {
		name   string
		chance float64
		law    func(epsilon float64) scoreLaw
	}{
		{"two answers", 0, two},
		{"answers of four values", 0, func(epsilon float64) scoreLaw { return splitScores(epsilon, 2, 2) }},
		{"answers of which one has three values", 0, func(epsilon float64) scoreLaw { return splitScores(epsilon, 3, 1) }},
		{"two answers, inclusion 0.3", 0.3, two},
		{"two answers, inclusion 0.7", 0.7, two},
	} {
		claim := training.OneRunAudit{Guarantee: privacy.ApproximateDP(epsilon, 0), Chance: c.chance}
		more := scored(c.name+" at 1.25 times ε = 4", false, joinedScores(draws, c.law(near)), claim)
		more.event, more.hidden = results.Confirmed, math.Inf(1) // any confirmation is wrong
		cases = append(cases, scored(c.name+" at ε = 4", true, joinedScores(draws, c.law(epsilon)), claim), more)
	}
	return cases
}

// runsEachWorld is the number of training runs with the canary, and without it.
const runsEachWorld = 30

// trained returns an audit of many training runs that are exactly μ-GDP. Each run has one score.
func trained(name string, isTrue bool, mu float64, audit training.MultiRunAudit) Case {
	return Case{Name: name, isTrue: isTrue, check: drawn(func(r *rand.Rand) (verify.Check, error) {
		audit := audit
		audit.A.Name, audit.B.Name = "with", "without"
		for range runsEachWorld {
			audit.A.Outputs = append(audit.A.Outputs, mu+rng.Normal(r))
			audit.B.Outputs = append(audit.B.Outputs, rng.Normal(r))
		}
		return audit, nil
	})}
}
