package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// measure is an upper end that adds up under composition and does not grow by mixing. It is ρ or μ². Rényi divergences,
// which define ρ, are quasi-convex (van Erven & Harremoës 2014, Theorem 13). For μ² (Dong, Roth & Su 2022, Corollary
// 2), consider a mixture of pairs whose trade-off functions are above one convex function. The mixture's trade-off
// function is above it.
type measure struct {
	upper func(e event.Event,
		adj event.Adjacency) float64 // upper end for one mechanism without sampling, +Inf if unknown
	leaf func(l leaf) float64 // upper end for one mechanism with its sampling, +Inf if unknown
}

// above adds up the upper ends of the mechanisms of an event. A sample is a mixture over the sampled records. Its
// components are neighbors that differ in the record, or in the record and its replacement, in the same places. In a
// batch of fixed or limited size, another record may replace the removed one.
func (m measure) above(e event.Event, adj event.Adjacency) float64 {
	switch e.Kind {
	case event.KindCompose:
		total := 0.0
		for _, part := range e.Parts {
			total += m.above(part, adj)
		}
		return total
	case event.KindRepeat:
		if e.Count == 0 {
			return 0
		}
		return float64(e.Count) * m.above(e.Parts[0], adj)
	case event.KindFixedBatches, event.KindShuffledBatches:
		return m.above(e.Parts[0], adj)
	case event.KindAllocation:
		return e.B * m.above(e.Parts[0], adj)
	case event.KindWithoutReplacement:
		return m.above(e.Parts[0], event.ReplaceOne)
	case event.KindWithReplacement: // all draws may be the record
		return m.above(e.Parts[0].WithSensitivity(e.B*e.Parts[0].Sensitivity), event.ReplaceOne)
	case event.KindTruncatedPoisson:
		if e.B < float64(e.Count) {
			adj = event.ReplaceOne
		}
		return m.above(e.Parts[0], adj)
	case event.KindPoisson:
		if e.A == 0 {
			return 0
		}
		return math.Min(m.above(e.Parts[0], adj), m.terms(e, adj))
	}
	return math.Min(m.upper(e, adj), m.terms(e, adj))
}

// terms adds up the mechanisms of a profile.
func (m measure) terms(e event.Event, adj event.Adjacency) float64 {
	p, err := newProfile(e, adj)
	if err != nil {
		return math.Inf(1)
	}
	total := 0.0
	for _, t := range p.terms {
		total += t.count * m.leaf(t.leaf)
	}
	return total
}

// rhoMeasure computes the closed forms of ρ. If losses are at most ε, ρ is at most ε·tanh(ε/2), which randomized
// response attains at order 1. The proof uses that log cosh is a concave function of the square of its argument. So its
// chord from ε/2 to (α − ½)ε is not steeper than its tangent at ε/2.
var rhoMeasure = measure{
	upper: func(e event.Event, adj event.Adjacency) float64 {
		if s, ok := normalShift(e, adj); ok {
			return s * s / 2
		}
		switch e.Kind {
		case event.KindConcentrated:
			return e.A
		case event.KindLaplace: // KL; E[(P/Q)^α] is an entire function of (α − ½)² with negative zeros, log-concave
			return numeric.ExpSeries2(-noiseMoves(e, adj) / e.A)
		case event.KindPermuteAndFlip: // dominated by Laplace noise
			return numeric.ExpSeries2(-e.A)
		case event.KindExponential: // Cesar & Rogers (2021)
			return e.A * e.A / 8
		case event.KindDiscreteGaussian: // Canonne, Kamath & Steinke (2020), Theorem 4
			d := noiseMoves(e, adj) / e.A
			return d * d / 2
		}
		return math.Inf(1)
	},
	leaf: func(l leaf) float64 {
		epsilon := pureEpsilon(l)
		if math.IsInf(epsilon, 1) || l.kind == event.KindApproximate && l.b > 0 {
			return math.Inf(1)
		}
		return epsilon * math.Tanh(epsilon/2) * (1 + 8*unit)
	},
}

// noiseMoves returns how far neighbours move the sum that noise is added to.
func noiseMoves(e event.Event, adj event.Adjacency) float64 {
	moves := e.Sensitivity
	if e.Kind == event.KindDiscreteGaussian || e.Kind == event.KindDiscreteLaplace {
		moves = math.Floor(moves)
	}
	if adj == event.ReplaceOne {
		moves *= 2
	}
	return moves
}

