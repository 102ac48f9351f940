package prestige

import (
	"cmp"
	"context"

	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// textClaims are what the text says of gains and deviations, beside Table 3.
func textClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/table-3/text/deviations", Source: "Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.2, Effectiveness of Mini-Batch Trick, third observation, at batches of 1 " +
				"and budget 1",
			Statement: "in Table 3, hinge loss, the deviation of PRESTIGE is below that of DJW on all six data sets",
			Check:     deviations("Hinge"),
			Control: verify.Control{Check: deviations("Logistic"), Want: checks.Contradictory,
				Fault: "the logistic loss, four of " +
					"whose deviations are not"},
		},
		{
			ID: "prestige/table-3/text/djw-deviations", Source: "Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.2, Efficacy of Different Losses, fourth sentence: TER ± SD",
			Statement: "in Table 3 the deviation of DJW with the logistic loss is below that with the other losses in most " +
				"of the 18 comparisons",
			Check: logisticDeviations("DJW"),
			Control: verify.Control{Check: logisticDeviations("PRESTIGE"), Want: checks.Contradictory,
				Fault: "PRESTIGE, in whose " +
					"rows it is not"},
		},
		{
			ID: "prestige/table-3/text/advantage", Source: "Figs. 6-7, Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 4.2, Effectiveness of Mini-Batch Trick, point 2), said of Figs. 6 and 7, " +
				"read on the hinge column of Table 3: batches of 1, budget 1",
			Statement: "in Table 3, hinge loss, PRESTIGE gains less over DJW on REAL-SIM, Cyberbully and Diabetes than on " +
				"A7A, MNIST38 and SUSY",
			Check: advantage([]string{"REAL-SIM", "Cyberbully", "Diabetes"}, []string{"A7A", "MNIST38", "SUSY"}),
			Control: verify.Control{Check: advantage(besideRealSim, []string{"REAL-SIM"}), Want: checks.Holds,
				Fault: "none: REAL-SIM has the largest"},
			Corrected: "prestige/table-3/text/advantage/corrected",
		},
		{
			ID: "prestige/table-3/text/advantage/corrected", Source: "Table 3", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Table 3, column Hinge Loss",
			Statement: "in Table 3, hinge loss, PRESTIGE gains more over DJW on REAL-SIM than on any other data set",
			Check:     advantage(besideRealSim, []string{"REAL-SIM"}),
			Control: verify.Control{Check: advantage([]string{"REAL-SIM"}, besideRealSim), Want: checks.Contradictory,
				Fault: "smaller"},
		},
		{
			ID: "prestige/table-3/guessing", Source: "Table 3, row REAL-SIM", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Table 3, row REAL-SIM, first line: DJW; Sect. 4.2, last sentence but one before " +
				"Robustness of PRESTIGE: classes about 1 : 1",
			Statement: "in Table 3 DJW errs on more than half of REAL-SIM's test rows with three of the four losses: " +
				"guessing is better",
			Check:   aboveHalf("REAL-SIM"),
			Control: verify.Control{Check: aboveHalf("A7A"), Want: checks.Refuted, Fault: "A7A"},
		},
	}
}

var besideRealSim = []string{"A7A", "MNIST38", "SUSY", "Cyberbully", "Diabetes"}

// deviations compares the deviations of the two methods with one loss.
func deviations(loss string) verify.Check {
	return formula.Check{
		Quantity: "deviation of 20 runs", Sense: verify.Below, Domain: "the six data sets of Table 3, " + loss + " loss",
		Contradiction: true,
		Points: func(add func(formula.Point)) {
			for _, set := range tableSets {
				_, ours, err1 := paper.PrestigeTable3.Number(set.Name+", PRESTIGE", loss)
				_, theirs, err2 := paper.PrestigeTable3.Number(set.Name+", DJW", loss)
				add(formula.Point{Place: formula.Placef("%s", set.Name), Measured: ours, Claimed: theirs, Tie: ours == theirs,
					Show: true,
					Err:  cmp.Or(err1, err2)})
			}
		},
	}
}

// logisticDeviations counts the comparisons in which the logistic loss has the smaller deviation.
func logisticDeviations(method string) verify.Check {
	return formula.Check{
		Quantity: "comparisons in which the logistic loss deviates less", Sense: verify.Above, Contradiction: true,
		Domain: "three other losses on each of six data sets, " + method,
		Points: func(add func(formula.Point)) {
			below, of := 0.0, 0.0
			var failed error
			for _, set := range tableSets {
				row := set.Name + ", " + method
				_, logistic, err := paper.PrestigeTable3.Number(row, "Logistic")
				failed = cmp.Or(failed, err)
				for _, loss := range tableLosses {
					if loss == "Logistic" {
						continue
					}
					_, other, err := paper.PrestigeTable3.Number(row, loss)
					failed = cmp.Or(failed, err)
					of++
					if logistic < other {
						below++
					}
				}
			}
			add(formula.Point{Place: formula.Placef("%s, of %g comparisons", method, of), Measured: below, Claimed: of / 2,
				Err: failed})
		},
	}
}

// gain is the error of DJW less that of PRESTIGE, hinge loss.
func gain(set string) (float64, error) {
	djw, _, err1 := paper.PrestigeTable3.Number(set+", DJW", "Hinge")
	ours, _, err2 := paper.PrestigeTable3.Number(set+", PRESTIGE", "Hinge")
	return djw - ours, cmp.Or(err1, err2)
}

