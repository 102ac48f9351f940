package benchmark

import "github.com/dpverify/dpverify/verify/benchmark/internal/along"

// curveCases are claims that are curves, bandCases bands of the truth.
func curveCases() ([]Case, error) { return casesOf(along.Claims()) }
func bandCases() ([]Case, error)  { return casesOf(along.Bands()) }

func casesOf(rows []along.Row, err error) (out []Case, _ error) {
	for _, row := range rows {
		out = append(out, Case{Name: row.Name, True: row.True, Check: row.Check})
	}
	return out, err
}
