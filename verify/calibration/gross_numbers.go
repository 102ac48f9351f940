package calibration

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/internal/rng"
)

// shift returns the privacy loss at output o of Laplace noise of scale 1 if the true value is 0 at input 0 and by at
// input 1.
func shift(o, by float64) float64 { return math.Abs(o-by) - math.Abs(o) }

// branchFault releases the number 0 or 1 with noise. Instead of clamping values outside [-3, 4], it releases the number
// without noise. The event is the number 0 itself.
func branchFault() grossFault {
	const low, high = -3, 4
	noisy := func(r *rand.Rand, input int) float64 { return float64(input) + laplaceNoise(r) }
	return grossOf[float64]{
		name: "noise missing on the branch for values out of range", output: "number",
		faulty: func(r *rand.Rand, input int) float64 {
			if v := noisy(r, input); v >= low && v <= high {
				return v
			}
			return float64(input)
		},
		repaired: func(r *rand.Rand, input int) float64 { return math.Max(low, math.Min(high, noisy(r, input))) },
		event:    func(o float64) bool { return o == 0 },
		chance:   func(input int) float64 { return float64(1-input) * (math.Exp(low) + math.Exp(-high)) / 2 },
		loss:     func(o float64) float64 { return shift(o, 1) },
	}
}

// coordinateFault releases ten noisy numbers, each 0.1 larger at input 1 than at input 0. In 5 % of the runs one
// random coordinate has no noise. The event is that a coordinate equals its number at input 0.
func coordinateFault() grossFault {
	const n, step = 10, 0.1
	noisy := func(r *rand.Rand, input int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(i) + step*float64(input) + laplaceNoise(r)
		}
		return out
	}
	return grossOf[[]float64]{
		name: "noise missing on a random coordinate in 5 % of the runs", output: "10 numbers",
		faulty: func(r *rand.Rand, input int) []float64 {
			out := noisy(r, input)
			if r.IntN(20) == 0 {
				i := r.IntN(n)
				out[i] = float64(i) + step*float64(input)
			}
			return out
		},
		repaired: noisy,
		event: func(o []float64) bool {
			for i, v := range o {
				if v == float64(i) {
					return true
				}
			}
			return false
		},
		chance: func(input int) float64 { return 0.05 * float64(1-input) },
		loss: func(o []float64) (loss float64) {
			for i, v := range o {
				loss += shift(v-float64(i), step)
			}
			return loss
		},
	}
}

// reusedFault releases eight numbers, all 0 at input 0. At input 1 the third is 0.5 and the seventh is -0.5. In 10 % of
// the runs these two have the same noise. The event is that they are equal.
func reusedFault() grossFault {
	const n, i, j, half = 8, 2, 6, 0.5
	noisy := func(r *rand.Rand, input int) []float64 {
		out := make([]float64, n)
		for k := range out {
			out[k] = laplaceNoise(r)
		}
		out[i] += half * float64(input)
		out[j] -= half * float64(input)
		return out
	}
	return grossOf[[]float64]{
		name: "two coordinates with the same noise in 10 % of the runs", output: "8 numbers",
		faulty: func(r *rand.Rand, input int) []float64 {
			out := noisy(r, input)
			if r.IntN(10) == 0 {
				out[j] = out[i] - 2*half*float64(input)
			}
			return out
		},
		repaired: noisy,
		event:    func(o []float64) bool { return o[i] == o[j] },
		chance:   func(input int) float64 { return 0.1 * float64(1-input) },
		loss:     func(o []float64) float64 { return shift(o[i], half) + shift(o[j], -half) },
	}
}

// unclampedFault releases the noisy sums of one to eight batches. Other records contribute 3 to each sum. At input 1 a
// record of 40 is in a random batch. It is clamped to 1, except in the last of eight batches. The event is a large
// eighth sum.
func unclampedFault() grossFault {
	const most, others, record, large = 8, 3.0, 40.0, 20.0
	sums := func(r *rand.Rand, input int, unclamped bool) []float64 {
		out := make([]float64, 1+r.IntN(most))
		own := r.IntN(len(out))
		for i := range out {
			out[i] = others + laplaceNoise(r)
			switch {
			case input == 0 || i != own:
			case unclamped && i == most-1:
				out[i] += record
			default:
				out[i]++
			}
		}
		return out
	}
	return grossOf[[]float64]{
		name: "a record that is not clamped in the last of eight batches", output: "1 to 8 numbers",
		faulty:   func(r *rand.Rand, input int) []float64 { return sums(r, input, true) },
		repaired: func(r *rand.Rand, input int) []float64 { return sums(r, input, false) },
		event:    func(o []float64) bool { return len(o) == most && o[most-1] > large },
		likely:   1,
		chance: func(input int) float64 {
			small := math.Exp(others-large) / 2
			if input == 0 {
				return small / most
			}
			return (small*(most-1)/most + (1-math.Exp(large-others-record)/2)/most) / most
		},
		loss: func(o []float64) float64 { // the record's batch is uniform
			ratio := 0.0
			for _, v := range o {
				ratio += math.Exp(-shift(v-others, 1)) / float64(len(o))
			}
			return -math.Log(ratio)
		},
	}
}

// exactZeroFault releases the number of a random group out of 20, and its count with discrete Laplace noise. It
// releases a count of 0 without noise. The group 13 has no record at input 0 and one at input 1. All others have three.
// The event is a count of 0 in group 13.
func exactZeroFault() grossFault {
	const groups, changed, others = 20, 13, 3
	counted := func(r *rand.Rand, input int, exact bool) []int {
		group, count := r.IntN(groups), others
		if group == changed {
			count = input
		}
		if count != 0 || !exact {
			noise, minus := int(rng.Exponential(r)), int(rng.Exponential(r))
			count += noise - minus
		}
		return []int{group, count}
	}
	return grossOf[[]int]{
		name: "a count that is exact at 0", output: "a group and its count",
		faulty:   func(r *rand.Rand, input int) []int { return counted(r, input, true) },
		repaired: func(r *rand.Rand, input int) []int { return counted(r, input, false) },
		event:    func(o []int) bool { return slices.Equal(o, []int{changed, 0}) },
		chance: func(input int) float64 {
			if input == 0 {
				return 1.0 / groups
			}
			return math.Tanh(0.5) * math.Exp(-1) / groups // P(noise = k) = tanh(1/2) e^{-|k|}
		},
		loss: func(o []int) float64 {
			if o[0] != changed {
				return 0
			}
			return shift(float64(o[1]), 1)
		},
	}
}
