package training

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

const (
	// choosing is the share of the runs of each world that chooses a threshold.
	choosing = 0.25
	// maxChoosing is the maximum number of runs that choose a threshold.
	maxChoosing = 4096
	// folds is the number of parts that choose a threshold for the other runs.
	folds = 2
	// believed is the weight of the normal fit in a smoothed share, as a number of runs.
	believed = 2
)

// countViews returns the counts of the events, which have equal shares of alpha.
func (f multiRunStatistics) countViews(s verify.Settings, own scores) []view {
	if f.Event != (Event{}) {
		return []view{own.count(f.Event, false), own.count(f.Event, true)}
	}
	shuffled := func(name string, all []float64) []float64 {
		out := make([]float64, len(all))
		for i, j := range s.Stream("split", name).Perm(len(all)) {
			out[i] = all[j]
		}
		return out
	}
	all := scores{shuffled("a", own[0]), shuffled("b", own[1])}
	k1, k2, folds := layout(len(all[0]), len(all[1]))
	var out []view
	for fold := range folds {
		from1, to1, from2, to2 := fold*k1, (fold+1)*k1, fold*k2, (fold+1)*k2
		rest := scores{slices.Concat(all[0][:from1], all[0][to1:]), slices.Concat(all[1][:from2], all[1][to2:])}
		chosen := scores{all[0][from1:to1], all[1][from2:to2]}
		threshold, swapped := f.choose(chosen, len(rest[0]), len(rest[1]), f.Described.share(s.Alpha))
		out = append(out, rest.count(ScoresAtLeast(threshold), swapped))
	}
	return out
}

// layout returns the number of runs of each world that choose, and the number of parts.
func layout(with, without int) (k1, k2, parts int) {
	size := func(n int) int { return min(maxChoosing, max(1, int(choosing*float64(n)))) }
	k1, k2 = size(with), size(without)
	if with == k1 || without == k2 {
		return k1, k2, 0 // a single run chooses, and none remains to test the threshold
	}
	return k1, k2, min(folds, with/k1, without/k2)
}

// choose returns the threshold with the largest expected lower limit on n1 and n2 other runs. If swapped is true,
// scores of at least the threshold are evidence of a run without the record. A normal distribution fitted to each
// world smooths small counts.
func (f multiRunStatistics) choose(s scores, n1, n2 int, alpha float64) (threshold float64, swapped bool) {
	pooled := slices.Concat(s[0], s[1])
	slices.Sort(pooled)
	pooled = slices.Compact(pooled)
	with, without := shareOf(s[0]), shareOf(s[1])
	z := confidence.NormalUpperQuantile(alpha / folds)
	best := math.Inf(-1)
	threshold = pooled[len(pooled)-1]
	for _, t := range pooled {
		p, q := with(t), without(t)
		for _, other := range []bool{false, true} {
			promise := f.promise(p, float64(n1), q, float64(n2), z)
			if other {
				promise = f.promise(q, float64(n2), p, float64(n1), z)
			}
			if promise > best {
				best, threshold, swapped = promise, t, other
			}
		}
	}
	return threshold, swapped
}

// shareOf returns a function for the smoothed share of scores that are at least a threshold. The share is strictly
// between 0 and 1.
func shareOf(values []float64) func(threshold float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := float64(len(sorted))
	mean, square := 0.0, 0.0
	for _, x := range sorted {
		mean += x / n
	}
	for _, x := range sorted {
		square += (x - mean) * (x - mean) / n
	}
	deviation := math.Sqrt(square)
	return func(t float64) float64 {
		below, _ := slices.BinarySearch(sorted, t)
		fit := 0.5
		if deviation > 0 {
			fit = math.Erfc((t-mean)/deviation/math.Sqrt2) / 2
		} else if t != mean {
			fit = map[bool]float64{true: 1, false: 0}[t < mean]
		}
		if !(fit >= 0.01) {
			fit = 0.01
		}
		return (n - float64(below) + believed*math.Min(fit, 0.99)) / (n + believed)
	}
}

// promise returns the approximate lower limit for shares p of n1 runs and q of n2 runs, z standard deviations below the
// estimate.
func (f multiRunStatistics) promise(p, n1, q, n2, z float64) float64 {
	if _, gaussian := f.Guarantee.Gaussian(); gaussian {
		zp, zq := mathext.NormalQuantile(p), mathext.NormalQuantile(q)
		density := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
		dp, dq := density(zp), density(zq)
		return zp - zq - z*math.Sqrt(p*(1-p)/(n1*dp*dp)+q*(1-q)/(n2*dq*dq))
	}
	delta := f.Guarantee.Delta()
	ratio := func(p, n1, q, n2 float64) float64 {
		if !(p > delta) {
			return math.Inf(-1)
		}
		return math.Log((p-delta)/q) - z*math.Sqrt(p*(1-p)/(n1*(p-delta)*(p-delta))+(1-q)/(n2*q))
	}
	return math.Max(ratio(p, n1, q, n2), ratio(1-q, n2, 1-p, n1))
}
