package accountant

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
	"github.com/dpverify/dpverify/internal/tolerance"
)

// Precision says how narrow a bracket a privacy-loss distribution is to give.
type Precision struct {
	// Width is the width in ε aimed at (for a question about δ, the relative
	// width); 0 means 1e-3 of the value, between 2e-4 and 1e-3, or less where that is
	// little work. Numerical work grows like
	// its inverse square root. The bracket is certified whatever its width.
	Width float64
	// MaxPoints bounds the lattice, 0 means 2^20: memory is some 200 bytes a point.
	MaxPoints int
}

func (w Precision) points() int {
	if w.MaxPoints > 0 {
		return w.MaxPoints
	}
	return 1 << 20
}

// ErrNotApplicable is wrapped where a method has nothing to say about an event.
var ErrNotApplicable = errors.New("method not applicable")

// leastDelta is the smallest δ for which masses stay clear of underflow.
const leastDelta = 1e-200

// LossEpsilon returns the bracket of ε at δ by privacy-loss distributions:
// certified from both sides. 0 ≤ delta ≤ 1; it is refused (ErrNotApplicable)
// for 0 < δ < 1e-200 and for events with a bare zCDP guarantee.
func LossEpsilon(e event.Event, adj event.Adjacency, delta float64, w Precision) (Bracket, error) {
	p, err := newProfile(e, adj)
	if err != nil {
		return Bracket{}, err
	}
	if !(delta >= 0 && delta <= 1) {
		return Bracket{}, event.DomainError("δ = %v, it must be in [0, 1]", delta)
	}
	b, err := p.lossEpsilon(delta, w)
	b, err = sealedEpsilon("pld", b, err)
	return b, breachOf(err, e)
}

// LossDelta returns the bracket of δ at ε ≥ 0 by privacy-loss distributions. It
// is refused (ErrNotApplicable) where δ is below 1e-200, and as LossEpsilon.
func LossDelta(e event.Event, adj event.Adjacency, epsilon float64, w Precision) (Bracket, error) {
	p, err := newProfile(e, adj)
	if err != nil {
		return Bracket{}, err
	}
	if !(epsilon >= 0) {
		return Bracket{}, event.DomainError("ε = %v, it must be ≥ 0", epsilon)
	}
	b, err := p.lossDelta(epsilon, w)
	b, err = sealedDelta("pld", b, err)
	return b, breachOf(err, e)
}

// withoutLost splits off the δ₀ of approximate mechanisms: the profile of the
// rest, and the probability that any of them fails.
func (p *profile) withoutLost() (*profile, float64) {
	rest, logKept := *p, 0.0
	rest.terms = nil
	for _, t := range p.terms {
		if t.kind == event.KindApproximate {
			logKept += t.count * math.Log1p(-t.b)
			t.b = 0
			if t.a == 0 {
				continue
			}
		}
		rest.terms = append(rest.terms, t)
	}
	return &rest, -math.Expm1(logKept)
}

func (p *profile) lossEpsilon(delta float64, w Precision) (Bracket, error) {
	rest, lost := p.withoutLost()
	if delta == 1 || len(p.terms) == 0 {
		return Bracket{}, nil
	}
	if delta == 0 && lost == 0 {
		b := around(rest.pureTotal(), sums(len(rest.terms)))
		if rest.upperOnly || rest.has(event.KindExponential) {
			b.Lower = 0
		}
		b.Lower = math.Min(b.Lower, rest.pureAtLeast())
		return b, nil
	}
	low, high := remaining(delta, lost)
	inf := math.Inf(1)
	switch {
	case high < 0:
		return Bracket{inf, inf, inf}, nil
	case low <= 0: // finite or not
		return Bracket{0, math.Max(0, rest.pureTotal()), inf}, nil
	}
	if gone := rest.lost(); low <= gone.High && gone.High > 0 {
		if high < gone.Low {
			return Bracket{inf, inf, inf}, nil
		}
		return Bracket{0, inf, inf}, nil
	}
	logLow, logHigh := math.Log(low), math.Log(high)
	b, err := rest.loss(question{logDelta: (logLow + logHigh) / 2, slack: (logHigh-logLow)/2 + roundings*math.Abs(logLow)},
		w)
	if err != nil {
		return Bracket{}, err
	}
	b.Upper = math.Min(b.Upper, rest.pureTotal()*(1+1e-13))
	b.Estimate = math.Min(b.Estimate, b.Upper)
	return rest.oneSided(b), nil
}

