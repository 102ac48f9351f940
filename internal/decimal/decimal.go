// Package decimal parses decimal numbers in JSON syntax. The numbers in flags, data files and JSON arguments are
// parsed here. [Parse], for recorded outputs, keeps all digits of whole numbers.
package decimal

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	unsigned = `(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+)`
	full     = unsigned + `(?:[eE][+-]?[0-9]+)?`
)

var (
	numberForm   = regexp.MustCompile(`^-?` + full + `$`)
	wholeForm    = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)$`)
	durationForm = regexp.MustCompile(`^(?:0|(?:` + unsigned + `(?:ns|us|µs|μs|ms|s|m|h))+)$`)
)

// Is reports whether a text is a number in the form of JSON. Unlike in JSON, the 0 before a point may be missing. A
// plus sign, leading zeros, an underscore, a base prefix and space around the number are not allowed.
func Is(text string) bool { return numberForm.MatchString(text) }

// Near returns the double nearest to a number that [Is] accepts. It returns false if the number is beyond 1.8e308, or
// if it is not 0 but its nearest double is 0.
func Near(text string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(text, 64)
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	return x, err == nil && (x != 0 || strings.Trim(digits, "-0.") == "")
}

// Float parses a finite number. The error quotes the text and says what to write.
func Float(text string) (float64, error) {
	if !Is(text) {
		return 0, fmt.Errorf("%s is not a number: %s", quoted(text), instead(text))
	}
	x, ok := Near(text)
	if !ok {
		return 0, fmt.Errorf("%s is beyond the range of a double, 4.9e-324 to 1.8e308", quoted(text))
	}
	return x, nil
}

// Int parses a whole number written in digits, from −2⁶³ to 2⁶³ − 1.
func Int(text string) (int64, error) {
	if err := whole(text); err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is too large: want a whole number below 2^63", quoted(text))
	}
	return n, nil
}

// Uint parses a whole number written in digits, from 0 to 2⁶⁴ − 1.
func Uint(text string) (uint64, error) {
	if err := whole(text); err != nil {
		return 0, err
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: want a whole number from 0 to 2^64-1", quoted(text))
	}
	return n, nil
}

// Count parses a size, an index or a count: a whole number from 0 to 2⁵³ that an int holds.
func Count(text string) (int, error) {
	n, err := Int(text)
	if err != nil {
		return 0, err
	}
	if n < 0 || n > min(1<<53, math.MaxInt) {
		return 0, fmt.Errorf("%s: want a whole number from 0 to 2^53", quoted(text))
	}
	return int(n), nil
}

func whole(text string) error {
	if wholeForm.MatchString(text) {
		return nil
	}
	if text != "" && strings.Trim(text, "+-0123456789_") == "" {
		return fmt.Errorf("%s is not a whole number: %s", quoted(text), instead(text))
	}
	return fmt.Errorf("%s is not a whole number: want digits, as in 10", quoted(text))
}

// Duration parses a time that is not negative: 0, or numbers with their units, as in 90s or 1h30m.
func Duration(text string) (time.Duration, error) {
	if durationForm.MatchString(text) {
		if d, err := time.ParseDuration(text); err == nil {
			return d, nil
		}
	}
	return 0, fmt.Errorf("%s: want a time in decimal numbers with their units, as in 90s or 1h30m", quoted(text))
}

// instead says what to write for a text that is not a number.
func instead(text string) string {
	plain := strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(text), "+"), "_", "")
	sign := ""
	if digits, negative := strings.CutPrefix(plain, "-"); negative {
		sign, plain = "-", digits
	}
	if plain = strings.TrimSuffix(strings.TrimLeft(plain, "0"), "."); plain == "" && strings.ContainsRune(text, '0') {
		plain = "0"
	}
	if Is(sign + plain) {
		return "write " + sign + plain + " for the decimal number"
	}
	if lower := strings.ToLower(text); strings.Contains(lower, "inf") || strings.Contains(lower, "nan") {
		return "want a finite number"
	}
	return "want a decimal number, as in 10, 0.5 or 1e-5"
}

// quoted quotes a text and shortens it to 40 characters.
func quoted(text string) string {
	const maxLength = 40
	if r := []rune(text); len(r) > maxLength {
		text = string(r[:maxLength]) + "…"
	}
	return strconv.Quote(text)
}
