package benchmark

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/ziggurat"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/benchmark/internal/scoring"
	"github.com/dpverify/dpverify/verify/canary"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/runs"
)

// canaryCases are scores whose law is known.
func canaryCases() (out []Case, err error) {
	rows, err := scoring.Rows()
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		out = append(out, Case{Name: row.Name, True: row.True, Check: drawn(
			func(r *rand.Rand, _ verify.Settings) (verify.Check, error) {
				audit := row.Audit
				values, coins := row.Draw(r, audit.Chance)
				var err error
				audit.Scores, err = canary.NewScores("scores", values, coins)
				return audit, err
			})})
	}
	return append(out, runsCases()...), nil
}

// runsCases are many trainings, of which each has a score: those of Gaussian privacy at its μ, and beyond.
func runsCases() (out []Case) {
	const each = 30
	for _, row := range []struct {
		name  string
		true  bool
		mu    float64
		audit runs.Audit
	}{
		{"many runs at their μ, a threshold that is learned", true, 1, runs.Audit{Guarantee: privacy.GaussianDP(1)}},
		{"many runs at their μ, on an event", true, 1, runs.Audit{Guarantee: privacy.GaussianDP(1),
			Event: canary.AtLeast(0.5)}},
		{"many runs of nothing, ε = 0", true, 0, runs.Audit{Guarantee: privacy.ApproximateDP(0, 0),
			Event: canary.AtLeast(0)}},
		{"many runs at 4 times μ, a threshold that is learned", false, 4, runs.Audit{Guarantee: privacy.GaussianDP(1)}},
		{"many runs at 4 times μ, on an event", false, 4, runs.Audit{Guarantee: privacy.GaussianDP(1),
			Event: canary.AtLeast(2)}},
	} {
		out = append(out, Case{Name: row.name, True: row.true, Check: drawn(
			func(r *rand.Rand, _ verify.Settings) (verify.Check, error) {
				audit := row.audit
				audit.A.Name, audit.B.Name = "with", "without"
				for range each {
					audit.A.Outputs = append(audit.A.Outputs, row.mu+ziggurat.Normal(r))
					audit.B.Outputs = append(audit.B.Outputs, ziggurat.Normal(r))
				}
				return audit, nil
			})})
	}
	return out
}
