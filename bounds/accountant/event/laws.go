package event

import (
	"fmt"
	"math"
)

// DiscreteGaussian adds an integer to a count, with P(k) ∝ exp(−k²/2sigma²); the sensitivity is rounded
// down to an integer ≥ 1 (Canonne, Kamath & Steinke 2020). 0 < sigma ≤ 1e4.
func DiscreteGaussian(sigma float64) Event {
	return Event{Kind: KindDiscreteGaussian, A: sigma, Sensitivity: 1}
}

// TruncatedLaplace adds noise of density ∝ exp(−|z|/scale) on [−bound, bound]. The sensitivity is at
// most the bound.
func TruncatedLaplace(scale, bound float64) Event {
	return Event{Kind: KindTruncatedLaplace, A: scale, B: bound, Sensitivity: 1}
}

// Uniform adds noise of constant density on [−bound, bound].
func Uniform(bound float64) Event { return Event{Kind: KindUniform, A: bound, Sensitivity: 1} }

// Threshold releases the count of a partition, with the noise of the mechanism, if it is above a
// threshold, and does not tell of the partition if it is not, or if no record is in it. A record is in
// one partition; its contribution is the mechanism's sensitivity, at most the threshold.
func Threshold(threshold float64, noise Event) Event {
	return Event{Kind: KindThreshold, B: threshold, Parts: []Event{noise}}
}

// PermuteAndFlip chooses a candidate (McKenna & Sheldon 2020), at ε₀ = epsilon0.
func PermuteAndFlip(epsilon0 float64) Event {
	return Event{Kind: KindPermuteAndFlip, A: epsilon0, Sensitivity: 1}
}

// TopK names the k best of many candidates, in order, by scores with Gumbel noise: the exponential
// mechanism at epsilon0, one candidate after another (Durfee & Rogers 2019).
func TopK(epsilon0 float64, k int64) Event { return Repeat(k, Exponential(epsilon0)) }

// NoisyArgmax names the class with the most votes, N(0, sigma²) added to each; a record moves one vote
// from a class to another (GNMax, Papernot et al. 2018).
func NoisyArgmax(sigma float64) Event { return Event{Kind: KindNoisyArgmax, A: sigma, Sensitivity: 1} }

// SparseVector tells of each query of sensitivity 1 whether it is above a threshold, until cutoff of
// them are, with Laplace noise of scale 1/epsilon1 on the threshold, drawn once, and of scale
// 2·cutoff/epsilon2 on the queries (Lyu, Su & Li 2017, Algorithm 1).
func SparseVector(epsilon1, epsilon2 float64, cutoff int64) Event {
	return Event{Kind: KindSparseVector, A: epsilon1, B: epsilon2, Count: cutoff, Sensitivity: 1}
}

// HasNoise tells the kinds of laws that are known by their pair alone and add noise to a sum, which
// moves by twice as much where a record is replaced.
func (k Kind) HasNoise() bool {
	return k == KindDiscreteGaussian || k == KindTruncatedLaplace || k == KindUniform || k == KindMixture ||
		k == KindMatrix
}

// validLaw reports the first fault in the parameters of the laws of this file.
func (e Event) validLaw() error {
	name := KindNames[e.Kind]
	positive := func(x float64) bool { return x > 0 && !math.IsInf(x, 1) }
	if e.Kind == KindPermuteAndFlip {
		if !(e.A >= 0 && !math.IsInf(e.A, 1)) {
			return DomainError("%s: the privacy parameter is %v, it must be ≥ 0 and finite", name, e.A)
		}
		return nil
	}
	if e.Kind == KindThreshold {
		return e.validThreshold()
	}
	switch {
	case !positive(e.A):
		return DomainError("%s: the noise parameter is %v, it must be positive and finite", name, e.A)
	case !positive(e.Sensitivity):
		return DomainError("%s: the sensitivity is %v, it must be positive and finite", name, e.Sensitivity)
	}
	switch e.Kind {
	case KindDiscreteGaussian:
		if !(e.A <= 1e4) {
			return DomainError("%s: σ is %v, at most 1e4 is accounted; beyond, gaussian differs by less than 1e-300", name, e.A)
		}
		if !(e.Sensitivity >= 1 && e.Sensitivity <= 1e6) {
			return DomainError("%s: the sensitivity is %v, integers move by 1 to 1e6", name, e.Sensitivity)
		}
	case KindTruncatedLaplace:
		if !positive(e.B) {
			return DomainError("%s: the bound is %v, it must be positive and finite", name, e.B)
		}
	case KindSparseVector:
		if !positive(e.B) || e.Count < 1 {
			return DomainError("%s: epsilon2 is %v and the cutoff %d, they must be above 0 and at least 1", name, e.B, e.Count)
		}
	}
	return nil
}

func (e Event) validThreshold() error {
	noise := e.Parts[0]
	switch {
	case noise.Kind != KindGaussian && noise.Kind != KindLaplace:
		return DomainError("threshold: of %s nothing is known; want Gaussian or Laplace noise", noise)
	case math.IsNaN(e.B) || math.IsInf(e.B, 0) || !(e.B >= noise.Sensitivity):
		return DomainError("threshold: the threshold is %v, it must be finite and at least what a record contributes, %v",
			e.B, noise.Sensitivity)
	}
	return nil
}

// lawString describes the laws of this file.
func (e Event) lawString() string {
	name := KindNames[e.Kind]
	switch e.Kind {
	case KindDiscreteGaussian, KindNoisyArgmax:
		return fmt.Sprintf("%s(σ=%g, sensitivity=%g)", name, e.A, e.Sensitivity)
	case KindTruncatedLaplace:
		return fmt.Sprintf("%s(scale=%g, bound=%g, sensitivity=%g)", name, e.A, e.B, e.Sensitivity)
	case KindUniform:
		return fmt.Sprintf("%s(bound=%g, sensitivity=%g)", name, e.A, e.Sensitivity)
	case KindThreshold:
		return fmt.Sprintf("%s(%g, %s)", name, e.B, e.Parts[0])
	case KindSparseVector:
		return fmt.Sprintf("%s(ε₁=%g, ε₂=%g, cutoff=%d, sensitivity=%g)", name, e.A, e.B, e.Count, e.Sensitivity)
	}
	return fmt.Sprintf("%s(ε₀=%g)", name, e.A)
}
