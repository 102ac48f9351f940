package why

import (
	"regexp"
	"strconv"
)

var placed = regexp.MustCompile(`\b(?:the )?(?:(number|string|value) )?output\[(\d+)\]`)

// Spoken is an event of a search (witness.Witness.Said) with the values of a list by their places, "the third number",
// or by their names, where names are known.
func Spoken(said string, names []string) string {
	return placed.ReplaceAllStringFunc(said, func(value string) string {
		m := placed.FindStringSubmatch(value)
		i, err := strconv.Atoi(m[2])
		if err != nil {
			return value
		}
		if i < len(names) {
			return names[i]
		}
		kind := m[1]
		if kind == "" {
			kind = "value"
		}
		return "the " + place(i+1) + " " + kind
	})
}

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
