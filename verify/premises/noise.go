package premises

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/dpverify/dpverify/verify"
)

const (
	maxCompared   = 4096 // number of steps whose noise is compared up to a factor
	maxCorrelated = 64   // number of coordinates in comparisons up to a factor and in correlations of coordinates
	maxAbsolute   = 0.25 // largest absolute rounding error that the tests allow, in standard deviations
	maxStandard   = 1e100

	// Generators of normal numbers in float32 use uniform numbers of at least 23 bits.
	minCollision   = 0x1p-22 // probability of equal values
	generatorError = 1e-6    // error of the distribution function
)

// noise returns the premise that the noise is N(0, (σC)²), independent over coordinates and steps and of the data. See
// [noiseStatistics.tests] for the tests and their distributions.
func noise(l *Log, t Training) Premise {
	deviation := t.NoiseMultiplier * t.ClippingNorm
	check := verify.CheckFunc(func(_ context.Context, s verify.Settings) (verify.Trial, error) {
		return decided(NoiseMethod, newNoiseStatistics(l, deviation), s)
	})
	return Premise{"noise", fmt.Sprintf("the noise is N(0, (σC)²) with σC = %.6g, independent over coordinates and "+
		"steps and of the data", deviation), check}
}

// newNoiseStatistics returns the statistics of a log for noise with the claimed standard deviation.
func newNoiseStatistics(l *Log, deviation float64) noiseStatistics {
	r := observedRounding(l.Steps, func(s Step) []float64 { return s.Noise })
	f := noiseStatistics{Deviation: deviation, Steps: len(l.Steps), Coordinates: l.Coordinates, Bits: r.bits,
		Relative: r.relative(), Absolute: math.Min(2*r.grid/deviation, maxAbsolute)}
	z := make([][]float64, len(l.Steps))
	for t, s := range l.Steps {
		for j, v := range s.Noise {
			x := max(-maxStandard, min(maxStandard, v/deviation))
			z[t] = append(z[t], x)
			f.Squares += x * x
			if math.Abs(x) > math.Abs(f.Largest.Value) {
				f.Largest = atPlace{t + 1, j + 1, x}
			}
		}
		if uniform(z[t]) {
			f.Uniform++
		}
	}
	f.Absolute = math.Min(math.Max(f.Absolute, 2*f.lattice(z)), maxAbsolute)
	f.Windows = f.windows(z)
	f.Segment = f.segment(z)
	f.Distance = f.distance(z)
	f.Repeated = repeatedVectors(z)
	f.Multiples = f.multiples(z)
	f.Successive = f.successive(z)
	f.Across = f.across(z)
	f.Sum, f.Previous = projections(l, z)
	for _, s := range l.Steps {
		if norm(s.Sum) > 0 {
			f.Sums++
		}
	}
	return f
}

// lattice returns the distance of the multiples on which all values lie, or 0.
func (f noiseStatistics) lattice(z [][]float64) float64 {
	all := slices.Concat(z...)
	for i, x := range all {
		all[i] = math.Abs(x)
	}
	sort.Float64s(all)
	return lattice(all, f.Relative)
}

// distance returns the largest distance between the empirical distribution function and the normal one, and the
// distance that rounding does not explain. If |z − y| ≤ r|y| + a for each rounded value z of a normal number y, then
// z ≤ w implies y ≤ high(w), and y ≤ low(w) implies z ≤ w.
func (f noiseStatistics) distance(z [][]float64) (d distance) {
	all := slices.Concat(z...)
	sort.Float64s(all)
	n := float64(len(all))
	for i := 0; i < len(all); {
		w, next := all[i], i
		for next < len(all) && all[next] == w {
			next++
		}
		before, upTo, stated := float64(i)/n, float64(next)/n, normal(w)
		excess := math.Max(upTo-normal(f.high(w)), normal(-f.high(-w))-before)
		if excess > d.Excess || i == 0 {
			d.Excess, d.At, d.Share, d.Stated = excess, w, upTo, stated
			if stated-before > upTo-stated {
				d.Share = before
			}
		}
		d.Raw = math.Max(d.Raw, math.Max(upTo-stated, stated-before))
		i = next
	}
	d.Excess = math.Min(math.Max(0, d.Excess), d.Raw)
	return d
}

// high returns the largest number that rounding can change to w.
func (f noiseStatistics) high(w float64) float64 {
	if y := w + f.Absolute; y < 0 {
		return y / (1 + f.Relative)
	}
	return (w + f.Absolute) / (1 - f.Relative)
}

