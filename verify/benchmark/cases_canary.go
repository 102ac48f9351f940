package benchmark

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/benchmark/internal/scoring"
	"github.com/dpverify/dpverify/verify/canary"
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
	return out, nil
}
