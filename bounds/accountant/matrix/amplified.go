package matrix

import (
	"cmp"
	"math"
	"slices"
)

// SampledGaussian is a composition of Count Gaussian mechanisms. Each has the given noise multiplier, the noise
// standard deviation divided by the sensitivity, and runs on a Poisson sample with rate Rate.
type SampledGaussian struct {
	Rate            float64
	NoiseMultiplier float64
	Count           int
}

// Amplification brackets the privacy loss under cyclic Poisson sampling: it is at most that of the composition Upper
// and at least that of Lower.
type Amplification struct {
	Lower, Upper []SampledGaussian
	// Exact is set if both differ only by rounding.
	Exact bool
}

// Amplified returns compositions that bracket a banded strategy under cyclic Poisson sampling. The records are
// partitioned into cycle groups. Step i samples each record of group i mod cycle with probability rate. A mean batch
// size of B out of N records means rate = cycle·B/N. cycle must be at least Bands.
//
// A record of group j takes part in steps j, j + cycle, … with independent inclusion bits. The columns of these steps
// have no row in common, and the rows of one step come before those of the next. Given all earlier releases, the rows
// of a step are at most a Gaussian mechanism on a Poisson sample, with noise multiplier σ/‖C[:,i]‖. So the release is a
// composition of at most ⌈n/cycle⌉ such mechanisms (Choquette-Choo et al. 2023, where all norms equal the largest). A
// mechanism with a smaller norm is post-processing of one with a larger norm. So Upper uses the sorted norms' maxima
// over all groups. Lower is the group with the largest sum of squares.
//
// The group of a record must be fixed before training and must not depend on other records. If records are replaced,
// the new record has the old record's group, and the steps are sampled Gaussians for replaced records with the same
// parameters. Nothing must be doubled.
//
// noiseMultiplier is σ divided by the clipping norm of one participation, as in Sensitivity.Mu. Errors wrap ErrDomain.
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

// parts returns the sorted column norms, largest first: their maxima over all groups, and those of the group with the
// largest sum of squares.
func parts(f banded, steps, cycle int) (top, largest []ends) {
	best := 0.0
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
		if sum > best {
			best, largest = sum, norms
		}
	}
	return top, largest
}

// appended appends g to a list, or increments the count of an equal last element.
func appended(list []SampledGaussian, g SampledGaussian) []SampledGaussian {
	if n := len(list) - 1; n >= 0 && list[n].NoiseMultiplier == g.NoiseMultiplier {
		list[n].Count++
		return list
	}
	return append(list, g)
}
