// Package strictyaml parses a subset of YAML that all parsers read alike: JSON values in YAML notation. It rejects
// numbers that JSON does not have, duplicate keys, anchors, aliases, merge keys, tags and further documents. Errors
// contain the line and the column.
package strictyaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/dpverify/dpverify/internal/decimal"
)

const (
	// MaxBytes is the maximum size of a file.
	MaxBytes = 4 << 20
	// MaxDepth is the maximum nesting depth of lists and mappings.
	MaxDepth = 100
	// maxLines is the maximum number of lines. The parser's time for a block mapping or list grows with the square of
	// its length.
	maxLines = 10_000
	// maxOpen is the maximum number of open brackets, also in words, and of dashes at the start of a line. It is
	// checked before parsing, because the parser's memory grows with the square of the depth.
	maxOpen = 1000
)

const tooDeep = "lists and mappings are nested more than %d deep"

// Error is a fault in a file and its position.
type Error struct {
	Line, Column int // from 1; Line 0 means the whole file, Column 0 the whole line
	What         string
}

// Error returns "line:column: fault". The caller writes the file name and a colon before it.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return " " + e.What
	case e.Column == 0:
		return fmt.Sprintf("%d: %s", e.Line, e.What)
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.What)
}

// At returns an error at the position of a node.
func At(node ast.Node, format string, args ...any) *Error {
	pos := Token(node).Position
	return &Error{pos.Line, pos.Column, fmt.Sprintf(format, args...)}
}

// Token returns the first token of a node. The library's token of a block mapping is its first colon; Token returns
// the first key.
func Token(node ast.Node) *token.Token {
	switch n := node.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return n.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return n.Key.GetToken()
	}
	return node.GetToken()
}

// Parse parses one document and returns its body. Every error is an [*Error]. Parse rejects text that is not valid
// YAML or not in UTF-8, and a second document. It also rejects what YAML parsers read in different ways: numbers in
// another form than JSON's (010 is 8 or 10, 1_000 a number or a word), keys that are not words, duplicate keys,
// anchors, aliases, merge keys and tags.
func Parse(data []byte) (body ast.Node, err error) {
	defer contain(&err)
	text, err := decoded(data)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, placed(err)
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, &Error{What: "the file is empty"}
	}
	return file.Docs[0].Body, plain(file)
}

// Decode decodes a node of a file that Parse has parsed.
func Decode(node ast.Node, into any) (err error) {
	defer contain(&err)
	if err := yaml.NodeToValue(node, into); err != nil {
		return placed(err)
	}
	return nil
}

// Value returns the value of a node of a parsed file, in the types of package json with UseNumber. The library's own
// decoder would drop digits, and return strings for numbers with an exponent or of more than 64 bits.
func Value(node ast.Node) any {
	switch n := node.(type) {
	case *ast.MappingNode:
		m := make(map[string]any, len(n.Values))
		for _, field := range n.Values {
			m[field.Key.GetToken().Value] = Value(field.Value)
		}
		return m
	case *ast.MappingValueNode:
		return map[string]any{n.Key.GetToken().Value: Value(n.Value)}
	case *ast.SequenceNode:
		list := make([]any, len(n.Values))
		for i, v := range n.Values {
			list[i] = Value(v)
		}
		return list
	case *ast.NullNode:
		return nil
	case *ast.BoolNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	}
	if IsNumber(node) {
		return json.Number(withZero(node.GetToken().Value))
	}
	return node.GetToken().Value
}

// withZero adds the 0 before a decimal point, which JSON requires.
func withZero(number string) string {
	if i := strings.IndexByte(number, '.'); i == 0 || i == 1 && number[0] == '-' {
		return number[:i] + "0" + number[i:]
	}
	return number
}

// contain converts a panic of the library into an error. Some malformed files cause a panic.
func contain(err *error) {
	if p := recover(); p != nil {
		*err = &Error{What: fmt.Sprintf("it is not valid YAML (%v)", p)}
	}
}

// decoded returns the text without a byte order mark. A text that is too large, nested too deeply or not in UTF-8 is
// an error.
func decoded(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	switch {
	case len(data) > MaxBytes:
		return nil, &Error{What: fmt.Sprintf("it is larger than %d MiB", MaxBytes>>20)}
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return nil, &Error{Line: 1, What: "the file is in UTF-16: save it in UTF-8"}
	case bytes.Count(data, []byte("\n")) > maxLines:
		return nil, &Error{Line: maxLines, What: fmt.Sprintf("the file is longer than %d lines: write long lists and "+
			"mappings on one line each, as JSON", maxLines)}
	}
	if openTooMany(data) {
		return nil, &Error{What: fmt.Sprintf(tooDeep, MaxDepth)}
	}
	line := 1
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			return nil, &Error{Line: line, What: "the file is not in UTF-8"}
		}
		if r == '\n' {
			line++
		}
		rest = rest[size:]
	}
	return data, nil
}

// openTooMany reports whether more than maxOpen brackets are open at once, or a line begins more than maxOpen nested
// lists.
func openTooMany(data []byte) bool {
	open, dashes, leading := 0, 0, true
	for _, c := range data {
		switch {
		case c == '\n':
			dashes, leading = 0, true
		case c == ' ' || c == '\t':
		case leading && (c == '-' || c == '?'):
			dashes++
		default:
			leading = false
		}
		switch c {
		case '[', '{':
			open++
		case ']', '}':
			open = max(0, open-1)
		}
		if open > maxOpen || dashes > maxOpen {
			return true
		}
	}
	return false
}

