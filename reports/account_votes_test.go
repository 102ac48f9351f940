package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// The schema accepts an account with a data-dependent ε, and rejects it after one change. The page rounds this ε up. It
// states that the ε is not private and not a guarantee.
func TestVotesOfAccount(t *testing.T) {
	a := Account{Quantity: "epsilon", Delta: verify.Num(1e-5), Event: "votes", Version: "x", Go: "y",
		Votes: &Votes{Epsilon: verify.Num(0.12345611), Queries: 3}}
	text := string(render(t, func(b *bytes.Buffer) error { return AccountJSON(b, a) }))
	s := compiled(t, "account")
	if err := validate(t, s, text); err != nil {
		t.Error(err)
	}
	for _, m := range []struct{ old, new string }{
		{`"queries": 3`, `"queries": 0`}, {`"queries": 3`, `"asked": 3`}, {`"epsilon": 0.12345611`, `"epsilon": "small"`},
	} {
		bad := strings.Replace(text, m.old, m.new, 1)
		if bad == text || validate(t, s, bad) == nil {
			t.Errorf("%s instead of %s passes", m.new, m.old)
		}
	}
	page := string(render(t, func(b *bytes.Buffer) error { return a.Sheet().Markdown(b) }))
	for _, part := range []string{
		"ε ≤ 0.123457 at δ = 1e-5", "it is not private", "not a guarantee for other data sets",
	} {
		if !strings.Contains(page, part) {
			t.Errorf("no %q in\n%s", part, page)
		}
	}
}
