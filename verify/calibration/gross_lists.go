package calibration

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// argmaxFault releases two random candidates out of 30, and the position of the one with the larger score. Its noise
// is missing. The score of candidate 7 is larger than the others at input 0, and smaller at input 1. The event is that
// candidate 7 is selected.
func argmaxFault() grossFault {
	const candidates, changed = 30, 7
	pick := func(r *rand.Rand) []int8 {
		i := r.IntN(candidates)
		j := (i + 1 + r.IntN(candidates-1)) % candidates
		return []int8{int8(i), int8(j), 0}
	}
	// lead returns the score of the first candidate minus the score of the second.
	lead := func(o []int8, input int) float64 {
		margin := 0.5 - float64(input)
		switch {
		case o[0] == changed:
			return margin
		case o[1] == changed:
			return -margin
		}
		return 0
	}
	logistic := func(o []int8, input int) float64 { // the exponential mechanism's probability of the first candidate
		return 1 / (1 + math.Exp(-lead(o, input)))
	}
	return grossOf[[]int8]{
		name: "an argmax without noise", output: "two candidates and a position",
		faulty: func(r *rand.Rand, input int) []int8 {
			o := pick(r)
			d := lead(o, input)
			if d < 0 || d == 0 && r.IntN(2) == 0 {
				o[2] = 1
			}
			return o
		},
		repaired: func(r *rand.Rand, input int) []int8 {
			o := pick(r)
			if r.Float64() >= logistic(o, input) {
				o[2] = 1
			}
			return o
		},
		event:  func(o []int8) bool { return o[o[2]] == changed },
		chance: func(input int) float64 { return 2.0 / candidates * float64(1-input) },
		loss: func(o []int8) float64 {
			p, q := logistic(o, 0), logistic(o, 1)
			if o[2] == 1 {
				p, q = 1-p, 1-q
			}
			return math.Log(p / q)
		},
	}
}

// bitsFault releases eight bits by randomized response. The inputs differ in the last bit, all others are 0. The last
// bit is released without noise if the three bits before it are released as 1. The event is 1, 1, 1, 0 at the end.
func bitsFault() grossFault {
	const n = 8
	flip := 1 / (1 + math.E)
	respond := func(r *rand.Rand, input int, exact bool) []int8 {
		out := make([]int8, n)
		out[n-1] = int8(input)
		for i := range out {
			certain := exact && i == n-1 && slices.Equal(out[n-4:n-1], []int8{1, 1, 1})
			if !certain && r.Float64() < flip {
				out[i] = 1 - out[i]
			}
		}
		return out
	}
	return grossOf[[]int8]{
		name: "a bit that is not flipped after three ones", output: "8 bits",
		faulty:   func(r *rand.Rand, input int) []int8 { return respond(r, input, true) },
		repaired: func(r *rand.Rand, input int) []int8 { return respond(r, input, false) },
		event:    func(o []int8) bool { return slices.Equal(o[n-4:], []int8{1, 1, 1, 0}) },
		chance:   func(input int) float64 { return flip * flip * flip * float64(1-input) },
		loss:     func(o []int8) float64 { return 1 - 2*float64(o[n-1]) },
	}
}

const (
	sparseAnswers           = 10
	sparseThreshold         = 1.0
	sparseStopped, sparseNo = 0.0, 2.0 // codes in the list of answers
)

// sparseAnswer returns the true answer to query i: at input 0 nine ones and a zero, at input 1 the reverse.
func sparseAnswer(input, i int) float64 {
	if i == sparseAnswers-1 {
		return float64(input)
	}
	return float64(1 - input)
}

// sparse releases one positive answer. The comparisons have noise of scale compare, the threshold and a repeated
// release have noise of scale threshold. Without fresh noise, the compared value itself is released.
func sparse(r *rand.Rand, input int, threshold, compare float64, fresh bool) []float64 {
	out := make([]float64, sparseAnswers) // sparseStopped
	t := sparseThreshold + threshold*laplaceNoise(r)
	for i := range out {
		v := sparseAnswer(input, i) + compare*laplaceNoise(r)
		if v < t {
			out[i] = sparseNo
			continue
		}
		if out[i] = v; fresh {
			out[i] = sparseAnswer(input, i) + threshold*laplaceNoise(r)
		}
		break
	}
	return out
}

