package trial

import (
	"math"
	"math/rand/v2"
)

// partition releases the noisy counts of two partitions that are above a threshold. It never releases an empty
// partition. The record is in the first partition, its replacement in the second one. Each partition has the same
// number of other members. Each member contributes as much as the record, and is in the sample with probability q.
type partition struct {
	noise
	threshold float64
	below     func(z float64) float64 // P(noise ≤ z)
	members   int
	q         float64
	chances   []float64 // probability that n of the members are in the sample
}

// newPartition computes the distribution of the number of sampled members. It omits probabilities below 1e-9.
func newPartition(n noise, threshold float64, below func(float64) float64, members int, q float64) partition {
	p := partition{noise: n, threshold: threshold, below: below, members: members, q: q,
		chances: make([]float64, members+1)}
	for n := range p.chances {
		if c := binomial(members, n, q); c > 1e-9 {
			p.chances[n] = c
		}
	}
	return p
}

func (p partition) draw(r *rand.Rand, s state, out []float64) []float64 {
	for _, own := range [2]bool{s == present, s == other} {
		n := p.members // the sampled members are drawn by inversion
		if p.q < 1 {
			u := r.Float64()
			for n = 0; n < p.members && u >= p.chances[n]; n++ {
				u -= p.chances[n]
			}
		}
		if own {
			n++
		}
		v := float64(n)*p.sensitivity + p.sample(r)
		if n == 0 || v <= p.threshold {
			v = math.Inf(-1)
		}
		out = append(out, v)
	}
	return out
}

func (p partition) logDensity(s state, out []float64) (total float64, rest []float64) {
	for i, own := range [2]bool{s == present, s == other} {
		var m mixture
		for n, chance := range p.chances {
			if chance == 0 {
				continue
			}
			if own {
				n++
			}
			m.add(chance, p.one(n, out[i]))
		}
		total += m.log()
	}
	return total, out[2:]
}

// one returns the log density of the output of a partition with n records.
func (p partition) one(n int, v float64) float64 {
	switch unseen := math.IsInf(v, -1); {
	case n == 0 && unseen:
		return 0
	case n == 0:
		return math.Inf(-1)
	case unseen:
		return math.Log(p.below(p.threshold - float64(n)*p.sensitivity))
	}
	return p.log(v - float64(n)*p.sensitivity)
}
