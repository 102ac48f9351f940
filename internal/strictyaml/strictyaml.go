// Package strictyaml parses a subset of YAML that all parsers read alike: JSON values in YAML notation.
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
	// MaxBytes of a file.
	MaxBytes = 4 << 20
	// MaxDepth bounds how deep lists and mappings stand within one another.
	MaxDepth = 100
	// maxLines of a file: the time that block mappings and lists take grows with the square of
	// their entries.
	maxLines = 10_000
	// maxOpen bounds what is open before the tree is known, since the parser's memory grows with
	// the square of it: brackets, be they in words, and dashes of a line.
	maxOpen = 1000
)

// Error tells what is wrong in a file, and where.
type Error struct {
	Line, Column int // from 1; 0 where the whole file, or the whole line, is meant
	What         string
}

// Error renders "line:column: what is wrong", to stand behind the name of a file and a colon.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return " " + e.What
	case e.Column == 0:
		return fmt.Sprintf("%d: %s", e.Line, e.What)
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.What)
}

// At is an error at a node.
func At(node ast.Node, format string, args ...any) *Error {
	at := Token(node).Position
	return &Error{at.Line, at.Column, fmt.Sprintf(format, args...)}
}

// Token is where a node begins: that of a block mapping would be its first colon.
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

// Parse parses one document and returns its body. Every error is an
// [*Error]: about what is no YAML, what is not in UTF-8, a second document, and about what
// readers of YAML read in several ways, or in a way that surprises: numbers other than
// JSON's (010 is 8 or 10, 1_000 a number or a word), keys that are no words, keys that stand
// twice, anchors, aliases, merge keys and tags.
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

// Value is what a node of a parsed file holds, as package json decodes it with its UseNumber: the
// library would cut digits, and make strings of numbers with an exponent or beyond 64 bits.
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

// withZero writes the 0 before a point that JSON wants.
func withZero(number string) string {
	if i := strings.IndexByte(number, '.'); i == 0 || i == 1 && number[0] == '-' {
		return number[:i] + "0" + number[i:]
	}
	return number
}

// contain makes an error of a panic of the library, which some malformed files cause.
func contain(err *error) {
	if p := recover(); p != nil {
		*err = &Error{What: fmt.Sprintf("it is no YAML that can be read (%v)", p)}
	}
}

// decoded is the text of a file that is not too large.
func decoded(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	switch {
	case len(data) > MaxBytes:
		return nil, &Error{What: fmt.Sprintf("it is larger than %d MiB", MaxBytes>>20)}
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return nil, &Error{Line: 1, What: "the file is in UTF-16: save it in UTF-8"}
	case bytes.Count(data, []byte("\n")) > maxLines:
		return nil, &Error{Line: maxLines, What: fmt.Sprintf("the file goes on after %d lines: write long lists and "+
			"mappings on one line each, as JSON", maxLines)}
	}
	if openTooMany(data) {
		return nil, &Error{What: fmt.Sprintf("lists and mappings stand within one another more than %d deep", MaxDepth)}
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

// openTooMany tells whether more brackets are open at once than maxOpen, or a line has more
// entries of lists begun within one another.
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

// placed is an error of the library with its place.
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
	at := known.GetToken().Position
	return &Error{at.Line, at.Column, known.GetMessage()}
}

// plain refuses a second document, and what walker refuses.
func plain(file *ast.File) error {
	for i, doc := range file.Docs {
		switch {
		case doc.Body == nil:
			continue
		case i > 0:
			return At(doc.Body, "a second document: want one")
		}
		w := &walker{}
		ast.Walk(level{w, 0}, doc.Body)
		if w.err != nil {
			return w.err
		}
	}
	return nil
}

// walker keeps the first fault of a tree.
type walker struct{ err *Error }

// level is the walker at a depth.
type level struct {
	*walker
	depth int
}

// Visit looks at a node; nil ends the walk below it.
func (l level) Visit(node ast.Node) ast.Visitor {
	if l.err != nil {
		return nil
	}
	switch n := node.(type) {
	case *ast.MappingNode, *ast.SequenceNode:
		if l.depth++; l.depth > MaxDepth {
			l.err = At(node, "lists and mappings stand within one another more than %d deep", MaxDepth)
		}
	case *ast.MappingValueNode:
		l.err = checkKey(n.Key)
	case *ast.AliasNode:
		l.err = At(node, "an alias: write out what it stands for")
	case *ast.AnchorNode:
		l.err = At(node, "an anchor: write the value alone")
	case *ast.TagNode:
		l.err = At(node, "a tag, %s: write the value alone, a word in quotes", node.GetToken().Value)
	case ast.ScalarNode:
		l.err = checkNumber(n)
	}
	if l.err != nil {
		return nil
	}
	return l
}

// checkKey refuses keys that are no words: some readers take 1 and "1" for two keys.
func checkKey(key ast.Node) *Error {
	switch key.(type) {
	case *ast.StringNode:
		return nil
	case *ast.MergeKeyNode:
		return At(key, "a merge key: write out what it stands for")
	case *ast.IntegerNode, *ast.FloatNode:
		return At(key, "the number %s stands where a key is wanted: a key is a word, here %q in quotes; and a decimal "+
			"fraction is written with a point, as in 1.5", key.GetToken().Value, key.GetToken().Value)
	}
	return At(key, "%s is no key: a key is a word, if need be in quotes", key.GetToken().Value)
}

// elsewhereNumber matches texts that some other reader of YAML, or of numbers, reads as a number.
var elsewhereNumber = regexp.MustCompile(`^[-+]?(\.?[0-9][0-9_,]*(\.[0-9_]*)?([eE][-+]?[0-9_]*)?|0[xX][0-9a-fA-F_]+|` +
	`0[oO][0-7_]+|0[bB][01_]+|[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?|\.(inf|Inf|INF|nan|NaN|NAN))$`)

// IsNumber tells a number that stands for itself: without quotes, as in JSON but for a 0 before the point, which
// all readers take for granted.
func IsNumber(node ast.Node) bool {
	scalar, ok := node.(ast.ScalarNode)
	return ok && !quoted(scalar) && decimal.Is(node.GetToken().Value)
}

// Quoted tells a word that could be nothing else.
func quoted(node ast.ScalarNode) bool {
	switch node.GetToken().Type {
	case token.SingleQuoteType, token.DoubleQuoteType:
		return true
	}
	_, block := node.(*ast.LiteralNode)
	return block
}

// checkNumber refuses numbers that JSON does not write, and words that some take for numbers.
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
	return At(node, "%s is not how JSON writes a number, and not read alike everywhere: %s", cut(text), instead(text))
}

// instead is what to write.
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
	case strings.Trim(digits, "0123456789.") == "" && strings.TrimLeft(digits, "0") != "" && !strings.HasSuffix(digits, "."):
		digits = strings.TrimLeft(digits, "0")
		if digits[0] == '.' {
			digits = "0" + digits
		}
		return "write " + sign + cut(digits) + " for the decimal number; " + word
	}
	return "write it in decimal digits alone, with a point before a fraction; " + word
}

// cut quotes what may be long.
func cut(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
