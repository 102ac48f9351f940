package prestige

import (
	"cmp"

	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// gainClaims are the words of size in the text, "obviously" and "marginal", beside what Table 3 prints.
func gainClaims() []verify.Claim {
	obvious := formula.Significance{Quantity: errorWords, Sense: verify.Below, Test: formula.RepeatedRuns,
		Pairs: formula.Pairs(columnOf("PRESTIGE", "Hinge"), columnOf("DJW", "Hinge"), tableRuns, 0)}
	turned := obvious
	turned.Sense = verify.Above
	return []verify.Claim{
		{
			ID: "prestige/table-3/text/hinge/obvious", Source: "Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 4.2, Robustness of PRESTIGE, second paragraph, first sentence: " +
				"\"obviously\" " +
				"lower, read of the printed intervals; at the budget of Table 3",
			Statement: "in Table 3, hinge loss, error plus deviation of PRESTIGE is below error less deviation of DJW on all " +
				"six data sets",
			Check: intervalsApart("A7A", "MNIST38", "SUSY", "REAL-SIM", "Cyberbully", "Diabetes"),
			Control: verify.Control{Check: intervalsApart("A7A", "MNIST38", "SUSY", "REAL-SIM", "Diabetes"), Want: checks.Holds,
				Fault: "none: without Cyberbully"},
			Corrected: "prestige/table-3/text/hinge/obvious/corrected",
		},
		{
			ID: "prestige/table-3/text/hinge/obvious/corrected", Source: "Table 3, Sect. 4.2, corrected",
			Kind:   verify.Consistency,
			Origin: verify.Correction, Place: "Sect. 4.2, Robustness of PRESTIGE, second paragraph, first sentence: " +
				"\"obviously\" " +
				"read as beyond chance, with the deviations of 20 runs",
			Statement: "in Table 3, hinge loss, the error of PRESTIGE is below that of DJW beyond chance on all six data sets",
			Check:     obvious,
			Control:   verify.Control{Check: turned, Want: checks.Refuted, Fault: "above for below"},
		},
		{
			ID: "prestige/table-3/text/gompertz/marginal", Source: "Table 3, Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 4.2, Efficacy of Different Losses, fifth sentence: \"marginal\" read " +
				"against the gain that Robustness of PRESTIGE, second paragraph, calls obvious",
			Statement: "in Table 3 the Gompertz loss gains less for PRESTIGE over the logistic loss than PRESTIGE gains over " +
				"DJW with the hinge loss, on each data set",
			Check: marginal("A7A", "MNIST38", "SUSY", "REAL-SIM", "Cyberbully", "Diabetes"),
			Control: verify.Control{Check: marginal("A7A", "MNIST38", "REAL-SIM", "Diabetes"), Want: checks.Holds,
				Fault: "none: without SUSY and Cyberbully"},
			Corrected: "prestige/table-3/text/gompertz/marginal/corrected",
		},
		{
			ID: "prestige/table-3/text/gompertz/marginal/corrected", Source: "Table 3, Sect. 4.2, corrected",
			Kind:   verify.Consistency,
			Origin: verify.Correction, Place: "Table 3, rows of PRESTIGE on SUSY and REAL-SIM",
			Statement: "in Table 3 the Gompertz loss spares PRESTIGE more than a seventh of the errors of the logistic loss " +
				"on SUSY and on REAL-SIM",
			Check:   spared("SUSY", "REAL-SIM"),
			Control: verify.Control{Check: spared("A7A"), Want: checks.Refuted, Fault: "A7A, where it spares 0.3 %"},
		},
	}
}

// halfUnit is half a unit of the last place of a rate in Table 3.
const halfUnit = 0.00005

// intervalsApart compares the ends of TER ± SD of the two methods, hinge loss, each to the side of its rounding that
// favours the claim.
func intervalsApart(sets ...string) verify.Check {
	return formula.Check{
		Quantity: "upper end of PRESTIGE's TER ± SD", Sense: verify.Below, Contradiction: true,
		Domain: "the hinge column of Table 3, against the lower end of DJW's, roundings in favour of the claim",
		Points: func(add func(formula.Point)) {
			for _, set := range sets {
				ours, ourSD, err1 := paper.PrestigeTable3.Number(set+", PRESTIGE", "Hinge")
				theirs, theirSD, err2 := paper.PrestigeTable3.Number(set+", DJW", "Hinge")
				add(formula.Point{Place: formula.Placef("%s", set), Measured: ours + ourSD - 2*halfUnit,
					Claimed: theirs - theirSD + 2*halfUnit, Show: true, Err: cmp.Or(err1, err2)})
			}
		},
	}
}

// smoothGain is the error of PRESTIGE with the logistic loss, and by how much that with the Gompertz loss is less.
func smoothGain(set string) (logistic, gain float64, err error) {
	logistic, _, err1 := paper.PrestigeTable3.Number(set+", PRESTIGE", "Logistic")
	gompertz, _, err2 := paper.PrestigeTable3.Number(set+", PRESTIGE", "Gompertz")
	return logistic, logistic - gompertz, cmp.Or(err1, err2)
}

func marginal(sets ...string) verify.Check {
	return formula.Check{
		Quantity: "error with the logistic loss − with the Gompertz loss, PRESTIGE", Sense: verify.Below, Contradiction: true,
		Domain: "the data sets of Table 3, against error of DJW − error of PRESTIGE with the hinge loss, roundings in " +
			"favour of the claim",
		Points: func(add func(formula.Point)) {
			for _, set := range sets {
				_, ours, err1 := smoothGain(set)
				obvious, err2 := gain(set)
				add(formula.Point{Place: formula.Placef("%s", set), Measured: ours - 2*halfUnit, Claimed: obvious + 2*halfUnit,
					Show: true, Err: cmp.Or(err1, err2)})
			}
		},
	}
}

func spared(sets ...string) verify.Check {
	return formula.Check{
		Quantity: "share of the errors of the logistic loss that the Gompertz loss spares", Sense: verify.Above,
		Domain: "rows of PRESTIGE in Table 3, roundings against the claim",
		Points: func(add func(formula.Point)) {
			for _, set := range sets {
				logistic, ours, err := smoothGain(set)
				add(formula.Point{Place: formula.Placef("%s", set), Measured: (ours - 2*halfUnit) / (logistic + halfUnit),
					Claimed: 1.0 / 7, Show: true, Err: err})
			}
		},
	}
}
