package reports

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/mean"
)

// hostile is text that would break out of a page, a table or a terminal.
const hostile = "a|b\n# heading\n| x | y |\n```\n</style></section><script>alert(1)</script><img src=x onerror=alert(2)> \x1b[31mred [link](http://example.com) *bold* $x$ &lt; \"'><!-- {{.}}"

// spoiled returns the example with hostile text in every text field of the claims.
func spoiled() Document {
	d := example()
	d.Title, d.Notes = hostile, []string{hostile}
	d.Papers[0].Title, d.Papers[0].Authors = hostile, hostile
	for i := range d.Run.Results {
		r := &d.Run.Results[i]
		r.Claim.Statement, r.Claim.Source, r.WorstCase, r.Quantity, r.Method, r.Power = hostile, r.Claim.ID+hostile, hostile, hostile, hostile, hostile
		r.Warnings, r.Data = []string{hostile}, hostile
		spoil(&r.Evidence, hostile)
		for k := range r.Cells {
			r.Cells[k].Label = hostile + strconv.Itoa(k)
		}
		for k := range r.Curves {
			s := &r.Curves[k]
			s.Name, s.Quantity = hostile+strconv.Itoa(k), hostile
			for j := range s.Points {
				if s.Points[j].Label != "" {
					s.Points[j].Label = hostile + strconv.Itoa(j)
				}
			}
		}
	}
	return d
}

// parsed is the content of a page: counts of elements, links and ids, words.
type parsed struct {
	elements map[string]int
	links    []string
	ids      []string
	words    string
}

// parse reads a page as XML, which requires that every element is closed and every attribute quoted.
func parse(t *testing.T, source []byte) parsed {
	t.Helper()
	p := parsed{elements: make(map[string]int)}
	d := xml.NewDecoder(bytes.NewReader(source))
	var b strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			p.elements[token.Name.Local]++
			for _, a := range token.Attr {
				switch name := a.Name.Local; {
				case name == "href":
					p.links = append(p.links, a.Value)
				case name == "id":
					p.ids = append(p.ids, a.Value)
				case name == "src" || name == "style" || strings.HasPrefix(name, "on"):
					t.Errorf("<%s> has an attribute %s", token.Name.Local, name)
				}
			}
		case xml.CharData:
			b.Write(token)
		}
	}
	p.words = b.String()
	return p
}

func htmlOf(t *testing.T, d Document) []byte {
	return render(t, func(b *bytes.Buffer) error { return HTML(b, d) })
}

func TestHTMLIsWellFormed(t *testing.T) {
	documents := map[string]Document{"example": example(), "empty": {}, "hostile": spoiled()}
	interrupted := example()
	interrupted.Run.Interrupted, interrupted.Run.Results = true, interrupted.Run.Results[:1]
	documents["interrupted"] = interrupted
	for name, d := range documents {
		t.Run(name, func(t *testing.T) {
			source := htmlOf(t, d)
			p := parse(t, source)
			for _, link := range p.links {
				if !slices.Contains(p.ids, strings.TrimPrefix(link, "#")) {
					t.Errorf("a link to %q leads nowhere", link)
				}
			}
			slices.Sort(p.ids)
			if n := len(p.ids); len(slices.Compact(p.ids)) != n {
				t.Error("an id is given twice")
			}
			if n := p.elements["script"]; n > 1 || n == 1 && !strings.Contains(string(source), "This script searches the claims by words") {
				t.Errorf("the page has %d scripts, or a foreign one", n)
			}
			for _, element := range []string{"link", "img", "iframe", "object"} {
				if p.elements[element] > 0 {
					t.Errorf("the page has a <%s>", element)
				}
			}
			if regexp.MustCompile(`url\(|@import|src=[^x]`).Match(source) {
				t.Error("the page is not self-contained")
			}
		})
	}
}

