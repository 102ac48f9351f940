package prestige

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// experimentClaims returns the claims about the tables and figures of Sect. 4 and about the text on them, in the
// paper's order.
//
//	experiments.go          the text on Table 3, and the error rates that the privacy budget allows
//	experiments_text.go     Tables 2 and 3 compared with the text on the data, on gains and on standard deviations
//	experiments_counts.go   the counts of Table 2 compared with the files and with the text on scale
//	experiments_figures.go  Fig. 4, Fig. 6 and Table 3 measured on A7A; experiments_data.go has the runs
func experimentClaims() []verify.Claim {
	return slices.Concat(dataClaims(), countClaims(), tableClaims(), textClaims(), figureClaims())
}

func tableClaims() []verify.Claim {
	const losses = "Sect. 4.2, Efficacy of Different Losses: "
	obvious := formula.Significance{Quantity: errorWords, Sense: verify.Below, Test: formula.RepeatedRuns,
		Pairs: formula.Pairs(columnOf("PRESTIGE", "Hinge"), columnOf("DJW", "Hinge"), tableRuns, 0)}
	above := obvious
	above.Sense = verify.Above
	return append([]verify.Claim{
		{
			ID: "prestige/table-3/bold", Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Table 3: its bold entries; Sect. 4.2, Efficacy of Different Losses, fifth and seventh sentence",
			Statement: "in Table 3 the bold entry of each of the twelve lines is the smallest of its four losses. It is " +
				"the Gompertz loss for PRESTIGE on all six data sets and for DJW on REAL-SIM, else the logistic loss",
			Check: smallest([]string{"DJW", "PRESTIGE"}, boldLoss),
			Control: verify.Control{Check: smallest([]string{"PRESTIGE"}, func(_, _ string) string { return "Logistic" }),
				Want: checks.Contradictory, Fault: "the logistic loss as the smallest of each line of PRESTIGE"},
			Formerly: []string{"prestige/table-3/text/gompertz", "prestige/table-3/text/real-sim"},
		},
		{
			ID: "prestige/table-3/text", Kind: verify.Consistency, Origin: verify.Stated,
			Place: losses + "fourth sentence, TER ± SD",
			Statement: "in Table 3 the logistic loss gives DJW a smaller error than the other three losses in more than " +
				"half of the 18 comparisons, and a smaller standard deviation in more than half",
			Check: logisticIsLess("DJW"),
			Control: verify.Control{Check: logisticIsLess("PRESTIGE"), Want: checks.Contradictory,
				Fault: "the rows of PRESTIGE"},
			Formerly: []string{"prestige/table-3/text/chance", "prestige/table-3/text/djw-deviations"},
		},
		{
			ID: "prestige/table-3/text/hinge", Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Sect. 4.2, Robustness of PRESTIGE: second paragraph, first sentence, at the budget of Table 3; " +
				"Effectiveness of Mini-Batch Trick, third observation, at batches of 1",
			Statement: "in Table 3 PRESTIGE with the hinge loss has a smaller error and a smaller standard deviation " +
				"than DJW on all six data sets",
			Check: prestigeIsLess("Hinge"),
			Control: verify.Control{Check: prestigeIsLess("Logistic"), Want: checks.Contradictory,
				Fault: "the logistic loss, with one error and four deviations the other way"},
			Formerly: []string{"prestige/table-3/text/deviations"},
		},
		{
			ID: "prestige/table-3/text/hinge/obvious", Kind: verify.Consistency, Origin: verify.Reading,
			Place: "Sect. 4.2, Robustness of PRESTIGE: second paragraph, first sentence, \"obviously\" read as beyond chance",
			Statement: "in Table 3 the error of PRESTIGE with the hinge loss is significantly below the error of DJW on " +
				"all six data sets, if the printed standard deviations are from 20 independent runs",
			Check:    obvious,
			Control:  checks.Faulty(above, "the opposite order"),
			Formerly: []string{"prestige/table-3/text/hinge/obvious/corrected"},
		},
	}, checks.Pair(verify.Claim{
		ID: "prestige/table-3/budget", Kind: verify.Experiment, Origin: verify.Implied,
		Place: "Table 3: at budget 1; Sect. 4.1, Parameters&Metrics: the total ε × n × T_max",
		Statement: "runs at the total budget as printed, ε·n·T_max = 1, can have the error rates of Table 3 in " +
			"expectation. Setting: T_max = 10, a start symmetric about 0, b = 0. Pinsker's inequality bounds the error " +
			"for every loss and λ, and for test classes of any sizes",
		Check:    attainable(perRun),
		Formerly: []string{"prestige/settings/error", "prestige/table-3/a7a"},
	}, verify.Claim{
		Place: "Table 3: at budget 1, read as ε × T_max of a record",
		Statement: "with ε·T_max = 1 for each record, Pinsker's bound on the minimum expected error is below every " +
			"error rate of Table 3. It excludes none of them, but does not show that they are reached",
		Check: attainable(perRecord),
	}, "ε·T_max = 1 for each record", "the budget divided among all records")...)
}

