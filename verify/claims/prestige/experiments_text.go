package prestige

import (
	"cmp"
	"context"

	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// textClaims returns observations that compare the text on the advantage of PRESTIGE with Table 3.
func textClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/table-3/text/advantage", Kind: verify.Consistency, Origin: verify.Observation,
			Place: "Table 3, column Hinge Loss: compared with Sect. 4.2, Effectiveness of Mini-Batch Trick, point 2), which " +
				"is about Figs. 6 and 7, whose numbers are not printed",
			Statement: "in Table 3 PRESTIGE gains more over DJW on REAL-SIM than on any other data set: 0.3054 compared " +
				"with 0.0055 to 0.0496. But the text finds the advantage on REAL-SIM in Fig. 6 less significant. Setting: " +
				"hinge loss, budget 1, batches of 1",
			Check:    advantage(otherSets, []string{"REAL-SIM"}),
			Control:  checks.Faulty(advantage([]string{"REAL-SIM"}, otherSets), "the smallest gain on REAL-SIM"),
			Formerly: []string{"prestige/table-3/text/advantage/corrected"},
		},
		{
			ID: "prestige/table-3/guessing", Kind: verify.Consistency, Origin: verify.Observation,
			Place: "Table 3, row REAL-SIM: first line, DJW; Sect. 4.2, last sentence but one before Robustness of " +
				"PRESTIGE: classes about 1 : 1",
			Statement: "in Table 3 DJW misclassifies more than half of the test rows of REAL-SIM, more than random " +
				"guessing, with the hinge, the logistic and the ramp loss",
			Check:   aboveHalf("REAL-SIM"),
			Control: checks.Faulty(aboveHalf("A7A"), "the errors on A7A"),
		},
	}
}

var otherSets = []string{"A7A", "MNIST38", "SUSY", "Cyberbully", "Diabetes"}

// prestigeIsLess compares the errors and the deviations of the two methods with one loss.
func prestigeIsLess(loss string) verify.Check {
	return formula.Check{
		Quantity: "testing error rate, and its standard deviation over 20 runs", Sense: verify.Below, Contradiction: true,
		Domain: "the six data sets of Table 3, " + loss + " loss",
		Points: func(add func(formula.Point)) {
			for _, set := range tableSets {
				ours, spread, err1 := paper.PrestigeTable3.Number(set.Name+", PRESTIGE", loss)
				theirs, theirSpread, err2 := paper.PrestigeTable3.Number(set.Name+", DJW", loss)
				failed := cmp.Or(err1, err2)
				add(formula.Point{Place: formula.Placef("%s, error", set.Name), Measured: ours, Claimed: theirs,
					Tie: ours == theirs, Show: true, Err: failed})
				add(formula.Point{Place: formula.Placef("%s, deviation", set.Name), Measured: spread, Claimed: theirSpread,
					Tie: spread == theirSpread, Show: true, Err: failed})
			}
		},
	}
}

// logisticIsLess counts the comparisons in which the logistic loss has the smaller error, and those in which it has the
// smaller standard deviation.
func logisticIsLess(method string) verify.Check {
	return formula.Check{
		Quantity: "comparisons in which the logistic loss has the smaller value", Sense: verify.Above, Contradiction: true,
		Domain: "three other losses on each of six data sets, " + method,
		Points: func(add func(formula.Point)) {
			errors, deviations, of := 0.0, 0.0, 0.0
			var failed error
			for _, set := range tableSets {
				row := set.Name + ", " + method
				rate, spread, err := paper.PrestigeTable3.Number(row, "Logistic")
				failed = cmp.Or(failed, err)
				for _, loss := range tableLosses {
					if loss == "Logistic" {
						continue
					}
					otherRate, otherSpread, err := paper.PrestigeTable3.Number(row, loss)
					failed = cmp.Or(failed, err)
					of++
					if rate < otherRate {
						errors++
					}
					if spread < otherSpread {
						deviations++
					}
				}
			}
			add(formula.Point{Place: formula.Placef("error, of %g comparisons", of), Measured: errors, Claimed: of / 2,
				Show: true, Err: failed})
			add(formula.Point{Place: formula.Placef("deviation, of %g comparisons", of), Measured: deviations,
				Claimed: of / 2, Show: true, Err: failed})
		},
	}
}

// gain returns the error of DJW minus the error of PRESTIGE, hinge loss.
func gain(set string) (float64, error) {
	djw, _, err1 := paper.PrestigeTable3.Number(set+", DJW", "Hinge")
	ours, _, err2 := paper.PrestigeTable3.Number(set+", PRESTIGE", "Hinge")
	return djw - ours, cmp.Or(err1, err2)
}