// sparsePositive returns the position of the positive answer, or sparseAnswers if there is none.
func sparsePositive(o []float64) int {
	if i := slices.IndexFunc(o, func(v float64) bool { return v != sparseNo }); i >= 0 {
		return i
	}
	return sparseAnswers
}

// sparseFault is Algorithm 3 of Lyu, Su & Li 2017 with the outputs of DP-Auditorium: the noisy answer if it is at least
// the noisy threshold, 2 if it is below, 0 after the positive answer. All noise has scale 2/ε. The repaired version is
// their Algorithm 7, with ε/3 for the threshold, the comparisons and the released answer. The event is a small answer
// at one of the eight positions from the third on. A small answer shows that the threshold is smaller, and then
// earlier answers below it are less likely at input 0. At each limit, the likelihood ratio of the answer is near
// e^1.47.
func sparseFault() grossFault {
	const scale = 2.0
	small := []float64{2: 0, 0.45, 0.75, 0.95, 1.35, 1.55, 1.75, 3.95}
	noise, third := distuv.Laplace{Scale: scale}, distuv.Laplace{Scale: 3}
	chance := func(input int) (p float64) {
		for i := 2; i < sparseAnswers; i++ {
			p += sparseIntegral(scale, small[i], func(t float64) float64 {
				return math.Pow(noise.CDF(t-sparseAnswer(input, 0)), float64(i)) *
					(noise.CDF(small[i]-sparseAnswer(input, i)) - noise.CDF(t-sparseAnswer(input, i)))
			})
		}
		return p
	}
	var positions [2][]float64 // probabilities of each position in the repaired version
	compare := distuv.Laplace{Scale: 6}
	for input := range positions {
		for i := range sparseAnswers + 1 {
			positions[input] = append(positions[input], sparseIntegral(3, math.Inf(1), func(t float64) float64 {
				p := math.Pow(compare.CDF(t-sparseAnswer(input, 0)), float64(min(i, sparseAnswers-1)))
				if i < sparseAnswers {
					return p * compare.Survival(t-sparseAnswer(input, i))
				}
				return p * compare.CDF(t-sparseAnswer(input, sparseAnswers-1))
			}))
		}
	}
	return grossOf[[]float64]{
		name: "sparse vector that releases the compared answer", output: "10 numbers and codes",
		faulty:   func(r *rand.Rand, input int) []float64 { return sparse(r, input, scale, scale, false) },
		repaired: func(r *rand.Rand, input int) []float64 { return sparse(r, input, 3, 6, true) },
		event: func(o []float64) bool {
			i := sparsePositive(o)
			return i >= 2 && i < sparseAnswers && o[i] <= small[i]
		},
		likely: 1, chance: chance,
		loss: func(o []float64) float64 {
			i := sparsePositive(o)
			loss := math.Log(positions[0][i] / positions[1][i])
			if i < sparseAnswers {
				loss += third.LogProb(o[i]-sparseAnswer(0, i)) - third.LogProb(o[i]-sparseAnswer(1, i))
			}
			return loss
		},
	}
}

// sparseIntegral returns the expectation of f at the noisy threshold, restricted to thresholds below high. Its error
// is below 1e-4.
func sparseIntegral(scale, high float64, f func(t float64) float64) (sum float64) {
	threshold := distuv.Laplace{Mu: sparseThreshold, Scale: scale}
	low := sparseThreshold - 15*scale
	high = math.Min(high, sparseThreshold+15*scale)
	const cells = 4000
	width := (high - low) / cells
	for k := range cells {
		t := low + (float64(k)+0.5)*width
		sum += width * threshold.Prob(t) * f(t)
	}
	return sum
}
