package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/reports/chart"
)

func exampleAccount() Account {
	result := func(method string, lower, estimate, upper float64, warnings ...string) accountant.Result {
		return accountant.Result{
			Method: method, Bracket: accountant.Bracket{Lower: lower, Estimate: estimate, Upper: upper},
			Assumptions: []string{"adjacency replace-one", "the theorem of " + method}, Warnings: append([]string{"batches are no samples"}, warnings...),
		}
	}
	return Account{
		Quantity: "epsilon", Delta: num(1e-5), Event: "3 × made-up(a|b)", Adjacency: event.ReplaceOne, Version: "v0.0.0", Go: "go0",
		Results: []accountant.Result{
			result("best", 1.2345678, 1.23457, 1.2345712), result("exact", 1.2345678, 1.23457, 1.2345712), result("upper", 0, 1.5, 1.5),
			result("no-theorem", 0, 1.4, math.Inf(1), "the formula is proven for ε < 1 only"),
		},
	}
}

// exampleCurves returns the account of an event and, for comparison, of another one. The second curve has a wide
// bracket, and its μ has no upper end.
func exampleCurves(kind string) Account {
	bracket := func(lower, upper float64) accountant.Bracket {
		return accountant.Bracket{Lower: lower, Estimate: (lower + upper) / 2, Upper: upper}
	}
	account := func(name string, by float64) Account {
		c := &Curve{Kind: kind, Assumptions: []string{"the theorem of " + name}}
		for i := range 9 {
			x := float64(i) / 8
			c.Points = append(c.Points, accountant.Point{At: x, Bracket: bracket((1-x)*(1-x)*by*0.9, (1-x)*(1-x)*by)})
		}
		c.Gaussian = accountant.Gaussian{Mu: bracket(by, 1.1*by), End: 1, Delta: 1e-10, Regret: bracket(0, 1e-3)}
		c.Attacks = accountant.Attacks{Prior: 0.25, Advantage: bracket(by/3, by/2), Guess: bracket(0.75, 0.999995), Reconstruction: bracket(0.3, 0.5),
			Rates: []accountant.Point{{At: 0.01, Bracket: bracket(0.02, 0.03)}}}
		return Account{Quantity: kind, Event: name, Adjacency: event.AddRemove, Version: "v0.0.0", Go: "go0", Curve: c}
	}
	a, b := account("made|up", 0.8), account("another", 0.4)
	b.Curve.Warnings, b.Curve.Gaussian.Mu.Upper, b.Adjacency = []string{"batches are no samples"}, math.Inf(1), event.ReplaceOne
	a.Beside = &b
	return a
}

func TestCurveGolden(t *testing.T) {
	two, one, points := exampleCurves(TradeOffCurve), exampleCurves(EpsilonCurve), exampleAccount()
	one.Beside = nil
	other := exampleAccount()
	other.Event, other.Results = "another", other.Results[1:]
	points.Beside = &other
	for name, f := range map[string]func(*bytes.Buffer) error{
		"account-curve.md":    func(b *bytes.Buffer) error { return one.Sheet().Markdown(b) },
		"account-curves.md":   func(b *bytes.Buffer) error { return two.Sheet().Markdown(b) },
		"account-curves.json": func(b *bytes.Buffer) error { return AccountJSON(b, two) },
		"account-beside.md":   func(b *bytes.Buffer) error { return points.Sheet().Markdown(b) },
	} {
		golden(t, name, render(t, f))
	}
}

// The schema accepts the account of two curves, and rejects it after one change.
func TestSchemaOfCurves(t *testing.T) {
	text := string(render(t, func(b *bytes.Buffer) error { return AccountJSON(b, exampleCurves(DeltaCurve)) }))
	s := compiled(t, "account")
	if err := validate(t, s, text); err != nil {
		t.Error(err)
	}
	for _, m := range []struct{ reason, old, new string }{
		{"an unknown curve", `"kind": "delta"`, `"kind": "gamma"`},
		{"a point without an end", `"lower"`, `"least"`},
		{"no regret", `"regret"`, `"remorse"`},
		{"a prior in words", `"prior": 0.25`, `"prior": "low"`},
		{"what stands beside it has no event", `"event": "another"`, `"events": "another"`},
	} {
		bad := strings.Replace(text, m.old, m.new, 1)
		if bad == text || validate(t, s, bad) == nil {
			t.Errorf("%s passes", m.reason)
		}
	}
}

