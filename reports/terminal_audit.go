package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// auditIndent is the column of the text after the verdict or the label of a line, in the terminal form of an audit.
const auditIndent = 16

// audited writes a claim of an audit: the verdict with its figures, and a labelled line for each part of a refutation.
func (t *terminal) audited(r verify.Result) {
	v := t.shown(r)
	sign := t.Paint(format.MarkColor(mark(v)), fmt.Sprintf("%s %-13s", mark(v), v))
	said := strings.TrimPrefix(format.OneLine(r.Claim.ID), r.Claim.Paper+"/") + ": "
	if format.IsWrong(r.Verdict) {
		t.Hanging(sign, auditIndent, said+figuresOf(r)+t.known(r))
		t.refutation(r)
		return
	}
	outcome := outcomeOf(r)
	t.Hanging(sign, auditIndent, said+outcome)
	for _, note := range r.Warnings {
		if note = format.Sentence(note); !strings.HasSuffix(outcome, note) { // else it is the reason
			t.Hanging("  note", auditIndent, note)
		}
	}
	if line := assumedLine(r.Evidence); line != "" {
		t.Hanging("  assuming", auditIndent, line)
	}
	if line := observedLine(r.Evidence); line != "" {
		t.Hanging("  observed", auditIndent, line)
	}
}

// refutation writes where a claim fails, why, and the command that reproduces it, a labelled line each.
func (t *terminal) refutation(r verify.Result) {
	field := func(name, text string) {
		if text != "" {
			t.Hanging("  "+name, auditIndent, text)
		}
	}
	if w := r.Diagnosis; w != nil {
		field("inputs", w.Pair)
		event := w.Event
		if len(w.Outputs) > 0 {
			event += ", for example " + strings.Join(w.Outputs, " or ")
		}
		field("event", event)
		certified := ""
		if r.Lower.Set {
			certified = "; certified " + stated(r.Evidence, atLeast(r.Evidence))
		}
		field("frequencies", w.Frequencies()+certified)
		field("growth", w.GrowthInWords())
		if c := w.LikelyCause; c != nil {
			field("likely cause", c.Words+": "+c.Evidence+"; the verdict does not depend on this cause")
		} else {
			field("likely cause", "not determined")
		}
		for _, note := range r.Warnings {
			field("note", format.Sentence(note))
		}
	} else {
		field("at", r.WorstCase)
		field("why", reason(r))
	}
	field("assuming", assumedLine(r.Evidence))
	field("observed", observedLine(r.Evidence))
	if e, ok := t.Excused[r.Claim.ID]; ok {
		field("exit code", "unchanged: "+e.Reason)
	}
	if line := t.repeat(r.Claim.ID); line != "" {
		t.Line(fmt.Sprintf("  %-*s%s", auditIndent-2, "reproduce",
			format.OneLine(line))) // not wrapped, so that it can be copied
	}
}

// outcomeOf returns the figures of a claim that is not refuted, with the violations that the audit would have
// detected or the samples that it needs.
func outcomeOf(r verify.Result) string {
	switch {
	case !format.IsSupported(r.Verdict) && r.Needed != "":
		return strings.TrimSpace(format.Stopped(figuresOf(r)) + " Needs " + format.Stopped(r.Needed))
	case !format.IsSupported(r.Verdict):
		return strings.TrimSpace(format.Stopped(figuresOf(r)) + " " + format.Sentence(reason(r)))
	case r.Exact || r.Samples == 0:
		return figuresOf(r) + "."
	}
	said := figuresOf(r)
	detected := r.DetectedViolations()
	if detected == "" {
		return said + ". " + format.Sentence(r.Power)
	}
	return said + ". " + format.Sentence(detected) + " Not covered: other inputs, rarer events, events of a kind that " +
		"is not searched, timing."
}

