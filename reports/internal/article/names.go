package article

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/markdown"
)

// columnNames are the titles of the tables of a page that become cards on a narrow one, where each figure
// stands beside its title: a class for each list of titles, which are in the style alone.
type columnNames map[string]string

func titles(g *Grid) string {
	if !g.Wide && !g.Long {
		return ""
	}
	var all []string
	for _, c := range g.Columns {
		all = append(all, markdown.OneLine(c.Title))
	}
	return strings.Join(all, "\n")
}

// class of a table, after a blank; "" where its titles stand above it always.
func (n columnNames) class(g *Grid) string { return n[titles(g)] }

// style has the titles of all tables in a section.
func (n columnNames) style(s Section) string {
	var b strings.Builder
	for _, block := range s.Blocks {
		switch block := block.(type) {
		case Section:
			b.WriteString(n.style(block))
		case *Grid:
			all := titles(block)
			if all == "" || n[all] != "" {
				continue
			}
			n[all] = fmt.Sprintf(" names-%d", len(n))
			for i, title := range strings.Split(all, "\n") {
				fmt.Fprintf(&b, ".%s td:nth-child(%d) { --name: \"%s\"; }\n", n[all][1:], i+1, quoted(title))
			}
		}
	}
	return b.String()
}

// quoted is a text within quotes in a style sheet: whatever could end it is written as a number.
func quoted(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < '0' && r != ' ' || r > 'z' && r < 0x80 || strings.ContainsRune(`<>&\`+"`", r) {
			fmt.Fprintf(&b, `\%06x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
