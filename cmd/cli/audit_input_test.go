package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/internal/strictyaml"
)

// Numbers in an input reach the process with the digits of the file.
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
		{"true", "true"},
		{"null", "null"},
		{"word", `"word"`},
	} {
		text := fmt.Sprintf("claims:\n  - name: x\n    exec: [cat]\n    pairs:\n    - a: %s\n      b: 5\n    guarantee: {epsilon: 1}\n", c.written)
		_, subjects, err := claimsfile.ParseClaims("claims.yaml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", c.written, err)
			continue
		}
		if got := string(subjects[0].Pairs[0].A); got != c.want {
			t.Errorf("%s became %s, want %s", c.written, got, c.want)
		}
	}
}

// Statements and parameters of distributions keep their digits too.
func TestStatementsKeepTheirDigits(t *testing.T) {
	parsed := func(scale string) []claimsfile.Subject {
		text := "claims: [{name: x, exec: [cat], law: {input: [18446744073709551616, 0.12345678901234567890], laplace: {scale: " + scale + "}}}]"
		_, subjects, err := claimsfile.ParseClaims("claims.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return subjects
	}
	one, other := parsed("1.00000000001"), parsed("1.00000000002")
	claims := one[0].Claims()
	if want := `at the input [18446744073709551616,0.12345678901234567890]`; len(claims) != 1 || claims[0].ID != "audit/x" || !strings.Contains(claims[0].Statement, want) {
		t.Errorf("%+v, want one claim whose statement contains %s", claims, want)
	}
	if claimsfile.Digest(one) == claimsfile.Digest(other) {
		t.Error("two distributions have the same digest")
	}
}

// The names of the inherited variables reach the process, and are part of the digest of a checkpoint.
func TestInheritedVariables(t *testing.T) {
	const claim = "claims:\n  - {name: x, exec: [cat], pairs: [{a: 1, b: 2}], guarantee: {epsilon: 1}"
	digests := make(map[string]string)
	for _, c := range []struct {
		key  string
		want []string
	}{
		{"", nil}, {", env: []", []string{}}, {", env: [PATH]", []string{"PATH"}},
		{", env: [PATH, HOME]", []string{"PATH", "HOME"}},
	} {
		text := claim + c.key + "}"
		_, subjects, err := claimsfile.ParseClaims("claims.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := subjects[0].Process().Env
		if !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%s: the process has %#v, want %#v", text, got, c.want)
		}
		digest := claimsfile.Digest(subjects)
		if other, seen := digests[digest]; seen {
			t.Errorf("%s and %s have the same digest", text, other)
		}
		digests[digest] = text
	}
	for list, want := range map[string]string{
		"PATH":         `got the word "PATH", want a list, as in [PATH]`,
		"{PATH: /bin}": "got a mapping, want a list",
		"":             "got nothing, want a list; leave the key out",
		"['']":         `claim "x": env: name 1 is empty`,
		"['PATH=/b']":  `claim "x": env: "PATH=/b" holds a =: want only the name "PATH"`,
		"[PATH, PATH]": `claim "x": env: "PATH" is given twice`,
	} {
		_, _, err := claimsfile.ParseClaims("claims.yaml", []byte(claim+", env: "+list+"}"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "claims.yaml:2:") {
			t.Errorf("%s: %v, want the error %s", list, err, want)
		}
	}
}

// Inputs are equal if their values are, up to the last digit.
func TestEqualInputs(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"9007199254740992", "9007199254740993", false},
		{"18446744073709551615", "18446744073709551614", false},
		{"[123456789012345678901234567890]", "[123456789012345678901234567891]", false},
		{"0.12345678901234567890123", "0.12345678901234567890124", false},
		{"1", "1.0", true},
		{"[1e2]", "[100]", true},
		{`{"a": 1, "b": 2}`, `{"b": 2, "a": 1.0}`, true},
		{"1", `"1"`, false},
	} {
		_, err := claimsfile.ParsePair(c.a, c.b)
		if got := err != nil; got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, err)
		}
		text := fmt.Sprintf("claims:\n  - {name: x, exec: [cat], pairs: [{a: %s, b: %s}], guarantee: {epsilon: 1}}\n", c.a, c.b)
		if _, _, err := claimsfile.ParseClaims("claims.yaml", []byte(text)); (err != nil && strings.Contains(err.Error(), "both inputs")) != c.same {
			t.Errorf("in YAML, %s and %s: %v", c.a, c.b, err)
		}
	}
}

