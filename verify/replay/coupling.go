package replay

import (
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
)

// coupling matches the records of A and B that have the same coins: all except the record at index drop of A and the
// record at index insert of B, in their order; −1 means none. A record that replaces another has its coin. An
// additional record is always in the sample, because only then do the two runs differ.
type coupling struct{ drop, insert int }

// maxCouplings is the number of couplings tried before a pair is left open.
const maxCouplings = 128

// couplings returns the couplings of a records with b records, the one nearest to the identity first; nil if there
// are too many or none is known.
func couplings(a, b int) (all []coupling) {
	switch {
	case a == b && 1+a*(a-1) <= maxCouplings:
		all = append(all, coupling{-1, -1})
		for i := range a {
			for j := range a {
				if i != j {
					all = append(all, coupling{i, j})
				}
			}
		}
	case a == b+1 && a <= maxCouplings:
		for i := range a {
			all = append(all, coupling{i, -1})
		}
	case b == a+1 && b <= maxCouplings:
		for j := range b {
			all = append(all, coupling{-1, j})
		}
	}
	return all
}

// apply returns the calls of A with the values that they release in B.
func (c coupling) apply(calls []Call) []Call {
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

// mask moves the inclusion bits of a sample of A to the records of B.
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

// order moves a permutation of A's records to the records of B.
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
