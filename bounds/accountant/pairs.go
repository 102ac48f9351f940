package accountant

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// pairLeaf returns the normal form of a mechanism that is known by its dominating pair.
func (p *profile) pairLeaf(e event.Event, q float64) (leaf, error) {
	switch {
	case e.Kind == event.KindMatrix:
		p.assume(fmt.Sprintf("%s: a record contributes at most the clip norm to each step in which it takes part; what it "+
			"contributes may depend on earlier releases (Denisov et al. 2022)", e))
	case e.Kind == event.KindMixture:
		p.assume(fmt.Sprintf("%s: a record or group contributes at most a shift times %g, by the weights, and so does one "+
			"that takes its place", e, e.Sensitivity))
	case e.Kind.HasNoise():
		p.assume(fmt.Sprintf("%s: %s contributes at most %g", e, p.subject(), e.Sensitivity))
	default:
		p.assume(fmt.Sprintf("%s: its guarantee is stated for %s", e, p.adjacency))
	}
	if q < 1 && p.adjacency == event.ReplaceOne && !e.Kind.HasNoise() {
		p.assume(blackBoxSample(e))
	}
	if q < 1 && p.adjacency == event.AddRemove && e.Kind == event.KindTable {
		p.assume(fmt.Sprintf("%s: the first column is the distribution with the record, the second without it", e))
	}
	name := fmt.Sprintf("%#v %v", e, q)
	if known, ok := p.named[name]; ok {
		return leaf{kind: e.Kind, q: q, name: name, pair: known}, nil
	}
	law, err := p.pairOf(e, q)
	if err != nil {
		return leaf{}, event.DomainError("%s: %v", event.KindNames[e.Kind], err)
	}
	if p.named == nil {
		p.named = map[string]pld.Pair{}
	}
	p.named[name] = law
	return leaf{kind: e.Kind, q: q, name: name, pair: law}, nil
}

// pairOf returns the pair of a mechanism on a Poisson sample.
func (p *profile) pairOf(e event.Event, q float64) (pld.Pair, error) {
	replaced := p.adjacency == event.ReplaceOne
	if replaced && e.Kind.HasNoise() {
		p.warn("replace-one moves a sum by twice the contribution bound: noise calibrated to add/remove hides half as much")
	}
	switch {
	case e.Kind == event.KindMixture:
		law, err := pld.Mixture(e.A, e.Sensitivity, e.Rows, replaced)
		if err == nil && q < 1 {
			law, err = law.Sampled(q)
		}
		return law, err
	case e.Kind == event.KindMatrix:
		if q == 1 && replaced {
			e.Sensitivity *= 2
		}
		return pld.Shifted(e.Rows[0][0]*e.Sensitivity/e.A, e.Rows[0][1]*e.Sensitivity/e.A, q, q < 1 && replaced)
	case e.Kind == event.KindTable:
		law, err := pld.Table(e.Rows)
		if err != nil {
			return nil, err
		}
		return p.sampledPair(law, q)
	case replaced && e.Kind.HasNoise():
		return replacedNoise(e, q)
	}
	law, err := lawOf(e)
	if err != nil {
		return nil, err
	}
	return p.sampledPair(law, q)
}

// replacedNoise returns the pair of noise on a sum in which a record is replaced. On a sample, δ at ε ≥ 0 is at most q
// times the hockey-stick divergence of the noise against a mixture of the sums without the record and with the other
// record (Balle, Barthe & Gaboardi 2018, Theorem 2). Both are at most twice the sensitivity away, and the noise is
// symmetric and log-concave, so the divergence is largest at that distance. In the lower pair, one of the two records
// contributes nothing.
func replacedNoise(e event.Event, q float64) (pld.Pair, error) {
	twice := e
	if twice.Sensitivity *= 2; e.Kind == event.KindDiscreteGaussian {
		twice.Sensitivity = 2 * math.Floor(e.Sensitivity)
	}
	above, err := lawOf(twice)
	if err != nil || q == 1 {
		return above, err
	}
	if above, err = above.Sampled(q); err != nil {
		return nil, err
	}
	below, err := lawOf(e)
	if err == nil {
		below, err = below.Sampled(q)
	}
	return &pld.Bracketed{Above: pld.NewFolded(above), Below: below}, err
}

