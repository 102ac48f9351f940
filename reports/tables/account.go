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
	Quantity       string
	Epsilon, Delta verify.Number // as given in the question
	Event          string
	Adjacency      event.Adjacency
	Results        []accountant.Result
	Version        string // of dpverify
	Go             string // version of the toolchain
}

// AccountSchema names the JSON form of an account; it only ever gains fields.
const AccountSchema = "dpverify/account/v1"

// AccountJSON writes an account as dpverify/account/v1, in full precision.
func AccountJSON(w io.Writer, a Account) error {
	results := a.Results
	if results == nil {
		results = []accountant.Result{}
	}
	return markdown.WriteJSON(w, struct {
		Schema    string              `json:"schema"`
		Version   string              `json:"version"`
		Go        string              `json:"go"`
		Event     string              `json:"event"`
		Adjacency string              `json:"adjacency"`
		Quantity  string              `json:"quantity"`
		Epsilon   verify.Number       `json:"epsilon"`
		Delta     verify.Number       `json:"delta"`
		Results   []accountant.Result `json:"results"`
	}{AccountSchema, a.Version, a.Go, a.Event, a.Adjacency.String(), a.Quantity, a.Epsilon, a.Delta, results})
}

// AccountMarkdown writes an account as a table of the methods, best first in
// bold, with what all of them assume and what each rests on.
func AccountMarkdown(w io.Writer, a Account) error {
	var p markdown.Page
	p.Heading(1, markdown.Plain(a.title()))
	p.Say("%s under %s. The truth lies between lower and upper; both are rounded outward.", markdown.Code(a.Event),
		markdown.Plain(a.Adjacency.String()))
	t := markdown.NewTable(markdown.Left("method"), markdown.Right("lower"), markdown.Right("estimate"),
		markdown.Right("upper"))
	for _, r := range a.Results {
		name := markdown.Plain(r.Method)
		if r.Method == "best" {
			name = "**best**"
		}
		lower, estimate, upper := Bracket(r.Bracket)
		t.Row(name, markdown.Text(lower), markdown.Text(estimate), markdown.Text(upper))
	}
	if err := p.Table(t); err != nil {
		return err
	}
	attached(&p, "Warnings", a.Results, func(r accountant.Result) []string { return r.Warnings })
	attached(&p, "Assumptions", a.Results, func(r accountant.Result) []string { return r.Assumptions })
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
