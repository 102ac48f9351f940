package reports

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/tw"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
)

//go:embed page/report.gohtml page/style.css page/search.js
var pageFiles embed.FS

var pageTemplate = template.Must(template.New("report.gohtml").Funcs(template.FuncMap{
	"right": func(c format.Column) bool { return c.Align == tw.AlignRight },
	"clean": func(s any) string { return format.OneLine(fmt.Sprint(s)) },
	"keep":  unbrokenFigures,
	"shell": shellWords,
	"named": func(*grid) string { return "" }, // that of a page is its own
	// The names of facets are the house's own.
	"facet": func(f facet) template.HTMLAttr {
		return template.HTMLAttr(` data-` + f.Name + `="` + template.HTMLEscapeString(format.OneLine(f.Value)) + `"`)
	},
	"shapes": func(c interface{ Markup() string }) template.HTML { return template.HTML(c.Markup()) },
	// An anchor holds nothing that could leave the page.
	"fragment": func(Anchor string) template.URL { return template.URL("#" + Anchor) },
}).ParseFS(pageFiles, "page/report.gohtml"))

// figures that a browser would break: an interval at its comma, an exponent after its
// minus.
var wholeFigures = regexp.MustCompile(`\[[-–0-9.e∞]+, [-–0-9.e∞]+\]|[0-9.]+e-[0-9]+`)

// unbrokenFigures is plain text whose figures stay whole at the end of a line.
func unbrokenFigures(s string) template.HTML {
	text := template.HTMLEscapeString(format.Unbroken(s))
	return template.HTML(wholeFigures.ReplaceAllString(text, `<span class="w">$0</span>`))
}

// commandFlag is one of a command, which a browser would break between its hyphens.
var commandFlag = regexp.MustCompile(`(^| )(--?[a-z][a-z-]*)`)

// shellWords is a command whose flags stay whole.
func shellWords(c command) template.HTML {
	text := template.HTMLEscapeString(format.OneLine(string(c)))
	return template.HTML(commandFlag.ReplaceAllString(text, `$1<span class="w">$2</span>`))
}

// HTML writes the sheet as one page that stands alone: it needs no font or file beside it, follows
// the reader's choice of light or dark, and can be printed. Where claims are folded it has a script
// that searches and filters them; without it they are all there.
func (a Sheet) HTML(w io.Writer) error {
	sheet, err := pageFiles.ReadFile("page/style.css")
	if err != nil {
		return fmt.Errorf("the style of the page: %w", err)
	}
	names := columnNames{}
	page := struct {
		Title   string
		Style   template.CSS // the house's own, not what a claim says
		Script  template.JS
		Filters []pageFilter
		Body    section
	}{Title: a.Title, Style: template.CSS(chart.PageStyle() + string(sheet) + names.style(a.Body)), Body: a.Body}
	if hasFolded(a.Body) {
		script, err := pageFiles.ReadFile("page/search.js")
		if err != nil {
			return fmt.Errorf("the script of the page: %w", err)
		}
		page.Filters = pageFilters(a.Body)
		page.Script = template.JS("//<![CDATA[\n" + string(script) + "//]]>") // the page is XML, too
	}
	var b bytes.Buffer
	form, err := pageTemplate.Clone()
	if err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	form.Funcs(template.FuncMap{"named": names.class})
	if err := form.Execute(&b, page); err != nil {
		return fmt.Errorf("the page: %w", err)
	}
	_, err = io.WriteString(w, visible.Markup(b.String()))
	return err
}

// hasFolded tells whether anything in a section is.
func hasFolded(s section) bool {
	return s.Folded || slices.ContainsFunc(s.Blocks, func(b block) bool {
		inner, ok := b.(section)
		return ok && hasFolded(inner)
	})
}

// pageFilter is a choice by which a page shows some of its claims alone.
type pageFilter struct {
	Name   string
	Values []string
}

// pageFilters are the choices among the claims of a section, with their values in the order of the claims;
// there is none by what all claims share.
func pageFilters(s section) []pageFilter {
	all := []pageFilter{{Name: "paper"}, {Name: "verdict"}, {Name: "kind"}, {Name: "origin"}}
	collectFilters(s, all)
	return slices.DeleteFunc(all, func(f pageFilter) bool { return len(f.Values) < 2 })
}

func collectFilters(s section, all []pageFilter) {
	if s.Folded && len(s.Facets) > 0 {
		paper, _, _ := strings.Cut(s.Anchor, "/")
		for _, f := range append([]facet{{"paper", paper}, {"verdict", s.Tone}}, s.Facets...) {
			i := slices.IndexFunc(all, func(known pageFilter) bool { return known.Name == f.Name })
			value := format.OneLine(f.Value)
			if i >= 0 && value != "" && !slices.Contains(all[i].Values, value) {
				all[i].Values = append(all[i].Values, value)
			}
		}
	}
	for _, block := range s.Blocks {
		if inner, ok := block.(section); ok {
			collectFilters(inner, all)
		}
	}
}

// columnNames are the titles of the tables of a page that become cards on a narrow one, where each figure
// stands beside its title: a class for each list of titles, which are in the style alone.
type columnNames map[string]string

func columnTitles(g *grid) string {
	if !g.Wide && !g.Long {
		return ""
	}
	var all []string
	for _, c := range g.Columns {
		all = append(all, format.OneLine(c.Title))
	}
	return strings.Join(all, "\n")
}

// class of a table, after a blank; "" where its titles stand above it always.
func (n columnNames) class(g *grid) string { return n[columnTitles(g)] }

// style has the titles of all tables in a section.
func (n columnNames) style(s section) string {
	var b strings.Builder
	for _, block := range s.Blocks {
		switch block := block.(type) {
		case section:
			b.WriteString(n.style(block))
		case *grid:
			all := columnTitles(block)
			if all == "" || n[all] != "" {
				continue
			}
			n[all] = fmt.Sprintf(" names-%d", len(n))
			for i, title := range strings.Split(all, "\n") {
				fmt.Fprintf(&b, ".%s td:nth-child(%d) { --name: \"%s\"; }\n", n[all][1:], i+1, cssQuoted(title))
			}
		}
	}
	return b.String()
}

// cssQuoted is a text within quotes in a style sheet: whatever could end it is written as a number.
func cssQuoted(s string) string {
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