// advantage compares the gain on each data set of low with the gain on each data set of high.
func advantage(low, high []string) verify.Check {
	return formula.Check{
		Quantity: "error of DJW − error of PRESTIGE", Sense: verify.Below,
		Domain: "the hinge column of Table 3",
		Points: func(add func(formula.Point)) {
			for _, a := range low {
				for _, b := range high {
					left, err1 := gain(a)
					right, err2 := gain(b)
					add(formula.Point{Place: formula.Placef("%s against %s", a, b), Measured: left, Claimed: right, Show: true,
						Err: cmp.Or(err1, err2)})
				}
			}
		},
	}
}

// aboveHalf compares the printed rates of DJW, at the lower end of their rounding intervals, with 0.5.
func aboveHalf(set string) verify.Check {
	return formula.Check{
		Quantity: "testing error rate", Sense: verify.Above, Domain: "hinge, logistic and ramp loss, DJW, printed rate " +
			"minus half a unit of its last place",
		Points: func(add func(formula.Point)) {
			for _, loss := range []string{"Hinge", "Logistic", "Ramp"} {
				rate, deviation, err := paper.PrestigeTable3.Number(set+", DJW", loss)
				add(formula.Point{Place: formula.Placef("%s, %s loss, deviation %g of 20 runs", set, loss, deviation),
					Measured: rate - 0.00005,
					Claimed:  0.5, Show: true, Err: err})
			}
		},
	}
}

// dataClaims returns observations about the data sets of Table 2.
func dataClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/table-2/mnist38", Kind: verify.Consistency, Origin: verify.Observation,
			Place: "Table 2, row MNIST38: against the 60,000 and 10,000 images of MNIST (LeCun, Cortes & Burges)",
			Statement: "MNIST38 is not a subset of MNIST: it has 547,570 rows in Table 2, and MNIST has 70,000 images " +
				"of all digits. The paper does not say how MNIST38 was made",
			Check:   rowsBeyond("MNIST38", 70_000),
			Control: checks.Faulty(rowsBeyond("A7A", 70_000), "A7A"),
		},
		{
			ID: "prestige/table-2/a7a/balance", Kind: verify.Consistency, Origin: verify.Observation,
			Place: "Table 2, row A7A: its sizes are the sizes of the distributed file; Sect. 4.2, last sentence but one " +
				"before Robustness of PRESTIGE, which rescales imbalanced data sets to about 1 : 1",
			Statement: "Table 2 gives A7A the row counts of the file, so no rows were dropped or repeated to balance " +
				"it. In our copy, one row short, the smaller class is 24.2 % of the test rows. A classifier that ignores " +
				"its input then errs on 24.2 %, compared with 17.3 to 21.8 % in Table 3",
			Check:    onA7A(balance),
			Control:  checks.Faulty(relationOf(balance, sphere), "classes of equal size"),
			Formerly: []string{"prestige/table-2/a7a/balance/corrected"},
		},
	}
}

func rowsBeyond(set string, images float64) verify.Check {
	return formula.Check{
		Quantity: "training and testing points", Sense: verify.Above, Domain: "the row of Table 2",
		Points: func(add func(formula.Point)) {
			train, _, err1 := paper.PrestigeTable2.Number(set, "Training")
			test, _, err2 := paper.PrestigeTable2.Number(set, "Testing")
			add(formula.Point{Place: formula.Placef("%s", set), Measured: train + test, Claimed: images, Err: cmp.Or(err1,
				err2)})
		},
	}
}

// relation builds a check of the rows of a data set.
type relation func(d rows) formula.Check

// onA7A returns the check of a relation on A7A.
func onA7A(build relation) verify.Check { return checks.OnData("a7a", relationOf(build, a7a)) }

func relationOf(build relation, source func(verify.Settings) (rows, error)) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		d, err := source(s)
		if err != nil {
			return nil, err
		}
		return build(d), nil
	})
}

// balance compares the share of the smaller class with 0.25.
func balance(d rows) formula.Check {
	return formula.Check{
		Quantity: "share of the smaller class", Sense: verify.Below, Domain: "the test rows",
		Points: func(add func(formula.Point)) {
			positive := float64(d.test.Positives()) / float64(d.test.Len())
			add(formula.Point{Place: formula.Placef("%d test rows", d.test.Len()), Measured: min(positive, 1-positive),
				Claimed: 0.25})
		},
	}
}
