package diagnosis

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// moves are by how much each number of the outputs moves, of noise of one law and one scale under both inputs,
// independent from number to number.
type moves struct {
	law     noiseDistribution
	numbers []move // those that move
}

// move of a number, and the scale of its noise, with their standard errors.
type move struct {
	by, scale           float64
	byError, scaleError float64
}

// standard errors that an estimate may be off where nothing is.
var normalQuantile = distuv.UnitNormal.Quantile(1 - CauseLevel/2)

// moves of the outputs, where the part that bears out has the law that was fitted to the other one, and no other law
// would do. The outputs must differ in nothing else.
func (o *outputs) moves() *moves {
	if !o.same {
		return nil
	}
	var fitting *moves
	for _, l := range noiseDistributions {
		m, fits := o.movesBy(l)
		switch {
		case !fits:
		case fitting != nil:
			return nil // either would do
		default:
			fitting = m
		}
	}
	return fitting
}

// movesBy are those by a law; not ok where it does not fit.
func (o *outputs) movesBy(l noiseDistribution) (*moves, bool) {
	m := &moves{law: l}
	var moving []int
	for k := range o.columns {
		var fixed, constants bool
		constants = true
		for part := range 2 {
			for input := range 2 {
				values := o.values[part][input][k]
				constants = constants && constant(values)
				fixed = fixed || constants && floatBits(values[0]) != floatBits(o.values[0][0][k][0])
			}
		}
		switch {
		case fixed:
			return nil, false
		case constants:
			continue
		}
		one, ok := o.moveOf(k, l)
		if !ok {
			return nil, false
		}
		if math.Abs(one.by) > normalQuantile*one.byError {
			m.numbers, moving = append(m.numbers, one), append(moving, k)
		}
	}
	if len(moving) == 0 || !o.independent(moving) {
		return nil, false
	}
	return m, true
}

// moveOf a column.
func (o *outputs) moveOf(k int, l noiseDistribution) (out move, ok bool) {
	n := min(o.rows(1, 0), o.rows(1, 1))
	limit := farthest(min(n, o.rows(0, 0), o.rows(0, 1)))
	var location, scale [2]float64
	for input := range 2 {
		var sorted [2][]float64
		for part := range 2 {
			values := o.values[part][input][k]
			if !allFinite(values) || allWhole(values) != l.whole {
				return out, false
			}
			sorted[part] = o.ascending(part, input, k)
		}
		if !l.whole && repeats(sorted[1]) {
			return out, false
		}
		at, fitted := l.fit(sorted[0])
		if !(fitted > 0) || l.distance(sorted[1], at, fitted) > limit {
			return out, false
		}
		location[input], scale[input] = l.fit(sorted[1])
	}
	out.by, out.scale = location[1]-location[0], (scale[0]+scale[1])/2
	byError, scaleError := l.errors(out.scale)
	root := math.Sqrt(float64(n))
	out.byError, out.scaleError = math.Sqrt2*out.scale*byError/root, out.scale*scaleError/math.Sqrt2/root
	// One scale under both inputs.
	return out, math.Abs(scale[1]-scale[0]) <= 2*normalQuantile*out.scaleError
}

// independent reports whether the noise of some columns is, two by two, as far as its signs tell, and whether it is
// large.
func (o *outputs) independent(columns []int) bool {
	for input := range 2 {
		n := o.rows(1, input)
		signs, sizes := make([][]float64, len(columns)), make([][]float64, len(columns))
		for i, k := range columns {
			values := slices.Clone(o.values[1][input][k])
			middle := o.ascending(1, input, k)[n/2]
			signs[i] = about(middle, values)
			for row := range values {
				values[row] = math.Abs(values[row] - middle)
			}
			sizes[i] = about(slices.Sorted(slices.Values(values))[n/2], values)
		}
		for i := range columns {
			for j := range i {
				if agree(signs[i], signs[j]) || agree(sizes[i], sizes[j]) {
					return false
				}
			}
		}
	}
	return true
}

// about tells on which side of the middle each value is.
func about(middle float64, values []float64) []float64 {
	out := make([]float64, len(values))
	for row, v := range values {
		switch {
		case v > middle:
			out[row] = 1
		case v < middle:
			out[row] = -1
		}
	}
	return out
}

// agree reports whether two columns of signs agree, or disagree, more often than by chance.
func agree(u, v []float64) bool {
	sum, mean, other := 0.0, 0.0, 0.0
	for row := range u {
		sum, mean, other = sum+u[row]*v[row], mean+u[row], other+v[row]
	}
	n := float64(len(u))
	return math.Abs(sum-mean*other/n) > (normalQuantile+1)*math.Sqrt(n)
}

// estimate is a figure with its standard error.
type estimate struct{ at, error float64 }

// limits between which it is, but with error probability CauseLevel.
func (e estimate) limits() (low, high float64) {
	return e.at - normalQuantile*e.error, e.at + normalQuantile*e.error
}

// has reports whether the estimate is a figure, and near enough to it that no other simple factor would do.
func (e estimate) has(figure float64) bool {
	low, high := e.limits()
	return low <= figure && figure <= high && low >= (1-nearEnough)*figure && high <= (1+nearEnough)*figure
}

// nearEnough to a factor, as a share of it: 2 is told from 7/4 and 9/4.
const nearEnough = 0.125

// total is the distance of the outputs in scales of their noise.
func (m *moves) total() estimate {
	return m.together(func(n move) estimate {
		at := math.Abs(n.by) / n.scale
		return estimate{at, math.Hypot(n.byError/n.scale, at*n.scaleError/n.scale)}
	})
}

// length of the move of the outputs.
func (m *moves) length() estimate {
	return m.together(func(n move) estimate { return estimate{math.Abs(n.by), n.byError} })
}

// together adds up figures of all numbers that move: as they are, or of normal noise as squares.
func (m *moves) together(of func(move) estimate) (out estimate) {
	if !m.law.normal {
		for _, n := range m.numbers {
			e := of(n)
			out = estimate{out.at + e.at, math.Hypot(out.error, e.error)}
		}
		return out
	}
	for _, n := range m.numbers {
		e := of(n)
		out = estimate{math.Hypot(out.at, e.at), math.Hypot(out.error, e.at*e.error)}
	}
	out.error /= out.at
	return out
}
