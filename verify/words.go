package verify

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Plural returns a count with its noun: "1 case", "3 cases", "2 pairs of points".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	head, tail, of := strings.Cut(noun, " of ") // for example "pair of points"
	if of {
		tail = " of " + tail
	}
	return fmt.Sprintf("%d %ss%s", n, head, tail)
}

// JoinSentences joins the non-empty parts with semicolons.
func JoinSentences(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// Warnings about a mechanism or process that draws its own randomness.
const (
	UnseededProcess   = "the process does not take all its randomness from the seed of the request: " + notRepeatable
	SeedlessProcess   = "the process takes no seed, as the claim says: " + notRepeatable
	UnseededMechanism = "the mechanism does not take all its randomness from the source it is given: " + notRepeatable
	notRepeatable     = "the figures cannot be repeated exactly. Without an evidence file, the error probability " +
		"applies to each run, over the mechanism's own randomness, so that m runs spend it m times"
)

// placedValue matches a value of an output and the number it is compared with, if any. Its first group contains the
// word before the value in a digit of a value or a difference.
var placedValue = regexp.MustCompile(`\b(of |less |and )?(?:the )?(?:(number|string|value) )?output\[(\d+)\]` +
	`(?: is ((?:always |just |above |below |at least |at most |between \d+ and )?)(\d[\d.e+]*\b))?`)

// lengthPrefix starts the name of a list's length.
const lengthPrefix = "the length of "

// IsLengthName reports whether a name is the name of a list's length.
func IsLengthName(name string) bool { return strings.HasPrefix(name, lengthPrefix) }

// EventInWords returns the text of an event (distinguisher.Event.Text) with output values named by position, "the
// third number", or by their names if known. For a comparison of a list's length it states the number of items:
// "the first list has at most 1 item".
func EventInWords(said string, names []string) string {
	return placedValue.ReplaceAllStringFunc(said, func(value string) string {
		m := placedValue.FindStringSubmatch(value)
		i, err := strconv.Atoi(m[3])
		if err != nil {
			return value
		}
		_, rest, compared := strings.Cut(value, "] is ")
		if compared {
			rest = " is " + rest
		}
		if i >= len(names) {
			return m[1] + OrdinalNoun(i+1, cmp.Or(m[2], "value")) + rest
		}
		if compared && m[1] == "" && m[2] == "number" && IsLengthName(names[i]) {
			return strings.TrimPrefix(names[i], lengthPrefix) + itemsPredicate(m[4], m[5])
		}
		return m[1] + names[i] + rest
	})
}

// itemsPredicate returns the predicate that compares the number of items in a list with n.
func itemsPredicate(how, n string) string {
	has := map[string]string{"always ": " always has ", "just ": " has ", "above ": " has more than ",
		"below ": " has fewer than "}[how]
	if has == "" {
		has = " has " + how
	}
	if n == "1" {
		return has + "1 item"
	}
	return has + n + " items"
}

// OrdinalNoun returns the noun with its position from 1: "the third list".
func OrdinalNoun(n int, noun string) string { return "the " + ordinalWord(n) + " " + noun }

// ordinalWord returns the ordinal of n ≥ 1.
func ordinalWord(n int) string {
	words := []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"}
	if n <= len(words) {
		return words[n-1]
	}
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		suffix = map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10]
		if suffix == "" {
			suffix = "th"
		}
	}
	return strconv.Itoa(n) + suffix
}
