package curricula

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// statementClaims are lines of the text beside its tables and its accounting.
func statementClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "curricula/log-ratio", Source: "Sect. 1, second paragraph", Kind: verify.Privacy,
			Origin: verify.Reading,
			Place:  "Sect. 1, second paragraph: the log-likelihood ratio is bounded by ε; taken of the ε of Table 2",
			Statement: "the log-likelihood ratio of what training releases on neighbouring data sets never exceeds the ε of " +
				"Table 2: δ is 0",
			Check:     residual(0),
			Control:   verify.Control{Check: residual(delta), Want: checks.Holds, Fault: "none: δ = 1e-5"},
			Corrected: "curricula/table-2/eps/poisson",
		},
		{
			ID: "curricula/renyi-composition", Source: "Sect. 2.3, second paragraph", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 2.3, second paragraph: a tighter analysis than adding up the budgets",
			Statement: "at the settings of Table 2 the ε by Rényi divergences is below the sum of the ε of all steps, each at " +
				"an equal share of δ",
			Check: tighterThanSum(1),
			Control: verify.Control{Check: tighterThanSum(1e-4), Want: checks.Contradictory,
				Fault: "a ten-thousandth of the sum"},
		},
		{
			ID: "curricula/alg-1/update", Source: "Alg. 1, gradient descent", Kind: verify.Consistency,
			Origin: verify.Implied,
			Place:  "Algorithm 1, line \"Gradient descent\", within the loop over batches, in which t does not change",
			Statement: "each record of the training data can move the trained model of Algorithm 1: 100 records, batches of " +
				"one, no noise",
			Check: dependence(curricula.UpdateLast),
			Control: verify.Control{Check: dependence(curricula.UpdateEach), Want: checks.Holds,
				Fault: "none: θ moves with each batch"},
			Corrected: "curricula/alg-1/update/corrected",
		},
		{
			ID: "curricula/alg-1/update/corrected", Source: "Alg. 1, gradient descent, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Algorithm 1, line \"Gradient descent\", with θ moved by each batch",
			Statement: "where each batch moves the θ that the last one left, each record can move the trained model",
			Check:     dependence(curricula.UpdateEach),
			Control: verify.Control{Check: dependence(curricula.UpdateLast), Want: checks.Contradictory,
				Fault: "the line as printed"},
		},
		{
			ID: "curricula/alg-1/constant", Source: "Sect. 4.1, second paragraph", Kind: verify.Identity,
			Origin: verify.Stated,
			Place:  "Sect. 4.1, second paragraph: F constant is the DP-SGD of reference [1]",
			Statement: "with a constant F the noise that Algorithm 1 adds to the mean gradient of 600 samples has the " +
				"deviation that the DP-SGD of Abadi et al. 2016 gives it",
			Check: noiseDeviation(curricula.ScalePrinted),
			Control: verify.Control{Check: noiseDeviation(curricula.ScaleMean), Want: checks.Holds,
				Fault: "none: noise on the sum"},
			Corrected: "curricula/alg-1/constant/corrected",
		},
		{
			ID: "curricula/alg-1/constant/corrected", Source: "Alg. 1, add noise, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 1, line \"Add noise\", with the noise on the sum of a batch",
			Statement: "with noise of deviation FC on the sum over a batch, a constant F gives the noise of Abadi et al. 2016",
			Check:     noiseDeviation(curricula.ScaleMean),
			Control: verify.Control{Check: noiseDeviation(curricula.ScalePrinted), Want: checks.Refuted,
				Fault: "noise on the mean"},
		},
		{
			ID: "curricula/alg-2/ties", Source: "Alg. 2, where", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Algorithm 2, line \"where ∀i < j\": the losses increase strictly",
			Statement: "the samples can be ordered so that their losses increase strictly, whatever the data",
			Check:     strictOrder(3, 3),
			Control:   verify.Control{Check: strictOrder(1, 2), Want: checks.Holds, Fault: "none: samples that differ"},
			Corrected: "curricula/alg-2/ties/corrected",
		},
		{
			ID: "curricula/alg-2/ties/corrected", Source: "Alg. 2, where, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Algorithm 2, line \"where ∀i < j\", with ≤ for <",
			Statement: "in the order of Algorithm 2 no sample has a smaller loss than the one before it, ties or not",
			Check:     weakOrder(true),
			Control:   verify.Control{Check: weakOrder(false), Want: checks.Contradictory, Fault: "the order of the data"},
		},
		{
			ID: "curricula/table-3/eps/four-decimals", Source: "Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Reading,
			Place:  "Sect. 4.2, last paragraph (\"equal up to four decimal places\"), of the multipliers as Table 3 rounds them",
			Statement: "the constant multipliers 1.38 and 1.54, as printed, have the ε of the decreasing piecewise and linear " +
				"schedules to four decimals",
			Check:     equalTo(0.5e-4),
			Control:   verify.Control{Check: equalTo(0.05), Want: checks.Holds, Fault: "none: to one decimal"},
			Corrected: "curricula/table-3/eps/corrected",
		},
		{
			ID: "curricula/table-4/same-runs", Source: "Tables 2 and 4", Kind: verify.Consistency,
			Origin: verify.Reading,
			Place:  "Table 4, the three rows \"5-1\", without the curriculum; the shape of each row is not in the text at hand",
			Statement: "the accuracies of Table 4 under multipliers from 5 to 1, without the sample curriculum, are those of " +
				"decreasing schedules in Table 2",
			Check:     sameRuns("5-1 (first)", "5-1 (second)", "5-1 (third)"),
			Control:   verify.Control{Check: sameRuns("5-1 (first)"), Want: checks.Holds, Fault: "none: the first row alone"},
			Corrected: "curricula/table-4/same-runs/corrected",
		},
		{
			ID: "curricula/table-4/same-runs/corrected", Source: "Tables 2 and 4, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Table 4, the first row \"5-1\", without the curriculum",
			Statement: "the accuracy of Table 4 in the first row of multipliers from 5 to 1, without the sample curriculum, " +
				"is that of the decreasing linear schedule in Table 2",
			Check: sameRuns("5-1 (first)"),
			Control: verify.Control{Check: sameRuns("5-1 (second)"), Want: checks.Contradictory,
				Fault: "the second row"},
		},
		{
			ID: "curricula/table-4/monotone", Source: "Tables 3 and 4", Kind: verify.Consistency,
			Origin: verify.Reading,
			Place: "Sect. 6.2, first paragraph: accuracy grows with log ε, read of every run with constant noise of Tables 3 " +
				"and 4, the 1.32 of Table 3 as printed",
			Statement: "under constant noise without the sample curriculum the printed accuracy falls with each larger " +
				"multiplier: 1, 1.32, 1.38, 1.54, 2, 3, 4, 5",
			Check: falling(true),
			Control: verify.Control{Check: falling(false), Want: checks.Holds,
				Fault: "none: the multipliers of Table 4 alone"},
			Corrected: "curricula/table-4/monotone/corrected",
		},
		{
			ID: "curricula/table-4/monotone/corrected", Source: "Table 4", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Sect. 6.2, first paragraph, of the constant multipliers of Table 4 alone",
			Statement: "under constant noise without the sample curriculum the accuracy that Table 4 prints falls with each " +
				"larger multiplier: 1 to 5",
			Check: falling(false),
			Control: verify.Control{Check: falling(true), Want: checks.Contradictory,
				Fault: "with those of Table 3 between them"},
		},
		{
			ID: "curricula/fig-4/proportional", Source: "Fig. 4, caption", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Fig. 4, caption: accuracy \"proportional\" to log ε for multipliers above 1, read " +
				"as in proportion, where Sect. 6.2 has linear; those of Tables 3 and 4, but for the 1.32 of Table 3, which is an ε",
			Statement: "the printed accuracies at the constant multipliers above 1, which are 1.38, 1.54 and 2 to 5, are in " +
				"proportion to log ε, to within a tenth, the ε recomputed as those of Table 2",
			Check: proportional(func(e float64) float64 { return math.Log(e) }),
			Control: verify.Control{Check: proportional(func(e float64) float64 { return 40 + math.Log(e) }), Want: checks.Holds,
				Fault: "none: a straight line that does not pass through 0"},
			Corrected: "curricula/correlation/law",
		},
	}
}

