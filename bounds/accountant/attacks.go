package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// Advantage brackets the maximum of true-positive rate minus false-positive rate over all membership tests. It equals
// δ(0), the total variation distance between the output distributions.
func (p *Profile) Advantage() Bracket { return p.points[0].Bracket }

// Guess brackets the probability that the best attacker correctly guesses whether a record is in the data. The attacker
// knows everything except this record. The record is in the data with the given prior probability in (0, 1). Let q =
// min(prior, 1 − prior). The probability is
//
//	1 − q + q·δ(log((1 − q)/q)),
//
// because the best test weighs one kind of error (1 − q)/q times as much as the other. If δ depends on the order of the
// neighbors, this is the larger probability of both orders.
func (p *Profile) Guess(prior float64) (Bracket, error) {
	if !(prior > 0 && prior < 1) {
		return Bracket{}, event.DomainError("prior %v, it must be in (0, 1)", prior)
	}
	rare := math.Min(prior, 1-prior)
	d, err := p.ask(math.Min(farthest, math.Max(0, math.Log1p(-rare)-math.Log(rare))))
	if err != nil {
		return Bracket{}, err
	}
	// δ as a function of the odds has slope in [−1, 0]. The rounding error of the odds times the smaller prior is below
	// slack.
	guess := func(delta, slack float64) float64 { return math.Min(1, (1-rare+rare*delta)*(1+slack)+slack) }
	return Bracket{Lower: math.Max(1-rare, guess(d.Lower, -fewPoints)), Estimate: guess(d.Estimate, 0),
		Upper: guess(d.Upper, fewPoints)}, nil
}

// TradeOff brackets f(alpha), the smallest type II error of a test with type I error alpha in [0, 1]. It evaluates
// further points if the bracket is wide because points are missing.
func (p *Profile) TradeOff(alpha float64) (Bracket, error) {
	if !(alpha >= 0 && alpha <= 1) {
		return Bracket{}, event.DomainError("an error or a rate of %v, it must be in [0, 1]", alpha)
	}
	err := p.refine(func() (int, bool) {
		low, _ := p.tradeOffAbove(alpha)
		high, i := p.tradeOffBelow(alpha)
		scale := 1.0
		if alpha > high { // there f comes from its mirror image
			scale = math.Exp(-p.points[i].At)
		}
		return i, high-low > narrow*math.Min(1-low, math.Max(high, alpha)) && high-low > 4*scale*p.own(i)
	})
	return p.tradeOff(alpha), err
}

// Power brackets 1 − f(alpha), an upper bound on the true-positive rate of a membership test whose false-positive rate
// is at most alpha in [0, 1]. See Attacks for when a test reaches it. It also bounds the success of a reconstruction
// that succeeds with probability alpha without the release (Hayes, Mahloujifar & Balle 2023, Theorem 2).
func (p *Profile) Power(alpha float64) (Bracket, error) {
	f, err := p.TradeOff(alpha)
	return Bracket{Lower: math.Max(alpha, 1-f.Upper-fewPoints), Estimate: math.Max(alpha, 1-f.Estimate),
		Upper: math.Min(1, 1-f.Lower+fewPoints)}, err
}

// Attacks contains the maximum success of attackers who know everything except one record. No attack exceeds an upper
// end. Some test reaches the lower end of Advantage. Some test reaches the lower ends of Guess and Rates if both orders
// of the worst neighbors have the same trade-off function. Otherwise, as for Poisson sampling under AddRemove, the
// curve is the maximum over both orders, and a test in one order may not reach them.
type Attacks struct {
	Prior          float64 // probability, before the release, that the record is in the data, or of guessing its value
	Advantage      Bracket // true-positive rate minus false-positive rate
	Guess          Bracket // probability of a correct membership guess
	Reconstruction Bracket // bound on the probability of guessing the record
	Rates          []Point // true-positive rates at the given false-positive rates
}

// Attacks computes all brackets at a prior in (0, 1) and false-positive rates in [0, 1].
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

// own returns the larger width of the brackets at both ends of an interval. A point inside the interval cannot narrow
// an uncertainty of this size.
func (p *Profile) own(interval int) float64 {
	width := p.points[interval].Width()
	if interval+1 < len(p.points) {
		width = math.Max(width, p.points[interval+1].Width())
	}
	return width
}

const (
	narrow   = 1e-3 // relative width of a sufficiently narrow bracket
	mostAsks = 12   // maximum number of points that one question adds
)

// refine bisects the interval that wide returns, until wide returns false. interval is the index of the interval's
// first point. After the last point, it continues with the previous step.
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
