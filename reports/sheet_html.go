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
	"named": func(*grid) string { return "" }, // replaced for each page
	// The names of facets are constants of this package.
	"facet": func(f facet) template.HTMLAttr {
		return template.HTMLAttr(` data-` + f.Name + `="` + template.HTMLEscapeString(format.OneLine(f.Value)) + `"`)
	},
	"shapes": func(c interface{ Markup() string }) template.HTML { return template.HTML(c.Markup()) },
	// An anchor contains only harmless characters.
	"fragment": func(Anchor string) template.URL { return template.URL("#" + Anchor) },
}).ParseFS(pageFiles, "page/report.gohtml"))

// wholeFigures matches figures that a browser would break: an interval at its comma, an exponent after its minus.
var wholeFigures = regexp.MustCompile(`\[[-–0-9.e∞]+, [-–0-9.e∞]+\]|[0-9.]+e-[0-9]+`)

// unbrokenFigures returns a plain text whose figures are not broken at the end of a line.
func unbrokenFigures(s string) template.HTML {
	text := template.HTMLEscapeString(format.Unbroken(s))
	return template.HTML(wholeFigures.ReplaceAllString(text, `<span class="w">$0</span>`))
}

// commandFlag matches a flag in a command, which a browser would break at its hyphens.
var commandFlag = regexp.MustCompile(`(^| )(--?[a-z][a-z-]*)`)

// shellWords returns a command whose flags are not broken.
func shellWords(c command) template.HTML {
	text := template.HTMLEscapeString(format.OneLine(string(c)))
	return template.HTML(commandFlag.ReplaceAllString(text, `$1<span class="w">$2</span>`))
}

// HTML writes the sheet as one self-contained page. It needs no font or other file, follows the reader's choice of
// light or dark, and can be printed. If claims are folded, a script searches and filters them. The page is complete
// without the script.
func (a Sheet) HTML(w io.Writer) error {
	sheet, err := pageFiles.ReadFile("page/style.css")
	if err != nil {
		return fmt.Errorf("reading the style sheet: %w", err)
	}
	names := columnNames{}
	page := struct {
		Title   string
		Style   template.CSS // from this module; titles of columns in it are escaped
		Script  template.JS
		Filters []pageFilter
		Body    section
	}{Title: a.Title, Style: template.CSS(chart.PageStyle() + string(sheet) + names.style(a.Body)), Body: a.Body}
	if hasFolded(a.Body) {
		script, err := pageFiles.ReadFile("page/search.js")
		if err != nil {
			return fmt.Errorf("reading the script: %w", err)
		}
		page.Filters = pageFilters(a.Body)
		page.Script = template.JS("//<![CDATA[\n" + string(script) + "//]]>") // the page is also valid XML
	}
	var b bytes.Buffer
	form, err := pageTemplate.Clone()
	if err != nil {
		return fmt.Errorf("rendering the page: %w", err)
	}
	form.Funcs(template.FuncMap{"named": names.class})
	if err := form.Execute(&b, page); err != nil {
		return fmt.Errorf("rendering the page: %w", err)
	}
	_, err = io.WriteString(w, visible.Markup(b.String()))
	return err
}

// hasFolded reports whether a section contains folded sections.
func hasFolded(s section) bool {
	return s.Folded || slices.ContainsFunc(s.Blocks, func(b block) bool {
		inner, ok := b.(section)
		return ok && hasFolded(inner)
	})
}

// pageFilter is a choice that restricts the claims shown on a page.
type pageFilter struct {
	Name   string
	Values []string
}

// pageFilters returns the filters for the claims of a section, with their values in the order of the claims. A
// property that all claims share has no filter.
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

// columnNames maps the column titles of a table to its class. On a narrow page such a table becomes cards, in which
// the style sheet puts each figure's title before it.
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

// class returns the class of a table after a space, "" if its titles are always above it.
func (n columnNames) class(g *grid) string { return n[columnTitles(g)] }

// style returns the rules with the titles of all tables in a section.
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

// cssQuoted escapes a text within quotes in a style sheet: characters that could end it become numbers.
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
