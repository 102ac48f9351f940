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
	// MaxDigits is the maximum number of digits of a whole number that Parse accepts.
	MaxDigits = 300
	// doubleDigits is the number of significant digits that distinguish any two doubles.
	doubleDigits = 17
)

// Parse parses a number in JSON or CSV without loss. A whole number without a point or an exponent is exact: v is a
// float64 up to 2⁵³ in magnitude, −0 included, and beyond that a [json.Number] of its digits and minus sign. For any
// other number v is the nearest float64. Infinity and NaN are accepted in the spellings of strconv.ParseFloat.
//
// Parse returns an error for a number that [Is] rejects (010, +1, 0x10), and for a number that cannot be represented:
// a whole number of more than [MaxDigits] digits, a number beyond the range of a double, or a fraction with more
// digits than a double holds. For any other text isNumber is false.
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

// significantDigits returns the number of digits between the first and the last digit that is not 0.
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

// spells reports whether x, rounded to n digits, has the n digits of the text. The double then loses none of them.
func spells(x float64, text string, n int) bool {
	digits := func(s string) string {
		s, _, _ = strings.Cut(strings.ToLower(s), "e")
		return strings.Trim(strings.NewReplacer("+", "", "-", "", ".", "").Replace(s), "0")
	}
	return digits(strconv.FormatFloat(x, 'e', n-1, 64)) == digits(text)
}

// cut shortens a number for a message.
func cut(text string) string {
	const maxLength = 40
	if len(text) > maxLength {
		return text[:maxLength] + "…"
	}
	return text
}

// ExactWhole is the largest magnitude up to which a float64 holds every whole number.
const ExactWhole = 1 << 53
