package pld

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Cumulant returns Σ count·log E_P[e^{θL}] over the finite part of the sides.
func Cumulant(sides []*Side, h, theta float64) float64 {
	total := 0.0
	for _, s := range sides {
		total += s.Count * s.cumulant(h, theta)
	}
	return total
}

func (s *Side) cumulant(h, theta float64) float64 {
	step, start := theta*h, theta*h*float64(s.Lo)
	top := math.Inf(-1)
	for i, l := range s.Log {
		if v := l + start + step*float64(i); v > top {
			top = v
		}
	}
	sum := 0.0
	for i, l := range s.Log {
		// What is below e^−45 of the largest cannot matter even a million times.
		if d := l + start + step*float64(i) - top; d > -45 {
			sum += math.Exp(d)
		}
	}
	return top + math.Log(sum)
}

// Composed is one bound of the privacy-loss distribution of a composition,
// known around the losses asked for.
//
// It was computed by FFT from masses tilted by e^{θx}, so that the losses
// asked for are the typical ones: all errors are relative to the tail there,
// whatever its size (the "explicit rounding budget" is noise and alias).
type Composed struct {
	h, theta float64
	first    float64 // lattice index of the first entry
	size     float64 // number of entries
	logScale float64 // log E[e^{θL}] of the composition
	// above[i] = Σ_{j ≥ i} z_j (e^{−θ(x_j−x_i)} − e^{−(θ+1)(x_j−x_i)}) and
	// weight[i] = Σ_{j ≥ i} z_j e^{−(θ+1)(x_j−x_i)}, z the tilted masses: with them δ is
	// e^{logScale−θx_i}·(above[i] + weight[i]·(1 − e^{ε−x_i})) for x_{i−1} ≤ ε ≤ x_i.
	above, weight []float64
	// noise bounds the error of the bracketed term by rounding, alias by what
	// wrapped around or lies outside the window; rel is the relative error of
	// the product of the masses, extra the bound's correction to δ,
	// lost the probability that a loss is infinite.
	noise, alias, rel, extra, lost float64
	jitter                         float64
}

// Compose prepares the composition of sides at the tilt theta ≥ 0 on the lattice of spacing h: its
// window of losses. exact says that every loss is on the lattice, so that rounding is all there is.
func Compose(sides []*Side, h float64, exact bool, theta float64) *Composed {
	c := &Composed{h: h, theta: theta, logScale: Cumulant(sides, h, theta)}
	// What leaves the window has this tilted probability: it must be negligible
	// beside rounding where that is all there is, beside the width asked for else
	// (the bracketed term is of the order 1/θ²).
	exponent := 18 + 2*math.Log1p(theta)
	if exact {
		exponent += 14
	}
	bottom, top, cut := window(sides, h, theta, c.logScale, exponent)
	c.first, c.size = bottom, top-bottom+1
	if cut {
		c.alias = 2 * math.Exp(-exponent)
	}
	return c
}

// Points is the number of lattice points of the window.
func (c *Composed) Points() float64 { return c.size }

// Run composes; the window must have been found small enough.
func (c *Composed) Run(sides []*Side) {
	n := FFTLength(int(c.size))
	z := c.convolve(sides, n)
	c.accumulate(z[:int(c.size)])
	c.finish(sides, n)
}

// window returns the lattice indices between which the tilted composition lies
// but for two tails of e^−exponent, by Chernoff's bound; cut is false if it lies
// there entirely.
func window(sides []*Side, h, theta, logScale, exponent float64) (bottom, top float64, cut bool) {
	least, most := 0.0, 0.0
	for _, s := range sides {
		least += s.Count * float64(s.Lo)
		most += s.Count * float64(s.Lo+len(s.Mass)-1)
	}
	reach := func(sign float64) float64 {
		// Any u > 0 gives a valid bound: Σ losses ≤ (K(θ+u) − K(θ) + exponent)/u.
		best := math.Inf(1)
		numeric.Minimum(func(logU float64) float64 {
			u := math.Exp(math.Min(logU, 50))
			v := (Cumulant(sides, h, theta+sign*u) - logScale + exponent) / u
			best = math.Min(best, v)
			return v
		}, math.Log(theta+1), 1, 0.05)
		return best
	}
	top = math.Ceil(reach(1) / h)
	bottom = math.Floor(-reach(-1) / h)
	cut = top < most || bottom > least
	return math.Max(bottom, least), math.Min(top, most), cut
}

