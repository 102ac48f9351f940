package accountant

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// The rule for whole curves needs no pair: from data set to data set, the records of a group change one at a time. So
// k steps with the δ of one record give δ_k(kε) ≤ δ(ε)·(e^{kε} − 1)/(e^ε − 1), for every release. The release must have
// this δ(ε) at every data set on the way.

// chained returns an error if the account of one record does not hold at every data set between neighbors. If records
// are removed one at a time, the numbers of records in the event decrease, and smaller data sets are sampled more.
func (p *profile) chained() error {
	var counts func(event.Event) bool
	counts = func(e event.Event) bool {
		return e.Kind == event.KindWithoutReplacement || e.Kind == event.KindTruncatedPoisson ||
			slices.ContainsFunc(e.Parts, counts)
	}
	if p.adjacency == event.AddRemove && counts(p.single) {
		return event.DomainError("a group of %d in %s: its number of records holds for one of the data sets between "+
			"neighbors; use replace-one", p.group, p.single)
	}
	return nil
}

// curveProfile returns the profile of a group without the terms.
func curveProfile(e event.Event, adj event.Adjacency) (*profile, error) {
	p, err := newProfile(e.Parts[0], adj)
	if err != nil {
		return nil, err
	}
	p.group, p.terms, p.ruleless = e.Count, nil, true
	p.assumeGroup()
	return p, p.chained()
}

// account is one of the functions Epsilons and Deltas.
type account func(event.Event, event.Adjacency, float64, Options) ([]Result, error)

// ofOne returns the best account of one record.
func (p *profile) ofOne(ask account, x float64, w Precision) (Bracket, error) {
	results, err := ask(p.single, p.adjacency, x, Options{Methods: []string{"best"}, Precision: w})
	if err != nil {
		return Bracket{}, err
	}
	return results[0].Bracket, nil
}

// groupDelta bounds δ of the group by δ of one record at ε/k.
func (p *profile) groupDelta(epsilon float64, w Precision) (Bracket, error) {
	if !p.ruleless {
		return Bracket{}, ErrNotApplicable
	}
	one := epsilon / float64(p.group) * (1 - 2*unit)
	b, err := p.ofOne(p.deltas, one, w)
	if err != nil {
		return Bracket{}, err
	}
	// The factor increases with ε, so a slightly larger ε in it is an upper bound too.
	return above(math.Min(1, b.Upper*groupFactor(float64(p.group), one*(1+4*unit))*(1+4*unit))), nil
}

// groupEpsilon bounds ε of the group by kε of one record at a smaller δ. Any δ for which the rule holds proves a bound;
// a larger one proves a better bound.
func (p *profile) groupEpsilon(delta float64, w Precision) (Bracket, error) {
	if !p.ruleless {
		return Bracket{}, ErrNotApplicable
	}
	if delta == 1 {
		return Bracket{}, nil
	}
	k := float64(p.group)
	best, err := p.ofOne(p.epsilons, 0, w)
	if err != nil {
		return Bracket{}, err
	}
	upper := best.Upper
	proves := func(log float64) (bool, error) {
		small := math.Exp(log)
		b, err := p.ofOne(p.epsilons, small, w)
		if err != nil {
			return false, err
		}
		if ok := small*groupFactor(k, b.Upper)*(1+4*unit) <= delta; !ok {
			return false, nil
		}
		upper = math.Min(upper, b.Upper)
		return true, nil
	}
	// The rule fails near δ and, if it holds at all, holds at some smaller δ. Steps from δ grow until it does.
	const rounds = 12
	top := math.Log(delta) - math.Log(k)
	near, far := 0.0, 0.0
	for step := 0.5; far == 0; step *= 2 {
		if top-step < math.Log(leastDelta) {
			return above(upper * k * (1 + 4*unit)), nil
		}
		ok, err := proves(top - step)
		if err != nil {
			return Bracket{}, err
		}
		if ok {
			far = step
		} else {
			near = step
		}
	}
	for range rounds {
		middle := (near + far) / 2
		ok, err := proves(top - middle)
		if err != nil {
			return Bracket{}, err
		}
		if ok {
			far = middle
		} else {
			near = middle
		}
	}
	return above(upper * k * (1 + 4*unit)), nil
}

// oneRecord returns the lower end for a group of one record. It is used if the rules for the group do not give
// both ends exactly.
func (p *profile) oneRecord(ask account, x float64, w Precision, limit float64) (Bracket, error) {
	exact := !p.ruleless && !p.upperOnly && p.only(func(l leaf) bool { return !l.between() })
	if p.group <= 1 || exact {
		return Bracket{}, ErrNotApplicable
	}
	b, err := p.ofOne(ask, x, w)
	return Bracket{b.Lower, b.Lower, limit}, err
}

// groupMethods are the rows of the table of bounds that a group adds.
func groupMethods() []method {
	return []method{
		{
			name: "group", group: true, theorem: "one record at a time, for the whole release: δ of the group at kε is " +
				"at most (e^{kε} − 1)/(e^ε − 1) times δ of one record at ε (Vadhan 2017)",
			epsilon: (*profile).groupEpsilon, delta: (*profile).groupDelta,
		},
		{
			name: "one-record", group: true, theorem: "a group of one record: a lower bound",
			epsilon: func(p *profile, delta float64, w Precision) (Bracket, error) {
				return p.oneRecord(p.epsilons, delta, w, math.Inf(1))
			},
			delta: func(p *profile, epsilon float64, w Precision) (Bracket, error) {
				return p.oneRecord(p.deltas, epsilon, w, 1)
			},
		},
	}
}
