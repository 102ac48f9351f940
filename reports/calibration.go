package reports

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
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

// rowsJSON writes the rows of a table with the command that repeats it.
func rowsJSON[R any](w io.Writer, schema, command string, rows []R) error {
	return format.WriteJSON(w, struct {
		Schema  string `json:"schema"`
		Command string `json:"command"`
		Rows    []R    `json:"rows"`
	}{schema, command, rows})
}

// PowerJSON writes the power table.
func PowerJSON(w io.Writer, rows []results.PowerRow, command string) error {
	return rowsJSON(w, PowerSchema, command, rows)
}

// PowerMarkdown writes the power table beside the public tools' figures.
func PowerMarkdown(w io.Writer, rows []results.PowerRow, command string) error {
	var p format.Page
	p.Heading(1, "Power of the audit")
	p.Say("The ε certified at 95 %% confidence by a black-box audit with n samples of each input of each pair, search " +
		"and certification together: the median of the runs, with the least and the most. " +
		"Reachable is the exact ε over the inputs; the oracle knows the best event of one pair and certifies it " +
		"with all n samples. What is drawn of an input that several pairs have serves all of them. " +
		"The public tools' n is per phase, of which they have up to four.")
	p.Shell(command)
	t := format.NewTable(format.Left("mechanism"), format.Right("n"), format.Right("reachable"),
		format.Right("certified [least, most]"), format.Right("oracle"), format.Right("share"),
		format.Right("seconds"), format.Left("public tools"))
	for _, r := range rows {
		t.Row(format.Code(r.Mechanism), format.Text(fmt.Sprintf("%.0e", float64(r.Samples))), fixedDecimals(r.Reachable),
			format.Text(fmt.Sprintf("%.3f [%.3f, %.3f]", r.Certified.X, r.Min.X, r.Max.X)), fixedDecimals(r.Oracle),
			format.Text(fmt.Sprintf("%.0f %%", 100*r.Share())), format.Text(fmt.Sprintf("%.2f", r.Seconds)),
			format.Plain(calibrationNote(r)))
	}
	if err := p.Table(t); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.String())
	return err
}

