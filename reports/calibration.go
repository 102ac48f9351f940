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
	GrossSchema       = "dpverify/gross/v1"
	NightsSchema      = "dpverify/nights/v1"
)

// TableJSON writes the rows of a table, with the command that repeats it.
func TableJSON[R any](w io.Writer, schema, command string, rows []R) error {
	return format.WriteJSON(w, struct {
		Schema  string `json:"schema"`
		Command string `json:"command"`
		Rows    []R    `json:"rows"`
	}{schema, command, rows})
}

// Power returns the power table, with the figures of public tools.
func Power(rows []results.PowerRow, repeat string) Sheet {
	s := section{Level: 1, Title: words("Power of the audit")}
	s.Say("Certified is the ε that a black-box audit certifies at 95 % confidence with n samples of each input of each " +
		"pair, search and certification together: the median of the runs, with minimum and maximum. Reachable is the " +
		"exact ε over the inputs. The oracle knows the best event of one pair and certifies it with all n samples. Pairs " +
		"share the samples of a common input. The n of the public tools is per phase, and they have up to four phases.")
	t := &grid{Columns: []format.Column{format.Left("mechanism"), format.Right("n"), format.Right("reachable"),
		format.Right("certified [min, max]"), format.Right("oracle"), format.Right("share"),
		format.Right("seconds"), format.Left("public tools")}}
	for _, r := range rows {
		t.Row(words(mono(r.Mechanism)), words(fmt.Sprintf("%.0e", float64(r.Samples))), fixedDecimals(r.Reachable),
			words(fmt.Sprintf("%.3f [%.3f, %.3f]", r.Certified.X, r.Min.X, r.Max.X)), fixedDecimals(r.Oracle),
			words(fmt.Sprintf("%.0f %%", 100*r.Share())), words(fmt.Sprintf("%.2f", r.Seconds)), words(publicFigures(r)))
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

// publicFigures returns the public tools' figures at the row's n.
func publicFigures(r results.PowerRow) string {
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

// Calibration returns the pooled rates, then a table for each kind of check. If rows of a kind
// have too few runs, its pooled rates precede its table.
func Calibration(rows []results.CalibrationRow, repeat string) Sheet {
	s := section{Level: 1, Title: words("Calibration of the checks")}
	s.Say("The tables count the verdicts of each check on claims whose truth is known.")
	s.Add(pooledTable(rows))
	agree, few := 0, 0
	for _, r := range rows {
		if r.Calibrated() {
			agree++
			if r.TooFewRuns() {
				few++
			}
		}
	}
	s.Say(fmt.Sprintf("%d of %d rows are calibrated.", agree, len(rows)))
	if few > 0 {
		s.Say(fmt.Sprintf("Rows with too few runs for a conclusion of their own: %d. Each is compatible with its limit, "+
			"and the pooled rates add up their runs.", few))
	}
	s.Say("True claims hold with equality if possible, which is the worst case of a test. False claims have a known "+
		"fault. ", label("Refuted"), " includes contradictory and vacuous, ", label("confirmed"),
		" includes holds and consistent. "+
			"A check that samples may refute a true claim in at most a share α of the runs. A check that computes may "+
			"never err. A check that states which violation it would have detected may confirm such a violation in at most "+
			"1 % of the runs. All other rows count right verdicts, which must occur in at least 99 % of the runs.")
	s.Say("Rates have exact 99.9 % intervals. A row is calibrated if its interval reaches the stated rate. It is ",
		label("compatible with the limit"), " if no count of so few runs could show more. A pooled rate adds up the "+
			"runs of its rows.")
	s.Add(command(repeat))
	for len(rows) > 0 {
		n := slices.IndexFunc(rows, func(r results.CalibrationRow) bool { return r.Kind != rows[0].Kind })
		if n < 0 {
			n = len(rows)
		}
		kind := section{Level: 2, Title: words(rows[0].Kind)}
		kind.Say(rows[0].About)
		if slices.ContainsFunc(rows[:n], results.CalibrationRow.TooFewRuns) {
			kind.Add(pooledTable(rows[:n]))
		}
		kind.Add(calibrationTable(rows[:n]))
		s.Add(kind)
		rows = rows[n:]
	}
	return Sheet{Body: s}
}

// pooledTable adds up the rows that count the same verdicts with the same limit. The Clopper–Pearson intervals are
// valid for the mean rate of the runs, whose rates may differ (Hoeffding 1956, Theorem 4).
func pooledTable(rows []results.CalibrationRow) *grid {
	t := &grid{Columns: []format.Column{format.Left("pooled claims"), format.Left("counted"), format.Right("rows"),
		format.Right("runs"), format.Right("rate [interval]"), format.Left("stated")}}
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
		t.Row(claimCell(sum), words(string(sum.Counted)), words(fmt.Sprint(n)), runsCell(sum), rateCell(sum),
			statedCell(sum))
		rows = rest
	}
	return t
}

func claimCell(r results.CalibrationRow) inline {
	if r.True {
		return words("true")
	}
	return words("false")
}

func runsCell(r results.CalibrationRow) inline {
	return words(fmt.Sprintf("%d of %d", r.Count, r.Runs))
}

func rateCell(r results.CalibrationRow) inline {
	return words(fmt.Sprintf("%.4f [%.4f, %.4f]", r.Rate(), r.Lower.X, r.Upper.X))
}

func statedCell(r results.CalibrationRow) inline {
	if r.AtMost && r.Limit > 0 {
		return words(fmt.Sprintf("at most %g", r.Limit))
	}
	return words(r.Expected)
}

func calibrationTable(rows []results.CalibrationRow) *grid {
	t := &grid{Columns: []format.Column{format.Left("check"), format.Left("claim"), format.Left("counted"),
		format.Right("runs"), format.Right("rate [interval]"), format.Left("stated"), format.Left("all verdicts"),
		format.Left("calibrated")}}
	for _, r := range rows {
		calibrated := "✓ yes"
		switch {
		case !r.Calibrated():
			calibrated = "✗ no"
		case r.TooFewRuns():
			calibrated = "compatible with the limit"
		}
		t.Row(words(r.Name), claimCell(r), words(string(r.Counted)), runsCell(r), rateCell(r), statedCell(r),
			words(verdictCounts(r.Verdicts)), words(calibrated))
	}
	return t
}

// verdictCounts writes counts of verdicts in the order of a report.
func verdictCounts(counts map[verify.Verdict]int64) string {
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
	s.Say("The table shows the samples of each input that an anytime-valid audit of a black box draws, learning " +
		"included: the median of the runs, with minimum and maximum. The bound on the error probability is valid at any " +
		"stopping time. The oracle knows both densities: its figure is ln(1/α) divided by the expected growth rate of " +
		"the " +
		"best sequential test. The best public sequential auditor has an asymptotic level. Its figures are from its own " +
		"results over 1,000 runs.")
	t := &grid{Columns: []format.Column{format.Left("case"), format.Right("median [min, max]"), format.Right("runs"),
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

// Gross returns the table of gross faults.
func Gross(rows []results.GrossRow, repeat string) Sheet {
	s := section{Level: 1, Title: words("Samples until a gross fault is refuted")}
	s.Say("Each mechanism has a gross fault in a rare combination and claims ε = 1. The known event was derived from " +
		"the densities. Its figure is the number of samples of each input at which the test of only this event refutes " +
		"the claim with probability 0.95. The audit's figure is the smallest size on a grid, over all phases, at which at " +
		"least 95 % of the runs of a black-box audit refute the claim. The control is the repaired mechanism, for which " +
		"the claim is true. Its figure is the number of runs that refute it.")
	t := &grid{Columns: []format.Column{format.Left("fault"), format.Left("output"), format.Right("known event"),
		format.Right("audit"), format.Right("ratio"), format.Right("control refuted")}}
	for _, r := range rows {
		audit, ratio := fmt.Sprintf("%.0f", r.Audit.X), r.Ratio()
		more := ""
		if math.IsInf(r.Audit.X, 1) {
			more = "> "
			audit, ratio = fmt.Sprint(r.UpTo), float64(r.UpTo)/float64(r.Known)
		}
		t.Row(words(r.Fault), words(r.Output), words(fmt.Sprint(r.Known)), words(more+audit),
			words(more+fmt.Sprintf("%.1f", ratio)), words(fmt.Sprintf("%d of %d", r.Control, r.Runs)))
	}
	s.Add(command(repeat), t)
	return Sheet{Body: s}
}

// Nights returns the table of nights until a claim is refuted.
func Nights(rows []results.NightsRow, repeat string) Sheet {
	s := section{Level: 1, Title: words("Nights until a false claim is refuted")}
	s.Say("Each project claims ε-DP for Laplace noise and draws 2,000 samples of each input every night. In the " +
		"sound nights the true ε equals the claimed ε. After them it is larger by the factor. The evidence column is the " +
		"median number of nights of the violation until an audit with an evidence file refutes the claim, with minimum and " +
		"maximum over the projects. A refutation before the violation, without a new version, counts as one night. The " +
		"oracle bets on the best event with its whole stake. It needs ln(1/α)/g nights, where g is the growth of the log " +
		"evidence in a night. The bound is (ln(1/α) + ln(1/s))/g, where s is the stake that starts in the first night of " +
		"the violation. Nightly audits with a union bound share α among 200 nights. The last column is the share of " +
		"single audits that refute the claim with as many samples as the median project.")
	t := &grid{Columns: []format.Column{format.Right("claimed ε"), format.Right("factor"), format.Right("sound nights"),
		format.Left("new version"), format.Right("oracle"), format.Right("bound"), format.Right("evidence"),
		format.Right("projects"), format.Right("union bound"), format.Right("one audit")}}
	nights := func(n verify.Number) string {
		switch {
		case !n.Set:
			return "–"
		case math.IsInf(n.X, 1):
			return "never"
		}
		return fmt.Sprintf("%.3g", n.X)
	}
	for _, r := range rows {
		version, single := "no", "–"
		if r.Versioned {
			version = "yes"
		}
		if r.Before == 0 {
			single = fmt.Sprintf("%d of %d", r.Single, r.Runs)
		}
		t.Row(words(fmt.Sprint(r.Claim)), words(fmt.Sprint(r.Factor)), words(fmt.Sprint(r.Before)), words(version),
			words(nights(r.Oracle)), words(nights(r.Bound)),
			words(fmt.Sprintf("%s [%s, %s]", nights(r.Median), nights(r.Min), nights(r.Max))), words(fmt.Sprint(r.Runs)),
			words(nights(r.Union)), words(single))
	}
	s.Add(command(repeat), t)
	return Sheet{Body: s}
}
