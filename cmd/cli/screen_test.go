package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/reports"
)

// An output that is not a terminal has the width of the environment, and color only if requested.
func TestScreenOfNoTerminal(t *testing.T) {
	for _, c := range []struct {
		columns, color, noColor string
		want                    reports.Screen
		says                    string // text of the error; "" for none
		reason                  string
	}{
		{"", "auto", "", reports.Screen{Width: defaultWidth}, "", "nothing is known"},
		{"72", "auto", "", reports.Screen{Width: 72}, "", "the width is told"},
		{"72", "always", "1", reports.Screen{Width: 72, Color: true}, "", "the flag is nearer than the environment"},
		{"72", "never", "", reports.Screen{Width: 72}, "", "no colours are asked for"},
		{"wide", "auto", "", reports.Screen{Width: defaultWidth}, "COLUMNS=wide is ignored: want a whole number", "no number"},
		{"010", "auto", "", reports.Screen{Width: defaultWidth}, "COLUMNS=010 is ignored", "a number in another form than JSON's"},
		{"0", "auto", "", reports.Screen{Width: defaultWidth}, "", "a container without a terminal"},
		{"-3", "auto", "", reports.Screen{Width: defaultWidth}, "COLUMNS=-3 is ignored", "no width"},
	} {
		t.Setenv(widthVariable, c.columns)
		t.Setenv("NO_COLOR", c.noColor)
		got, terminal, err := screenOf(&bytes.Buffer{}, c.color)
		if got != c.want || terminal || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v, %v, want %+v and %q", c.reason, got, terminal, err, c.want, c.says)
		}
	}
}
