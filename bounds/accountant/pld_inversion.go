package accountant

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// inverse is a composition for one order of the neighbors, P against Q or Q against P, in the form that pld.Invert
// needs. See answers for the root in ε.
type inverse struct {
	steps []pld.Step
	theta float64 // tilt: a Rényi order minus one
	// The upper bound of the answer at this tilt: of ε if δ is given, otherwise of log δ.
	renyi   float64
	maxLoss float64 // the largest possible loss
}

// inverseOf returns the composition for one order of the neighbors. ok is false if the transform of some distribution
// is not known.
func (p *profile) inverseOf(reversed bool) (o inverse, ok bool) {
	for _, t := range p.terms {
		var law pld.Law
		maxLoss := math.Inf(1)
		switch {
		case t.kind == event.KindGaussian && t.q == 1:
			law = pld.Gaussian{Mu: t.a}
		case t.kind == event.KindGaussian:
			law = pld.Sampled{Mu: t.a, Q: t.q, Reversed: reversed && !t.opposed, Opposed: t.opposed}
			if reversed && !t.opposed { // g is at least 1 − q
				maxLoss = -math.Log1p(-t.q)
			}
		case t.kind == event.KindLaplace && t.q == 1:
			law, maxLoss = pld.Laplace{A: t.a}, t.a
		default:
			return o, false
		}
		o.steps = append(o.steps, pld.Step{Law: law, Count: t.count})
		o.maxLoss += t.count * maxLoss
	}
	// Without Gaussians, a lattice may contain all losses exactly.
	return o, p.has(event.KindGaussian)
}

// bound returns an upper bound of the answer, of ε or log δ, by the tight conversion at tilt theta.
func (o *inverse) bound(q question, theta float64) float64 {
	lost := 0.0
	for _, s := range o.steps {
		lost += s.Count * s.Law.Lost()
	}
	k := o.log(theta) + theta*math.Log(theta) - (1+theta)*math.Log1p(theta)
	if q.byEpsilon {
		return numeric.LogAddExp(k-theta*q.epsilon, math.Log(lost))
	}
	logDelta := q.logDelta - q.slack
	return (k - logDelta - math.Log1p(-lost*math.Exp(-logDelta))) / theta
}

// tilt finds the tilt that minimizes bound.
func (o *inverse) tilt(q question, start float64) {
	clamp := func(x float64) float64 { return math.Min(math.Max(math.Exp(x), 1e-6), 1e9) }
	x, _ := numeric.Minimum(func(x float64) float64 { return o.bound(q, clamp(x)) }, math.Log(start), 0.3, 0.06)
	// If δ is near 1, the best tilt is 0. A tilt with hardly any effect serves as well.
	for o.theta = clamp(x); o.theta < 0.05 && o.log(2*o.theta)-2*o.log(o.theta) < 0.01; o.theta *= 2 {
	}
	o.theta = anyNear(o.theta)
	o.renyi = o.bound(q, o.theta)
}

// log returns the logarithm of E[e^{θL}], rounded up.
func (o *inverse) log(theta float64) float64 {
	k := 0.0
	for _, s := range o.steps {
		log, err := s.Law.Moment(theta, 1e-12)
		k += s.Count * (log + err)
	}
	return k
}

// withoutTail omits losses that are so improbable that the answer hardly changes, if they determine the Rényi bound.
func (o inverse) withoutTail(q question, width float64) inverse {
	was := o
	for range 5 {
		logTail := q.logDelta
		if q.byEpsilon {
			logTail = o.renyi - 5
		}
		total := 0.0
		for _, s := range o.steps {
			total += s.Count
		}
		logTail += math.Log(math.Min(1e-2, math.Max(1e-6, 0.02*width*o.theta)) / total)
		cut := inverse{steps: slices.Clone(o.steps), maxLoss: o.maxLoss}
		for i, s := range o.steps {
			if law, ok := s.Law.(pld.Sampled); ok {
				cut.steps[i].Law = law.WithoutTail(logTail, o.theta)
			}
		}
		cut.tilt(q, o.theta)
		if !(cut.theta > 0.8*o.theta) {
			break
		}
		before := o.theta
		// Cut once more if the last cut changed the tilt.
		if o = cut; !(o.theta > 1.1*before) {
			break
		}
	}
	if o.theta < 1.5*was.theta {
		return was
	}
	return o
}

// invert answers by inversion of the transforms. enough reports whether the bracket is as narrow as requested.
func (p *profile) invert(q question, pl plan, w Precision) (b Bracket, enough bool, err error) {
	lower, upper, theta := 0.0, 0.0, pl.theta
	enough = true
	for _, reversed := range []bool{false, true} {
		o, ok := p.inverseOf(reversed)
		if ok {
			ok = o.below(q, theta, lower)
			if ok {
				upper = math.Max(upper, o.proves(q))
				continue // the other order is the worse one
			}
			o.tilt(q, theta)
			ok = o.renyi < math.Inf(1)
		}
		if !ok {
			return Bracket{Upper: math.Inf(1)}, false, nil
		}
		o = o.withoutTail(q, pl.width)
		theta = o.theta
		part, narrow, err := o.bracket(q, pl, w, lower)
		if err != nil {
			return Bracket{}, false, err
		}
		enough = enough && narrow
		lower, upper = math.Max(lower, part.Lower), math.Max(upper, part.Upper)
		if p.only(func(l leaf) bool { return l.q == 1 || l.opposed }) {
			break
		}
	}
	return Bracket{lower, (lower + upper) / 2, upper}, enough, nil
}

