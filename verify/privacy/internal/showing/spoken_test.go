package showing

import (
	"encoding/json"
	"testing"

	"github.com/dpverify/dpverify/empirical/witness"
)

// Values of outputs are named as their cells are encoded: a list within another has its length before its items.
func TestSpoken(t *testing.T) {
	encode, err := witness.Encoder[any]()
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
		{[]string{`[[1, 2], 7]`}, "number output[0] is 2", "the length of item 1 is 2", "a list in a list"},
		{[]string{`[[1, 2], 7]`}, "number output[3] is 7", "item 2 is 7", "what follows it"},
		{[]string{`{"sum": 2.5, "count": 3}`}, "number output[1] is 2", `"sum" is 2`, "keys count by the alphabet"},
		{[]string{`{"sum": 2.5, "xs": [4, 5]}`}, "number output[3] is 5", `item 2 of "xs" is 5`, "a list in an object"},
		{[]string{`{"output[0] ≥ 3": 2.5, "a": {"b": 1}}`}, "number output[0] is 2", `"output[0] ≥ 3" is 2`, "a key like an event"},
		{[]string{`{"a": 1}`, `{"a": 1, "b": 2}`}, "number output[1] is 2",
			"value 2 of the output, written out with its lengths, is 2", "from output to output others"},
		{[]string{`[[1, 2], [3]]`, `[[1], [3]]`}, "number output[0] is at most 1", "the length of item 1 is at most 1",
			"the length of a list that changes is in one place"},
		{[]string{`[[1, 2], [3]]`, `[[1], [3]]`}, "number output[2] is 2",
			"value 3 of the output, written out with its lengths, is 2", "what follows it is not"},
	} {
		s := Shown{Pairs: make([]Pair, 1)}
		for _, text := range c.outputs {
			var v any
			if err := json.Unmarshal([]byte(text), &v); err != nil {
				t.Fatal(err)
			}
			row := encode(nil, v)
			s.Pairs[0].Examples[0].See(v, row)
			if names := s.places(); len(c.outputs) == 1 && names != nil && len(names) != len(witness.Values(row))-1 {
				t.Errorf("%s has %d names, and %d values", text, len(names), len(witness.Values(row))-1)
			}
		}
		if got := s.Spoken(c.said); got != c.spoken {
			t.Errorf("%v: %q is spoken %q, want %q: %s", c.outputs, c.said, got, c.spoken, c.reason)
		}
	}
}