// scalars holds usual and unusual scalars of YAML, and collections, to put in the place of a value.
var scalars = []string{
	"1", "0", "-0", "-1", "0.5", "1.0", "1e0", "1E0", "1e3", "2.0e3", "2000", "2000.0", "2000.5", "1e-2", "1e308", "9007199254740993",
	"9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e19", "1e30", "123456789012345678901234567890", "1e400",
	"010", "08", "00", "0o10", "0x10", "0b11", "1_000", "+1", "1.", ".5", "-.5", "1:30", "190:20:30", "1,5", "1,000",
	".inf", "-.inf", ".nan", ".NaN", "inf", "nan", "Infinity", `"1"`, "'1'", `"0.5"`, "1 000", "١",
	"true", "false", "True", "yes", "no", "on", "off", "y", "n", `"true"`, "null", "~", "", "Null", "warn", "Warn", `"warn"`, "fail",
	"2001-01-01", "2001-01-01T00:00:00Z", "!!int 1", "!!float 1", "!!str 1", "!!bool true", "&x 1", "word", `""`, "''", "[1]", "[]", "{}", "{a: 1}",
	"5s", `"5s"`, "5", "1.5m", "1m30s", "-5s", "+5s", "5S", "5 s", ".5s", "..5s", "1GiB", "01GiB", "+1GiB", "1.5GiB", "1 GiB", "1GB", "512MiB",
}

// The reader of claims files accepts a value if and only if the schema does.
func TestAuditSchemaAgreesOnScalars(t *testing.T) {
	s := compiled(t, "audit")
	good := 0
	for _, field := range []string{
		"seed", "claims", "name", "exec", "argument", "pairs", "guarantee", "epsilon", "delta", "rho", "mu", "alpha", "renyi", "samples", "timeout", "memory", "precision", "anytime", "mass", "input",
	} {
		for _, scalar := range scalars {
			text := scalarFile(field, scalar)
			_, _, read := claimsfile.ParseClaims("claims.yaml", []byte(text))
			if read != nil && !regexp.MustCompile(`^claims\.yaml:\d+:\d+: `).MatchString(read.Error()) {
				t.Errorf("%s: %s: the message has no line and column: %v", field, scalar, read)
			}
			body, err := strictyaml.Parse([]byte(text))
			if err != nil {
				if read == nil {
					t.Errorf("%s: %s is accepted, although readers of YAML disagree on it", field, scalar)
				}
				continue
			}
			document, err := json.Marshal(strictyaml.Value(body))
			if err != nil {
				t.Fatalf("%s: %s: %v", field, scalar, err)
			}
			if read != nil && field == "input" && scalar == "1e400" {
				continue // a schema does not bound the numbers of an input
			}
			if fits := validate(t, s, document); (read == nil) != (fits == nil) {
				t.Errorf("%s: %s: the reader says %v, the schema %v", field, scalar, read, fits)
			}
			if read == nil {
				good++
			}
		}
	}
	if good < 60 {
		t.Errorf("%d values are accepted, want at least 60", good)
	}
}

// scalarFile returns a claims file with a scalar in the given field.
func scalarFile(field, scalar string) string {
	parts := map[string]string{"seed": "1", "name": "x", "argument": "cat", "input": "[7]", "guarantee": "{epsilon: 1}", "samples": "300", "timeout": "90s", "memory": "1GiB", "precision": "off", "anytime": "false", "mass": "0.1"}
	switch field {
	case "epsilon", "rho", "mu":
		parts["guarantee"] = "\n      " + field + ": " + scalar
	case "delta":
		parts["guarantee"] = "\n      epsilon: 1\n      delta: " + scalar
	case "alpha":
		parts["guarantee"] = "\n      renyi: 1\n      alpha: " + scalar
	case "renyi":
		parts["guarantee"] = "\n      alpha: 2\n      renyi: " + scalar
	case "claims":
		return "claims: " + scalar + "\n"
	default:
		parts[field] = scalar
	}
	exec, pairs := "\n      - "+parts["argument"], "\n      - a: "+parts["input"]+"\n        b: [8]"
	if field == "exec" {
		exec = " " + scalar
	}
	if field == "pairs" {
		pairs = " " + scalar
	}
	text := "seed: " + parts["seed"] + "\nclaims:\n  - exec:" + exec + "\n    pairs:" + pairs + "\n"
	for _, key := range []string{"name", "guarantee", "samples", "timeout", "memory", "precision", "anytime", "mass"} {
		text += "    " + key + ": " + parts[key] + "\n"
	}
	return text
}