// printedShapes are the decreasing schedules of Table 2 with their ε.
func printedShapes(see func(s curricula.Schedule, epsilon float64)) {
	for i, pair := range shapes {
		see(pair[0], printedEpsilons[i][0])
	}
}

// residual is the δ that remains at the printed ε, where at most so much is claimed.
func residual(claimed float64) verify.Check {
	return formula.Check{
		Quantity: "δ at the printed ε", Sense: verify.AtMost,
		Domain: "the decreasing schedules of Table 2, Poisson sampling at 0.01, 100 steps an epoch, T = 20, to " +
			"within the certified bracket",
		Points: func(add func(formula.Point)) {
			printedShapes(func(s curricula.Schedule, epsilon float64) {
				e := event.Schedule(rate, s.Multipliers(epochs, curricula.FromZero), steps)
				b, err := accounts.Of(fmt.Sprintf("δ at %v of %#v", epsilon, e), func() (accountant.Bracket, error) {
					return accountant.LossDelta(e, event.AddRemove, epsilon, accountant.Precision{Width: 0.02})
				})
				add(formula.Point{Place: formula.Placef("%s, ε = %g", s.Name, epsilon), Measured: b.Estimate, Claimed: claimed,
					Error: bracketError(b), Show: true, Err: err})
			})
		},
	}
}

