package replay

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/privacy"
)

// most is the largest privacy loss of a call for neighbours within its sensitivity; 0 of coins.
func most(c Call) float64 {
	ratio := c.Sensitivity / c.Scale
	switch {
	case coin(c.Kind), c.Sensitivity == 0:
		return 0
	case c.Kind == primitive.Gaussian, c.Kind == primitive.DiscreteGaussian:
		return math.Inf(1)
	case c.Kind == primitive.Exponential, c.Kind == primitive.NoisyMax:
		return 2 * ratio
	}
	return ratio
}

// declared is the cost of a call for all neighbours within its sensitivity.
func declared(c Call) event.Event {
	ratio := c.Sensitivity / c.Scale
	switch {
	case c.Kind == primitive.Laplace:
		return event.Laplace(1 / ratio)
	case c.Kind == primitive.Gaussian:
		return event.Gaussian(1 / ratio)
	case c.Kind == primitive.DiscreteGaussian:
		return event.Concentrated(ratio * ratio / 2)
	case c.Kind == primitive.DiscreteLaplace && c.Sensitivity == 1:
		return event.DiscreteLaplace(ratio)
	case c.Kind == primitive.Exponential:
		return event.Exponential(most(c))
	}
	return event.Pure(most(c))
}

// certain is how far apart what a call is given is, at least, and at most what it declares: what is beyond that is
// told by another part.
func certain(x Call, m move) float64 {
	return math.Min(math.Max(0, m.distance-m.slack), x.Sensitivity)
}

// least is the largest privacy loss of a call between what it is given in A and in B: no less, and 0 where
// nothing is known of it.
func least(x, y Call, m move) float64 {
	d := certain(x, m)
	if d == 0 {
		return 0
	}
	switch x.Kind {
	case primitive.Laplace, primitive.L2Laplace, primitive.DiscreteLaplace, primitive.RandomizedResponse:
		return d / x.Scale
	case primitive.Exponential:
		return math.Min(math.Max(0, choiceLoss(x, y)-2*m.slack/x.Scale), most(x))
	case primitive.Gaussian, primitive.DiscreteGaussian:
		return math.Inf(1)
	}
	return 0
}

// mostEntries of a vector are accounted for one by one, the largest: to leave out others keeps what is left a
// lower bound.
const mostEntries = 64

// observed are events of a law that the call has between what it is given in A and in B; none where it is not
// known.
func observed(x, y Call, m move) (events []event.Event) {
	d := certain(x, m)
	switch {
	case d == 0:
	case x.Kind == primitive.Laplace:
		distances := make([]float64, len(x.Value))
		for i, v := range x.Value {
			distances[i] = (math.Abs(v-y.Value[i]) - m.slack) * math.Min(1, x.Sensitivity/m.distance)
		}
		slices.SortFunc(distances, func(a, b float64) int { return cmp.Compare(b, a) })
		for _, d := range distances[:min(mostEntries, len(distances))] {
			if d > 0 {
				events = append(events, event.Laplace(x.Scale/d))
			}
		}
	case x.Kind == primitive.Gaussian:
		events = append(events, event.Gaussian(x.Scale/d))
	case x.Kind == primitive.DiscreteLaplace && m.distance == 1:
		events = append(events, event.DiscreteLaplace(1/x.Scale))
	}
	return events
}

// choiceLogs are the log probabilities of the indices of a call of the exponential mechanism.
func choiceLogs(c Call) []float64 {
	top := slices.Max(c.Value)
	sum := 0.0
	for _, v := range c.Value {
		sum += math.Exp((v - top) / c.Scale)
	}
	out := make([]float64, len(c.Value))
	for i, v := range c.Value {
		out[i] = (v-top)/c.Scale - math.Log(sum)
	}
	return out
}

// choiceLoss is the largest log ratio of the probabilities of an index under two vectors of scores.
func choiceLoss(x, y Call) float64 {
	worst, p, q := 0.0, choiceLogs(x), choiceLogs(y)
	for i := range p {
		worst = math.Max(worst, math.Abs(p[i]-q[i]))
	}
	return worst
}

// bill is what the calls of a comparison cost.
type bill struct {
	observed, declared accountant.Bracket // of the pair, and of all neighbours
	broken, within     bool               // beyond any doubt
	sampled            bool               // there are coins, which may make it cheaper
	replaced           bool               // of which some are those of a Poisson sample, of as many records in both
	calls              int                // that were given something else
}

// accounts of releases, for a claim.
type accounts struct {
	of     accounting.Quantity
	atMost float64
	known  map[string]accountant.Bracket // by events: most pairs of a search have the same

	samples int // accounts of samples that were made
}

func accountsFor(g privacy.Guarantee) accounts {
	return accounts{of: accounting.QuantityOf(g), atMost: g.Value(), known: map[string]accountant.Bracket{}}
}

// pure tells a claim of ε with δ = 0, to which the law of a primitive matters through its largest loss alone.
func (a *accounts) pure() bool { return a.of == accounting.EpsilonAt(0) }

