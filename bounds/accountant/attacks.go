package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// Advantage brackets the largest difference between the true-positive and the false-positive rate of a test
// of membership: δ(0), the total variation between the output laws.
func (p *Profile) Advantage() Bracket { return p.points[0].Bracket }

// Guess brackets the probability of a right guess whether a record is in the data, by the best attacker who knows
// everything else and to whom it is in with the given prior probability, in (0, 1). Of the priors p and 1 − p
// let q be the smaller one; it is
//
//	1 − q + q·δ(log((1 − q)/q)),
//
// as the best test weighs a false alarm (1 − q)/q times a miss, or the other way round.
func (p *Profile) Guess(prior float64) (Bracket, error) {
	if !(prior > 0 && prior < 1) {
		return Bracket{}, event.DomainError("prior %v, it must be in (0, 1)", prior)
	}
	rare := math.Min(prior, 1-prior)
	d, err := p.ask(math.Min(farthest, math.Max(0, math.Log1p(-rare)-math.Log(rare))))
	if err != nil {
		return Bracket{}, err
	}
	// As a function of the odds δ has a slope in [−1, 0]: their rounding times the rarer prior is below it.
	guess := func(delta, by float64) float64 { return math.Min(1, (1-rare+rare*delta)*(1+by)+by) }
	return Bracket{Lower: math.Max(1-rare, guess(d.Lower, -fewPoints)), Estimate: guess(d.Estimate, 0),
		Upper: guess(d.Upper, fewPoints)}, nil
}

// TradeOff brackets f(alpha), the least type II error of a test of type I error alpha in [0, 1]. Points are
// added where the bracket is wide for lack of them.
func (p *Profile) TradeOff(alpha float64) (Bracket, error) {
	if !(alpha >= 0 && alpha <= 1) {
		return Bracket{}, event.DomainError("an error or a rate of %v, it must be in [0, 1]", alpha)
	}
	err := p.refine(func() (int, bool) {
		low, _ := p.tradeOffAbove(alpha)
		high, i := p.tradeOffBelow(alpha)
		scale := 1.0
		if alpha > high { // f is from its mirror image there
			scale = math.Exp(-p.points[i].At)
		}
		return i, high-low > narrow*math.Min(1-low, math.Max(high, alpha)) && high-low > 4*scale*p.own(i)
	})
	return p.tradeOff(alpha), err
}

// Power brackets the largest true-positive rate of a test of membership whose false-positive rate is at most
// alpha in [0, 1]: 1 − f(alpha). It is also the bound of Hayes, Mahloujifar & Balle (2023, Theorem 2) on the
// probability of a reconstruction that succeeds with probability alpha without the release.
func (p *Profile) Power(alpha float64) (Bracket, error) {
	f, err := p.TradeOff(alpha)
	return Bracket{Lower: math.Max(alpha, 1-f.Upper-fewPoints), Estimate: math.Max(alpha, 1-f.Estimate),
		Upper: math.Min(1, 1-f.Lower+fewPoints)}, err
}

// Attacks are what an attacker can do at most who knows everything but one record, from both sides: the truth
// lies between, and no attack is beyond the upper end.
type Attacks struct {
	Prior          float64 // probability of being in the data, or of a right guess, before the release
	Advantage      Bracket // true-positive less false-positive rate
	Guess          Bracket // probability of a right guess of membership
	Reconstruction Bracket // bound on the probability of a right guess of the record
	Rates          []Point // true-positive rate at false-positive rates
}

// Attacks computes all figures at a prior in (0, 1) and at false-positive rates in [0, 1].
func (p *Profile) Attacks(prior float64, rates []float64) (a Attacks, err error) {
	a.Prior, a.Advantage = prior, p.Advantage()
	if a.Guess, err = p.Guess(prior); err != nil {
		return a, err
	}
	if a.Reconstruction, err = p.Power(prior); err != nil {
		return a, err
	}
	for _, rate := range rates {
		b, err := p.Power(rate)
		if err != nil {
			return a, err
		}
		a.Rates = append(a.Rates, Point{rate, b})
	}
	return a, nil
}

// own is the width that the points at both ends of an interval have themselves: no point between them
// narrows what that makes wide.
func (p *Profile) own(interval int) float64 {
	width := p.points[interval].Width()
	if interval+1 < len(p.points) {
		width = math.Max(width, p.points[interval+1].Width())
	}
	return width
}

const (
	narrow   = 1e-3 // relative width at which a bracket is not refined any more
	mostAsks = 12   // points that one question may add
)

// refine divides the interval that wide names, from the point of that index to the next, until it is
// content. Beyond the last point it goes on with the step before.
func (p *Profile) refine(wide func() (interval int, more bool)) error {
	for range mostAsks {
		i, more := wide()
		if !more {
			return nil
		}
		from, to := p.points[i].At, 0.0
		if last := len(p.points) - 1; i < last {
			to = p.points[i+1].At
		} else {
			to = math.Min(farthest, from+2*(from-p.points[last-1].At))
		}
		middle := (from + to) / 2
		if !(middle > from && to-from > 1e-9*to) {
			return nil
		}
		if _, err := p.ask(middle); err != nil {
			return err
		}
	}
	return nil
}
