package trial

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// Pair is a mechanism on two neighboring data sets.
type Pair struct {
	of   mechanism
	a, b state
	// ordered reports whether the score has only the order of the likelihood ratios.
	ordered bool
}

// DrawA appends an output on the first data set, which has the record, to out.
func (p Pair) DrawA(r *rand.Rand, out []float64) []float64 { return p.of.draw(r, p.a, out) }

// DrawB appends an output on the second data set to out. There the record is absent or replaced.
func (p Pair) DrawB(r *rand.Rand, out []float64) []float64 { return p.of.draw(r, p.b, out) }

// Score returns the log-likelihood ratio of an output, between −maxScore and maxScore. For the best of repeated runs it
// is the ratio of one run, which has the same order.
func (p Pair) Score(out []float64) float64 { return ratio(p.of, p.b, out) }

const maxScore = 60

func ratio(m mechanism, b state, out []float64) float64 {
	la, _ := m.logDensity(present, out)
	lb, _ := m.logDensity(b, out)
	switch {
	case math.IsInf(la, -1) && math.IsInf(lb, -1):
		return 0
	case math.IsInf(la, -1):
		return -maxScore
	case math.IsInf(lb, -1):
		return maxScore
	}
	// Rounding makes scores of equal ratios equal.
	return math.Min(maxScore, math.Max(-maxScore, math.Round((la-lb)*1e9)/1e9))
}

// Simulate returns one or two pairs of neighbors of an event, as samplers. They are the pairs whose outputs are known
// to differ the most at ε, and the pairs that attain lower ends. An error names the part of the event without a
// simulator.
func Simulate(e event.Event, adj event.Adjacency, epsilon float64) (pairs []Pair, err error) {
	b := builder{adjacency: adj, epsilon: epsilon / runs(e), q: 1}
	for b.variant = range 2 {
		m, err := b.build(e)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, Pair{m, present, b.neighbor(), b.ordered})
		if !b.varies {
			break
		}
	}
	return pairs, nil
}

// runs returns the number of mechanisms in an event.
func runs(e event.Event) float64 {
	switch {
	case e.Kind == event.KindRepeat:
		return float64(e.Count) * runs(e.Parts[0])
	case len(e.Parts) == 0:
		return 1
	}
	total := 0.0
	for _, p := range e.Parts {
		total += runs(p)
	}
	return total
}

// builder turns events into mechanisms.
type builder struct {
	adjacency event.Adjacency
	epsilon   float64 // at which one run should reveal the most
	q         float64 // sampling rate of the sample that all mechanisms run on
	variant   int
	varies    bool // whether there is a second variant
	ordered   bool // whether the best of repeated runs is released
}

func (b *builder) neighbor() state {
	if b.adjacency == event.ReplaceOne {
		return other
	}
	return absent
}

// pick returns first or second, depending on the variant.
func pick[T any](b *builder, first, second T) T {
	b.varies = true
	if b.variant == 0 {
		return first
	}
	return second
}

// revealed reports whether the output shows that the record is absent. A guarantee for replaced records allows it.
func (b *builder) revealed() bool {
	return b.adjacency == event.ReplaceOne && b.q < 1 && pick(b, true, false)
}

func (b *builder) build(e event.Event) (mechanism, error) {
	switch e.Kind {
	case event.KindCompose:
		return b.composed(e.Parts)
	case event.KindRepeat:
		parts := make([]event.Event, e.Count)
		for i := range parts {
			parts[i] = e.Parts[0]
		}
		return b.composed(parts)
	case event.KindPoisson:
		inner := *b
		inner.q *= e.A
		m, err := inner.build(e.Parts[0])
		b.varies, b.ordered = b.varies || inner.varies, b.ordered || inner.ordered
		return poisson{e.A, m}, err
	case event.KindSelect:
		m, err := b.build(e.Parts[0])
		best := pick(b, false, true)
		b.ordered = b.ordered || best
		return repeated{runLaw(e.A, e.B), best, b.neighbor(), m}, err
	case event.KindFixedBatches, event.KindShuffledBatches, event.KindAllocation:
		return b.inSteps(e)
	case event.KindWithoutReplacement, event.KindTruncatedPoisson:
		m, err := b.build(e.Parts[0])
		if e.Kind == event.KindWithoutReplacement {
			return fixedSize{int(e.B), int(e.Count), m}, err
		}
		return truncated{e.A, int(e.B), int(e.Count), pick(b, absent, other), m}, err
	case event.KindWithReplacement:
		m, err := b.build(e.Parts[0])
		return redrawn{int(e.B), int(e.Count), m}, err
	case event.KindShuffledReports:
		return b.reports(e), nil
	case event.KindThreshold:
		return b.partition(e)
	case event.KindMatrix:
		// The squared sensitivity is the number of tree nodes that contain a record.
		nodes := math.Round(e.Rows[0][1] * e.Rows[0][1])
		if math.Abs(math.Sqrt(nodes)-e.Rows[0][1]) > 1e-12 || nodes < 1 || nodes > 16 {
			return nil, fmt.Errorf("%s: only square roots of 1 to 16 have a simulator", e)
		}
		all := composed{}
		for range int(nodes) {
			all = append(all, gaussian(e.A, e.Sensitivity))
		}
		return all, nil
	}
	return b.leaf(e)
}

