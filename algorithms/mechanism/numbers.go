package mechanism

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// ClippedMean releases the mean of numbers clipped to [lo, hi], with Laplace noise, clipped to [lo, hi] again. It
// is exactly (hi-lo)/(n·scale)-DP if one of n numbers is replaced. The ends of the interval, which have positive
// probability, attain this.
type ClippedMean struct{ lo, hi, scale float64 }

// NewClippedMean returns the mechanism for finite lo < hi and a finite scale > 0; else an error that wraps ErrDomain.
func NewClippedMean(lo, hi, scale float64) (*ClippedMean, error) {
	const owner = "clipped mean"
	if err := domain.Finite(owner, "lo", lo); err != nil {
		return nil, err
	}
	if !(hi > lo && hi <= math.MaxFloat64) {
		return nil, domain.Error(owner, "hi", hi, "finite and above lo")
	}
	if err := domain.Positive(owner, "scale", scale); err != nil {
		return nil, err
	}
	return &ClippedMean{lo: lo, hi: hi, scale: scale}, nil
}

func (m *ClippedMean) clip(v float64) float64 { return math.Min(math.Max(v, m.lo), m.hi) }

// mean returns the mean of the clipped numbers.
func (m *ClippedMean) mean(numbers []float64) float64 {
	var sum float64
	for _, v := range numbers {
		sum += m.clip(v)
	}
	return sum / float64(len(numbers))
}

// Release returns a number in [lo, hi]. There must be at least one number, and all must be finite.
func (m *ClippedMean) Release(r *rand.Rand, numbers []float64) (float64, error) {
	if err := domain.Answers("clipped mean", numbers); err != nil {
		return 0, err
	}
	return m.clip(m.mean(numbers) + m.scale*noise.Laplace(r)), nil
}

// LogDensity returns the log probability of lo or hi, or the log density between them.
func (m *ClippedMean) LogDensity(numbers []float64, out float64) float64 {
	t := (out - m.mean(numbers)) / m.scale
	switch {
	case out == m.lo:
		return math.Log(laplaceTail(-t))
	case out == m.hi:
		return math.Log(laplaceTail(t))
	case !(out > m.lo && out < m.hi):
		return math.Inf(-1)
	}
	return logLaplace(out-m.mean(numbers), m.scale)
}

// CountTree releases the counts of all nodes of a binary tree over a histogram, each with discrete Laplace noise
// (Hay, Rastogi, Miklau & Suciu 2010, "Boosting the Accuracy of Differentially Private Histograms Through
// Consistency", before the consistency step). A record is counted once at each level, so adding or removing a
// record is exactly levels·rate-DP.
type CountTree struct {
	levels int
	noise  *DiscreteLaplace
}

// NewCountTree returns the mechanism for 2^(levels-1) leaves, 1 ≤ levels ≤ 10, at a rate in [1e-6, 700]; else an
// error that wraps ErrDomain.
func NewCountTree(levels int, rate float64) (*CountTree, error) {
	if levels < 1 || levels > 10 {
		return nil, domain.Error("tree of counts", "levels", levels, "1..10")
	}
	noise, err := NewDiscreteLaplace(rate)
	return &CountTree{levels: levels, noise: noise}, err
}

// nodes returns the counts of all nodes, level by level from the root.
func (m *CountTree) nodes(leaves []int) []int {
	first := 1<<(m.levels-1) - 1 // index of the first leaf
	out := append(make([]int, first), leaves...)
	for i := first - 1; i >= 0; i-- {
		out[i] = out[2*i+1] + out[2*i+2]
	}
	return out
}

// Release returns the noisy counts, level by level from the root. The counts of the leaves must be in 0..2²⁰.
func (m *CountTree) Release(r *rand.Rand, leaves []int) ([]int, error) {
	if want := 1 << (m.levels - 1); len(leaves) != want {
		return nil, domain.Error("tree of counts", "number of leaves", len(leaves), fmt.Sprint(want))
	}
	for i, c := range leaves {
		if c < 0 || c > 1<<20 {
			return nil, domain.Error("tree of counts", fmt.Sprintf("leaf[%d]", i), c, "0..2^20")
		}
	}
	out := m.nodes(leaves)
	for i, c := range out {
		noisy, err := m.noise.Release(r, c)
		if err != nil {
			return nil, err
		}
		out[i] = noisy
	}
	return out, nil
}

// LogDensity returns the log probability of the noisy counts.
func (m *CountTree) LogDensity(leaves, out []int) float64 {
	var sum float64
	for i, c := range m.nodes(leaves) {
		sum += m.noise.LogDensity(c, out[i])
	}
	return sum
}

// GradientStep is one step of gradient descent on the logistic loss from public parameters, as in DP-SGD (Abadi et
// al. 2016, Algorithm 1, with every record in the lot). It clips the gradient of each record to norm clip and adds
// noise N(0, (clip·multiplier)²) to each coordinate of the sum. For adding or removing a record it is the Gaussian
// mechanism at σ/Δ = multiplier.
type GradientStep struct {
	start            []float64
	clip, multiplier float64
	rate             float64 // learning rate divided by the size of the lot
}

// NewGradientStep returns the step from start, which has at least one entry, all finite. clip, multiplier and rate
// are finite and > 0. Other values give an error that wraps ErrDomain.
func NewGradientStep(start []float64, clip, multiplier, rate float64) (*GradientStep, error) {
	const owner = "gradient step"
	if err := domain.Answers(owner, start); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		name string
		v    float64
	}{{"clip", clip}, {"multiplier", multiplier}, {"rate", rate}} {
		if err := domain.Positive(owner, p.name, p.v); err != nil {
			return nil, err
		}
	}
	return &GradientStep{start: start, clip: clip, multiplier: multiplier, rate: rate}, nil
}

// StdDev returns the standard deviation of each released parameter.
func (m *GradientStep) StdDev() float64 { return m.rate * m.clip * m.multiplier }

// Mean returns the parameters after the step without noise. A record is its features followed by its label, -1 or
// +1.
func (m *GradientStep) Mean(records [][]float64) ([]float64, error) {
	out := append([]float64(nil), m.start...)
	for i, record := range records {
		d := len(record) - 1
		if d != len(m.start) || domain.Answers("", record) != nil || math.Abs(record[d]) != 1 {
			return nil, domain.Error("gradient step", fmt.Sprintf("record[%d]", i), record,
				fmt.Sprintf("%d finite features, and -1 or +1", len(m.start)))
		}
		x, y := record[:d], record[d]
		slope := -y / (1 + math.Exp(y*floats.Dot(m.start, x))) // the gradient of log(1+e^(-y⟨w, x⟩)) is slope·x
		if norm := math.Abs(slope) * floats.Norm(x, 2); norm > m.clip {
			slope *= m.clip / norm
		}
		floats.AddScaled(out, -m.rate*slope, x)
	}
	return out, nil
}

// Release returns the parameters after the step, in a new slice.
func (m *GradientStep) Release(r *rand.Rand, records [][]float64) ([]float64, error) {
	var out [1][]float64
	err := m.ReleaseN(r, records, out[:])
	return out[0], err
}

// ReleaseN fills out with independent releases.
func (m *GradientStep) ReleaseN(r *rand.Rand, records [][]float64, out [][]float64) error {
	mean, err := m.Mean(records)
	if err != nil {
		return err
	}
	for i := range out {
		dst := noise.Resize(out[i], len(mean))
		for j, v := range mean {
			dst[j] = v + m.StdDev()*noise.Normal(r)
		}
		out[i] = dst
	}
	return nil
}
