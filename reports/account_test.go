package reports

import (
	"bytes"
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/reports/tables"
)

func exampleAccount() tables.Account {
	result := func(method string, lower, estimate, upper float64, warnings ...string) accountant.Result {
		return accountant.Result{
			Method: method, Bracket: accountant.Bracket{Lower: lower, Estimate: estimate, Upper: upper},
			Assumptions: []string{"adjacency replace-one", "the theorem of " + method}, Warnings: append([]string{"batches are no samples"}, warnings...),
		}
	}
	return tables.Account{
		Quantity: "epsilon", Delta: num(1e-5), Event: "3 × made-up(a|b)", Adjacency: event.ReplaceOne, Version: "v0.0.0", Go: "go0",
		Results: []accountant.Result{
			result("best", 1.2345678, 1.23457, 1.2345712), result("exact", 1.2345678, 1.23457, 1.2345712), result("upper", 0, 1.5, 1.5),
			result("no-theorem", 0, 1.4, math.Inf(1), "the formula is proven for ε < 1 only"),
		},
	}
}

func TestAccountGolden(t *testing.T) {
	noise, nothing := exampleAccount(), exampleAccount()
	noise.Quantity, noise.Epsilon, noise.Results = "sigma", num(1), noise.Results[:1]
	nothing.Quantity, nothing.Delta, nothing.Epsilon, nothing.Results = "delta", num(math.Inf(1)), num(2), nil
	for name, f := range map[string]func(*bytes.Buffer) error{
		"account.md":           func(b *bytes.Buffer) error { return tables.AccountMarkdown(b, exampleAccount()) },
		"account.json":         func(b *bytes.Buffer) error { return tables.AccountJSON(b, exampleAccount()) },
		"account-noise.md":     func(b *bytes.Buffer) error { return tables.AccountMarkdown(b, noise) },
		"account-nothing.json": func(b *bytes.Buffer) error { return tables.AccountJSON(b, nothing) },
	} {
		golden(t, name, render(t, f))
	}
}

// The printed ends hold the certified ones, to no more digits than they are worth.
func TestBracketIsRoundedOutward(t *testing.T) {
	for _, c := range []struct {
		reason                 string
		bracket                accountant.Bracket
		lower, estimate, upper string
	}{
		{"a wide bracket", accountant.Bracket{Lower: 1.23456789, Estimate: 2, Upper: 3.45678901}, "1.23456", "2", "3.45679"},
		{"a narrow bracket shows its width", accountant.Bracket{Lower: 1.2345678, Estimate: 1.23456794, Upper: 1.2345681}, "1.2345678", "1.23456794", "1.2345681"},
		{"an exact value has ten digits at most", accountant.Bracket{Lower: 1 / 3.0 * (1 - 1e-14), Estimate: 1 / 3.0, Upper: 1 / 3.0 * (1 + 1e-14)}, "0.3333333333", "0.3333333333", "0.3333333334"},
		{"one side", accountant.Bracket{Lower: 0, Estimate: 1.5000001, Upper: 1.5000001}, "0", "1.5", "1.50001"},
		{"no side", accountant.Bracket{Lower: 0, Estimate: math.Inf(1), Upper: math.Inf(1)}, "0", "∞", "∞"},
		{"zero", accountant.Bracket{}, "0", "0", "0"},
		{"a tiny δ", accountant.Bracket{Lower: 1.23456e-300, Estimate: 1.2346e-300, Upper: 1.3e-300}, "1.23456e-300", "1.2346e-300", "1.3e-300"},
	} {
		lower, estimate, upper := tables.Bracket(c.bracket)
		if lower != c.lower || estimate != c.estimate || upper != c.upper {
			t.Errorf("%s: %s, %s, %s; want %s, %s, %s", c.reason, lower, estimate, upper, c.lower, c.estimate, c.upper)
		}
	}
}
