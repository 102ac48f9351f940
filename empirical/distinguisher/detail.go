package distinguisher

import (
	"cmp"
	"math"
	"slices"
)

// detailKind is the kind of a detail. A detail holds the parts of a value that a float64 cannot hold. It precedes
// the values of a row: a mark, which is a NaN with the kind, the position of the value and the number of cells that
// follow, and then these cells. Rows without details begin with a value.
//
// The search arranges the rows of both samples in the same way: first the values, then the details of each
// position.
type detailKind uint8

const (
	// textDetail belongs to a string; see appendText.
	textDetail detailKind = iota
	// digitsDetail belongs to an integer beyond 2⁵³, whose value is the nearest float64. It holds the decimal digits
	// in groups, last group first, each with the sign of the number.
	digitsDetail
	// listDetail marks a value as an array; the value is the length.
	listDetail
)

const (
	groupDigits = 15 // number of decimal digits that always fit a float64

	markTag = 0xFFFB << 48
)

func appendMark(dst []float64, kind detailKind, position, cells int) []float64 {
	return append(dst, math.Float64frombits(markTag|uint64(kind)<<44|uint64(position)<<12|uint64(cells)))
}

func isMark(x float64) bool { return math.Float64bits(x)&(0xFFFF<<48) == markTag }

// detail locates the details of a value.
type detail struct {
	kind     detailKind
	position int // position of the value
	cells    int
	offset   int // first cell in an arranged row
}

// readMark decodes a mark.
func readMark(x float64) detail {
	bits := math.Float64bits(x)
	return detail{kind: detailKind(bits >> 44 & 0xF), position: int(bits >> 12 & 0xFFFF_FFFF), cells: int(bits & 0xFFF)}
}

// place returns the detail without its cells.
func (d detail) place() detail { return detail{kind: d.kind, position: d.position} }

func (d detail) order(e detail) int {
	return cmp.Or(cmp.Compare(d.position, e.position), cmp.Compare(d.kind, e.kind))
}

// arrangement is the layout of an arranged row.
type arrangement struct {
	values  int      // number of value cells, which come first
	details []detail // ordered
	width   int
}

// arrange arranges the rows of two samples in the same way. It returns them unchanged if there are no details.
func arrange(a, b *Rows) (*Rows, *Rows) {
	plan := &arrangement{}
	found := make(map[detail]int) // number of cells for each kind and position
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
		plan.details[i].offset = plan.width
		plan.width += plan.details[i].cells
	}
	return plan.rows(a), plan.rows(b)
}

// Values returns the values of a row made by an [Encoder], without details and padding.
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

// fill writes a row into the cells of an arranged row. It drops details that have no place. Missing cells become
// Absent, except the digits of a smaller integer.
func (p *arrangement) fill(dst, row []float64) {
	values := Values(row)
	for i := copy(dst[:p.values], values); i < len(dst); i++ {
		dst[i] = Absent
	}
	for _, d := range p.details {
		for len(row) > 0 && isMark(row[0]) && readMark(row[0]).order(d) < 0 {
			row = row[1+readMark(row[0]).cells:]
		}
		cells := dst[d.offset : d.offset+d.cells]
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

// groupUnit is the value of one unit of the second group of digits.
const groupUnit = 1e15

// numberCell returns the cell of the number at a position. For a string it is the number that the string spells.
func (p *arrangement) numberCell(position int) int {
	if i, ok := slices.BinarySearchFunc(p.details, detail{kind: textDetail, position: position}, detail.order); ok {
		return p.details[i].offset + textCells - 1
	}
	return position
}
