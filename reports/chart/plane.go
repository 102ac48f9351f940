package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Plane is a claim that was computed at every pair of values of two variables, if these are more points than a list
// shows. It has its own kind of table, and a map.
type Plane struct {
	Down, Across  string   // the two variables
	Rows, Columns []string // their values, in the order of the points
	Cells         [][]verify.Cell
	Constant      bool // the claimed value is the same at all points
}

// Limits of a plane. A plane with fewer values is shown as a list, and one with more columns does not fit a page.
const (
	planeLeast   = 3
	planeColumns = 10
	PlaneDigits  = 3 // so that all rows fit next to the map
)

// PlaneOf returns the plane of computed evidence, if its points form one. The claimed value may differ from row to
// row.
func PlaneOf(e verify.Evidence) (p Plane, ok bool) {
	if !e.Exact {
		return p, false // a list shows the intervals
	}
	return planeOf(e)
}

func planeOf(e verify.Evidence) (p Plane, ok bool) {
	if len(e.Cells) <= maxCellRows {
		return p, false
	}
	index := make(map[[2]string]verify.Cell)
	for _, c := range e.Cells {
		first, second, _ := strings.Cut(c.Label, ", ")
		down, row, ok1 := coordinate(first)
		across, column, ok2 := coordinate(second)
		_, twice := index[[2]string{row, column}]
		if !ok1 || !ok2 || twice || !c.Measured.Set || p.Down != "" && (down != p.Down || across != p.Across) {
			return Plane{}, false
		}
		p.Down, p.Across = down, across
		index[[2]string{row, column}] = c
		if !slices.Contains(p.Rows, row) {
			p.Rows = append(p.Rows, row)
		}
		if !slices.Contains(p.Columns, column) {
			p.Columns = append(p.Columns, column)
		}
	}
	if len(p.Rows)*len(p.Columns) != len(index) || len(p.Rows) < planeLeast || len(p.Columns) < planeLeast ||
		len(p.Columns) > planeColumns {
		return Plane{}, false
	}
	p.Constant = true
	for _, row := range p.Rows {
		var cells []verify.Cell
		for _, column := range p.Columns {
			c := index[[2]string{row, column}]
			if len(cells) > 0 && c.Claimed != cells[0].Claimed {
				return Plane{}, false
			}
			p.Constant = p.Constant && c.Claimed == e.Cells[0].Claimed
			cells = append(cells, c)
		}
		p.Cells = append(p.Cells, cells)
	}
	return p, true
}

// coordinate parses "ε=0.1", and writes the value as a figure.
func coordinate(at string) (name, value string, ok bool) {
	name, x, ok := variable(at)
	return name, format.Figure(verify.Num(x)), ok
}

// Breaks reports whether a cell of evidence breaks the claim.
func (p Plane) Breaks(e verify.Evidence, c verify.Cell) bool {
	return !format.IsSupported(e.Verdict) && c.Claimed.Set && !math.IsNaN(c.Measured.X) && beyond(e.Sense, c)
}

// Measures of a map.
const (
	fieldTall = 26.0
	mapTop    = 18.0
	mapLeft   = 54.0
)

// planeChart draws the map of a plane: a field for each point, the first row on top.
func planeChart(r verify.Result, p Plane) *Chart {
	bottom := mapTop + fieldTall*float64(len(p.Rows))
	c := &Chart{Width: chartWidth, Height: int(bottom) + 34, Title: "a map of the points"}
	wide := (plotRight - mapLeft) / float64(len(p.Columns))
	c.text("name", 4, 12, fitting(p.Down+"; fields: "+quantityOf(r), chartWidth-8))
	broken := 0
	for i, row := range p.Rows {
		top := mapTop + fieldTall*float64(i)
		c.text("tick end", mapLeft-5, top+fieldTall/2+3.5, fitting(row, mapLeft-8))
		for j, cell := range p.Cells[i] {
			x, class := mapLeft+wide*float64(j), "fair"
			if p.Breaks(r.Evidence, cell) {
				broken++
				class = "bad"
			}
			c.rectangle("bar "+class, spot{x + 0.5, top + 0.5}, spot{x + wide - 0.5, top + fieldTall - 0.5})
			if s := shortFigure(cell.Measured.X); letterWidth*float64(len(s)) < wide {
				c.text("tick middle", x+wide/2, top+fieldTall/2+3.5, s)
			}
		}
	}
	for j, v := range p.Columns {
		c.text("tick middle", mapLeft+wide*(float64(j)+0.5), bottom+13, fitting(v, wide))
	}
	c.text("name end", plotRight, bottom+28, p.Across)
	c.Caption = "A field for each " + p.Down + " and " + p.Across
	if p.Constant && r.Cells[0].Claimed.Set {
		f := format.CompareCell(r.Sense, r.Cells[0])
		c.Caption += ", claimed " + f.Claimed
	}
	if broken > 0 {
		c.Caption += "; the claim fails on the red ones, " + format.Count(int64(broken)) + " of " +
			format.Count(int64(len(r.Cells)))
	}
	c.Caption += "."
	return c
}

// shortFigure writes a finite number with two digits, "" for other values.
func shortFigure(x float64) string {
	if !format.Finite(x) {
		return ""
	}
	x = settled(x)
	if math.Abs(x) >= 100 && math.Abs(x) < 1e5 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}
