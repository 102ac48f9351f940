package benchmark

import "github.com/dpverify/dpverify/verify/benchmark/internal/scoring"

// canaryCases are scores whose law is known, of the canaries of one training and of many trainings.
func canaryCases() (out []Case, err error) {
	rows, err := scoring.Rows()
	for _, row := range rows {
		out = append(out, Case{Name: row.Name, True: row.True, Check: drawn(row.Drawn)})
	}
	for _, row := range scoring.RunsRows() {
		out = append(out, Case{Name: row.Name, True: row.True, Check: drawn(row.Drawn)})
	}
	return out, err
}
