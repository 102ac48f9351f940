package reports

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// A report shows the limits under other assumptions, rounded down, in a table and on a terminal. The JSON form keeps
// them.
func TestAssumedLimits(t *testing.T) {
	limit := func(name string, delta, lower float64) verify.AssumedLimit {
		return verify.AssumedLimit{Name: name, Assumption: "assumption of " + name, Delta: delta, Alpha: 0.05, Lower: num(lower)}
	}
	none := limit("no coins", 0, 2.6299)
	none.GammaZero, none.GammaClaim = num(13.876), num(5.1049)
	d := auditExample()
	d.Run.Results = d.Run.Results[:2] // consistent and refuted
	for i := range d.Run.Results {
		d.Run.Results[i].Assumed = []verify.AssumedLimit{limit("coins", 1e-5, 2.6299), limit("independent scores", 1e-5, 0), none}
	}
	form := func(write func(*bytes.Buffer) error) string { return string(render(t, write)) }
	markdown := form(func(b *bytes.Buffer) error { return Markdown(b, d) })
	terminal := strings.Join(strings.Fields(form(func(b *bytes.Buffer) error { return Terminal(b, d, Screen{Width: 100}) })), " ")
	for _, c := range []struct{ form, text, want string }{
		{"Markdown", markdown, "other assumptions, each with error probability 0.05; the verdict does not depend on them"},
		{"Markdown", markdown, "| coins              | assumption of coins              | 1e-5 |"},
		{"Markdown", markdown, "2.62 − ln Γ: above 0 if Γ < 13.8, above the claim if Γ < 5.1 |"},
		{"terminal", terminal, "assuming at δ = 1e-5 and error 0.05: coins ε ≥ 2.62, independent scores ε ≥ 0; no coins ε ≥ 2.62 − ln Γ: " +
			"above 0 if Γ < 13.8, above the claim if Γ < 5.1"},
	} {
		if n := strings.Count(c.text, c.want); n != 2 {
			t.Errorf("%s has %q %d times, want 2:\n%s", c.form, c.want, n, c.text)
		}
	}
	var b bytes.Buffer
	if err := JSON(&b, d); err != nil {
		t.Fatal(err)
	}
	again, err := ReadJSON(&b)
	if err != nil || !slices.Equal(again.Run.Results[0].Assumed, d.Run.Results[0].Assumed) {
		t.Errorf("got %+v, %v", again.Run.Results[0].Assumed, err)
	}
	none.Lower, none.GammaZero, none.GammaClaim = num(0), num(1), verify.Number{}
	if got := assumedWords(none); got != "0 for every Γ" {
		t.Errorf("limit 0: got %q", got)
	}
}
