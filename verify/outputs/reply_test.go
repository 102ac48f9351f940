package outputs

import (
	"strings"
	"testing"
)

// Brackets in strings do not count, and the depth limit is exact.
func TestDepth(t *testing.T) {
	nested := func(depth int) string { return strings.Repeat("[", depth) + "1" + strings.Repeat("]", depth) }
	for _, c := range []struct {
		value, reason string
		fine          bool
	}{
		{"1", "a scalar", true},
		{nested(maxValueDepth), "the deepest", true},
		{nested(maxValueDepth + 1), "one deeper", false},
		{nested(9000), "deeper by far", false},
		{"[" + nested(maxValueDepth-1) + "," + nested(maxValueDepth-1) + "]", "deep beside deep", true},
		{`["` + strings.Repeat("[", 500) + `"]`, "brackets in a string", true},
		{`["\"` + strings.Repeat("[", 500) + `"]`, "brackets behind a quote in a string", true},
		{`["\\",` + nested(maxValueDepth) + `]`, "a string that ends in a backslash", false},
		{strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000), "objects", false},
	} {
		_, err := DecodeValue([]byte(c.value))
		_, alike := ParseReply([]byte(`{"outputs": [`+c.value+`]}`), 1)
		if (err == nil) != c.fine || (alike == nil) != c.fine {
			t.Errorf("%s: %v, in a reply %v", c.reason, err, alike)
		}
		if err != nil && !strings.Contains(err.Error(), "64 deep: write the output as a flat array") {
			t.Errorf("%s: %v", c.reason, err)
		}
	}
}

// An object with a repeated key hides a value. It is rejected at any depth, in a reply and in a single value.
func TestKeysTwice(t *testing.T) {
	for _, c := range []struct {
		value string
		fine  bool
	}{
		{`{"a": 1, "b": {"a": 1}}`, true},
		{`[{"a": 1}, {"a": 1}]`, true},
		{`{"a": 1, "a": 1}`, false},
		{`[1, {"b": [{"a": 1, "\u0061": 2}]}]`, false},
	} {
		_, err := DecodeValue([]byte(c.value))
		_, alike := ParseReply([]byte(`{"outputs": [`+c.value+`]}`), 1)
		if (err == nil) != c.fine || (alike == nil) != c.fine || !c.fine && !strings.Contains(alike.Error(),
			`the key "a" twice`) {
			t.Errorf("%s: %v, in a reply %v", c.value, err, alike)
		}
	}
}
