package article

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"

	"github.com/olekukonko/tablewriter/tw"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/reports/internal/tex"
)

//go:embed page/report.gohtml page/style.css page/search.js
var pageFiles embed.FS

var pageTemplate = template.Must(template.New("report.gohtml").Funcs(template.FuncMap{
	"right": func(c markdown.Column) bool { return c.Align == tw.AlignRight },
	"clean": func(s any) string { return markdown.OneLine(fmt.Sprint(s)) },
	"keep":  kept,
	"shell": shellWords,
	"named": func(*Grid) string { return "" }, // that of a page is its own
	"math":  mathML,
	// The names of facets are the house's own.
	"facet": func(f Facet) template.HTMLAttr {
		return template.HTMLAttr(` data-` + f.Name + `="` + template.HTMLEscapeString(markdown.OneLine(f.Value)) + `"`)
	},
	"shapes": func(c interface{ Markup() string }) template.HTML { return template.HTML(c.Markup()) },
	// An anchor holds nothing that could leave the page.
	"fragment": func(Anchor string) template.URL { return template.URL("#" + Anchor) },
}).ParseFS(pageFiles, "page/report.gohtml"))

// figures that a browser would break: an interval at its comma, an exponent after its
// minus.
var wholeFigures = regexp.MustCompile(`\[[-–0-9.e∞]+, [-–0-9.e∞]+\]|[0-9.]+e-[0-9]+`)

// kept is plain text whose figures stay whole at the end of a line.
func kept(s string) template.HTML {
	text := template.HTMLEscapeString(markdown.Unbroken(s))
	return template.HTML(wholeFigures.ReplaceAllString(text, `<span class="w">$0</span>`))
}

// commandFlag is one of a command, which a browser would break between its hyphens.
var commandFlag = regexp.MustCompile(`(^| )(--?[a-z][a-z-]*)`)

// shellWords is a command whose flags stay whole.
func shellWords(c Command) template.HTML {
	text := template.HTMLEscapeString(markdown.OneLine(string(c)))
	return template.HTML(commandFlag.ReplaceAllString(text, `$1<span class="w">$2</span>`))
}

// mathML is a formula; one that is not understood is shown as it is written.
func mathML(f Formula) template.HTML {
	formula, err := tex.Parse(string(f))
	if err != nil {
		return template.HTML("<p><code>" + template.HTMLEscapeString(string(f)) + "</code></p>")
	}
	return template.HTML(formula.MathML())
}

// HTML writes the article as one page that stands alone: it needs no font or file beside it, follows
// the reader's choice of light or dark, and can be printed. Where claims are folded it has a script
// that searches and filters them; without it they are all there.
func (a Article) HTML(w io.Writer) error {
	sheet, err := pageFiles.ReadFile("page/style.css")
	if err != nil {
		return fmt.Errorf("the style of the page: %w", err)
	}
	names := columnNames{}
	page := struct {
		Title   string
		Style   template.CSS // the house's own, not what a claim says
		Script  template.JS
		Filters []filter
		Body    Section
	}{Title: a.Title, Style: template.CSS(chart.PageStyle() + string(sheet) + names.style(a.Body)), Body: a.Body}
	if folded(a.Body) {
		script, err := pageFiles.ReadFile("page/search.js")
		if err != nil {
			return fmt.Errorf("the script of the page: %w", err)
		}
		page.Filters = filters(a.Body)
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

// folded tells whether anything in a section is.
func folded(s Section) bool {
	return s.Folded || slices.ContainsFunc(s.Blocks, func(b Block) bool {
		inner, ok := b.(Section)
		return ok && folded(inner)
	})
}