// convolve returns the n tilted masses of the composition from c.first on, and
// sets the noise of their ℓ2 norm.
func (c *Composed) convolve(sides []*Side, n int) []float64 {
	fft := fourier.NewFFT(n)
	seq := make([]float64, n)
	coef := make([]complex128, n/2+1)
	single := len(sides) == 1
	logs := make([]complex128, 0)
	if !single {
		logs = make([]complex128, n/2+1)
	}
	drift, turns := 0.0, 0.0
	for _, s := range sides {
		clear(seq)
		k := s.cumulant(c.h, c.theta)
		norm := 0.0
		for i, l := range s.Log {
			d := l + c.theta*c.h*float64(s.Lo+i) - k
			if d < -700 {
				continue
			}
			p := math.Exp(d)
			seq[wrapCells(s.Lo+i, n)] += p
			norm += p * p
		}
		fft.Coefficients(coef, seq)
		drift += s.Count * FFTError(n) * math.Sqrt(norm)
		turns += s.Count
		// |coefficient|^count below e^−45 is dropped.
		least := math.Exp(-90 / s.Count)
		for j, v := range coef {
			a := real(v)*real(v) + imag(v)*imag(v)
			if a < least {
				if single {
					coef[j] = 0
				} else {
					logs[j] = complex(math.Inf(-1), 0)
				}
				continue
			}
			if single {
				coef[j] = cmplx.Rect(math.Exp(s.Count*math.Log(a)/2), s.Count*cmplx.Phase(v))
			} else if !math.IsInf(real(logs[j]), -1) {
				logs[j] += complex(s.Count*math.Log(a)/2, s.Count*cmplx.Phase(v))
			}
		}
	}
	if !single {
		for j, v := range logs {
			coef[j] = 0
			if real(v) > -45 {
				coef[j] = cmplx.Rect(math.Exp(real(v)), imag(v))
			}
		}
	}
	turnBack(coef, wrapCells(int(c.first), n), n)
	fft.Sequence(seq, coef)
	for i := range seq {
		// The true masses are not negative: clipping brings them closer.
		if seq[i] /= float64(n); seq[i] < 0 {
			seq[i] = 0
		}
	}
	// Forward error of every factor, rounding of its power (angle up to π), the
	// shift's, the way back, and the coefficients dropped.
	c.noise = drift*math.Exp(math.Min(drift*math.Sqrt(float64(n)), 1e3)) +
		turns*32*unit + 64*unit + FFTError(n) + 2*float64(len(sides))*math.Exp(-45)
	return seq
}

// turnBack shifts the sequence with these coefficients so that entry first
// becomes entry 0; 0 ≤ first < n.
func turnBack(coef []complex128, first, n int) {
	for j := range coef {
		if coef[j] != 0 {
			// j·r mod n keeps the angle exact.
			m := int(uint64(j) * uint64(first) % uint64(n))
			coef[j] *= cmplx.Rect(1, 2*math.Pi*float64(m)/float64(n))
		}
	}
}

func wrapCells(i, n int) int {
	if i %= n; i < 0 {
		i += n
	}
	return i
}

// accumulate fills the sums from the top of the window down.
func (c *Composed) accumulate(z []float64) {
	n := len(z)
	c.above, c.weight = make([]float64, n+1), make([]float64, n+1)
	decay, decayMore := math.Exp(-c.theta*c.h), math.Exp(-(c.theta+1)*c.h)
	gap := -math.Expm1(-c.h)
	for i := n - 1; i >= 0; i-- {
		c.above[i] = decay * (c.above[i+1] + c.weight[i+1]*gap)
		c.weight[i] = z[i] + decayMore*c.weight[i+1]
	}
}

