package distinguisher

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// largestModulus is the largest modulus of the residues; all moduli from 2 on are tested.
const largestModulus = 16

// modulusOfAll is the least common multiple of the moduli.
const modulusOfAll = 720720

// whole is an integer in the form that its divisions need.
type whole struct {
	low     uint64    // modulo 2⁶⁴, in two's complement
	residue uint32    // modulo modulusOfAll
	groups  []float64 // decimal digits in groups, last group first; nil if low determines them
}

// wholeOf converts an integer that a float64 holds exactly.
func wholeOf(v float64) whole {
	n := int64(v)
	residue := n % modulusOfAll
	if residue < 0 {
		residue += modulusOfAll
	}
	return whole{low: uint64(n), residue: uint32(residue)}
}

// wholeOfGroups converts an integer given by groups of digits.
func wholeOfGroups(groups []float64) whole {
	const unit = uint64(groupUnit)
	w := whole{groups: groups}
	for _, g := range slices.Backward(groups) {
		next := wholeOf(g)
		w.low = w.low*unit + next.low
		w.residue = uint32((uint64(w.residue)*(unit%modulusOfAll) + uint64(next.residue)) % modulusOfAll)
	}
	return w
}

// magnitude returns the absolute value of the number, or of its group of digits that begins at 10^(15 i).
func (w whole) magnitude(i int) uint64 {
	switch {
	case w.groups != nil && i >= len(w.groups):
		return 0
	case w.groups != nil:
		return uint64(math.Abs(w.groups[i]))
	}
	if n := int64(w.low); n < 0 {
		return uint64(-n)
	}
	return w.low
}

// digit returns the decimal digit at 10^k.
func (w whole) digit(k int) int {
	if w.groups == nil {
		return int(w.magnitude(0) / powers[k] % 10)
	}
	return int(w.magnitude(k/groupDigits) / powers[k%groupDigits] % 10)
}

// powers holds the powers of ten that fit in 64 bits.
var powers = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// wholeSource is a place of a row that contains only integers, symbols, infinities and NaN.
type wholeSource struct {
	name  string
	read  func(row []float64) (whole, bool)
	reach float64 // difference of the largest and the smallest number
	large bool    // it has groups of digits
	complexity
}

// wholeSources returns the integer sources of a table: values, lengths and numbers of strings, and the sum of the
// values.
func wholeSources(t *table) []wholeSource {
	if *t.whole == nil {
		*t.whole = append(make([]wholeSource, 0, 1), findWholeSources(t)...)
	}
	return *t.whole
}

func findWholeSources(t *table) (out []wholeSource) {
	rows := t.shape
	digits := make(map[int]*detail)
	var texts []detail
	if rows.plan != nil {
		for i, d := range rows.plan.details {
			switch {
			case d.kind == digitsDetail:
				digits[d.position] = &rows.plan.details[i]
			case d.kind == textDetail && d.position <= maxPositions:
				texts = append(texts, d)
			}
		}
	}
	add := func(name string, cell int, d *detail) bool {
		reach, ok := reachOfWhole(t, cell, d)
		if ok {
			out = append(out, wholeSource{name: name, read: wholeReader(cell, d), reach: reach, large: d != nil,
				complexity: functionOfValue})
		}
		return ok
	}
	for _, d := range texts {
		add("length of the string "+rows.name(d.position), d.offset, nil)
		add("number in the string "+rows.name(d.position), d.offset+textCells-1, digits[d.position])
		delete(digits, d.position)
	}
	all := true
	for i := range rows.values() {
		switch {
		case i <= maxPositions:
			all = add(rows.name(i), i, digits[i]) && all
		case all: // needed only for the sum
			_, all = reachOfWhole(t, i, digits[i])
		}
	}
	if all && rows.values() > 2 && len(digits) == 0 {
		out = append(out, sumOfWhole(t, rows.values()))
	}
	return out
}