// normalShift returns the number of standard deviations by which neighbours move a normal distribution that determines
// the release, rounded up. ok is false if no such distribution exists. For noisy argmax it is the distribution of the
// votes: neighbours move one vote.
func normalShift(e event.Event, adj event.Adjacency) (shift float64, ok bool) {
	switch e.Kind {
	case event.KindGaussian:
		shift = noiseMoves(e, adj) / e.A
	case event.KindMatrix:
		shift = e.Rows[0][1] * noiseMoves(e, adj) / e.A
	case event.KindMixture:
		for _, row := range e.Rows {
			if row[1] > 0 {
				shift = math.Max(shift, row[0]*noiseMoves(e, adj)/e.A)
			}
		}
	case event.KindNoisyArgmax:
		shift = math.Sqrt2 / e.A
	default:
		return 0, false
	}
	return shift * (1 + 4*unit), true
}

// farShift returns the square of a shift s of normal distributions, rounded down, or 0. At extreme outputs the
// likelihood ratio of the release is the ratio of N(s) and N(0), up to constant factors. So D_α/α comes arbitrarily
// near to s²/2 at large orders, and Φ⁻¹(P(S)) − Φ⁻¹(Q(S)) to s at unlikely events S. mixed reports whether the record
// takes part with a probability between 0 and 1. The neighbour of a replaced record is then nearest to N(0).
//
// Several parts have the shift of one normal distribution with more coordinates.
func farShift(e event.Event, adj event.Adjacency, mixed bool) float64 {
	down := func(s float64) float64 { return s * s * (1 - 16*unit) }
	near := adj // the adjacency of a mechanism for a record that takes part, with its replacement or with none
	if mixed {
		near = event.AddRemove
	}
	switch e.Kind {
	case event.KindCompose:
		total := 0.0
		for _, part := range e.Parts {
			total += farShift(part, adj, mixed)
		}
		return total
	case event.KindRepeat:
		if e.Count == 0 {
			return 0
		}
		return float64(e.Count) * farShift(e.Parts[0], adj, mixed)
	case event.KindFixedBatches:
		return farShift(e.Parts[0], adj, mixed)
	case event.KindShuffledBatches:
		return farShift(e.Parts[0], adj, mixed || e.Count > 1)
	case event.KindSelect: // one run
		return farShift(e.Parts[0], adj, mixed)
	case event.KindPoisson:
		if e.A == 0 {
			return 0
		}
		return farShift(e.Parts[0], adj, mixed || e.A < 1)
	case event.KindAllocation:
		return e.B * farShift(e.Parts[0], adj, mixed || e.B < float64(e.Count))
	case event.KindTruncatedPoisson:
		if e.A == 0 || e.B < 1 {
			return 0
		}
		return farShift(e.Parts[0], adj, mixed || e.A < 1 || e.B < float64(e.Count))
	case event.KindWithoutReplacement: // all other records are opposite to the record
		if e.B < 1 || mixed {
			return 0
		}
		if e.B < float64(e.Count) {
			adj = event.ReplaceOne
		}
		return farShift(e.Parts[0], adj, false)
	case event.KindGaussian, event.KindDiscreteGaussian:
		return down(noiseMoves(e, near) / e.A)
	case event.KindMatrix:
		return down(e.Rows[0][0] * noiseMoves(e, near) / e.A)
	case event.KindMixture:
		return down(farMixture(e, near) * e.Sensitivity / e.A)
	case event.KindNoisyArgmax: // two classes, the other classes far behind
		return down(math.Sqrt2 / e.A)
	case event.KindConcentrated: // a Gaussian is ρ-zCDP
		return 2 * e.A * (1 - 16*unit)
	}
	return 0
}

// farMixture returns the largest shift of a mixture. For replaced records it adds the smallest shift: the nearest
// distribution shifted the other way.
func farMixture(e event.Event, adj event.Adjacency) float64 {
	smallest, largest := math.Inf(1), 0.0
	for _, row := range e.Rows {
		if row[1] > 0 {
			smallest, largest = math.Min(smallest, row[0]), math.Max(largest, row[0])
		}
	}
	if adj == event.ReplaceOne {
		largest += smallest
	}
	return largest
}
