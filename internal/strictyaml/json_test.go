package strictyaml

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
)

// ParseJSON returns the values and the positions of Parse. Texts that are too deep or too long for Parse are read.
func TestParseJSON(t *testing.T) {
	for _, text := range []string{
		`{"a": [1, -2.5e-3, "x\n\"é\"", true, null, {}], "é": {"b": []}, "1": "3"}`,
		"[\n  {\"a\":\n\t1 ,\"b\" : [ 2,3 ]\n}\n]\n", `3`, `"x"`,
	} {
		got, err := ParseJSON([]byte(text))
		want, wrong := Parse([]byte(strings.ReplaceAll(text, "\t", " ")))
		if err != nil || wrong != nil || !reflect.DeepEqual(Value(got), Value(want)) {
			t.Fatalf("%s: %v (%v), want %v (%v)", text, got, err, want, wrong)
		}
		if a, b := positions(got), positions(want); a != b {
			t.Errorf("%s: positions %s, want %s", text, a, b)
		}
	}
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	long := "[" + strings.Repeat("1,\n", 20000) + "1]"
	for _, text := range []string{deep, long} {
		if _, err := ParseJSON([]byte(text)); err != nil {
			t.Error(err)
		}
	}
	_, err := ParseJSON([]byte("{\"a\": 1,\n \"a\": 2}"))
	if err == nil || err.Error() != `2:2: the key "a" is a duplicate: want each key once` {
		t.Errorf("a duplicate key: %v", err)
	}
	if _, err := ParseJSON([]byte(strings.Repeat(" ", MaxBytes) + "1")); err == nil {
		t.Error("a text that is too large is read")
	}
}

// positions lists the positions of all values.
func positions(n ast.Node) string {
	at := Token(n).Position
	text := fmt.Sprintf("%d:%d ", at.Line, at.Column)
	switch n := n.(type) {
	case *ast.SequenceNode:
		for _, v := range n.Values {
			text += positions(v)
		}
	case *ast.MappingNode:
		for _, v := range n.Values {
			text += positions(v.Key) + positions(v.Value)
		}
	case *ast.MappingValueNode:
		text += positions(n.Key) + positions(n.Value)
	}
	return text
}
