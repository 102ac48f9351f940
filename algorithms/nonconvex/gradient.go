package nonconvex

import (
	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
)

// Gradient writes ∇F(w) = (1/n) Σ y_i·loss'(y_i⟨w, x_i⟩)·x_i, without regularizer, to dst. It takes time O(stored
// values) and does not allocate. w and dst have the rows' dimension and do not overlap.
func Gradient(loss erm.Loss, data *dataset.Dataset, w, dst []float64) {
	clear(dst)
	scale := 1 / float64(data.Len())
	slope := func(i int, dot float64) float64 {
		y := data.Label(i)
		return scale * y * loss.Derivative(y*dot)
	}
	i := 0
	if !data.Sparse() {
		for ; i+4 <= data.Len(); i += 4 {
			block := [4][]float64{data.Row(i).Values, data.Row(i + 1).Values, data.Row(i + 2).Values, data.Row(i + 3).Values}
			slopes := dots(block, w)
			for k := range slopes {
				slopes[k] = slope(i+k, slopes[k])
			}
			addTo(dst, block, slopes)
		}
	}
	for ; i < data.Len(); i++ {
		x := data.Row(i)
		x.AddTo(dst, slope(i, x.Dot(w)))
	}
}

// dots returns the inner products of w with four dense rows. An addition waits for the previous one, so four sums
// at a time take little longer than one. Each sum has the order of terms of Row.Dot, and therefore the same bits.
func dots(rows [4][]float64, w []float64) (sums [4]float64) {
	a, b, c, d := rows[0][:len(w)], rows[1][:len(w)], rows[2][:len(w)], rows[3][:len(w)]
	var sa, sb, sc, sd float64
	for k, v := range w {
		sa += a[k] * v
		sb += b[k] * v
		sc += c[k] * v
		sd += d[k] * v
	}
	return [4]float64{sa, sb, sc, sd}
}

// addTo adds factors[i]·rows[i] to dst, in the order of the rows.
func addTo(dst []float64, rows [4][]float64, factors [4]float64) {
	a, b, c, d := rows[0][:len(dst)], rows[1][:len(dst)], rows[2][:len(dst)], rows[3][:len(dst)]
	for k, v := range dst {
		v += factors[0] * a[k]
		v += factors[1] * b[k]
		v += factors[2] * c[k]
		v += factors[3] * d[k]
		dst[k] = v
	}
}
