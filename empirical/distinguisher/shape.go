package distinguisher

import "unicode/utf8"

// longest is the maximal length of a shape in bytes.
const longest = 128

// characterOffset returns the byte offset of the character with the given index, or the length of s.
func characterOffset(s string, index int) int {
	for i := range s {
		if index == 0 {
			return i
		}
		index--
	}
	return len(s)
}

// stringForm returns a string with every number replaced by 0, and for the format also every run of letters
// replaced by a. It cuts long strings.
func stringForm(s string, format bool) string {
	var out []byte
	digit := func(i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for i := 0; i < len(s) && len(out) < longest; i++ {
		c := s[i]
		last := byte(' ')
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		switch {
		case (c == '-' || c == '+') && digit(i+1) && last != '0' && !isLetter(last): // a sign
			continue
		case digit(i) && last == '0' && i > 0 && (digit(i-1) || s[i-1] == '.' && i > 1 && digit(i-2)):
			continue
		case c == '.' && last == '0' && digit(i+1): // part of a fraction
			continue
		case digit(i):
			c = '0'
		case format && isLetter(c):
			if last == 'a' && i > 0 && isLetter(s[i-1]) {
				continue
			}
			c = 'a'
		}
		out = append(out, c)
	}
	return string(out)
}

// isLetter reports whether c is a letter. All bytes of characters beyond ASCII count as letters.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf }

// appendLeading appends the first n characters of a string, and none for each missing character.
func appendLeading(dst []float64, s string, n int, none float64) []float64 {
	for range n {
		next := none
		if s != "" {
			c, size := utf8.DecodeRuneInString(s)
			next, s = float64(c), s[size:]
		}
		dst = append(dst, next)
	}
	return dst
}

// fillTrailing fills out with the last characters of a string, last one first, and none for each missing character.
// It returns the rest of the string before them.
func fillTrailing(out []float64, s string, none float64) (rest string) {
	for i := range out {
		out[i] = none
		if s != "" {
			c, size := utf8.DecodeLastRuneInString(s)
			out[i], s = float64(c), s[:len(s)-size]
		}
	}
	return s
}
