package strictyaml

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"a: 1\n", `{"a":1}`, "a mapping"},
		{"\uFEFFa: 1\r\nb: x\r\n", `{"a":1,"b":"x"}`, "a byte order mark and CRLF line ends"},
		{`{"a": [1.50, -0, 1e-5, 123456789012345678901234567890]}`, `{"a":[1.50,-0,1e-5,123456789012345678901234567890]}`, "numbers keep their digits"},
		{"a: \"010\"\nb: '1_000'\nc: |\n  0x10\n", `{"a":"010","b":"1_000","c":"0x10\n"}`, "words in quotes"},
		{"a: yes\nb: 1.2.3\nc: 2001-01-01\nd: x-1\n", `{"a":"yes","b":"1.2.3","c":"2001-01-01","d":"x-1"}`, "words"},
		{"a: True\nb: ~\n", `{"a":true,"b":null}`, "a Boolean and null"},
		{strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth), "the maximum depth"},
	} {
		body, err := Parse([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if got, err := json.Marshal(Value(body)); err != nil || string(got) != c.want {
			t.Errorf("%s: %s (%v), want %s", c.reason, got, err, c.want)
		}
	}
}

func TestParseRejects(t *testing.T) {
	for _, c := range []struct{ text, want, reason string }{
		{"", "empty", "an empty file"},
		{"# x\n", "empty", "only a comment"},
		{"a: 1\na: 2\n", "2:1: ", "a duplicate key"},
		{"b: {a: 1, a: 2}\n", "1:11: ", "a duplicate key in a nested mapping"},
		{"1: 2\n", "1:1: want a key and got the number 1", "a number as a key"},
		{"{e: 1,5}", "as in 1.5", "a decimal comma within braces"},
		{"e: 1,5", "1:4: 1,5 is not a number in JSON form", "a decimal comma"},
		{"e: 010", "write 10 for the decimal number", "octal or decimal"},
		{"true: 1\n", "1:1: true is not a key", "a Boolean as a key"},
		{"a: &x 1\n", "1:4: an anchor", "an anchor"},
		{"a: [&x 1, *x]\n", "1:5: an anchor", "an alias"},
		{"a: {<<: {b: 1}}\n", "1:5: a merge key", "a merge key"},
		{"a: !!str 1\n", "1:4: a tag, !!str", "a tag"},
		{"a: 1\n---\nb: 2\n", "3:1: a second document", "two documents"},
		{"\xff\xfea\x00", "1: the file is in UTF-16", "UTF-16"},
		{"\xfe\xff\x00a", "1: the file is in UTF-16", "UTF-16, big-endian"},
		{"a: 1\nb: \xe9\n", "2: the file is not in UTF-8", "Latin-1"},
		{strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), "nested more than 100 deep", "too deep"},
		{strings.Repeat("[", 2_000_000), "more than 100 deep", "open brackets"},
		{strings.Repeat("- ", 2_000_000), "more than 100 deep", "dashes"},
		{strings.Repeat("{a: ", 1_000_000), "more than 100 deep", "open braces"},
		{strings.Repeat("[\n", 9_000), "more than 100 deep", "an open bracket on each line"},
		{"a:\n" + strings.Repeat("- 1\n", 11_000), "longer than 10000 lines", "too many lines"},
		{strings.Repeat("x", MaxBytes+1), "larger than 4 MiB", "too large"},
	} {
		if _, err := Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.reason, err, c.want)
		}
	}
}
