package accounting

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant"
)

// Rounding says how a reported number was rounded.
type Rounding string

const (
	AnyRounding Rounding = ""        // one of the others, not known which
	Nearest     Rounding = "nearest" // by at most half a unit of the last digit
	Up          Rounding = "up"      // up, by at most one unit of the last digit
	Down        Rounding = "down"    // down, by at most one unit of the last digit
)

// Roundings lists the names of all roundings.
var Roundings = []Rounding{Nearest, Up, Down, "any"}

// Reported is a number as a paper or report states it.
type Reported struct {
	Text     string // "1.32", "1.3e-5": a number of at least 0 in JSON form
	Rounding Rounding
	// Digits is the number of digits after the point, before any power of ten; nil means the digits in Text. If Text
	// has fewer digits, the missing ones are zeros.
	Digits *int
}

var numeral = regexp.MustCompile(`^(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$`)

// maxDigits is the number of decimal digits that a double can always represent.
const maxDigits = 15

// exact returns the number and one unit of its last digit.
func (p Reported) exact() (value, unit *big.Rat, err error) {
	parts := numeral.FindStringSubmatch(p.Text)
	if parts == nil {
		return nil, nil, fmt.Errorf("%q is not a reported number: want a number of at least 0, as in 1.32", p.Text)
	}
	digits, power := len(parts[2]), 0
	if parts[3] != "" {
		if power, err = strconv.Atoi(parts[3]); err != nil || max(power, -power) > 300 {
			return nil, nil, fmt.Errorf("%q is beyond the range of a double", p.Text)
		}
	}
	if p.Digits != nil {
		digits = *p.Digits
		switch {
		case digits < 0 || digits > maxDigits:
			return nil, nil, fmt.Errorf("digits %d: want a whole number from 0 to %d", digits, maxDigits)
		case len(parts[2]) > digits && strings.Trim(parts[2][digits:], "0") != "":
			return nil, nil, fmt.Errorf("%s has more than %d digits after its point", p.Text, digits)
		}
	}
	value, ok := new(big.Rat).SetString(p.Text)
	unit, okUnit := new(big.Rat).SetString(fmt.Sprintf("1e%d", power-digits))
	if f, _ := value.Float64(); !ok || !okUnit || math.IsInf(f, 0) {
		return nil, nil, fmt.Errorf("%q is beyond the range of a double", p.Text)
	}
	return value, unit, nil
}

// Check returns an error if the text is not a number, or the digits or the rounding are invalid.
func (p Reported) Check() error {
	_, _, _, err := p.interval()
	return err
}

// interval returns the number and the interval of values that round to it.
func (p Reported) interval() (value, low, high float64, err error) {
	exact, unit, err := p.exact()
	if err != nil {
		return 0, 0, 0, err
	}
	from, to := new(big.Rat).Sub(exact, unit), new(big.Rat).Add(exact, unit)
	half := new(big.Rat).Quo(unit, big.NewRat(2, 1))
	switch p.Rounding {
	case AnyRounding, "any":
	case Nearest:
		from, to = new(big.Rat).Sub(exact, half), new(big.Rat).Add(exact, half)
	case Up:
		to = exact
	case Down:
		from = exact
	default:
		return 0, 0, 0, fmt.Errorf("rounding %q: want nearest, up, down or any", p.Rounding)
	}
	value, _ = exact.Float64()
	low, _ = from.Float64()
	high, _ = to.Float64()
	return value, low, high, nil
}

// corrected states the correct value: the bracket, and the number it rounds to if all its values round to the same one.
func (p Reported) corrected(b accountant.Bracket) string {
	if math.IsInf(b.Lower, 1) {
		return "no finite number is right"
	}
	between := fmt.Sprintf("it is between %s and %s", downwards(b.Lower), upwards(b.Upper))
	low, high := p.rounded(b.Lower), p.rounded(b.Upper)
	if math.IsInf(b.Upper, 1) || low != high {
		return between
	}
	return fmt.Sprintf("%s, which rounds to %s", between, low)
}

// rounded rounds x to the digits of the reported number, in the same form.
func (p Reported) rounded(x float64) string {
	if math.IsInf(x, 0) {
		return "∞"
	}
	mantissa, _, scientific := strings.Cut(strings.ToLower(p.Text), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	digits := len(fraction)
	if p.Digits != nil {
		digits = *p.Digits
	}
	if scientific {
		return strconv.FormatFloat(x, 'e', digits, 64)
	}
	return new(big.Rat).SetFloat64(x).FloatString(digits)
}

// upwards formats a number with six digits, rounded up.
func upwards(x float64) string { return sixDigits(x, +1) }

// downwards formats a number with six digits, rounded down.
func downwards(x float64) string { return sixDigits(x, -1) }

func sixDigits(x float64, sign int) string {
	if math.IsInf(x, 0) || x == 0 {
		return strings.Replace(strconv.FormatFloat(x, 'g', 6, 64), "+Inf", "∞", 1)
	}
	text := strconv.FormatFloat(x, 'e', 5, 64)
	shown, _ := new(big.Rat).SetString(text)
	if c := shown.Cmp(new(big.Rat).SetFloat64(x)); c != 0 && c != sign {
		_, power, _ := strings.Cut(text, "e")
		n, _ := strconv.Atoi(power)
		if step, ok := new(big.Rat).SetString(fmt.Sprintf("%de%d", sign, n-5)); ok {
			shown.Add(shown, step)
		}
	}
	f, _ := shown.Float64()
	return strconv.FormatFloat(f, 'g', 6, 64)
}