// Hostile text does not change the number of elements, except of those that the text determines.
func TestHTMLEscapes(t *testing.T) {
	clean, dirty := parse(t, htmlOf(t, example())), parse(t, htmlOf(t, spoiled()))
	for _, element := range []string{"section", "table", "tr", "td", "h1", "h2", "h3", "h4", "figure", "svg", "style", "pre", "body"} {
		if clean.elements[element] != dirty.elements[element] {
			t.Errorf("%d <%s>, want %d", dirty.elements[element], element, clean.elements[element])
		}
	}
	if strings.ContainsRune(dirty.words, '\x1b') {
		t.Error("an escape sequence is left")
	}
	if dirty.elements["script"] > 1 {
		t.Error("a claim added a script")
	}
	if !strings.Contains(dirty.words, "<script>alert(1)</script>") {
		t.Error("the hostile text is not shown as text")
	}
}

// Every figure and sentence of the model is in the page and in the Markdown, in the same words.
func TestFormsAgree(t *testing.T) {
	d := example()
	page := parse(t, htmlOf(t, d)).words
	source := string(render(t, func(b *bytes.Buffer) error { return Markdown(b, d) }))
	seen := 0
	each := func(in inline) {
		seen++
		if plain := plainWords(in); !strings.Contains(page, plain) {
			t.Errorf("the page lacks %q", plain)
		}
		if !strings.Contains(source, format.Cell(in.Markdown(false))) && !strings.Contains(source, string(in.Markdown(true))) {
			t.Errorf("the Markdown lacks %q", in.Markdown(false))
		}
	}
	var walk func(s section)
	walk = func(s section) {
		each(s.Title)
		for _, b := range s.Blocks {
			switch b := b.(type) {
			case section:
				walk(b)
			case paragraph:
				each(inline(b))
			case listing:
				for _, it := range b {
					for _, n := range append([]inline{it.Head}, it.Notes...) {
						each(n)
					}
				}
			case *grid:
				for _, r := range b.Rows {
					for _, c := range r {
						each(c)
					}
				}
			}
		}
	}
	walk(compose(d).Body)
	if seen < 100 {
		t.Errorf("only %d texts were compared", seen)
	}
}

func plainWords(in inline) string {
	var b strings.Builder
	for _, s := range in {
		b.WriteString(s.Text)
	}
	return b.String()
}

// The example contains every verdict, and each has its own color or a note's color.
func TestExampleHasEveryVerdict(t *testing.T) {
	page := string(htmlOf(t, example()))
	for _, v := range verify.Verdicts {
		if !strings.Contains(page, fmt.Sprintf(`<span class="verdict %s">%s %s</span>`, v, v.Symbol(), v)) {
			t.Errorf("the page does not show %s", v)
		}
	}
}

