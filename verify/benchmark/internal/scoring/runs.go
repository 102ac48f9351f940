package scoring

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/canary"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/runs"
)

// RunsRow is an audit of many trainings, of which each has a score.
type RunsRow struct {
	Name  string
	True  bool
	Mu    float64    // of the trainings
	Audit runs.Audit // without its scores
}

// eachWorld has so many trainings.
const eachWorld = 30

// Drawn is the audit of scores that are drawn.
func (row RunsRow) Drawn(r *rand.Rand, _ verify.Settings) (verify.Check, error) {
	audit := row.Audit
	audit.A.Name, audit.B.Name = "with", "without"
	for range eachWorld {
		audit.A.Outputs = append(audit.A.Outputs, row.Mu+rng.Normal(r))
		audit.B.Outputs = append(audit.B.Outputs, rng.Normal(r))
	}
	return audit, nil
}

// RunsRows are trainings of Gaussian privacy at its μ, and beyond.
func RunsRows() []RunsRow {
	claimed := privacy.GaussianDP(1)
	return []RunsRow{
		{"many runs at their μ, a threshold that is learned", true, 1, runs.Audit{Guarantee: claimed}},
		{"many runs at their μ, on an event", true, 1, runs.Audit{Guarantee: claimed, Event: canary.AtLeast(0.5)}},
		{"many runs of nothing, ε = 0", true, 0,
			runs.Audit{Guarantee: privacy.ApproximateDP(0, 0), Event: canary.AtLeast(0)}},
		{"many runs at 4 times μ, a threshold that is learned", false, 4, runs.Audit{Guarantee: claimed}},
		{"many runs at 4 times μ, on an event", false, 4, runs.Audit{Guarantee: claimed, Event: canary.AtLeast(2)}},
	}
}
