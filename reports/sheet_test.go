package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Sheets fit a terminal of any width without losing a word. Colors add only escape sequences, and texts of claims
// cannot control the terminal.
func TestSheetsFitTheScreen(t *testing.T) {
	long := strings.Repeat("words of a statement ", 12) + "\x1b[31m end"
	account := Account{Quantity: "epsilon", Delta: verify.Num(1e-5), Event: strings.Repeat("gaussian ", 20) + "last",
		Results: []accountant.Result{
			{Method: "best", Bracket: accountant.Bracket{Lower: 1, Estimate: 1.1, Upper: 1.2}, Assumptions: []string{long}},
			{Method: "pld", Bracket: accountant.Bracket{Lower: 1e-300, Estimate: 1, Upper: 1e300}, Warnings: []string{long}},
		}}
	beside := account
	beside.Beside = &account
	for name, sheet := range map[string]Sheet{
		"account": account.Sheet(), "beside": beside.Sheet(), "no claim": ListClaims(nil),
		"list": ListClaims([]verify.Claim{{ID: "paper/" + strings.Repeat("long", 40), Source: "Lemma 2", Kind: verify.Privacy,
			Origin: verify.Stated, Place: long, Statement: long}, {ID: "p/short", Statement: "so"}}),
	} {
		for _, width := range []int{0, 60, 80, 400} {
			show := func(color bool) string {
				var b bytes.Buffer
				if err := sheet.Terminal(&b, format.Screen{Width: width, Color: color}); err != nil {
					t.Fatal(err)
				}
				return b.String()
			}
			plain, colored := show(false), show(true)
			for line := range strings.Lines(plain) {
				if n := format.DisplayWidth(strings.TrimRight(line, "\n")); n > max(width, format.MinScreenWidth) {
					t.Errorf("%s: %d columns do not fit into %d: %q", name, n, width, line)
				}
			}
			if name != "no claim" && !strings.Contains(colored, format.Bold) {
				t.Errorf("%s: nothing is colored", name)
			}
			for _, escape := range []string{format.Bold, format.Reset, format.MarkColor("✓"), format.MarkColor("∅")} {
				colored = strings.ReplaceAll(colored, escape, "")
			}
			if colored != plain || strings.Contains(plain, "\x1b") {
				t.Errorf("%s: colors change the words, or an escape sequence is left:\n%q", name, colored)
			}
			var markdown bytes.Buffer
			if err := sheet.Markdown(&markdown); err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"last", "end", "so", "Lemma", "pld", "1.2"} {
				if strings.Contains(markdown.String(), word) && !strings.Contains(plain, word) {
					t.Errorf("%s: %q is lost at %d columns:\n%s", name, word, width, plain)
				}
			}
		}
	}
}