func (b *builder) composed(parts []event.Event) (mechanism, error) {
	var all composed
	for _, p := range parts {
		m, err := b.build(p)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func (b *builder) inSteps(e event.Event) (mechanism, error) {
	m, err := b.build(e.Parts[0])
	s := steps{count: int(e.Count), sets: [][]int{{0}}, of: m}
	switch e.Kind {
	case event.KindShuffledBatches:
		s.sets = subsets(int(e.Count), 1)
		if _, ok := m.(noise); ok {
			s.others = pick(b, absent, other)
		}
	case event.KindAllocation:
		s.sets = subsets(int(e.Count), int(e.B))
	}
	return s, err
}

func (b *builder) partition(e event.Event) (mechanism, error) {
	of := e.Parts[0]
	law := laplace(of.A, of.Sensitivity)
	below := func(z float64) float64 { return laplaceBelow(z / of.A) }
	if of.Kind == event.KindGaussian {
		law = gaussian(of.A, of.Sensitivity)
		below = func(z float64) float64 { return math.Erfc(-z/of.A/math.Sqrt2) / 2 }
	}
	// The old partitions are so large that nearly all samples of them are above the threshold.
	wanted := (e.B + 6*of.A) / of.Sensitivity
	members := math.Ceil(wanted/b.q + 4*math.Sqrt(wanted*(1-b.q))/b.q)
	if members > 500 {
		return nil, fmt.Errorf("%s: partitions of more than 500 records have no simulator", e)
	}
	return newPartition(law, e.B, below, pick(b, 0, int(members)), b.q), nil
}

// reports returns shuffled randomized response. Any ε₀-DP randomizer may be one with two or three categories.
func (b *builder) reports(e event.Event) mechanism {
	of, k := e.Parts[0], int(e.Parts[0].B)
	if of.Kind == event.KindPure {
		k = pick(b, 2, 3)
		return newShuffled(int(e.Count), of.A, k, k > 2)
	}
	return newShuffled(int(e.Count), of.A, k, k > 2 && pick(b, true, false))
}

func (b *builder) leaf(e event.Event) (mechanism, error) {
	switch e.Kind {
	case event.KindGaussian:
		return gaussian(e.A, e.Sensitivity), nil
	case event.KindLaplace:
		return laplace(e.A, e.Sensitivity), nil
	case event.KindDiscreteLaplace:
		return discreteLaplace(e.A, e.Sensitivity), nil
	case event.KindDiscreteGaussian:
		return discreteGaussian(e.A, e.Sensitivity), nil
	case event.KindTruncatedLaplace:
		return truncatedLaplace(e.A, e.B, e.Sensitivity), nil
	case event.KindUniform:
		return uniform(e.A, e.Sensitivity), nil
	case event.KindMixture:
		return byChance{gaussian(e.A, e.Sensitivity), e.Rows}, nil
	case event.KindConcentrated: // a Gaussian has the largest Rényi divergences
		return gaussian(1/math.Sqrt(2*e.A)*map[bool]float64{false: 1, true: 2}[b.adjacency == event.ReplaceOne], 1), nil
	case event.KindRandomizedResponse:
		k, fixed := int(e.B), 1
		if k > 2 {
			fixed = pick(b, 1, k-1)
		}
		return randomizedResponse(e.A, k, fixed), nil
	case event.KindExponential:
		return exponential(e.A, pick(b, steepest(e.A, b.epsilon), e.A/2), b.revealed()), nil
	case event.KindPure:
		p := odds(e.A)
		return between(coin(p), coin(1-p), b.revealed()), nil
	case event.KindApproximate:
		return leaking(e.A, e.B, b.revealed()), nil
	case event.KindTable:
		var p, q []float64
		for _, row := range e.Rows {
			p, q = append(p, row[0]), append(q, row[1])
		}
		return between(p, q, b.revealed()), nil
	case event.KindPermuteAndFlip:
		return permuteAndFlip(e.A, pick(b, b.epsilon, 0), b.revealed()), nil
	case event.KindNoisyArgmax:
		return noisyArgmax(e.A, b.revealed()), nil
	case event.KindSparseVector:
		return sparseVector{1 / e.A, 2 * float64(e.Count) / e.B, int(e.Count), e.Sensitivity / 2, b.revealed(),
			map[counts]float64{}}, nil
	}
	return nil, fmt.Errorf("%s has no simulator", e)
}
