package curricula

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/dpverify/dpverify/algorithms/curricula"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

const accuracyWords = "validation accuracy"

// Tables of accuracies; rows and columns have the paper's names.
var (
	table2Accuracy = formula.Table{Table: paper.CurriculaTable2}
	table3Accuracy = formula.Table{Table: paper.CurriculaTable3}
	table4         = formula.Table{Table: paper.CurriculaTable4}
)

// validation is the size of the validation set (Sect. 3.3).
const validation = 10_000

func pairs(t formula.Table) []formula.Pair {
	return formula.Pairs(t.Column(t.Columns[0]), t.Column(t.Columns[1]), 1, validation)
}

// above claims that the first accuracy of each pair is above the second.
func above(p []formula.Pair) verify.Check {
	return formula.Order{Quantity: accuracyWords, Sense: verify.Above, Pairs: p}
}

func significant(sense verify.Sense) verify.Check {
	return formula.Significance{Quantity: accuracyWords, Sense: sense, Pairs: pairs(table2Accuracy),
		Test: formula.SameTestSet}
}

func tableClaims() []verify.Claim {
	harder := checks.Pair(verify.Claim{
		ID: "curricula/hardness", Kind: verify.Identity, Origin: verify.Stated,
		Place: "Sect. 5.1, paragraph after eq. (1): \"a greater magnitude of loss indicates …\"; binary log loss",
		Statement: "under binary logistic regression, a sample with a greater loss is no farther from the decision " +
			"boundary",
		Check:    hardness(-4, ""),
		Formerly: []string{"curricula/hardness/multiclass"},
	}, verify.Claim{
		Place: "Sect. 5.1, paragraph after eq. (1): for samples that are classified correctly",
		Statement: "if binary logistic regression classifies two samples correctly, the one with the greater loss is no " +
			"farther from the decision boundary",
		Check: hardness(0, "the loss is log(1 + e^−m) with m the signed margin, and the distance is m over the length of "+
			"the weights for m ≥ 0"),
	}, "only samples that are classified correctly", "misclassified samples included")
	cell := func(at, text string) formula.Cell { return formula.Cell{Place: at, Text: text} }
	r, p := cell("Sect. 6.2, r", "0.848"), cell("Sect. 6.2, p", "0.016")
	return slices.Concat([]verify.Claim{
		{
			ID: "curricula/table-2/accuracy", Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Table 2, caption: second sentence; Sect. 6.1, first paragraph, first sentence; the runs are single, " +
				"so the randomness of training is not included",
			Statement: "in all four rows of Table 2, the printed accuracy of the decreasing run is significantly above " +
				"the accuracy of the increasing run, given a validation set of 10,000",
			Check:    significant(verify.Above),
			Control:  checks.Faulty(significant(verify.Below), "the opposite order"),
			Formerly: []string{"curricula/table-2/accuracy/corrected"},
		},
		{
			ID: "curricula/table-3/accuracy", Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Sect. 6.1, second paragraph: linear, quadratic and exponential; Table 3, caption (\"usually\")",
			Statement: "in the exponential, the linear and the quadratic row of Table 3, the printed accuracy under the " +
				"noise curriculum is above the accuracy under constant noise",
			Check: above(slices.Delete(pairs(table3Accuracy), 1, 2)),
			Control: verify.Control{Check: above(pairs(table3Accuracy)), Want: checks.Contradictory,
				Fault: "the piecewise row included"},
			Formerly: []string{"curricula/table-3/accuracy/corrected", "curricula/table-3/accuracy/all"},
		},
		{
			ID: "curricula/table-4", Kind: verify.Consistency, Origin: verify.Stated,
			Place:     "Table 4 and Sect. 5.2, last paragraph: \"consistently outperforms\"",
			Statement: "in every row of Table 4 the printed accuracy is higher without the sample curriculum",
			Check:     above(pairs(table4)),
			Control: verify.Control{Check: above(pairs(table3Accuracy)), Want: checks.Contradictory,
				Fault: "Table 3, in which one row has the opposite order"},
			Formerly: []string{"curricula/table-4/chance"},
		},
		{
			ID: "curricula/correlation", Kind: verify.Consistency, Origin: verify.Stated,
			Place:     "Sect. 6.2, first paragraph: the coefficient and its p-value; the number of points is not printed",
			Statement: "a correlation of 0.848 has a two-sided p-value of 0.016 for some number of points",
			Check:     formula.CorrelationP{R: r, P: p},
			Control: verify.Control{Check: formula.CorrelationP{R: r, P: p, N: 9}, Want: checks.Contradictory,
				Fault: "nine points"},
			Formerly: []string{"curricula/correlation/points"},
		},
		{
			ID: "curricula/correlation/law", Kind: verify.Consistency, Origin: verify.Implied,
			Place: "Sect. 6.2, first paragraph, and Fig. 4: on the multipliers 1 to 5 of Table 4",
			Statement: "the printed accuracies at constant multipliers 1 to 5 correlate more with log ε than with ε. The " +
				"accounting of Table 2 gives these ε",
			Check:   logarithmic(math.Log, identity),
			Control: checks.Faulty(logarithmic(identity, math.Log), "ε and log ε interchanged"),
			Formerly: []string{"curricula/fig-4/proportional", "curricula/table-4/monotone",
				"curricula/table-4/monotone/corrected"},
		},
	}, harder)
}

func identity(x float64) float64 { return x }

// logarithmic compares the correlations of the accuracies with two functions of ε over the five constant multipliers.
func logarithmic(better, worse func(float64) float64) verify.Check {
	return formula.Check{
		Quantity: "correlation with accuracy", Sense: verify.Above,
		Domain: "constant multipliers 1 to 5, without the sample curriculum",
		Points: func(add func(formula.Point)) {
			var x, y, accuracies []float64
			var failed error
			for c := 1.0; c <= 5; c++ {
				accuracy, _, err := paper.CurriculaTable4.Number(fmt.Sprint(c), "without")
				failed, accuracies = cmp.Or(failed, err), append(accuracies, accuracy)
				b, err := rdp(curricula.Constant(c).Multipliers(epochs, curricula.FromZero))
				failed = cmp.Or(failed, err)
				x, y = append(x, better(b.Estimate)), append(y, worse(b.Estimate))
			}
			add(formula.Point{
				Place: formula.Placef("five points"), Measured: stat.Correlation(x, accuracies, nil),
				Claimed: stat.Correlation(y, accuracies, nil),
				Error:   1e-6, Show: true, Err: failed,
			})
		},
	}
}

// hardness compares the distances from the boundary for all pairs of samples of class 0 with different losses. The two
// features of a sample are its logits (m, 0) with margins m from smallest to 4. The weights are the identity, so the
// distance is |m|/√2.
func hardness(smallest float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "distance of the sample of greater loss", Sense: verify.AtMost,
		Domain: "pairs of samples of class 0, by their logits", Proof: proof,
		Points: func(add func(formula.Point)) {
			model, err := curricula.NewSoftmax(2, 2)
			if err != nil {
				add(formula.Point{Place: formula.Placef("softmax regression"), Err: err})
				return
			}
			loss := func(m float64) float64 { return model.Loss([]float64{1, 0, 0, 1, 0, 0}, []float64{m, 0}, 0) }
			for a := smallest; a <= 4; a += 0.5 {
				for b := smallest; b <= 4; b += 0.5 {
					if loss(a) > loss(b)*(1+1e-12) {
						add(formula.Point{Place: formula.Placef("logits [%g 0] (loss %.3g) and [%g 0] (loss %.3g)", a, loss(a), b,
							loss(b)), Measured: math.Abs(a) / math.Sqrt2, Claimed: math.Abs(b) / math.Sqrt2})
					}
				}
			}
		},
	}
}
