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

// Precision is the requested width of a bracket from a privacy-loss distribution.
type Precision struct {
	// Width is the target width of ε, or the target relative width of δ. 0 means 1e-3 of the value, at least 2e-4 and
	// at most 1e-3, or less if that is cheap. The computation time is proportional to its inverse square root. The
	// bracket is certified at every width.
	Width float64
	// MaxPoints limits the lattice; 0 means 2^20. Each point needs about 200 bytes.
	MaxPoints int
}

func (w Precision) points() int {
	if w.MaxPoints > 0 {
		return w.MaxPoints
	}
	return 1 << 20
}

// ErrNotApplicable is wrapped by an error if a method does not apply to an event.
var ErrNotApplicable = errors.New("method not applicable")

// leastDelta is the smallest δ at which probabilities do not underflow.
const leastDelta = 1e-200

// LossEpsilon brackets ε at 0 ≤ delta ≤ 1 by privacy-loss distributions. Both ends are certified. Its error wraps
// ErrNotApplicable if 0 < delta < 1e-200 or if the event contains a zCDP guarantee.
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

// LossDelta brackets δ at ε ≥ 0 by privacy-loss distributions. Its error wraps ErrNotApplicable if δ is below 1e-200 or
// if the event contains a zCDP guarantee.
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

// withoutLost returns the profile without the δ₀ of approximate mechanisms, and the probability that any of them fails.
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
	case low <= 0: // ε may be finite or infinite
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

// oneSided removes the lower end if the profile is only an upper bound of the event.
func (p *profile) oneSided(b Bracket) Bracket {
	if p.upperOnly {
		b.Lower, b.Estimate = 0, b.Upper
	}
	return b
}

func (p *profile) has(k event.Kind) bool { return !p.only(func(l leaf) bool { return l.kind != k }) }

// question asks for ε at δ, or for δ at ε if byEpsilon is set.
type question struct {
	logDelta, epsilon float64
	slack             float64 // relative uncertainty of δ
	byEpsilon         bool
}

// plan contains what the Rényi curve predicts about the relevant tail.
type plan struct {
	theta      float64 // tilt: the best Rényi order minus one
	width      float64 // target width in ε
	tail       float64 // probability that may be cut off in each step
	steps      float64
	h          float64
	minSpacing float64 // spacing of the finest lattice that MaxPoints allows
	fixed      bool    // every loss is on the lattice, so h does not affect the precision
	cells      float64 // number of lattice cells for one step of each mechanism
}

func (p *profile) plan(q question, w Precision) (plan, error) {
	var pl plan
	pl.steps = p.steps()
	logDelta, value := q.logDelta, 0.0
	gone := p.lost().High
	if q.byEpsilon {
		logDelta, pl.theta = Tight.LogDelta(p.finiteRenyi, q.epsilon)
		value = 1 / pl.theta // a change of ε by this value changes δ by a factor e
		logDelta = math.Max(logDelta, math.Log(gone)-20)
	} else {
		if gone > 0 {
			logDelta = math.Log(math.Exp(logDelta) - gone)
		}
		value, pl.theta = Tight.Epsilon(p.finiteRenyi, math.Exp(logDelta))
		// Near δ(0), the bound of ε tends to 0, but the lattice need not be that fine: see smallValue.
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
	// The Rényi bound of δ is rarely more than 1e4 times too large.
	pl.tail = math.Exp(math.Min(logDelta, -1)) * 1e-9 / pl.steps
	if q.byEpsilon {
		pl.tail *= 1e-4
	}
	pl.tail = anyNear(pl.tail)
	p.spacing(&pl, w)
	return pl, nil
}

// smallValue is the smallest ε to which the lattice width is proportional. Its unit is √(2·KL), the standard deviation
// of a loss.
const smallValue = 0.01

// spacing chooses the lattice. Chords add a variance of h²/6 to every step, tangents subtract h²/12, and each moves ε
// by (θ+1)/2 times this variance. The total width per step is (θ+1)h²/8.
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
	pl.minSpacing = together / float64(w.points())
	target := anyNear(math.Sqrt(8 * pl.width / ((pl.theta + 1) * math.Max(1, rough))))
	target = math.Max(math.Min(target, longest/16), pl.minSpacing)
	switch {
	case rough == 0 && grid == 0: // all losses are 0
		pl.h, pl.fixed = 1, true
	case rough == 0 && grid >= pl.minSpacing:
		pl.h, pl.fixed = grid, true
	case grid >= target:
		pl.h = grid / math.Ceil(grid/target*(1-1e-9))
	default:
		pl.h = target
	}
	pl.cells = together / pl.h
}

