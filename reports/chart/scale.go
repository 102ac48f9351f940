package chart

import (
	"math"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/reports/internal/format"
)

// scale is the range of an axis.
type scale struct {
	min, max float64
	log      bool
}

// takes tells whether the axis has a place for x.
func (a scale) takes(x float64) bool { return format.Finite(x) && (!a.log || x > 0) }

// clamp brings the end of a bar that the axis cannot show to its edge.
func (a scale) clamp(x float64) float64 { return math.Max(a.min, math.Min(a.max, x)) }

// drawable tells whether an axis has a length that can be computed with.
func (a scale) drawable() bool { return a.max > a.min && format.Finite(a.max-a.min) }

// toward is where x lies between from and to.
func (a scale) toward(x, from, to float64) float64 {
	x = a.clamp(x)
	if a.log {
		return from + (to-from)*((math.Log(x)-math.Log(a.min))/(math.Log(a.max)-math.Log(a.min)))
	}
	return from + (to-from)*((x-a.min)/(a.max-a.min))
}

// leastOfAxis is the least number that has all its digits: a logarithmic axis goes no further, and what is less is
// drawn at its end.
const leastOfAxis = 0x1p-1022

// widen gives room at both ends, and to a single value.
func (a scale) widen() scale {
	if a.log {
		a.min, a.max = math.Max(a.min, leastOfAxis), math.Max(a.max, leastOfAxis)
		by := math.Max(math.Exp(0.04*(math.Log(a.max)-math.Log(a.min))), 1.05)
		return scale{settled(math.Max(a.min/by, leastOfAxis)), settled(math.Min(a.max*by, math.MaxFloat64)), true}
	}
	by := 0.04 * (a.max - a.min)
	if !(by > 1e-9*math.Max(math.Abs(a.min), math.Abs(a.max))) { // too little for ticks that differ
		by = math.Max(0.05*math.Abs(a.max), 1e-9)
	}
	return scale{settled(a.min - by), settled(a.max + by), false}
}

// tight is a linear axis from zero that ends where its values do, if none is below zero.
func (a scale) tight() scale {
	if a.log || !(a.min >= 0 && a.max > 0) {
		return a.widen()
	}
	return scale{0, settled(a.max), false}
}

// settled is x without the last digits, which differ between machines: what ends at a tick on
// one of them does so on all.
func settled(x float64) float64 { return tolerance.Settled(x, tolerance.PrintDigits) }

// tick is a place on an axis; those between the labelled ones of a logarithmic
// axis have no label.
type tick struct {
	value float64
	label string
}

// ticks are powers of ten where the axis is logarithmic and has two of them to
// name, else multiples of a round number.
func (a scale) ticks() []tick {
	if a.log {
		if powers := logTicks(a.min, a.max); labelled(powers) > 1 {
			return powers
		}
	}
	return linearTicks(a.min, a.max)
}

// labels are the ticks that have one, thinned out until they do not touch, beside each
// other or, upright, above each other.
func (a scale) labels(length float64, upright bool) (at []float64, names []string) {
	free := -float64(barMargin)
	for _, t := range a.ticks() {
		if t.label == "" {
			continue
		}
		half := letterWidth * float64(utf8.RuneCountInString(t.label)) / 2
		if upright {
			half = letterTall / 2
		}
		x := settled(a.toward(t.value, 0, length))
		if x-half < free || x+half > length+barMargin {
			continue
		}
		free = x + half + 6
		at, names = append(at, t.value), append(names, t.label)
	}
	return at, names
}

// between are the ticks without a label: they crowd towards a power of ten, which
// shows that the axis is logarithmic.
func (a scale) between() (at []float64) {
	for _, t := range a.ticks() {
		if t.label == "" {
			at = append(at, t.value)
		}
	}
	return at
}

func labelled(ticks []tick) (n int) {
	for _, t := range ticks {
		if t.label != "" {
			n++
		}
	}
	return n
}

// mostTicks is the largest number of ticks of a linear axis.
const mostTicks = 8

// linearTicks are multiples of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64) []tick {
	power := math.Pow(10, math.Floor(settled(math.Log10((high-low)/mostTicks))))
	step := power
	for _, digit := range []float64{1, 2, 5, 10} {
		if step = settled(digit * power); settled((high-low)/step) < mostTicks {
			break
		}
	}
	var ticks []tick
	for k := math.Ceil(settled(low / step)); k <= math.Floor(settled(high/step)); k++ {
		ticks = append(ticks, tick{settled(k * step), tickLabel(k * step)})
	}
	return ticks
}

// logTicks are the powers of ten, with 2 and 5 between them where there are few.
func logTicks(low, high float64) []tick {
	first, last := settled(math.Log10(low)), settled(math.Log10(high))
	few := settled(last-first) < 2.5
	var ticks []tick
	for e := math.Floor(first); e <= last; e++ {
		for digit := 1.0; digit < 10; digit++ {
			t := tick{value: settled(digit * math.Pow(10, e))}
			if t.value < low || t.value > high {
				continue
			}
			if digit == 1 || few && (digit == 2 || digit == 5) {
				t.label = tickLabel(t.value)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// tickLabel writes a tick's value without the noise of its last digits.
func tickLabel(x float64) string {
	return format.TrimZeros(format.Rounded(x, format.Exponent(x)-5, format.Scientific(x)))
}
