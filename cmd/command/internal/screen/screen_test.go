package screen

import (
	"bytes"
	"testing"

	"github.com/dpverify/dpverify/reports"
)

// What is no terminal has the width that its surroundings tell, and colours where they are asked for.
func TestScreenOfNoTerminal(t *testing.T) {
	for _, c := range []struct {
		columns, color, noColor string
		want                    reports.Screen
		reason                  string
	}{
		{"", "auto", "", reports.Screen{Width: usualWidth}, "nothing is known"},
		{"72", "auto", "", reports.Screen{Width: 72}, "the width is told"},
		{"72", "always", "1", reports.Screen{Width: 72, Color: true}, "the flag is nearer than the environment"},
		{"72", "never", "", reports.Screen{Width: 72}, "no colours are asked for"},
		{"wide", "auto", "", reports.Screen{Width: usualWidth}, "no number"},
		{"-3", "auto", "", reports.Screen{Width: usualWidth}, "no width"},
	} {
		t.Setenv(widthVariable, c.columns)
		t.Setenv("NO_COLOR", c.noColor)
		if got, terminal := Of(&bytes.Buffer{}, c.color); got != c.want || terminal {
			t.Errorf("%s: %+v, %v, want %+v", c.reason, got, terminal, c.want)
		}
	}
}