// The picture of two curves is well-formed SVG, contains both, and has axes from zero. A picture without points is an
// error.
func TestCurvePicture(t *testing.T) {
	for _, kind := range []string{EpsilonCurve, DeltaCurve, TradeOffCurve} {
		svg := render(t, func(b *bytes.Buffer) error { return CurveSVG(b, exampleCurves(kind)) })
		if err := xml.Unmarshal(svg, new(struct{})); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		for _, part := range []string{"A: made|up", "B: another", "band series", ">0</text>", "certified brackets"} {
			if !bytes.Contains(svg, []byte(part)) {
				t.Errorf("%s: no %q in\n%s", kind, part, svg)
			}
		}
	}
	nothing := exampleCurves(DeltaCurve)
	nothing.Beside, nothing.Curve.Points = nil, []accountant.Point{{At: 0, Bracket: accountant.Bracket{}}}
	if err := CurveSVG(io.Discard, nothing); !errors.Is(err, chart.ErrNothingToDraw) {
		t.Errorf("a curve at zero on a logarithmic axis: %v", err)
	}
}

func TestAccountGolden(t *testing.T) {
	noise, nothing := exampleAccount(), exampleAccount()
	noise.Quantity, noise.Epsilon, noise.Results = "sigma", num(1), noise.Results[:1]
	nothing.Quantity, nothing.Delta, nothing.Epsilon, nothing.Results = "delta", num(math.Inf(1)), num(2), nil
	for name, f := range map[string]func(*bytes.Buffer) error{
		"account.md":           func(b *bytes.Buffer) error { return exampleAccount().Sheet().Markdown(b) },
		"account.json":         func(b *bytes.Buffer) error { return AccountJSON(b, exampleAccount()) },
		"account-noise.md":     func(b *bytes.Buffer) error { return noise.Sheet().Markdown(b) },
		"account-nothing.json": func(b *bytes.Buffer) error { return AccountJSON(b, nothing) },
	} {
		golden(t, name, render(t, f))
	}
}

// The printed bracket contains the certified one, and has only the digits that its width justifies.
func TestBracketIsRoundedOutward(t *testing.T) {
	for _, c := range []struct {
		reason                 string
		bracket                accountant.Bracket
		lower, estimate, upper string
	}{
		{"a wide bracket", accountant.Bracket{Lower: 1.23456789, Estimate: 2, Upper: 3.45678901}, "1.23456", "2", "3.45679"},
		{"a narrow bracket shows its width", accountant.Bracket{Lower: 1.2345678, Estimate: 1.23456794, Upper: 1.2345681}, "1.2345678", "1.23456794", "1.2345681"},
		{"an exact value has at most ten digits", accountant.Bracket{Lower: 1 / 3.0 * (1 - 1e-14), Estimate: 1 / 3.0, Upper: 1 / 3.0 * (1 + 1e-14)}, "0.3333333333", "0.3333333333", "0.3333333334"},
		{"no lower end", accountant.Bracket{Lower: 0, Estimate: 1.5000001, Upper: 1.5000001}, "0", "1.5", "1.50001"},
		{"neither end", accountant.Bracket{Lower: 0, Estimate: math.Inf(1), Upper: math.Inf(1)}, "0", "∞", "∞"},
		{"zero", accountant.Bracket{}, "0", "0", "0"},
		{"a tiny δ", accountant.Bracket{Lower: 1.23456e-300, Estimate: 1.2346e-300, Upper: 1.3e-300}, "1.23456e-300", "1.2346e-300", "1.3e-300"},
	} {
		lower, estimate, upper := Bracket(c.bracket)
		if lower != c.lower || estimate != c.estimate || upper != c.upper {
			t.Errorf("%s: %s, %s, %s; want %s, %s, %s", c.reason, lower, estimate, upper, c.lower, c.estimate, c.upper)
		}
	}
}