// resolution returns the relative excess of a cost that is a finding. An output may be rounded to as little as 0.02 of
// the noise without being seen to be, which changes no largest loss, but others by less than this.
func (a *accounts) resolution() float64 {
	if a.pure() {
		return Rounding
	}
	return 1e-4
}

func (a *accounts) bracket(events []event.Event) (accountant.Bracket, error) {
	if len(events) == 0 {
		return accountant.Bracket{}, nil
	}
	e := event.Compose(events...)
	key := e.String()
	if b, ok := a.known[key]; ok {
		return b, nil
	}
	b, err := accounting.Release{Event: e}.Bracket(a.of, accountant.Precision{})
	if err != nil {
		return b, fmt.Errorf("the account of %s: %w", key, err)
	}
	a.known[key] = b
	return b, nil
}

// bill of a comparison whose runs have not parted. Calls after a Poisson sample are taken to be on that sample
// alone.
func (a *accounts) bill(c comparison) (b bill, err error) {
	seen, all := spent{pure: a.pure()}, spent{pure: a.pure()}
	for i, m := range c.moves {
		x, y := c.a.Calls[i], c.b.Calls[i]
		switch {
		case x.Kind == primitive.Public:
		case x.Kind == primitive.Poisson && x.Value[0] != y.Value[0]: // one record more: its coin is the sample's
			seen.sample(x.Scale)
			all.sample(x.Scale)
		case coin(x.Kind):
			b.sampled, b.replaced = true, b.replaced || x.Kind == primitive.Poisson
		default:
			if seen.inSample {
				m = m.coarser(x.Sensitivity)
			}
			seen.add(least(x, y, m), observed(x, y, m)...)
			if x.Sensitivity == NoSensitivity {
				all.add(math.Inf(1))
				all.unknown = true
			} else if x.Sensitivity > 0 {
				all.add(most(x), declared(x))
			}
		}
		if m.distance > 0 {
			b.calls++
		}
	}
	if b.observed, err = a.cost(&seen); err != nil {
		return b, err
	}
	if b.declared, err = a.cost(&all); err != nil {
		return b, err
	}
	b.sampled = b.sampled || seen.unknown
	b.within = b.declared.Upper <= a.atMost*(1+Rounding)
	b.broken = !b.sampled && b.observed.Lower > a.atMost*(1+a.resolution())
	return b, nil
}

// cost of what was spent; one that the accountant does not know, or that is one too many of those that take
// long, is unknown.
func (a *accounts) cost(s *spent) (b accountant.Bracket, err error) {
	wasInSample := s.inSample
	s.end()
	switch {
	case s.unknown:
		return accountant.Bracket{Upper: math.Inf(1)}, nil
	case s.pure:
		return accountant.Bracket{Lower: s.loss, Estimate: s.loss, Upper: s.loss}, nil
	case !wasInSample:
		return a.bracket(s.events)
	}
	if key := event.Compose(s.events...).String(); len(s.events) > 0 && a.known[key] == (accountant.Bracket{}) {
		if a.samples++; a.samples > mostSampled {
			s.unknown = true
			return accountant.Bracket{Upper: math.Inf(1)}, nil
		}
	}
	if b, err = a.bracket(s.events); errors.Is(err, event.ErrDomain) {
		s.unknown = true
		return accountant.Bracket{Upper: math.Inf(1)}, nil
	}
	return b, err
}

// mostSampled accounts of samples are made in a search.
const mostSampled = 40

// spent are losses that add up, or events, those of each sample together.
type spent struct {
	pure, unknown bool
	loss          float64
	events        []event.Event

	inSample   bool
	rate, part float64
	parts      []event.Event
}

func (s *spent) add(loss float64, events ...event.Event) {
	if s.inSample {
		s.part, s.parts = s.part+loss, append(s.parts, events...)
		return
	}
	s.loss, s.events = s.loss+loss, append(s.events, events...)
}

// sample begins a sample of the rate.
func (s *spent) sample(rate float64) {
	s.end()
	s.inSample, s.rate = true, rate
}

// end of a sample: a loss of L becomes ln(1 + q(e^L − 1)).
func (s *spent) end() {
	if s.inSample && s.rate > 0 {
		s.loss += math.Log1p(s.rate * math.Expm1(s.part))
		if len(s.parts) > 0 {
			s.events = append(s.events, event.Poisson(s.rate, event.Compose(s.parts...)))
		}
	}
	s.inSample, s.part, s.parts = false, 0, nil
}

// coarser is a smaller move, one of 64 up to the sensitivity: the costs of samples take long, and are kept.
func (m move) coarser(sensitivity float64) move {
	if sensitivity == 0 || sensitivity == NoSensitivity || m.distance-m.slack >= sensitivity*(1-Rounding) {
		return m
	}
	m.distance, m.slack = sensitivity/64*math.Floor(64*math.Max(0, m.distance-m.slack)/sensitivity), 0
	return m
}
