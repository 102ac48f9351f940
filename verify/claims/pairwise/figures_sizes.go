package pairwise

import (
	"context"
	"math"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// sizeClaims are about the sizes of the data sets, which the paper does not print.
func sizeClaims() []verify.Claim {
	const place = "Experiments, Datasets; Experiments for AUC maximization, second paragraph: n up to 90 on Hepatitis " +
		"and Cancer"
	return []verify.Claim{
		{
			ID: "pairwise/experiments/sizes", Source: "Experiments, Datasets", Kind: verify.Experiment,
			Origin: verify.Implied, Place: place,
			Statement: "Hepatitis has as many rows as the largest n of Figure 1 takes, 90, where missing values are filled",
			Check:     checks.OnData("hepatitis", enoughRows(fromData("hepatitis"), true, 90)),
			Control: verify.Control{Check: enoughRows(planted(2), true, 701), Want: checks.Refuted,
				Fault: "n = 701 of 700 rows"},
		},
		{
			ID: "pairwise/experiments/sizes/complete", Source: "Experiments, Datasets", Kind: verify.Experiment,
			Origin: verify.Reading, Place: place + "; what is done with missing values is not printed",
			Statement: "Hepatitis has as many rows without a missing value as the largest n of Figure 1 takes, 90",
			Check:     checks.OnData("hepatitis", enoughRows(fromData("hepatitis"), false, 90)),
			Control: verify.Control{Check: enoughRows(planted(2), false, 90), Want: checks.Holds,
				Fault: "none: 700 complete rows"},
			Corrected: "pairwise/experiments/sizes",
		},
	}
}

// enoughRows counts the rows of the data, those with missing values among them or not.
func enoughRows(rows source, gaps bool, n float64) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, err := rows(s)
		if err != nil {
			return nil, err
		}
		count, row := 0.0, make([]float64, data.Dim())
		for i := range data.Len() {
			clear(row)
			data.Row(i).AddTo(row, 1)
			sum := 0.0
			for _, v := range row {
				sum += v
			}
			if gaps || !math.IsNaN(sum) {
				count++
			}
		}
		return formula.Check{
			Quantity: "rows", Sense: verify.AtLeast, Domain: "the file", Proof: "the rows are counted",
			Points: formula.ListedPoints(formula.Point{Place: formula.Placef("%g rows", count), Measured: count, Claimed: n,
				Show: true}),
		}, nil
	})
}
