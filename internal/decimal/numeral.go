package decimal

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

const (
	// MaxDigits of a whole number are compared exactly; more are refused.
	MaxDigits = 300
	// doubleDigits are the significant digits that tell any two doubles apart.
	doubleDigits = 17
)

// Parse reads a number as it is written in JSON or CSV. Whole numbers without a
// point or an exponent are exact: a float64 where that holds them, up to 2⁵³ in
// magnitude, −0 included, else a [json.Number] of the digits alone, with a minus sign where there is
// one. Others are the nearest float64; not finite ones, too, as strconv.ParseFloat spells
// them.
//
// [Is] defines the form of a number. Parse returns an error for a number in another form (010, +1, 0x10). It also
// returns an error for a number that cannot be represented: a whole number of more than [MaxDigits] digits, a number
// beyond the range of a double, or a fraction with more digits than a double. For any other text isNumber is false.
func Parse(text string) (v any, isNumber bool, err error) {
	if !Is(text) {
		x, err := strconv.ParseFloat(text, 64)
		switch {
		case errors.Is(err, strconv.ErrSyntax):
			return nil, false, nil
		case err == nil && (math.IsInf(x, 0) || math.IsNaN(x)):
			return x, true, nil
		}
		_, err = Float(text)
		return nil, true, err
	}
	if digits := text; strings.Trim(digits, "-0123456789") == "" {
		if len(strings.TrimPrefix(digits, "-")) > MaxDigits {
			return nil, true, fmt.Errorf("%s is a whole number of %d digits: at most %d are compared exactly; "+
				"write it as a string", cut(text), len(strings.TrimPrefix(digits, "-")), MaxDigits)
		}
		if x, err := strconv.ParseFloat(digits, 64); err == nil && math.Abs(x) <= ExactWhole {
			if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n >= -ExactWhole && n <= ExactWhole {
				return x, true, nil
			}
		}
		return json.Number(digits), true, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, true, fmt.Errorf("%s is beyond the range of a double, 1.8e308: write it as a string", cut(text))
	}
	switch n := significantDigits(text); {
	case x == 0 && n > 0:
		return nil, true, fmt.Errorf("%s is below the range of a double, 4.9e-324: write it as a string", cut(text))
	case n > doubleDigits && !spells(x, text, n):
		return nil, true, fmt.Errorf("%s has %d significant digits: a number with a fraction or an exponent is read as a "+
			"double, which has %d; write it as a string, or as a whole number of its smallest unit",
			cut(text), n, doubleDigits)
	}
	return x, true, nil
}

// significantDigits is how many digits a number has, without zeros before and after them.
func significantDigits(text string) (n int) {
	zeros := 0
	for _, c := range []byte(text) {
		switch {
		case c == 'e' || c == 'E':
			return n
		case c == '0':
			if n > 0 {
				zeros++
			}
		case c > '0' && c <= '9':
			n, zeros = n+zeros+1, 0
		}
	}
	return n
}

// spells tells whether the n digits of a text are those of a double, rounded to as many:
// then the double is all that they say.
func spells(x float64, text string, n int) bool {
	digits := func(s string) string {
		s, _, _ = strings.Cut(strings.ToLower(s), "e")
		return strings.Trim(strings.NewReplacer("+", "", "-", "", ".", "").Replace(s), "0")
	}
	return digits(strconv.FormatFloat(x, 'e', n-1, 64)) == digits(text)
}

// cut quotes a number that may be long.
func cut(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// ExactWhole is the largest magnitude up to which a float64 holds every whole number.
const ExactWhole = 1 << 53
