package matrix

import (
	"cmp"
	"math"
	"slices"
)

// SampledGaussian is Count Gaussian mechanisms, of the given deviation over the sensitivity, each of a Poisson
// sample in which a record is with probability Rate.
type SampledGaussian struct {
	Rate            float64
	NoiseMultiplier float64
	Count           int
}

// Amplification is what Poisson sampling by blocks amounts to: its privacy loss is at most that of the
// composition Upper and at least that of Lower.
type Amplification struct {
	Lower, Upper []SampledGaussian
	// Exact says that the two differ by rounding alone.
	Exact bool
}

// Amplified returns the composition to which a banded strategy amounts where the records are divided into cycle
// parts and step i takes a Poisson sample of part i mod cycle: each of its records with probability rate, so that a
// batch of B of N records has rate = cycle·B/N. cycle must be at least Bands.
//
// A record of part j takes part in steps j, j + cycle, …, each by a coin of its own. The columns of these
// steps have no row in common, and the rows of one come before those of the next. Given all that was released
// before, the rows of a step are those of a Gaussian mechanism at noise multiplier σ/‖C[:,i]‖ of a Poisson
// sample, at worst exactly, and the whole is the composition of at most ⌈n/cycle⌉ of them
// (Choquette-Choo et al. 2023, with all norms the largest). A smaller norm is post-processing of a
// larger, so that the largest norms, in order, over all parts bound every part; Lower is the part of
// the largest sum of squares.
//
// The part of a record is a fact about it, fixed before training: it does not depend on other records. With
// replaced records, for which the new one has the part of the old, the steps are those of the sampled
// Gaussian for replaced records at the same numbers; nothing is to be doubled here.
//
// noiseMultiplier is σ over the clip norm of one participation, as in Sensitivity.Mu. An error wraps ErrDomain.
func (s *Strategy) Amplified(cycle int, rate, noiseMultiplier float64) (Amplification, error) {
	f, ok := s.form.(banded)
	if !ok {
		return Amplification{}, domainError("strategy %s: sampling by blocks amplifies matrices of few bands, not trees", s)
	}
	switch bands := f.bands(); {
	case cycle < bands:
		return Amplification{}, domainError("a cycle of %d steps with %d bands: columns of one record overlap; "+
			"want at least %d", cycle, bands, bands)
	case !(rate >= 0 && rate <= 1):
		return Amplification{}, domainError("sampling rate %v: want a probability in [0, 1]", rate)
	case !(noiseMultiplier > 0 && noiseMultiplier <= math.MaxFloat64):
		return Amplification{}, domainError("noise multiplier %v: want a finite number above 0", noiseMultiplier)
	}
	top, part := parts(f, s.steps, cycle)
	a := Amplification{Exact: true}
	for i, t := range top {
		a.Upper = appended(a.Upper, SampledGaussian{rate, math.Nextafter(noiseMultiplier/t.upper, 0), 1})
		var low float64
		if i < len(part) {
			low = part[i].lower
		}
		if low > 0 {
			a.Lower = appended(a.Lower, SampledGaussian{rate, math.Nextafter(noiseMultiplier/low, math.Inf(1)), 1})
		}
		a.Exact = a.Exact && t.upper <= low*(1+rounding)
	}
	return a, nil
}

// ends is a bracket of a norm.
type ends struct{ lower, upper float64 }

// parts returns the norms of the columns of each part, the largest first: their maxima over all parts, and those of
// the part of the largest sum of squares.
func parts(f banded, steps, cycle int) (top, largest []ends) {
	most := 0.0
	for j := range min(cycle, steps) {
		var norms []ends
		sum := 0.0
		for i := j; i < steps; i += cycle {
			lower, upper := f.norm(i)
			if upper > 0 {
				norms = append(norms, ends{lower, upper})
				sum += lower * lower
			}
		}
		slices.SortStableFunc(norms, func(a, b ends) int { return cmp.Compare(b.upper, a.upper) })
		for i, x := range norms {
			if i == len(top) {
				top = append(top, x)
			}
			top[i].upper = math.Max(top[i].upper, x.upper)
		}
		if sum > most {
			most, largest = sum, norms
		}
	}
	return top, largest
}

// appended adds g to a list, counting it where it is as the last.
func appended(list []SampledGaussian, g SampledGaussian) []SampledGaussian {
	if n := len(list) - 1; n >= 0 && list[n].NoiseMultiplier == g.NoiseMultiplier {
		list[n].Count++
		return list
	}
	return append(list, g)
}
