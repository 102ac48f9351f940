package reports

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/verify"
)

// The rounding rule of every figure that a person reads:
//
//   - A measured value shows as many places as two significant digits of its
//     interval's width; the ends of the interval are rounded outward, so that the
//     printed interval contains the certified one.
//   - A figure without an interval shows five significant digits, without
//     trailing zeros.
//   - Where rounding would hide that the claimed value differs from the measured
//     one, or lies outside its interval, digits are added until it does not, up
//     to twelve.
//   - Error probabilities show two digits, rounded up.
//   - Magnitudes in [1e-3, 1e6) are written in full, others with an exponent.
const (
	aloneDigits = 5
	mostDigits  = 12
	// exactWidth is the relative width below which an interval is the rounding
	// error of a computation and is not shown.
	exactWidth = 1e-7
	// sameValue is the relative difference up to which two computed values count
	// as one; where they decided against a claim every difference counts.
	sameValue   = 1e-9
	sameRefuted = 1e-12
	absent      = "–"
)

// Figure writes a number that stands alone.
func Figure(n verify.Number) string { return figure(n, aloneDigits) }

func figure(n verify.Number, digits int) string {
	if !n.Set {
		return absent
	}
	return trimZeros(rounded(n.X, exponent(n.X)-digits+1, scientific(n.X)))
}

// figures are the three texts of one comparison.
type figures struct{ Claimed, Measured, Ratio string }

// compare writes a claimed and a measured value side by side. Computed values
// that differ, relative to the larger, by more than same get different texts.
func compare(claimed, measured, lower, upper, ratio verify.Number, same float64) figures {
	m := measurement{claimed: claimed, value: measured, lower: lower, upper: upper}
	f := figures{Claimed: Figure(claimed), Measured: m.alone(aloneDigits), Ratio: Figure(ratio)}
	if m.interval() {
		f.Measured = m.text()
		if w := m.width(); ratio.Set && w > 0 && !math.IsInf(ratio.X, 0) {
			w /= math.Abs(claimed.X)
			f.Ratio = rounded(ratio.X, exponent(w)-1, scientific(ratio.X))
		}
		return f
	}
	for digits := aloneDigits + 1; digits <= mostDigits && m.differs(same) && f.Measured == f.Claimed; digits++ {
		f = figures{Claimed: figure(claimed, digits), Measured: m.alone(digits), Ratio: f.Ratio}
	}
	for digits := aloneDigits + 1; digits <= mostDigits && m.differs(same) && f.Ratio == "1"; digits++ {
		f.Ratio = figure(ratio, digits)
	}
	return f
}

func compareCell(sense verify.Sense, c verify.Cell) figures {
	return compare(c.Claimed, c.Measured, c.Lower, c.Upper, verify.Number{}, sameValue).claimed(sense)
}

func compareWorst(e verify.Evidence) figures {
	return compare(e.Claimed, e.Measured, e.Lower, e.Upper, e.Ratio, sameAs(e.Verdict)).claimed(e.Sense)
}

// sameAs is the relative difference up to which computed values count as one
// under a verdict.
func sameAs(v verify.Verdict) float64 {
	if v == verify.Refuted || v == verify.Inconsistent {
		return sameRefuted
	}
	return sameValue
}

// claimed puts the sense before the claimed value: "≤ 1000". An equation needs none.
func (f figures) claimed(sense verify.Sense) figures {
	if sense != "" && sense != verify.Equals && f.Claimed != absent {
		f.Claimed = string(sense) + " " + f.Claimed
	}
	return f
}

// measurement is a value with its interval, next to what was claimed.
type measurement struct{ claimed, value, lower, upper verify.Number }

// interval tells whether there is one to show.
func (m measurement) interval() bool {
	if !m.lower.Set && !m.upper.Set {
		return false
	}
	if !m.lower.Set || !m.upper.Set {
		return !m.value.Set || m.width() > exactWidth*math.Abs(m.value.X)
	}
	if m.lower.X == m.upper.X {
		return m.value.Set && m.value.X != m.lower.X
	}
	width, scale := m.upper.X-m.lower.X, math.Max(math.Abs(m.lower.X), math.Abs(m.upper.X))
	return math.IsInf(width, 1) || !(width <= exactWidth*scale)
}

// differs tells whether claimed and measured value are apart, relative to the
// larger, by more than same.
func (m measurement) differs(same float64) bool {
	if !m.claimed.Set || !m.value.Set {
		return false
	}
	scale := math.Max(math.Abs(m.claimed.X), math.Abs(m.value.X))
	return math.Abs(m.claimed.X-m.value.X) > same*scale
}

func (m measurement) alone(digits int) string { return figure(m.value, digits) }

// width is that of the finite part of the interval; 0 if there is none.
func (m measurement) width() float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, n := range []verify.Number{m.value, m.lower, m.upper} {
		if n.Set && !math.IsInf(n.X, 0) && !math.IsNaN(n.X) {
			low, high = math.Min(low, n.X), math.Max(high, n.X)
		}
	}
	return math.Max(0, high-low)
}

