package curricula

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/dpverify/dpverify/algorithms/curricula"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

const accuracyWords = "validation accuracy"

// The tables of accuracies; rows and columns are named as in the paper.
var (
	table2Accuracy = formula.Table{Table: paper.CurriculaTable2}
	table3Accuracy = formula.Table{Table: paper.CurriculaTable3}
	table4         = formula.Table{Table: paper.CurriculaTable4}
)

// validation is the size of the validation set, Sect. 3.3.
const validation = 10_000

func pairs(t formula.Table) []formula.Pair {
	return formula.Pairs(t.Column(t.Columns[0]), t.Column(t.Columns[1]), 1, validation)
}

func order(t formula.Table, sense verify.Sense, need int) verify.Check {
	return formula.Order{Quantity: accuracyWords, Sense: sense, Pairs: pairs(t), Need: need}
}

func chance(t formula.Table, test formula.Test, sense verify.Sense, need int) verify.Check {
	return formula.Significance{Quantity: accuracyWords, Sense: sense, Pairs: pairs(t), Test: test, Need: need}
}

func tableClaims() []verify.Claim {
	cell := func(at, text string) formula.Cell { return formula.Cell{Place: at, Text: text} }
	r, p := cell("Sect. 6.2, r", "0.848"), cell("Sect. 6.2, p", "0.016")
	return []verify.Claim{
		{
			ID: "curricula/table-2/accuracy", Source: "Table 2, Sects. 4.2 and 6.1", Kind: verify.Consistency,
			Origin: verify.Reading,
			Place: "Table 2, caption, and Sect. 6.1, first paragraph: \"outperforms\" read as beyond the chance of the " +
				"validation set; that of training, of single runs, is not in it",
			Statement: "in all four rows of Table 2 the decreasing run is more accurate than the increasing one beyond the " +
				"chance of a validation set of 10,000",
			Check: chance(table2Accuracy, formula.SameTestSet, verify.Above, 0),
			Control: verify.Control{Check: chance(table2Accuracy, formula.SameTestSet, verify.Below, 0), Want: checks.Refuted,
				Fault: "below for above"},
		},
		{
			ID: "curricula/table-2/accuracy/corrected", Source: "Table 2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Table 2, caption, second sentence; Sect. 6.1, first paragraph, first sentence",
			Statement: "in all four rows of Table 2 the printed accuracy of the decreasing run is above that of the " +
				"increasing one",
			Check: order(table2Accuracy, verify.Above, 0),
			Control: verify.Control{Check: order(table2Accuracy, verify.Below, 0), Want: checks.Contradictory,
				Fault: "below for above"},
		},
		{
			ID: "curricula/table-3/accuracy", Source: "Table 3, caption, Sect. 7", Kind: verify.Consistency,
			Origin: verify.Reading,
			Place: "Table 3, caption, second sentence: \"usually\" read as three of the four rows, \"gains\" as beyond the " +
				"chance of the validation set",
			Statement: "in at least three of the four rows of Table 3 the curriculum is more accurate than constant noise of " +
				"equal ε beyond the chance of a validation set of 10,000",
			Check: chance(table3Accuracy, formula.SameTestSet, verify.Above, 3),
			Control: verify.Control{Check: chance(table2Accuracy, formula.SameTestSet, verify.Above, 3), Want: checks.Holds,
				Fault: "none: Table 2"},
			Corrected: "curricula/table-3/accuracy/corrected",
		},
		{
			ID: "curricula/table-3/accuracy/all", Source: "Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.2, last paragraph: \"outperforms\", without exception",
			Statement: "in every row of Table 3 the printed accuracy under the noise curriculum is above that under constant " +
				"noise",
			Check: order(table3Accuracy, verify.Above, 0),
			Control: verify.Control{Check: order(table3Accuracy, verify.Above, 3), Want: checks.Holds,
				Fault: "none: three of the four rows"},
			Corrected: "curricula/table-3/accuracy/corrected",
		},
		{
			ID: "curricula/table-3/accuracy/corrected", Source: "Table 3", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 6.1, second paragraph: linear, quadratic and exponential; Table 3, caption",
			Statement: "in three of the four rows of Table 3, all but piecewise, the printed accuracy under the noise " +
				"curriculum is above that under constant noise",
			Check: order(table3Accuracy, verify.Above, 3),
			Control: verify.Control{Check: order(table3Accuracy, verify.Above, 4), Want: checks.Contradictory,
				Fault: "all four"},
		},
		{
			ID: "curricula/table-4", Source: "Table 4, Sect. 5.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 5.2, last paragraph: \"consistently outperforms\"",
			Statement: "in every row of Table 4 the printed accuracy is higher without the sample curriculum",
			Check:     order(table4, verify.Above, 0),
			Control: verify.Control{Check: order(table3Accuracy, verify.Above, 0), Want: checks.Contradictory,
				Fault: "Table 3, with one row the other way"},
		},
		{
			ID: "curricula/table-4/chance", Source: "Table 4, Sect. 5.2", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 5.2, last paragraph, the rows taken for a sample of runs",
			Statement: "the nine rows of Table 4, of single runs, show a higher accuracy without the sample curriculum at " +
				"level 0.05 by their signs",
			Check: chance(table4, formula.SignOfRows, verify.Above, 0),
			Control: verify.Control{Check: chance(table2Accuracy, formula.SignOfRows, verify.Above, 0), Want: checks.Refuted,
				Fault: "four rows, too few"},
		},
		{
			ID: "curricula/correlation", Source: "Sect. 6.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 6.2, first paragraph: the coefficient and its p-value; the number of points " +
				"is not printed",
			Statement: "a correlation of 0.848 has a two-sided p-value of 0.016 for some number of points",
			Check:     formula.CorrelationP{R: r, P: p},
			Control: verify.Control{Check: formula.CorrelationP{R: r, P: p, N: 9}, Want: checks.Contradictory,
				Fault: "nine points"},
		},
		{
			ID: "curricula/correlation/points", Source: "Sect. 6.2, Fig. 4", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 6.2, first paragraph, with the noise multipliers above 1 of Tables 3 and 4",
			Statement: "the points of Figure 4 have a correlation of 0.848 between log ε and accuracy",
			Check: checks.Untestable("the points of Figure 4 are not printed: its ε and accuracies stand in no table, and " +
				"the tables hold several choices of seven runs with this correlation"),
		},
		{
			ID: "curricula/correlation/law", Source: "Sect. 6.2, Tables 3 and 4", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Sect. 6.2, first paragraph and Fig. 4, on the multipliers 1 to 5 of Table 4",
			Statement: "the printed accuracies at constant multipliers 1 to 5 correlate more with log ε than with ε, the ε " +
				"recomputed as those of Table 2",
			Check: logarithmic(math.Log, identity),
			Control: verify.Control{Check: logarithmic(identity, math.Log), Want: checks.Refuted,
				Fault: "ε and log ε exchanged"},
		},
		{
			ID: "curricula/hardness", Source: "Sect. 5.1", Kind: verify.Identity,
			Origin: verify.Stated,
			Place:  "Sect. 5.1, paragraph after eq. (1): \"a greater magnitude of loss indicates …\"; binary log loss",
			Statement: "of two samples, the one with the greater loss under binary logistic regression is no farther from " +
				"the decision boundary",
			Check: hardness(binaryPoints(-4), ""),
			Control: verify.Control{Check: hardness(binaryPoints(0), hardnessProof), Want: checks.Holds,
				Fault: "none: samples on the right side"},
			Corrected: "curricula/hardness/corrected",
		},
		{
			ID: "curricula/hardness/multiclass", Source: "Sect. 5.1, eq. (1)", Kind: verify.Identity,
			Origin: verify.Reading, Place: "Sect. 5.1, paragraph after eq. (1), for the loss (1) of several classes",
			Statement: "of two correctly classified samples, the one with the greater loss under logistic regression in three " +
				"classes is no farther from the decision boundary",
			Check: hardness(threeClassPoints(), ""),
			Control: verify.Control{Check: hardness(binaryPoints(0), hardnessProof), Want: checks.Holds,
				Fault: "none: two classes"},
			Corrected: "curricula/hardness/corrected",
		},
		{
			ID: "curricula/hardness/corrected", Source: "Sect. 5.1, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Sect. 5.1, paragraph after eq. (1), for samples that are classified correctly",
			Statement: "of two samples that binary logistic regression classifies correctly, the one with the greater loss is " +
				"no farther from the decision boundary",
			Check: hardness(binaryPoints(0), hardnessProof),
			Control: verify.Control{Check: hardness(binaryPoints(-1), ""), Want: checks.Refuted,
				Fault: "misclassified samples let in"},
		},
	}
}