// tighterThanSum holds the ε by Rényi divergences against share times the sum of those of the steps.
func tighterThanSum(share float64) verify.Check {
	return formula.Check{
		Quantity: "ε at δ = 1e-5", Sense: verify.Below, Contradiction: true,
		Domain: "the decreasing schedules of Table 2, Poisson sampling at 0.01, 100 steps an epoch, T = 20",
		Points: func(add func(formula.Point)) {
			printedShapes(func(s curricula.Schedule, _ float64) {
				m := s.Multipliers(epochs, curricula.FromZero)
				whole, failed := rdp(m)
				sum := 0.0
				for _, f := range m {
					own, err := accountant.LossEpsilon(event.Poisson(rate, event.Gaussian(f)), event.AddRemove,
						delta/(epochs*steps), accountant.Precision{Width: 0.01})
					failed, sum = cmp.Or(failed, err), sum+steps*own.Lower
				}
				add(formula.Point{Place: formula.Placef("%s", s.Name), Measured: whole.Upper, Claimed: share * sum, Show: true,
					Err: failed})
			})
		},
	}
}

// dependence is the share of records that the trained model depends on.
func dependence(update curricula.Update) verify.Check {
	return formula.Check{
		Quantity: "share of records that move θ", Sense: verify.Equals, Contradiction: true,
		Domain: "n = 100, batches of 1 in fixed order, T = 20, loss ⟨θ, x⟩, each record replaced in turn",
		Points: func(add func(formula.Point)) {
			const n = 100
			train := func(changed int) (float64, error) {
				s := curricula.Samples{Y: make([]int, n), K: 1}
				for i := range n {
					s.X = append(s.X, []float64{0.5})
					if i == changed {
						s.X[i][0] = -0.5
					}
				}
				c := curricula.Config{Epochs: epochs, Batch: 1, Rate: 0.15, Clip: 1, Update: update}
				result, err := curricula.Train(context.Background(), rand.New(rand.NewPCG(0, 0)), linear{1}, s, c)
				if err != nil {
					return 0, err
				}
				return result.Theta[0], nil
			}
			untouched, failed := train(-1)
			moved := 0.0
			for i := range n {
				theta, err := train(i)
				if failed = cmp.Or(failed, err); math.Abs(theta-untouched) > 1e-9 {
					moved++
				}
			}
			add(formula.Point{Place: formula.Placef("T = 20"), Measured: moved / n, Claimed: 1, Show: true, Err: failed})
		},
	}
}

