package outputs

import (
	"bytes"

	"github.com/dpverify/dpverify/internal/decimal"
)

// ReadNumbers reads a JSON number, or a JSON array of numbers, as [DecodeValue] and [ReadValue] do, in a fraction of
// the time. It reports false for all other texts, and for numbers that cannot be represented.
func ReadNumbers(text []byte) (v any, ok bool) {
	text = bytes.Trim(text, jsonSpace)
	list, array := bytes.CutPrefix(text, []byte("["))
	if !array {
		return readNumber(text)
	}
	if list, ok = bytes.CutSuffix(list, []byte("]")); !ok {
		return nil, false
	}
	out := make([]any, 0, bytes.Count(list, []byte(","))+1)
	for number := range bytes.SplitSeq(list, []byte(",")) {
		x, ok := readNumber(bytes.Trim(number, jsonSpace))
		if !ok {
			return nil, false
		}
		out = append(out, x)
	}
	return out, true
}

const jsonSpace = " \t\r\n"

func readNumber(text []byte) (v any, ok bool) {
	if !jsonNumber(text) {
		return nil, false
	}
	v, ok, err := decimal.Parse(string(text))
	return v, ok && err == nil
}

// jsonNumber reports whether a text is a number in the grammar of JSON.
func jsonNumber(text []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(text) && '0' <= text[n] && text[n] <= '9' {
			n++
		}
		text = text[n:]
		return n > 0
	}
	text, _ = bytes.CutPrefix(text, []byte("-"))
	if rest, zero := bytes.CutPrefix(text, []byte("0")); zero {
		text = rest
	} else if !digits() {
		return false
	}
	if rest, point := bytes.CutPrefix(text, []byte(".")); point {
		if text = rest; !digits() {
			return false
		}
	}
	if len(text) > 0 && (text[0] == 'e' || text[0] == 'E') {
		if text = text[1:]; len(text) > 0 && (text[0] == '+' || text[0] == '-') {
			text = text[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(text) == 0
}
