package chart

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"image/color"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/dpverify/dpverify/empirical/study/studydata"
	"github.com/dpverify/dpverify/reports/internal/figures"
)

// Measures of a picture, chosen so that it can be read at half its width.
const (
	panelWidth  = 6.5 * vg.Inch
	plotHeight  = 3.6 * vg.Inch // of a panel without its title and legend
	rowHeight   = 24            // of a label and series in a table, in points
	panelGap    = 14
	titleSize   = 15
	labelSize   = 14
	lineSpacing = 1.3
)

// ErrNothingToDraw says that no panel has a point.
var ErrNothingToDraw = errors.New("no panel has a point that could be drawn")

// ExperimentSVG draws the panels that have points into one picture: up to two
// below each other, more in two columns. Axes are the paper's; bars are the
// intervals of the mean; series differ in colour, marker and dash; hollow markers are
// what the paper prints. A table becomes rows of points. The same results give
// the same bytes.
func ExperimentSVG(w io.Writer, results []studydata.Result) error {
	var panels []*panelPlot
	for _, r := range results {
		if _, err := Places(r); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		if p := newPanelPlot(r); p != nil {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return ErrNothingToDraw
	}
	columns := 1
	if len(panels) > 2 {
		columns = 2
	}
	var height vg.Length
	for row := range slices.Chunk(panels, columns) {
		height += tallest(row)
	}
	svg := vgsvg.NewWith(vgsvg.UseWH(vg.Length(columns)*panelWidth, height))
	canvas := draw.New(svg)
	canvas.FillPolygon(color.White, corners(canvas.Rectangle)) // a page may be dark
	top := height
	for row := range slices.Chunk(panels, columns) {
		bottom := top - tallest(row)
		for k, p := range row {
			area := canvas
			area.Rectangle = vg.Rectangle{Min: vg.Point{X: vg.Length(k) * panelWidth, Y: bottom},
				Max: vg.Point{X: vg.Length(k+1) * panelWidth, Y: top}}
			p.draw(draw.Crop(area, panelGap, -panelGap, panelGap/2, -panelGap/2))
		}
		top = bottom
	}
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(fitText(b.Bytes()))
	return err
}

var svgText = regexp.MustCompile(`(?s)<text (.*?)font-family:Liberation Sans;(.*?)font-size:([0-9.]+)px">(.*?)</text>`)

// fitText gives every text the width that the layout has measured, whatever font
// the viewer takes in the place of Liberation Sans, and names fonts of the same measures.
func fitText(svg []byte) []byte {
	return svgText.ReplaceAllFunc(svg, func(found []byte) []byte {
		part := svgText.FindSubmatch(found)
		size, err := strconv.ParseFloat(string(part[3]), 64)
		if err != nil {
			return found
		}
		width := float64(textStyle(vg.Length(size)).Width(html.UnescapeString(string(part[4]))))
		return fmt.Appendf(nil, `<text textLength="%.5g" lengthAdjust="spacingAndGlyphs" `+
			`%sfont-family:Liberation Sans,Arial,Helvetica,sans-serif;%sfont-size:%spx">%s</text>`,
			width, part[1], part[2], part[3], part[4])
	})
}

func tallest(row []*panelPlot) (height vg.Length) {
	for _, p := range row {
		height = max(height, p.height())
	}
	return height
}

func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}

// panelPlot is a panel ready to be drawn.
type panelPlot struct {
	*plot.Plot
	title  []string // its lines
	legend legend
	body   vg.Length // height of the plot itself
}

