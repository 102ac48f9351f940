package pld

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Cumulant returns Σ count·log E_P[e^{θL}] over the finite losses of the sides.
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
		// Terms below e^−45 times the largest are negligible, even a million of them.
		if d := l + start + step*float64(i) - top; d > -45 {
			sum += math.Exp(d)
		}
	}
	return top + math.Log(sum)
}

// Composed is one bound of the privacy-loss distribution of a composition near the relevant losses.
//
// It is computed by FFT from probabilities tilted by e^{θx}, so that the relevant losses become typical. All errors are
// therefore relative to the tail, whatever its size. The error bounds are explicit: noise for rounding and alias for
// wrap-around.
type Composed struct {
	h, theta float64
	first    float64 // lattice index of the first entry
	size     float64 // number of entries
	logScale float64 // log E[e^{θL}] of the composition
	// above[i] = Σ_{j ≥ i} z_j (e^{−θ(x_j−x_i)} − e^{−(θ+1)(x_j−x_i)}) and weight[i] = Σ_{j ≥ i} z_j
	// e^{−(θ+1)(x_j−x_i)}, where z are the tilted probabilities. Then δ = e^{logScale−θx_i}·(above[i] + weight[i]·(1 −
	// e^{ε−x_i})) for x_{i−1} ≤ ε ≤ x_i.
	above, weight []float64
	// noise bounds the rounding error of the bracketed term. alias bounds the error from probability that wraps around
	// or is outside the window. rel is the relative error of the product of the probabilities. extra is the bound's
	// correction of δ. lost is the probability of infinite loss.
	noise, alias, rel, extra, lost float64
	jitter                         float64
}

// Compose prepares the composition of sides at the tilt theta ≥ 0 on the lattice with spacing h, and determines its
// window of losses. exact means that every loss is on the lattice, so that rounding is the only error.
func Compose(sides []*Side, h float64, exact bool, theta float64) *Composed {
	c := &Composed{h: h, theta: theta, logScale: Cumulant(sides, h, theta)}
	// The tilted probability outside the window must be negligible compared with rounding if exact is set, and
	// otherwise compared with the requested width. The bracketed term is of order 1/θ².
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

// Points returns the number of lattice points in the window.
func (c *Composed) Points() float64 { return c.size }

// Run computes the composition. The caller must check Points first.
func (c *Composed) Run(sides []*Side) {
	n := FFTLength(int(c.size))
	z := c.convolve(sides, n)
	c.accumulate(z[:int(c.size)])
	c.finish(sides, n)
}

// window returns the lattice indices between which the tilted composition lies except for two tails of e^−exponent, by
// Chernoff's bound. cut is false if it lies there entirely.
func window(sides []*Side, h, theta, logScale, exponent float64) (bottom, top float64, cut bool) {
	lowest, highest := 0.0, 0.0
	for _, s := range sides {
		lowest += s.Count * float64(s.Lo)
		highest += s.Count * float64(s.Lo+len(s.Mass)-1)
	}
	reach := func(sign float64) float64 {
		// Every u > 0 gives a valid bound: Σ losses ≤ (K(θ+u) − K(θ) + exponent)/u.
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
	cut = top < highest || bottom > lowest
	return math.Max(bottom, lowest), math.Min(top, highest), cut
}

// convolve returns the n tilted probabilities of the composition from c.first on, and sets the noise in their ℓ2 norm.
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
		// Drop coefficients with |coefficient|^count below e^−45.
		threshold := math.Exp(-90 / s.Count)
		for j, v := range coef {
			a := real(v)*real(v) + imag(v)*imag(v)
			if a < threshold {
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
		// The exact probabilities are nonnegative, so clipping reduces the error.
		if seq[i] /= float64(n); seq[i] < 0 {
			seq[i] = 0
		}
	}
	// Add the forward error of every factor, the rounding of its power (angles up to π) and of the shift, the error of
	// the inverse transform, and the dropped coefficients.
	c.noise = drift*math.Exp(math.Min(drift*math.Sqrt(float64(n)), 1e3)) +
		turns*32*unit + 64*unit + FFTError(n) + 2*float64(len(sides))*math.Exp(-45)
	return seq
}

// turnBack shifts the sequence with these coefficients so that entry first becomes entry 0, for 0 ≤ first < n.
func turnBack(coef []complex128, first, n int) {
	for j := range coef {
		if coef[j] != 0 {
			// j·first mod n keeps the angle exact.
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

// accumulate computes the sums from the top of the window down.
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

// finish completes the error bounds.
func (c *Composed) finish(sides []*Side, n int) {
	// Rounding errors enter the bracketed term with weights of at most e^{−θjh}·min(1, (j+1)h). Compute the ℓ2 norm of
	// the weights by a geometric series.
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
		// Rounding of exp and log for exponents of this size, among relevant entries.
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

// LogDelta returns the log of the bound of δ at ε: above for sign +1, below for −1, without corrections for 0.
func (c *Composed) LogDelta(epsilon, sign float64) float64 {
	epsilon -= sign * c.jitter
	if epsilon < c.first*c.h {
		if sign > 0 {
			return 0 // left of the window, only δ ≤ 1 is known
		}
		// δ is at least its value at the window's first point. The error bound of the noise requires that losses near ε
		// have little weight, so it is not valid further left.
		epsilon = c.first * c.h
	}
	i := int(math.Min(math.Ceil(epsilon/c.h)-c.first, float64(len(c.above)-1)))
	i = max(i, 0)
	x := (c.first + float64(i)) * c.h
	return math.Min(0, c.correct(c.above[i]+c.weight[i]*-math.Expm1(math.Min(0, epsilon-x)), x, sign))
}

// correct converts the bracketed term at lattice loss x to log δ.
func (c *Composed) correct(main, x, sign float64) float64 {
	main = math.Max(0, main+sign*(c.noise+c.alias))
	l := math.Log(main) + c.logScale - c.theta*x + sign*c.rel
	if sign != 0 && c.extra > 0 {
		l = c.widened(l, sign)
	}
	if c.lost > 0 {
		const rel = 16 * unit // relative error of a power of a probability
		l = numeric.LogAddExp(l, math.Log(c.lost)+sign*rel)
	}
	return l
}

// widened adds the correction to an upper bound, or subtracts it from a lower bound.
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

// Epsilon returns the bound of ε at δ, above for sign +1.
func (c *Composed) Epsilon(logDelta, sign float64) float64 {
	last := len(c.above) - 1
	// Find the smallest lattice point from which on, up to the top, δ is small enough. Bisection is not possible,
	// because far below the noise exceeds the lower bound.
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
		// Solve the equation that is linear in e^ε between points i−1 and i.
		x := (c.first + float64(i)) * c.h
		e = numeric.FallingRoot(func(e float64) float64 {
			return c.correct(c.above[i]+c.weight[i]*-math.Expm1(e-x), x, sign) - logDelta
		}, x-c.h, x)
	}
	return math.Max(0, e+sign*c.jitter)
}