// reachOfWhole returns the difference of the largest and the smallest number in a cell. ok is false if a number is
// not an integer or is too large to be represented exactly.
func reachOfWhole(t *table, cell int, d *detail) (reach float64, ok bool) {
	for i := range min(len(t.a), 8) { // sufficient to reject most columns of fractions
		if v := t.row(i)[cell]; d == nil && finite(v) && !isWhole(v) {
			return 0, false
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i, v := range t.cell(cell) {
		if !finite(v) {
			continue
		}
		if !isWhole(v) && (d == nil || IsSymbol(t.row(i)[d.offset])) {
			return 0, false
		}
		low, high = min(low, v), max(high, v)
	}
	return high - low, true
}

func wholeReader(cell int, d *detail) func(row []float64) (whole, bool) {
	if d == nil {
		return func(row []float64) (whole, bool) {
			v := row[cell]
			if !isWhole(v) {
				return whole{}, false
			}
			return wholeOf(v), true
		}
	}
	at, to := d.offset, d.offset+d.cells
	return func(row []float64) (whole, bool) {
		if IsSymbol(row[at]) {
			return whole{}, false
		}
		return wholeOfGroups(row[at:to]), true
	}
}

// sumOfWhole returns the sum of the values of a sequence as a source.
func sumOfWhole(t *table, values int) wholeSource {
	s := wholeSource{name: "sum", complexity: severalValues, read: func(row []float64) (whole, bool) {
		var sum float64
		for _, v := range row[1:values] {
			if isWhole(v) {
				sum += v
			}
		}
		return wholeOf(sum), isWhole(sum)
	}}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range t.a {
		if w, ok := s.read(t.row(i)); ok {
			v := float64(int64(w.low))
			low, high = math.Min(low, v), math.Max(high, v)
		}
	}
	s.reach = high - low
	return s
}

// divisions returns the divisions of a source: residues, digits, and the position of the lowest nonzero bit.
// Periods longer than the reach are excluded, because their classes are intervals, which thresholds cover.
func (s wholeSource) divisions(t *table) []division {
	if !(s.reach >= 2) {
		return nil
	}
	reach := uint64(math.Min(s.reach, math.MaxInt64))
	binary, decimal := 0, 0
	for binary < 62 && uint64(2)<<binary <= reach {
		binary++
	}
	for p := 10.0; p <= s.reach && (s.large || decimal < 16); p *= 10 {
		decimal++
	}
	tally := newWholeTally(binary, decimal)
	for i := range t.a {
		if !t.counted(i) {
			continue
		}
		if w, ok := s.read(t.row(i)); ok {
			tally.add(w, t.a[i], t.b[i])
		} else {
			tallyUp(&tally.none, t.a[i], t.b[i])
		}
	}
	tally.finish()
	var out []division
	add := func(name string, counts [][2]float64, class func(whole) int, label func(int) string) {
		none := len(counts) - 1
		out = append(out, division{
			name: name, complexity: s.complexity, counts: counts, z: deviate(counts, t.na, t.nb), few: s.reach < maxCodes,
			class: func(row []float64) int {
				if w, ok := s.read(row); ok {
					return class(w)
				}
				return none
			},
			label: func(class int) string {
				if class == none {
					return noWholeNumber
				}
				return label(class)
			},
		})
	}
	number := func(class int) string { return fmt.Sprint(class) }
	for m := 2; m <= largestModulus && float64(m) <= s.reach; m++ {
		add(fmt.Sprintf("%s mod %d", s.name, m), tally.residues(m), func(w whole) int { return int(w.residue) % m }, number)
	}
	for k := 1; k < binary; k++ { // bit 0 is the residue modulo 2
		add(fmt.Sprintf("bit of %s at 2^%d", s.name, k), tally.bits[k], func(w whole) int { return int(w.low >> k & 1) },
			number)
	}
	for k := range decimal {
		add(fmt.Sprintf("decimal digit of %s at 10^%d", s.name, k), tally.digits[k], func(w whole) int { return w.digit(k) },
			number)
	}
	if binary > 1 {
		add(lowestBitPrefix+s.name, tally.lowest, lowestBit, func(class int) string {
			if class == 64 {
				return "none"
			}
			return fmt.Sprintf("2^%d", class)
		})
	}
	return out
}

// lowestBit returns the position of the lowest nonzero bit, or 64 for 0.
func lowestBit(w whole) int { return bits.TrailingZeros64(w.low) }

// wholeTally counts integers in all their classes. The last class of each division counts rows without an integer.
type wholeTally struct {
	// many and few count residues modulo manyResidues and fewResidues, which determine all other residues.
	many, few [][2]float64
	bits      [][][2]float64
	digits    [][][2]float64
	lowest    [][2]float64
	none      [2]float64
}

const (
	manyResidues = 16 * 9 * 5 * 7
	fewResidues  = 11 * 13
)

func newWholeTally(binary, decimal int) *wholeTally {
	t := &wholeTally{
		many: make([][2]float64, manyResidues), few: make([][2]float64, fewResidues),
		bits: make([][][2]float64, binary), digits: make([][][2]float64, decimal), lowest: make([][2]float64, 66),
	}
	for k := range t.bits {
		t.bits[k] = make([][2]float64, 3)
	}
	for k := range t.digits {
		t.digits[k] = make([][2]float64, 11)
	}
	return t
}

func tallyUp(c *[2]float64, a, b float64) { c[0], c[1] = c[0]+a, c[1]+b }

func (t *wholeTally) add(w whole, a, b float64) {
	tallyUp(&t.many[w.residue%manyResidues], a, b)
	tallyUp(&t.few[w.residue%fewResidues], a, b)
	for k := range t.bits {
		tallyUp(&t.bits[k][w.low>>k&1], a, b)
	}
	var rest uint64
	for k := range t.digits {
		if k == 0 || w.groups != nil && k%groupDigits == 0 {
			rest = w.magnitude(k / groupDigits)
		}
		tallyUp(&t.digits[k][rest%10], a, b)
		rest /= 10
	}
	tallyUp(&t.lowest[lowestBit(w)], a, b)
}

// finish enters the count of rows without an integer.
func (t *wholeTally) finish() {
	for _, divisions := range [][][][2]float64{t.bits, t.digits, {t.lowest}} {
		for _, counts := range divisions {
			counts[len(counts)-1] = t.none
		}
	}
}

// residues returns the counts by residue modulo m ≤ largestModulus.
func (t *wholeTally) residues(m int) [][2]float64 {
	from := t.many
	if manyResidues%m != 0 {
		from = t.few
	}
	out := make([][2]float64, m+1)
	for i, c := range from {
		tallyUp(&out[i%m], c[0], c[1])
	}
	out[m] = t.none
	return out
}
