package distinguisher

import (
	"cmp"
	"math"
	"slices"
)

// detailKind is what stands before the values of a row, where a float64 does not hold
// all of a value: a mark, which is a NaN that says the kind, the position of the value
// and how many cells follow, and these cells. Rows of other values begin with a value.
//
// The search arranges the rows of both samples alike: values first, with the details of
// each position behind all values.
type detailKind uint8

const (
	// textDetail of a string: see appendText.
	textDetail detailKind = iota
	// digitsDetail of a whole number beyond 2⁵³, whose value is the nearest double: its
	// decimal digits in groups, the last ones first, each with the number's sign.
	digitsDetail
	// listDetail says that a value is an array, whose length its cell holds.
	listDetail
)

const (
	groupDigits = 15 // decimal digits that a double holds whatever they are

	markTag = 0xFFFB << 48
)

func appendMark(dst []float64, kind detailKind, position, cells int) []float64 {
	return append(dst, math.Float64frombits(markTag|uint64(kind)<<44|uint64(position)<<12|uint64(cells)))
}

func isMark(x float64) bool { return math.Float64bits(x)&(0xFFFF<<48) == markTag }

// detail is the place of the details of a value.
type detail struct {
	kind     detailKind
	position int // of the value
	cells    int
	at       int // their first cell in an arranged row
}

// readMark is the detail that a mark announces.
func readMark(x float64) detail {
	bits := math.Float64bits(x)
	return detail{kind: detailKind(bits >> 44 & 0xF), position: int(bits >> 12 & 0xFFFF_FFFF), cells: int(bits & 0xFFF)}
}

// place is the detail without its cells.
func (d detail) place() detail { return detail{kind: d.kind, position: d.position} }

func (d detail) order(e detail) int {
	return cmp.Or(cmp.Compare(d.position, e.position), cmp.Compare(d.kind, e.kind))
}

// arrangement is where the cells of an arranged row stand.
type arrangement struct {
	values  int      // the first cells
	details []detail // ordered
	width   int
}

// arrange arranges the rows of two samples alike; they stay as they are where there are
// no details.
func arrange(a, b *Rows) (*Rows, *Rows) {
	plan := &arrangement{}
	found := make(map[detail]int) // cells of a kind at a position
	for _, s := range []*Rows{a, b} {
		for i := range s.Len() {
			row := s.Row(i)
			if !isMark(row[0]) {
				continue
			}
			for len(row) > 0 && isMark(row[0]) {
				cells := readMark(row[0]).cells
				place := readMark(row[0]).place()
				row = row[1+cells:]
				found[place] = max(found[place], cells)
			}
		}
	}
	if len(found) == 0 {
		return a, b
	}
	for _, s := range []*Rows{a, b} {
		for i := range s.Len() {
			plan.values = max(plan.values, len(Values(s.Row(i))))
		}
	}
	for d, cells := range found {
		d.cells = cells
		plan.details = append(plan.details, d)
	}
	slices.SortFunc(plan.details, detail.order)
	plan.width = plan.values
	for i := range plan.details {
		plan.details[i].at = plan.width
		plan.width += plan.details[i].cells
	}
	return plan.rows(a), plan.rows(b)
}

// Values of a row as an [Encoder] made it, without the details before them and what fills it up.
func Values(row []float64) []float64 {
	for len(row) > 0 && isMark(row[0]) {
		row = row[1+readMark(row[0]).cells:]
	}
	for len(row) > 0 && valueKey(row[len(row)-1]) == valueKey(Absent) {
		row = row[:len(row)-1]
	}
	return row
}

func (p *arrangement) rows(s *Rows) *Rows {
	out := &Rows{Width: p.width, data: make([]float64, s.Len()*p.width), plan: p}
	for i := range s.Len() {
		p.fill(out.data[i*p.width:(i+1)*p.width], s.Row(i))
	}
	return out
}

// fill writes a row into the cells of an arranged one. What has no place there is left
// out; what is not there is Absent, but for the digits of a small whole number.
func (p *arrangement) fill(dst, row []float64) {
	values := Values(row)
	for i := copy(dst[:p.values], values); i < len(dst); i++ {
		dst[i] = Absent
	}
	for _, d := range p.details {
		for len(row) > 0 && isMark(row[0]) && readMark(row[0]).order(d) < 0 {
			row = row[1+readMark(row[0]).cells:]
		}
		cells := dst[d.at : d.at+d.cells]
		if len(row) > 0 && isMark(row[0]) && readMark(row[0]).order(d) == 0 {
			n := readMark(row[0]).cells
			filled := copy(cells, row[1:1+n])
			if d.kind == digitsDetail {
				clear(cells[filled:])
			}
		} else if d.kind == digitsDetail {
			if v := dst[p.numberCell(d.position)]; isWhole(v) {
				clear(cells)
				cells[0] = math.Mod(v, groupUnit)
				if len(cells) > 1 {
					cells[1] = math.Trunc(v / groupUnit)
				}
			}
		}
	}
}

// groupUnit is what one of the second group of digits is worth.
const groupUnit = 1e15

// numberCell is the cell of the number at a position: its own, or that of the number
// which the string there spells.
func (p *arrangement) numberCell(position int) int {
	if i, ok := slices.BinarySearchFunc(p.details, detail{kind: textDetail, position: position}, detail.order); ok {
		return p.details[i].at + textCells - 1
	}
	return position
}
