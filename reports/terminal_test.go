package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"github.com/dpverify/dpverify/reports/internal/format"
)

// The output fits the terminal, has the same words with and without colors, and contains no escape sequence from a
// claim.
func TestTerminalFits(t *testing.T) {
	short := auditExample()
	short.Command = "dpverify audit claims.yaml" // a longer command is not wrapped
	for name, d := range map[string]Document{"example": example(), "hostile": spoiled(), "empty": {}, "audit": short} {
		for _, full := range []bool{false, true} {
			d.Full = full
			for _, width := range []int{0, 60, 80, 200} {
				show := func(color bool) string {
					return string(render(t, func(b *bytes.Buffer) error { return Terminal(b, d, Screen{Width: width, Color: color}) }))
				}
				plain, colored := show(false), show(true)
				for _, line := range strings.Split(plain, "\n") {
					if displaywidth.String(line) > max(width, format.MinScreenWidth) {
						t.Errorf("%s: %d columns are too few for %q", name, width, line)
					}
				}
				for _, escape := range append([]string{format.Bold, format.Reset}, escapesList()...) {
					colored = strings.ReplaceAll(colored, escape, "")
				}
				if colored != plain || strings.Contains(plain, "\x1b") {
					t.Errorf("%s: the words differ with colors, or an escape sequence is left", name)
				}
			}
		}
	}
}

func escapesList() (all []string) {
	for _, mark := range []string{"✗", "∅", "✓", "?", "!"} {
		all = append(all, format.MarkColor(mark))
	}
	return all
}
