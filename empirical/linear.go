package empirical

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// linearScores returns linear functions of the row that separate the two
// samples: the witnesses that see many small differences at once.
//
//   - the difference of means over the variance, position by position, which is
//     best where positions are independent; differences that are not significant
//     are shrunk away, lest a hundred of them drown the few that count;
//   - Fisher's discriminant, which takes correlations into account, up to
//     maxFisher positions.
func linearScores(t *table) []scorer {
	if t.rows.Width < 2 {
		return nil
	}
	means := newPositions(t)
	out := []scorer{{name: "weighted sum of the values", score: means.projection(means.independent())}}
	if w := means.fisher(t); w != nil {
		out = append(out, scorer{name: "linear discriminant of the values", score: means.projection(w)})
	}
	return out
}

// maxFisher bounds the matrix of Fisher's discriminant.
const maxFisher = 48

// positions holds the moments of the finite values at each position.
type positions struct {
	centre, difference, variance []float64
	n                            float64
}

func newPositions(t *table) *positions {
	d := t.rows.Width
	m := &positions{centre: make([]float64, d), difference: make([]float64, d), variance: make([]float64, d), n: math.Min(t.na, t.nb)}
	for i := range d {
		ma, va := moments(t.rows, t.a, i)
		mb, vb := moments(t.rows, t.b, i)
		m.centre[i], m.difference[i], m.variance[i] = (ma+mb)/2, ma-mb, (va+vb)/2
	}
	return m
}

// moments of the finite values at a position, each row counted weight times.
func moments(s *Rows, weight []float64, i int) (mean, variance float64) {
	var n, m2 float64
	for k, w := range weight {
		if v := s.data[k*s.Width+i]; w > 0 && finite(v) {
			n += w
			d := v - mean
			mean += d * w / n
			m2 += w * d * (v - mean)
		}
	}
	return mean, m2 / math.Max(1, n-1)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// independent weights: the difference over the variance, times 1 − 2/z² or 0,
// with z the difference in standard errors.
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

// fisher weights: the inverse of the pooled covariance, with a small ridge, times
// the difference of means. Values that are not finite count as the mean.
func (m *positions) fisher(t *table) []float64 {
	d := t.rows.Width
	if d > maxFisher {
		return nil
	}
	cov := mat.NewSymDense(d, nil)
	centred := make([]float64, d)
	for side, counts := range [][]float64{t.a, t.b} {
		shift := 0.5 - float64(side) // the sample's own mean is centre ± half the difference
		for k, w := range counts {
			if w == 0 {
				continue
			}
			for i, v := range t.rows.Row(k) {
				centred[i] = 0
				if finite(v) {
					centred[i] = v - m.centre[i] - shift*m.difference[i]
				}
			}
			cov.SymRankOne(cov, w, mat.NewVecDense(d, centred))
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

// projection of a row on weights; values that are not finite count as the mean.
func (m *positions) projection(weights []float64) func(row []float64) float64 {
	return func(row []float64) float64 {
		var sum, size float64
		for i, w := range weights {
			if w != 0 && finite(row[i]) {
				sum += w * (row[i] - m.centre[i])
				size += math.Abs(w * row[i])
			}
		}
		return Coarse(sum, size)
	}
}