func identity(x float64) float64 { return x }

// logarithmic compares two correlations over the five constant multipliers.
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

const hardnessProof = "the loss is log(1 + e^−m) with m the signed margin, and the distance is m over the length of " +
	"the weights for m ≥ 0"

// placed is a sample of class 0 by its logits.
type placed []float64

func binaryPoints(least float64) (points []placed) {
	for m := least; m <= 4; m += 0.5 {
		points = append(points, placed{m, 0})
	}
	return points
}

func threeClassPoints() (points []placed) {
	for _, m := range []float64{0.5, 0.9, 1, 2} {
		for _, third := range []float64{-10, -1, 0} {
			points = append(points, placed{m, 0, third})
		}
	}
	return points
}

// hardness compares all pairs of samples whose features are their logits: the weights
// are the identity, and the boundary between two classes lies at (z_y − z_k)/√2.
func hardness(points []placed, proof string) verify.Check {
	return formula.Check{
		Quantity: "distance of the sample of greater loss", Sense: verify.AtMost,
		Domain: "pairs of samples of class 0, by their logits", Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, a := range points {
				for _, b := range points {
					lossA, distanceA, errA := a.place()
					lossB, distanceB, errB := b.place()
					err := cmp.Or(errA, errB)
					if err == nil && !(lossA > lossB*(1+1e-12)) {
						continue
					}
					add(formula.Point{Place: formula.Placef("logits %v (loss %.3g) and %v (loss %.3g)", []float64(a), lossA,
						[]float64(b),
						lossB), Measured: distanceA, Claimed: distanceB, Err: err})
				}
			}
		},
	}
}

func (p placed) place() (loss, distance float64, err error) {
	m, err := curricula.NewSoftmax(len(p), len(p))
	if err != nil {
		return 0, 0, err
	}
	theta := make([]float64, m.Params())
	for k := range p {
		theta[k*len(p)+k] = 1
	}
	margin := math.Inf(1)
	for _, z := range p[1:] {
		margin = math.Min(margin, p[0]-z)
	}
	return m.Loss(theta, p, 0), math.Abs(margin) / math.Sqrt2, nil
}
