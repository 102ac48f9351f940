package trial

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
)

// sparseVector first asks 16 queries that are half a sensitivity below the threshold with the record, and half above it
// without. Then it asks cutoff queries with the two positions exchanged. It stops once cutoff queries are above the
// noisy threshold. Its output is the number of queries below and above it in each group, since the likelihood depends
// on nothing else.
type sparseVector struct {
	scale1, scale2 float64 // of the noise on the threshold and on a query
	cutoff         int
	half           float64 // of the sensitivity
	revealed       bool
	known          map[counts]float64
}

const asked = 16

// counts is an output, with or without the record.
type counts struct {
	present bool
	of      [4]float64
}

func (v sparseVector) value(s state, last bool) float64 {
	if (s == present) == last {
		return v.half
	}
	return -v.half
}

func (v sparseVector) draw(r *rand.Rand, s state, out []float64) []float64 {
	if s == absent && v.revealed {
		return append(out, -1, -1, -1, -1)
	}
	threshold := signed(r, v.scale1*rng.Exponential(r))
	var seen [4]float64
	above := 0
	for i := 0; i < asked+v.cutoff && above < v.cutoff; i++ {
		last := i >= asked
		place := 0
		if last {
			place = 2
		}
		if v.value(s, last)+signed(r, v.scale2*rng.Exponential(r)) >= threshold {
			place++
			above++
		}
		seen[place]++
	}
	return append(out, seen[:]...)
}

// logDensity integrates over the noise of the threshold, by the midpoint rule on its quantiles.
func (v sparseVector) logDensity(s state, out []float64) (float64, []float64) {
	rest := out[4:]
	if v.revealed && (s == absent || out[0] < 0) {
		if s == absent && out[0] < 0 {
			return 0, rest
		}
		return math.Inf(-1), rest
	}
	key := counts{s == present, [4]float64(out[:4])}
	if l, ok := v.known[key]; ok {
		return l, rest
	}
	const points = 1000
	sum := 0.0
	for i := range points {
		u := (float64(i) + 0.5) / points
		z := v.scale1 * math.Log(2*u)
		if u > 0.5 {
			z = -v.scale1 * math.Log(2*(1-u))
		}
		p := 1.0
		for k, n := range out[:4] {
			below := laplaceBelow((z - v.value(s, k >= 2)) / v.scale2)
			if k%2 == 1 {
				below = 1 - below
			}
			p *= math.Pow(below, n)
		}
		sum += p / points
	}
	l := math.Log(sum)
	v.known[key] = l
	return l, rest
}

func laplaceBelow(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / 2
	}
	return 1 - math.Exp(-x)/2
}
