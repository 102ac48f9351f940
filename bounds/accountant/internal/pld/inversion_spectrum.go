package pld

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
)

// spectrum is φ − 1 of a distribution at all frequencies of a grid. Atoms move to the nearest of n points in the
// period, and e^{it·loss} is expanded around this point. The points are so dense that t times half their distance is at
// most π/4.
type spectrum struct {
	*nodes
	values []complex128
	error  float64
	at     int
}

// spectrumSize returns the number of points for frequencies up to last, and the number of terms of the expansions such
// that the remainder is below the tolerance.
func spectrumSize(last, step, tolerance float64) (points float64, terms int) {
	points = math.Ceil(4*last/step) + 8
	rest := math.Pi / 4
	for terms = 1; rest > tolerance/4; terms++ {
		rest *= math.Pi / 4 / float64(terms+1)
	}
	return points, terms
}

// newSpectrum expands the atoms, whose own errors up to the last frequency are known.
func newSpectrum(n *nodes, last, step, tolerance float64) *spectrum {
	size, terms := spectrumSize(last, step, tolerance)
	length := FFTLength(int(size))
	count := int(last/step) + 2
	s := &spectrum{nodes: n, values: make([]complex128, count)}
	period := 2 * math.Pi / step
	gap := period / float64(length)
	place := make([]int, len(n.loss))
	offset := make([]float64, len(n.loss)) // in units of the gap
	weight := make([]float64, len(n.loss))
	for i, l := range n.loss {
		x := l / gap
		near := math.Round(x)
		place[i], offset[i], weight[i] = wrap(near, length), x-near, n.points[i].weight
	}
	fft := fourier.NewFFT(length)
	seq := make([]float64, length)
	coef := make([]complex128, length/2+1)
	power := make([]float64, count) // powers of t·gap
	for j := range power {
		power[j] = 1
	}
	moved, rest := 0.0, 0.0
	for m := range terms {
		clear(seq)
		for i, p := range place {
			if m > 0 || p != 0 {
				seq[p] += weight[i]
			}
			if m == 0 {
				moved += weight[i] * math.Abs(offset[i])
			}
			weight[i] *= offset[i] / float64(m+1)
		}
		if m == 0 {
			// Subtract 1 from the sum of all weights and leave out the weight at the mean on both sides. Then atoms
			// near the mean are transformed without rounding.
			for _, v := range seq {
				rest += v
			}
			seq[0] = -rest
		}
		norm := 0.0
		for _, v := range seq {
			norm += v * v
		}
		fft.Coefficients(coef, seq)
		for j := range s.values {
			// Multiply by (it·gap)^m. gonum's transform uses e^{−it·loss}.
			re, im := power[j]*real(coef[j]), -power[j]*imag(coef[j])
			switch m % 4 {
			case 1:
				re, im = -im, re
			case 2:
				re, im = -re, -im
			case 3:
				re, im = im, -re
			}
			s.values[j] += complex(re, im)
			power[j] *= float64(j) * step * gap
		}
		// The joint error of all coefficients. Their norm is √length times the norm of the sequence.
		s.error += math.Pow(math.Pi/2, float64(m)) * FFTError(length) * math.Sqrt(norm*float64(length))
	}
	// Moving an atom by a fraction of a gap adds at most (π/2)e^{π/4} times this fraction to the sum of all terms.
	sums := float64(len(n.loss)+4*terms+8) * (2*rest + 3.5*moved)
	s.error += n.error + tolerance/2 + 1.1*unit*(sums+4*last*n.width)
	return s
}

func (s *spectrum) start(i int, _ float64) { s.at = i }

func (s *spectrum) next() (re, im float64) {
	v := s.values[s.at]
	s.at++
	return real(v), imag(v)
}

func (s *spectrum) roundoff() float64 { return s.error }

func wrap(x float64, n int) int {
	i := int(math.Mod(x, float64(n)))
	if i < 0 {
		i += n
	}
	return i
}

// FFTError bounds the relative error in the ℓ2 norm of a real FFT of length n in either direction. Each radix-4 stage
// has two sums (2 roundings), one complex product (√5) and a twiddle factor with an error of at most 26 roundings,
// since its argument up to 2π has four (Higham 2002, Theorem 24.2, with these constants).
func FFTError(n int) float64 { return 16 * unit * math.Log2(float64(4*n)) }

// FFTLength returns the smallest number of the form 2^a, 3·2^a or 5·2^a that is at least n, and at least 8 for powers
// of 2.
func FFTLength(n int) int {
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