// text is "0.8731 [0.8722, 0.8740]".
func (m measurement) text() string {
	largest := 0.0
	for _, n := range []verify.Number{m.value, m.lower, m.upper} {
		if n.Set && !math.IsInf(n.X, 0) && !math.IsNaN(n.X) {
			largest = math.Max(largest, math.Abs(n.X))
		}
	}
	style := scientific(largest)
	last := exponent(largest) - aloneDigits + 1
	if w := m.width(); w > 0 {
		last = exponent(w) - 1
	}
	least := min(last, exponent(largest)-mostDigits+1)
	for ; ; last-- {
		lower, upper := outward(m.lower, last, style, false), outward(m.upper, last, style, true)
		if last > least && m.hides(lower, upper) {
			continue
		}
		if !m.value.Set {
			return "[" + lower + ", " + upper + "]"
		}
		return rounded(m.value.X, last, style) + " [" + lower + ", " + upper + "]"
	}
}

// hides tells whether the rounded interval holds a claimed value that the
// interval itself does not.
func (m measurement) hides(lower, upper string) bool {
	if !m.claimed.Set {
		return false
	}
	below := m.lower.Set && m.claimed.X < m.lower.X
	above := m.upper.Set && m.claimed.X > m.upper.X
	return below && value(lower) <= m.claimed.X || above && value(upper) >= m.claimed.X
}

// outward rounds an end of an interval away from its middle.
func outward(n verify.Number, last int, style, up bool) string {
	if !n.Set {
		return absent
	}
	s := rounded(n.X, last, style)
	y := value(s)
	if !(up && y < n.X || !up && y > n.X) {
		return s
	}
	// Rounding went inward, by less than half a unit: more than half a unit
	// outward rounds to the next value.
	if style && n.X != 0 {
		last = max(last, exponent(n.X)-16)
		last = min(last, exponent(n.X))
	} else {
		last = min(last, 0)
	}
	unit := 0.6 * math.Pow(10, float64(last))
	if !up {
		unit = -unit
	}
	return rounded(n.X+unit, last, style)
}

// rounded writes x with its last digit at the power 10^last.
func rounded(x float64, last int, style bool) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	case x == 0 && style:
		return "0"
	case style:
		digits := min(max(exponent(x)-last, 0), 16)
		return cleanExponent(strconv.FormatFloat(x, 'e', digits, 64))
	}
	s := strconv.FormatFloat(x, 'f', max(0, -last), 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// value reads back what rounded wrote.
func value(s string) float64 {
	switch s {
	case "∞":
		return math.Inf(1)
	case "-∞":
		return math.Inf(-1)
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// scientific tells whether figures as large as x are written with an exponent.
func scientific(x float64) bool {
	x = math.Abs(x)
	return x != 0 && !math.IsInf(x, 0) && !(x >= 1e-3 && x < 1e6)
}

// exponent is that of x in decimal notation: 10^e ≤ |x| < 10^(e+1); 0 for 0 and
// for what is not finite.
func exponent(x float64) int {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	_, e, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(e) // FormatFloat wrote it
	return n
}

// probability writes an error probability, rounded up.
func probability(x float64) string {
	return trimZeros(outward(verify.Num(x), exponent(x)-1, scientific(x), true))
}

// plain writes a parameter in full precision: 1e-6, 0.05.
func plain(x float64) string { return cleanExponent(strconv.FormatFloat(x, 'g', -1, 64)) }

// cleanExponent turns 1e-06 into 1e-6.
func cleanExponent(s string) string {
	digits, e, ok := strings.Cut(s, "e")
	if !ok {
		return s
	}
	n, _ := strconv.Atoi(e) // strconv wrote it
	return digits + "e" + strconv.Itoa(n)
}

// longExponent is how Go writes an exponent.
var longExponent = regexp.MustCompile(`\b([0-9.]+)e(?:\+0*|(-)0*)([0-9]+)\b`)

// shortExponents writes 1e-06 as 1e-6 and 1e+06 as 1e6 within a text, like the figures
// beside it.
func shortExponents(s string) string { return longExponent.ReplaceAllString(s, "${1}e$2$3") }

// tidied is a document whose evidence has its exponents as the figures have them.
func tidied(d Document) Document {
	d.Run.Results = slices.Clone(d.Run.Results)
	for i := range d.Run.Results {
		e := &d.Run.Results[i].Evidence
		for _, s := range []*string{&e.Quantity, &e.Method, &e.Power, &e.Witness, &e.Attempt, &e.Needed, &e.Counterexample.At, &e.Counterexample.Choice} {
			*s = shortExponents(*s)
		}
		e.Cells, e.Series, e.Warnings = slices.Clone(e.Cells), slices.Clone(e.Series), slices.Clone(e.Warnings)
		for k := range e.Cells {
			e.Cells[k].At = shortExponents(e.Cells[k].At)
		}
		for k := range e.Warnings {
			e.Warnings[k] = shortExponents(e.Warnings[k])
		}
		for k := range e.Series {
			s := &e.Series[k]
			s.Name, s.Points = shortExponents(s.Name), slices.Clone(s.Points)
			for j := range s.Points {
				s.Points[j].At = shortExponents(s.Points[j].At)
			}
		}
	}
	return d
}

// trimZeros drops the zeros at the end of a fraction.
func trimZeros(s string) string {
	digits, e, ok := strings.Cut(s, "e")
	if strings.Contains(digits, ".") {
		digits = strings.TrimRight(strings.TrimRight(digits, "0"), ".")
	}
	if ok {
		return digits + "e" + e
	}
	return digits
}

// whole writes a count with commas between thousands.
func whole(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
