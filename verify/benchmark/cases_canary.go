package benchmark

import (
	"math"

	"github.com/dpverify/dpverify/verify/benchmark/benchdata"
	"github.com/dpverify/dpverify/verify/benchmark/internal/scoring"
)

// canaryCases are scores whose law is known, of the canaries of one training and of many trainings.
func canaryCases() (out []Case, err error) {
	rows, err := scoring.Rows()
	for _, row := range rows {
		c := Case{Name: row.Name, True: row.True, Check: drawn(row.Drawn)}
		if row.Power {
			c.Counted, c.Hidden = benchdata.Confirmed, math.Inf(1) // any confirmation is wrong
		}
		out = append(out, c)
	}
	for _, row := range scoring.RunsRows() {
		out = append(out, Case{Name: row.Name, True: row.True, Check: drawn(row.Drawn)})
	}
	return out, err
}
