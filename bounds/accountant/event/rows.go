package event

import "math"

// validTable reports a fault in the rows of a table.
func validTable(rows [][2]float64) error {
	var sums [2]float64
	for i, row := range rows {
		for c, x := range row {
			if !(x >= 0 && x <= 1) {
				return DomainError("table: row %d has probability %v, it must be in [0, 1]", i+1, x)
			}
			sums[c] += x
		}
	}
	for c, sum := range sums {
		if !(math.Abs(sum-1) <= 1e-9) {
			return DomainError("table: the %s column adds up to %v, it must be 1 to 1e-9", [2]string{"first", "second"}[c], sum)
		}
	}
	return nil
}

// validMixture reports a fault in the parameters of a mixture of Gaussians.
func (e Event) validMixture() error {
	if !(e.A > 0 && !math.IsInf(e.A, 1)) {
		return DomainError("gaussian-mixture: sigma is %v, it must be positive and finite", e.A)
	}
	sum := 0.0
	for i, row := range e.Rows {
		switch shift, weight := row[0], row[1]; {
		case math.IsNaN(shift) || math.IsNaN(weight):
			return DomainError("gaussian-mixture: shifts and weights differ in number, or one is no number")
		case !(shift >= 0 && !math.IsInf(shift, 1)):
			return DomainError("gaussian-mixture: shift %d is %v, it must be a finite number of at least 0", i+1, shift)
		case !(weight >= 0 && weight <= 1):
			return DomainError("gaussian-mixture: weight %d is %v, it must be in [0, 1]", i+1, weight)
		default:
			sum += weight
		}
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		return DomainError("gaussian-mixture: the weights add up to %v, it must be 1 to 1e-9", sum)
	}
	return nil
}
