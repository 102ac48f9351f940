package verify

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

func TestPrintedBrackets(t *testing.T) {
	inf := math.Inf(1)
	row := func(lower, upper float64) PrintedBracket { // printed as 1.20
		return PrintedBracket{At: "here", Printed: 1.2, Low: 1.195, High: 1.205, Lower: lower, Estimate: lower, Upper: upper}
	}
	cases := []struct {
		reason        string
		sense         Sense
		contradiction bool
		rows          []PrintedBracket
		want          Verdict
		lower         float64 // of the row that is reported
	}{
		{"within what was rounded", Equals, false, []PrintedBracket{row(1.196, 1.204)}, Holds, 1.196},
		{"as wide as what was rounded", Equals, false, []PrintedBracket{row(1.195, 1.205)}, Holds, 1.195},
		{"reaching out above", Equals, false, []PrintedBracket{row(1.2, 1.206)}, Inconclusive, 1.2},
		{"reaching out below", Equals, false, []PrintedBracket{row(1.19, 1.2)}, Inconclusive, 1.19},
		{"above", Equals, false, []PrintedBracket{row(1.206, 1.207)}, Refuted, 1.206},
		{"below", Equals, true, []PrintedBracket{row(1.1, 1.19)}, Inconsistent, 1.1},
		{"below, where that is allowed", AtMost, false, []PrintedBracket{row(1.1, 1.19)}, Holds, 1.1},
		{"nothing known from above", AtMost, false, []PrintedBracket{row(1.1, inf)}, Inconclusive, 1.1},
		{"no privacy at all", AtMost, false, []PrintedBracket{row(inf, inf)}, Refuted, inf},
		{"the worst of three", Equals, false, []PrintedBracket{row(1.196, 1.204), row(1.3, 1.4), row(1, 1.2)}, Refuted, 1.3},
	}
	for _, c := range cases {
		trial, err := PrintedBrackets{Quantity: "ε", Sense: c.sense, Contradiction: c.contradiction,
			Rows: func() ([]PrintedBracket, error) { return c.rows, nil }}.Prepare(context.Background(), Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if e := Evidence(trial.(Decided)); e.Verdict != c.want || e.Lower.X != c.lower || len(e.Cells) != len(c.rows) {
			t.Errorf("%s: %s, the row at [%v, %v]; want %s at %v", c.reason, e.Verdict, e.Lower.X, e.Upper.X, c.want, c.lower)
		}
	}
}

func TestPrintedBracketsRefuseBadInput(t *testing.T) {
	failed := errors.New("no bracket to be had")
	good := PrintedBracket{At: "here", Printed: 1, Low: 0.9, High: 1.1, Lower: 1, Estimate: 1, Upper: 1}
	change := func(f func(*PrintedBracket)) []PrintedBracket { b := good; f(&b); return []PrintedBracket{b} }
	cases := []struct {
		reason string
		sense  Sense
		rows   []PrintedBracket
		err    error
		names  string
	}{
		{"another sense", AtLeast, []PrintedBracket{good}, nil, "want = or ≤"},
		{"no rows", Equals, nil, nil, "no printed numbers"},
		{"a bracket upside down", Equals, change(func(b *PrintedBracket) { b.Upper = 0 }), nil, "here: the bracket"},
		{"a bracket of no numbers", Equals, change(func(b *PrintedBracket) { b.Lower = math.NaN() }), nil, "here: the bracket"},
		{"rounded upside down", Equals, change(func(b *PrintedBracket) { b.Low = 2 }), nil, "in order"},
		{"rows that fail", Equals, nil, failed, failed.Error()},
	}
	for _, c := range cases {
		_, err := PrintedBrackets{Quantity: "ε", Sense: c.sense, Rows: func() ([]PrintedBracket, error) { return c.rows, c.err }}.Prepare(context.Background(), Settings{})
		if err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.names)
		}
	}
}
