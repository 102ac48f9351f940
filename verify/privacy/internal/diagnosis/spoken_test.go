package diagnosis

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// TestSpoken checks that output values are named in the order of their encoding. A nested list has its length before its
// items.
func TestSpoken(t *testing.T) {
	encode, err := distinguisher.Encoder[any]()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		outputs      []string // as JSON
		said, spoken string
		reason       string
	}{
		{[]string{`1.5`}, "the number is at least 1", "the number is at least 1", "a number"},
		{[]string{`[1, 2]`, `[3]`}, "number output[1] is 2", "the second number is 2", "a list"},
		{[]string{`[[1, 2], 7]`}, "number output[0] is 2", "the first list has 2 items", "a list in a list"},
		{[]string{`[[1, 2], 7]`}, "number output[3] is 7", "item 2 is 7", "a number after a list"},
		{[]string{`[7, [1, 2]]`}, "number output[1] is at least 2", "item 2 has at least 2 items", "a list after a number"},
		{[]string{`[[5], [6]]`}, "number output[2] is at most 1", "the second list has at most 1 item", "the second list"},
		{[]string{`[[5], [6]]`}, "number output[3] is 6.5", "item 1 of the second list is 6.5", "an item of the second list"},
		{[]string{`[[[1]], [], [[], [8, 9]]]`}, "number output[6] is between 1 and 3",
			"the second list of the third list has between 1 and 3 items", "three levels"},
		{[]string{`[[1, 2], [3]]`}, "the remainder of number output[0] divided by 2 is 0",
			"the remainder of the length of the first list divided by 2 is 0", "a length that is not compared"},
		{[]string{`[["ab"], ["c"]]`}, "the string output[1] has at most 3 characters",
			"item 1 of the first list has at most 3 characters", "a string's length"},
		{[]string{`{"sum": 2.5, "count": 3}`}, "number output[1] is 2", `"sum" is 2`, "keys in alphabetical order"},
		{[]string{`{"sum": 2.5, "xs": [4, 5]}`}, "number output[3] is 5", `item 2 of "xs" is 5`, "a list in an object"},
		{[]string{`{"sum": 2.5, "xs": [4, 5]}`}, "number output[1] is at most 0", `"xs" has at most 0 items`, "the length of a list in an object"},
		{[]string{`{"sum": 2.5, "xs": [[4], [5]]}`}, "number output[4] is 1; or number output[2] is 1",
			`the second list of "xs" has 1 item; or the first list of "xs" has 1 item`, "lists in a list in an object"},
		{[]string{`[{"id": 2, "xs": [4]}]`}, "number output[2] is at least 1", `"xs" of item 1 has at least 1 item`,
			"a list in a record"},
		{[]string{`{"output[0] ≥ 3": 2.5, "a": {"b": 1}}`}, "number output[0] is 2", `"output[0] ≥ 3" is 2`, "a key like an event"},
		{[]string{`{"output[0] ≥ 3": [1]}`}, "number output[0] is 1", `"output[0] ≥ 3" has 1 item`, "a list at such a key"},
		{[]string{`{"a": 1}`, `{"a": 1, "b": 2}`}, "number output[1] is 2",
			"value 2 of the output, counting list lengths, is 2", "keys that differ between outputs"},
		{[]string{`[[1, 2], [3]]`, `[[1], [3]]`}, "number output[0] is at most 1", "the first list has at most 1 item",
			"the position of a list's length is fixed"},
		{[]string{`[[1, 2], [3]]`, `[[1], null]`}, "number output[0] is at most 1", "the first list has at most 1 item",
			"with different values after it"},
		{[]string{`[[1, 2], [3]]`, `[[1], [3]]`}, "number output[2] is 2",
			"value 3 of the output, counting list lengths, is 2", "positions after a list of varying length vary"},
		{[]string{`[[` + strings.Repeat("0.1234567890123, ", 70) + `7], [1]]`}, "number output[0] is 71",
			"the first list has 71 items", "an output that is too long to be shown"},
	} {
		s := Shown{Pairs: make([]ShownPair, 1)}
		for _, text := range c.outputs {
			var v any
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				t.Fatal(err)
			}
			row := encode(nil, v)
			s.Pairs[0].Examples[0].See(v, row)
			if names := s.Places(); len(c.outputs) == 1 && names != nil && len(names) != len(distinguisher.Values(row))-1 {
				t.Errorf("%s has %d names, and %d values", text, len(names), len(distinguisher.Values(row))-1)
			}
		}
		if got := s.Spoken(c.said); got != c.spoken {
			t.Errorf("%v: %q is rendered as %q, want %q: %s", c.outputs, c.said, got, c.spoken, c.reason)
		}
	}
}
