package outputs

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

const (
	// maxSuspects is the maximum number of distances that are tested.
	maxSuspects = 16
	// longestPart is the number of outputs compared with each other at all distances. A longer recording is compared
	// in parts at its start, middle and end.
	longestPart = 1 << 15
)

// suspects returns the distances at which the most outputs seem to be equal, the smallest first. It always includes
// distance 1.
//
// Each value that occurs at least twice gets a pseudorandom weight, and each other value gets 0. The correlation of the
// weights at a distance is large if many outputs are equal at that distance. Fourier transforms compute it for all
// distances.
func suspects(prints []uint64, f frequencies) []int {
	weights, n := weigh(f), len(prints)
	part := min(n, longestPart)
	fft := fourier.NewFFT(2 * part)
	padded, product := make([]float64, 2*part), make([]complex128, part+1)
	transform := func(dst []complex128, part []uint64) []complex128 {
		clear(padded)
		for i, p := range part {
			padded[i] = weights[p] // 0 for a value that occurs once
		}
		return fft.Coefficients(dst, padded)
	}
	starts := slices.Compact([]int{0, (n - part) / 2, n - part})
	parts := make([][]complex128, len(starts))
	for i, at := range starts {
		parts[i] = transform(nil, prints[at:at+part])
	}
	best := highest{score: map[int]float64{}}
	var block []complex128
	for from := 0; from < n; from += part {
		block = transform(block, prints[from:min(n, from+2*part)])
		for i, at := range starts {
			for k, c := range parts[i] {
				product[k] = block[k] * complex(real(c), -imag(c))
			}
			for k, score := range fft.Sequence(padded, product)[:min(part, n-from)] {
				lag := max(from+k-at, at-from-k)
				best.add(lag, score*(1-1e-3*float64(lag)/float64(n))) // at equal scores, the smaller distance
			}
		}
	}
	lags := append(best.lags, 1)
	slices.Sort(lags)
	return slices.Compact(lags)
}

// weigh returns weights of the values that occur at least twice, computed from the hashes of the values. Their mean
// over the outputs is 0.
func weigh(f frequencies) map[uint64]float64 {
	weights, sum, n := make(map[uint64]float64, len(f.counts)), 0.0, 0
	for _, c := range f.counts {
		p := (c.print ^ c.print>>32) * 0x9e3779b97f4a7c15
		p = (p ^ p>>29) * 0xbf58476d1ce4e5b9
		weights[c.print] = float64(p>>11) / (1 << 53)
		sum += weights[c.print] * float64(c.n)
		n += c.n
	}
	for print := range weights {
		weights[print] -= sum / float64(n)
	}
	return weights
}

// highest holds the distances with the highest scores.
type highest struct {
	lags  []int // the highest score first
	score map[int]float64
}

// add adds a distance, and removes the distance with the lowest score if there are more than maxSuspects.
func (h *highest) add(lag int, score float64) {
	if lag == 0 || len(h.lags) == maxSuspects && score <= h.score[h.lags[maxSuspects-1]] {
		return
	}
	if old, has := h.score[lag]; has {
		h.score[lag] = max(old, score)
	} else {
		h.lags, h.score[lag] = append(h.lags, lag), score
	}
	slices.SortFunc(h.lags, func(a, b int) int { return cmp.Or(cmp.Compare(h.score[b], h.score[a]), a-b) })
	if len(h.lags) > maxSuspects {
		delete(h.score, h.lags[maxSuspects])
		h.lags = h.lags[:maxSuspects]
	}
}