// boldLoss returns the loss of the bold entry in a line of Table 3.
func boldLoss(set, method string) string {
	if method == "PRESTIGE" || set == "REAL-SIM" {
		return "Gompertz"
	}
	return "Logistic"
}

// smallest compares the entry of a loss in each line of Table 3 with the three others.
func smallest(methods []string, loss func(set, method string) string) verify.Check {
	order := formula.Order{Quantity: errorWords, Sense: verify.Below}
	for _, set := range tableSets {
		for _, method := range methods {
			least := loss(set.Name, method)
			for _, other := range tableLosses {
				if other != least {
					order.Pairs = append(order.Pairs, formula.Pair{Left: cellOf(set.Name, method, least),
						Right: cellOf(set.Name, method, other), Runs: tableRuns})
				}
			}
		}
	}
	return order
}

const errorWords = "testing error rate"

// tableLosses are the losses of Table 3, tableSets the data sets of Table 2.
var (
	tableLosses = paper.PrestigeTable3.Columns
	tableSets   = paper.PrestigeTable2.Rows
)

// table3 is Table 3: testing error rate ± standard deviation over 20 runs, budget 1.
var table3 = formula.Table{Table: paper.PrestigeTable3}

const tableRuns = paper.PrestigeRepeats

func cellOf(set, method, loss string) formula.Cell { return table3.Cell(set+", "+method, loss) }

// columnOf returns the cells of a method with one loss, one per data set.
func columnOf(method, loss string) (cells []formula.Cell) {
	for _, set := range tableSets {
		cells = append(cells, cellOf(set.Name, method, loss))
	}
	return cells
}

// perRun and perRecord return the ε of one update if the budget 1 is for a whole run or for each record.
func perRun(rows float64) float64 { return 1 / (rows * paper.PrestigeEpochs) }
func perRecord(float64) float64   { return 1.0 / paper.PrestigeEpochs }

// attainable compares a lower bound on the expected error under local privacy with each printed rate, taken at the
// upper end of its rounding interval.
func attainable(update func(rows float64) float64) verify.Check {
	return formula.Check{
		Quantity: "least expected error rate", Sense: verify.AtMost,
		Domain: "the 48 cells of Table 3, with the n of Table 2, ε_r : ε_s = 1 : 4 for PRESTIGE; a printed rate counts " +
			"with half a unit of its last place added",
		Proof: "a run on uniform gradients and fair labels errs on half of the rows, and Pinsker's inequality bounds the " +
			"effect of the data on its distribution",
		Points: func(add func(formula.Point)) {
			for _, set := range tableSets {
				rows, _, err0 := paper.PrestigeTable2.Number(set.Name, "Training")
				for _, method := range []string{"DJW", "PRESTIGE"} {
					gradient, label := update(rows), 0.0
					if method == "PRESTIGE" {
						gradient, label = (1-paper.PrestigeLabelShare)*gradient, paper.PrestigeLabelShare*gradient
					}
					least, err := bounds.ErrorLowerBoundLocal(rows*paper.PrestigeEpochs, gradient, label)
					for _, loss := range tableLosses {
						printed, _, _ := strings.Cut(cellOf(set.Name, method, loss).Text, "±")
						value, err2 := strconv.ParseFloat(printed, 64)
						add(formula.Point{Place: formula.Placef("%s, %s, %s loss", set.Name, method, loss),
							Claimed:  value + 0.00005,
							Measured: least, Show: true, Err: cmp.Or(err0, err, err2)})
					}
				}
			}
		},
	}
}
