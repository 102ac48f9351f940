package format

import "testing"

func TestTidy(t *testing.T) {
	for text, want := range map[string]string{
		"w=-0.07500000000000001, ε=1e-06": "w=-0.075, ε=1e-6",
		"0.6144000000000001 of 3":         "0.6144 of 3",
		"t=1.6000000000003e+13":           "t=1.6000000000003e13",
		"0.1234567890123":                 "0.1234567890123",
		"v1.2.3":                          "v1.2.3",
	} {
		if got := tidyText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
