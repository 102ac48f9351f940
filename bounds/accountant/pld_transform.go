package accountant

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
)

// fftError bounds the relative error in the ℓ2 norm of a real FFT of length n,
// forward or back: per radix-4 stage two sums (2 roundings), one complex
// product (√5) and a twiddle factor off by at most 26 roundings (its argument, up to 2π,
// carries four) (Higham 2002, Theorem 24.2, with these constants).
func fftError(n int) float64 { return 16 * unit * math.Log2(float64(4*n)) }

// fftLength returns the least of 2^a, 3·2^a, 5·2^a that is at least n.
func fftLength(n int) int {
	best := 8
	for best < n {
		best *= 2
	}
	for _, f := range [2]int{3, 5} {
		m := f
		for m < n {
			m *= 2
		}
		best = min(best, m)
	}
	return best
}

// convolve returns the n tilted masses of the composition from c.first on, and
// sets the noise of their ℓ2 norm.
func (c *composed) convolve(sides []*side, n int) []float64 {
	fft := fourier.NewFFT(n)
	seq := make([]float64, n)
	coef := make([]complex128, n/2+1)
	single := len(sides) == 1
	logs := make([]complex128, 0)
	if !single {
		logs = make([]complex128, n/2+1)
	}
	drift, turns := 0.0, 0.0
	first := wrap(int(c.first), n)
	for _, s := range sides {
		t := c.transform(s, fft, seq, coef)
		first = wrap(first-timesMod(s.count, wrap(t.origin, n), n), n)
		drift += s.count * fftError(n) * t.norm2
		turns += s.count * math.Min(1, 4*t.norm1)
		// |coefficient|^count below e^−45 is dropped.
		least := -45 / s.count
		for j, w := range coef {
			log, phase := t.polar(w)
			if log < least {
				if single {
					coef[j] = 0
				} else {
					logs[j] = complex(math.Inf(-1), 0)
				}
				continue
			}
			if single {
				coef[j] = cmplx.Rect(math.Exp(s.count*log), s.count*phase)
			} else if !math.IsInf(real(logs[j]), -1) {
				logs[j] += complex(s.count*log, s.count*phase)
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
	turnBack(coef, first, n)
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
		turns*32*unit + 64*unit + fftError(n) + 2*float64(len(sides))*math.Exp(-45)
	return seq
}

// transformed tells of the Fourier coefficients of the tilted masses of one step: they are
// atom + 1 + w, where w is the transform of all masses but the largest, of the lattice point
// origin, which is put at entry 0 and so has the same share 1 + atom in every coefficient.
// Where the law is nearly an atom, all rounding is relative to the little rest.
type transformed struct {
	origin       int
	atom         float64 // the largest mass less 1
	norm1, norm2 float64 // of the rest
}

// transform leaves w in coef.
func (c *composed) transform(s *side, fft *fourier.FFT, seq []float64, coef []complex128) transformed {
	clear(seq)
	n := len(seq)
	k := s.cumulant(c.h, c.theta)
	exponent := func(i int) float64 { return s.log[i] + c.theta*c.h*float64(s.lo+i) - k }
	top := 0
	for i := range s.log {
		if exponent(i) > exponent(top) {
			top = i
		}
	}
	t := transformed{origin: s.lo + top, atom: math.Expm1(exponent(top))}
	square := 0.0
	for i := range s.log {
		d := exponent(i)
		if i == top || d < -700 {
			continue
		}
		p := math.Exp(d)
		seq[wrap(i-top, n)] += p
		t.norm1 += p
		square += p * p
	}
	t.norm2 = math.Sqrt(square)
	fft.Coefficients(coef, seq)
	return t
}

// polar returns the logarithm of the absolute value of 1 + atom + w, and the angle. Next to 1,
// where |w| + |atom| ≤ 2·norm1 ≤ 1/2, both are off by some roundings of that only.
func (t transformed) polar(w complex128) (log, phase float64) {
	re, im := t.atom+real(w), imag(w)
	if 2*t.norm1 <= 0.5 {
		return math.Log1p(re*(2+re)+im*im) / 2, math.Atan2(im, 1+re)
	}
	re++
	return math.Log(re*re+im*im) / 2, math.Atan2(im, re)
}

// timesMod returns count·i mod n; 0 ≤ i < n.
func timesMod(count float64, i, n int) int {
	return int(uint64(count) % uint64(n) * uint64(i) % uint64(n))
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

func wrap(i, n int) int {
	if i %= n; i < 0 {
		i += n
	}
	return i
}