// noiseDeviation is the length of the noise of a run over that of Abadi et al. 2016, by the same
// draws.
func noiseDeviation(scale curricula.Scale) verify.Check {
	return formula.Check{
		Quantity: "noise, divided by that of Abadi et al.", Sense: verify.Equals,
		Domain: "batches of 600, multiplier 1, the same draws",
		Proof:  "the noise is the same draw times a constant",
		Points: func(add func(formula.Point)) {
			length := func(scale curricula.Scale) (float64, error) {
				s := curricula.Samples{K: 1}
				for range 600 {
					s.X, s.Y = append(s.X, []float64{0}), append(s.Y, 0)
				}
				g, err := observed(linear{1}, s, curricula.Config{Epochs: 1, Batch: 600, Rate: 0.15, Clip: 1, Scale: scale,
					Clipping: curricula.ClipExample}, &noise{1, rand.New(rand.NewPCG(1, 1))})
				return floats.Norm(g, 2), err
			}
			here, err1 := length(scale)
			there, err2 := length(curricula.ScaleMean)
			add(formula.Point{Place: formula.Placef("b = 600"), Measured: here / there, Claimed: 1, Error: 1e-9, Show: true,
				Err: cmp.Or(err1, err2)})
		},
	}
}

// strictOrder counts the different losses of samples with the given features: a strict order needs as
// many as there are samples.
func strictOrder(features ...float64) verify.Check {
	return formula.Check{
		Quantity: "different losses", Sense: verify.Equals, Contradiction: true,
		Domain: "two samples, softmax regression in two classes",
		Points: func(add func(formula.Point)) {
			losses, failed := lossesOf(features...)
			slices.Sort(losses)
			add(formula.Point{Place: formula.Placef("features %v", features), Measured: float64(len(slices.Compact(losses))),
				Claimed: float64(len(features)), Show: true, Err: failed})
		},
	}
}

// weakOrder holds the losses of three samples, two of them alike, in the order of Algorithm 2 or of the
// data, against each one before.
func weakOrder(sorted bool) verify.Check {
	return formula.Check{
		Quantity: "loss of the later sample", Sense: verify.AtLeast, Contradiction: true,
		Domain: "three samples, two of them alike, softmax regression in two classes",
		Proof:  "any finite list can be sorted",
		Points: func(add func(formula.Point)) {
			losses, failed := lossesOf(1, 3, 1)
			order := []int{0, 1, 2}
			if sorted && failed == nil {
				order = curricula.Order(losses)
			}
			for i := 1; i < len(order) && failed == nil; i++ {
				add(formula.Point{Place: formula.Placef("place %d", i+1), Measured: losses[order[i]], Claimed: losses[order[i-1]],
					Show: true})
			}
			if failed != nil {
				add(formula.Point{Place: formula.Placef("softmax regression"), Err: failed})
			}
		},
	}
}

// lossesOf are those of softmax regression on samples of class 0 with these features.
func lossesOf(features ...float64) ([]float64, error) {
	s := curricula.Samples{K: 2}
	for _, x := range features {
		s.X, s.Y = append(s.X, []float64{x, 0}), append(s.Y, 0)
	}
	m, err := curricula.NewSoftmax(2, 2)
	if err != nil {
		return nil, err
	}
	theta := make([]float64, m.Params())
	theta[0] = 1
	return curricula.Losses(m, theta, s)
}