// below reports whether a bound at tilt theta, or at a few larger ones, is as low as the lower end known from the other
// order.
func (o *inverse) below(q question, theta, lower float64) bool {
	for o.theta = theta; lower > 0 && o.theta < 4*theta; o.theta *= 1.4 {
		if o.renyi = o.bound(q, o.theta); o.proves(q) <= lower {
			return true
		}
	}
	return false
}

// proves returns the upper bound of the answer from the Rényi bound and the largest loss.
func (o inverse) proves(q question) float64 {
	maxLoss := o.maxLoss * (1 + 1e-12)
	if q.byEpsilon {
		if q.epsilon >= maxLoss {
			return 0
		}
		return math.Exp(math.Min(0, o.renyi+1e-9*math.Abs(o.renyi)))
	}
	return math.Min(maxLoss, math.Max(0, o.renyi)*(1+1e-9)+1e-12/o.theta)
}

// leastWidth is the smallest default target width of ε.
const leastWidth = 2e-4

// little is the work limit up to which a composition is repeated for a width of 1e-4.
const little = 1 << 23

// widest is the width that is sufficient by default if the target width would take much work.
const widest = 1e-3

// bracket reduces the added noise until the bracket is as narrow as requested, and further if that is cheap. An upper
// end below other, the lower end known from the other order, is also sufficient.
func (o inverse) bracket(q question, pl plan, w Precision, other float64) (best Bracket, narrow bool, err error) {
	near, logDelta, aim := o.renyi, q.logDelta, pl.width
	precise := q.byEpsilon || w.Width > 0
	if q.byEpsilon {
		near, logDelta, aim = q.epsilon, o.renyi-5, pl.width*pl.theta/o.theta
	} else if !precise {
		aim = math.Max(leastWidth, math.Min(aim, 5e-4*o.renyi))
	}
	best.Upper = o.proves(q)
	maxPoints := w.points() << 5
	width := math.Min(1, 0.9*aim)
	if other > 0 {
		width = math.Min(1, 64*aim) // a rough bracket is sufficient if this order is the better one
	}
	for range 8 {
		c, err := pld.Invert(o.steps, pld.Plan{
			Theta: o.theta, Spread: math.Sqrt(width / (o.theta + 1)), Near: near, LogDelta: logDelta,
			Most: maxPoints,
		})
		if err != nil {
			break
		}
		b, err := answers(c, q, best.Upper, math.Min(aim, width))
		if err != nil {
			return Bracket{}, false, fmt.Errorf("accountant: %w: %w", err, ErrBreach)
		}
		was := best.Width()
		if best, err = best.Meet(b); err != nil {
			return Bracket{}, false, err
		}
		reached := best.Width()
		switch {
		case q.byEpsilon:
			reached, logDelta = math.Log(best.Upper/best.Lower)/o.theta, math.Log(best.Upper)
		case best.Lower > 0:
			near = (best.Lower + best.Upper) / 2
		default:
			near = best.Upper
		}
		if !precise && best.Lower > 0 {
			aim = math.Max(leastWidth, math.Min(pl.width, 1e-3*best.Upper))
		}
		much := c.Work() > little
		narrow = reached <= aim || best.Upper <= other || !precise && reached <= widest && much
		switch further := math.Max(0.1*pl.width, leastWidth/4); {
		case narrow && (precise || best.Upper <= other || reached <= 1.2*further || width <= further ||
			float64(c.Work())*math.Sqrt(width/further) > little+little/2):
			return best, true, nil
		case narrow:
			width, maxPoints = further, min(maxPoints, 2*little)
		case much && best.Width() > 0.9*was:
			return best, !precise && reached <= widest, nil
		default:
			width = math.Min(width, 64*aim) * math.Max(1.0/64, math.Min(0.5, 0.9*aim/reached))
		}
	}
	return best, narrow || !precise && best.Width() <= widest, nil
}

// answers computes the bounds of δ at ε, or solves for the ε at which they reach δ, with a tolerance much smaller than
// width. The answer is at most limit.
func answers(c *pld.Composition, q question, limit, width float64) (b Bracket, err error) {
	curve := func(epsilon float64) (low, estimate, high float64) {
		low, estimate, high, wrong := c.LogDelta(epsilon)
		err = cmp.Or(err, wrong)
		return low, estimate, high
	}
	if q.byEpsilon {
		low, estimate, high := curve(q.epsilon)
		return Bracket{math.Exp(low), math.Exp(estimate), math.Exp(high)}, err
	}
	tolerance := 1e-3 * width / math.Max(limit, width)
	above := func(epsilon float64) float64 {
		_, _, high := curve(epsilon)
		return high - (q.logDelta - q.slack)
	}
	if b.Upper = limit; !(above(limit) <= 0) {
		return b, err
	}
	b.Upper = numeric.FallingRootTo(above, 0, limit, tolerance)
	below := func(minus float64) float64 {
		low, _, _ := curve(-minus)
		return q.logDelta + q.slack - low
	}
	for step := width; step < 4*b.Upper; step *= 4 {
		if from := math.Max(0, b.Upper-step); below(-from) <= 0 {
			b.Lower = -numeric.FallingRootTo(below, -b.Upper, -from, tolerance)
			break
		}
	}
	return b, err
}