// sampledPair returns the pair of a Poisson-sampled mechanism that does not add noise to a sum. A guarantee for
// replaced records says nothing about absent records. The upper pair therefore assumes that the mechanism reveals who
// was sampled.
func (p *profile) sampledPair(law pld.Pair, q float64) (pld.Pair, error) {
	switch {
	case q == 1:
		return law, nil
	case p.adjacency == event.AddRemove:
		return law.Sampled(q)
	}
	return &pld.Bracketed{
		Above: &pld.Revealed{First: pld.Nothing(), Second: law, Chance: q}, Below: pld.Nothing(),
	}, nil
}

// blackBoxSample returns the assumption about a sampled guarantee for replaced records.
func blackBoxSample(e event.Event) string {
	return fmt.Sprintf("%s: stated for replaced records, it may show who was sampled; sampling makes its δ smaller, not "+
		"its ε", e)
}

// between reports whether a pair is only known to be between two others.
func (l leaf) between() bool {
	_, ok := l.pair.(*pld.Bracketed)
	return ok || l.kind == event.KindExponential
}

// lost returns the probabilities of infinite loss of one mechanism, without the δ₀ of approximate mechanisms.
func (l leaf) lost() (p, q pld.Interval) {
	if l.pair == nil {
		return p, q
	}
	return l.pair.Lost()
}

// pureLaw brackets the ε at δ = 0 of a mechanism known by its pair.
func (l leaf) pureLaw() pld.Interval {
	maxLoss, inf := l.pair.Most(), math.Inf(1)
	p, q := l.pair.Lost()
	if p.Low > 0 || q.Low > 0 {
		return pld.Interval{Low: inf, High: inf}
	}
	if p.High > 0 || q.High > 0 {
		maxLoss.High = inf
	}
	return maxLoss
}

// pureAtLeast returns a lower bound of the ε at δ = 0 of a composition with pairs, or +Inf if the profile has no pairs.
// All terms must use the same order of the neighbors, because the losses in each term's worse order do not add up. If a
// term is not symmetric, its Rényi divergence of a large order is a lower bound in each order.
func (p *profile) pureAtLeast() float64 {
	const large = 1e12
	if p.only(func(l leaf) bool { return l.pair == nil }) {
		return math.Inf(1)
	}
	var forth, back float64
	for _, t := range p.terms {
		lower := pureEpsilon(t.leaf) * (1 - 1e-13)
		if t.pair != nil {
			lower = t.pureLaw().Low
		}
		f, b := lower, lower
		if !t.symmetric() && len(p.terms) > 1 && !math.IsInf(lower, 1) {
			f, b = t.renyiLow(large)
		}
		forth, back = forth+t.count*f, back+t.count*b
	}
	return math.Max(forth, back) * (1 - sums(len(p.terms)))
}

// lost brackets the probability that the loss of the composition is infinite, in the worse order of the neighbors,
// without the δ₀ of approximate mechanisms.
func (p *profile) lost() pld.Interval {
	low, high := [2]float64{}, [2]float64{}
	for _, t := range p.terms {
		forth, back := t.lost()
		for i, x := range [2]pld.Interval{forth, back} {
			low[i] += t.count * math.Log1p(-x.Low)
			high[i] += t.count * math.Log1p(-x.High)
		}
	}
	smaller := math.Min(low[0], low[1])
	if !p.upperOnly {
		smaller = math.Min(smaller, p.hidden)
	}
	return pld.Interval{
		Low:  -math.Expm1(smaller) * (1 - roundings),
		High: -math.Expm1(math.Min(high[0], high[1])) * (1 + roundings),
	}
}

