package pld

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Nothing is the pair of what tells nothing.
func Nothing() Pair {
	n, err := NewFinite([]Atom{{P: 1, Q: 1}}, 0)
	if err != nil {
		panic(err) // one output is one
	}
	return n
}

// Mixture is the pair of a mixture of Gaussians of deviation sigma, without what does not move the sum: a record or
// group contributes a shift, the first number of a row, times the sensitivity, with the probability that is the
// second. Opposed, another in its place contributes as much the other way.
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
	if most := n.Shifts[len(n.Shifts)-1].Mu; !(most <= 1e8 && n.Shifts[0].Mu >= 1e-100) {
		return nil, fmt.Errorf("shifts of %g to %g standard deviations: want 1e-100 to 1e8", n.Shifts[0].Mu, most)
	}
	return &n, nil
}

// Shifted is the pair of a Gaussian that is moved by something between two numbers of standard deviations, each
// rounded in two operations, on a Poisson sample at rate q. Opposed, another moves it as much the other way.
func Shifted(least, most, q float64, opposed bool) (Pair, error) {
	ends := [2]Pair{}
	for i, mu := range [2]float64{least, most} {
		toward := float64(i) * math.MaxFloat64
		mu = math.Nextafter(math.Nextafter(mu, toward), toward)
		switch {
		case !(mu <= 1e8):
			return nil, fmt.Errorf("a shift of %g standard deviations: at most 1e8 is accounted", mu)
		case mu < 1e-100 && i == 1:
			return nil, fmt.Errorf("a shift of %g standard deviations: at least 1e-100 is accounted", mu)
		case mu < 1e-100:
			ends[i] = Nothing()
		default:
			ends[i] = &Normal{Rest: 1 - q, Shifts: []Shift{{Mu: mu, Weight: q}}, Opposed: opposed}
		}
	}
	return &Bracketed{Above: ends[1], Below: ends[0]}, nil
}

// Table is the pair of a table, each column divided by its sum.
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

// Allocated is the pair of the laws of both orders, which are those of one pair but for rounding. Masses next to
// underflow are of infinite loss above, and nothing below.
func Allocated(l AllocatedPair, above bool) (Pair, error) {
	const least = 1e-280
	var outputs []Atom
	size := 1.0
	for i := range l.Remove.LogP {
		size = math.Max(size, math.Max(math.Abs(l.Remove.LogP[i]), math.Abs(l.Remove.LogQ[i])))
		p, q := math.Min(1, math.Exp(l.Remove.LogP[i])), math.Min(1, math.Exp(l.Remove.LogQ[i]))
		switch {
		case p >= least && q >= least:
			outputs = append(outputs, Atom{P: p, Q: q})
		case above:
			outputs = append(outputs, Atom{P: p + least}, Atom{Q: q + least})
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
