package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// Labels says which class of a file becomes -1 and which becomes +1. A class
// is matched by its text, or by its value where both are numbers, so that "1"
// also names "+1" and "1.0".
//
// The zero value recognises the usual numeric pairs, the smaller value
// becoming -1: {-1, +1}, {0, 1}, {1, 2} and {2, 4}. Both classes must then
// occur in the file, as one value alone does not tell the pair.
type Labels struct {
	Negative, Positive string
}

// knownPairs are the numeric labels that the zero value of Labels recognises:
// LIBSVM's own, indicator labels, UCI Hepatitis, and UCI Breast Cancer
// Wisconsin (original).
var knownPairs = [][2]float64{{-1, 1}, {0, 1}, {1, 2}, {2, 4}}

func (l Labels) check() error {
	if (l.Negative == "") != (l.Positive == "") {
		return fmt.Errorf("dataset: labels need both class names, or neither: negative %q, positive %q", l.Negative, l.Positive)
	}
	if l.Negative != "" && sameClass(l.Negative, l.Positive) {
		return fmt.Errorf("dataset: the class names %q and %q are the same class", l.Negative, l.Positive)
	}
	return nil
}

func sameClass(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

// coder turns label texts into codes while a file is read. Given names fix the
// codes -1 and +1 at once; otherwise each row first gets the number (0 or 1)
// of its class in order of appearance, and finish maps these to -1 and +1.
type coder struct {
	given bool
	names [2]string // given: negative and positive; else in order of appearance
	seen  int       // classes seen so far, where the names are not given
	codes []float64
}

func newCoder(l Labels) (*coder, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	if l.Negative == "" {
		return &coder{}, nil
	}
	return &coder{given: true, names: [2]string{l.Negative, l.Positive}, seen: 2}, nil
}

// add codes one label text; the error says why it cannot be one of two classes.
func (c *coder) add(text string) error {
	for k := range c.seen {
		if sameClass(text, c.names[k]) {
			c.codes = append(c.codes, float64(k))
			return nil
		}
	}
	if missing(text) {
		return fmt.Errorf("missing label %q", text)
	}
	if c.given {
		return fmt.Errorf("label %q is neither the negative class %q nor the positive class %q", text, c.names[0], c.names[1])
	}
	if c.seen == 2 {
		return fmt.Errorf("label %q is a third class after %q and %q: only two-class data can be read", text, c.names[0], c.names[1])
	}
	c.names[c.seen] = strings.Clone(text)
	c.codes = append(c.codes, float64(c.seen))
	c.seen++
	return nil
}

// finish returns the labels -1 and +1 of all rows.
func (c *coder) finish() ([]float64, error) {
	first, second := -1.0, 1.0
	if !c.given {
		negative, err := c.negative()
		if err != nil {
			return nil, err
		}
		if negative == 1 {
			first, second = 1, -1
		}
	}
	for i, code := range c.codes {
		if code == 0 {
			c.codes[i] = first
		} else {
			c.codes[i] = second
		}
	}
	return c.codes, nil
}

// negative tells which of the two classes seen is -1.
func (c *coder) negative() (int, error) {
	if c.seen < 2 {
		return 0, fmt.Errorf("all labels are %q: name the two classes to say which one this is", c.names[0])
	}
	x, errX := strconv.ParseFloat(c.names[0], 64)
	y, errY := strconv.ParseFloat(c.names[1], 64)
	if errX == nil && errY == nil {
		for _, pair := range knownPairs {
			if x == pair[0] && y == pair[1] {
				return 0, nil
			}
			if x == pair[1] && y == pair[0] {
				return 1, nil
			}
		}
	}
	return 0, fmt.Errorf("labels %q and %q are none of the pairs -1/+1, 0/1, 1/2, 2/4: name the negative and the positive class", c.names[0], c.names[1])
}

// missing tells whether a field is one of the usual marks of a missing value.
func missing(text string) bool {
	switch strings.ToLower(text) {
	case "", "?", "na", "n/a", "nan", "null", "none":
		return true
	}
	return false
}
