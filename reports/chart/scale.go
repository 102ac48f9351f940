package chart

import (
	"math"

	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/reports/internal/format"
)

// scale is the range of an axis.
type scale struct {
	min, max float64
	log      bool
}

// spanning is the range of those values that have a place on the axis.
func spanning(log bool, values ...float64) scale {
	a := scale{math.Inf(1), math.Inf(-1), log}
	a.take(values...)
	return a
}

func (a *scale) take(values ...float64) {
	for _, v := range values {
		if a.takes(v) {
			a.min, a.max = math.Min(a.min, v), math.Max(a.max, v)
		}
	}
}

// stretch makes room for the intervals of points, but not for an end that is farther than the factor farEnd from
// its point on a logarithmic axis.
func (a *scale) stretch(points []CurvePoint) {
	for _, p := range points {
		for _, end := range []float64{p.lower, p.upper} {
			if !a.log || end > p.y/farEnd && end < p.y*farEnd {
				a.take(end)
			}
		}
	}
}

// ifSpread makes an axis logarithmic if its values are positive and the largest is at least factor times the smallest.
func (a scale) ifSpread(factor float64) scale {
	a.log = a.min > 0 && !tolerance.Above(factor*a.min, a.max)
	return a
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
		powers, named := logTicks(a.min, a.max)
		if named > 1 {
			return powers
		}
	}
	return linearTicks(a.min, a.max)
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

// logTicks are the powers of ten, with 2 and 5 between them where there are few, and ticks without a label unless
// there are many. named is the number of labels.
func logTicks(low, high float64) (ticks []tick, named int) {
	first, last := settled(math.Log10(low)), settled(math.Log10(high))
	few := settled(last-first) < 2.5
	for e := math.Floor(first); e <= last; e++ {
		for digit := 1.0; digit < 10; digit++ {
			t := tick{value: settled(digit * math.Pow(10, e))}
			if t.value < low || t.value > high || digit > 1 && settled(last-first) > 8 {
				continue
			}
			if digit == 1 || few && (digit == 2 || digit == 5) {
				t.label = tickLabel(t.value)
				named++
			}
			ticks = append(ticks, t)
		}
	}
	return ticks, named
}

// tickLabel writes a tick's value without the noise of its last digits.
func tickLabel(x float64) string {
	return format.TrimZeros(format.Rounded(x, format.Exponent(x)-5, format.Scientific(x)))
}
