package formula

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

func TestPrintedBrackets(t *testing.T) {
	inf := math.Inf(1)
	row := func(lower, upper float64) Bracket { // printed as 1.20
		return Bracket{Place: "here", Reported: 1.2, Low: 1.195, High: 1.205, Lower: lower, Estimate: lower, Upper: upper}
	}
	cases := []struct {
		reason        string
		sense         verify.Sense
		contradiction bool
		rows          []Bracket
		want          verify.Verdict
		lower         float64 // of the row that is reported
	}{
		{"within the rounding interval", verify.Equals, false, []Bracket{row(1.196, 1.204)}, verify.Holds, 1.196},
		{"equal to the rounding interval", verify.Equals, false, []Bracket{row(1.195, 1.205)}, verify.Holds, 1.195},
		{"extends above", verify.Equals, false, []Bracket{row(1.2, 1.206)}, verify.Inconclusive, 1.2},
		{"extends below", verify.Equals, false, []Bracket{row(1.19, 1.2)}, verify.Inconclusive, 1.19},
		{"above", verify.Equals, false, []Bracket{row(1.206, 1.207)}, verify.Refuted, 1.206},
		{"below", verify.Equals, true, []Bracket{row(1.1, 1.19)}, verify.Contradictory, 1.1},
		{"below, for an upper bound", verify.AtMost, false, []Bracket{row(1.1, 1.19)}, verify.Holds, 1.1},
		{"no finite upper end", verify.AtMost, false, []Bracket{row(1.1, inf)}, verify.Inconclusive, 1.1},
		{"infinite", verify.AtMost, false, []Bracket{row(inf, inf)}, verify.Refuted, inf},
		{"the worst of three", verify.Equals, false, []Bracket{row(1.196, 1.204), row(1.3, 1.4), row(1, 1.2)},
			verify.Refuted, 1.3},
	}
	for _, c := range cases {
		trial, err := Brackets{Quantity: "ε", Sense: c.sense, Contradiction: c.contradiction,
			Rows: func() ([]Bracket, error) { return c.rows, nil }}.Prepare(context.Background(), verify.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if e := verify.Evidence(trial.(verify.Decided)); e.Verdict != c.want || e.Lower.X != c.lower || len(e.Cells) != len(c.rows) {
			t.Errorf("%s: %s, the row at [%v, %v]; want %s at %v", c.reason, e.Verdict, e.Lower.X, e.Upper.X, c.want, c.lower)
		}
	}
}

func TestPrintedBracketsRefuseBadInput(t *testing.T) {
	failed := errors.New("no bracket to be had")
	good := Bracket{Place: "here", Reported: 1, Low: 0.9, High: 1.1, Lower: 1, Estimate: 1, Upper: 1}
	change := func(f func(*Bracket)) []Bracket { b := good; f(&b); return []Bracket{b} }
	cases := []struct {
		reason string
		sense  verify.Sense
		rows   []Bracket
		err    error
		names  string
	}{
		{"another sense", verify.AtLeast, []Bracket{good}, nil, "want = or ≤"},
		{"no rows", verify.Equals, nil, nil, "no printed numbers"},
		{"bracket with exchanged ends", verify.Equals, change(func(b *Bracket) { b.Upper = 0 }), nil, "here: the bracket"},
		{"bracket with NaN", verify.Equals, change(func(b *Bracket) { b.Lower = math.NaN() }), nil,
			"here: the bracket"},
		{"rounding interval with exchanged ends", verify.Equals, change(func(b *Bracket) { b.Low = 2 }), nil, "in order"},
		{"rows that fail", verify.Equals, nil, failed, failed.Error()},
	}
	for _, c := range cases {
		_, err := Brackets{Quantity: "ε", Sense: c.sense, Rows: func() ([]Bracket, error) {
			return c.rows,
				c.err
		}}.Prepare(context.Background(), verify.Settings{})
		if err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.names)
		}
	}
}
