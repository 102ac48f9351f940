package prestige

import (
	"cmp"

	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// published lists the sizes of data sets on LIBSVM's page for binary classification, the source that Sect. 4.2 names.
// A7A has a training and a test file, SUSY and REAL-SIM have one file each.
var published = []struct {
	set, column string
	count       float64
}{
	{"A7A", "", 32_561}, {"SUSY", "", 5_000_000}, {"REAL-SIM", "", 72_309},
	{"A7A", "Features", 123}, {"SUSY", "Features", 18}, {"A7A", "Training", 16_100},
}

// countClaims returns the claims that compare the counts of Table 2 with the files and with the text on scale.
func countClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/table-2/rows", Kind: verify.Consistency, Origin: verify.Implied,
			Place: "Table 2, rows A7A, SUSY and REAL-SIM: Sect. 4.2, first paragraph, from [52], LIBSVM; for the features " +
				"of REAL-SIM see the errata",
			Statement: "the rows of A7A, SUSY and REAL-SIM in Table 2, training and testing together, are all rows of " +
				"the files that LIBSVM distributes. The 16,100 training rows of A7A are the rows of its first file. The " +
				"features of A7A and SUSY are the features of the files",
			Check:    asPublished(0),
			Control:  checks.Faulty(asPublished(1), "one row and one feature more"),
			Formerly: []string{"prestige/table-2/a7a"},
		},
		{
			ID: "prestige/table-2/scale", Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Sect. 4.2, first paragraph: small-scale A7A, middle-scale MNIST38, large-scale SUSY; Table 2",
			Statement: "in Table 2 the small-scale A7A has fewer rows than the middle-scale MNIST38, and MNIST38 has fewer " +
				"than the large-scale SUSY",
			Check: ordered("", []string{"A7A"}, []string{"MNIST38"}, []string{"SUSY"}),
			Control: verify.Control{Check: ordered("", []string{"A7A"}, []string{"SUSY"}, []string{"MNIST38"}),
				Want: checks.Contradictory, Fault: "SUSY and MNIST38 interchanged"},
		},
		{
			ID: "prestige/table-2/dimensions", Kind: verify.Consistency, Origin: verify.Stated,
			Place:     "Sect. 4.2, Effectiveness of Mini-Batch Trick: point 2), second sentence; Table 2",
			Statement: "in Table 2 REAL-SIM, Cyberbully and Diabetes have more features than A7A, MNIST38 and SUSY",
			Check: ordered("Features", []string{"A7A", "MNIST38", "SUSY"}, []string{"REAL-SIM", "Cyberbully",
				"Diabetes"}),
			Control: verify.Control{Check: ordered("Features", []string{"Diabetes"}, []string{"MNIST38"}),
				Want: checks.Contradictory, Fault: "Diabetes claimed to have fewer than MNIST38"},
		},
	}
}

// tableCount returns the count of a data set in a column of Table 2, or if column is empty all its rows, training and
// testing.
func tableCount(column, set string) (float64, error) {
	if column != "" {
		n, _, err := paper.PrestigeTable2.Number(set, column)
		return n, err
	}
	train, _, err1 := paper.PrestigeTable2.Number(set, "Training")
	test, _, err2 := paper.PrestigeTable2.Number(set, "Testing")
	return train + test, cmp.Or(err1, err2)
}

// asPublished compares the counts of Table 2, increased by more, with the published ones.
func asPublished(more float64) verify.Check {
	return formula.Check{
		Quantity: "rows or features of the files", Sense: verify.Equals, Domain: "Table 2 against the files",
		Points: func(add func(formula.Point)) {
			for _, p := range published {
				n, err := tableCount(p.column, p.set)
				add(formula.Point{Place: formula.Placef("%s, %s", p.set, cmp.Or(p.column, "all rows")), Measured: p.count,
					Claimed: n + more, Show: true, Err: err})
			}
		},
	}
}

// ordered checks that each data set of a group has a smaller count than each one of the next group.
func ordered(column string, groups ...[]string) verify.Check {
	return formula.Check{
		Quantity: cmp.Or(column, "training and testing points"), Sense: verify.Below, Domain: "Table 2",
		Contradiction: true,
		Points: func(add func(formula.Point)) {
			for k := 1; k < len(groups); k++ {
				for _, low := range groups[k-1] {
					for _, high := range groups[k] {
						left, err1 := tableCount(column, low)
						right, err2 := tableCount(column, high)
						add(formula.Point{Place: formula.Placef("%s against %s", low, high), Measured: left, Claimed: right,
							Tie: left == right, Show: true, Err: cmp.Or(err1, err2)})
					}
				}
			}
		},
	}
}
