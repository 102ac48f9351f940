package why

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// placed matches a value of an output, and the number with which it is compared, if there is one. Its first group
// contains the word before the value in a digit of a value or a difference.
var placed = regexp.MustCompile(`\b(of |less |and )?(?:the )?(?:(number|string|value) )?output\[(\d+)\]` +
	`(?: is ((?:always |just |above |below |at least |at most |between \d+ and )?)(\d[\d.e+]*\b))?`)

// lengthOf begins the name of a list's length.
const lengthOf = "the length of "

// IsLength reports whether a value of that name is the length of a list.
func IsLength(name string) bool { return strings.HasPrefix(name, lengthOf) }

// Spoken is an event of a search (witness.Witness.Said) with the values of a list by their places, "the third number",
// or by their names, if names are known. A comparison of a list's length says how many items the list has: "the first
// list has at most 1 item".
func Spoken(said string, names []string) string {
	return placed.ReplaceAllStringFunc(said, func(value string) string {
		m := placed.FindStringSubmatch(value)
		i, err := strconv.Atoi(m[3])
		if err != nil {
			return value
		}
		_, rest, compared := strings.Cut(value, "] is ")
		if compared {
			rest = " is " + rest
		}
		if i >= len(names) {
			return m[1] + Nth(i+1, cmp.Or(m[2], "value")) + rest
		}
		if compared && m[1] == "" && m[2] == "number" && IsLength(names[i]) {
			return strings.TrimPrefix(names[i], lengthOf) + items(m[4], m[5])
		}
		return m[1] + names[i] + rest
	})
}

// items returns the predicate that compares the number of items in a list with n.
func items(how, n string) string {
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

// Nth returns the noun with the word for its place, from 1: "the third list".
func Nth(n int, noun string) string { return "the " + place(n) + " " + noun }

// place of a value of a list, from 1.
func place(n int) string {
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
