package reports

import (
	"html"
	"strings"
)

// MathML is the formula as a block of a page.
func (f parsedFormula) MathML() string {
	return `<math display="block">` + f.root.mathML() + `</math>`
}

func (n *texNode) mathML() string {
	switch n.form {
	case texIdentifier:
		return element("mi", html.EscapeString(n.what))
	case texNumber:
		return element("mn", n.what)
	case texOperator:
		return element("mo", html.EscapeString(n.what))
	case texText:
		return element("mtext", html.EscapeString(n.what))
	case texSpace:
		return `<mspace width="` + n.what + `"/>`
	case texFraction:
		return element("mfrac", n.parts[0].mathML()+n.parts[1].mathML())
	case texRoot:
		if len(n.parts) == 2 {
			return element("mroot", n.parts[0].mathML()+n.parts[1].mathML())
		}
		return element("msqrt", n.parts[0].mathML())
	case texAccent:
		return `<mover accent="true">` + n.parts[0].mathML() + element("mo", texAccents[n.what]) + `</mover>`
	case texScripts:
		return n.scriptsML()
	}
	var b strings.Builder
	for _, part := range n.parts {
		b.WriteString(part.mathML())
	}
	return element("mrow", b.String())
}

func (n *texNode) scriptsML() string {
	base, below, above := n.parts[0], n.parts[1], n.parts[2]
	names := [3]string{"msub", "msup", "msubsup"}
	if strings.Contains("∑∏", base.what) && base.form == texOperator {
		names = [3]string{"munder", "mover", "munderover"}
	}
	switch {
	case above == nil:
		return element(names[0], base.mathML()+below.mathML())
	case below == nil:
		return element(names[1], base.mathML()+above.mathML())
	}
	return element(names[2], base.mathML()+below.mathML()+above.mathML())
}

func element(name, inner string) string { return "<" + name + ">" + inner + "</" + name + ">" }

// Plain is the formula in a line of text.
func (f parsedFormula) Plain() string { return strings.Join(strings.Fields(f.root.plain()), " ") }

func (n *texNode) plain() string {
	switch n.form {
	case texOperator:
		if strings.Contains("=≤≥≠≈∼≡∈→<>±·×+−", n.what) {
			return " " + n.what + " "
		}
		return n.what
	case texText:
		return n.what + " "
	case texSpace:
		return " "
	case texFraction:
		return n.parts[0].enclosed() + "/" + n.parts[1].enclosed()
	case texRoot:
		if len(n.parts) == 2 {
			return n.parts[0].enclosed() + "^(1/" + n.parts[1].plain() + ")"
		}
		return "√" + n.parts[0].enclosed()
	case texAccent:
		return n.parts[0].plain() + combiningAccents[n.what]
	case texScripts:
		s := n.parts[0].plain()
		for i, mark := range []string{"_", "^"} {
			if n.parts[i+1] != nil {
				s = strings.TrimRight(s, " ") + mark + n.parts[i+1].enclosed()
			}
		}
		return s
	case texRow:
		var b strings.Builder
		for _, part := range n.parts {
			b.WriteString(part.plain())
		}
		return b.String()
	}
	return n.what
}

// enclosed is in parentheses unless it is one symbol or one number.
func (n *texNode) enclosed() string {
	one := n
	for one.form == texRow && len(one.parts) == 1 {
		one = one.parts[0]
	}
	s := strings.TrimSpace(n.plain())
	if one.form != texRow && one.form != texFraction && one.form != texScripts || one.form == texRow &&
		len(one.parts) == 0 {
		return s
	}
	return "(" + s + ")"
}
