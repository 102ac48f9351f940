// Package rng draws normal and exponential variates by the method of Marsaglia & Tsang (2000, J. Stat. Softw. 5(8)),
// the same on every machine. They equal the variates of math/rand/v2, draw for draw, if the compiler does not fuse
// products and sums. If it does, about one draw in 10⁹ of math/rand/v2 differs, because of a test in single
// precision, and then all later draws differ. The package also records which random streams a test begins.
package rng

import (
	"math"
	"math/rand/v2"
)

// table holds the strips of equal area under a density f that falls from f(0) = 1. A point in strip i is at a draw of
// k bits times width[i]. If the draw is below inside[i], the point is under f at every height. The arrays have 256
// entries, so that an index of type uint8 needs no bounds check.
type table struct {
	inside  [256]uint64
	width   [256]float64
	density [256]float32 // f at the right end of the strip
}

// newTable computes a table as zigset does in the paper. The last strip ends at x, each strip has the given area, and
// a draw has values possible values. inverse is the inverse function of density.
func newTable(strips int, values, x, area float64, density, inverse func(float64) float64) (t table) {
	narrow := func(x float64) float64 { return float64(float32(x)) }
	last, base := strips-1, area/density(x)
	t.inside[0] = uint64(x / base * values)
	t.width[0], t.width[last] = narrow(base/values), narrow(x/values)
	t.density[0], t.density[last] = 1, float32(density(x))
	for i := last - 1; i > 0; i-- {
		before := x
		x = inverse(area/before + density(before))
		t.inside[i+1] = uint64(x / before * values)
		t.width[i], t.density[i] = narrow(x/values), float32(density(x))
	}
	return t
}

// under reports whether a point at x, in strip i > 0 and uniform in height, is under f. f is the density at x. The
// conversion to float32 keeps the compiler from fusing the product and the sum.
func (t *table) under(r *rand.Rand, i uint8, f float64) bool {
	rise := float32(float32(r.Float64()) * (t.density[i-1] - t.density[i]))
	return t.density[i]+rise < float32(f)
}

// The end of the last strip and the area of each strip, from the paper.
const (
	normalEnd, normalArea           = 3.442619855899, 9.91256303526217e-3
	exponentialEnd, exponentialArea = 7.69711747013104972, 3.949659822581572e-3
)

var (
	normal = newTable(128, 1<<31, normalEnd, normalArea, bell,
		func(y float64) float64 { return math.Sqrt(-2 * math.Log(y)) })
	exponential = newTable(256, 1<<32, exponentialEnd, exponentialArea,
		func(x float64) float64 { return math.Exp(-x) }, func(y float64) float64 { return -math.Log(y) })
)

func bell(x float64) float64 { return math.Exp(-0.5 * x * x) }

// Normal returns a variate of N(0, 1).
func Normal(r *rand.Rand) float64 {
	for {
		u := r.Uint64()
		j, i := int32(u), uint8(u>>32&0x7f)
		x := float64(j) * normal.width[i]
		if uint64(max(int64(j), -int64(j))) < normal.inside[i] {
			return x
		}
		if i == 0 {
			return math.Copysign(normalEnd+tail(r), float64(j))
		}
		if normal.under(r, i, bell(x)) {
			return x
		}
	}
}

// tail returns the excess over normalEnd of a normal variate conditional on exceeding it (Marsaglia 1964).
func tail(r *rand.Rand) float64 {
	for {
		x := float64(-math.Log(r.Float64()) * (1.0 / normalEnd))
		if y := -math.Log(r.Float64()); y+y >= x*x {
			return x
		}
	}
}

// Exponential returns a variate of the exponential distribution with mean 1.
func Exponential(r *rand.Rand) float64 {
	for {
		u := r.Uint64()
		j, i := uint32(u), uint8(u>>32)
		x := float64(j) * exponential.width[i]
		if uint64(j) < exponential.inside[i] {
			return x
		}
		if i == 0 {
			return exponentialEnd - math.Log(r.Float64())
		}
		if exponential.under(r, i, math.Exp(-x)) {
			return x
		}
	}
}
