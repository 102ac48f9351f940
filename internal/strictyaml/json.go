package strictyaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// ParseJSON is like [Parse] for a text that json.Valid accepts. It has no limit on lines, and the limit on depth is
// that of package json, 10,000.
func ParseJSON(data []byte) (ast.Node, error) {
	if len(data) > MaxBytes {
		return nil, &Error{What: fmt.Sprintf("it is larger than %d MiB", MaxBytes>>20)}
	}
	b := &builder{data: data, tokens: json.NewDecoder(bytes.NewReader(data)), line: 1, column: 1}
	b.tokens.UseNumber()
	node, err := b.value()
	if known := (*Error)(nil); err != nil && !errors.As(err, &known) {
		err = &Error{Line: b.line, Column: b.column, What: err.Error()}
	}
	return node, err
}

// builder makes nodes of JSON tokens. line and column are the position of data[offset].
type builder struct {
	data                 []byte
	tokens               *json.Decoder
	offset, line, column int
}

// next returns the next token and its position.
func (b *builder) next() (json.Token, *token.Position, error) {
	start := int(b.tokens.InputOffset())
	for start < len(b.data) && bytes.IndexByte([]byte(" \t\r\n,:"), b.data[start]) >= 0 {
		start++
	}
	for b.offset < start {
		r, size := utf8.DecodeRune(b.data[b.offset:])
		b.offset, b.column = b.offset+size, b.column+1
		if r == '\n' {
			b.line, b.column = b.line+1, 1
		}
	}
	t, err := b.tokens.Token()
	return t, &token.Position{Line: b.line, Column: b.column, Offset: start + 1}, err
}

func (b *builder) value() (ast.Node, error) {
	t, at, err := b.next()
	if err != nil {
		return nil, err
	}
	return b.node(t, at)
}

// node returns the node that begins with a token.
func (b *builder) node(t json.Token, at *token.Position) (ast.Node, error) {
	text := string(b.data[at.Offset-1 : b.tokens.InputOffset()])
	switch t := t.(type) {
	case json.Delim:
		if t == '[' {
			return b.list(ast.Sequence(token.New(text, text, at), true))
		}
		return b.mapping(ast.Mapping(token.New(text, text, at), true))
	case string:
		return b.word(t, text, at), nil
	case json.Number:
		return ast.Float(token.New(text, text, at)), nil
	case bool:
		return ast.Bool(token.New(text, text, at)), nil
	}
	return ast.Null(token.New(text, text, at)), nil
}

func (b *builder) word(value, text string, at *token.Position) *ast.StringNode {
	return ast.String(token.DoubleQuote(value, text, at))
}

func (b *builder) list(list *ast.SequenceNode) (ast.Node, error) {
	for b.tokens.More() {
		v, err := b.value()
		if err != nil {
			return nil, err
		}
		list.Values = append(list.Values, v)
	}
	_, _, err := b.next()
	return list, err
}

func (b *builder) mapping(m *ast.MappingNode) (ast.Node, error) {
	seen := map[string]bool{}
	for b.tokens.More() {
		t, at, err := b.next()
		if err != nil {
			return nil, err
		}
		word, _ := t.(string) // a key of valid JSON
		key := b.word(word, string(b.data[at.Offset-1:b.tokens.InputOffset()]), at)
		if seen[word] {
			return nil, At(key, "the key %q is a duplicate: want each key once", word)
		}
		seen[word] = true
		v, err := b.value()
		if err != nil {
			return nil, err
		}
		m.Values = append(m.Values, ast.MappingValue(key.Token, key, v))
	}
	_, _, err := b.next()
	return m, err
}
