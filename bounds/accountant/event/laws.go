package event

import (
	"fmt"
	"math"
)

// DiscreteGaussian adds integer noise with P(k) ∝ exp(−k²/2sigma²) to a count (Canonne, Kamath & Steinke 2020), 0 <
// sigma ≤ 1e4. The sensitivity is at least 1 and is rounded down to an integer.
func DiscreteGaussian(sigma float64) Event {
	return Event{Kind: KindDiscreteGaussian, A: sigma, Sensitivity: 1}
}

// TruncatedLaplace adds noise of density ∝ exp(−|z|/scale) on [−bound, bound]. The bound must be at least the
// sensitivity.
func TruncatedLaplace(scale, bound float64) Event {
	return Event{Kind: KindTruncatedLaplace, A: scale, B: bound, Sensitivity: 1}
}

// Uniform adds noise of constant density on [−bound, bound].
func Uniform(bound float64) Event { return Event{Kind: KindUniform, A: bound, Sensitivity: 1} }

// Threshold releases the noisy count of a partition if it is above the threshold and the partition contains a record.
// Otherwise it releases nothing about the partition. Each record belongs to one partition and contributes at most the
// sensitivity of noise, which must not exceed the threshold.
func Threshold(threshold float64, noise Event) Event {
	return Event{Kind: KindThreshold, B: threshold, Parts: []Event{noise}}
}

// PermuteAndFlip selects a candidate by permute-and-flip (McKenna & Sheldon 2020) with ε₀ = epsilon0.
func PermuteAndFlip(epsilon0 float64) Event {
	return Event{Kind: KindPermuteAndFlip, A: epsilon0, Sensitivity: 1}
}

// TopK selects the k best candidates in order, by scores with Gumbel noise. This equals k rounds of the exponential
// mechanism at epsilon0, each without the earlier winners (Durfee & Rogers 2019).
func TopK(epsilon0 float64, k int64) Event { return Repeat(k, Exponential(epsilon0)) }

// NoisyArgmax releases the class with the most votes after adding N(0, sigma²) to each count. A record moves one vote
// from one class to another (GNMax, Papernot et al. 2018).
func NoisyArgmax(sigma float64) Event { return Event{Kind: KindNoisyArgmax, A: sigma, Sensitivity: 1} }

// LaplaceArgmax releases the class with the most votes after adding Laplace noise of the scale to each count. A record
// moves one vote from one class to another (PATE, Papernot et al. 2017, where the scale is 1/γ).
func LaplaceArgmax(scale float64) Event {
	return Event{Kind: KindLaplaceArgmax, A: scale, Sensitivity: 1}
}

// SparseVector reports for each query of sensitivity 1 whether it is above a threshold, until cutoff queries are above.
// The threshold gets Laplace noise of scale 1/epsilon1 once. Each query gets Laplace noise of scale 2·cutoff/epsilon2
// (Lyu, Su & Li 2017, Algorithm 1).
func SparseVector(epsilon1, epsilon2 float64, cutoff int64) Event {
	return Event{Kind: KindSparseVector, A: epsilon1, B: epsilon2, Count: cutoff, Sensitivity: 1}
}

// HasNoise reports whether events of this kind add noise to a sum and are known only by their dominating pair. If a
// record is replaced, such a sum moves twice as far.
func (k Kind) HasNoise() bool {
	return k == KindDiscreteGaussian || k == KindTruncatedLaplace || k == KindUniform || k == KindMixture ||
		k == KindMatrix
}

// validLaw returns an error for the first invalid parameter of the events in this file.
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
			return DomainError("%s: σ is %v, want at most 1e4; for larger σ use gaussian, which differs by less than 1e-300",
				name, e.A)
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
			return DomainError("%s: epsilon2 is %v and the cutoff %d, they must be above 0 and at least 1", name, e.B,
				e.Count)
		}
	}
	return nil
}

func (e Event) validThreshold() error {
	noise := e.Parts[0]
	switch {
	case noise.Kind != KindGaussian && noise.Kind != KindLaplace:
		return DomainError("threshold: %s is not supported; want Gaussian or Laplace noise", noise)
	case math.IsNaN(e.B) || math.IsInf(e.B, 0) || !(e.B >= noise.Sensitivity):
		return DomainError("threshold: the threshold is %v, it must be finite and at least the sensitivity %v",
			e.B, noise.Sensitivity)
	}
	return nil
}

// lawString describes the events of this file.
func (e Event) lawString() string {
	name := KindNames[e.Kind]
	switch e.Kind {
	case KindDiscreteGaussian, KindNoisyArgmax:
		return fmt.Sprintf("%s(σ=%g, sensitivity=%g)", name, e.A, e.Sensitivity)
	case KindTruncatedLaplace:
		return fmt.Sprintf("%s(scale=%g, bound=%g, sensitivity=%g)", name, e.A, e.B, e.Sensitivity)
	case KindLaplaceArgmax:
		return fmt.Sprintf("%s(scale=%g)", name, e.A)
	case KindUniform:
		return fmt.Sprintf("%s(bound=%g, sensitivity=%g)", name, e.A, e.Sensitivity)
	case KindThreshold:
		return fmt.Sprintf("%s(%g, %s)", name, e.B, e.Parts[0])
	case KindSparseVector:
		return fmt.Sprintf("%s(ε₁=%g, ε₂=%g, cutoff=%d, sensitivity=%g)", name, e.A, e.B, e.Count, e.Sensitivity)
	}
	return fmt.Sprintf("%s(ε₀=%g)", name, e.A)
}
