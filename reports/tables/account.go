package tables

import (
	"fmt"
	"io"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
)

// Account is what accountants answer to one question about a described event.
type Account struct {
	// Quantity is what the results bracket: "epsilon" at Delta, "delta" at
	// Epsilon, or the name of the noise that reaches Epsilon at Delta.
	// For a curve it is its kind.
	Quantity       string
	Epsilon, Delta verify.Number // as given in the question
	Event          string
	Adjacency      event.Adjacency
	Results        []accountant.Result
	Curve          *Curve   // nil where the question is about one δ or ε
	Beside         *Account // another answer to the same question, nil for none
	Version        string   // of dpverify
	Go             string   // version of the toolchain
}

// AccountSchema names the JSON form of an account; it only ever gains fields.
const AccountSchema = "dpverify/account/v1"

// answerJSON is what is said of one event.
type answerJSON struct {
	Event     string              `json:"event"`
	Adjacency string              `json:"adjacency"`
	Quantity  string              `json:"quantity"`
	Epsilon   verify.Number       `json:"epsilon"`
	Delta     verify.Number       `json:"delta"`
	Results   []accountant.Result `json:"results"`
	Curve     *curveJSON          `json:"curve,omitempty"`
	Beside    *answerJSON         `json:"beside,omitempty"`
}

func (a *Account) json() *answerJSON {
	if a == nil {
		return nil
	}
	results := a.Results
	if results == nil {
		results = []accountant.Result{}
	}
	return &answerJSON{
		a.Event, a.Adjacency.String(), a.Quantity, a.Epsilon, a.Delta, results, a.Curve.json(), a.Beside.json(),
	}
}

// AccountJSON writes an account as dpverify/account/v1, in full precision.
func AccountJSON(w io.Writer, a Account) error {
	return markdown.WriteJSON(w, struct {
		Schema  string `json:"schema"`
		Version string `json:"version"`
		Go      string `json:"go"`
		*answerJSON
	}{AccountSchema, a.Version, a.Go, a.json()})
}

// all are the account and what stands beside it.
func (a Account) all() []Account {
	list := []Account{a}
	for b := a.Beside; b != nil; b = b.Beside {
		list = append(list, *b)
	}
	return list
}

// AccountMarkdown writes an account as a table of the methods, best first in
// bold, with what all of them assume and what each rests on; or as a curve, with what follows from it.
func AccountMarkdown(w io.Writer, a Account) error {
	switch all := a.all(); {
	case a.Curve != nil:
		return curveMarkdown(w, all)
	case len(all) > 1:
		return besideMarkdown(w, all)
	}
	var p markdown.Page
	p.Heading(1, markdown.Plain(a.title()))
	described(&p, []Account{a})
	t := markdown.NewTable(markdown.Left("method"), markdown.Right("lower"), markdown.Right("estimate"),
		markdown.Right("upper"))
	for _, r := range a.Results {
		lower, estimate, upper := Bracket(r.Bracket)
		t.Row(methodCell(r.Method), markdown.Text(lower), markdown.Text(estimate), markdown.Text(upper))
	}
	if err := p.Table(t); err != nil {
		return err
	}
	attached(&p, "Warnings", a.Results, func(r accountant.Result) []string { return r.Warnings })
	attached(&p, "Assumptions", a.Results, func(r accountant.Result) []string { return r.Assumptions })
	_, err := io.WriteString(w, p.B.String())
	return err
}

func methodCell(name string) markdown.Text {
	if name == "best" {
		return "**best**"
	}
	return markdown.Plain(name)
}

// besideMarkdown writes accounts side by side: a row for every method that applies to one of them.
func besideMarkdown(w io.Writer, all []Account) error {
	var p markdown.Page
	p.Heading(1, markdown.Plain(all[0].title()))
	described(&p, all)
	t := columns("method", all)
	for _, name := range accountant.Methods() {
		row, any := []markdown.Text{methodCell(name)}, false
		for _, a := range all {
			lower, upper := "–", "–"
			if i := slices.IndexFunc(a.Results, func(r accountant.Result) bool { return r.Method == name }); i >= 0 {
				lower, _, upper = Bracket(a.Results[i].Bracket)
				any = true
			}
			row = append(row, markdown.Text(lower), markdown.Text(upper))
		}
		if any {
			t.Row(row...)
		}
	}
	if err := p.Table(t); err != nil {
		return err
	}
	for i, a := range all {
		attached(&p, "Warnings of "+letter(i), a.Results, func(r accountant.Result) []string { return r.Warnings })
		attached(&p, "Assumptions of "+letter(i), a.Results, func(r accountant.Result) []string { return r.Assumptions })
	}
	_, err := io.WriteString(w, p.B.String())
	return err
}

func (a Account) title() string {
	switch a.Quantity {
	case "epsilon":
		return "ε at δ = " + figures.Shortest(a.Delta.X)
	case "delta":
		return "δ at ε = " + figures.Shortest(a.Epsilon.X)
	}
	return fmt.Sprintf("%s for ε = %s at δ = %s", a.Quantity, figures.Shortest(a.Epsilon.X), figures.Shortest(a.Delta.X))
}

// attached lists what all results say, and then by its method what only some do.
func attached(p *markdown.Page, title string, results []accountant.Result, of func(accountant.Result) []string) {
	shared := func(s string) bool {
		return !slices.ContainsFunc(results, func(r accountant.Result) bool { return !slices.Contains(of(r), s) })
	}
	var items []markdown.Text
	for _, r := range results[:min(1, len(results))] {
		for _, s := range of(r) {
			if shared(s) {
				items = append(items, markdown.Plain(s))
			}
		}
	}
	for _, r := range results {
		for _, s := range of(r) {
			if !shared(s) {
				items = append(items, "*"+markdown.Plain(r.Method)+"*: "+markdown.Plain(s))
			}
		}
	}
	if len(items) > 0 {
		p.Heading(2, markdown.Plain(title))
		p.Items(items)
	}
}

const (
	bracketDigits     = 6  // of an end, where the bracket is not narrower
	bracketMostDigits = 10 // of an end, at most
)

// Bracket writes the ends with two digits of the width, rounded outward, so that
// the printed bracket holds the certified one.
func Bracket(b accountant.Bracket) (lower, estimate, upper string) {
	end := func(x float64) int {
		last := figures.Exponent(x) - bracketDigits + 1
		if w := b.Width(); w > 0 && x != 0 {
			last = max(min(last, figures.Exponent(w)-1), figures.Exponent(x)-bracketMostDigits+1)
		}
		return last
	}
	return figures.TrimZeros(figures.Outward(verify.Num(b.Lower), end(b.Lower), figures.Scientific(b.Lower), false)),
		figures.TrimZeros(figures.Rounded(b.Estimate, end(b.Estimate), figures.Scientific(b.Estimate))),
		figures.TrimZeros(figures.Outward(verify.Num(b.Upper), end(b.Upper), figures.Scientific(b.Upper), true))
}