// equalTo holds the ε of the printed constant multipliers against those of the schedules.
func equalTo(within float64) verify.Check {
	return formula.Check{
		Quantity: "difference in ε", Sense: verify.AtMost, Contradiction: true,
		Domain: poissonWords + "conversion of Canonne, Kamath & Steinke 2020",
		Points: func(add func(formula.Point)) {
			for i, c := range []float64{1.38, 1.54} {
				s := shapes[1+i][0]
				target, err1 := rdp(s.Multipliers(epochs, curricula.FromZero))
				constant, err2 := rdp(curricula.Constant(c).Multipliers(epochs, curricula.FromZero))
				add(formula.Point{Place: formula.Placef("constant %g against %s", c, s.Name),
					Measured: math.Abs(constant.Estimate - target.Estimate), Claimed: within, Error: 1e-7, Show: true,
					Err: cmp.Or(err1, err2)})
			}
		},
	}
}

// sameRuns holds accuracies of Table 4 against the nearest ones of decreasing schedules in Table 2.
func sameRuns(rows ...string) verify.Check {
	return formula.Check{
		Quantity: "accuracy in Table 4", Sense: verify.Equals, Contradiction: true,
		Domain: "the named rows, each beside the nearest accuracy of Table 2",
		Points: func(add func(formula.Point)) {
			for _, row := range rows {
				here, _, failed := paper.CurriculaTable4.Number(row, "without")
				nearest := math.Inf(1)
				for _, r := range paper.CurriculaTable2.Rows {
					there, _, err := paper.CurriculaTable2.Number(r.Name, "decreasing")
					failed = cmp.Or(failed, err)
					if math.Abs(there-here) < math.Abs(nearest-here) {
						nearest = there
					}
				}
				add(formula.Point{Place: formula.Placef("row %s", row), Measured: here, Claimed: nearest, Show: true, Err: failed})
			}
		},
	}
}

// falling pairs the accuracies of neighbouring constant multipliers: those of Table 4, and between
// them those of Table 3.
func falling(between bool) verify.Check {
	cells := table4.Column("without")[1:6]
	if between {
		constants := table3Accuracy.Column("constant") // of 1.38, 1.54 and 1.32, after the first row
		cells = slices.Insert(cells, 1, constants[3], constants[1], constants[2])
	}
	return formula.Order{Quantity: accuracyWords, Sense: verify.Above,
		Pairs: formula.Pairs(cells[:len(cells)-1], cells[1:], 1, validation)}
}

// proportional holds accuracies over that at multiplier 2 against a law of ε over its value there.
func proportional(law func(epsilon float64) float64) verify.Check {
	return formula.Check{
		Quantity: "accuracy over that at multiplier 2", Sense: verify.Equals, Contradiction: true,
		Domain: "constant multipliers 1.38 and 1.54 of Table 3, 3 to 5 of Table 4, without the sample curriculum",
		Points: func(add func(formula.Point)) {
			at := func(c float64) (accuracy, value float64, err error) {
				table, row, column := paper.CurriculaTable4, fmt.Sprint(c), "without"
				if of3, ok := map[float64]string{1.38: "piecewise", 1.54: "linear"}[c]; ok {
					table, row, column = paper.CurriculaTable3, of3, "constant"
				}
				accuracy, _, err1 := table.Number(row, column)
				b, err2 := rdp(curricula.Constant(c).Multipliers(epochs, curricula.FromZero))
				return accuracy, law(b.Estimate), cmp.Or(err1, err2)
			}
			first, value, failed := at(2)
			for _, c := range []float64{1.38, 1.54, 3, 4, 5} {
				a, v, err := at(c)
				add(formula.Point{Place: formula.Placef("multiplier %g", c), Measured: a / first, Claimed: v / value, Error: 0.1,
					Show: true, Err: cmp.Or(failed, err)})
			}
		},
	}
}