// oneRun returns δ as a function of ε for one run of a mechanism that is known by its pair.
func (p *profile) oneRun() (delta func(epsilon float64) (pld.Interval, bool), err error) {
	if len(p.terms) != 1 || p.terms[0].count != 1 || p.terms[0].pair == nil {
		return nil, ErrNotApplicable
	}
	law := p.terms[0].pair
	if _, ok := divergenceOf(law, 1); !ok {
		return nil, ErrNotApplicable
	}
	return func(epsilon float64) (pld.Interval, bool) { return divergenceOf(law, epsilon) }, nil
}

// divergenceOf returns the hockey-stick divergence of a pair if it is a finite sum or has a formula.
func divergenceOf(law pld.Pair, epsilon float64) (d pld.Interval, ok bool) {
	var b Bracket
	var err error
	switch l := law.(type) {
	case *pld.Finite:
		return l.Delta(epsilon), true
	case *pld.Bracketed:
		above, ok := divergenceOf(l.Above, epsilon)
		below, okBelow := divergenceOf(l.Below, epsilon)
		return pld.Interval{Low: below.Low, High: above.High}, ok && okBelow
	case *pld.Instances:
		return divergenceOf(l.Once, epsilon)
	case *pld.Losing:
		delta, ok := divergenceOf(l.Of, epsilon)
		lose := func(chance, d float64) float64 { return chance + (1-chance)*d }
		low, high := lose(l.Chance.Low, delta.Low)*(1-1e-15), lose(l.Chance.High, delta.High)*(1+1e-15)
		return pld.Interval{Low: low, High: high}, ok
	case *pld.Normal:
		if l.Rest > 0 || len(l.Shifts) > 1 || l.Opposed {
			return d, false
		}
		b, err := GDP{l.Shifts[0].Mu}.Delta(epsilon)
		return pld.Interval{Low: b.Lower, High: b.Upper}, err == nil
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
		return pld.Interval{Low: b.Lower, High: b.Upper}, err == nil
	}
	return d, false
}

func (p *profile) oneRunDelta(epsilon float64) (Bracket, error) {
	delta, err := p.oneRun()
	if err != nil {
		return Bracket{}, err
	}
	d, _ := delta(epsilon)
	d.Low = math.Max(d.Low, p.lost().Low)
	return p.oneSided(Bracket{d.Low, (d.Low + d.High) / 2, d.High}).clampDelta(), nil
}

func (p *profile) oneRunEpsilon(target float64) (Bracket, error) {
	delta, err := p.oneRun()
	if err != nil || target == 0 {
		return Bracket{}, ErrNotApplicable
	}
	largest := 1 + pureEpsilon(p.terms[0].leaf)
	if math.IsInf(largest, 1) {
		largest = 1500
	}
	if d, _ := delta(largest); d.Low > target {
		if math.IsInf(pureEpsilon(p.terms[0].leaf), 1) && !(p.lost().Low > target) {
			return Bracket{}, ErrNotApplicable // ε is finite, but larger than the search interval
		}
		return Bracket{math.Inf(1), math.Inf(1), math.Inf(1)}, nil
	} else if d.High > target {
		largest = math.Inf(1)
	}
	b := Bracket{Upper: largest}
	if !math.IsInf(largest, 1) {
		b.Upper = numeric.FallingRoot(func(e float64) float64 { d, _ := delta(e); return d.High - target }, 0, largest)
		largest = b.Upper
	} else {
		largest = 1501
	}
	// At the lower end, δ must certainly be larger than the target.
	if d, _ := delta(0); d.Low > target {
		b.Lower = -numeric.FallingRoot(func(minus float64) float64 { d, _ := delta(-minus); return target - d.Low },
			-largest, 0)
	}
	b.Estimate = b.Lower
	if !math.IsInf(b.Upper, 1) {
		b.Estimate = (b.Lower + b.Upper) / 2
	}
	return p.oneSided(b), nil
}
