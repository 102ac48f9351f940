package format

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"

	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/internal/visible"
)

// WriteJSON writes a value as indented JSON. Hidden characters are written as escapes. Figures are rounded
// to tolerance.PrintDigits significant digits, because later digits differ between processors. Sufficient
// statistics (the key "basis") keep every digit: dpverify recompute derives the figures from them.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(visible.JSON(roundFigures(b.Bytes())))
	return err
}

// exactKey is the key of sufficient statistics in the JSON of a claim.
var exactKey = []byte(`"basis"`)

// roundFigures rounds the numbers of a JSON text that have a fraction or an exponent, except below exactKey. Integers
// stay: they are counts and seeds.
func roundFigures(text []byte) []byte {
	out := make([]byte, 0, len(text))
	depth, exact := 0, -1 // exact is the depth of the object that has exactKey, or -1 outside its value
	for len(text) > 0 {
		n := 1
		switch c := text[0]; {
		case c == '"':
			n = stringLength(text)
			if exact < 0 && bytes.Equal(text[:n], exactKey) && text[n] == ':' {
				exact = depth
			}
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
			if depth < exact {
				exact = -1
			}
		case c == ',' && depth == exact:
			exact = -1
		case c == '-' || '0' <= c && c <= '9':
			n = len(text) - len(bytes.TrimLeft(text, "-+.0123456789eE"))
			if exact < 0 {
				out = append(out, roundedNumber(text[:n])...)
				text = text[n:]
				continue
			}
		}
		out = append(out, text[:n]...)
		text = text[n:]
	}
	return out
}

// stringLength returns the length of the JSON string at the start of a text, with both quotes.
func stringLength(text []byte) int {
	for n := 1; n < len(text); n++ {
		switch text[n] {
		case '\\':
			n++
		case '"':
			return n + 1
		}
	}
	return len(text)
}

// roundedNumber rounds the text of a JSON number; an integer stays as it is.
func roundedNumber(text []byte) []byte {
	if len(text) <= tolerance.PrintDigits || !bytes.ContainsAny(text, ".eE") {
		return text
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return text
	}
	rounded, err := json.Marshal(tolerance.Settled(x, tolerance.PrintDigits))
	if err != nil {
		return text
	}
	return rounded
}
