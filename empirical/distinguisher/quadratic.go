package distinguisher

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// quadraticScores returns log-likelihood ratios of normal distributions with the moments of the two samples, without
// their constant terms. They detect differences of scale, also if many values differ a little.
//
//   - The first score treats values as independent. It ignores differences of means and variances that are probably
//     noise, because many of them would hide a few real ones.
//   - The second score uses the covariances. It exists for at most maxFisher positions.
func quadraticScores(t *table) []scorer {
	if t.shape.values() < 3 { // the rings of ringsOf score one value
		return nil
	}
	a, b := momentsOf(t, t.a), momentsOf(t, t.b)
	var out []scorer
	add := func(kind string, f func(row []float64) float64) {
		if f != nil {
			out = append(out, scorer{name: "log-likelihood ratio of " + kind + " normal values", score: f, signed: true,
				smooth: true})
		}
	}
	add("independent", independentNormals(a, b))
	add("correlated", correlatedNormals(t, a, b))
	return out
}

// normal is a normal distribution of one value.
type normal struct{ mean, variance float64 }

// independentNormals returns the log-likelihood ratio of the values whose means or variances probably differ, or nil
// if there are none.
func independentNormals(a, b []moments) func(row []float64) float64 {
	shift, scale := make([]float64, len(a)), make([]float64, len(a))
	for i := range a {
		if va, vb := a[i].variance(), b[i].variance(); va > 0 && vb > 0 {
			shift[i] = math.Abs(a[i].mean-b[i].mean) / math.Sqrt(va/a[i].n+vb/b[i].n)
			scale[i] = math.Abs(math.Log(va/vb)) / math.Sqrt(2/a[i].n+2/b[i].n)
		}
	}
	shifted, scaled := probableDifferences(shift), probableDifferences(scale)
	var used []int
	normals := make([][2]normal, len(a))
	for i := range a {
		p := [2]normal{{a[i].mean, a[i].variance()}, {b[i].mean, b[i].variance()}}
		differ := false
		if shifted != nil && shifted[i] > 0.5 {
			differ = true
		} else {
			centre := (p[0].mean + p[1].mean) / 2
			p[0].mean, p[1].mean = centre, centre
		}
		if scaled != nil && scaled[i] > 0.5 {
			differ = true
		} else {
			variance := (p[0].variance + p[1].variance) / 2
			p[0].variance, p[1].variance = variance, variance
		}
		if normals[i] = p; differ && p[0].variance > 0 && p[1].variance > 0 {
			used = append(used, i)
		}
	}
	if used == nil {
		return nil
	}
	return func(row []float64) float64 {
		var sum, size float64
		for _, i := range used {
			if v := row[i]; finite(v) {
				p, q := normals[i][0].exponent(v), normals[i][1].exponent(v)
				sum += q - p
				size += p + q
			}
		}
		return Coarse(sum, size)
	}
}

// exponent returns half the squared distance of a value from the mean, in standard deviations.
func (n normal) exponent(v float64) float64 { return (v - n.mean) * (v - n.mean) / (2 * n.variance) }

// correlatedNormals returns the log-likelihood ratio of normal distributions with the means and covariances of the two
// samples, up to a constant. It returns nil if there are too many positions or a covariance is singular. Values that
// are not finite are replaced by the mean.
func correlatedNormals(t *table, a, b []moments) func(row []float64) float64 {
	d := len(a)
	if d > maxFisher {
		return nil
	}
	p, q := inverseCovariance(t, t.a, a), inverseCovariance(t, t.b, b)
	if p == nil || q == nil {
		return nil
	}
	// With z = x − (mean a + mean b)/2 and h = (mean a − mean b)/2, twice the ratio is zᵀ(Q − P)z + 2zᵀ(P + Q)h and a
	// constant.
	centre, half := make([]float64, d), mat.NewVecDense(d, nil)
	for i := range d {
		centre[i] = (a[i].mean + b[i].mean) / 2
		half.SetVec(i, (a[i].mean-b[i].mean)/2)
	}
	var sum mat.SymDense
	var linear mat.VecDense
	sum.AddSym(p, q)
	linear.MulVec(&sum, half)
	quadratic := make([][]float64, d) // lower triangle
	for i := range d {
		for j := range i {
			quadratic[i] = append(quadratic[i], q.At(i, j)-p.At(i, j))
		}
		quadratic[i] = append(quadratic[i], (q.At(i, i)-p.At(i, i))/2)
	}
	return func(row []float64) float64 {
		var z [maxFisher]float64
		var ratio, size float64
		for i := range d {
			if v := row[i]; finite(v) {
				z[i] = v - centre[i]
			}
			term := linear.AtVec(i)
			for j, w := range quadratic[i] {
				term += w * z[j]
			}
			ratio += term * z[i]
			size += math.Abs(term * z[i])
		}
		return Coarse(ratio, size)
	}
}

// inverseCovariance returns the inverse covariance of a weighted sample with a small ridge, or nil if the covariance is
// singular. Positions that do not vary have variance 1.
func inverseCovariance(t *table, weights []float64, m []moments) *mat.SymDense {
	d := len(m)
	cov, centred := mat.NewSymDense(d, nil), make([]float64, d)
	vector := mat.NewVecDense(d, centred)
	var total float64
	for k, w := range weights {
		if w > 0 {
			for i, v := range t.row(k)[:d] {
				centred[i] = 0
				if finite(v) {
					centred[i] = v - m[i].mean
				}
			}
			cov.SymRankOne(cov, w, vector)
			total += w
		}
	}
	cov.ScaleSym(1/total, cov)
	for i := range d {
		if v := cov.At(i, i); v > 0 {
			cov.SetSym(i, i, v*(1+1e-3))
		} else {
			cov.SetSym(i, i, 1)
		}
	}
	var chol mat.Cholesky
	var inverse mat.SymDense
	if !chol.Factorize(cov) || chol.InverseTo(&inverse) != nil {
		return nil
	}
	return &inverse
}