// normal returns the standard normal distribution function.
func normal(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// uniform reports whether the noise of a step is the same at all of several coordinates, up to the sign.
func uniform(v []float64) bool {
	other := func(x float64) bool { return math.Abs(x) != math.Abs(v[0]) }
	return len(v) > 1 && v[0] != 0 && !slices.ContainsFunc(v, other)
}

// repeatedVectors counts the pairs of steps with equal noise, up to the sign. Noise that is 0 at all coordinates does
// not count.
func repeatedVectors(z [][]float64) (p pairs) {
	first, count := make(map[string]int), make(map[string]int64)
	for t, v := range z {
		lead := slices.IndexFunc(v, func(x float64) bool { return x != 0 })
		if lead < 0 {
			continue
		}
		var key []byte
		for _, x := range v {
			if v[lead] < 0 {
				x = -x
			}
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x+0)) // +0 removes the sign of a zero
		}
		k := string(key)
		if count[k] == 0 {
			first[k] = t
		}
		p.add(count[k], first[k]+1, t+1)
		count[k]++
	}
	return p
}

// multiples counts the pairs of steps whose noise vectors have angles below the angle that rounding explains. Only the
// first steps and vectors of at least the claimed standard deviation are compared.
func (f noiseStatistics) multiples(z [][]float64) (p pairs) {
	if f.Coordinates < 3 {
		return p
	}
	var unit [][]float64
	var at []int
	for t, v := range z[:min(len(z), maxCompared)] {
		v = v[:f.correlated()]
		if length := norm(v); length >= 1 && length <= maxStandard {
			u := make([]float64, len(v))
			for j := range v {
				u[j] = v[j] / length
			}
			unit, at = append(unit, u), append(at, t+1)
		}
	}
	limit := f.angle() // sine
	for i, v := range unit {
		for n, u := range unit[:i] {
			cosine := dot(u, v)
			if cosine*cosine < 1-2*limit*limit-1e-9 {
				continue
			}
			square := 0.0
			for j := range v { // component of v that is orthogonal to u
				square += (v[j] - cosine*u[j]) * (v[j] - cosine*u[j])
			}
			if math.Sqrt(square) <= limit {
				p.add(1, at[n], at[i])
			}
		}
	}
	return p
}

// successive returns, for the coordinate with the largest correlation between successive steps, the sum of
// z_t (z_{t−1} + z_{t+1}) over the even t.
func (f noiseStatistics) successive(z [][]float64) (c correlated) {
	for j := range f.Coordinates {
		next := correlated{First: j + 1, Second: j + 1}
		for t := 1; t < len(z); t += 2 {
			neighbours := z[t-1][j]
			if t+1 < len(z) {
				neighbours += z[t+1][j]
			}
			next.add(z[t][j] * neighbours)
		}
		c = c.larger(next)
	}
	return c
}

// across returns, for the pair of coordinates with the largest correlation, the sum of the products over the steps.
func (f noiseStatistics) across(z [][]float64) (c correlated) {
	for second := range f.correlated() {
		for first := range second {
			next := correlated{First: first + 1, Second: second + 1}
			for _, v := range z {
				next.add(v[first] * v[second])
			}
			c = c.larger(next)
		}
	}
	return c
}

// projections returns the sums over the steps of the noise along the direction of the step's sum, and along the
// direction of the sum of the step before. A sum of 0 has the direction of the first coordinate.
func projections(l *Log, z [][]float64) (same, previous float64) {
	first := make([]float64, l.Coordinates)
	first[0] = 1
	direction := func(sum []float64) []float64 {
		length := norm(sum)
		if !(length > 0 && length <= maxStandard) {
			return first
		}
		u := make([]float64, len(sum))
		for j := range sum {
			u[j] = sum[j] / length
		}
		return u
	}
	last := first
	for t, v := range z {
		u := direction(l.Steps[t].Sum)
		same, previous = same+dot(u, v), previous+dot(last, v)
		last = u
	}
	return same, previous
}

func dot(u, v []float64) (sum float64) {
	for j := range u {
		sum += u[j] * v[j]
	}
	return sum
}

// norm returns the L2 norm.
func norm(v []float64) float64 {
	length := 0.0
	for _, x := range v {
		length = math.Hypot(length, x)
	}
	return length
}
