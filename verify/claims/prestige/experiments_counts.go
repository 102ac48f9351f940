package prestige

import (
	"cmp"

	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// published are the sizes of data sets as LIBSVM's page of binary classification distributes them, which Sect. 4.2
// names as their source: all rows, and features. Those of A7A are in two files, SUSY's and REAL-SIM's in one.
var published = map[string]struct{ rows, features float64 }{
	"A7A":      {32_561, 123},
	"SUSY":     {5_000_000, 18},
	"REAL-SIM": {72_309, 20_958},
	"MNIST38":  {13_966, 784}, // the digits 3 and 8 of MNIST, of its 70,000 images
}

// countClaims are the counts of Table 2 beside the files, and beside what the text says of scale.
func countClaims() []verify.Claim {
	const firstParagraph = "Sect. 4.2, first paragraph"
	return []verify.Claim{
		{
			ID: "prestige/table-2/rows", Source: "Table 2", Kind: verify.Consistency,
			Origin: verify.Implied,
			Place:  "Table 2, rows A7A, SUSY and REAL-SIM; Sect. 4.2, first paragraph: from [52], LIBSVM",
			Statement: "the training and testing points of A7A, SUSY and REAL-SIM in Table 2 are all rows of the files that " +
				"LIBSVM distributes",
			Check: rowsOf("A7A", "SUSY", "REAL-SIM"),
			Control: verify.Control{Check: rowsOf("MNIST38"), Want: checks.Refuted,
				Fault: "MNIST38, beside the digits 3 and 8 of MNIST"},
		},
		{
			ID: "prestige/table-2/features", Source: "Table 2", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Table 2, column Features, rows A7A, SUSY and REAL-SIM; Sect. 4.2, first " +
				"paragraph: from [52], LIBSVM",
			Statement: "the features of A7A, SUSY and REAL-SIM in Table 2 are those of the files that LIBSVM distributes",
			Check:     featuresOf(asPrinted, "A7A", "SUSY", "REAL-SIM"),
			Control: verify.Control{Check: featuresOf(asPrinted, "A7A", "SUSY"), Want: checks.Holds,
				Fault: "none: without REAL-SIM"},
			Corrected: "prestige/table-2/features/corrected",
		},
		{
			ID: "prestige/table-2/features/corrected", Source: "Table 2, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Table 2, row REAL-SIM: 20,985, whose last two digits change places",
			Statement: "with the last two digits of its 20,985 exchanged, the features of REAL-SIM in Table 2 are those of " +
				"the file that LIBSVM distributes",
			Check:   featuresOf(exchanged, "REAL-SIM"),
			Control: verify.Control{Check: featuresOf(asPrinted, "REAL-SIM"), Want: checks.Refuted, Fault: "as printed"},
		},
		{
			ID: "prestige/table-2/scale", Source: "Table 2, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: firstParagraph + ": small-scale A7A, middle-scale MNIST38, large-scale SUSY",
			Statement: "in Table 2 A7A, called small-scale, has fewer rows than MNIST38, called middle-scale, and this than " +
				"SUSY, called large-scale",
			Check: ordered("training and testing points", "A7A", "MNIST38", "SUSY"),
			Control: verify.Control{Check: ordered("training and testing points", "A7A", "SUSY", "MNIST38"),
				Want:  checks.Contradictory,
				Fault: "SUSY and MNIST38 change places"},
		},
		{
			ID: "prestige/table-2/scale/large", Source: "Table 2, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Implied, Place: firstParagraph + ": small-scale A7A; two large-scale sensitive datasets; Table 2, " +
				"row Diabetes",
			Statement: "in Table 2 Cyberbully and Diabetes, called large-scale, have more rows than A7A, called small-scale",
			Check:     orderedPairs("training and testing points", []string{"A7A"}, []string{"Cyberbully", "Diabetes"}),
			Control: verify.Control{Check: orderedPairs("training and testing points", []string{"A7A"},
				[]string{"Cyberbully", "SUSY"}), Want: checks.Holds, Fault: "none: SUSY in the place of Diabetes"},
			Corrected: "prestige/table-2/scale/large/corrected",
		},
		{
			ID: "prestige/table-2/scale/large/corrected", Source: "Table 2, Sect. 4.2, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Table 2, columns Training and Testing pts.",
			Statement: "in Table 2 Diabetes has fewer rows than any other data set, A7A among them",
			Check: orderedPairs("training and testing points", []string{"Diabetes"},
				[]string{"A7A", "MNIST38", "SUSY", "REAL-SIM", "Cyberbully"}),
			Control: verify.Control{Check: orderedPairs("training and testing points", []string{"Cyberbully"},
				[]string{"A7A", "MNIST38", "SUSY"}), Want: checks.Contradictory, Fault: "Cyberbully in its place"},
		},
		{
			ID: "prestige/table-2/dimensions", Source: "Table 2, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.2, Effectiveness of Mini-Batch Trick, point 2), second sentence",
			Statement: "in Table 2 REAL-SIM, Cyberbully and Diabetes have more features than A7A, MNIST38 and SUSY",
			Check: orderedPairs("Features", []string{"A7A", "MNIST38", "SUSY"},
				[]string{"REAL-SIM", "Cyberbully", "Diabetes"}),
			Control: verify.Control{Check: orderedPairs("Features", []string{"Diabetes"}, []string{"MNIST38"}),
				Want: checks.Contradictory, Fault: "Diabetes said to have fewer than MNIST38"},
		},
	}
}

// tableCount is a figure of Table 2: that of a column, or all points.
func tableCount(column, set string) (float64, error) {
	if column == "Features" {
		n, _, err := paper.PrestigeTable2.Number(set, column)
		return n, err
	}
	train, _, err1 := paper.PrestigeTable2.Number(set, "Training")
	test, _, err2 := paper.PrestigeTable2.Number(set, "Testing")
	return train + test, cmp.Or(err1, err2)
}

func rowsOf(sets ...string) verify.Check {
	return formula.Check{
		Quantity: "training and testing points", Sense: verify.Equals, Domain: "Table 2 against the files' rows",
		Points: func(add func(formula.Point)) {
			for _, set := range sets {
				n, err := tableCount("", set)
				add(formula.Point{Place: formula.Placef("%s", set), Measured: published[set].rows, Claimed: n, Show: true,
					Err: err})
			}
		},
	}
}

func asPrinted(n int) int { return n }

// exchanged are the last two digits.
func exchanged(n int) int { return n - n%100 + n%10*10 + n/10%10 }

func featuresOf(read func(int) int, sets ...string) verify.Check {
	return formula.Check{
		Quantity: "features", Sense: verify.Equals, Domain: "Table 2 against the files' features",
		Points: func(add func(formula.Point)) {
			for _, set := range sets {
				n, err := tableCount("Features", set)
				add(formula.Point{Place: formula.Placef("%s", set), Measured: published[set].features,
					Claimed: float64(read(int(n))),
					Show:    true, Err: err})
			}
		},
	}
}

// ordered holds each data set below the next.
func ordered(column string, sets ...string) verify.Check {
	return formula.Check{
		Quantity: column, Sense: verify.Below, Domain: "Table 2", Contradiction: true,
		Points: func(add func(formula.Point)) {
			for k := 1; k < len(sets); k++ {
				compareCounts(add, column, sets[k-1], sets[k])
			}
		},
	}
}

// orderedPairs holds each of some data sets below each of others.
func orderedPairs(column string, low, high []string) verify.Check {
	return formula.Check{
		Quantity: column, Sense: verify.Below, Domain: "Table 2", Contradiction: true,
		Points: func(add func(formula.Point)) {
			for _, a := range low {
				for _, b := range high {
					compareCounts(add, column, a, b)
				}
			}
		},
	}
}

func compareCounts(add func(formula.Point), column, low, high string) {
	left, err1 := tableCount(column, low)
	right, err2 := tableCount(column, high)
	add(formula.Point{Place: formula.Placef("%s against %s", low, high), Measured: left, Claimed: right,
		Tie:  left == right,
		Show: true, Err: cmp.Or(err1, err2)})
}
