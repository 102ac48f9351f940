package matrix

import "math"

// dense is a lower-triangular matrix, stored by columns. Its entries have an error of one rounding, like decimals that
// are read from a file.
type dense struct {
	steps int
	// column[j] contains the rows from j to the last nonzero entry.
	column [][]float64
	// norms[j] is an upper bound of the norm of column j.
	norms  []float64
	signed bool
	// shifts is set if C[i,j] depends only on i − j.
	shifts bool
	width  int
}

// newDense takes the rows of a square matrix with zeros above the diagonal.
func newDense(rows [][]float64) *dense {
	n := len(rows)
	d := &dense{steps: n, column: make([][]float64, n), norms: make([]float64, n), shifts: true, width: 1}
	for j := range d.column {
		column := make([]float64, n-j)
		last := 0
		for i := range column {
			x := rows[i+j][j]
			column[i] = x
			d.signed = d.signed || x < 0
			d.shifts = d.shifts && x == rows[i][0]
			if x != 0 {
				last = i + 1
			}
		}
		d.column[j] = column[:last]
		d.width = max(d.width, last)
		_, d.norms[j] = d.norm(j)
	}
	return d
}

func (d *dense) bands() int { return d.width }

func (d *dense) norm(column int) (lower, upper float64) {
	return root(d.square([]int{column}, []float64{1}))
}

// square brackets ‖Σ_m signs[m] C[:,pattern[m]]‖². With k columns, each entry of the sum has an error of at most (k +
// 2) units times the sum of absolute values. The squares add a few units.
func (d *dense) square(pattern []int, signs []float64) (low, high float64) {
	if len(pattern) == 0 {
		return 0, 0
	}
	rows := d.steps - pattern[0]
	sum, size := make([]float64, rows), make([]float64, rows)
	for m, j := range pattern {
		at := j - pattern[0]
		for i, x := range d.column[j] {
			sum[at+i] += signs[m] * x
			size[at+i] += math.Abs(x)
		}
	}
	var lows, highs double
	few := float64(len(pattern)+3) * unit
	for i, x := range sum {
		roundoff := few * size[i]
		lo, hi := math.Max(0, math.Abs(x)-roundoff), math.Abs(x)+roundoff
		lows, highs = lows.plus(float64(lo*lo)), highs.plus(float64(hi*hi))
	}
	return lows.value() * (1 - 8*unit), highs.value() * (1 + 8*unit)
}

// product returns ⟨C[:,i], C[:,j]⟩ for i ≤ j, rounded.
func (d *dense) product(i, j int) float64 {
	a, b := d.column[i], d.column[j]
	if j-i >= len(a) {
		return 0
	}
	a = a[j-i:]
	m := min(len(a), len(b))
	a, b = a[:m], b[:m]
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for t, x := range a {
		s0 += x * b[t]
	}
	return (s0 + s1) + (s2 + s3)
}

// falls reports whether the first column is nonnegative and decreasing.
func (d *dense) falls() bool {
	for i, x := range d.column[0] {
		if x < 0 || i > 0 && x > d.column[0][i-1] {
			return false
		}
	}
	return true
}
