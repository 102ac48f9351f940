package formula

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Grid is the product of its axes: a [Check] evaluates its points at each combination of values, the last axis
// varying fastest, and states the grid as its domain.
type Grid []Axis

// Axis is a variable with the values that it takes.
type Axis struct {
	Name   string
	Values []float64
}

// Over returns the axis of a variable over the given values.
func Over[T int | int64 | float64](name string, values ...T) Axis {
	a := Axis{Name: name}
	for _, v := range values {
		a.Values = append(a.Values, float64(v))
	}
	return a
}

// String lists the values of each axis: "n ∈ {1, 10}, ε ∈ {0.5, 1}".
func (g Grid) String() string {
	axes := make([]string, len(g))
	for i, a := range g {
		values := make([]string, len(a.Values))
		for j, v := range a.Values {
			values[j] = number(v)
		}
		if axes[i] = a.Name + " ∈ {" + strings.Join(values, ", ") + "}"; len(values) == 1 {
			axes[i] = a.Name + " = " + values[0]
		}
	}
	return strings.Join(axes, ", ")
}

// points calls visit at each combination of values. It sets the place of each point that visit adds: the
// combination, followed by the point's own place if it has one.
func (g Grid) points(visit func(at []float64, add func(Point))) func(add func(Point)) {
	return func(add func(Point)) {
		var walk func(at []float64)
		walk = func(at []float64) {
			if len(at) < len(g) {
				for _, v := range g[len(at)].Values {
					walk(append(at[:len(at):len(at)], v))
				}
				return
			}
			visit(at, func(p Point) {
				rest := p.Place
				p.Place = func() string {
					here := g.place(at)
					if rest != nil {
						here += ", " + rest()
					}
					return here
				}
				add(p)
			})
		}
		walk(nil)
	}
}

func (g Grid) place(at []float64) string {
	parts := make([]string, len(g))
	for i, a := range g {
		parts[i] = a.Name + "=" + number(at[i])
		if utf8.RuneCountInString(a.Name) > 3 { // the name is a word, not a symbol
			parts[i] = a.Name + " " + number(at[i])
		}
	}
	return strings.Join(parts, ", ")
}

// number formats a value in a few digits: 0.5, 1e-5, ∞.
func number(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if len(s) > 8 {
		s = strconv.FormatFloat(x, 'g', 6, 64)
	}
	return shortExponents.Replace(s)
}

var shortExponents = strings.NewReplacer("+Inf", "∞", "-Inf", "−∞", "e+0", "e", "e+", "e", "e-0", "e-")
