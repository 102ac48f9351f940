package matrix

import "math"

// dense is a lower-triangular matrix by its columns. Its entries are right to one rounding, as decimals
// are when they are read.
type dense struct {
	steps int
	// column[j] holds the rows from j on, to the last entry that is not zero.
	column [][]float64
	// norms[j] is at least the norm of column j.
	norms  []float64
	signed bool
	// shifts: C[i,j] depends on i − j alone.
	shifts bool
	width  int
}

// newDense takes rows of a square matrix with zeros above the diagonal.
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

// square brackets ‖Σ_m signs[m] C[:,pattern[m]]‖². Each entry of the sum is within (k + 2) units of the sum of the
// absolute values, for k columns; the squares add few units of themselves.
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
		off := few * size[i]
		least, most := math.Max(0, math.Abs(x)-off), math.Abs(x)+off
		lows, highs = lows.plus(float64(least*least)), highs.plus(float64(most*most))
	}
	return lows.value() * (1 - 8*unit), highs.value() * (1 + 8*unit)
}

// product is ⟨C[:,i], C[:,j]⟩ rounded, i ≤ j.
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

// falls tells whether the first column is nonnegative and falls.
func (d *dense) falls() bool {
	for i, x := range d.column[0] {
		if x < 0 || i > 0 && x > d.column[0][i-1] {
			return false
		}
	}
	return true
}
