package reports

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// Schemas of the benchmark's outputs.
const (
	PowerSchema       = "dpverify/power/v1"
	CalibrationSchema = "dpverify/calibration/v1"
	StoppingSchema    = "dpverify/sequential/v1"
)

// TableJSON writes the rows of a table with the command that repeats it.
func TableJSON[R any](w io.Writer, schema, command string, rows []R) error {
	return format.WriteJSON(w, struct {
		Schema  string `json:"schema"`
		Command string `json:"command"`
		Rows    []R    `json:"rows"`
	}{schema, command, rows})
}

// Power returns the power table, with the public tools' figures.
func Power(rows []results.PowerRow, repeat string) Sheet {
	s := section{Level: 1, Title: words("Power of the audit")}
	s.Say("The ε certified at 95 % confidence by a black-box audit with n samples of each input of each pair, search " +
		"and certification together: the median of the runs, with the least and the most. " +
		"Reachable is the exact ε over the inputs; the oracle knows the best event of one pair and certifies it " +
		"with all n samples. What is drawn of an input that several pairs have serves all of them. " +
		"The public tools' n is per phase, of which they have up to four.")
	t := &grid{Columns: []format.Column{format.Left("mechanism"), format.Right("n"), format.Right("reachable"),
		format.Right("certified [least, most]"), format.Right("oracle"), format.Right("share"),
		format.Right("seconds"), format.Left("public tools")}}
	for _, r := range rows {
		t.Row(words(mono(r.Mechanism)), words(fmt.Sprintf("%.0e", float64(r.Samples))), fixedDecimals(r.Reachable),
			words(fmt.Sprintf("%.3f [%.3f, %.3f]", r.Certified.X, r.Min.X, r.Max.X)), fixedDecimals(r.Oracle),
			words(fmt.Sprintf("%.0f %%", 100*r.Share())), words(fmt.Sprintf("%.2f", r.Seconds)), words(calibrationNote(r)))
	}
	s.Add(command(repeat), t)
	return Sheet{Body: s}
}

func fixedDecimals(n verify.Number) inline {
	if n.Set && n.X < 1e6 {
		return words(fmt.Sprintf("%.3f", n.X))
	}
	return words(format.Figure(n))
}

// calibrationNote are the public tools' figures at the row's n.
func calibrationNote(r results.PowerRow) string {
	var words string
	for _, f := range results.Public(r.Mechanism) {
		figure := ""
		switch r.Samples {
		case 1e5:
			figure = f.At1e5
		case 1e6:
			figure = f.At1e6
		}
		if figure == "" || figure == "–" {
			continue
		}
		if words != "" {
			words += ", "
		}
		words += f.Tool + " " + figure
	}
	return words
}

// Calibration returns a table for each kind of check.
func Calibration(rows []results.CalibrationRow, repeat string) Sheet {
	s := section{Level: 1, Title: words("Calibration of the checks")}
	s.Say("How often each check of the ledger errs on claims whose truth is known. True claims are true with equality "+
		"where they can be, the worst case of a test; false ones have a known fault. "+
		"What is counted are verdicts: ", label("refuted"), " stands for refuted, contradictory and vacuous, ",
		label("confirmed"), " for holds and consistent. "+
			"Errors are true claims refuted and false ones confirmed. A check that samples may err in a share α of the runs, "+
			"one that computes in none; one that says how large a violation it would have seen may confirm a claim that is "+
			"violated so in 1 %. "+
			"All else is what the check is for, and wanted in 99 % of the runs. Rates have exact 99.9 % intervals; a row is "+
			"calibrated if its interval reaches what is stated.")
	s.Add(command(repeat))
	agree := 0
	for _, r := range rows {
		if r.Calibrated() {
			agree++
		}
	}
	s.Say(fmt.Sprintf("%d of %d rows are calibrated.", agree, len(rows)))
	for len(rows) > 0 {
		n := slices.IndexFunc(rows, func(r results.CalibrationRow) bool { return r.Kind != rows[0].Kind })
		if n < 0 {
			n = len(rows)
		}
		kind := section{Level: 2, Title: words(rows[0].Kind)}
		kind.Say(rows[0].About)
		kind.Add(calibrationTable(rows[:n]))
		s.Add(kind)
		rows = rows[n:]
	}
	return Sheet{Body: s}
}

func calibrationTable(rows []results.CalibrationRow) *grid {
	t := &grid{Columns: []format.Column{format.Left("check"), format.Left("claim"), format.Left("counted"),
		format.Right("runs"), format.Right("rate [interval]"), format.Left("stated"), format.Left("all verdicts"),
		format.Left("calibrated")}}
	for _, r := range rows {
		claim, stated, calibrated := "true", r.Expected, "✓ yes"
		if !r.True {
			claim = "false"
		}
		if r.AtMost && r.Limit > 0 {
			stated = fmt.Sprintf("at most %g", r.Limit)
		}
		if !r.Calibrated() {
			calibrated = "✗ no"
		}
		t.Row(words(r.Name), words(claim), words(string(r.Counted)), words(fmt.Sprintf("%d of %d", r.Count, r.Runs)),
			words(fmt.Sprintf("%.4f [%.4f, %.4f]", r.Rate(), r.Lower.X, r.Upper.X)), words(stated),
			words(stoppingVerdictText(r.Verdicts)), words(calibrated))
	}
	return t
}

// stoppingVerdictText counts verdicts in the order of a report.
func stoppingVerdictText(counts map[verify.Verdict]int64) string {
	var words []string
	for _, v := range verify.Verdicts {
		if n := counts[v]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(words, ", ")
}

// Stopping returns the table of sequential audits.
func Stopping(rows []results.StoppingRow, repeat string) Sheet {
	s := section{Level: 1, Title: words("Samples until a false claim is refuted")}
	s.Say("Samples of each input that an anytime audit of a black box draws, learning included: the median of the " +
		"runs, with the least and the most. The error probability is exact, for any time to stop. The oracle knows both " +
		"densities: its figure is ln(1/α) over the expected growth of the best bet. The best public sequential auditor's " +
		"level is asymptotic; its figures are from its own results, over 1,000 runs.")
	t := &grid{Columns: []format.Column{format.Left("case"), format.Right("median [least, most]"), format.Right("runs"),
		format.Right("oracle"), format.Right("wanted"), format.Right("best known")}}
	whole := func(n verify.Number) string {
		if !n.Set {
			return "–"
		}
		return format.Figure(verify.Num(math.Round(n.X)))
	}
	for _, r := range rows {
		median := fmt.Sprintf("%s [%s, %s]", whole(r.Median), whole(r.Min), whole(r.Max))
		t.Row(words(r.Case), words(median), words(fmt.Sprint(r.Runs)), words(whole(r.Oracle)), words(whole(r.Wanted)),
			words(r.BestKnown))
	}
	s.Add(command(repeat), t)
	return Sheet{Body: s}
}
