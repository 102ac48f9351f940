// Package tex reads formulas in a small part of TeX and writes them as MathML and as plain text.
// It has fractions, roots, scripts, accents, delimiters and the symbols of its tables; anything else
// is an error, so that a formula that is not rendered as it is meant is seen by a test.
package tex

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// form of a node.
type form int

const (
	row form = iota
	identifier
	number
	operator
	text
	space
	fraction
	root // of parts[0], or the parts[1]-th one
	accent
	scripts // parts[0] with parts[1] below and parts[2] above, either nil
)

// node of a formula.
type node struct {
	form  form
	what  string // of a leaf, the name of an accent, the width of a space
	parts []*node
}

// Formula is one that was read.
type Formula struct{ root *node }

// Parse reads a formula without dollar signs. Errors name what was not understood, and where.
func Parse(s string) (Formula, error) {
	p := &parser{rest: s, whole: s}
	n, err := p.row("")
	if err != nil {
		return Formula{}, fmt.Errorf("%w, at byte %d of %q", err, len(p.whole)-len(p.rest), s)
	}
	return Formula{n}, nil
}

type parser struct {
	rest, whole string
	depth       int
}

// deepest is how many groups may stand within one another.
const deepest = 50

// row reads up to an end, which it takes: "}", "]", `\right`, or "" for the end of the formula.
func (p *parser) row(end string) (*node, error) {
	all := &node{form: row}
	for {
		p.rest = strings.TrimLeft(p.rest, " \n")
		switch {
		case p.rest == "" && end == "":
			return all, nil
		case p.rest == "":
			return nil, fmt.Errorf("want %s", end)
		case end != "" && strings.HasPrefix(p.rest, end):
			p.rest = p.rest[len(end):]
			return all, nil
		}
		n, err := p.atom()
		if err != nil {
			return nil, err
		}
		if n, err = p.scripted(n); err != nil {
			return nil, err
		}
		all.parts = append(all.parts, n)
	}
}

// scripted reads what stands below and above an atom.
func (p *parser) scripted(n *node) (*node, error) {
	var marks [2]*node
	for {
		p.rest = strings.TrimLeft(p.rest, " ")
		i := strings.IndexByte("_^", first(p.rest))
		if i < 0 || p.rest == "" {
			break
		}
		if marks[i] != nil {
			return nil, fmt.Errorf("two scripts in one place")
		}
		p.rest = strings.TrimLeft(p.rest[1:], " ")
		script, err := p.argument()
		if err != nil {
			return nil, err
		}
		marks[i] = script
	}
	if marks[0] == nil && marks[1] == nil {
		return n, nil
	}
	return &node{form: scripts, parts: []*node{n, marks[0], marks[1]}}, nil
}

func first(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// atom reads a letter, a number, a symbol, a group or a command.
func (p *parser) atom() (*node, error) {
	if p.depth++; p.depth > deepest {
		return nil, fmt.Errorf("more than %d groups within one another", deepest)
	}
	defer func() { p.depth-- }()
	r, size := utf8.DecodeRuneInString(p.rest)
	switch {
	case p.rest == "":
		return nil, fmt.Errorf("the formula ends too early")
	case r == '\\':
		return p.command()
	case r == '{':
		p.rest = p.rest[1:]
		return p.row("}")
	case unicode.IsDigit(r):
		end := strings.IndexFunc(p.rest, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' })
		if end < 0 {
			end = len(p.rest)
		}
		return p.leaf(number, end), nil
	case unicode.IsLetter(r):
		return p.leaf(identifier, size), nil
	case strings.ContainsRune("}_^&#$%~", r):
		return nil, fmt.Errorf("%q does not stand here", r)
	}
	n := p.leaf(operator, size)
	if n.what == "-" {
		n.what = "−"
	}
	return n, nil
}

func (p *parser) leaf(f form, size int) *node {
	n := &node{form: f, what: p.rest[:size]}
	p.rest = p.rest[size:]
	return n
}

// command reads what begins with a backslash.
func (p *parser) command() (*node, error) {
	name := p.rest[1:]
	if end := strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) }); end > 0 {
		name = name[:end]
	} else if end == 0 {
		_, size := utf8.DecodeRuneInString(name)
		name = name[:size]
	}
	p.rest = p.rest[1+len(name):]
	if n := leafOf(name); n != nil {
		return n, nil
	}
	switch name {
	case "frac", "tfrac", "dfrac":
		return p.arguments(fraction, "", 2)
	case "sqrt":
		return p.radical()
	case "left":
		return p.fenced()
	case "text", "mathrm", "operatorname":
		return p.words()
	case "mathbb", "mathcal":
		n, err := p.words()
		if err != nil {
			return nil, err
		}
		letter, ok := alphabets[name][n.what]
		if !ok {
			return nil, fmt.Errorf(`no letter \%s{%s}`, name, n.what)
		}
		return &node{form: identifier, what: letter}, nil
	}
	if accents[name] != "" {
		return p.arguments(accent, name, 1)
	}
	return nil, fmt.Errorf(`\%s is not known`, name)
}

// leafOf is the symbol that a command stands for, nil if it stands for none.
func leafOf(name string) *node {
	for _, table := range []struct {
		form form
		of   map[string]string
	}{{identifier, symbols}, {operator, operators}, {text, functions}, {space, spaces}} {
		if what := table.of[name]; what != "" {
			return &node{form: table.form, what: what}
		}
	}
	return nil
}

// argument is an atom, of a number its first digit.
func (p *parser) argument() (*node, error) {
	if r := first(p.rest); '0' <= r && r <= '9' {
		return p.leaf(number, 1), nil
	}
	return p.atom()
}

// arguments reads n arguments.
func (p *parser) arguments(f form, what string, n int) (*node, error) {
	all := &node{form: f, what: what}
	for range n {
		p.rest = strings.TrimLeft(p.rest, " ")
		part, err := p.argument()
		if err != nil {
			return nil, err
		}
		all.parts = append(all.parts, part)
	}
	return all, nil
}

func (p *parser) radical() (*node, error) {
	var degree *node
	if strings.HasPrefix(p.rest, "[") {
		p.rest = p.rest[1:]
		var err error
		if degree, err = p.row("]"); err != nil {
			return nil, err
		}
	}
	n, err := p.arguments(root, "", 1)
	if err == nil && degree != nil {
		n.parts = append(n.parts, degree)
	}
	return n, err
}

// fenced reads \left( … \right), whose delimiters grow.
func (p *parser) fenced() (*node, error) {
	open, err := p.atom()
	if err != nil {
		return nil, err
	}
	inner, err := p.row(`\right`)
	if err != nil {
		return nil, err
	}
	end, err := p.atom()
	if err != nil {
		return nil, err
	}
	return &node{form: row, parts: []*node{open, inner, end}}, nil
}

// words reads {words} as they are.
func (p *parser) words() (*node, error) {
	end := strings.IndexByte(p.rest, '}')
	if !strings.HasPrefix(p.rest, "{") || end < 0 {
		return nil, fmt.Errorf("want words in braces")
	}
	n := &node{form: text, what: p.rest[1:end]}
	p.rest = p.rest[end+1:]
	return n, nil
}