func TestUndecidedWithOneReasonAreOneItem(t *testing.T) {
	result := func(id string, v verify.Verdict, data string) verify.Result {
		return verify.Result{Claim: verify.Claim{ID: id}, Evidence: verify.Evidence{Verdict: v, Data: data}}
	}
	g := group{Paper: Paper{ID: "p"}, results: []verify.Result{
		result("p/a", verify.NotRun, "x.csv"), result("p/b", verify.NotRun, "y.csv"), result("p/c", verify.NotRun, "x.csv"),
		result("p/d", verify.Holds, "x.csv"), result("p/e", verify.Error, ""),
	}}
	var got []string
	for _, it := range g.undecided(newLookup(Document{})).Blocks[0].(listing) {
		got = append(got, plainWords(it.Head))
	}
	want := []string{"✗ error, p/e: The check or the mechanism failed.", "? not-run, 2 claims of a, c: Data: x.csv.", "? not-run, p/b: Data: y.csv."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// For any figures, a chart stays within its frame and contains no malformed number.
func TestChartsStayInTheirFrame(t *testing.T) {
	figures := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, math.MaxFloat64, 1 + 1e-15}))
	number := rapid.Custom(func(t *rapid.T) verify.Number {
		return verify.Number{X: figures.Draw(t, "x"), Set: rapid.IntRange(0, 9).Draw(t, "set") > 0}
	})
	rapid.Check(t, func(t *rapid.T) {
		r := verify.Result{Claim: verify.Claim{Kind: rapid.SampledFrom(verify.Kinds).Draw(t, "kind")}}
		r.Verdict = rapid.SampledFrom(verify.Verdicts).Draw(t, "verdict")
		r.Sense = rapid.SampledFrom(senses).Draw(t, "sense")
		r.Quantity = rapid.SampledFrom([]string{"slope of log y in log n", "gap"}).Draw(t, "quantity")
		r.Measured, r.Lower, r.Upper, r.Claimed = number.Draw(t, "m"), number.Draw(t, "l"), number.Draw(t, "u"), number.Draw(t, "c")
		crossed := rapid.Bool().Draw(t, "crossed")
		r.Exact = rapid.Bool().Draw(t, "exact")
		for i := range rapid.IntRange(0, 15).Draw(t, "cells") {
			at := "d=" + strconv.Itoa(i) + ", a point"
			if crossed {
				at = fmt.Sprintf("δ=%d, ε=%d", i/5, i%5)
			}
			if r.Claim.Kind == verify.Rate {
				at = fmt.Sprintf("n=%g", math.Exp(float64(3*i)))
			}
			r.Cells = append(r.Cells, verify.Cell{Label: at, Claimed: number.Draw(t, "claimed"), Measured: number.Draw(t, "measured"), Lower: number.Draw(t, "lower"), Upper: number.Draw(t, "upper")})
		}
		inFrame(t, chart.NewChart(r))
		named := rapid.Bool().Draw(t, "named")
		for range rapid.IntRange(0, 4).Draw(t, "series") {
			s := verify.Curve{Name: "a", Variable: "x", Quantity: "y"}
			for range rapid.IntRange(0, 5).Draw(t, "points") {
				p := verify.CurvePoint{X: number.Draw(t, "x"), Mean: number.Draw(t, "mean"), Lower: number.Draw(t, "lower"), Upper: number.Draw(t, "upper")}
				if named {
					p.Label, p.X = "here", verify.Number{}
				}
				s.Points = append(s.Points, p)
			}
			r.Curves = append(r.Curves, s)
		}
		for _, p := range chart.Pictures(r.Curves) {
			inFrame(t, p.Draw())
			curveTable(&p)
		}
	})
}

// inFrame fails if a chart has a malformed number or leaves its frame.
func inFrame(t *rapid.T, c *chart.Chart) {
	if c == nil {
		return
	}
	for _, s := range c.Shapes {
		for _, text := range []string{s.Path, s.X + " " + s.Y} {
			if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Fatalf("a malformed number: %+v", s)
			}
		}
		for _, step := range regexp.MustCompile(`([MLHV])([-0-9.]+)(?: ([-0-9.]+))?`).FindAllStringSubmatch(s.Path, -1) {
			most := map[string][2]int{"M": {c.Width, c.Height}, "L": {c.Width, c.Height}, "H": {c.Width}, "V": {c.Height}}[step[1]]
			for i, text := range step[2:] {
				if at, _ := strconv.ParseFloat(text, 64); text != "" && (at < -1 || at > float64(most[i])+1) {
					t.Fatalf("outside the frame of %d × %d: %+v", c.Width, c.Height, s)
				}
			}
		}
	}
}

// The slope that the check fits is drawn if the claim is about it, and next to a bound.
func TestRateChartShowsTheFit(t *testing.T) {
	check := mean.Rate{
		Quantity: "gap", Variable: "n", Grid: []float64{10, 20, 40, 80, 160, 320}, Exact: true, Sense: verify.AtMost,
		Run: func(_ context.Context, _ *rand.Rand, n float64) (float64, error) { return 1 / n, nil },
	}
	bound := check
	bound.Bound = func(n float64) float64 { return 2 / n }
	check.Exponent = -1
	for name, c := range map[string]mean.Rate{"slope": check, "bound": bound} {
		e, err := verify.Judge(t.Context(), c, verify.Settings{Budget: verify.Quick, Alpha: 1e-6}, empirical.NewPool(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := verify.Result{Claim: verify.Claim{Kind: verify.Rate}, Evidence: e}
		f, ok := chart.FitOf(r)
		if !ok || math.Abs(f.Slope.X+1) > 0.01 || f.From != "n=10" {
			t.Errorf("%s: the fit is read as %+v from %q", name, f, e.Method)
		}
		if drawing := chart.NewChart(r); drawing == nil || !slices.ContainsFunc(drawing.Shapes, func(s chart.Shape) bool { return s.Class == "fitted" }) {
			t.Errorf("%s: the fit is not drawn", name)
		}
	}
}
