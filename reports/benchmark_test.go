package reports

import (
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// exampleCalibration has rows of two kinds: errors within alpha, errors of a check that may never err, a fault that
// is missed too often, false claims that are confirmed, and a row with few runs.
func exampleCalibration() []results.CalibrationRow {
	type counts = map[verify.Verdict]int64
	rows := []results.CalibrationRow{
		{Kind: "laws", Name: "ε | δ", True: true, Counted: results.Refuted, Alpha: 0.05, Runs: 1000, Verdicts: counts{verify.Holds: 1000},
			Lower: num(0), Upper: num(0.0076), AtMost: true, Expected: "never"},
		{Kind: "laws", Name: "ε, lowered", Counted: results.Refuted, Alpha: 0.05, Runs: 1000, Refuted: 970, Count: 970,
			Verdicts: counts{verify.Refuted: 900, verify.Contradictory: 70, verify.Holds: 30}, Lower: num(0.9487), Upper: num(0.9845), Limit: 0.99, Expected: "at least 99 %"},
		{Kind: "compare", Name: "equal", True: true, Counted: results.Refuted, Alpha: 0.05, Runs: 1000, Refuted: 48, Count: 48,
			Verdicts: counts{verify.Refuted: 48, verify.Inconclusive: 950, verify.Error: 2}, Lower: num(0.0285), Upper: num(0.0746), AtMost: true, Limit: 0.05, Expected: "at most alpha"},
		{Kind: "compare", Name: "hardly less", Counted: results.Confirmed, Alpha: 0.05, Runs: 1000, Refuted: 2, Count: 90,
			Verdicts: counts{verify.Refuted: 2, verify.Consistent: 90, verify.Inconclusive: 908}, Lower: num(0.063), Upper: num(0.123), AtMost: true, Limit: 0.05, Expected: "at most alpha"},
		{Kind: "compare", Name: "hardly less, few runs", Counted: results.Confirmed, Alpha: 0.05, Runs: 50, Refuted: 49, Count: 1,
			Verdicts: counts{verify.Refuted: 49, verify.Consistent: 1}, Lower: num(0), Upper: num(0.1829), AtMost: true, Limit: 0.05, Expected: "at most alpha"},
	}
	for i := range rows {
		cases, err := calibration.Cases(rows[i].Kind)
		if err != nil {
			panic(err) // cannot happen: the counts are constants
		}
		rows[i].About = cases[0].About
	}
	return rows
}
