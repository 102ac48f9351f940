package reports

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/verify"
)

// plane is a claim that was computed at every pair of the values of two variables, at more of
// them than a list shows. It has a table of its own, and a map.
type plane struct {
	down, across  string   // the two variables
	rows, columns []string // their values, in the order of the points
	cells         [][]verify.Cell
	constant      bool // the same is claimed at all points
}

// Measures of a plane: with fewer values it is a list, with more columns no page has room.
const (
	planeLeast   = 3
	planeColumns = 10
	planeDigits  = 3 // all rows fit beside the map
)

// planeOf reads the points as a plane. What is claimed may differ from row to row.
func planeOf(e verify.Evidence) (p plane, ok bool) {
	if !e.Exact || len(e.Cells) <= maxCellRows {
		return p, false
	}
	index := make(map[[2]string]verify.Cell)
	for _, c := range e.Cells {
		first, second, _ := strings.Cut(c.At, ", ")
		down, row, ok1 := coordinate(first)
		across, column, ok2 := coordinate(second)
		_, twice := index[[2]string{row, column}]
		if !ok1 || !ok2 || twice || !c.Measured.Set || p.down != "" && (down != p.down || across != p.across) {
			return plane{}, false
		}
		p.down, p.across = down, across
		index[[2]string{row, column}] = c
		if !slices.Contains(p.rows, row) {
			p.rows = append(p.rows, row)
		}
		if !slices.Contains(p.columns, column) {
			p.columns = append(p.columns, column)
		}
	}
	if len(p.rows)*len(p.columns) != len(index) || len(p.rows) < planeLeast || len(p.columns) < planeLeast || len(p.columns) > planeColumns {
		return plane{}, false
	}
	p.constant = true
	for _, row := range p.rows {
		var cells []verify.Cell
		for _, column := range p.columns {
			c := index[[2]string{row, column}]
			if len(cells) > 0 && c.Claimed != cells[0].Claimed {
				return plane{}, false
			}
			p.constant = p.constant && c.Claimed == e.Cells[0].Claimed
			cells = append(cells, c)
		}
		p.cells = append(p.cells, cells)
	}
	return p, true
}

// coordinate reads "ε=0.1".
func coordinate(at string) (name, value string, ok bool) {
	name, x, ok := variable(at)
	return name, Figure(verify.Num(x)), ok
}

// planeGrid is the table of a plane: a row for each value of the first variable. A cross marks
// what breaks the claim.
func planeGrid(p plane, e verify.Evidence) *grid {
	t := &grid{Columns: []column{right(p.down + " ↓  " + p.across + " →")}}
	if !p.constant {
		t.Columns = append(t.Columns, right("theory"))
	}
	for _, v := range p.columns {
		t.Columns = append(t.Columns, right(v))
	}
	for i, v := range p.rows {
		row := []inline{words(v)}
		if !p.constant {
			row = append(row, words(compareCell(e.Sense, p.cells[i][0]).Claimed))
		}
		for _, c := range p.cells[i] {
			shown := figure(c.Measured, planeDigits)
			if p.breaks(e, c) {
				shown = verify.Refuted.Symbol() + " " + shown
			}
			text := words(shown)
			if c.At == e.Witness {
				text = words(strong(shown))
			}
			row = append(row, text)
		}
		t.row(row...)
	}
	return t
}

func (p plane) breaks(e verify.Evidence, c verify.Cell) bool {
	return !stands(e.Verdict) && c.Claimed.Set && !math.IsNaN(c.Measured.X) && beyond(e.Sense, c)
}

// Measures of a map.
const (
	fieldTall = 26.0
	mapTop    = 18.0
	mapLeft   = 54.0
)

// planeChart is the map of a plane: a field for each point, the first row on top. nil where
// a claim is no plane.
func planeChart(r verify.Result) *chart {
	p, ok := planeOf(r.Evidence)
	if !ok {
		return nil
	}
	bottom := mapTop + fieldTall*float64(len(p.rows))
	c := &chart{Width: chartWidth, Height: int(bottom) + 34, Title: "a map of the points"}
	wide := (plotRight - mapLeft) / float64(len(p.columns))
	c.text("name", 4, 12, fitting(p.down+"; fields: "+r.Quantity, chartWidth-8))
	broken := 0
	for i, row := range p.rows {
		top := mapTop + fieldTall*float64(i)
		c.text("tick end", mapLeft-5, top+fieldTall/2+3.5, fitting(row, mapLeft-8))
		for j, cell := range p.cells[i] {
			x, class := mapLeft+wide*float64(j), "fair"
			if p.breaks(r.Evidence, cell) {
				broken++
				class = "bad"
			}
			c.rectangle("bar "+class, x+0.5, top+0.5, x+wide-0.5, top+fieldTall-0.5)
			if s := shortFigure(cell.Measured.X); letterWidth*float64(len(s)) < wide {
				c.text("tick middle", x+wide/2, top+fieldTall/2+3.5, s)
			}
		}
	}
	for j, v := range p.columns {
		c.text("tick middle", mapLeft+wide*(float64(j)+0.5), bottom+13, fitting(v, wide))
	}
	c.text("name end", plotRight, bottom+28, p.across)
	c.Caption = "A field for each point."
	if broken > 0 {
		c.Caption = "A field for each point; the claim is broken on the red ones, " + whole(int64(broken)) + " of " + whole(int64(len(r.Cells))) + "."
	}
	return c
}

// shortFigure has two digits; finite numbers alone have one.
func shortFigure(x float64) string {
	if !finite(x) {
		return ""
	}
	if math.Abs(x) >= 100 && math.Abs(x) < 1e5 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}