func fixedDecimals(n verify.Number) format.Text {
	if n.Set && n.X < 1e6 {
		return format.Text(fmt.Sprintf("%.3f", n.X))
	}
	return format.Text(format.Figure(n))
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

// CalibrationJSON writes the calibration table.
func CalibrationJSON(w io.Writer, rows []results.CalibrationRow, command string) error {
	return rowsJSON(w, CalibrationSchema, command, rows)
}

// CalibrationMarkdown writes the calibration: the pooled rates, then a table for each kind of check. If rows of a kind
// have too few runs, its pooled rates precede its table.
func CalibrationMarkdown(w io.Writer, rows []results.CalibrationRow, command string) error {
	var p format.Page
	p.Heading(1, "Calibration of the checks")
	p.Say("The tables count the verdicts of each check on claims whose truth is known.")
	if err := p.Table(pooledTable(rows)); err != nil {
		return err
	}
	agree, few := 0, 0
	for _, r := range rows {
		if r.Calibrated() {
			agree++
			if r.TooFewRuns() {
				few++
			}
		}
	}
	p.Say("%d of %d rows are calibrated.", agree, len(rows))
	if few > 0 {
		p.Say("Rows with too few runs to show it alone: %d. Each is compatible with its limit, and the pooled rates add "+
			"them up.", few)
	}
	p.Say("True claims hold with equality if possible, which is the worst case of a test. False claims have a known " +
		"fault. *Refuted* includes contradictory and vacuous, *confirmed* includes holds and consistent. " +
		"A check that samples may refute a true claim in at most a share α of the runs. A check that computes may " +
		"never err. A check that states which violation it would have detected may confirm such a violation in at most " +
		"1 %% of the runs. All other rows count right verdicts, which must occur in at least 99 %% of the runs.")
	p.Say("Rates have exact 99.9 %% intervals. A row is calibrated if its interval reaches the stated rate. It is " +
		"*compatible with the limit* if no count of so few runs could show more. A pooled rate adds up the runs of its rows.")
	p.Shell(command)
	for len(rows) > 0 {
		n := slices.IndexFunc(rows, func(r results.CalibrationRow) bool { return r.Kind != rows[0].Kind })
		if n < 0 {
			n = len(rows)
		}
		p.Heading(2, format.Plain(rows[0].Kind))
		p.Say("%s", format.Plain(rows[0].About))
		if slices.ContainsFunc(rows[:n], results.CalibrationRow.TooFewRuns) {
			if err := p.Table(pooledTable(rows[:n])); err != nil {
				return err
			}
		}
		if err := p.Table(calibrationTable(rows[:n])); err != nil {
			return err
		}
		rows = rows[n:]
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// pooledTable adds up the rows that count the same verdicts with the same limit. Its Clopper–Pearson intervals hold for
// the mean rate of the runs, which may differ from row to row (Hoeffding 1956, Theorem 4).
func pooledTable(rows []results.CalibrationRow) *format.Table {
	t := format.NewTable(format.Left("pooled claims"), format.Left("counted"), format.Right("rows"),
		format.Right("runs"), format.Right("rate [interval]"), format.Left("stated"))
	for len(rows) > 0 {
		sum := rows[0]
		same := func(r results.CalibrationRow) bool {
			return r.True == sum.True && r.Counted == sum.Counted && r.AtMost == sum.AtMost && r.Limit == sum.Limit
		}
		var rest []results.CalibrationRow
		n := 1
		for _, r := range rows[1:] {
			if !same(r) {
				rest = append(rest, r)
				continue
			}
			n++
			sum.Count += r.Count
			sum.Runs += r.Runs
		}
		lower, upper, err := confidence.ClopperPearson(sum.Count, sum.Runs, results.IntervalError)
		if err != nil {
			panic(err) // counts are at most runs
		}
		sum.Lower, sum.Upper = verify.Num(lower), verify.Num(upper)
		t.Row(claimCell(sum), format.Text(sum.Counted), format.Text(fmt.Sprint(n)), runsCell(sum), rateCell(sum),
			statedCell(sum))
		rows = rest
	}
	return t
}

func claimCell(r results.CalibrationRow) format.Text {
	if r.True {
		return "true"
	}
	return "false"
}

func runsCell(r results.CalibrationRow) format.Text {
	return format.Text(fmt.Sprintf("%d of %d", r.Count, r.Runs))
}

func rateCell(r results.CalibrationRow) format.Text {
	return format.Text(fmt.Sprintf("%.4f [%.4f, %.4f]", r.Rate(), r.Lower.X, r.Upper.X))
}

func statedCell(r results.CalibrationRow) format.Text {
	if r.AtMost && r.Limit > 0 {
		return format.Text(fmt.Sprintf("at most %g", r.Limit))
	}
	return format.Plain(r.Expected)
}

func calibrationTable(rows []results.CalibrationRow) *format.Table {
	t := format.NewTable(format.Left("check"), format.Left("claim"), format.Left("counted"),
		format.Right("runs"), format.Right("rate [interval]"), format.Left("stated"), format.Left("all verdicts"),
		format.Left("calibrated"))
	for _, r := range rows {
		calibrated := "✓ yes"
		switch {
		case !r.Calibrated():
			calibrated = "✗ no"
		case r.TooFewRuns():
			calibrated = "compatible with the limit"
		}
		t.Row(format.Plain(r.Name), claimCell(r), format.Text(r.Counted), runsCell(r), rateCell(r), statedCell(r),
			format.Plain(stoppingVerdictText(r.Verdicts)), format.Text(calibrated))
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

// StoppingJSON writes the table of sequential audits.
func StoppingJSON(w io.Writer, rows []results.StoppingRow, command string) error {
	return rowsJSON(w, StoppingSchema, command, rows)
}

// StoppingMarkdown writes the table of sequential audits.
func StoppingMarkdown(w io.Writer, rows []results.StoppingRow, command string) error {
	var p format.Page
	p.Heading(1, "Samples until a false claim is refuted")
	p.Say("Samples of each input that an anytime audit of a black box draws, learning included: the median of the " +
		"runs, with the least and the most. The error probability is exact, for any time to stop. The oracle knows both " +
		"densities: its figure is ln(1/α) over the expected growth of the best bet. The best public sequential auditor's " +
		"level is asymptotic; its figures are from its own results, over 1,000 runs.")
	p.Shell(command)
	t := format.NewTable(format.Left("case"), format.Right("median [least, most]"), format.Right("runs"),
		format.Right("oracle"), format.Right("wanted"), format.Right("best known"))
	whole := func(n verify.Number) string {
		if !n.Set {
			return "–"
		}
		return format.Figure(verify.Num(math.Round(n.X)))
	}
	for _, r := range rows {
		median := fmt.Sprintf("%s [%s, %s]", whole(r.Median), whole(r.Min), whole(r.Max))
		t.Row(format.Text(r.Case), format.Text(median), format.Text(fmt.Sprint(r.Runs)),
			format.Text(whole(r.Oracle)), format.Text(whole(r.Wanted)), format.Text(r.BestKnown))
	}
	if err := p.Table(t); err != nil {
		return err
	}
	_, err := io.WriteString(w, p.String())
	return err
}
