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

// maxLoss returns the largest privacy loss of a call between any neighbors within its sensitivity; 0 for coins, +Inf
// for Gaussian noise.
func maxLoss(c Call) float64 {
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

// declared returns the accountant's event for a call between any neighbors within its sensitivity.
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
		return event.Exponential(maxLoss(c))
	}
	return event.Pure(maxLoss(c))
}

// distanceBound returns a lower bound on the distance between the values given to a call, at most its declared
// sensitivity. [Sensitivity] reports any excess.
func distanceBound(x Call, m move) float64 {
	return math.Min(math.Max(0, m.distance-m.slack), x.Sensitivity)
}

// lossBound returns a lower bound on the largest privacy loss of a call between its values in A and in B; 0 if none is
// known.
func lossBound(x, y Call, m move) float64 {
	d := distanceBound(x, m)
	if d == 0 {
		return 0
	}
	switch x.Kind {
	case primitive.Laplace, primitive.L2Laplace, primitive.DiscreteLaplace, primitive.RandomizedResponse:
		return d / x.Scale
	case primitive.Exponential:
		return math.Min(math.Max(0, choiceLoss(x, y)-2*m.slack/x.Scale), maxLoss(x))
	case primitive.Gaussian, primitive.DiscreteGaussian:
		return math.Inf(1)
	}
	return 0
}

// maxEntries is the number of vector entries that are accounted for separately, the largest first. Leaving out the
// others keeps the cost a lower bound.
const maxEntries = 64

// observed returns events that the call dominates between its values in A and in B; nil if none is known.
func observed(x, y Call, m move) (events []event.Event) {
	d := distanceBound(x, m)
	switch {
	case d == 0:
	case x.Kind == primitive.Laplace:
		distances := make([]float64, len(x.Value))
		for i, v := range x.Value {
			distances[i] = (math.Abs(v-y.Value[i]) - m.slack) * math.Min(1, x.Sensitivity/m.distance)
		}
		slices.SortFunc(distances, func(a, b float64) int { return cmp.Compare(b, a) })
		for _, d := range distances[:min(maxEntries, len(distances))] {
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

// choiceLogs returns the log probabilities of all indices in a call of the exponential mechanism.
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

// choiceLoss returns the largest log ratio between the probabilities of an index under two score vectors.
func choiceLoss(x, y Call) float64 {
	worst, p, q := 0.0, choiceLogs(x), choiceLogs(y)
	for i := range p {
		worst = math.Max(worst, math.Abs(p[i]-q[i]))
	}
	return worst
}

// bill is the cost of the calls in a comparison.
type bill struct {
	observed, declared accountant.Bracket // by the distances on this pair, and by the declared sensitivities
	broken, within     bool               // observed is above the claim; declared is within the claim
	sampled            bool               // there are random samples or orders, which may reduce the cost
	replaced           bool               // one of them is a Poisson sample of the same number of records in both inputs
	calls              int                // calls that are given different values
}

// accounts computes the costs of releases for one claim.
type accounts struct {
	quantity accounting.Quantity
	atMost   float64                       // the claimed value
	known    map[string]accountant.Bracket // brackets by event: most pairs of a search have the same events

	samples int // brackets computed for events with samples
}

func accountsFor(g privacy.Guarantee) accounts {
	return accounts{quantity: accounting.QuantityOf(g), atMost: g.Value(), known: map[string]accountant.Bracket{}}
}

// pure reports whether the claim has δ = 0. Then only the largest loss of a primitive matters.
func (a *accounts) pure() bool { return a.quantity == accounting.EpsilonAt(0) }

// resolution returns the smallest relative excess over the claim that counts as a finding. The tests may not detect
// that an output is rounded to 0.02 of its noise scale. Such rounding does not change the largest loss, and changes
// other costs by less than 1e-4.
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
	b, err := accounting.Release{Event: e}.Bracket(a.quantity, accountant.Precision{})
	if err != nil {
		return b, fmt.Errorf("the account of %s: %w", key, err)
	}
	a.known[key] = b
	return b, nil
}

// bill accounts for a comparison whose runs made the same calls. Calls after a Poisson sample are assumed to use only
// that sample.
func (a *accounts) bill(c comparison) (b bill, err error) {
	seen, all := spent{pure: a.pure()}, spent{pure: a.pure()}
	for i, m := range c.moves {
		x, y := c.a.Calls[i], c.b.Calls[i]
		switch {
		case x.Kind == primitive.Public:
		case x.Kind == primitive.Poisson && x.Value[0] != y.Value[0]: // the coin of the additional record
			seen.sample(x.Scale)
			all.sample(x.Scale)
		case coin(x.Kind):
			b.sampled, b.replaced = true, b.replaced || x.Kind == primitive.Poisson
		default:
			if seen.inSample {
				m = m.coarser(x.Sensitivity)
			}
			seen.add(lossBound(x, y, m), observed(x, y, m)...)
			if x.Sensitivity == NoSensitivity {
				all.add(math.Inf(1))
				all.unknown = true
			} else if x.Sensitivity > 0 {
				all.add(maxLoss(x), declared(x))
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

// cost returns the bracket of the cost of s. It sets s.unknown if the accountant does not support the events, or if the
// search has already computed maxSampled costs with samples.
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
		if a.samples++; a.samples > maxSampled {
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

// maxSampled is the number of costs with samples that one search computes; each takes long.
const maxSampled = 40

// spent adds up privacy losses (for δ = 0) or events. It collects those after a Poisson sample separately.
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

// sample begins a Poisson sample with the given rate.
func (s *spent) sample(rate float64) {
	s.end()
	s.inSample, s.rate = true, rate
}

// end ends a sample. It amplifies a loss L at rate q to ln(1 + q(e^L − 1)).
func (s *spent) end() {
	if s.inSample && s.rate > 0 {
		s.loss += math.Log1p(s.rate * math.Expm1(s.part))
		if len(s.parts) > 0 {
			s.events = append(s.events, event.Poisson(s.rate, event.Compose(s.parts...)))
		}
	}
	s.inSample, s.part, s.parts = false, 0, nil
}

// coarser rounds a move down to a multiple of 1/64 of the sensitivity. Costs with samples take long to compute, and
// equal moves share one.
func (m move) coarser(sensitivity float64) move {
	if sensitivity == 0 || sensitivity == NoSensitivity || m.distance-m.slack >= sensitivity*(1-Rounding) {
		return m
	}
	m.distance, m.slack = sensitivity/64*math.Floor(64*math.Max(0, m.distance-m.slack)/sensitivity), 0
	return m
}
