package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/decimal"
)

// AnyClass, as one side of [Labels], means every class that the other side does not name: one class against the
// rest.
const AnyClass = "*"

// Labels maps the classes of a file to -1 and +1. A side is the name of a class, several names separated by bars
// ("back.|land."), or [AnyClass]. A name matches its text, or its value if both are numbers, so "1" also matches
// "+1" and "1.0". A class on neither side is an error, unless DropOthers omits its rows.
//
// The zero value recognizes the usual numeric pairs {-1, +1}, {0, 1}, {1, 2} and {2, 4}, and maps the smaller
// value to -1. Both classes must then occur in the file, because one value does not determine the pair.
type Labels struct {
	Negative, Positive string
	DropOthers         bool
}

// knownPairs lists the numeric labels that the zero value of Labels recognizes: LIBSVM's own, indicator labels,
// UCI Hepatitis, and UCI Breast Cancer Wisconsin (original).
var knownPairs = [][2]float64{{-1, 1}, {0, 1}, {1, 2}, {2, 4}}

// named reports whether both classes are named.
func (l Labels) named() bool { return l.Negative != "" && l.Positive != "" }

func (l Labels) check() error {
	if (l.Negative == "") != (l.Positive == "") {
		return fmt.Errorf("dataset: labels need both class names, or neither: negative %q, positive %q", l.Negative,
			l.Positive)
	}
	if !l.named() {
		if l.DropOthers {
			return errors.New("dataset: to drop the other classes, name the negative and the positive class")
		}
		return nil
	}
	negative, positive := newSide(l.Negative), newSide(l.Positive)
	if l.DropOthers && (negative.rest || positive.rest) {
		return fmt.Errorf("dataset: with %q as a class, no other classes are left to drop", AnyClass)
	}
	if negative.rest && positive.rest {
		return fmt.Errorf("dataset: both classes are %q: name one of them", AnyClass)
	}
	for _, name := range slices.Concat(negative.names, positive.names) {
		if name == "" {
			return fmt.Errorf("dataset: an empty name among the classes: negative %q, positive %q", l.Negative, l.Positive)
		}
		if negative.has(name) && positive.has(name) {
			return fmt.Errorf("dataset: the class names %q and %q are the same class, %q, on both sides", l.Negative,
				l.Positive, name)
		}
	}
	return nil
}

// side is the set of classes with one label.
type side struct {
	names []string
	rest  bool // every class that the other side does not name
}

func newSide(text string) side {
	if text == AnyClass {
		return side{rest: true}
	}
	return side{names: strings.Split(text, "|")}
}

func (s side) has(text string) bool {
	return slices.ContainsFunc(s.names, func(name string) bool { return sameClass(text, name) })
}

func sameClass(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := labelNumber(a)
	y, errY := labelNumber(b)
	return errX == nil && errY == nil && x == y
}

// labelNumber returns the number of a label, with a plus sign as LIBSVM writes +1.
func labelNumber(text string) (float64, error) { return decimal.Float(strings.TrimPrefix(text, "+")) }

// left is the class of a row that Labels.DropOthers omits.
const left = -1

// maxCached bounds the number of cached label texts.
const maxCached = 1024

// coder maps label texts to classes while a file is read. For named classes 0 is the negative and 1 the positive
// class. Otherwise the classes are numbered in order of appearance, and signs assigns their labels at the end.
type coder struct {
	labels Labels
	sides  [2]side
	seen   int            // number of classes known so far
	cache  map[string]int // classes by text
}

func newCoder(l Labels) (*coder, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	c := &coder{labels: l, cache: map[string]int{}}
	if l.named() {
		c.sides, c.seen = [2]side{newSide(l.Negative), newSide(l.Positive)}, 2
	}
	return c, nil
}

// class returns the class of a label text, or left. It returns an error if the text has no class.
func (c *coder) class(text string) (int, error) {
	if class, ok := c.cache[text]; ok {
		return class, nil
	}
	class, err := c.find(text)
	if err == nil && len(c.cache) < maxCached {
		c.cache[strings.Clone(text)] = class
	}
	return class, err
}

func (c *coder) find(text string) (int, error) {
	for k := range c.seen {
		if c.sides[k].has(text) {
			return k, nil
		}
	}
	switch {
	case missing(text):
		return 0, fmt.Errorf("missing label %.60q", text)
	case c.labels.DropOthers:
		return left, nil
	case c.labels.named() && c.sides[0].rest:
		return 0, nil
	case c.labels.named() && c.sides[1].rest:
		return 1, nil
	case c.labels.named():
		return 0, fmt.Errorf("label %.60q is neither the negative class %q nor the positive class %q", text,
			c.labels.Negative, c.labels.Positive)
	case c.seen == 2:
		return 0, fmt.Errorf("label %.60q is a third class after %.60q and %.60q: name the negative and the positive "+
			"class, one of them perhaps %q", text, c.sides[0].names[0], c.sides[1].names[0], AnyClass)
	}
	c.sides[c.seen].names = []string{strings.Clone(text)}
	c.seen++
	return c.seen - 1, nil
}

// signs returns the labels of the classes 0 and 1.
func (c *coder) signs() ([2]float64, error) {
	if c.labels.named() {
		return [2]float64{-1, 1}, nil
	}
	first := c.sides[0].names[0]
	if c.seen < 2 {
		return [2]float64{}, fmt.Errorf("all labels are %.60q: name the two classes to define which one this is", first)
	}
	second := c.sides[1].names[0]
	x, errX := labelNumber(first)
	y, errY := labelNumber(second)
	if errX == nil && errY == nil {
		for _, pair := range knownPairs {
			if x == pair[0] && y == pair[1] {
				return [2]float64{-1, 1}, nil
			}
			if x == pair[1] && y == pair[0] {
				return [2]float64{1, -1}, nil
			}
		}
	}
	return [2]float64{}, fmt.Errorf("labels %.60q and %.60q are not one of the pairs -1/+1, 0/1, 1/2, 2/4: name the "+
		"negative and the positive class", first, second)
}

// missing reports whether a field is a usual mark of a missing value.
func missing(text string) bool {
	switch strings.ToLower(text) {
	case "", "?", "na", "n/a", "nan", "null", "none":
		return true
	}
	return false
}
