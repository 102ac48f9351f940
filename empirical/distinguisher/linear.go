package distinguisher

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
//   - the same with one size for all differences, in standard deviations, which is
//     what a change of one kind in many positions makes: it knows the direction of
//     each before its size;
//   - Fisher's discriminant, which takes correlations into account, up to
//     maxFisher positions.
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

// maxFisher bounds the matrix of Fisher's discriminant.
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

// moments of values: how many, their mean, and the sum of the squares about it (Welford 1962).
type moments struct{ n, mean, squares float64 }

// momentsOf are those of the finite values at each position, each row counted weight times.
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

// alike are weights of one size in standard deviations, up to a power of two, and of
// the sign of the difference, where it is likelier there than not; nil where that is
// nowhere.
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

// fisher weights: the inverse of the pooled covariance, with a small ridge, times
// the difference of means. Values that are not finite count as the mean.
func (m *positions) fisher(t *table) []float64 {
	d := t.shape.values()
	if d > maxFisher {
		return nil
	}
	cov := mat.NewSymDense(d, nil)
	centred := make([]float64, d)
	row := mat.NewVecDense(d, centred)
	for side, counts := range [][]float64{t.a, t.b} {
		shift := 0.5 - float64(side) // the sample's own mean is centre ± half the difference
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

// projection of a row on weights; values that are not finite count as the mean.
func (m *positions) projection(weights []float64) func(row []float64) float64 {
	var used []int // often few
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
