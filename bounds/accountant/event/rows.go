package event

import "math"

// validTable returns an error if a probability is invalid or a column does not add up to 1.
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

// validMixture returns an error for the first invalid parameter of a Gaussian mixture.
func (e Event) validMixture() error {
	if !(e.A > 0 && !math.IsInf(e.A, 1)) {
		return DomainError("gaussian-mixture: sigma is %v, it must be positive and finite", e.A)
	}
	sum := 0.0
	for i, row := range e.Rows {
		switch shift, weight := row[0], row[1]; {
		case math.IsNaN(shift) || math.IsNaN(weight):
			return DomainError("gaussian-mixture: shifts and weights differ in number, or one is NaN")
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

// validBatch returns an error for the first invalid parameter of a batch of fixed or limited size.
func (e Event) validBatch() error {
	name := KindNames[e.Kind]
	switch {
	case e.Count < 1 || e.Count > 1<<50:
		return DomainError("%s: %d records, it must be 1 to 2^50", name, e.Count)
	case !(e.B >= 1 && (e.B <= float64(e.Count) || e.Kind == KindWithReplacement && e.B <= 10*float64(e.Count))):
		largest := float64(e.Count)
		if e.Kind == KindWithReplacement {
			largest *= 10
		}
		return DomainError("%s: %v records in a batch, it must be between 1 and %.0f", name, e.B, largest)
	case e.Kind == KindTruncatedPoisson && !(e.A >= 0 && e.A <= 1):
		return DomainError("%s: the sampling rate is %v, it must be in [0, 1]", name, e.A)
	}
	part := e.Parts[0]
	noisy := part.Kind == KindGaussian || e.Kind == KindWithoutReplacement &&
		(part.Kind == KindLaplace || part.Kind == KindDiscreteLaplace)
	if !noisy {
		return DomainError("%s: %s is not supported on such a batch; want a mechanism with Gaussian noise%s", name, part,
			map[Kind]string{KindWithoutReplacement: ", Laplace or discrete Laplace noise"}[e.Kind])
	}
	return nil
}