func (p *profile) lossDelta(epsilon float64, w Precision) (Bracket, error) {
	rest, lost := p.withoutLost()
	var b Bracket
	if epsilon < rest.pureTotal() && len(rest.terms) > 0 {
		var err error
		if b, err = rest.loss(question{epsilon: epsilon, byEpsilon: true}, w); err != nil {
			return Bracket{}, err
		}
		b = rest.oneSided(b)
		b.Lower = math.Max(b.Lower, rest.lost().Low)
		b.Estimate = math.Max(b.Estimate, b.Lower)
	}
	keep := func(d, slack float64) float64 { return (lost + (1-lost)*d) * (1 + slack) }
	return Bracket{keep(b.Lower, -1e-14), keep(b.Estimate, 0), keep(b.Upper, 1e-14)}.clampDelta(), nil
}

// oneSided drops the lower end where the profile only bounds the event from above.
func (p *profile) oneSided(b Bracket) Bracket {
	if p.upperOnly {
		b.Lower, b.Estimate = 0, b.Upper
	}
	return b
}

func (p *profile) has(k event.Kind) bool { return !p.only(func(l leaf) bool { return l.kind != k }) }

// question asks for ε at δ, or for δ at ε.
type question struct {
	logDelta, epsilon float64
	slack             float64 // relative uncertainty of δ
	byEpsilon         bool
}

// plan is what the Rényi curve tells beforehand about the tail asked for.
type plan struct {
	theta float64 // tilt: the best Rényi order minus one
	width float64 // aim in ε
	tail  float64 // mass that may be cut off each step
	steps float64
	h     float64
	least float64 // the finest lattice that keeps within the points allowed
	fixed bool    // every loss is on the lattice: h is no matter of precision
	cells float64 // number of lattice cells that one step of each mechanism takes
}

func (p *profile) plan(q question, w Precision) (plan, error) {
	var pl plan
	pl.steps = p.steps()
	logDelta, value := q.logDelta, 0.0
	gone := p.lost().High
	if q.byEpsilon {
		logDelta, pl.theta = Tight.LogDelta(p.finiteRenyi, q.epsilon)
		value = 1 / pl.theta // a change of ε by this changes δ by a factor e
		logDelta = math.Max(logDelta, math.Log(gone)-20)
	} else {
		if gone > 0 {
			logDelta = math.Log(math.Exp(logDelta) - gone)
		}
		value, pl.theta = Tight.Epsilon(p.finiteRenyi, math.Exp(logDelta))
		// Next to δ(0) the bound of ε tends to 0, but the lattice need not be that fine: see smallValue.
		value = math.Max(value, smallValue*math.Sqrt(2*p.finiteRenyi(1e-6)))
	}
	if !(logDelta > math.Log(leastDelta)-1e-9) {
		return pl, fmt.Errorf("accountant: privacy-loss distribution at log δ = %.4g, below 1e-200: %w", logDelta,
			ErrNotApplicable)
	}
	pl.theta = anyNear(math.Min(math.Max(pl.theta, 1e-6), 1e9))
	pl.width = 1e-3 * math.Min(1, value)
	if w.Width > 0 {
		pl.width = w.Width
		if q.byEpsilon {
			pl.width = w.Width * value
		}
	}
	// The Rényi bound of δ is rarely more than 1e4 too large.
	pl.tail = math.Exp(math.Min(logDelta, -1)) * 1e-9 / pl.steps
	if q.byEpsilon {
		pl.tail *= 1e-4
	}
	pl.tail = anyNear(pl.tail)
	p.spacing(&pl, w)
	return pl, nil
}

// smallValue is the smallest ε to which the lattice width is proportional, in units of √(2·KL), the standard
// deviation of a loss.
const smallValue = 0.01

