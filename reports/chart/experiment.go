package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// ErrNothingToDraw reports that no panel has a point on its axes.
var ErrNothingToDraw = errors.New("no panel has a point that could be drawn")

// Measures of a picture with panels. Its size in pixels is twice the size of its charts.
const (
	panelGap      = 16.0
	titleLine     = 16.0
	titleLetter   = 7.2 // average width
	captionLine   = 13.0
	captionLetter = 5.0
	enlarged      = 2
)

// ExperimentSVG draws the panels that have points into one file: up to two in one column, more in two columns.
// Viewers that know the reader's choice of light or dark follow it. The same results give the same bytes. It returns
// [ErrNothingToDraw] if no panel has points.
func ExperimentSVG(w io.Writer, results []result.Result) error {
	var panels []drawnPanel
	for _, r := range results {
		if _, err := Places(r); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		p := PanelPicture(r)
		if c := p.chart(); c != nil {
			panels = append(panels, newDrawnPanel(titleOf(r), c))
		}
	}
	if len(panels) == 0 {
		return ErrNothingToDraw
	}
	return sheet(w, panels)
}

// SVG draws the picture into a file of its own, as ExperimentSVG does. It returns [ErrNothingToDraw] if no point has a
// place on the axes.
func (p *Picture) SVG(w io.Writer) error {
	c := p.chart()
	if c == nil {
		return ErrNothingToDraw
	}
	return c.SVG(w, p.Title)
}

// SVG writes the chart, below a title and above its caption, into a file of its own.
func (c *Chart) SVG(w io.Writer, title string) error {
	return sheet(w, []drawnPanel{newDrawnPanel(title, c)})
}

// sheet writes panels into one file.
func sheet(w io.Writer, panels []drawnPanel) error {
	columns := 1
	if len(panels) > 2 {
		columns = 2
	}
	var body bytes.Buffer
	y := panelGap
	for row := range slices.Chunk(panels, columns) {
		tallest := 0.0
		for k, p := range row {
			p.write(&body, panelGap+float64(k)*(chartWidth+panelGap), y)
			tallest = max(tallest, p.height())
		}
		y += tallest + panelGap
	}
	width := panelGap + float64(columns)*(chartWidth+panelGap)
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[3]s %[4]s">
<style>
%[5]s</style>
<rect class="sheet" width="%[3]s" height="%[4]s"/>
%[6]s</svg>
`, place(enlarged*width), place(enlarged*y), place(width), place(y), fileStyle(), body.String())
	return err
}

// drawnPanel is a chart with the lines of its title and its caption.
type drawnPanel struct {
	*Chart
	title, caption []string
}

func titleOf(r result.Result) string {
	if r.State == result.Partial {
		return r.Title + " (partial)"
	}
	return r.Title
}

func newDrawnPanel(title string, c *Chart) drawnPanel {
	return drawnPanel{c, wrapped(title, chartWidth/titleLetter), wrapped(c.Caption, chartWidth/captionLetter)}
}

func (p drawnPanel) height() float64 {
	return titleLine*float64(len(p.title)) + float64(p.Height) + captionLine*float64(len(p.caption))
}

// write draws the panel with its upper left corner at x, y.
func (p drawnPanel) write(b *bytes.Buffer, x, y float64) {
	c := &Chart{}
	for i, line := range p.title {
		c.text("title", x, y+titleLine*float64(i)+11, line)
	}
	top := y + titleLine*float64(len(p.title))
	bottom := top + float64(p.Height)
	for i, line := range p.caption {
		c.text("caption", x, bottom+captionLine*float64(i)+11, line)
	}
	b.WriteString(c.Markup())
	fmt.Fprintf(b, "<g transform=\"translate(%s %s)\" role=\"img\" aria-label=\"%s\">\n%s</g>\n",
		place(x), place(top), escaped(p.Title), p.Markup())
}

// wrapped breaks a text at spaces into lines of at most the given number of letters.
func wrapped(text string, letters float64) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && float64(utf8.RuneCountInString(longer)) > letters {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}