// anyNear rounds a choice that affects the bracket but not its validity. A flat minimum is found to half the digits,
// which differ between machines. Without rounding, the printed ends would differ too.
func anyNear(x float64) float64 { return tolerance.Settled(x, 3) }

// widestCell is the largest lattice spacing. Probabilities under P and Q are scaled relative to the nearest lattice
// point, by factors up to e^{h/2}, and the rounding error bound assumes moderate factors.
const widestCell = 1

// loss answers a question. If mechanisms have several instances, the largest lower end counts.
func (p *profile) loss(q question, w Precision) (Bracket, error) {
	b, err := p.lossOf(q, w)
	other := p.rotated()
	if err != nil || other == nil {
		return b, err
	}
	c, err := other.lossOf(q, w)
	if err != nil {
		return b, nil
	}
	return b.Meet(c)
}

// lossOf answers by Fourier inversion, and by a lattice if the bracket is wider than requested.
func (p *profile) lossOf(q question, w Precision) (Bracket, error) {
	if p.has(event.KindConcentrated) {
		return Bracket{}, fmt.Errorf("accountant: a bare zCDP guarantee has no privacy-loss distribution: %w",
			ErrNotApplicable)
	}
	if p.has(event.KindSelect) {
		return Bracket{}, fmt.Errorf("accountant: only Rényi divergences are known for repeat-and-select: %w",
			ErrNotApplicable)
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

// lattice refines the lattice until the bracket is as narrow as requested or the lattice as large as allowed.
func (p *profile) lattice(q question, pl plan, w Precision) (Bracket, error) {
	best, found := Bracket{0, math.Inf(1), math.Inf(1)}, false
	// A pair that is only known to be between two others has its own width, which no lattice narrows. A lattice three
	// times as fine reduces the lattice's share by ten. Stop if that share is below a thirtieth of the width.
	between := !p.only(func(l leaf) bool { return !l.between() })
	if !pl.fixed { // a large target width would allow larger cells
		pl.cells *= math.Max(1, pl.h/widestCell)
		pl.h = math.Min(pl.h, widestCell)
	}
	// The losses of one step must fit the window of the composition. If the cells far outnumber the points, the step
	// has enormous losses, most of them unlikely.
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
		pl.minSpacing = math.Max(pl.minSpacing, 1.1*span/float64(w.points()))
		if err != nil {
			pl.h, pl.fixed = math.Max(2*pl.h, pl.minSpacing), false
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
		next := math.Max(pl.minSpacing, anyNear(pl.h*share))
		// On some lattices, the tangents of a rarely sampled record lose their digits. They do not show what others can.
		stuck := found && between && b.Lower > 0.9*best.Lower && (was-best.Width())/10 < best.Width()/30
		if found = true; width <= pl.width || pl.fixed || stuck || next > 0.8*pl.h {
			break
		}
		pl.h = next
	}
	if !found {
		return Bracket{}, tooWide(w)
	}
	best.Estimate = (2*best.Lower + best.Upper) / 3 // the error of tangents is half as large as that of chords
	if pl.fixed {
		best.Estimate = (best.Lower + best.Upper) / 2
	}
	return best, nil
}

// finer returns the factor for the lattice spacing if the bracket is times as wide as requested, since the width is
// proportional to the square of the spacing. If the bracket is far too wide, rounding errors dominate and the ratio has
// no further meaning.
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

// lossAt computes one bracket on the lattice with spacing pl.h, for the worse order of the neighbors. span is the
// widest window of losses it needed. If this window has too many points, lossAt returns an error.
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
			*end = q.answer(c, sign)
		}
		wait.Go(func() { work(upper[i], +1, &ends[i].Upper) })
		wait.Go(func() { work(lower[i], -1, &ends[i].Lower) })
	}
	wait.Wait()
	if err != nil {
		return b, span, err
	}
	for _, e := range ends {
		// Check each order of the neighbors, because the maximum over both could hide a contradiction.
		if _, err := e.Meet(e); err != nil {
			return b, span, err
		}
		b.Lower, b.Upper = math.Max(b.Lower, e.Lower), math.Max(b.Upper, e.Upper)
	}
	return b, span, nil
}

// of returns the bound that the question asks for.
func (q question) answer(c *pld.Composed, sign float64) float64 {
	if q.byEpsilon {
		return math.Exp(c.LogDelta(q.epsilon, sign))
	}
	return c.Epsilon(q.logDelta-sign*q.slack, sign)
}

// tilt returns the tilt that moves the relevant tail to the middle: the θ at which the tight conversion from Rényi
// order θ + 1 is best.
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

// pairs discretizes every mechanism on the lattice and returns the upper and lower sides. It returns one order of the
// neighbors if both have the same losses.
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
				// A symmetric pair equals its mirror image. Mirroring would make its probabilities at losses below −700
				// underflow.
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
