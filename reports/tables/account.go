package tables

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/reports/internal/article"
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

// Sheet is a table of the methods, best first in bold, with what all of them assume and what each
// rests on; or a curve, with what follows from it.
func (a Account) Sheet() Sheet {
	switch all := a.all(); {
	case a.Curve != nil:
		return curveSheet(all)
	case len(all) > 1:
		return besideSheet(all)
	}
	s := titled(a.title(), []Account{a})
	t := &article.Grid{Columns: []markdown.Column{markdown.Left("method"), markdown.Right("lower"),
		markdown.Right("estimate"), markdown.Right("upper")}}
	for _, r := range a.Results {
		lower, estimate, upper := Bracket(r.Bracket)
		t.Row(methodCell(r.Method), article.Words(lower), article.Words(estimate), article.Words(upper))
	}
	s.Add(t)
	attach(&s, warnings, a.Results, func(r accountant.Result) []string { return r.Warnings })
	attach(&s, "Assumptions", a.Results, func(r accountant.Result) []string { return r.Assumptions })
	return Sheet{Title: a.title(), Body: s}
}

func methodCell(name string) article.Inline {
	if name == "best" {
		return article.Words(article.Span{Style: article.Bold, Text: name, Tone: string(verify.Holds)})
	}
	return article.Words(name)
}

// besideSheet has accounts side by side: a row for every method that applies to one of them.
func besideSheet(all []Account) Sheet {
	s := titled(all[0].title(), all)
	t := columns("method", all)
	for _, name := range accountant.Methods() {
		row, any := []article.Inline{methodCell(name)}, false
		for _, a := range all {
			lower, upper := "–", "–"
			if i := slices.IndexFunc(a.Results, func(r accountant.Result) bool { return r.Method == name }); i >= 0 {
				lower, _, upper = Bracket(a.Results[i].Bracket)
				any = true
			}
			row = append(row, article.Words(lower), article.Words(upper))
		}
		if any {
			t.Row(row...)
		}
	}
	s.Add(t)
	for i, a := range all {
		attach(&s, warnings+" of "+letter(i), a.Results, func(r accountant.Result) []string { return r.Warnings })
		attach(&s, "Assumptions of "+letter(i), a.Results, func(r accountant.Result) []string { return r.Assumptions })
	}
	return Sheet{Title: all[0].title(), Body: s}
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

const warnings = "Warnings"

// attach adds what all results say, and then by its method what only some do.
func attach(to *article.Section, title string, results []accountant.Result, of func(accountant.Result) []string) {
	shared := func(s string) bool {
		return !slices.ContainsFunc(results, func(r accountant.Result) bool { return !slices.Contains(of(r), s) })
	}
	var list article.Listing
	for _, r := range results[:min(1, len(results))] {
		for _, s := range of(r) {
			if shared(s) {
				list = append(list, article.Item{Head: article.Words(s)})
			}
		}
	}
	for _, r := range results {
		for _, s := range of(r) {
			if !shared(s) {
				list = append(list, article.Item{Head: article.Words(article.Label(r.Method), ": "+s)})
			}
		}
	}
	if len(list) == 0 {
		return
	}
	added := article.Section{Level: 2, Title: article.Words(title), Blocks: []article.Block{list}}
	if strings.HasPrefix(title, warnings) {
		added.Tone = string(verify.Vacuous) // its colour is that of what to beware of
	}
	to.Add(added)
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
