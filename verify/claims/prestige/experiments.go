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

// experimentClaims returns the claims about the tables and figures of Sect. 4, and about what its text says of them, in
// the paper's order.
//
//	experiments.go          Table 3: its text, and what the privacy budget lets through
//	experiments_text.go     Tables 2 and 3 beside what the text says of the data, of gains and of deviations
//	experiments_counts.go   the counts of Table 2 beside the files and what the text says of scale
//	experiments_gains.go    "obviously" and "marginal" beside Table 3
//	experiments_figures.go  Fig. 4, Fig. 6 and Table 3 measured on A7A; experiments_data.go is the runs
func experimentClaims() []verify.Claim {
	return slices.Concat(dataClaims(), countClaims(), tableClaims(), textClaims(), gainClaims(), figureClaims())
}

func tableClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/table-3/text", Source: "Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.2, Efficacy of Different Losses, fourth sentence",
			Statement: "in Table 3 the error of DJW with the logistic loss is below that with the other losses in most " +
				"of the 18 comparisons",
			Check: formula.Order{Quantity: errorWords, Sense: verify.Below, Pairs: againstLogistic("DJW"), Need: 10},
			Control: verify.Control{Check: formula.Order{Quantity: errorWords, Sense: verify.Above,
				Pairs: againstLogistic("DJW"),
				Need:  10}, Want: checks.Contradictory, Fault: "above for below"},
		},
		{
			ID: "prestige/table-3/text/chance", Source: "Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 4.2, Efficacy of Different Losses, fourth sentence: " +
				"\"outperforms\" read as beyond chance",
			Statement: "in Table 3 the error of DJW with the logistic loss is below that with the other losses beyond " +
				"chance in most of the 18 comparisons, with the deviations of 20 runs",
			Check: formula.Significance{Quantity: errorWords, Sense: verify.Below, Pairs: againstLogistic("DJW"),
				Test: formula.RepeatedRuns, Need: 10},
			Control: verify.Control{Check: formula.Significance{Quantity: errorWords, Sense: verify.Above,
				Pairs: againstLogistic("DJW"), Test: formula.RepeatedRuns, Need: 10}, Want: checks.Refuted,
				Fault: "above for below"},
		},
		{
			ID: "prestige/table-3/text/gompertz", Source: "Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.2, Efficacy of Different Losses, fifth sentence",
			Statement: "in Table 3 the error of PRESTIGE with the Gompertz loss is below that with the logistic loss " +
				"on all six data sets",
			Check: compareErrors(verify.Below, columnOf("PRESTIGE", "Gompertz"), columnOf("PRESTIGE", "Logistic")),
			Control: verify.Control{Check: compareErrors(verify.Below, columnOf("DJW", "Gompertz"), columnOf("DJW", "Logistic")),
				Want: checks.Contradictory, Fault: "DJW, with five data sets the other way"},
		},
		{
			ID: "prestige/table-3/text/real-sim", Source: "Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.2, Efficacy of Different Losses, seventh sentence",
			Statement: "in Table 3 the error of DJW on REAL-SIM with the Gompertz loss is below that with the logistic loss",
			Check:     compareErrors(verify.Below, cellOf("REAL-SIM", "DJW", "Gompertz"), cellOf("REAL-SIM", "DJW", "Logistic")),
			Control: verify.Control{Check: compareErrors(verify.Below, cellOf("A7A", "DJW", "Gompertz"),
				cellOf("A7A", "DJW", "Logistic")), Want: checks.Contradictory, Fault: "A7A, where it is above"},
		},
		{
			ID: "prestige/table-3/text/hinge", Source: "Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.2, Robustness of PRESTIGE, second paragraph, first sentence, " +
				"at the budget of Table 3",
			Statement: "in Table 3, hinge loss, the error of PRESTIGE is below that of DJW on all six data sets",
			Check:     compareErrors(verify.Below, columnOf("PRESTIGE", "Hinge"), columnOf("DJW", "Hinge")),
			Control: verify.Control{Check: compareErrors(verify.Below, columnOf("PRESTIGE", "Logistic"), columnOf("DJW",
				"Logistic")),
				Want: checks.Contradictory, Fault: "the logistic loss, with SUSY the other way"},
		},
		{
			ID: "prestige/table-3/budget", Source: "Table 3, Sect. 4.1", Kind: verify.Experiment,
			Origin: verify.Implied, Place: "Table 3 at budget 1; Sect. 4.1, Parameters&Metrics: the total ε × n × T_max",
			Statement: "runs at the stated total budget ε n T_max = 1, T_max = 10, from a start symmetric about 0, can have " +
				"the error rates of Table 3 in expectation",
			Check: attainable(printedRates, perRun),
			Control: verify.Control{Check: attainable(chanceRates, perRun), Want: checks.Holds,
				Fault: "none: the rates of chance, ½"},
			Corrected: "prestige/table-3/budget/corrected",
		},
		{
			ID: "prestige/table-3/budget/corrected", Source: "Table 3, Sect. 4.1, read as a budget per record",
			Kind:   verify.Experiment,
			Origin: verify.Correction, Place: "Table 3 at budget 1, read as ε × T_max of a record",
			Statement: "no error rate of Table 3 is excluded by the information that ε T_max = 1 a record lets through",
			Check:     attainable(printedRates, perRecord),
			Control: verify.Control{Check: attainable(printedRates, perRun), Want: checks.Refuted,
				Fault: "the budget spread over all records"},
		},
	}
}