// finish completes the error budget.
func (c *Composed) finish(sides []*Side, n int) {
	// Rounding enters the bracketed term with weights at most e^{−θjh}·min(1, (j+1)h);
	// their ℓ2 norm, by geometric series.
	r := math.Exp(-2 * c.theta * c.h)
	norm := math.Min(float64(n), 1/-math.Expm1(-2*c.theta*c.h))
	norm = math.Min(norm, c.h*c.h*(1+r)/math.Pow(-math.Expm1(-2*c.theta*c.h), 3))
	c.noise *= math.Sqrt(norm)
	steps, scale, logKept := 0.0, 0.0, 0.0
	for _, s := range sides {
		steps += s.Count
		c.extra += s.Count * s.Extra
		logKept += s.Count * math.Log1p(-s.Lost)
		c.jitter += s.Count * s.Jitter
		// exp and log of exponents of this size, among entries that matter.
		k := s.cumulant(c.h, c.theta)
		for i, l := range s.Log {
			if t := c.theta * c.h * float64(s.Lo+i); l+t-k > -80 {
				scale = math.Max(scale, math.Abs(k)+math.Abs(t)+math.Abs(l))
			}
		}
	}
	c.rel = 8*unit*steps*(8+scale) + 16*unit*float64(n)
	c.extra = math.Expm1(1.2 * c.extra)
	c.lost = -math.Expm1(logKept)
}

// LogDelta returns the log of the bound of δ at ε on the sign's side: +1 above,
// −1 below, 0 without the corrections.
func (c *Composed) LogDelta(epsilon, sign float64) float64 {
	epsilon -= sign * c.jitter
	if epsilon < c.first*c.h {
		if sign > 0 {
			return 0 // left of the window nothing better than δ ≤ 1 is known
		}
		// Nor that δ is larger than at its first point: noise is as small as it is said to be where a loss next to ε
		// counts little.
		epsilon = c.first * c.h
	}
	i := int(math.Min(math.Ceil(epsilon/c.h)-c.first, float64(len(c.above)-1)))
	i = max(i, 0)
	x := (c.first + float64(i)) * c.h
	return math.Min(0, c.correct(c.above[i]+c.weight[i]*-math.Expm1(math.Min(0, epsilon-x)), x, sign))
}

// correct turns the bracketed term at lattice loss x into log δ.
func (c *Composed) correct(main, x, sign float64) float64 {
	main = math.Max(0, main+sign*(c.noise+c.alias))
	l := math.Log(main) + c.logScale - c.theta*x + sign*c.rel
	if sign != 0 && c.extra > 0 {
		l = c.widened(l, sign)
	}
	if c.lost > 0 {
		const rel = 16 * unit // of a power of a probability
		l = numeric.LogAddExp(l, math.Log(c.lost)+sign*rel)
	}
	return l
}

// widened adds the correction to a bound from above, and takes it off one from below.
func (c *Composed) widened(l, sign float64) float64 {
	switch extra := math.Log(c.extra); {
	case sign > 0:
		return numeric.LogAddExp(l, extra)
	case l <= extra:
		return math.Inf(-1)
	default:
		return numeric.LogSubExp(l, extra)
	}
}

// Epsilon returns the bound of ε at δ on the sign's side (+1 above).
func (c *Composed) Epsilon(logDelta, sign float64) float64 {
	last := len(c.above) - 1
	// The least lattice point from which on, to the top, δ is small enough. (Far
	// below, the lower bound drowns in its noise, so this is no bisection.)
	i := last + 1
	for i > 0 && c.correct(c.above[i-1], (c.first+float64(i-1))*c.h, sign) <= logDelta {
		i--
	}
	var e float64
	switch {
	case i == 0 && sign < 0:
		return 0
	case i == 0:
		e = c.first * c.h
	case i > last:
		if sign > 0 {
			return math.Inf(1)
		}
		e = (c.first + float64(last)) * c.h
	default:
		// Between points i−1 and i bisect the line in e^ε.
		x := (c.first + float64(i)) * c.h
		e = numeric.FallingRoot(func(e float64) float64 {
			return c.correct(c.above[i]+c.weight[i]*-math.Expm1(e-x), x, sign) - logDelta
		}, x-c.h, x)
	}
	return math.Max(0, e+sign*c.jitter)
}
