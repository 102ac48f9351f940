package pld

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Nothing returns the pair of a mechanism that reveals nothing.
func Nothing() Pair {
	n, err := NewFinite([]Atom{{P: 1, Q: 1}}, 0)
	if err != nil {
		panic(err) // a single output is always valid
	}
	return n
}

// Mixture returns the pair of a Gaussian mixture with standard deviation sigma. Each row contains a shift and its
// probability. With this probability, the record or group moves the sum by the shift times the sensitivity. If opposed,
// a replacement moves it in the opposite direction. Shifts of 0 are merged into Rest.
func Mixture(sigma, sensitivity float64, rows [][2]float64, opposed bool) (Pair, error) {
	weights, sum := map[float64]float64{}, 0.0
	for _, row := range rows {
		weights[row[0]/sigma*sensitivity] += row[1]
		sum += row[1]
	}
	n := Normal{Rest: weights[0] / sum, Opposed: opposed}
	for _, mu := range slices.Sorted(maps.Keys(weights)) {
		if w := weights[mu] / sum; mu > 0 && w > 0 {
			n.Shifts = append(n.Shifts, Shift{Mu: mu, Weight: w})
		}
	}
	if len(n.Shifts) == 0 {
		return Nothing(), nil
	}
	if largest := n.Shifts[len(n.Shifts)-1].Mu; !(largest <= 1e8 && n.Shifts[0].Mu >= 1e-100) {
		return nil, fmt.Errorf("shifts of %g to %g standard deviations: want 1e-100 to 1e8", n.Shifts[0].Mu, largest)
	}
	return &n, nil
}

// Shifted returns the pair of a Gaussian on a Poisson sample with rate q, whose shift is between minShift and maxShift
// standard deviations. Both have an error of two roundings. If opposed, a replacement moves the sum in the opposite
// direction.
func Shifted(minShift, maxShift, q float64, opposed bool) (Pair, error) {
	ends := [2]Pair{}
	for i, mu := range [2]float64{minShift, maxShift} {
		toward := float64(i) * math.MaxFloat64
		mu = math.Nextafter(math.Nextafter(mu, toward), toward)
		switch {
		case !(mu <= 1e8):
			return nil, fmt.Errorf("a shift of %g standard deviations: want at most 1e8", mu)
		case mu < 1e-100 && i == 1:
			return nil, fmt.Errorf("a shift of %g standard deviations: want at least 1e-100", mu)
		case mu < 1e-100:
			ends[i] = Nothing()
		default:
			ends[i] = &Normal{Rest: 1 - q, Shifts: []Shift{{Mu: mu, Weight: q}}, Opposed: opposed}
		}
	}
	return &Bracketed{Above: ends[1], Below: ends[0]}, nil
}

// Table returns the pair of a table. Each column is divided by its sum.
func Table(rows [][2]float64) (Pair, error) {
	var p, q float64
	for _, row := range rows {
		p, q = p+row[0], q+row[1]
	}
	outputs := make([]Atom, len(rows))
	for i, row := range rows {
		outputs[i] = Atom{P: row[0] / p, Q: row[1] / q}
	}
	return NewFinite(outputs, 2*float64(len(rows))*unit)
}

// Allocated returns the pair of an epoch of random allocation. Its two orders are one pair apart from rounding. In an
// upper pair, probabilities near underflow count as infinite loss; in a lower pair they are omitted.
func Allocated(l AllocatedPair, above bool) (Pair, error) {
	const smallest = 1e-280
	var outputs []Atom
	size := 1.0
	for i := range l.Remove.LogP {
		size = math.Max(size, math.Max(math.Abs(l.Remove.LogP[i]), math.Abs(l.Remove.LogQ[i])))
		p, q := math.Min(1, math.Exp(l.Remove.LogP[i])), math.Min(1, math.Exp(l.Remove.LogQ[i]))
		switch {
		case p >= smallest && q >= smallest:
			outputs = append(outputs, Atom{P: p, Q: q})
		case above:
			outputs = append(outputs, Atom{P: p + smallest}, Atom{Q: q + smallest})
		}
	}
	if l.Remove.Infinite > 0 {
		outputs = append(outputs, Atom{P: l.Remove.Infinite})
	}
	if l.Add.Infinite > 0 {
		outputs = append(outputs, Atom{Q: l.Add.Infinite})
	}
	return NewFinite(outputs, math.Max(l.Remove.Rounding, l.Add.Rounding)+4*unit*size)
}
