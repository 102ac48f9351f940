package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/verify"
)

// recheckMarkdown writes the counts, the differences, and the fields that were not checked.
func recheckMarkdown(w io.Writer, r recheckResult) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, recomputed\n\nNo mechanism was run, and no samples were taken.\n\n", r.Report)
	b.WriteString("| Standing | Claims | Meaning |\n| :-- | --: | :-- |\n")
	for _, s := range recheckStandings {
		fmt.Fprintf(&b, "| %s | %d | %s |\n", s, r.Counts[s], s.Meaning())
	}
	r.differences(&b)
	r.methods(&b)
	r.unchecked(&b)
	r.quotes(&b)
	if !r.texts {
		fmt.Fprintf(&b, "\nVersion %s wrote the report. Sentences that this version writes differently are not checked; "+
			"figures are.\n", r.Version)
	}
	_, err := io.WriteString(w, visible.Text(b.String()))
	return err
}

func (r recheckResult) differences(b *strings.Builder) {
	if r.Counts[standingBroken] == 0 && len(r.Whole) == 0 {
		return
	}
	b.WriteString("\n## Differences\n\n| Claim | Field | Stored | Recomputed |\n| :-- | :-- | :-- | :-- |\n")
	row := func(id string, d verify.Difference) {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", tableCell(id), tableCell(d.Field), tableCell(d.Stored),
			tableCell(d.Recomputed))
	}
	for _, d := range r.Whole {
		row("the report", d)
	}
	for _, c := range r.Claims {
		for _, d := range c.Differences {
			row(c.ID, d)
		}
	}
}

// methods counts the claims that were recomputed by each method.
func (r recheckResult) methods(b *strings.Builder) {
	counts := make(map[string]int)
	for _, c := range r.Claims {
		if c.Standing == standingRecomputed {
			counts[c.Method]++
		}
	}
	if len(counts) == 0 {
		return
	}
	b.WriteString("\n## Recomputed\n\n| From the statistics of | Claims |\n| :-- | --: |\n")
	for _, method := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(b, "| %s | %d |\n", tableCell(method), counts[method])
	}
}

// unchecked lists the derived fields that could not be recomputed, with the reason.
func (r recheckResult) unchecked(b *strings.Builder) {
	byReason := make(map[string][]string)
	for _, c := range r.Claims {
		if c.Standing == standingOpen {
			byReason[c.Why] = append(byReason[c.Why], c.ID)
		}
	}
	if len(byReason) == 0 && len(r.Unchecked) == 0 {
		return
	}
	b.WriteString("\n## Not checked\n\n")
	for _, field := range r.Unchecked {
		fmt.Fprintf(b, "- the report: %s\n", field)
	}
	for _, why := range slices.Sorted(maps.Keys(byReason)) {
		fmt.Fprintf(b, "- %s: %s\n", why, strings.Join(byReason[why], ", "))
	}
}

// quotes lists the fields that state the claim, and the fields that a report cannot check.
func (r recheckResult) quotes(b *strings.Builder) {
	inputs, quoted := slices.Clone(r.Inputs), slices.Clone(r.Quoted)
	for _, c := range r.Claims {
		inputs, quoted = append(inputs, c.Inputs...), append(quoted, c.Quoted...)
	}
	write := func(text string, fields []string) {
		slices.Sort(fields)
		if fields = slices.Compact(fields); len(fields) > 0 {
			fmt.Fprintf(b, "\n%s: %s.\n", text, strings.Join(fields, ", "))
		}
	}
	if len(inputs)+len(quoted) > 0 {
		b.WriteString("\n## Quoted\n")
	}
	text := "Not checked without the claims file"
	if r.against != "" {
		text = "Not in the claims file, and not checked"
	}
	write(text, inputs)
	write("Quoted, not checked", quoted)
}

// tableCell escapes a text for a table cell.
func tableCell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ").Replace(s)
}
