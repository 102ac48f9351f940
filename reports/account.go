package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Account holds the answers of accountants to one question about an event.
type Account struct {
	// Quantity is the bracketed quantity: "epsilon" at Delta, "delta" at Epsilon, or the name of the noise parameter
	// that reaches Epsilon at Delta. For a curve it is the kind of curve.
	Quantity       string
	Epsilon, Delta verify.Number // as given in the question
	Event          string
	Adjacency      event.Adjacency
	Results        []accountant.Result
	Votes          *Votes   // data-dependent ε for PATE's votes; nil for none
	Curve          *Curve   // nil if the question is about one δ or ε
	Risk           *Risk    // the target of a calibration; nil if it is Epsilon
	Beside         *Account // the account of a second event, for comparison; nil for none
	Version        string   // of dpverify
	Go             string   // version of the toolchain
}

// AccountSchema names the JSON form of an account. New versions only add fields.
const AccountSchema = "dpverify/account/v1"

// answerJSON is the account of one event.
type answerJSON struct {
	Event     string              `json:"event"`
	Adjacency string              `json:"adjacency"`
	Quantity  string              `json:"quantity"`
	Epsilon   verify.Number       `json:"epsilon"`
	Delta     verify.Number       `json:"delta"`
	Results   []accountant.Result `json:"results"`
	Votes     *Votes              `json:"data_dependent,omitempty"`
	Curve     *curveJSON          `json:"curve,omitempty"`
	Risk      *riskJSON           `json:"risk,omitempty"`
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
		a.Event, a.Adjacency.String(), a.Quantity, a.Epsilon, a.Delta, results, a.Votes, a.Curve.json(),
		a.Risk.json(), a.Beside.json(),
	}
}

// AccountJSON writes an account as dpverify/account/v1, in full precision.
func AccountJSON(w io.Writer, a Account) error {
	return format.WriteJSON(w, struct {
		Schema  string `json:"schema"`
		Version string `json:"version"`
		Go      string `json:"go"`
		*answerJSON
	}{AccountSchema, a.Version, a.Go, a.json()})
}

// all returns the account and those it is compared with.
func (a Account) all() []Account {
	list := []Account{a}
	for b := a.Beside; b != nil; b = b.Beside {
		list = append(list, *b)
	}
	return list
}

// Sheet returns a table of the methods, best first, with their assumptions and warnings. For a curve it returns the
// table of the curve and the figures that follow from it.
func (a Account) Sheet() Sheet {
	switch all := a.all(); {
	case a.Curve != nil:
		return curveSheet(all)
	case len(all) > 1:
		return comparisonSheet(all)
	}
	s := accountSection(a.title(), []Account{a})
	t := &grid{Columns: []format.Column{format.Left("method"), format.Right("lower"),
		format.Right("estimate"), format.Right("upper")}}
	for _, r := range a.Results {
		lower, estimate, upper := Bracket(r.Bracket)
		t.Row(methodCell(r.Method), words(lower), words(estimate), words(upper))
	}
	s.Add(t)
	if a.Risk != nil {
		s.Add(a.Risk.section(a.Quantity))
	}
	if a.Votes != nil {
		s.Add(a.Votes.section(a.Delta.X))
	}
	attachRemarks(&s, warningsTitle, a.Results, func(r accountant.Result) []string { return r.Warnings })
	attachRemarks(&s, "Assumptions", a.Results, func(r accountant.Result) []string { return r.Assumptions })
	return Sheet{Title: a.title(), Body: s}
}

func methodCell(name string) inline {
	if name == "best" {
		return words(span{Style: bold, Text: name, Tone: string(verify.Holds)})
	}
	return words(name)
}

// comparisonSheet compares accounts: a row for each method that applies to one of them, two columns for each account.
func comparisonSheet(all []Account) Sheet {
	s := accountSection(all[0].title(), all)
	t := bracketColumns("method", all)
	for _, name := range accountant.Methods() {
		row, any := []inline{methodCell(name)}, false
		for _, a := range all {
			lower, upper := "–", "–"
			if i := slices.IndexFunc(a.Results, func(r accountant.Result) bool { return r.Method == name }); i >= 0 {
				lower, _, upper = Bracket(a.Results[i].Bracket)
				any = true
			}
			row = append(row, words(lower), words(upper))
		}
		if any {
			t.Row(row...)
		}
	}
	s.Add(t)
	for i, a := range all {
		attachRemarks(&s, warningsTitle+" of "+accountLetter(i), a.Results,
			func(r accountant.Result) []string { return r.Warnings })
		attachRemarks(&s, "Assumptions of "+accountLetter(i), a.Results,
			func(r accountant.Result) []string { return r.Assumptions })
	}
	return Sheet{Title: all[0].title(), Body: s}
}

func (a Account) title() string {
	switch a.Quantity {
	case "epsilon":
		return "ε at δ = " + format.Shortest(a.Delta.X)
	case "delta":
		return "δ at ε = " + format.Shortest(a.Epsilon.X)
	}
	if a.Risk != nil {
		return a.Quantity + " for " + a.Risk.String()
	}
	return fmt.Sprintf("%s for ε = %s at δ = %s", a.Quantity, format.Shortest(a.Epsilon.X), format.Shortest(a.Delta.X))
}

const warningsTitle = "Warnings"

// attachRemarks adds the remarks that all results share, then the others with the names of their methods.
func attachRemarks(to *section, title string, results []accountant.Result, of func(accountant.Result) []string) {
	shared := func(s string) bool {
		return !slices.ContainsFunc(results, func(r accountant.Result) bool { return !slices.Contains(of(r), s) })
	}
	var list listing
	for _, r := range results[:min(1, len(results))] {
		for _, s := range of(r) {
			if shared(s) {
				list = append(list, item{Head: words(s)})
			}
		}
	}
	for _, r := range results {
		for _, s := range of(r) {
			if !shared(s) {
				list = append(list, item{Head: words(label(r.Method), ": "+s)})
			}
		}
	}
	if len(list) == 0 {
		return
	}
	added := section{Level: 2, Title: words(title), Blocks: []block{list}}
	if strings.HasPrefix(title, warningsTitle) {
		added.Tone = string(verify.Vacuous) // for its color, a warning
	}
	to.Add(added)
}

const (
	bracketDigits    = 6  // of an end, unless the bracket is narrower
	maxBracketDigits = 10 // of an end
)

// Bracket writes the ends of a bracket with two digits of its width, rounded outward, so that the printed bracket
// contains the certified one.
func Bracket(b accountant.Bracket) (lower, estimate, upper string) {
	end := func(x float64) int {
		last := format.Exponent(x) - bracketDigits + 1
		if w := b.Width(); w > 0 && x != 0 {
			last = max(min(last, format.Exponent(w)-1), format.Exponent(x)-maxBracketDigits+1)
		}
		return last
	}
	return format.TrimZeros(format.Outward(verify.Num(b.Lower), end(b.Lower), format.Scientific(b.Lower), false)),
		format.TrimZeros(format.Rounded(b.Estimate, end(b.Estimate), format.Scientific(b.Estimate))),
		format.TrimZeros(format.Outward(verify.Num(b.Upper), end(b.Upper), format.Scientific(b.Upper), true))
}
