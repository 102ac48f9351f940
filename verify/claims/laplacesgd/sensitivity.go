package laplacesgd

import (
	"context"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

func sensitivityClaims() []verify.Claim {
	full := []batch{{d: 1, b: 1, size: 1}, {d: 2, b: 1, size: 1}, {d: 5, b: 1, size: 1}, {d: 2, b: 2, size: 2},
		{d: 2, b: 10, size: 10}}
	short := []batch{{d: 2, b: 5, size: 3}, {d: 2, b: 50, size: 1}}
	return []verify.Claim{
		{
			ID: "laplace-sgd/sensitivity", Source: "eqs. (6)-(8)", Kind: verify.Sensitivity,
			Origin: verify.Implied, Place: "Sect. 3.4, eqs. (6) to (8): the 2 in the noise's 2/α and the 1/b before Z_t; " +
				"‖x‖ ≤ 1 by Sect. 3.2, first paragraph",
			Statement: "two values of one record, ‖x‖ ≤ 1 and y = ±1, move the gradient by at most 2 and the average over a " +
				"batch of b by at most 2/b, at every w",
			Check: average(full, laplacesgd.ShortPrinted, 2),
			Control: verify.Control{Check: average(full[1:3], laplacesgd.ShortPrinted, 1.9), Want: checks.Refuted,
				Fault: "1.9/b claimed"},
		},
		{
			ID: "laplace-sgd/sensitivity/last-batch", Source: "eq. (8)", Kind: verify.Sensitivity,
			Origin: verify.Reading, Place: "Sect. 3.3, eq. (5), and Sect. 3.4, eq. (8): b is the size of every batch, and " +
				"nothing is said of a last one with fewer records; here its sum is divided by b, as (8) prints",
			Statement: "a last batch of fewer than b records, its sum divided by b, moves by at most 2/b",
			Check:     average(short, laplacesgd.ShortPrinted, 2),
			Control: verify.Control{Check: average(short, laplacesgd.ShortMean, 2), Want: checks.Refuted,
				Fault: "the sum divided by the number of records there are"},
		},
		{
			ID: "laplace-sgd/sensitivity/last-batch/mean", Source: "eq. (8), an average by the word", Kind: verify.Sensitivity,
			Origin: verify.Reading, Place: "Sect. 3.3, eq. (5), and Sect. 3.4, eq. (8): b is the size of every batch, and " +
				"nothing is said of a last one with fewer records; here it is averaged over those that it has",
			Statement: "a last batch of fewer than b records, its sum divided by their number, moves by at most 2/b",
			Check:     average(short, laplacesgd.ShortMean, 2),
			Control: verify.Control{Check: average(short, laplacesgd.ShortPrinted, 2), Want: checks.Holds,
				Fault: "none: divided by b"},
			Corrected: "laplace-sgd/sensitivity/last-batch/mean/corrected",
		},
		{
			ID: "laplace-sgd/sensitivity/last-batch/mean/corrected", Source: "eq. (8), corrected", Kind: verify.Sensitivity,
			Origin: verify.Correction, Place: "Sect. 3.3, eqs. (4) and (5), with b′ records in the batch",
			Statement: "the average over a batch of b′ records moves by at most 2/b′, whatever b is",
			Check:     ownSize(short, 2),
			Control:   verify.Control{Check: ownSize(short, 1.9), Want: checks.Refuted, Fault: "1.9/b′ claimed"},
		},
	}
}

// batch is size ≤ b records of dimension d.
type batch struct{ d, b, size int }

// longest is the radius of the ball of w in the search: long enough for the supremum to be reached
// to 1 %, as nearly opposite rows must both stand against w.
const longest = 100

const movementProof = "‖∇ℓ‖ = σ(−m)‖x‖ < 1, so two of them are less than 2 apart; at d = 1 by the maximum over the " +
	"line (bounds.LogisticGradientSensitivity); the other records of a batch cancel"

// average searches for the movement of a batch's sum over its divisor, against per/b.
func average(batches []batch, short laplacesgd.Short, per float64) verify.Check {
	return movement(batches, short, func(c batch) float64 { return per / float64(c.b) })
}

// ownSize is the average over the records there are, against per/b′.
func ownSize(batches []batch, per float64) verify.Check {
	return movement(batches, laplacesgd.ShortMean, func(c batch) float64 { return per / float64(c.size) })
}

func movement(batches []batch, short laplacesgd.Short, claimed func(batch) float64) verify.Check {
	return checks.Deferred(func(context.Context, verify.Settings) (verify.Check, error) {
		check := sensitivity.Check{Quantity: "the gradient averaged over a batch", Norm: sensitivity.L2,
			Adjacency: inputs.ReplaceOneRecord, Proof: movementProof, Evaluations: 100_000}
		for _, c := range batches {
			divisor, _ := short.Divisors(c.b, c.size)
			supremum, err := bounds.LogisticGradientSensitivity(c.d)
			if err != nil {
				return nil, err
			}
			check.Cells = append(check.Cells, sensitivity.Cell{
				Place: formula.Placef("b=%d, %s, d=%d", c.b, verify.Plural(c.size, "record"), c.d)(), OutputLength: c.d, N: c.size,
				Map: func(_ *rand.Rand, in sensitivity.Input, dst []float64) error {
					return batchGradient(in, divisor, dst)
				},
				Records: sensitivity.Records{Ball: sensitivity.Ball{Dim: c.d, Norm: sensitivity.L2, Radius: 1},
					Labels: []float64{-1, 1}},
				Shared:  sensitivity.Ball{Dim: c.d, Norm: sensitivity.L2, Radius: longest},
				Claimed: claimed(c), Tight: verify.Num(supremum / divisor),
			})
		}
		return check, nil
	})
}

func batchGradient(in sensitivity.Input, divisor float64, dst []float64) error {
	values, labels := make([]float64, 0, len(in.Records)*len(dst)), make([]float64, len(in.Records))
	rows := make([]int, len(in.Records))
	for i, record := range in.Records {
		values = append(values, record.X...)
		labels[i], rows[i] = record.Y, i
	}
	data, err := dataset.NewDense(len(dst), values, labels)
	if err != nil {
		return err
	}
	laplacesgd.BatchGradient(data, rows, in.Shared, divisor, dst)
	return nil
}
