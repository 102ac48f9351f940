package reports

import (
	"fmt"
	"io"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
)

// Account is what accountants answer to one question about a described event.
type Account struct {
	// Quantity is what the results bracket: "epsilon" at Delta, "delta" at
	// Epsilon, or the name of the noise that reaches Epsilon at Delta.
	Quantity       string
	Epsilon, Delta verify.Number // as given in the question
	Event          string
	Adjacency      accountant.Adjacency
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
	return writeJSON(w, struct {
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
	var p page
	p.heading(1, text(a.title()))
	p.say("%s under %s. The truth lies between lower and upper; both are rounded outward.", code(a.Event), text(a.Adjacency.String()))
	t := newTable(left("method"), right("lower"), right("estimate"), right("upper"))
	for _, r := range a.Results {
		name := text(r.Method)
		if r.Method == "best" {
			name = "**best**"
		}
		lower, estimate, upper := bracket(r.Bracket)
		t.row(name, markdown(lower), markdown(estimate), markdown(upper))
	}
	if err := p.table(t); err != nil {
		return err
	}
	attached(&p, "Warnings", a.Results, func(r accountant.Result) []string { return r.Warnings })
	attached(&p, "Assumptions", a.Results, func(r accountant.Result) []string { return r.Assumptions })
	_, err := io.WriteString(w, p.b.String())
	return err
}

func (a Account) title() string {
	switch a.Quantity {
	case "epsilon":
		return "ε at δ = " + plain(a.Delta.X)
	case "delta":
		return "δ at ε = " + plain(a.Epsilon.X)
	}
	return fmt.Sprintf("%s for ε = %s at δ = %s", a.Quantity, plain(a.Epsilon.X), plain(a.Delta.X))
}

// attached lists what all results say, and then by its method what only some do.
func attached(p *page, title string, results []accountant.Result, of func(accountant.Result) []string) {
	shared := func(s string) bool {
		return !slices.ContainsFunc(results, func(r accountant.Result) bool { return !slices.Contains(of(r), s) })
	}
	var items []markdown
	for _, r := range results[:min(1, len(results))] {
		for _, s := range of(r) {
			if shared(s) {
				items = append(items, text(s))
			}
		}
	}
	for _, r := range results {
		for _, s := range of(r) {
			if !shared(s) {
				items = append(items, "*"+text(r.Method)+"*: "+text(s))
			}
		}
	}
	if len(items) > 0 {
		p.heading(2, text(title))
		p.items(items)
	}
}

const (
	bracketDigits     = 6  // of an end, where the bracket is not narrower
	bracketMostDigits = 10 // of an end, at most
)

// bracket writes the ends with two digits of the width, rounded outward, so that
// the printed bracket holds the certified one.
func bracket(b accountant.Bracket) (lower, estimate, upper string) {
	end := func(x float64) int {
		last := exponent(x) - bracketDigits + 1
		if w := b.Width(); w > 0 && x != 0 {
			last = max(min(last, exponent(w)-1), exponent(x)-bracketMostDigits+1)
		}
		return last
	}
	return trimZeros(outward(verify.Num(b.Lower), end(b.Lower), scientific(b.Lower), false)),
		trimZeros(rounded(b.Estimate, end(b.Estimate), scientific(b.Estimate))),
		trimZeros(outward(verify.Num(b.Upper), end(b.Upper), scientific(b.Upper), true))
}
