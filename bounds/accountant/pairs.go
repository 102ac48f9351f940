package accountant

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/pair"
)

// pairLeaf brings a mechanism that is known by its dominating pair into normal form.
func (p *profile) pairLeaf(e event.Event, q float64) (leaf, error) {
	p.assume(fmt.Sprintf("%s: its guarantee is stated for %s", e, p.adjacency))
	if q < 1 && p.adjacency == event.ReplaceOne {
		return leaf{}, event.DomainError("%s: sampling under replace-one needs what an absent record does, which a pair "+
			"does not say; ask for add-or-remove-one", event.KindNames[e.Kind])
	}
	name := fmt.Sprintf("%s %v %v %v %v %v %v", event.KindNames[e.Kind], e.A, e.B, e.Sensitivity, e.Count, e.Rows, q)
	if known, ok := p.named[name]; ok {
		return leaf{kind: e.Kind, q: q, name: name, pair: known}, nil
	}
	law, err := pairOf(e)
	if err == nil && q < 1 {
		law, err = law.Sampled(q)
	}
	if err != nil {
		return leaf{}, event.DomainError("%s: %v", event.KindNames[e.Kind], err)
	}
	if p.named == nil {
		p.named = map[string]pair.Pair{}
	}
	p.named[name] = law
	return leaf{kind: e.Kind, q: q, name: name, pair: law}, nil
}

// pairOf builds the pair of a mechanism.
func pairOf(e event.Event) (pair.Pair, error) {
	switch e.Kind {
	case event.KindMixture:
		return mixtureOf(e)
	default:
		return tableOf(e.Rows)
	}
}

// mixtureOf is the pair of a mixture of Gaussians, without what does not move the sum.
func mixtureOf(e event.Event) (pair.Pair, error) {
	weights, sum := map[float64]float64{}, 0.0
	for _, row := range e.Rows {
		weights[row[0]/e.A*e.Sensitivity] += row[1]
		sum += row[1]
	}
	n := pair.Normal{Rest: weights[0] / sum}
	for _, mu := range slices.Sorted(maps.Keys(weights)) {
		if w := weights[mu] / sum; mu > 0 && w > 0 {
			n.Shifts = append(n.Shifts, pair.Shift{Mu: mu, Weight: w})
		}
	}
	if len(n.Shifts) == 0 {
		return pair.NewFinite([]pair.Atom{{P: 1, Q: 1}}, 0)
	}
	if most := n.Shifts[len(n.Shifts)-1].Mu; !(most <= 1e8 && n.Shifts[0].Mu >= 1e-100) {
		return nil, fmt.Errorf("shifts of %g to %g standard deviations: want 1e-100 to 1e8", n.Shifts[0].Mu, most)
	}
	return &n, nil
}

// tableOf is the pair of a table, each column divided by its sum.
func tableOf(rows [][2]float64) (pair.Pair, error) {
	var p, q float64
	for _, row := range rows {
		p, q = p+row[0], q+row[1]
	}
	outputs := make([]pair.Atom, len(rows))
	for i, row := range rows {
		outputs[i] = pair.Atom{P: row[0] / p, Q: row[1] / q}
	}
	return pair.NewFinite(outputs, 2*float64(len(rows))*unit)
}

// lost are the masses of infinite loss of one mechanism, those of an approximate one apart.
func (l leaf) lost() (p, q pair.Interval) {
	if l.pair == nil {
		return p, q
	}
	return l.pair.Lost()
}

// pureLaw is the ε at δ = 0 of a mechanism known by its pair.
func (l leaf) pureLaw() pair.Interval {
	most, inf := l.pair.Most(), math.Inf(1)
	p, q := l.pair.Lost()
	if p.Low > 0 || q.Low > 0 {
		return pair.Interval{Low: inf, High: inf}
	}
	if p.High > 0 || q.High > 0 {
		most.High = inf
	}
	return most
}

// pureAtLeast is a lower bound of the ε at δ = 0 of what is known by pairs; +Inf if there is none.
func (p *profile) pureAtLeast() float64 {
	total, inf := 0.0, math.Inf(1)
	if p.only(func(l leaf) bool { return l.pair == nil }) {
		return inf
	}
	for _, t := range p.terms {
		if least := pureEpsilon(t.leaf) * (1 - 1e-13); t.pair == nil {
			total += t.count * least
		} else {
			total += t.count * t.pureLaw().Low
		}
	}
	return total * (1 - 1e-13)
}

// lost is the probability that the loss of the composition is infinite, in the worse order of the
// neighbours; those of approximate mechanisms apart.
func (p *profile) lost() pair.Interval {
	low, high := [2]float64{}, [2]float64{}
	for _, t := range p.terms {
		forth, back := t.lost()
		for i, x := range [2]pair.Interval{forth, back} {
			low[i] += t.count * math.Log1p(-x.Low)
			high[i] += t.count * math.Log1p(-x.High)
		}
	}
	return pair.Interval{
		Low:  -math.Expm1(math.Min(low[0], low[1])) * (1 - roundings),
		High: -math.Expm1(math.Min(high[0], high[1])) * (1 + roundings),
	}
}
