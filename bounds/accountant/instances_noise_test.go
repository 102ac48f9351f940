package accountant

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// sampled returns the mechanism on a Poisson sample. If a record is replaced, the output reveals who was sampled, and
// nothing if the record was not sampled.
func (in instance) sampled(q float64) (instance, bool) {
	switch k := in.event.Kind; {
	case k == event.KindRepeat || k == event.KindAllocation && in.event.B > 1:
		return in, false
	case k == event.KindThreshold && in.adjacency == event.ReplaceOne: // two partitions, both sampled
		return in, false
	}
	var o outcomes
	for _, row := range in.outputs {
		if in.adjacency == event.ReplaceOne {
			o = append(o, [2]float64{q * row[0], q * row[1]})
		} else {
			o = append(o, [2]float64{(1-q)*row[1] + q*row[0], row[1]})
		}
	}
	if in.adjacency == event.ReplaceOne {
		o = append(o, [2]float64{1 - q, 1 - q})
	}
	return instance{"sampled: " + in.what, event.Poisson(q, in.event), in.adjacency, o, false}, true
}

// noiseInstance returns bounded or integer noise on a sum over a Poisson sample.
func noiseInstance(r *rand.Rand, adjacency event.Adjacency) instance {
	scale, q, move := math.Exp(1.5*r.Float64()), 1.0, 1.0
	if r.IntN(3) > 0 {
		q = r.Float64()
	}
	other, weight := 0.0, 1-q // Q: all at 0, or moved by the replacement
	if adjacency == event.ReplaceOne {
		other = []float64{-1, 0, 2*r.Float64() - 1}[r.IntN(3)]
	}
	worst := other == 0 && adjacency == event.AddRemove || other == -1 && q == 1
	var e event.Event
	var o outcomes
	switch r.IntN(3) {
	case 0:
		other = math.Round(other)
		e = event.DiscreteGaussian(scale)
		mass := func(k float64) float64 { return math.Exp(-k * k / (2 * scale * scale)) }
		total := 0.0
		for k := -200.0; k <= 200; k++ {
			total += mass(k)
		}
		for k := -150.0; k <= 150; k++ {
			o = append(o, [2]float64{(q*mass(k-move) + weight*mass(k)) / total, (q*mass(k-other) + weight*mass(k)) / total})
		}
	case 1:
		bound := 0.3 + 5*r.Float64()
		e = event.TruncatedLaplace(scale, bound)
		// The edges of these narrow cells, in which losses are constant, are not the edges of the noise.
		cdf := func(x float64) float64 {
			x = math.Max(-bound, math.Min(bound, x))
			if x > 0 {
				return 0.5 + math.Expm1(-x/scale)/math.Expm1(-bound/scale)/2
			}
			return 0.5 - math.Expm1(x/scale)/math.Expm1(-bound/scale)/2
		}
		h := bound / 512
		o = noiseCells(cdf, []float64{0, move}, []float64{0, other}, []float64{weight, q}, []float64{weight, q}, -bound-1-h, bound+1+h, h)
		worst = false
	default:
		bound := 0.3 + 5*r.Float64()
		e = event.Uniform(bound)
		cdf := func(x float64) float64 { return math.Max(0, math.Min(1, (x+bound)/(2*bound))) }
		h := bound / 512
		o = noiseCells(cdf, []float64{0, move}, []float64{0, other}, []float64{weight, q}, []float64{weight, q}, -bound-1-h, bound+1+h, h)
		worst = false
	}
	if q < 1 {
		e = event.Poisson(q, e)
	}
	return instance{fmt.Sprint(q, " to ", other), e, adjacency, o, worst}
}

// mixtureInstance returns a group that contributes at random, in one direction, or against another group.
func mixtureInstance(r *rand.Rand, adjacency event.Adjacency) instance {
	sigma, n := math.Exp(1.5*r.Float64()-0.5), 1+r.IntN(4)
	shifts, weights, back, sum := make([]float64, n), make([]float64, n), make([]float64, n), 0.0
	for i := range n {
		shifts[i], weights[i] = float64(r.IntN(3)), r.Float64()
		if r.IntN(2) == 0 {
			shifts[i] = 2 * r.Float64()
		}
		sum += weights[i]
		if adjacency == event.ReplaceOne {
			back[i] = -shifts[i]
		}
	}
	for i := range n {
		weights[i] /= sum
	}
	e := event.GaussianMixture(sigma, shifts, weights)
	w := weights
	if q := r.Float64(); r.IntN(2) == 0 {
		e, shifts, back = event.Poisson(q, e), append([]float64{0}, shifts...), append([]float64{0}, back...)
		w = []float64{1 - q}
		for _, x := range weights {
			w = append(w, q*x)
		}
	}
	cdf := func(x float64) float64 { return normalCDF(x / sigma) }
	return instance{fmt.Sprint(shifts, w), e, adjacency, noiseCells(cdf, shifts, back, w, w, -12*sigma-3, 12*sigma+3, sigma/64), false}
}

// movedInstance returns a record that leaves a partition and joins another, on a Poisson sample.
func movedInstance(r *rand.Rand) instance {
	scale, over, q := math.Exp(r.Float64()), 1+4*r.Float64(), r.Float64()
	if r.IntN(2) == 0 {
		q = 1
	}
	cdf, e := func(x float64) float64 { return laplaceCDF(x / scale) }, event.Laplace(scale)
	if r.IntN(2) == 0 {
		cdf, e = func(x float64) float64 { return normalCDF(x / scale) }, event.Gaussian(scale)
	}
	partition := func(others float64, joins [2]float64) outcomes { // joins: probabilities that the record is in the partition
		law := noiseCells(cdf, []float64{others, others + 1}, []float64{others, others + 1}, []float64{1 - joins[0], joins[0]},
			[]float64{1 - joins[1], joins[1]}, over, over+10*scale, scale/4)
		if others == 0 { // without the record, the partition does not exist
			law = noiseCells(cdf, []float64{1}, []float64{1}, joins[:1], joins[1:], over, over+10*scale, scale/4)
			law[0][0] += 1 - joins[0]
			law[0][1] += 1 - joins[1]
		}
		return law
	}
	left, joined := float64(r.IntN(3)), float64(r.IntN(3))
	var o outcomes
	for _, a := range partition(left, [2]float64{q, 0}) {
		for _, b := range partition(joined, [2]float64{0, q}) {
			o = append(o, [2]float64{a[0] * b[0], a[1] * b[1]})
		}
	}
	moved := event.Threshold(over, e)
	if q < 1 {
		moved = event.Poisson(q, moved)
	}
	return instance{fmt.Sprint("partitions of ", left, joined), moved, event.ReplaceOne, o, false}
}
