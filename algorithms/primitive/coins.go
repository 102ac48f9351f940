package primitive

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// coins makes a call whose only input is a number of items, which does not depend on the data.
func (n *Noise) coins(kind Kind, items int, scale float64, released []float64, draw func(r *rand.Rand)) error {
	return n.Release(Call{Kind: kind, Value: []float64{float64(items)}, Scale: scale}, released,
		func(r *rand.Rand) error {
			draw(r)
			return nil
		})
}

// Poisson appends the indices of a Poisson sample of records 0..records-1 to dst: each index independently with
// probability rate in [0, 1].
func (n *Noise) Poisson(records int, rate float64, dst []int) ([]int, error) {
	if !(rate >= 0 && rate <= 1) {
		return dst, domain.Error("poisson", "rate", rate, "0..1")
	}
	if n.watch == nil {
		for i := range records {
			if n.r.Float64() < rate {
				dst = append(dst, i)
			}
		}
		return dst, nil
	}
	taken := make([]float64, records)
	err := n.coins(Poisson, records, rate, taken, func(r *rand.Rand) {
		for i := range taken {
			if r.Float64() < rate {
				taken[i] = 1
			}
		}
	})
	for i, t := range taken {
		if t == 1 {
			dst = append(dst, i)
		}
	}
	return dst, err
}

// Permute shuffles order uniformly in place.
func (n *Noise) Permute(order []int) error {
	shuffle := func(r *rand.Rand, s []int) { r.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] }) }
	if n.watch == nil {
		shuffle(n.r, order)
		return nil
	}
	from := make([]float64, len(order)) // the old index of each entry
	err := n.coins(Permutation, len(order), 0, from, func(r *rand.Rand) {
		indices := make([]int, len(order))
		for i := range indices {
			indices[i] = i
		}
		shuffle(r, indices)
		for i, p := range indices {
			from[i] = float64(p)
		}
	})
	if err != nil {
		return err
	}
	before := append([]int(nil), order...)
	for i, p := range from {
		order[i] = before[int(p)]
	}
	return nil
}

// Public calls draw, which writes numbers to dst whose distribution and count do not depend on the data: the start
// of an iteration, or a random projection.
func (n *Noise) Public(dst []float64, draw func(r *rand.Rand)) error {
	return n.coins(Public, len(dst), 0, dst, draw)
}

// Uniform returns a uniform number in [0, 1). Replay cannot check what a mechanism computes from raw uniform
// numbers; prefer a primitive if there is one.
func (n *Noise) Uniform() (float64, error) {
	u := []float64{0}
	err := n.coins(Uniform, 0, 0, u, func(r *rand.Rand) { u[0] = r.Float64() })
	return u[0], err
}

// Index returns a uniform integer in 0..below-1, below ≥ 1. As for Uniform, prefer a primitive.
func (n *Noise) Index(below int) (int, error) {
	if below < 1 {
		return 0, domain.Error("uniform", "below", below, ">= 1")
	}
	if n.watch == nil {
		return n.r.IntN(below), nil
	}
	u := []float64{0}
	err := n.coins(Uniform, below, 0, u, func(r *rand.Rand) { u[0] = float64(r.IntN(below)) })
	return int(u[0]), err
}