// spacing chooses the lattice. Chords add a variance of h²/6 to every step and
// tangents take h²/12, each moving ε by (θ+1)/2 times that: a width of
// (θ+1)h²/8 a step in all.
func (p *profile) spacing(pl *plan, w Precision) {
	rough, grid, aligned := 0.0, 0.0, true
	longest, together := 0.0, 0.0
	for _, t := range p.terms {
		g, ok := t.grid()
		aligned = aligned && ok
		if t.smooth() || !ok {
			rough += t.count
		}
		if ok && g > 0 {
			grid = pld.CommonSpacing(grid, g)
			aligned = aligned && grid > 0
		}
		lo, hi := t.lossRange(pl.tail)
		longest = math.Max(longest, hi-lo)
		together += hi - lo
	}
	if !aligned {
		rough, grid = pl.steps, 0
	}
	pl.least = together / float64(w.points())
	target := anyNear(math.Sqrt(8 * pl.width / ((pl.theta + 1) * math.Max(1, rough))))
	target = math.Max(math.Min(target, longest/16), pl.least)
	switch {
	case rough == 0 && grid == 0: // no loss but 0
		pl.h, pl.fixed = 1, true
	case rough == 0 && grid >= pl.least:
		pl.h, pl.fixed = grid, true
	case grid >= target:
		pl.h = grid / math.Ceil(grid/target*(1-1e-9))
	default:
		pl.h = target
	}
	pl.cells = together / pl.h
}

// anyNear settles a choice that moves the bracket, but not what it certifies: the place of a
// flat minimum is found to half the digits, which differ between machines, and so would the
// printed ends.
func anyNear(x float64) float64 { return tolerance.Settled(x, 3) }

// widestCell is the widest lattice used: masses under P and Q are kept relative to the
// lattice point next to them, up to e^{h/2} apart, and the budget of roundings is for
// scales within a small factor.
const widestCell = 1

// loss inverts the transforms, and refines a lattice where that does not answer as narrowly as
// asked for.
func (p *profile) loss(q question, w Precision) (Bracket, error) {
	if p.has(event.KindConcentrated) {
		return Bracket{}, fmt.Errorf("accountant: a bare zCDP guarantee has no privacy-loss distribution: %w",
			ErrNotApplicable)
	}
	if p.has(event.KindSelect) {
		return Bracket{}, fmt.Errorf("accountant: of what is selected only Rényi divergences are known: %w", ErrNotApplicable)
	}
	pl, err := p.plan(q, w)
	if err != nil {
		return Bracket{}, err
	}
	b, enough, err := p.invert(q, pl, w)
	if enough || err != nil {
		return b, err
	}
	best, err := p.lattice(q, pl, w)
	switch {
	case math.IsInf(b.Upper, 1) || errors.Is(err, ErrBreach):
		return best, err
	case err != nil:
		return b, nil
	case b.Width() < best.Width():
		return best.Meet(b)
	}
	return b.Meet(best)
}

// lattice refines the lattice until the bracket is as narrow as asked for, or the
// lattice as large as allowed.
func (p *profile) lattice(q question, pl plan, w Precision) (Bracket, error) {
	best, found := Bracket{0, math.Inf(1), math.Inf(1)}, false
	// A pair that is known between two others has a width of its own, which no lattice narrows: of the lattice's
	// share, which falls by ten when the lattice is three times as fine, a thirtieth of it may stay.
	between := !p.only(func(l leaf) bool { return !l.between() })
	if !pl.fixed { // a great width may do with wider ones
		pl.cells *= math.Max(1, pl.h/widestCell)
		pl.h = math.Min(pl.h, widestCell)
	}
	// Losses that fill the window of the composition lie densely in those of a step; far
	// more cells than points are a step of enormous losses, hardly any of them likely.
	if pl.cells > 8*float64(w.points()) {
		return Bracket{}, tooWide(w)
	}
	for range 8 {
		if pl.h > widestCell && !pl.fixed {
			break
		}
		b, span, err := p.lossAt(q, pl, w)
		if errors.Is(err, ErrBreach) {
			return Bracket{}, err
		}
		// The window of losses hardly depends on the lattice.
		pl.least = math.Max(pl.least, 1.1*span/float64(w.points()))
		if err != nil {
			pl.h, pl.fixed = math.Max(2*pl.h, pl.least), false
			continue
		}
		was := best.Width()
		if best, err = best.Meet(b); err != nil {
			return Bracket{}, err
		}
		width := best.Width()
		if q.byEpsilon {
			width = math.Log(best.Upper/best.Lower) / pl.theta
		}
		share := finer(width / pl.width)
		if between {
			share = math.Max(share, 0.3)
		}
		next := math.Max(pl.least, anyNear(pl.h*share))
		stuck := found && between && (was-best.Width())/10 < best.Width()/30
		if found = true; width <= pl.width || pl.fixed || stuck || next > 0.8*pl.h {
			break
		}
		pl.h = next
	}
	if !found {
		return Bracket{}, tooWide(w)
	}
	best.Estimate = (2*best.Lower + best.Upper) / 3 // tangents are half as far off as chords
	if pl.fixed {
		best.Estimate = (best.Lower + best.Upper) / 2
	}
	return best, nil
}

