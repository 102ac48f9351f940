package accountant

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/pair"
	"github.com/dpverify/dpverify/bounds/internal/solve"
)

// pairLeaf brings a mechanism that is known by its dominating pair into normal form.
func (p *profile) pairLeaf(e event.Event, q float64) (leaf, error) {
	switch {
	case e.Kind == event.KindMatrix:
		p.assume(fmt.Sprintf("%s: a record contributes at most the clip norm to each step in which it takes part; what it "+
			"contributes may depend on earlier releases (Denisov et al. 2022)", e))
	case e.Kind == event.KindMixture:
		p.assume(fmt.Sprintf("%s: a record or group contributes at most a shift times %g, by the weights", e, e.Sensitivity))
	case e.Kind.HasNoise():
		p.assume(fmt.Sprintf("%s: one record contributes at most %g", e, e.Sensitivity))
	default:
		p.assume(fmt.Sprintf("%s: its guarantee is stated for %s", e, p.adjacency))
	}
	opposed := e.Kind == event.KindMatrix && q < 1 && p.adjacency == event.ReplaceOne
	if e.Kind == event.KindMixture && p.adjacency == event.ReplaceOne {
		return leaf{}, event.DomainError("gaussian-mixture: what takes the place of a record or group is another mixture; " +
			"ask for add-or-remove-one")
	}
	if q < 1 && p.adjacency == event.ReplaceOne && !opposed {
		return leaf{}, event.DomainError("%s: sampling under replace-one needs what an absent record does, which a pair "+
			"does not say; ask for add-or-remove-one", event.KindNames[e.Kind])
	}
	name := fmt.Sprintf("%#v %v", e, q)
	if known, ok := p.named[name]; ok {
		return leaf{kind: e.Kind, q: q, name: name, pair: known}, nil
	}
	if e.Kind.HasNoise() && p.adjacency == event.ReplaceOne && !opposed {
		p.warn("replace-one moves a sum by twice the contribution bound: noise calibrated to add/remove hides half as much")
		e.Sensitivity *= 2
		if e.Kind == event.KindDiscreteGaussian {
			e.Sensitivity = 2 * math.Floor(e.Sensitivity/2)
		}
	}
	if e.Kind == event.KindThreshold && p.adjacency == event.ReplaceOne {
		return leaf{}, event.DomainError("threshold: a replaced record leaves one partition and joins another; ask for " +
			"add-or-remove-one, and compose two")
	}
	law, err := pairOf(e)
	if opposed && err == nil {
		law, err = matrixOf(e, q, true)
	} else if err == nil && q < 1 {
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
	case event.KindTable:
		return tableOf(e.Rows)
	case event.KindMatrix:
		return matrixOf(e, 1, false)
	}
	return lawOf(e)
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

// between tells a pair that is known between two others.
func (l leaf) between() bool {
	_, ok := l.pair.(*pair.Bracketed)
	return ok || l.kind == event.KindExponential
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

// oneRun is the δ at ε of one run of a mechanism that is known by its pair.
func (p *profile) oneRun() (delta func(epsilon float64) (pair.Interval, bool), err error) {
	if len(p.terms) != 1 || p.terms[0].count != 1 || p.terms[0].pair == nil {
		return nil, ErrNotApplicable
	}
	law := p.terms[0].pair
	if _, ok := divergenceOf(law, 1); !ok {
		return nil, ErrNotApplicable
	}
	return func(epsilon float64) (pair.Interval, bool) { return divergenceOf(law, epsilon) }, nil
}

// divergenceOf is the hockey-stick divergence of a pair where it is a sum or has a formula.
func divergenceOf(law pair.Pair, epsilon float64) (d pair.Interval, ok bool) {
	var b Bracket
	var err error
	switch l := law.(type) {
	case *pair.Finite:
		return l.Delta(epsilon), true
	case *pair.Bracketed:
		above, ok := divergenceOf(l.Above, epsilon)
		below, okBelow := divergenceOf(l.Below, epsilon)
		return pair.Interval{Low: below.Low, High: above.High}, ok && okBelow
	case *pair.Losing:
		of, ok := divergenceOf(l.Of, epsilon)
		lose := func(chance, d float64) float64 { return chance + (1-chance)*d }
		least, most := lose(l.Chance.Low, of.Low)*(1-1e-15), lose(l.Chance.High, of.High)*(1+1e-15)
		return pair.Interval{Low: least, High: most}, ok
	case *pair.Normal:
		if l.Rest > 0 || len(l.Shifts) > 1 || l.Opposed {
			return d, false
		}
		b, err := GDP{l.Shifts[0].Mu}.Delta(epsilon)
		return pair.Interval{Low: b.Lower, High: b.Upper}, err == nil
	case *mechanism:
		switch {
		case l.q < 1:
			return d, false
		case l.kind == event.KindGaussian:
			b, err = GDP{l.a}.Delta(epsilon)
		case l.kind == event.KindLaplace:
			b, err = LaplaceDelta(l.a, epsilon)
		case l.kind == event.KindPure:
			b, err = OptimalComposition{l.a, 0, 1}.Delta(epsilon)
		default:
			return d, false
		}
		return pair.Interval{Low: b.Lower, High: b.Upper}, err == nil
	}
	return d, false
}

func (p *profile) oneRunDelta(epsilon float64) (Bracket, error) {
	delta, err := p.oneRun()
	if err != nil {
		return Bracket{}, err
	}
	d, _ := delta(epsilon)
	return p.oneSided(Bracket{d.Low, (d.Low + d.High) / 2, d.High}).clampDelta(), nil
}

func (p *profile) oneRunEpsilon(target float64) (Bracket, error) {
	delta, err := p.oneRun()
	if err != nil || target == 0 {
		return Bracket{}, ErrNotApplicable
	}
	most := 1 + pureEpsilon(p.terms[0].leaf)
	if math.IsInf(most, 1) {
		most = 1500
	}
	if d, _ := delta(most); d.Low > target {
		if math.IsInf(pureEpsilon(p.terms[0].leaf), 1) && !(p.lost().Low > target) {
			return Bracket{}, ErrNotApplicable // ε is finite, and larger than what is looked at
		}
		return Bracket{math.Inf(1), math.Inf(1), math.Inf(1)}, nil
	} else if d.High > target {
		most = math.Inf(1)
	}
	b := Bracket{Upper: most}
	if !math.IsInf(most, 1) {
		b.Upper = solve.Falling(func(e float64) float64 { d, _ := delta(e); return d.High - target }, 0, most)
		most = b.Upper
	} else {
		most = 1501
	}
	// Of the lower end the side is wanted on which δ is certainly larger.
	if d, _ := delta(0); d.Low > target {
		b.Lower = -solve.Falling(func(minus float64) float64 { d, _ := delta(-minus); return target - d.Low }, -most, 0)
	}
	b.Estimate = b.Lower
	if !math.IsInf(b.Upper, 1) {
		b.Estimate = (b.Lower + b.Upper) / 2
	}
	return p.oneSided(b), nil
}
