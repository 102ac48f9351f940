package pairwise

import (
	"context"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// sizeClaims are about the sizes of the data sets, which the paper does not print.
func sizeClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/experiments/sizes", Kind: verify.Experiment, Origin: verify.Implied,
			Place: "Experiments, Datasets: and Experiments for AUC maximization, second paragraph (n up to 90 on Hepatitis " +
				"and Cancer); only 80 rows are complete, and the paper does not say how missing values are filled",
			Statement: "the UCI Hepatitis file has 155 rows, enough for the largest n of Figure 1, 90, if rows with " +
				"missing values are used",
			Check:    checks.OnData("hepatitis", enoughRows(fromData("hepatitis"), 90)),
			Control:  verify.Control{Check: enoughRows(planted(2), 701), Want: checks.Refuted, Fault: "n = 701 of 700 rows"},
			Formerly: []string{"pairwise/experiments/sizes/complete"},
		},
	}
}

// enoughRows counts the rows of the data.
func enoughRows(rows source, n float64) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		return formula.Check{
			Quantity: "rows", Sense: verify.AtLeast, Domain: "the file", Proof: "the rows are counted",
			Points: formula.ListedPoints(formula.Point{Place: formula.Placef("%d rows", data.Len()),
				Measured: float64(data.Len()), Claimed: n, Show: true}),
		}, nil
	})
}
