package distinguisher

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// linearScores returns linear functions of the row that separate the two samples. They detect many small
// differences together.
//
//   - the difference of means divided by the variance at each position, which is optimal for independent
//     positions; insignificant differences are shrunk to 0, so that many of them do not hide a few real ones
//   - the same with equal weights in standard deviations, for a change of the same size at many positions; the
//     direction of each difference is known before its size
//   - Fisher's discriminant, which takes correlations into account, for at most maxFisher positions
func linearScores(t *table) []scorer {
	if t.shape.values() < 2 {
		return nil
	}
	means := newPositions(t)
	out := []scorer{{name: "weighted sum of the values", score: means.projection(means.independent())}}
	if w := means.alike(); w != nil {
		out = append(out, scorer{name: "values that rise less those that fall", score: means.projection(w)})
	}
	if w := means.fisher(t); w != nil {
		out = append(out, scorer{name: "linear discriminant of the values", score: means.projection(w)})
	}
	return out
}

// maxFisher is the largest number of positions for Fisher's discriminant.
const maxFisher = 48

// positions holds the moments of the finite values at each position.
type positions struct {
	centre, difference, variance []float64
	n                            float64
}

func newPositions(t *table) *positions {
	d := t.shape.values()
	m := &positions{centre: make([]float64, d), difference: make([]float64, d), variance: make([]float64, d),
		n: math.Min(t.na, t.nb)}
	a, b := momentsOf(t, t.a), momentsOf(t, t.b)
	for i := range d {
		m.centre[i], m.difference[i] = (a[i].mean+b[i].mean)/2, a[i].mean-b[i].mean
		m.variance[i] = (a[i].variance() + b[i].variance()) / 2
	}
	return m
}

// moments holds the number of values, their mean and the sum of squared deviations (Welford 1962).
type moments struct{ n, mean, squares float64 }

// momentsOf returns the moments of the finite values at each position, each row counted weight times.
func momentsOf(t *table, weight []float64) []moments {
	out := make([]moments, t.shape.values())
	for k, w := range weight {
		if !(w > 0) {
			continue
		}
		for i, v := range t.row(k)[:len(out)] {
			if finite(v) {
				m := &out[i]
				m.n += w
				d := v - m.mean
				m.mean += d * w / m.n
				m.squares += w * d * (v - m.mean)
			}
		}
	}
	return out
}

func (m moments) variance() float64 { return m.squares / math.Max(1, m.n-1) }

func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// independent returns the weights difference/variance, times max(0, 1 − 2/z²) for a difference of z standard
// errors.
func (m *positions) independent() []float64 {
	w := make([]float64, len(m.centre))
	for i, v := range m.variance {
		if v > 0 {
			squared := m.difference[i] * m.difference[i] * m.n / (2 * v)
			w[i] = m.difference[i] / v * math.Max(0, 1-2/squared)
		}
	}
	return w
}

// alike returns weights of equal size in standard deviations, up to a power of two, with the sign of the
// difference, at positions that probably differ. It returns nil if there are none.
func (m *positions) alike() []float64 {
	z := make([]float64, len(m.centre))
	for i, v := range m.variance {
		if v > 0 {
			z[i] = math.Abs(m.difference[i]) * math.Sqrt(m.n/(2*v))
		}
	}
	posterior := probableDifferences(z)
	w, found := make([]float64, len(z)), false
	for i, p := range posterior {
		if p > 0.5 {
			w[i], found = math.Copysign(math.Exp2(math.Round(-math.Log2(m.variance[i])/2)), m.difference[i]), true
		}
	}
	if !found {
		return nil
	}
	return w
}

// fisher returns the inverse of the pooled covariance, with a small ridge, times the difference of means. Values
// that are not finite are replaced by the mean. It returns nil if there are too many positions or the covariance is
// singular.
func (m *positions) fisher(t *table) []float64 {
	d := t.shape.values()
	if d > maxFisher {
		return nil
	}
	cov := mat.NewSymDense(d, nil)
	centred := make([]float64, d)
	row := mat.NewVecDense(d, centred)
	for side, counts := range [][]float64{t.a, t.b} {
		shift := 0.5 - float64(side) // the mean of this sample is centre ± half the difference
		for k, w := range counts {
			if w == 0 {
				continue
			}
			for i, v := range t.row(k)[:d] {
				centred[i] = 0
				if finite(v) {
					centred[i] = v - m.centre[i] - shift*m.difference[i]
				}
			}
			cov.SymRankOne(cov, w, row)
		}
	}
	for i := range d {
		cov.SetSym(i, i, cov.At(i, i)*(1+1e-3)+1e-12)
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		return nil
	}
	w := mat.NewVecDense(d, nil)
	if chol.SolveVecTo(w, mat.NewVecDense(d, m.difference)) != nil {
		return nil
	}
	return w.RawVector().Data
}

// projection returns the weighted sum of a row. Values that are not finite are replaced by the mean.
func (m *positions) projection(weights []float64) func(row []float64) float64 {
	var used []int // often few positions
	for i, w := range weights {
		if w != 0 {
			used = append(used, i)
		}
	}
	return func(row []float64) float64 {
		var sum, size float64
		for _, i := range used {
			if v, w := row[i], weights[i]; finite(v) {
				sum += w * (v - m.centre[i])
				size += math.Abs(w * v)
			}
		}
		return Coarse(sum, size)
	}
}
