package format

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/verify"
)

// The rounding rule of every figure that a person reads:
//
//   - A measured value shows as many decimal places as two significant digits of its
//     interval's width need. The ends of the interval are rounded outward, so the
//     printed interval contains the certified one.
//   - A figure without an interval shows five significant digits without trailing
//     zeros. Sentences and pictures show three.
//   - If rounding would hide that the claimed value differs from the measured one, or
//     is outside its interval, digits are added until the difference shows, up to
//     twelve.
//   - Error probabilities show two digits, rounded up.
//   - Magnitudes in [1e-3, 1e6) are written in full, others with an exponent.
//   - Rounding uses only the first twelve digits of a value. Later digits differ between
//     machines and would decide how a value next to a half is rounded.
const (
	AloneDigits = 5
	BriefDigits = 3
	maxDigits   = tolerance.PrintDigits
	widthDigits = 5 // kept in the difference of two ends, which has fewer good digits than the ends
	// ExactWidth is the relative width below which an interval is treated as the rounding error of a computation and
	// is not shown.
	ExactWidth = 1e-7
	// SameValue is the relative difference up to which two computed values are shown as equal. SameRefuted replaces it
	// for a refuted claim, since a small difference decided there.
	SameValue   = 1e-9
	SameRefuted = 1e-12
	Absent      = "–"
)

// Figure writes a number with five significant digits, or [Absent] if it is not set.
func Figure(n verify.Number) string { return ToDigits(n, AloneDigits) }

// ToDigits writes a number with the given significant digits and without trailing zeros, or [Absent] if it is not
// set.
func ToDigits(n verify.Number, digits int) string {
	if !n.Set {
		return Absent
	}
	return TrimZeros(Rounded(n.X, Exponent(n.X)-digits+1, Scientific(n.X)))
}

// Figures holds the texts of a comparison of a claimed with a measured value.
type Figures struct{ Claimed, Measured, Ratio string }

// Compared writes a claimed value, a measured one with its interval, and their ratio. If computed values differ by
// more than same, relative to the larger one, their texts differ.
func Compared(claimed, measured, lower, upper, ratio verify.Number, same float64) Figures {
	m := Measurement{Claimed: claimed, Value: measured, Lower: lower, Upper: upper}
	return m.compared(ratio, same, AloneDigits)
}

// compared does the work of [Compared] with at least the given number of digits.
func (m Measurement) compared(ratio verify.Number, same float64, digits int) Figures {
	claimed := m.Claimed
	f := Figures{Claimed: ToDigits(claimed, digits), Measured: m.Alone(digits), Ratio: ToDigits(ratio, digits)}
	if m.Interval() {
		f.Measured = m.Text()
		if m.open {
			f.Claimed = ToDigits(claimed, AloneDigits)
		}
		if w := m.Width(); ratio.Set && w > 0 && !math.IsInf(ratio.X, 0) {
			w /= math.Abs(claimed.X)
			f.Ratio = Rounded(ratio.X, Exponent(w)-1, Scientific(ratio.X))
		}
		return f
	}
	for more := digits + 1; more <= maxDigits && m.differs(same) && f.Measured == f.Claimed; more++ {
		f = Figures{Claimed: ToDigits(claimed, more), Measured: m.Alone(more), Ratio: f.Ratio}
	}
	for more := digits + 1; more <= maxDigits && m.differs(same) && f.Ratio == "1"; more++ {
		f.Ratio = ToDigits(ratio, more)
	}
	return f
}

// CompareCell writes the figures of one point of a claim, with the sense before the claimed value.
func CompareCell(sense verify.Sense, c verify.Cell) Figures {
	return Compared(c.Claimed, c.Measured, c.Lower, c.Upper, verify.Number{}, SameValue).InWords(sense)
}

// Evidence writes the figures of a claim without its sense, as [Compared] does.
func Evidence(e verify.Evidence) Figures {
	m := Measurement{Claimed: e.Claimed, Value: e.Measured, Lower: e.Lower, Upper: e.Upper, open: Excludes(e)}
	return m.compared(e.Ratio, SameAs(e.Verdict), AloneDigits)
}

// CompareWorst writes the figures of a claim at its worst point, with the sense before the claimed value.
func CompareWorst(e verify.Evidence) Figures { return worstFigures(e, AloneDigits).InWords(e.Sense) }

// Brief writes the figures of [CompareWorst] with three digits and without the sense, for a sentence.
func Brief(e verify.Evidence) Figures { return worstFigures(e, BriefDigits) }

func worstFigures(e verify.Evidence, digits int) Figures {
	same := SameAs(e.Verdict)
	if e.Sense == verify.Equals && e.Verdict == verify.Holds {
		same = math.Inf(1) // the two differ only by rounding error
	}
	m := Measurement{Claimed: e.Claimed, Value: e.Measured, Lower: e.Lower, Upper: e.Upper, open: Excludes(e)}
	if e.Exact && m.lowerBound() {
		m.Lower, m.Upper = verify.Number{}, verify.Number{}
		f := m.compared(e.Ratio, same, digits)
		f.Measured = "≥ " + f.Measured
		return f
	}
	return m.compared(e.Ratio, same, digits)
}

