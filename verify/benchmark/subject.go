package benchmark

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// Subject is a mechanism with the neighbouring inputs it is audited on.
type Subject struct {
	ID    string
	Delta float64
	// Sold is the ε at which the mechanism is sold, for the audit's claim.
	Sold float64
	// Reachable is the exact ε over the subject's inputs, in both directions.
	Reachable func() float64
	// Audit is the black-box audit with the given number of samples of each input
	// of each pair, all phases together.
	Audit func(samples int64) verify.Check
	// Oracle is the ε that a certification with all samples would be expected to
	// find on the best event, chosen by the true likelihood ratio.
	Oracle func(ctx context.Context, samples int64, alpha float64) (float64, error)
}

// dataset of a subject before its types are hidden.
type subjectOf[D, O any] struct {
	id        string
	mechanism verify.Mechanism[D, O]
	pairs     []verify.Neighbours[D]
	density   func(input D, out O) float64 // ln of the density
	// probes are outputs that, with the sampled ones, reach the largest loss.
	probes      []O
	sold, delta float64
}

func (s subjectOf[D, O]) hide() Subject {
	return Subject{
		ID: s.id, Delta: s.delta, Sold: s.sold,
		Reachable: s.reachable,
		Audit: func(samples int64) verify.Check {
			return verify.Audit[D, O]{Mechanism: s.mechanism, Pairs: s.pairs, Epsilon: s.sold, Delta: s.delta, Samples: samples}
		},
		Oracle: s.oracle,
	}
}

// reachable is the largest loss |ln(p/q)| over the probes, which hold every
// output of a finite mechanism and reach into the saturated tails of others. At
// δ > 0 the probes must be an even grid, on which the hockey-stick divergence is
// summed.
func (s subjectOf[D, O]) reachable() float64 {
	worst := 0.0
	for _, pair := range s.pairs {
		p, q := make([]float64, len(s.probes)), make([]float64, len(s.probes))
		for i, o := range s.probes {
			p[i], q[i] = s.density(pair.A, o), s.density(pair.B, o)
		}
		if s.delta == 0 {
			for i := range p {
				if math.IsInf(p[i], -1) && math.IsInf(q[i], -1) {
					continue
				}
				worst = math.Max(worst, math.Abs(p[i]-q[i]))
			}
			continue
		}
		worst = math.Max(worst, verify.LeastEpsilon(normalised(p), normalised(q), s.delta))
	}
	return worst
}

// normalised turns log densities on an even grid into masses.
func normalised(logs []float64) []float64 {
	out := make([]float64, len(logs))
	var sum float64
	for i, l := range logs {
		out[i] = math.Exp(l)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// oracleSamples estimate the masses of the best event.
const oracleSamples = 400_000

// oracle sorts samples of both inputs by the true likelihood ratio, and takes the
// threshold at which the joint test certifies most from the expected counts.
func (s subjectOf[D, O]) oracle(_ context.Context, samples int64, alpha float64) (float64, error) {
	best := 0.0
	for i, pair := range s.pairs {
		seed := empirical.NewSeed(1).Derive("oracle", s.id, pair.Name)
		a, err := s.scores(seed.Derive("a").Rand(), pair, pair.A)
		if err != nil {
			return 0, err
		}
		b, err := s.scores(seed.Derive("b").Rand(), pair, pair.B)
		if err != nil {
			return 0, err
		}
		for _, side := range [][2][]float64{{a, b}, {negated(b), negated(a)}} {
			best = math.Max(best, s.bestThreshold(side[0], side[1], samples, alpha))
		}
		_ = i
	}
	return best, nil
}

func (s subjectOf[D, O]) scores(r *rand.Rand, pair verify.Neighbours[D], input D) ([]float64, error) {
	out := make([]float64, 0, oracleSamples)
	for range oracleSamples {
		o, err := s.mechanism.Release(r, input)
		if err != nil {
			return nil, err
		}
		out = append(out, s.density(pair.A, o)-s.density(pair.B, o))
	}
	slices.Sort(out)
	return out, nil
}

func negated(sorted []float64) []float64 {
	out := make([]float64, len(sorted))
	for i, v := range sorted {
		out[len(out)-1-i] = -v
	}
	return out
}

func (s subjectOf[D, O]) bestThreshold(a, b []float64, samples int64, alpha float64) float64 {
	n, m, best := float64(samples), float64(oracleSamples), 0.0
	fast := empirical.NewEpsilonFast(s.delta, alpha)
	for rank := 1; rank <= len(a); rank = max(rank+1, rank*51/50) {
		at := a[len(a)-rank]
		i, _ := slices.BinarySearch(a, at)
		j, _ := slices.BinarySearch(b, at)
		x, y := float64(len(a)-i)/m*n, float64(len(b)-j)/m*n
		best = math.Max(best, fast.Lower(x, n, y, n))
	}
	return best
}
