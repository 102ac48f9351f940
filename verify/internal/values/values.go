package values

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/strictjson"
)

// MaxValues bounds the values of a reply, those within arrays and objects included: a value takes
// ten times the memory of its text.
const MaxValues = 4 << 20

// MaxDepth bounds how deep arrays and objects stand within one another, in an output: what is decoded
// calls itself once for each.
const MaxDepth = 64

// ParseReply reads the outputs of a reply; each value is checked.
func ParseReply(line []byte, n int) ([]any, error) {
	if !utf8.Valid(line) {
		return nil, fmt.Errorf("%s is not in UTF-8", Excerpt(line))
	}
	if bytes.Count(line, []byte(",")) > MaxValues {
		return nil, fmt.Errorf("it holds more than %d values", MaxValues)
	}
	if deeper(line, MaxDepth+replyDepth) {
		return nil, tooDeep()
	}
	outputs, err := readOutputs(line)
	if err == nil {
		err = pairedSurrogates(line)
	}
	if err == nil && bytes.Count(line, []byte("{")) > 1 {
		err = strictjson.KeysOnce(line)
	}
	if err != nil {
		hint := ""
		if bytes.Contains(line, []byte("NaN")) || bytes.Contains(line, []byte("Infinity")) {
			hint = `; numbers that are not finite are written "nan", "inf" and "-inf"`
		}
		return nil, fmt.Errorf("%s is not {\"outputs\": […]}: %w%s", Excerpt(line), err, hint)
	}
	if outputs == nil {
		return nil, fmt.Errorf("%s has no \"outputs\"", Excerpt(line))
	}
	if len(outputs) != n {
		return nil, fmt.Errorf("it holds %d outputs, want %d", len(outputs), n)
	}
	for i, v := range outputs {
		if outputs[i], err = ReadValue(v); err != nil {
			return nil, fmt.Errorf("output %d: %w", i+1, err)
		}
	}
	return outputs, nil
}

// replyDepth is that of the outputs of a reply, in its object and in their list.
const replyDepth = 2

// deeper tells JSON that goes deeper than so many brackets, in one pass.
func deeper(text []byte, most int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++ // what follows ends no string
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > most {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

func tooDeep() error {
	return fmt.Errorf("arrays and objects stand within one another more than %d deep: write the output as a flat array",
		MaxDepth)
}

// readOutputs reads the list of that name, which stands there once, in lower case; nil
// if it does not. Other keys are passed over.
func readOutputs(line []byte) (outputs []any, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("it is no object")
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		if key != "outputs" {
			var other json.RawMessage
			if err := d.Decode(&other); err != nil {
				return nil, err
			}
			continue
		}
		if outputs != nil {
			return nil, errors.New("outputs stand there twice")
		}
		if err := d.Decode(&outputs); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after it")
	}
	return outputs, nil
}

// ReadValue turns the numbers of a decoded value into float64, or leaves them as
// [json.Number] where their digits are more than that holds; see [decimal.Parse].
func ReadValue(v any) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) { // of several faults the same is named
			read, err := ReadValue(v[key])
			if err != nil {
				return nil, err
			}
			v[key] = read
		}
	case []any:
		for i, e := range v {
			read, err := ReadValue(e)
			if err != nil {
				return nil, err
			}
			v[i] = read
		}
	case json.Number:
		x, _, err := decimal.Parse(string(v))
		return x, err
	case string:
		if slices.Contains(Misspelt, v) {
			return nil, fmt.Errorf("%q: numbers that are not finite are written \"nan\", \"inf\" and \"-inf\"", v)
		}
	}
	return v, nil
}

// Misspelt are strings that some languages write for a number that is not finite.
var Misspelt = []string{
	"NaN", "-NaN", "NAN", "-nan", "nan(ind)", "-nan(ind)", "1.#QNAN", "-1.#IND",
	"Inf", "-Inf", "+Inf", "+inf", "INF", "-INF", "Infinity", "-Infinity", "+Infinity", "1.#INF", "-1.#INF",
}

// DecodeValue reads one JSON value, at most [MaxDepth] deep.
func DecodeValue(text []byte) (any, error) {
	if deeper(text, MaxDepth) {
		return nil, tooDeep()
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after it")
	}
	if err := pairedSurrogates(text); err != nil {
		return nil, err
	}
	return v, strictjson.KeysOnce(text)
}

// surrogate is the escape of half a character.
var surrogate = regexp.MustCompile(
	`\\\\|\\u[dD]([89abAB][0-9a-fA-F]{2})(\\u[dD][c-fC-F][0-9a-fA-F]{2})?|\\u[dD][c-fC-F][0-9a-fA-F]{2}`)

// pairedSurrogates is an error where a string has half of a pair of surrogates: a decoder replaces all such halves by
// one character, so that different strings would be equal.
func pairedSurrogates(text []byte) error {
	if !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`)) {
		return nil
	}
	for _, m := range surrogate.FindAll(text, -1) {
		if len(m) == len(`\ud800`) {
			return fmt.Errorf("a string has %s, half of a surrogate pair, which is no character: write both halves, or "+
				"the string's bytes as numbers", m)
		}
	}
	return nil
}

// Excerpt quotes the beginning of a line.
func Excerpt(line []byte) string {
	const most = 60
	s := strings.TrimSpace(strings.ToValidUTF8(string(line[:min(len(line), 4*most)]), "\uFFFD"))
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// Kind is the kind of a decoded value; that of null is "".
func Kind(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64, json.Number:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case string:
		if v == "nan" || v == "inf" || v == "-inf" {
			return "number"
		}
	}
	return "string"
}

// IsNaN tells NaN, and an array or an object of nothing else.
func IsNaN(v any) bool {
	other := func(v any) bool { return !IsNaN(v) }
	switch v := v.(type) {
	case []any:
		return len(v) > 0 && !slices.ContainsFunc(v, other)
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if other(v[key]) {
				return false
			}
		}
		return len(v) > 0
	}
	return v == "nan"
}