// lowerBound reports whether the value is the lower end of an interval without an upper end.
func (m Measurement) lowerBound() bool {
	return m.Value.Set && m.Lower.Set && m.Value.X == m.Lower.X && m.Upper.Set && math.IsInf(m.Upper.X, 1) &&
		!math.IsInf(m.Value.X, 0)
}

// BriefPoint writes the figures of one point in a picture with three digits.
func BriefPoint(c verify.Cell, ratio verify.Number, same float64) Figures {
	m := Measurement{Claimed: c.Claimed, Value: c.Measured, Lower: c.Lower, Upper: c.Upper}
	return m.compared(ratio, same, BriefDigits)
}

// SameAs returns the relative difference up to which computed values are shown as equal under a verdict.
func SameAs(v verify.Verdict) float64 {
	if v == verify.Refuted || v == verify.Contradictory {
		return SameRefuted
	}
	return SameValue
}

// InWords puts the sense before the claimed value, as in "≤ 1000". An equation gets none.
func (f Figures) InWords(sense verify.Sense) Figures {
	if sense != "" && sense != verify.Equals && f.Claimed != Absent {
		f.Claimed = string(sense) + " " + f.Claimed
	}
	return f
}

// Measurement is a claimed value and a measured one with its interval.
type Measurement struct {
	Claimed, Value, Lower, Upper verify.Number
	open                         bool // the interval does not contain its lower end, which is the claimed value
}

// Excludes reports whether a sampled refutation excludes the claimed value itself, which is then the open lower end of
// the interval: a sequential test rejects the claim and certifies nothing above it.
func Excludes(e verify.Evidence) bool {
	return e.Verdict == verify.Refuted && !e.Exact && IsUpperBound(e.Sense) && e.Claimed.Set && e.Lower.Set &&
		e.Lower.X == e.Claimed.X
}

// Interval reports whether there is an interval to show.
func (m Measurement) Interval() bool {
	if !m.Lower.Set && !m.Upper.Set {
		return false
	}
	if !m.Lower.Set || !m.Upper.Set {
		return !m.Value.Set || m.Width() > ExactWidth*math.Abs(m.Value.X)
	}
	if m.Lower.X == m.Upper.X {
		return m.Value.Set && (tolerance.Above(m.Value.X, m.Lower.X) || tolerance.Above(m.Lower.X, m.Value.X))
	}
	width, scale := m.Upper.X-m.Lower.X, math.Max(math.Abs(m.Lower.X), math.Abs(m.Upper.X))
	return math.IsInf(width, 1) || !(width <= ExactWidth*scale)
}

// differs reports whether the claimed and the measured value differ by more than same, relative to the larger one.
func (m Measurement) differs(same float64) bool {
	if !m.Claimed.Set || !m.Value.Set {
		return false
	}
	scale := math.Max(math.Abs(m.Claimed.X), math.Abs(m.Value.X))
	return math.Abs(m.Claimed.X-m.Value.X) > same*scale
}

// Alone writes the measured value without its interval.
func (m Measurement) Alone(digits int) string { return ToDigits(m.Value, digits) }

// Width returns the width of the finite part of the interval, 0 if there is none.
func (m Measurement) Width() float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, n := range []verify.Number{m.Value, m.Lower, m.Upper} {
		if n.Set && !math.IsInf(n.X, 0) && !math.IsNaN(n.X) {
			low, high = math.Min(low, n.X), math.Max(high, n.X)
		}
	}
	return math.Max(0, tolerance.Settled(high-low, widthDigits))
}

// Text returns the value and its interval, as in "0.8731 [0.8722, 0.8740]".
func (m Measurement) Text() string {
	largest := 0.0
	for _, n := range []verify.Number{m.Value, m.Lower, m.Upper} {
		if n.Set && !math.IsInf(n.X, 0) && !math.IsNaN(n.X) {
			largest = math.Max(largest, math.Abs(n.X))
		}
	}
	style := Scientific(largest)
	last := Exponent(largest) - AloneDigits + 1
	if w := m.Width(); w > 0 {
		last = Exponent(w) - 1
	}
	least := min(last, Exponent(largest)-maxDigits+1)
	for ; ; last-- {
		lower, upper := Outward(m.Lower, last, style, false), Outward(m.Upper, last, style, true)
		if last > least && m.hides(lower, upper) {
			continue
		}
		left := "["
		if m.open {
			lower, left = ToDigits(m.Claimed, AloneDigits), "("
		}
		if !m.Value.Set {
			return left + lower + ", " + upper + "]"
		}
		return Rounded(m.Value.X, last, style) + " " + left + lower + ", " + upper + "]"
	}
}