// finer is the factor of the lattice after a bracket so many times as wide as wanted: the width
// falls as its square. One far too wide ends in the rounding errors of the composition, and says
// nothing but that.
func finer(times float64) float64 {
	if !(times < 25) {
		return 0.1
	}
	return math.Min(0.7, math.Sqrt(0.8/times))
}

func tooWide(w Precision) error {
	return fmt.Errorf("accountant: the losses spread over more than %d lattice points; allow more or a larger width: %w",
		w.points(), ErrNotApplicable)
}

// lossAt computes one bracket on the lattice of pl.h: the worse of both orders
// of the neighbours. span is the widest window of losses it needed; where that had too
// many points there is an error.
func (p *profile) lossAt(q question, pl plan, w Precision) (b Bracket, span float64, err error) {
	upper, lower := p.pairs(pl)
	ends := make([]Bracket, len(upper))
	var lock sync.Mutex
	var wait sync.WaitGroup
	for i := range upper {
		theta := tilt(upper[i], q, pl)
		work := func(sides []*pld.Side, sign float64, end *float64) {
			c := pld.Compose(sides, pl.h, pl.fixed, theta)
			fits := c.Points() <= float64(w.points())
			if fits {
				c.Run(sides)
			}
			lock.Lock()
			defer lock.Unlock()
			span = math.Max(span, c.Points()*pl.h)
			if !fits {
				err = tooWide(w)
				return
			}
			*end = q.of(c, sign)
		}
		wait.Go(func() { work(upper[i], +1, &ends[i].Upper) })
		wait.Go(func() { work(lower[i], -1, &ends[i].Lower) })
	}
	wait.Wait()
	if err != nil {
		return b, span, err
	}
	for _, e := range ends {
		// Of both orders of the neighbours: the other must not hide a contradiction in one.
		if _, err := e.Meet(e); err != nil {
			return b, span, err
		}
		b.Lower, b.Upper = math.Max(b.Lower, e.Lower), math.Max(b.Upper, e.Upper)
	}
	return b, span, nil
}

// of returns the bound the question asks for.
func (q question) of(c *pld.Composed, sign float64) float64 {
	if q.byEpsilon {
		return math.Exp(c.LogDelta(q.epsilon, sign))
	}
	return c.Epsilon(q.logDelta-sign*q.slack, sign)
}

// tilt returns the tilt that puts the tail asked for in the middle: the θ at
// which the tight conversion from Rényi order θ + 1 is best.
func tilt(sides []*pld.Side, q question, pl plan) float64 {
	clamp := func(x float64) float64 { return math.Min(math.Max(math.Exp(x), 1e-6), 5/pl.h) }
	x, _ := numeric.Minimum(func(x float64) float64 {
		theta := clamp(x)
		k := pld.Cumulant(sides, pl.h, theta) + theta*math.Log(theta) - (1+theta)*math.Log1p(theta)
		if q.byEpsilon {
			return k - theta*q.epsilon
		}
		return (k - q.logDelta) / theta
	}, math.Log(pl.theta), 0.3, 0.03)
	return anyNear(clamp(x))
}

// pairs cuts every mechanism on the lattice and returns the upper and lower
// sides, for one order of the neighbours if the other has the same losses.
func (p *profile) pairs(pl plan) (upper, lower [][]*pld.Side) {
	symmetric := p.only(leaf.symmetric)
	orders := 2
	if symmetric {
		orders = 1
	}
	upper, lower = make([][]*pld.Side, orders), make([][]*pld.Side, orders)
	for i := range upper {
		upper[i], lower[i] = make([]*pld.Side, len(p.terms)), make([]*pld.Side, len(p.terms))
	}
	var wait sync.WaitGroup
	for i, t := range p.terms {
		wait.Go(func() {
			above, below := t.sides(pl.h, pl.tail)
			for order := range orders {
				// A symmetric pair is its own mirror image; its masses at losses of −700 and
				// below would underflow on the way.
				if order == 1 && !t.symmetric() {
					above, below = above.Mirror(), below.Mirror()
				}
				upper[order][i], lower[order][i] = above.Upper(), below.Lower()
				upper[order][i].Count, lower[order][i].Count = t.count, t.count
			}
		})
	}
	wait.Wait()
	return upper, lower
}
