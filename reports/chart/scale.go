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

// spanning returns the range of the values that have a place on the axis.
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

// stretch extends the range to the intervals of points. On a logarithmic axis it ignores an end that differs from its
// point by more than the factor farEnd.
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

// takes reports whether the axis has a place for x.
func (a scale) takes(x float64) bool { return format.Finite(x) && (!a.log || x > 0) }

// clamp returns the value of the range that is closest to x.
func (a scale) clamp(x float64) float64 { return math.Max(a.min, math.Min(a.max, x)) }

// drawable reports whether the range has a positive and finite length.
func (a scale) drawable() bool { return a.max > a.min && format.Finite(a.max-a.min) }

// toward maps the range to the one between from and to, and returns the image of x.
func (a scale) toward(x, from, to float64) float64 {
	x = a.clamp(x)
	if a.log {
		return from + (to-from)*((math.Log(x)-math.Log(a.min))/(math.Log(a.max)-math.Log(a.min)))
	}
	return from + (to-from)*((x-a.min)/(a.max-a.min))
}

// minOfAxis is the smallest normal number. Smaller numbers are drawn at the end of a logarithmic axis.
const minOfAxis = 0x1p-1022

// widen adds room at both ends, also to a range with a single value.
func (a scale) widen() scale {
	if a.log {
		a.min, a.max = math.Max(a.min, minOfAxis), math.Max(a.max, minOfAxis)
		by := math.Max(math.Exp(0.04*(math.Log(a.max)-math.Log(a.min))), 1.05)
		return scale{settled(math.Max(a.min/by, minOfAxis)), settled(math.Min(a.max*by, math.MaxFloat64)), true}
	}
	by := 0.04 * (a.max - a.min)
	if !(by > 1e-9*math.Max(math.Abs(a.min), math.Abs(a.max))) { // too narrow for distinct ticks
		by = math.Max(0.05*math.Abs(a.max), 1e-9)
	}
	return scale{settled(a.min - by), settled(a.max + by), false}
}

// tight returns a linear axis from zero to the largest value, if no value is negative.
func (a scale) tight() scale {
	if a.log || !(a.min >= 0 && a.max > 0) {
		return a.widen()
	}
	return scale{0, settled(a.max), false}
}

// settled drops the last digits of x, which differ between machines, so that all machines draw the same ticks.
func settled(x float64) float64 { return tolerance.Settled(x, tolerance.PrintDigits) }

// tick is a marked value of an axis. On a logarithmic axis the ticks between the labelled ones have no label.
type tick struct {
	value float64
	label string
}

// ticks returns powers of ten if the axis is logarithmic and at least two labels fit, else multiples of a round
// number.
func (a scale) ticks() []tick {
	if a.log {
		powers, named := logTicks(a.min, a.max)
		if named > 1 {
			return powers
		}
	}
	return linearTicks(a.min, a.max)
}

// maxTicks is the maximum number of ticks on a linear axis.
const maxTicks = 8

// linearTicks returns multiples of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64) []tick {
	power := math.Pow(10, math.Floor(settled(math.Log10((high-low)/maxTicks))))
	step := power
	for _, digit := range []float64{1, 2, 5, 10} {
		if step = settled(digit * power); settled((high-low)/step) < maxTicks {
			break
		}
	}
	var ticks []tick
	for k := math.Ceil(settled(low / step)); k <= math.Floor(settled(high/step)); k++ {
		ticks = append(ticks, tick{settled(k * step), tickLabel(k * step)})
	}
	return ticks
}

// logTicks returns the powers of ten, with 2 and 5 between them if there are few, and ticks without a label unless
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

// tickLabel writes a tick's value without the digits that differ between machines.
func tickLabel(x float64) string {
	return format.TrimZeros(format.Rounded(x, format.Exponent(x)-5, format.Scientific(x)))
}
