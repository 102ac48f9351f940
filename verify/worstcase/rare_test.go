package worstcase_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/verify/inputs"
)

// laplace draws Laplace noise of a scale.
func laplace(r *rand.Rand, scale float64) float64 { return scale * (r.ExpFloat64() - r.ExpFloat64()) }

type release func(r *rand.Rand, input any) (any, error)

func (f release) Release(r *rand.Rand, input any) (any, error) { return f(r, input) }

// numbersOf returns the numbers of a list.
func numbersOf(input any) (out []float64) {
	for _, v := range input.([]any) {
		switch v := v.(type) {
		case int64:
			out = append(out, float64(v))
		case float64:
			out = append(out, v)
		default:
			out = append(out, math.NaN())
		}
	}
	return out
}

func sum(xs []float64) (s float64) {
	for _, x := range xs {
		s += x
	}
	return s
}

// hundreds is the space of lists of up to 30 integers from 0 to 100.
var hundreds = inputs.Space{Values: inputs.List(inputs.Int(0, 100), 0, 30), Neighbors: inputs.AddOrRemoveOne()}

// noisySum releases the sum of numbers up to 100, divided by 100. It is 1-DP with noise of scale 1.
func noisySum(scale func(x []float64) float64) release {
	return func(r *rand.Rand, input any) (any, error) {
		x := numbersOf(input)
		return sum(x)/100 + laplace(r, scale(x)), nil
	}
}

// without returns a noisySum that adds no noise if a condition holds.
func without(condition func(x []float64) bool) release {
	return noisySum(func(x []float64) float64 {
		if condition(x) {
			return 0
		}
		return 1
	})
}

var classes = []any{"a", "b", "c", "d", "e", "other"}

// count releases the noisy count of the last class. If unknown is true, a count of 0 has no noise.
func count(unknown bool) release {
	return func(r *rand.Rand, input any) (any, error) {
		n := 0.0
		for _, v := range input.([]any) {
			if v == classes[len(classes)-1] {
				n++
			}
		}
		if n > 0 || !unknown {
			n += laplace(r, 1)
		}
		return n, nil
	}
}

// total releases the noisy sum of a vector, whose ℓ1-sensitivity is 1. If saturated is true, there is no noise if the
// first number is at its bound.
func total(saturated bool) release {
	return func(r *rand.Rand, input any) (any, error) {
		x := numbersOf(input)
		if saturated && x[0] >= 100 {
			return sum(x), nil
		}
		return sum(x) + laplace(r, 1), nil
	}
}

// boundedSum clamps to [lower, lower + 1]. Its noise is for the width of this interval, or, if right is true, for the
// sensitivity.
func boundedSum(right bool) release {
	return func(r *rand.Rand, input any) (any, error) {
		m := input.(map[string]any)
		lower, s := m["lower"].(float64), 0.0
		for _, x := range numbersOf(m["records"]) {
			s += math.Min(math.Max(x, lower), lower+1)
		}
		scale := 1.0
		if right {
			scale = math.Max(math.Abs(lower), math.Abs(lower+1))
		}
		return s + laplace(r, scale), nil
	}
}

func rising(x []float64) bool {
	for i := 1; i < len(x); i++ {
		if !(x[i] > x[i-1]) {
			return false
		}
	}
	return len(x) > 2
}

// rareCase is a mechanism that claims ε = 1. Few pairs violate the claim, or none.
type rareCase struct {
	name, fault string
	space       inputs.Space
	mechanism   release
	right       bool // a negative control
}

// rare lists all mechanisms of the table.
var rare = slices.Concat(held, tuning, edges, controls, sums)

