package format

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriteJSONRoundsFigures(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a last bit of one processor", `[0.42750000000000005, -1.0687500000000001e-05]`, `[0.4275, -0.00001068750000]`},
		{"exponents", `[1.7976931348623157e+308, 5e-324, 2.8328611898016998e-9]`, `[1.79769313486e+308, 5e-324, 2.8328611898e-9]`},
		{"integers", `[9007199254740993, 18446744073709551615]`, `[9007199254740993, 18446744073709551615]`},
		{"text", `["0.42750000000000005", "\"basis\": 0.42750000000000005"]`, `["0.42750000000000005", "\"basis\": 0.42750000000000005"]`},
		{"statistics are exact", `{"a": {"basis": {"x": [0.42750000000000005, {"y": 1.0687500000000001}], "z": 1.0687500000000001}, "b": 1.0687500000000001}}`,
			`{"a": {"basis": {"x": [0.42750000000000005, {"y": 1.0687500000000001}], "z": 1.0687500000000001}, "b": 1.06875}}`},
		{"statistics at the end", `[{"basis": {"x": 1.0687500000000001}}, 1.0687500000000001]`, `[{"basis": {"x": 1.0687500000000001}}, 1.06875]`},
		{"a single exact number", `{"basis": 1.0687500000000001, "b": 1.0687500000000001}`, `{"basis": 1.0687500000000001, "b": 1.06875}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got bytes.Buffer
			if err := WriteJSON(&got, json.RawMessage(c.in)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(canonical(t, c.want), canonical(t, got.String())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// canonical returns a JSON text without blanks. Numbers keep their digits up to their notation.
func canonical(t *testing.T, text string) string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	out, err := json.Marshal(plainNumbers(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// plainNumbers replaces numbers with a fraction by their float64 values.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	case json.Number:
		if x, err := v.Float64(); err == nil && bytes.ContainsAny([]byte(v), ".e") {
			return x
		}
	}
	return v
}
