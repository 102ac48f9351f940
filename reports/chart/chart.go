package chart

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Chart is a picture of a claim's points. Its shapes have classes, not colours:
// the page's style knows light, dark and paper.
type Chart struct {
	Width, Height int
	Title         string // for those who do not see it
	Caption       string
	Shapes        []Shape
}

// Shape is a path, or a text where Path is "". Coordinates are written with one
// decimal, which is the same on every machine.
type Shape struct {
	Class, Path string
	X, Y, Text  string
}

// Charts are drawn for a phone, where a unit is about a pixel.
const (
	chartWidth  = 340
	letterWidth = 6.0 // of the labels, on average
	letterTall  = 12.0
)

// NewChart draws the points of a claim as suits it: a map of two variables, measured
// against claimed privacy, a quantity along its variable, or a bar for each point. nil where
// there would be nothing to see: bars of what was computed and holds show that it does.
func NewChart(r verify.Result) *Chart {
	if p, ok := PlaneOf(r.Evidence); ok {
		return planeChart(r, p)
	}
	if c := profileChart(r); c != nil {
		return c
	}
	if c := rateChart(r); c != nil {
		return c
	}
	if r.Exact && r.Verdict == verify.Holds {
		return nil
	}
	return barChart(r, comparable(r.Evidence))
}

// spot is a place on the paper.
type spot struct{ x, y float64 }

// trace draws a line through spots. One spot is no line.
func (c *Chart) trace(class string, spots ...spot) {
	if len(spots) > 1 {
		c.Shapes = append(c.Shapes, Shape{Class: class, Path: steps(spots)})
	}
}

// area fills what spots surround.
func (c *Chart) area(class string, spots ...spot) {
	c.Shapes = append(c.Shapes, Shape{Class: class, Path: steps(spots) + "Z"})
}

func (c *Chart) rectangle(class string, from, to spot) {
	c.area(class, from, spot{to.x, from.y}, to, spot{from.x, to.y})
}

// steps are the commands of a path, as short as they can be.
func steps(spots []spot) string {
	var b strings.Builder
	var lastX, lastY string
	for i, s := range spots {
		x, y := place(s.x), place(s.y)
		switch {
		case i == 0:
			b.WriteString("M" + x + " " + y)
		case y == lastY:
			b.WriteString("H" + x)
		case x == lastX:
			b.WriteString("V" + y)
		default:
			b.WriteString("L" + x + " " + y)
		}
		lastX, lastY = x, y
	}
	return b.String()
}

func (c *Chart) text(class string, x, y float64, s string) {
	c.Shapes = append(c.Shapes, Shape{Class: class, X: place(x), Y: place(y), Text: s})
}

func place(x float64) string {
	s := strconv.FormatFloat(settled(x), 'f', 1, 64)
	if s == "-0.0" {
		s = "0"
	}
	return strings.TrimSuffix(s, ".0")
}

// Markup is the chart as the content of an SVG element: the paths of a class as one, in the order in which
// the classes came, then the texts. Texts are escaped.
func (c *Chart) Markup() string {
	var b, texts strings.Builder
	var classes []string
	paths := make(map[string]string)
	for _, s := range c.Shapes {
		switch {
		case s.Path == "":
			fmt.Fprintf(&texts, "<text class=\"%s\" x=\"%s\" y=\"%s\">%s</text>\n", s.Class, s.X, s.Y, escaped(s.Text))
		case paths[s.Class] == "":
			classes = append(classes, s.Class)
			fallthrough
		default:
			paths[s.Class] += s.Path
		}
	}
	for _, class := range classes {
		fmt.Fprintf(&b, "<path class=\"%s\" d=\"%s\"/>\n", class, paths[class])
	}
	return b.String() + texts.String()
}

func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(visible.Inert(format.OneLine(text)))) // a Builder takes everything
	return b.String()
}

// fitting cuts a text to a width.
func fitting(s string, width float64) string {
	s = format.OneLine(s)
	most := max(1, int(width/letterWidth))
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:most-1]), " ,;") + "…"
}

func (*Chart) Kind() string { return "chart" }
