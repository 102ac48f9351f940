package reports

import (
	"fmt"
	"io"
	"strings"

	"github.com/dpverify/dpverify/verify"
)

// Markdown writes a run as a document: how it was made, a summary by verdict,
// one table a paper, what was refuted and why, what was not decided, and how
// each claim was measured.
func Markdown(w io.Writer, d Document) error {
	var p page
	p.preamble(d)
	steps := []func(Document) error{p.summary, p.papers, p.refuted, p.vacuous, p.undecided}
	for _, step := range steps {
		if err := step(d); err != nil {
			return err
		}
	}
	p.methods(d)
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (p *page) preamble(d Document) {
	title := d.Title
	if title == "" {
		title = "dpverify report"
	}
	p.heading(1, text(title))
	o := d.Run.Options
	p.say("Differential-privacy claims, measured beside theory by dpverify %s (%s) with seed %d, error probability α = %s for the whole ledger, and the %s budget.",
		text(d.Version), text(d.Go), o.Seed, plain(o.Alpha), text(string(o.Budget)))
	if d.Run.Interrupted {
		p.say("**This run was interrupted.** It shows the %s finished before that.", plural(len(d.Run.Results), "claim"))
	}
	for _, note := range d.Notes {
		p.say("%s", text(note))
	}
	if d.Command != "" {
		p.say("The same command gives the same report, byte for byte:")
		p.shell(d.Command)
	}
}

func (p *page) summary(d Document) error {
	p.heading(2, "Summary")
	if len(d.Run.Results) == 0 {
		p.say("No claim was judged.")
		return nil
	}
	t := newTable(left("verdict"), right("claims"), left("meaning"))
	for _, c := range count(d.Run.Results) {
		t.row(verdictCell(c.verdict), markdown(whole(int64(c.n))), text(c.verdict.Meaning()))
	}
	t.row("all", markdown(whole(int64(len(d.Run.Results)))), "")
	return p.table(t)
}

func (p *page) papers(d Document) error {
	for _, g := range d.groups() {
		p.heading(2, g.heading())
		p.say("%s", g.about())
		t := newTable(left("claim"), left("where"), right("theory"), right("measured [interval]"), right("ratio"), left("verdict"))
		for _, r := range g.results {
			f := compareWorst(r.Evidence)
			t.row(code(r.Claim.ID), text(r.Claim.Source), markdown(f.Claimed), markdown(f.Measured), markdown(f.Ratio), verdictCell(r.Verdict))
		}
		if err := p.table(t); err != nil {
			return err
		}
	}
	if len(d.Run.Results) > 0 {
		p.say("Figures are those of the worst point of each claim; the last section says what they are figures of. " +
			"An interval misses the true value with probability at most the claim's share of α; a figure without one was computed, not sampled. " +
			"The ratio is the measured value over the claimed one.")
	}
	return nil
}

func (g group) heading() markdown {
	if g.Title == "" {
		return code(g.ID)
	}
	return text(g.Title)
}

// about says who wrote the paper and how its claims fared.
func (g group) about() markdown {
	var parts []string
	for _, c := range count(g.results) {
		parts = append(parts, fmt.Sprintf("%d %s", c.n, c.verdict))
	}
	fared := fmt.Sprintf("%s under %s: %s.", plural(len(g.results), "claim"), code(g.ID+"/"), strings.Join(parts, ", "))
	if g.Authors == "" {
		return markdown(fared)
	}
	if g.Year != 0 {
		return markdown(fmt.Sprintf("%s (%d). %s", text(g.Authors), g.Year, fared))
	}
	return text(g.Authors) + markdown(". "+fared)
}

// methods has one entry a claim: what was claimed, and how it was measured.
func (p *page) methods(d Document) {
	if len(d.Run.Results) == 0 {
		return
	}
	p.heading(2, "What was claimed, and how it was measured")
	entries := make([]markdown, 0, len(d.Run.Results))
	for _, r := range d.Run.Results {
		entries = append(entries, methodNote(r))
	}
	p.items(entries)
}

func methodNote(r verify.Result) markdown {
	parts := []markdown{code(r.Claim.ID) + markdown(" ("+string(r.Claim.Kind)+"): ") + text(sentence(r.Claim.Statement))}
	add := func(label, s string) {
		if s != "" {
			parts = append(parts, markdown("*"+label+"* ")+text(stopped(s)))
		}
	}
	add("Figure:", r.Quantity)
	add("Method:", r.Method)
	add("Power:", r.Power)
	if r.Samples > 0 {
		add("Samples:", fmt.Sprintf("%s of each input, error probability %s", whole(r.Samples), probability(r.Alpha)))
	}
	add("Data:", r.Data)
	for _, warning := range r.Warnings {
		add("Note:", warning)
	}
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(part))
	}
	return markdown(b.String())
}

func verdictCell(v verify.Verdict) markdown { return markdown(v.Symbol() + " " + string(v)) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return whole(int64(n)) + " " + noun + "s"
}
