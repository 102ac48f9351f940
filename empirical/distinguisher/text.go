package distinguisher

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A string is a symbol with details: its length, its first and last character, and the number that it spells. For
// the first strings of an output the details include the form, which distinguishes strings that are all different.
// Missing details are Absent.
//
// The cells of a form are symbols of the string's shape, format, prefixes and suffix, and the characters after the
// first and before the last.
const (
	textCells = 4
	// formedTexts is the last position whose string has a form. More forms would take memory for little power.
	formedTexts = 8
	shapeCells  = 6
	// leading and trailing are the numbers of characters at both ends that have cells of their own.
	leading   = 16
	trailing  = 4
	formCells = shapeCells + leading - 1 + trailing - 1
)

// prefixes and suffix hold the lengths, in characters, of the compared prefixes and suffix.
var prefixes = [...]int{2, 4, 8}

const suffix = 4

// appendText appends the details of a string, and the digits of a large number that it spells.
func appendText(dst []float64, position int, s string) []float64 {
	first, last := Absent, Absent
	if s != "" {
		f, _ := utf8.DecodeRuneInString(s)
		l, _ := utf8.DecodeLastRuneInString(s)
		first, last = float64(f), float64(l)
	}
	number, digits := numberIn(s)
	cells := textCells
	if position <= formedTexts {
		cells += formCells
	}
	dst = append(appendMark(dst, textDetail, position, cells), float64(utf8.RuneCountInString(s)), first, last, number)
	if position <= formedTexts {
		dst = appendForm(dst, s)
	}
	return appendDigits(dst, position, digits)
}

// appendForm appends the cells of a string's form.
func appendForm(dst []float64, s string) []float64 {
	dst = append(dst, Symbol(stringForm(s, false)), Symbol(stringForm(s, true)))
	for _, n := range prefixes {
		dst = append(dst, Symbol(s[:characterOffset(s, n)]))
	}
	var ends [trailing]float64
	rest := fillTrailing(ends[:], s, Absent)
	dst = append(dst, Symbol(s[len(rest):]))
	dst = appendLeading(dst, s[characterOffset(s, 1):], leading-1, Absent)
	return append(dst, ends[1:]...)
}

// textFeatures returns the features of a string's details.
func textFeatures(d detail, name string) []Feature {
	number := d.offset + textCells - 1
	out := []Feature{cellFeature(d.offset, "length of the string "+name),
		cellFeature(number, "number in the string "+name),
		{Name: "whether the string " + name + " is a number",
			eval: func(row []float64) float64 { return indicator(!IsSymbol(row[number])) }}}
	if d.cells < textCells+formCells {
		return out
	}
	form := d.offset + textCells
	out = append(out, cellFeature(form, "shape of the string "+name), cellFeature(form+1, "format of the string "+name))
	for i, n := range prefixes {
		out = append(out, cellFeature(form+2+i, fmt.Sprintf("first %d characters of the string %s", n, name)))
	}
	return append(out, cellFeature(form+shapeCells-1, fmt.Sprintf("last %d characters of the string %s", suffix, name)))
}

// characterDivisions returns the divisions by characters of each string.
func characterDivisions(t *table) (out []division) {
	if t.shape.plan == nil {
		return nil
	}
	for _, d := range t.shape.plan.details {
		if d.kind != textDetail || d.position > maxPositions {
			continue
		}
		add := func(cell int, which string) {
			out = append(out, characterDivision(t, cell,
				fmt.Sprintf("%s character of the string %s", which, t.shape.name(d.position))))
		}
		add(d.offset+1, "first")
		add(d.offset+2, "last")
		if d.cells < textCells+formCells {
			continue
		}
		cell := d.offset + textCells + shapeCells
		for i := 2; i <= leading; i++ {
			add(cell, ordinalText(i))
			cell++
		}
		for i := 2; i <= trailing; i++ {
			add(cell, ordinalText(i)+" last")
			cell++
		}
	}
	return out
}

// numberIn returns the number that a string spells, with its digits if it is large, or Absent if the string is not
// a number.
func numberIn(s string) (number float64, digits string) {
	if strings.TrimLeft(s, "+-.0123456789eE") == "" {
		if x, d, ok := leafNumber(json.Number(s)); ok {
			return x, d
		}
	}
	return Absent, ""
}
