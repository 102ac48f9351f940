package reports

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A formula is read in a small part of TeX, and written as MathML and as plain text. The part has fractions, roots,
// scripts, accents, delimiters and the symbols of tex_symbols.go. Anything else is an error, so that a test sees a
// formula that would not be rendered as it is meant.

// texForm is the form of a node.
type texForm int

const (
	texRow texForm = iota
	texIdentifier
	texNumber
	texOperator
	texText
	texSpace
	texFraction
	texRoot // of parts[0], or the parts[1]-th one
	texAccent
	texScripts // parts[0] with parts[1] below and parts[2] above, either nil
)

// texNode is a node of a formula.
type texNode struct {
	form  texForm
	what  string // of a leaf, the name of an accent, the width of a space
	parts []*texNode
}

// parsedFormula is a formula that was read.
type parsedFormula struct{ root *texNode }

// parseFormula reads a formula without dollar signs. Errors name what was not understood, and where.
func parseFormula(s string) (parsedFormula, error) {
	p := &texParser{rest: s, whole: s}
	n, err := p.row("")
	if err != nil {
		return parsedFormula{}, fmt.Errorf("%w, at byte %d of %q", err, len(p.whole)-len(p.rest), s)
	}
	return parsedFormula{n}, nil
}

type texParser struct {
	rest, whole string
	depth       int
}

// maxTexDepth is how many groups may stand within one another.
const maxTexDepth = 50

// row reads up to an end, which it takes: "}", "]", `\right`, or "" for the end of the formula.
func (p *texParser) row(end string) (*texNode, error) {
	all := &texNode{form: texRow}
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
func (p *texParser) scripted(n *texNode) (*texNode, error) {
	var marks [2]*texNode
	for {
		p.rest = strings.TrimLeft(p.rest, " ")
		i := strings.IndexByte("_^", firstByte(p.rest))
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
	return &texNode{form: texScripts, parts: []*texNode{n, marks[0], marks[1]}}, nil
}

func firstByte(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// atom reads a letter, a number, a symbol, a group or a command.
func (p *texParser) atom() (*texNode, error) {
	if p.depth++; p.depth > maxTexDepth {
		return nil, fmt.Errorf("more than %d groups within one another", maxTexDepth)
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
		return p.leaf(texNumber, end), nil
	case unicode.IsLetter(r):
		return p.leaf(texIdentifier, size), nil
	case strings.ContainsRune("}_^&#$%~", r):
		return nil, fmt.Errorf("%q does not stand here", r)
	}
	n := p.leaf(texOperator, size)
	if n.what == "-" {
		n.what = "−"
	}
	return n, nil
}

func (p *texParser) leaf(f texForm, size int) *texNode {
	n := &texNode{form: f, what: p.rest[:size]}
	p.rest = p.rest[size:]
	return n
}

// command reads what begins with a backslash.
func (p *texParser) command() (*texNode, error) {
	name := p.rest[1:]
	if end := strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) }); end > 0 {
		name = name[:end]
	} else if end == 0 {
		_, size := utf8.DecodeRuneInString(name)
		name = name[:size]
	}
	p.rest = p.rest[1+len(name):]
	if n := texLeaf(name); n != nil {
		return n, nil
	}
	switch name {
	case "frac", "tfrac", "dfrac":
		return p.arguments(texFraction, "", 2)
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
		letter, ok := texAlphabets[name][n.what]
		if !ok {
			return nil, fmt.Errorf(`no letter \%s{%s}`, name, n.what)
		}
		return &texNode{form: texIdentifier, what: letter}, nil
	}
	if texAccents[name] != "" {
		return p.arguments(texAccent, name, 1)
	}
	return nil, fmt.Errorf(`\%s is not known`, name)
}

// texLeaf is the symbol that a command stands for, nil if it stands for none.
func texLeaf(name string) *texNode {
	for _, table := range []struct {
		form texForm
		of   map[string]string
	}{{texIdentifier, texSymbols}, {texOperator, texOperators}, {texText, texFunctions}, {texSpace, texSpaces}} {
		if what := table.of[name]; what != "" {
			return &texNode{form: table.form, what: what}
		}
	}
	return nil
}

// argument is an atom, of a number its first digit.
func (p *texParser) argument() (*texNode, error) {
	if r := firstByte(p.rest); '0' <= r && r <= '9' {
		return p.leaf(texNumber, 1), nil
	}
	return p.atom()
}

// arguments reads n arguments.
func (p *texParser) arguments(f texForm, what string, n int) (*texNode, error) {
	all := &texNode{form: f, what: what}
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

func (p *texParser) radical() (*texNode, error) {
	var degree *texNode
	if strings.HasPrefix(p.rest, "[") {
		p.rest = p.rest[1:]
		var err error
		if degree, err = p.row("]"); err != nil {
			return nil, err
		}
	}
	n, err := p.arguments(texRoot, "", 1)
	if err == nil && degree != nil {
		n.parts = append(n.parts, degree)
	}
	return n, err
}

// fenced reads \left( … \right), whose delimiters grow.
func (p *texParser) fenced() (*texNode, error) {
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
	return &texNode{form: texRow, parts: []*texNode{open, inner, end}}, nil
}

// words reads {words} as they are.
func (p *texParser) words() (*texNode, error) {
	end := strings.IndexByte(p.rest, '}')
	if !strings.HasPrefix(p.rest, "{") || end < 0 {
		return nil, fmt.Errorf("want words in braces")
	}
	n := &texNode{form: texText, what: p.rest[1:end]}
	p.rest = p.rest[end+1:]
	return n, nil
}