// placed converts an error of the library to an *Error with its position.
func placed(err error) error {
	var known yaml.Error
	switch {
	case errors.Is(err, yaml.ErrExceededMaxDepth):
		return &Error{What: "it is nested too deeply"}
	case !errors.As(err, &known):
		return &Error{What: err.Error()}
	case known.GetToken() == nil:
		return &Error{What: known.GetMessage()}
	}
	pos := known.GetToken().Position
	return &Error{pos.Line, pos.Column, known.GetMessage()}
}

// plain returns an error for a second document and for the first fault that a walker finds.
func plain(file *ast.File) error {
	for i, doc := range file.Docs {
		switch {
		case doc.Body == nil:
			continue
		case i > 0:
			return At(doc.Body, "a second document: want only one")
		}
		w := &walker{}
		ast.Walk(level{w, 0}, doc.Body)
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// walker finds the first fault of a tree.
type walker struct{ err *Error }

// level is a walker at a nesting depth.
type level struct {
	*walker
	depth int
}

// Visit checks a node. It returns nil after a fault, to end the walk.
func (l level) Visit(node ast.Node) ast.Visitor {
	if l.err != nil {
		return nil
	}
	switch n := node.(type) {
	case *ast.MappingNode, *ast.SequenceNode:
		if l.depth++; l.depth > MaxDepth {
			l.err = At(node, tooDeep, MaxDepth)
		}
	case *ast.MappingValueNode:
		l.err = checkKey(n.Key)
	case *ast.AliasNode:
		l.err = At(node, "an alias: write out its value")
	case *ast.AnchorNode:
		l.err = At(node, "an anchor: write only the value")
	case *ast.TagNode:
		l.err = At(node, "a tag, %s: write only the value, in quotes if it is a word", node.GetToken().Value)
	case ast.ScalarNode:
		l.err = checkNumber(n)
	}
	if l.err != nil {
		return nil
	}
	return l
}

// checkKey rejects keys that are not words. Some parsers treat 1 and "1" as two keys.
func checkKey(key ast.Node) *Error {
	switch key.(type) {
	case *ast.StringNode:
		return nil
	case *ast.MergeKeyNode:
		return At(key, "a merge key: write out the keys of the mapping")
	case *ast.IntegerNode, *ast.FloatNode:
		return At(key, "want a key and got the number %s: write a key as a word, here %q in quotes; write a decimal "+
			"fraction with a point, as in 1.5", key.GetToken().Value, key.GetToken().Value)
	}
	return At(key, "%s is not a key: write a word, in quotes if necessary", key.GetToken().Value)
}

// elsewhereNumber matches texts that some other parser of YAML, or of numbers, reads as a number.
var elsewhereNumber = regexp.MustCompile(`^[-+]?(\.?[0-9][0-9_,]*(\.[0-9_]*)?([eE][-+]?[0-9_]*)?|0[xX][0-9a-fA-F_]+|` +
	`0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?|\.(inf|Inf|INF|nan|NaN|NAN))$`)

// IsNumber reports whether a node is a number without quotes in the form of [decimal.Is].
func IsNumber(node ast.Node) bool {
	scalar, ok := node.(ast.ScalarNode)
	return ok && !quoted(scalar) && decimal.Is(node.GetToken().Value)
}

// quoted reports whether a node is in quotes or a block, and therefore a word for every parser.
func quoted(node ast.ScalarNode) bool {
	switch node.GetToken().Type {
	case token.SingleQuoteType, token.DoubleQuoteType:
		return true
	}
	_, block := node.(*ast.LiteralNode)
	return block
}

// checkNumber rejects numbers in another form than JSON's, and words that some parsers read as numbers.
func checkNumber(node ast.ScalarNode) *Error {
	text := node.GetToken().Value
	switch node.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
	case *ast.StringNode:
		if quoted(node) || !elsewhereNumber.MatchString(text) {
			return nil
		}
	default:
		return nil
	}
	if decimal.Is(text) {
		return nil
	}
	return At(node, "%s is not a number in JSON form, and parsers differ in how they read it: %s",
		cut(text), instead(text))
}

// instead says what to write for a text that is not a number in JSON's form.
func instead(text string) string {
	word := fmt.Sprintf("write %q in quotes if it is a word", cut(text))
	sign, digits := "", strings.TrimPrefix(text, "+")
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	switch {
	case strings.HasSuffix(strings.ToLower(text), "inf"), strings.HasSuffix(strings.ToLower(text), "nan"):
		return "numbers are finite; " + word
	case strings.HasPrefix(digits, "."):
		return "write " + sign + "0" + cut(strings.ReplaceAll(digits, "_", "")) + "; " + word
	case strings.Trim(digits, "0123456789.") == "" && strings.TrimLeft(digits, "0") != "" &&
		!strings.HasSuffix(digits, "."):
		digits = strings.TrimLeft(digits, "0")
		if digits[0] == '.' {
			digits = "0" + digits
		}
		return "write " + sign + cut(digits) + " for the decimal number; " + word
	}
	return "write it in decimal digits, with a point before a fraction; " + word
}

// cut shortens a text for a message.
func cut(text string) string {
	const maxLength = 40
	if len(text) > maxLength {
		return text[:maxLength] + "…"
	}
	return text
}