// newPanelPlot is nil for a panel without points.
func newPanelPlot(r studydata.Result) *panelPlot {
	scale := newScales(r)
	if scale == nil {
		return nil
	}
	p := &panelPlot{Plot: plot.New(), body: plotHeight}
	styles := []*draw.TextStyle{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label,
		&p.Y.Tick.Label}
	for _, style := range styles {
		style.Font = sans(labelSize)
	}
	p.X.Label.Text, p.Y.Label.Text = r.XLabel, r.YLabel
	p.X.Label.Padding, p.Y.Label.Padding = 4, 4
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{222}, color.Gray{222}
	p.Add(grid)
	p.legend.width = panelWidth - 2*panelGap
	printed, bars := false, false
	for k, s := range r.Series {
		line := &seriesPlot{series: s, scales: scale, style: StyleOf(k), table: r.Labels != nil, index: k, of: len(r.Series)}
		p.Add(line)
		p.legend.add(line, s.Name)
		printed = printed || slices.ContainsFunc(s.Printed, figures.Finite)
		bars = bars || slices.ContainsFunc(s.SD, figures.Finite)
	}
	if printed {
		p.legend.add(nil, "hollow: printed in the paper")
	}
	if bars {
		p.legend.add(nil, fmt.Sprintf("bars: %.0f %% interval of the mean", 100*studydata.Confidence))
	}
	scale.axes(p.Plot, r)
	if r.Labels != nil {
		p.body = vg.Length(len(r.Labels)*max(rowHeight, 9*len(r.Series))) + 60
	}
	title := r.Title
	if r.State == studydata.Partial {
		title += " (partial)"
	}
	p.title = wrap(title, sans(titleSize), p.legend.width)
	return p
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// textStyle is black sans-serif text that begins at its point.
func textStyle(size vg.Length) draw.TextStyle {
	return draw.TextStyle{Color: color.Black, Font: sans(size), Handler: plot.DefaultTextHandler}
}

func (p *panelPlot) height() vg.Length {
	return p.body + p.legend.height() + vg.Length(len(p.title))*titleSize*lineSpacing + 2*panelGap
}

func (p *panelPlot) draw(c draw.Canvas) {
	style := textStyle(titleSize)
	style.XAlign = draw.XCenter
	y := c.Max.Y
	for _, line := range p.title {
		y -= titleSize * lineSpacing
		c.FillText(style, vg.Point{X: c.Center().X, Y: y + 4}, line)
	}
	below := p.legend.height()
	p.Plot.Draw(draw.Crop(c, 0, 0, below+panelGap/2, y-c.Max.Y-panelGap/2))
	p.legend.draw(c, c.Min.Y+below)
}

// wrap breaks a text into lines no wider than width, at blanks.
func wrap(text string, f font.Font, width vg.Length) []string {
	style := draw.TextStyle{Font: f, Handler: plot.DefaultTextHandler}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && style.Width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	return append(lines, line)
}

// legend flows its entries into rows below the plot.
type legend struct {
	width   vg.Length
	entries []legendEntry
}

type legendEntry struct {
	line *seriesPlot // nil for words alone
	text string
}

const (
	sampleWidth = 44 // of the piece of line before an entry
	entryGap    = 18
	legendRow   = labelSize * 1.5
)

func (l *legend) add(line *seriesPlot, text string) {
	l.entries = append(l.entries, legendEntry{line, text})
}

// flow calls f with the place of each entry, rows counted from 0 at the top, and
// returns the number of rows.
func (l *legend) flow(f func(e legendEntry, row int, x vg.Length)) int {
	style := textStyle(labelSize)
	row, x := 0, vg.Length(0)
	for _, e := range l.entries {
		width := style.Width(e.text) + entryGap
		if e.line != nil {
			width += sampleWidth + 6
		}
		if x > 0 && x+width-entryGap > l.width {
			row, x = row+1, 0
		}
		f(e, row, x)
		x += width
	}
	return row + 1
}

func (l *legend) height() vg.Length {
	return vg.Length(l.flow(func(legendEntry, int, vg.Length) {})) * legendRow
}

func (l *legend) draw(c draw.Canvas, top vg.Length) {
	style := textStyle(labelSize)
	l.flow(func(e legendEntry, row int, x vg.Length) {
		at := vg.Point{X: c.Min.X + x, Y: top - vg.Length(row+1)*legendRow + 5}
		if e.line != nil {
			e.line.sample(c, vg.Point{X: at.X, Y: at.Y + 0.33*labelSize})
			at.X += sampleWidth + 6
		}
		c.FillText(style, at, e.text)
	})
}
