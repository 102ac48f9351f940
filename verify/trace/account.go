package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify/accounted"
	"github.com/dpverify/dpverify/verify/privacy"
)

// most is the largest privacy loss of a call for neighbours within its sensitivity; 0 of coins.
func most(c Call) float64 {
	ratio := c.Sensitivity / c.Scale
	switch {
	case coin(c.Kind):
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

// least is the largest privacy loss of a call between what it is given in A and in B: no less, and 0 where nothing is
// known of it.
func least(x, y Call, m move) float64 {
	d := certain(x, m)
	switch x.Kind {
	case primitive.Laplace, primitive.L2Laplace, primitive.DiscreteLaplace, primitive.RandomizedResponse:
		return d / x.Scale
	case primitive.Exponential:
		return math.Min(math.Max(0, choiceLoss(x, y)-2*m.slack/x.Scale), most(x))
	case primitive.Gaussian, primitive.DiscreteGaussian:
		if d > 0 {
			return math.Inf(1)
		}
	}
	return 0
}

// mostEntries of a vector are accounted for one by one, the largest: to leave out others keeps what is left a lower
// bound.
const mostEntries = 64

// observed are events of a law that the call has between what it is given in A and in B; none where it is not known.
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

// choiceLoss is the largest log ratio of the probabilities of an index under two vectors of scores.
func choiceLoss(x, y Call) float64 {
	logs := func(c Call) []float64 {
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
	worst, p, q := 0.0, logs(x), logs(y)
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
	calls              int                // that were given something else
}

// accounts of releases, for a claim.
type accounts struct {
	of     accounted.Quantity
	atMost float64
	known  map[string]accountant.Bracket // by events: most pairs of a search have the same
}

func accountsFor(g privacy.Guarantee) accounts {
	return accounts{accounted.QuantityOf(g), g.Value(), map[string]accountant.Bracket{}}
}

// pure tells a claim of ε with δ = 0, to which the law of a primitive matters through its largest loss alone.
func (a *accounts) pure() bool { return a.of == accounted.EpsilonAt(0) }

func (a *accounts) bracket(events []event.Event) (accountant.Bracket, error) {
	if len(events) == 0 {
		return accountant.Bracket{}, nil
	}
	e := event.Compose(events...)
	key := e.String()
	if b, ok := a.known[key]; ok {
		return b, nil
	}
	b, err := accounted.Release{Event: e}.Bracket(a.of, accountant.Precision{})
	if err != nil {
		return b, fmt.Errorf("the account of %s: %w", key, err)
	}
	a.known[key] = b
	return b, nil
}

// bill of a comparison whose runs have not parted.
func (a *accounts) bill(c comparison) (b bill, err error) {
	var seen, all []event.Event
	undeclared := false
	for i, m := range c.moves {
		x, y := c.a.Calls[i], c.b.Calls[i]
		switch {
		case x.Kind == primitive.Public:
		case coin(x.Kind):
			b.sampled = true
		case a.pure():
			add(&b.observed, least(x, y, m))
			add(&b.declared, most(x))
		default:
			seen = append(seen, observed(x, y, m)...)
			if x.Sensitivity == NoSensitivity {
				undeclared = true
			} else {
				all = append(all, declared(x))
			}
		}
		if m.distance > 0 {
			b.calls++
		}
	}
	if !a.pure() {
		if b.observed, err = a.bracket(seen); err != nil {
			return b, err
		}
		if undeclared {
			b.declared.Upper = math.Inf(1)
		} else if b.declared, err = a.bracket(all); err != nil {
			return b, err
		}
	}
	b.within = b.declared.Upper <= a.atMost*(1+Rounding)
	b.broken = !b.sampled && b.observed.Lower > a.atMost*(1+Rounding)
	return b, nil
}

// add a loss: those of pure privacy add up.
func add(b *accountant.Bracket, loss float64) {
	b.Lower, b.Estimate, b.Upper = b.Lower+loss, b.Estimate+loss, b.Upper+loss
}
