package replay

import (
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
)

// coupling says which records of A and B have the same coins: all but the record at drop of A and that
// at insert of B, in their order; −1 is none. A record that stands in the place of another has its coin. One
// that is new is in the sample: of what can be, that is what a replay can learn from.
type coupling struct{ drop, insert int }

// mostCouplings are tried before a pair is left open.
const mostCouplings = 128

// couplings of a records with b records; none where there are too many, or none is known. The first is the nearest
// to the identity.
func couplings(a, b int) (all []coupling) {
	switch {
	case a == b && 1+a*(a-1) <= mostCouplings:
		all = append(all, coupling{-1, -1})
		for i := range a {
			for j := range a {
				if i != j {
					all = append(all, coupling{i, j})
				}
			}
		}
	case a == b+1 && a <= mostCouplings:
		for i := range a {
			all = append(all, coupling{i, -1})
		}
	case b == a+1 && b <= mostCouplings:
		for j := range b {
			all = append(all, coupling{-1, j})
		}
	}
	return all
}

// of is what the calls of A release in B.
func (c coupling) of(calls []Call) []Call {
	out := slices.Clone(calls)
	for i, call := range calls {
		switch {
		case c.drop < 0 && c.insert < 0:
		case call.Kind == primitive.Poisson && c.drop < len(call.Released):
			out[i].Released = c.mask(call.Released)
		case call.Kind == primitive.Permutation && c.drop >= 0 && c.insert >= 0 && c.drop < len(call.Released):
			out[i].Released = c.order(call.Released)
		}
	}
	return out
}

// mask of a sample.
func (c coupling) mask(taken []float64) []float64 {
	coin, out := 1.0, slices.Clone(taken)
	if c.drop >= 0 {
		coin = out[c.drop]
		out = slices.Delete(out, c.drop, c.drop+1)
	}
	if c.insert >= 0 {
		out = slices.Insert(out, min(c.insert, len(out)), coin)
	}
	return out
}

// order of as many things.
func (c coupling) order(from []float64) []float64 {
	out := make([]float64, len(from))
	for i, p := range from {
		at := int(p)
		if at == c.drop {
			at = c.insert
		} else {
			if at > c.drop {
				at--
			}
			if at >= c.insert {
				at++
			}
		}
		out[i] = float64(at)
	}
	return out
}
