package dptest

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/privacy"
)

// TestMessagesShowHiddenCharacters checks that messages escape hidden characters in errors, names and inputs,
// because go test prints to a terminal.
func TestMessagesShowHiddenCharacters(t *testing.T) {
	const hidden, shown = "\x1b[31m\u202e\u200b", `\x1b[31m\u202e\u200b`
	panics := func(*rand.Rand, string) float64 { panic(errors.New(hidden)) }
	leaks := func(r *rand.Rand, x string) float64 { return float64(len(x)) + laplace(r, 0.2) }
	inputs := Pair(hidden, hidden+"x")
	for name, run := range map[string]func(*fake){
		"panic":        func(f *fake) { Audit(f, panics, privacy.ApproximateDP(1, 0), inputs, Samples(2000)) },
		"refutation":   func(f *fake) { Audit(f, leaks, privacy.ApproximateDP(1, 0), inputs, Samples(4000), Name(hidden)) },
		"pass":         func(f *fake) { Audit(f, leaks, privacy.ApproximateDP(8, 0), inputs, Samples(4000), Name(hidden)) },
		"distribution": func(f *fake) { Distribution(f, leaks, hidden, distribution.Laplace(0, 1), Samples(500), Name(hidden)) },
		"option":       func(f *fake) { Audit(f, leaks, privacy.ApproximateDP(1, 0), inputs, Samples(0), Name(hidden)) },
	} {
		f := &fake{name: "TestIt"}
		run(f)
		text := f.text()
		hides := func(r rune) bool { return r != '\n' && r != '\t' && visible.Hidden(r) }
		if strings.ContainsFunc(text, hides) || !strings.Contains(text, shown) {
			t.Errorf("%s: want %s and no hidden character:\n%q", name, shown, text)
		}
	}
}
