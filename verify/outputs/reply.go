package outputs

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/strictjson"
)

// MaxReplyValues is the maximum number of values in a reply, including those in arrays and objects. It limits the
// memory of a reply: a decoded value takes about ten times the memory of its text.
const MaxReplyValues = 4 << 20

// maxValueDepth is the maximum nesting depth of arrays and objects in an output. The decoder recurses once for each
// level.
const maxValueDepth = 64

// ParseReply reads the reply {"outputs": […]}, which must hold n outputs. Numbers are converted as by [ReadValue].
func ParseReply(line []byte, n int) ([]any, error) {
	if !utf8.Valid(line) {
		return nil, fmt.Errorf("%s is not in UTF-8", QuotedExcerpt(line))
	}
	if bytes.Count(line, []byte(",")) > MaxReplyValues {
		return nil, fmt.Errorf("it holds more than %d values", MaxReplyValues)
	}
	if deeper(line, maxValueDepth+replyDepth) {
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
		return nil, fmt.Errorf("%s is not {\"outputs\": […]}: %w%s", QuotedExcerpt(line), err, hint)
	}
	if outputs == nil {
		return nil, fmt.Errorf("%s has no \"outputs\"", QuotedExcerpt(line))
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

// replyDepth is the nesting depth of the outputs in a reply, which are in a list in an object.
const replyDepth = 2

// deeper reports whether the arrays and objects in a JSON text are nested deeper than limit.
func deeper(text []byte, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++ // the next character does not end the string
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > limit {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

func tooDeep() error {
	return fmt.Errorf("arrays and objects are nested more than %d deep: write the output as a flat array",
		maxValueDepth)
}

// readOutputs reads the list under the key "outputs", in lower case. It returns nil if there is no such key, and an
// error if it occurs twice. It ignores other keys.
func readOutputs(line []byte) (outputs []any, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("it is not an object")
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
			return nil, errors.New("the key outputs occurs twice")
		}
		if err := d.Decode(&outputs); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more text follows")
	}
	return outputs, nil
}

// ReadValue converts the numbers in a decoded value to float64, in place. An integer that float64 cannot hold stays a
// [json.Number]; see [decimal.Parse]. Numbers that cannot be represented are errors, and so are [MisspeltNumbers].
func ReadValue(v any) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) { // so that the returned error is always the same
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
		if slices.Contains(MisspeltNumbers, v) {
			return nil, fmt.Errorf("%q: numbers that are not finite are written \"nan\", \"inf\" and \"-inf\"", v)
		}
	}
	return v, nil
}

// MisspeltNumbers lists the texts that some languages write for NaN or infinity, instead of "nan", "inf" and "-inf".
var MisspeltNumbers = []string{
	"NaN", "-NaN", "NAN", "-nan", "nan(ind)", "-nan(ind)", "1.#QNAN", "-1.#IND",
	"Inf", "-Inf", "+Inf", "+inf", "INF", "-INF", "Infinity", "-Infinity", "+Infinity", "1.#INF", "-1.#INF",
}

// DecodeValue decodes one JSON value, nested at most 64 deep. It returns an error for repeated keys in an object and
// for half of a surrogate pair.
func DecodeValue(text []byte) (any, error) {
	if deeper(text, maxValueDepth) {
		return nil, tooDeep()
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more text follows")
	}
	if err := pairedSurrogates(text); err != nil {
		return nil, err
	}
	return v, strictjson.KeysOnce(text)
}

// surrogate matches an escaped backslash, the escape of a surrogate pair, or the escape of one half of a pair. Only a
// match of six bytes is a lone half.
var surrogate = regexp.MustCompile(
	`\\\\|\\u[dD]([89abAB][0-9a-fA-F]{2})(\\u[dD][c-fC-F][0-9a-fA-F]{2})?|\\u[dD][c-fC-F][0-9a-fA-F]{2}`)

// pairedSurrogates returns an error if a string has half of a surrogate pair. A decoder replaces all such halves by
// one character, so different strings would become equal.
func pairedSurrogates(text []byte) error {
	if !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`)) {
		return nil
	}
	for _, m := range surrogate.FindAll(text, -1) {
		if len(m) == len(`\ud800`) {
			return fmt.Errorf("a string has %s, half of a surrogate pair, which is not a character: write both halves, or "+
				"the string's bytes as numbers", m)
		}
	}
	return nil
}

// QuotedExcerpt quotes a line, shortened to 60 characters.
func QuotedExcerpt(line []byte) string {
	const most = 60
	s := strings.TrimSpace(strings.ToValidUTF8(string(line[:min(len(line), 4*most)]), "\uFFFD"))
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// ValueKind returns the kind of a decoded value: number, string, boolean, array or object; "" for null.
func ValueKind(v any) string {
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

// IsNaNValue reports whether a value is NaN, or an array or object that contains only NaN.
func IsNaNValue(v any) bool {
	other := func(v any) bool { return !IsNaNValue(v) }
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

// Fingerprints returns a hash of each value. Equal values have equal hashes, except that 0 and −0 differ.
func Fingerprints(values []any) []uint64 {
	out := make([]uint64, len(values))
	h := fnv.New64a()
	for i, v := range values {
		out[i] = fingerprint(h, v)
	}
	return out
}

// fingerprint hashes the bits of numbers, the hashes of the values in an array, and the text of other values.
func fingerprint(text hash.Hash64, v any) uint64 {
	switch v := v.(type) {
	case float64:
		if v == v { // each NaN has the same text
			return mixedBits(math.Float64bits(v))
		}
	case []any:
		sum := mixedBits(uint64(len(v)) + 1)
		for _, e := range v {
			sum = mixedBits(sum ^ fingerprint(text, e))
		}
		return sum
	}
	text.Reset()
	fmt.Fprintf(text, "%#v", v)
	return text.Sum64()
}

// mixedBits maps x by a bijection in which each bit of x affects all bits (splitmix64).
func mixedBits(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// DigestFingerprints returns a hash of a whole reply from the hashes of its values.
func DigestFingerprints(prints []uint64) uint64 {
	h := fnv.New64a()
	for _, p := range prints {
		var word [8]byte
		binary.BigEndian.PutUint64(word[:], p)
		h.Write(word[:]) // never fails
	}
	return h.Sum64()
}