// figuresOf returns the claimed and the measured figure, and the confidence of the interval: "claimed ε ≤ 1; no
// violation found on 1 pair (estimate 0.997, 99.9998 % interval [0.955, 1.052])".
func figuresOf(r verify.Result) string {
	var parts []string
	f := format.Brief(r.Evidence)
	if r.Claimed.Set {
		parts = append(parts, "claimed "+stated(r.Evidence, f.InWords(r.Sense).Claimed))
	}
	if format.IsSupported(r.Verdict) && !r.Exact && r.Samples > 0 {
		found := "no violation found"
		if t := r.Tried; t.Cases > 0 {
			found += " on " + verify.Plural(int(t.Cases), t.Case)
		}
		parts = append(parts, found)
	}
	said := strings.Join(parts, "; ")
	measured := measuredWords(r, f.Measured)
	if by := decidedBy(r); by != "" {
		measured += "; decided by: " + by
	}
	switch {
	case measured == "":
		return said
	case said == "":
		return measured
	}
	return said + " (" + measured + ")"
}

// measuredWords returns "computed 0.98" or "estimate 0.997, 99.9998 % interval [0.955, 1.052]"; "" if there is no
// figure.
func measuredWords(r verify.Result, figures string) string {
	at := strings.IndexAny(figures, "[(")
	switch {
	case !r.Measured.Set && !r.Lower.Set && !r.Upper.Set:
		return ""
	case r.Exact:
		return "computed " + figures
	case at < 0:
		return "estimate " + figures
	}
	interval := strings.TrimSpace(confidencePercent(r) + " interval " + figures[at:])
	if value := strings.TrimSpace(figures[:at]); value != "" {
		return "estimate " + value + ", " + interval
	}
	return interval
}

// lossNames replaces the names of quantities by their symbols.
var lossNames = strings.NewReplacer("privacy loss ε", "ε", "GDP parameter μ", "μ", "zCDP parameter ρ", "ρ")

// stated returns a figure of a claim with its quantity: "ε ≤ 1 at δ = 1e-5".
func stated(e verify.Evidence, figure string) string {
	quantity, _, _ := strings.Cut(format.ShortExponents(format.OneLine(e.Quantity)), "; ")
	name, at, found := strings.Cut(lossNames.Replace(quantity), " at δ")
	if e.Sense == verify.Equals {
		figure = "= " + figure
	}
	said := strings.TrimSpace(name + " " + figure)
	if found {
		said += " at δ" + at
	}
	return said
}

// atLeast returns the lower limit of a claim's figure as the claim's row shows it: "≥ 1.94", or "> 1" if the limit is
// excluded.
func atLeast(e verify.Evidence) string {
	sign := "≥ "
	if format.Excludes(e) {
		sign = "> "
	}
	_, interval, _ := strings.Cut(strings.ReplaceAll(format.Brief(e).Measured, "(", "["), "[")
	lower, _, _ := strings.Cut(interval, ",")
	return sign + lower
}

// confidencePercent returns the confidence of the interval of a sampled claim, rounded down: "99.9998 %". The limits
// of a privacy claim err with the claim's error probability each, the limits of others together.
func confidencePercent(r verify.Result) string {
	err := r.Alpha
	if r.Claim.Kind == verify.Privacy && r.Lower.Set && r.Upper.Set && !math.IsInf(r.Upper.X, 1) {
		err *= 2
	}
	if r.Exact || !(err > 0 && err < 1) {
		return ""
	}
	exponent := math.Floor(math.Log10(err) + 1e-9)
	unit := math.Pow(10, exponent)
	percent := 100 * (1 - math.Ceil(err/unit-1e-6)*unit)
	return strconv.FormatFloat(percent, 'f', max(0, int(-exponent)-2), 64) + " %"
}

// exitCode explains the effect of inconclusive claims on the exit code of an audit.
func (t *terminal) exitCode() {
	open, failed := false, false
	for _, r := range t.Run.Results {
		open = open || r.Verdict == verify.Inconclusive || r.Verdict == verify.NotRun
		_, excused := t.Excused[r.Claim.ID]
		failed = failed || r.Verdict == verify.Error || format.IsWrong(r.Verdict) && !excused
	}
	switch {
	case !open || t.Run.Interrupted:
	case failed:
		t.Wrapped(0, "Inconclusive claims do not change the exit code; with --strict they make it 4 if nothing else fails.")
	case t.Strict:
		t.Wrapped(0, "Inconclusive claims make the exit code 4, because of --strict.")
	default:
		t.Wrapped(0, "Inconclusive claims leave the exit code at 0; with --strict it is 4.")
	}
}