// edges lists mechanisms that violate the claim at the edges of their space. Only "steps" violates it elsewhere.
var edges = []rareCase{
	{name: "empty data", fault: "no noise where there is no record", space: hundreds,
		mechanism: without(func(x []float64) bool { return len(x) == 0 })},
	{name: "absent class", fault: "no noise on the count of the last class while it is absent",
		space:     inputs.Space{Values: inputs.List(inputs.Enum(classes...), 0, 30), Neighbors: inputs.AddOrRemoveOne()},
		mechanism: count(true)},
	{name: "bound far from 0", fault: "the width of the bounds is taken for the sensitivity of a sum",
		space: inputs.Space{Values: inputs.Object(map[string]inputs.Type{
			"records": inputs.List(inputs.Float(-100, 100), 0, 30), "lower": inputs.Float(-50, 50)}),
			Neighbors: inputs.AddOrRemoveOne()},
		mechanism: boundedSum(false)},
	{name: "all duplicates", fault: "no noise where more than 20 records are all equal", space: hundreds,
		mechanism: without(func(x []float64) bool { return len(x) > 20 && slices.Min(x) == slices.Max(x) })},
	{name: "far outlier", fault: "a record that is 50 times the median of 11 others or more is not clamped",
		space: inputs.Space{Values: inputs.List(inputs.Int(0, 10_000), 0, 30), Neighbors: inputs.AddOrRemoveOne()},
		mechanism: func(r *rand.Rand, input any) (any, error) {
			x := slices.Sorted(slices.Values(numbersOf(input)))
			s := 0.0
			for _, v := range x {
				if len(x) < 12 || v <= 50*x[len(x)/2] || x[len(x)/2] == 0 {
					v = math.Min(v, 100)
				}
				s += v / 100
			}
			return s + laplace(r, 1), nil
		}},
	{name: "sorted", fault: "no noise where three records or more rise strictly", space: hundreds, mechanism: without(rising)},
	{name: "reversed", fault: "no noise where three records or more fall strictly", space: hundreds,
		mechanism: without(func(x []float64) bool {
			x = slices.Clone(x)
			slices.Reverse(x)
			return rising(x)
		})},
	{name: "steps", fault: "the nearer the first three records are to 37, the less noise", space: hundreds,
		mechanism: noisySum(func(x []float64) float64 {
			near := 0.0
			for _, v := range x[:min(3, len(x))] {
				near += math.Max(0, 1-math.Abs(v-37)/25)
			}
			return 1 / (0.4 + 0.4*near)
		})},
	{name: "record count", fault: "no noise at 17 records", space: hundreds,
		mechanism: without(func(x []float64) bool { return len(x) == 17 })},
	{name: "NaN", fault: "a record that is NaN is not clamped",
		space:     inputs.Space{Values: inputs.List(inputs.FloatOrNaN(0, 100), 0, 30), Neighbors: inputs.AddOrRemoveOne()},
		mechanism: noisySum(func([]float64) float64 { return 1 })},
	{name: "saturated vector", fault: "no noise where the first number is at its bound",
		space:     inputs.Space{Values: inputs.Vector(inputs.Float(0, 100), 3), Neighbors: inputs.Change(inputs.L1, 1)},
		mechanism: total(true)},
}

// sums lists negative controls for edges.
var sums = []rareCase{
	{name: "sum", right: true, space: hundreds, mechanism: noisySum(func([]float64) float64 { return 1 })},
	{name: "count", right: true,
		space:     inputs.Space{Values: inputs.List(inputs.Enum(classes...), 0, 30), Neighbors: inputs.AddOrRemoveOne()},
		mechanism: count(false)},
	{name: "bounded sum", right: true,
		space: inputs.Space{Values: inputs.Object(map[string]inputs.Type{
			"records": inputs.List(inputs.Float(-100, 100), 0, 30), "lower": inputs.Float(-50, 50)}),
			Neighbors: inputs.AddOrRemoveOne()},
		mechanism: boundedSum(true)},
	{name: "replaced sum", right: true,
		space:     inputs.Space{Values: inputs.List(inputs.Int(0, 100), 0, 30), Neighbors: inputs.ReplaceOne()},
		mechanism: noisySum(func([]float64) float64 { return 1 })},
	{name: "vector", right: true,
		space:     inputs.Space{Values: inputs.Vector(inputs.Float(0, 100), 3), Neighbors: inputs.Change(inputs.L1, 1)},
		mechanism: total(false)},
}
