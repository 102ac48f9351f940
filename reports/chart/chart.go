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

// Chart is a picture of the points of a claim or of curves. Its shapes have classes instead of colors; the page's
// style sheet gives a class its colors on light pages, dark pages and paper.
type Chart struct {
	Width, Height int
	Title         string // text alternative
	Caption       string
	Shapes        []Shape
}

// Shape is a path, or a text if Path is empty. Coordinates have one decimal, so they are the same on every machine.
type Shape struct {
	Class, Path string
	X, Y, Text  string
}

// Charts are drawn for a phone, on which a unit is about one pixel.
const (
	chartWidth  = 340
	letterWidth = 6.0 // average in labels
	letterTall  = 12.0
)

// NewChart draws the points of a claim: as a map if they are a grid of two variables, as measured against claimed
// privacy, as a curve along a variable, or as bars. It returns nil if there is nothing to see, for example for
// computed points at which the claim holds.
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

// spot is a point of the drawing.
type spot struct{ x, y float64 }

// trace draws a line through at least two spots.
func (c *Chart) trace(class string, spots ...spot) {
	if len(spots) > 1 {
		c.Shapes = append(c.Shapes, Shape{Class: class, Path: steps(spots)})
	}
}

// area fills the polygon of the spots.
func (c *Chart) area(class string, spots ...spot) {
	c.Shapes = append(c.Shapes, Shape{Class: class, Path: steps(spots) + "Z"})
}

func (c *Chart) rectangle(class string, from, to spot) {
	c.area(class, from, spot{to.x, from.y}, to, spot{from.x, to.y})
}

// steps returns the commands of a path, in their shortest form.
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

// Markup returns the content of an SVG element: one path for each class, in the order of the classes, then the texts,
// which are escaped.
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
	xml.EscapeText(&b, []byte(visible.Inert(format.OneLine(text)))) // no error: a Builder accepts every write
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
