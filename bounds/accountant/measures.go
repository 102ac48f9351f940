package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/logmath"
)

// measure is an upper end that adds up under composition and does not grow by mixing: ρ, whose Rényi divergences are
// quasi-convex (van Erven & Harremoës 2014, Theorem 13), or μ² (Dong, Roth & Su 2022, Corollary 2), as the trade-off
// function of a mixture of pairs, each above a convex function, is above that function.
type measure struct {
	of   func(e event.Event, adj event.Adjacency) float64 // of one mechanism without sampling, +Inf if none is known
	leaf func(l leaf) float64                             // of one mechanism with its sampling, +Inf if none is known
}

// above adds up what the mechanisms of an event have at most. A sample is a mixture over who is in it: of neighbours
// with the record, or with the one in its place, in the same places. A batch of a fixed or limited size may have
// another record in the place of the one that is removed.
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
	return math.Min(m.of(e, adj), m.terms(e, adj))
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

// rhoMeasure has the closed forms of ρ. Losses of at most ε have ε·tanh(ε/2), which randomized response attains at
// order 1: log cosh is a concave function of the square of its argument, so that its chord from ε/2 to (α − ½)ε is not
// steeper than its tangent at ε/2.
var rhoMeasure = measure{
	of: func(e event.Event, adj event.Adjacency) float64 {
		if s, ok := normalShift(e, adj); ok {
			return s * s / 2
		}
		switch e.Kind {
		case event.KindConcentrated:
			return e.A
		case event.KindLaplace: // KL; E[(P/Q)^α] is an entire function of (α − ½)² with negative zeros, log-concave
			return logmath.ExpSeries2(-noiseMoves(e, adj) / e.A)
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

// noiseMoves is how far neighbours move a sum that noise is added to.
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

// normalShift is how many standard deviations neighbours move a normal law of which the release is computed, rounded
// up; ok is false if there is no such law. Of noisy argmax it is the law of the votes, where one vote moves.
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

// farShift returns the square of a shift s of normal laws, or 0: far out, the release has likelihoods of N(s)
// against N(0), but for constant factors. So D_α/α comes as near to s²/2 as is wanted at large orders, and
// Φ⁻¹(P(S)) − Φ⁻¹(Q(S)) to s at unlikely events S. mixed tells that the record takes part with a probability between 0
// and 1: the neighbour of a replaced one is then nearest to N(0).
//
// Shifts of several parts are those of one normal law of more coordinates. Rounded down.
func farShift(e event.Event, adj event.Adjacency, mixed bool) float64 {
	down := func(s float64) float64 { return s * s * (1 - 16*unit) }
	near := adj // of a mechanism of a record that takes part with the record in its place, or with none
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
	case event.KindNoisyArgmax: // two classes, one of them far behind
		return down(math.Sqrt2 / e.A)
	case event.KindConcentrated: // a Gaussian is ρ-zCDP
		return 2 * e.A * (1 - 16*unit)
	}
	return 0
}

// farMixture is the largest shift of a mixture, and of replaced records the sum with the least one, which is the
// nearest law that is as much the other way.
func farMixture(e event.Event, adj event.Adjacency) float64 {
	least, most := math.Inf(1), 0.0
	for _, row := range e.Rows {
		if row[1] > 0 {
			least, most = math.Min(least, row[0]), math.Max(most, row[0])
		}
	}
	if adj == event.ReplaceOne {
		most += least
	}
	return most
}