// advantage holds the gain on each of some data sets below that on each of others.
func advantage(low, high []string) verify.Check {
	return formula.Check{
		Quantity: "error of DJW − error of PRESTIGE", Sense: verify.Below, Contradiction: true,
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

// aboveHalf holds the printed rates of DJW, at the lower end of their rounding, against ½.
func aboveHalf(set string) verify.Check {
	return formula.Check{
		Quantity: "testing error rate", Sense: verify.Above, Domain: "hinge, logistic and ramp loss, DJW, half a unit of " +
			"the last place less",
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

// dataClaims are what Table 2 and the text say of the data.
func dataClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/table-2/mnist38", Source: "Table 2", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Table 2, row MNIST38; MNIST: 60,000 and 10,000 images (LeCun, Cortes & Burges)",
			Statement: "MNIST38 has more rows than MNIST has images of all digits: it is no part of MNIST, and the paper " +
				"does not say what it is a part of",
			Check:   rowsBeyond("MNIST38", 70_000),
			Control: verify.Control{Check: rowsBeyond("A7A", 70_000), Want: checks.Refuted, Fault: "A7A"},
		},
		{
			ID: "prestige/table-2/cyberbully", Source: "Table 2, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.2, paragraph on social networks: 120,000 posts of dimension 4,800; Table " +
				"2, row Cyberbully",
			Statement: "Cyberbully's training and testing points are the 120,000 posts of the text",
			Check:     sumOf("Cyberbully", "120000"),
			Control: verify.Control{Check: sumOf("Diabetes", "120000"), Want: checks.Contradictory,
				Fault: "the rows of Diabetes"},
		},
		{
			ID: "prestige/table-2/a7a", Source: "Table 2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Table 2, row A7A, columns Training pts. and Features",
			Statement: "A7A has 16,100 training points with 123 features",
			Check:     onA7A(sizes("A7A")),
			Control: verify.Control{Check: relationOf(sizes("Diabetes"), sphere), Want: checks.Refuted,
				Fault: "another data set than the table's row"},
		},
		{
			ID: "prestige/table-2/a7a/balance", Source: "Sect. 4.2, Table 2", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 4.2, last sentence but one before Robustness of PRESTIGE: imbalanced data " +
				"sets are rescaled to about 1 : 1, read of A7A as well",
			Statement: "the smaller class of A7A, in the size that Table 2 gives it, is about half of its rows: at least 40 %",
			Check:     onA7A(balance(verify.AtLeast, 0.4)),
			Control: verify.Control{Check: relationOf(balance(verify.AtLeast, 0.4), sphere), Want: checks.Holds,
				Fault: "none: classes of equal size"},
			Corrected: "prestige/table-2/a7a/balance/corrected",
		},
		{
			ID: "prestige/table-2/a7a/balance/corrected", Source: "Sect. 4.2, Table 2, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Table 2, row A7A: the sizes are those of the file as it is distributed",
			Statement: "the smaller class of A7A is less than a quarter of its test rows: a classifier that ignores its " +
				"input errs on no more",
			Check: onA7A(balance(verify.Below, 0.25)),
			Control: verify.Control{Check: relationOf(balance(verify.Below, 0.25), sphere), Want: checks.Refuted,
				Fault: "classes of equal size"},
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

func sumOf(set, total string) verify.Check {
	table := formula.Table{Table: paper.PrestigeTable2, Rounding: formula.AsReported}
	return formula.Formulas{{
		Result:  formula.Cell{Place: "Sect. 4.2", Text: total, Rounding: formula.AsReported},
		Inputs:  []formula.Cell{table.Cell(set, "Training"), table.Cell(set, "Testing")},
		Formula: func(x []float64) float64 { return x[0] + x[1] },
	}}
}

// ofRows is a relation on the rows of a data set.
type ofRows func(d rows) formula.Check

// onA7A evaluates a relation on A7A.
func onA7A(of ofRows) verify.Check { return checks.OnData("a7a", relationOf(of, a7a)) }

func relationOf(of ofRows, source func(verify.Settings) (rows, error)) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		d, err := source(s)
		if err != nil {
			return nil, err
		}
		return of(d), nil
	})
}

func sizes(set string) ofRows {
	return func(d rows) formula.Check {
		return formula.Check{
			Quantity: "a figure of Table 2", Sense: verify.Equals, Domain: "training points and features of the files",
			Points: func(add func(formula.Point)) {
				for _, c := range []struct {
					column string
					found  int
				}{{"Training", d.train.Len()}, {"Features", d.train.Dim()}} {
					claimed, _, err := paper.PrestigeTable2.Number(set, c.column)
					add(formula.Point{Place: formula.Placef("%s", c.column), Measured: float64(c.found), Claimed: claimed, Show: true,
						Err: err})
				}
			},
		}
	}
}

func balance(sense verify.Sense, share float64) ofRows {
	return func(d rows) formula.Check {
		return formula.Check{
			Quantity: "share of the smaller class", Sense: sense, Domain: "the test rows",
			Points: func(add func(formula.Point)) {
				positive := float64(d.test.Positives()) / float64(d.test.Len())
				add(formula.Point{Place: formula.Placef("%d test rows", d.test.Len()), Measured: min(positive, 1-positive),
					Claimed: share})
			},
		}
	}
}
