package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/cmd/command/internal/auditfile"
)

// Numbers of an input reach the process as they are written.
func TestInputsKeepTheirDigits(t *testing.T) {
	for _, c := range []struct{ written, want string }{
		{"9007199254740993", "9007199254740993"},
		{"-9223372036854775809", "-9223372036854775809"},
		{"18446744073709551615", "18446744073709551615"},
		{"123456789012345678901234567890", "123456789012345678901234567890"},
		{"[1, 18446744073709551616, 1.0]", "[1,18446744073709551616,1.0]"},
		{"{x: 18446744073709551616, y: {z: [-36893488147419103232]}}", `{"x":18446744073709551616,"y":{"z":[-36893488147419103232]}}`},
		{"\n        x: 18446744073709551616", `{"x":18446744073709551616}`},
		{"\n        - 18446744073709551616\n        - word", `[18446744073709551616,"word"]`},
		{"0.12345678901234567890123", "0.12345678901234567890123"},
		{"1e3", "1e3"},
		{"'18446744073709551616'", `"18446744073709551616"`},
		{`"12"`, `"12"`},
		{"0x10", "16"},
		{"true", "true"},
		{"null", "null"},
		{"word", `"word"`},
	} {
		text := fmt.Sprintf("claims:\n  - name: x\n    exec: [cat]\n    pairs:\n    - a: %s\n      b: 5\n    guarantee: {epsilon: 1}\n", c.written)
		_, subjects, err := auditfile.Parse("claims.yaml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", c.written, err)
			continue
		}
		if got := string(subjects[0].Pairs[0].A); got != c.want {
			t.Errorf("%s became %s, want %s", c.written, got, c.want)
		}
	}
}

// Inputs that differ in a digit are two, and those of one value are one.
func TestEqualInputs(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"9007199254740992", "9007199254740993", false},
		{"18446744073709551615", "18446744073709551614", false},
		{"[123456789012345678901234567890]", "[123456789012345678901234567891]", false},
		{"1e400", "1e401", false},
		{"0.12345678901234567890123", "0.12345678901234567890124", false},
		{"1", "1.0", true},
		{"[1e2]", "[100]", true},
		{`{"a": 1, "b": 2}`, `{"b": 2, "a": 1.0}`, true},
		{"1", `"1"`, false},
	} {
		_, err := auditfile.ParsePair(c.a, c.b)
		if got := err != nil; got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, err)
		}
		text := fmt.Sprintf("claims:\n  - {name: x, exec: [cat], pairs: [{a: %s, b: %s}], guarantee: {epsilon: 1}}\n", c.a, c.b)
		if _, _, err := auditfile.Parse("claims.yaml", []byte(text)); (err != nil && strings.Contains(err.Error(), "both inputs")) != c.same {
			t.Errorf("in YAML, %s and %s: %v", c.a, c.b, err)
		}
	}
}