const errorWords = "testing error rate"

// losses of Table 3 and sizes of the training sets, Table 2.
var (
	tableLosses = paper.PrestigeTable3.Columns
	tableSets   = paper.PrestigeTable2.Rows
)

// table3 is Table 3: testing error rate ± deviation of 20 runs, budget 1.
var table3 = formula.Table{Table: paper.PrestigeTable3}

const tableRuns = paper.PrestigeRepeats

func cellOf(set, method, loss string) []formula.Cell {
	return []formula.Cell{table3.Cell(set+", "+method, loss)}
}

// columnOf is a method's cells with one loss, a data set each.
func columnOf(method, loss string) (cells []formula.Cell) {
	for _, set := range tableSets {
		cells = append(cells, cellOf(set.Name, method, loss)...)
	}
	return cells
}

// againstLogistic pairs the logistic loss with the three others on each data set.
func againstLogistic(method string) (pairs []formula.Pair) {
	for _, loss := range tableLosses {
		if loss != "Logistic" {
			pairs = append(pairs, formula.Pairs(columnOf(method, "Logistic"), columnOf(method, loss), tableRuns, 0)...)
		}
	}
	return pairs
}

func compareErrors(sense verify.Sense, left, right []formula.Cell) verify.Check {
	return formula.Order{Quantity: errorWords, Sense: sense, Pairs: formula.Pairs(left, right, tableRuns, 0)}
}

// perRun and perRecord are ε of one update at the budget 1, and what it is spread over.
func perRun(rows float64) float64  { return 1 / (rows * paper.PrestigeEpochs) }
func perRecord(float64) float64    { return 1.0 / paper.PrestigeEpochs }
func chanceRates(string) string    { return "0.5000" }
func printedRates(s string) string { return s }

// attainable holds each printed rate, at the upper end of its rounding, against the
// least expected error that local privacy allows.
func attainable(rate func(printed string) string, update func(rows float64) float64) verify.Check {
	return formula.Check{
		Quantity: "least expected error rate", Sense: verify.AtMost,
		Domain: "the 48 cells of Table 3, with the n of Table 2, ε_r : ε_s = 1 : 4 for PRESTIGE; a printed rate counts " +
			"with half a unit of its last place added",
		Proof: "a run on uniform gradients and fair labels errs on half of the rows, and the data move its law by no more " +
			"than Pinsker's inequality allows",
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
						printed, _, _ := strings.Cut(rate(table3.Cell(set.Name+", "+method, loss).Text), "±")
						value, err2 := strconv.ParseFloat(printed, 64)
						add(formula.Point{Place: formula.Placef("%s, %s, %s loss", set.Name, method, loss), Claimed: value + 0.00005,
							Measured: least, Show: true, Err: cmp.Or(err0, err, err2)})
					}
				}
			}
		},
	}
}