// hides reports whether the rounded interval contains a claimed value that is outside the interval itself.
func (m Measurement) hides(lower, upper string) bool {
	if !m.Claimed.Set {
		return false
	}
	below := m.Lower.Set && settledDigits(m.Claimed.X) < settledDigits(m.Lower.X)
	above := m.Upper.Set && settledDigits(m.Claimed.X) > settledDigits(m.Upper.X)
	return below && ParseFigure(lower) <= m.Claimed.X || above && ParseFigure(upper) >= m.Claimed.X
}

// lastBits is the relative difference that may come from different machines.
const lastBits = 2e-15

// Outward rounds an end of an interval away from the middle, to the power 10^last. It keeps a value that equals the
// printed one up to the last bits.
func Outward(n verify.Number, last int, style, up bool) string {
	if !n.Set {
		return Absent
	}
	s := Rounded(n.X, last, style)
	y, slack := ParseFigure(s), lastBits*math.Abs(n.X)
	if !(up && y < n.X-slack || !up && y > n.X+slack) {
		return s
	}
	// Rounding went inward, by less than half a unit: more than half a unit
	// outward rounds to the next value.
	if style && n.X != 0 {
		last = max(last, Exponent(n.X)-16)
		last = min(last, Exponent(n.X))
	} else {
		last = min(last, 0)
	}
	unit := 0.6 * math.Pow(10, float64(last))
	if !up {
		unit = -unit
	}
	return Rounded(n.X+unit, last, style)
}

// Rounded writes x with its last digit at the power 10^last. The scientific style has an exponent.
func Rounded(x float64, last int, style bool) string {
	x = settledDigits(x)
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
		digits := min(max(Exponent(x)-last, 0), 16)
		return cleanExponent(strconv.FormatFloat(x, 'e', digits, 64))
	}
	s := strconv.FormatFloat(x, 'f', max(0, -last), 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// settledDigits drops the digits of x that differ between machines, before it is rounded.
func settledDigits(x float64) float64 { return tolerance.Settled(x, tolerance.PrintDigits) }

// ParseFigure reads a figure that [Rounded] wrote, NaN for other text.
func ParseFigure(s string) float64 {
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

// Scientific reports whether a figure of the size of x is written with an exponent.
func Scientific(x float64) bool {
	x = settledDigits(math.Abs(x))
	return x != 0 && !math.IsInf(x, 0) && !(x >= 1e-3 && x < 1e6)
}

// Exponent returns the e of 10^e ≤ |x| < 10^(e+1), or 0 if x is 0 or not finite.
func Exponent(x float64) int {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0
	}
	_, e, _ := strings.Cut(strconv.FormatFloat(x, 'e', tolerance.PrintDigits-1, 64), "e")
	n, _ := strconv.Atoi(e) // no error: FormatFloat wrote it
	return n
}

// Probability writes an error probability with two digits, rounded up.
func Probability(x float64) string {
	return TrimZeros(Outward(verify.Num(x), Exponent(x)-1, Scientific(x), true))
}

// Shortest writes a parameter in full precision: 1e-6, 0.05.
func Shortest(x float64) string { return cleanExponent(strconv.FormatFloat(x, 'g', -1, 64)) }

// cleanExponent turns 1e-06 into 1e-6.
func cleanExponent(s string) string {
	digits, e, ok := strings.Cut(s, "e")
	if !ok {
		return s
	}
	n, _ := strconv.Atoi(e) // no error: strconv wrote it
	return digits + "e" + strconv.Itoa(n)
}

// longExponent matches an exponent in Go's notation.
var longExponent = regexp.MustCompile(`\b([0-9.]+)e(?:\+0*|(-)0*)([0-9]+)\b`)

// ShortExponents writes 1e-06 as 1e-6 and 1e+06 as 1e6 within a text, as figures are written.
func ShortExponents(s string) string { return longExponent.ReplaceAllString(s, "${1}e$2$3") }

// TrimZeros removes trailing zeros of a decimal fraction.
func TrimZeros(s string) string {
	digits, e, ok := strings.Cut(s, "e")
	if strings.Contains(digits, ".") {
		digits = strings.TrimRight(strings.TrimRight(digits, "0"), ".")
	}
	if ok {
		return digits + "e" + e
	}
	return digits
}

// Count writes a count with commas between thousands.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// NumberUnlessNaN returns x as a number, or an unset one if x is NaN.
func NumberUnlessNaN(x float64) verify.Number {
	if math.IsNaN(x) {
		return verify.Number{}
	}
	return verify.Num(x)
}

// Finite reports whether x is neither infinite nor NaN.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// IsUpperBound reports whether a claim bounds the measured value from above.
func IsUpperBound(s verify.Sense) bool { return s == verify.AtMost || s == verify.Below }

// IsWrong reports whether a verdict is that the claim is false.
func IsWrong(v verify.Verdict) bool { return v == verify.Refuted || v == verify.Contradictory }

// IsSupported reports whether a verdict supports the claim.
func IsSupported(v verify.Verdict) bool { return v == verify.Holds || v == verify.Consistent }
