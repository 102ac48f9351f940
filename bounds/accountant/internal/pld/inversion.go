// Inversion computes certified bounds of δ(ε) for compositions of mechanisms whose transforms M(s) = E[e^{sL}] of the
// privacy loss L can be computed to any precision.
//
// Let s = θ + it with θ > 0. The payoff (1 − e^{−v})⁺ has the transform 1/(s(s+1)), so
//
//	δ(ε) = E[(1 − e^{ε−L})⁺] = (1/2π) ∫ ΠM(s)·e^{−sε}/(s(s+1)) dt.
//
// Noise. To shorten this integral, normal noise N with variance σ² and mean σ²/2 is added to L. Then E[e^{−N}] = 1. By
// Jensen's inequality the expected payoff B can only grow, by at most a constant c times the density k of −N (see
// bend). So E[B − ck] ≤ δ ≤ E[B] at every ε. Since c ≈ σ², the ends differ by about σ²(θ+1) in ε, independently of the
// composition. The transform of the noise, e^{σ²(s²+s)/2}, suppresses frequencies above about 7/σ.
//
// Sum. By Poisson summation, the trapezoidal rule with step 2π/W is exact except for the aliases e^{θkW}δ(ε+kW), k ≠ 0,
// which are positive. In the aliases on the left, δ is 1 up to an error of e^{ε−kW}. Those on the right are bounded by
// Chernoff's inequality at a larger tilt.
//
// Transforms. M of one step is an integral of an analytic function. The trapezoidal rule computes it to any precision,
// and the size of the integrand off the real line bounds the error (see Sampled.step). The transforms are computed
// relative to M(θ) and minus 1, so that nearly constant losses keep their digits over any number of steps. Frequencies
// are either visited in order or computed all at once. In order, frequencies at which |M(s)/M(θ)| to the power of the
// steps is negligible are skipped; integration by parts may show that all higher ones are negligible (see
// Sampled.decay). All at once means Fourier transforms of moments about lattice points. Bounds of everything omitted
// and of all rounding errors are added.

package pld

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Step is a mechanism that runs Count times.
type Step struct {
	Law   Law
	Count float64
}

// Plan contains the parameters of an inversion.
type Plan struct {
	Theta  float64 // largest tilt, > 0
	Spread float64 // standard deviation of the noise added to the loss
	// Near is approximately the ε at which δ is needed, and LogDelta approximately log δ there.
	Near, LogDelta float64
	Most           int // maximum work, see Composition.Work
}

// ErrTooLarge is returned if a plan takes more work, or a distribution more nodes, than allowed.
var ErrTooLarge = errors.New("inversion: more work or nodes than allowed")

// ErrContradiction is returned if a certified lower bound exceeds a certified upper bound. One of them must be wrong.
var ErrContradiction = errors.New("inversion: a lower bound of δ above an upper one")

// negligible is the exponent of omitted terms: they are below e^−negligible times δ.
const negligible = 22

// Composition is the privacy-loss distribution of a composition near the relevant losses.
type Composition struct {
	theta, step, spread float64
	exponent            float64 // omitted terms are below e^−exponent times e^{logScale−θε}
	logScale, rel       float64 // log E[e^{θL}], and a bound of its error
	centre              float64
	centres             float64 // sum of the absolute values of the terms of centre
	lost                float64 // bound of the probability that the distributions omit
	laws                float64 // number of steps, which is the number of terms in sums over them
	work                int
	last                float64 // the largest frequency
	waves               []wave
	tilted              []tilted // transform of each step
	// Bounds of the errors of both sums by the computed values, and of the sums of absolute values.
	put, density sums
	// Relative to e^{logScale−θε}, the sum Σ e^{θkW}B(ε+kW) over k ≥ 1 of δ with noise is at most e^{aliasLog −
	// aliasTilt·(ε+W)}/(1 − e^{−aliasTilt·W}).
	aliasTilt, aliasLog float64
}

// wave is one frequency of the noisy composition: the transforms of δ and of the density.
type wave struct {
	t            float64
	put, density complex128
}

// sums bounds errors: constant ones, and those that grow with the rounding of angles.
type sums struct{ fixed, size, turning float64 }

func (b *sums) add(w complex128, t, roundoff float64) {
	a := cmplx.Abs(w)
	b.fixed += roundoff * a
	b.size += a
	b.turning += a * t
}

// Invert computes the transforms of the composition of the steps. It returns ErrTooLarge if this takes more work than
// p.Most.
func Invert(steps []Step, p Plan) (*Composition, error) {
	c := &Composition{spread: p.Spread, laws: float64(len(steps))}
	period := c.choose(steps, p)
	if !(period > 0 && period < 1e300 && c.exponent < 300) { // rounding errors would dominate
		return nil, ErrTooLarge
	}
	for _, s := range steps {
		c.lost += s.Count * s.Law.Lost()
		log, err := s.Law.Moment(c.theta, math.Exp(-negligible)/s.Count)
		c.logScale += s.Count * log
		c.rel += s.Count * err
		c.tilted = append(c.tilted, s.Law.tilted(c.theta, math.Exp(-c.exponent)/s.Count))
	}
	// A moment may need too many nodes at this tolerance.
	if !(math.Abs(c.logScale) < math.Inf(1) && c.rel < math.Inf(1)) {
		return nil, ErrTooLarge
	}
	c.aliasLog -= c.logScale
	c.spread = math.Min(c.spread, 0.5/c.theta)
	c.step = 2 * math.Pi / period
	c.last = math.Sqrt(2*c.exponent) / c.spread
	if !(c.last/c.step < 1<<40) {
		return nil, ErrTooLarge
	}
	if err := c.walk(steps, p.Most); err != nil {
		return nil, err
	}
	return c, nil
}

// Work returns the cost of the transforms: the number of evaluations of a node at a frequency, each a few nanoseconds.
func (c *Composition) Work() int { return c.work }

// choose sets the tilt, up to the largest given one, that minimizes the work. It returns the period: the distance at
// which the curve and its aliases hardly overlap.
func (c *Composition) choose(steps []Step, p Plan) (period float64) {
	const ratio, down, up = 1.35, 12, 9
	var thetas, logs []float64
	for i := -down; i <= up; i++ {
		theta := p.Theta * math.Pow(ratio, float64(i))
		log := 0.0
		for _, s := range steps {
			l, err := s.Law.Moment(theta, 1e-12)
			log += s.Count * (l + err)
		}
		if !(log < math.Inf(1)) {
			break
		}
		thetas, logs = append(thetas, theta), append(logs, log)
	}
	minWork := math.Inf(1)
	for i := 0; i <= down && i < len(logs); i++ {
		lost := math.Max(0, logs[i]-thetas[i]*p.Near-p.LogDelta)
		exponent := negligible + lost
		left := p.Near - (logs[i]-exponent)/(thetas[i]+1)
		right, best, aliasLog := math.Inf(1), 0, 0.0
		for j := i + 1; j < len(logs); j++ {
			// The aliases include the noise, and this is its moment.
			spread := math.Min(c.spread, 0.5/thetas[i])
			log := logs[j] + spread*spread/2*thetas[j]*(thetas[j]+1)*(1+1e-12)
			if r := (log-logs[i]+exponent)/(thetas[j]-thetas[i]) - p.Near; r < right {
				right, best, aliasLog = r, j, log
			}
		}
		w := math.Max(left, right)
		// Rounding errors are relative to the omitted terms.
		if work := w * math.Sqrt(exponent) * math.Exp(math.Max(0, lost-8)/4); work < minWork {
			minWork, period = work, math.Max(w, 16*c.spread)
			c.theta, c.exponent = thetas[i], exponent
			c.aliasTilt, c.aliasLog = thetas[best]-thetas[i], aliasLog
		}
	}
	return period
}

// walk evaluates the transforms at the frequencies i·step up to last. It visits them on levels with their own nodes and
// skips negligible ones, as long as this is less work than evaluating all at once.
func (c *Composition) walk(steps []Step, maxWork int) error {
	last := c.last
	budget := maxWork
	if c.exponent < negligible+8 { // otherwise the rounding error of all at once would be too large
		budget = min(maxWork, allAtOnce(last/c.step)*len(steps))
	}
	work, err := c.levels(steps, budget)
	c.work = work
	if err != nil && work < 2*maxWork {
		c.waves, c.put, c.density = nil, sums{}, sums{}
		err = c.atOnce(steps, maxWork)
	}
	if err != nil {
		return err
	}
	// Beyond last, the transform of the noise alone leaves less than the first term plus its integral.
	rest := c.kernel(last) / math.Pi * (c.step + 1/(c.spread*c.spread*last))
	c.put.fixed += rest / (last * last)
	c.density.fixed += rest
	return nil
}

// allAtOnce returns the cost of evaluating a number of frequencies at once, in evaluations of a node at a frequency.
func allAtOnce(frequencies float64) int { return int(math.Min(1e12, 1e5+500*frequencies)) }

func (c *Composition) levels(steps []Step, maxWork int) (work int, err error) {
	last := c.last
	for i, level := 0, math.Max(64*c.step, last/256); float64(i)*c.step <= last; level *= 1.4 {
		if level > last/1.1 {
			level = last + c.step
		}
		w, err := newWalker(c, steps, level*(1+1e-9))
		if err != nil {
			return work, err
		}
		if i == 0 {
			c.centre = w.centre
		}
		c.centres = math.Max(c.centres, w.centres)
		// The nodes are valid for frequencies up to the level.
		for block := reseed; float64(i)*c.step <= math.Min(level, last); {
			block = min(block, int(level/c.step)-i+1)
			free := w.block(i, block)
			if work += (block + 4) * w.nodes; work > maxWork {
				return work, ErrTooLarge
			}
			i += block + free
			if block = reseed; free >= reseed {
				block = 1
			}
		}
	}
	return work, nil
}

func (c *Composition) atOnce(steps []Step, maxWork int) error {
	last := c.last
	if allAtOnce(last/c.step)*len(steps) > maxWork {
		return ErrTooLarge
	}
	w, err := newWalker(c, steps, last+c.step)
	if err != nil {
		return err
	}
	c.centre, c.centres = w.centre, w.centres
	for k, l := range w.laws {
		if n, ok := l.phi.(*nodes); ok {
			w.laws[k].phi = newSpectrum(n, last, c.step, math.Exp(-c.exponent)/l.count)
		}
	}
	count := int(last/c.step) + 1
	for i := 0; i < count; i += reseed {
		w.block(i, min(reseed, count-i))
	}
	return nil
}

// kernel returns the absolute value of the noise's transform at θ + it.
func (c *Composition) kernel(t float64) float64 {
	return math.Exp(c.spread * c.spread / 2 * (c.theta*(c.theta+1) - t*t))
}

// walker evaluates frequencies on one level.
type walker struct {
	c      *Composition
	laws   []walkedLaw
	centre float64
	level  float64
	nodes  int
	// sum of the absolute values of the terms of centre
	centres float64
	// For the frequencies of a block: log φ, the log of its largest absolute value including errors, and the sum of the
	// relative errors.
	log     [reseed]complex128
	largest [reseed]float64
	error   [reseed]float64
}

type walkedLaw struct {
	phi   characteristic
	count float64
	// |φ| at the last frequency of a block, including its error
	size float64
}

func newWalker(c *Composition, steps []Step, level float64) (*walker, error) {
	w := &walker{c: c, level: level}
	for k, s := range steps {
		phi, nodes := c.tilted[k](level)
		if phi == nil {
			return nil, ErrTooLarge
		}
		w.laws = append(w.laws, walkedLaw{phi: phi, count: s.Count})
		w.centre += s.Count * phi.centre()
		w.centres += s.Count * math.Abs(phi.centre())
		w.nodes += nodes
	}
	return w, nil
}

// block evaluates length frequencies, at most reseed, from i·step on. It returns how many of the following frequencies
// are certainly negligible.
func (w *walker) block(i, length int) (free int) {
	c := w.c
	clear(w.log[:])
	clear(w.largest[:])
	clear(w.error[:])
	for k := range w.laws {
		l := &w.laws[k]
		l.phi.start(i, c.step)
		roundoff := l.phi.roundoff()
		for j := range length {
			re, im := l.phi.next()
			size := math.Hypot(1+re, im)
			// Near 1, the logarithm is computed from the difference to 1, to keep its digits.
			log, angle := math.Max(-700, math.Log(size)), math.Atan2(im, 1+re)
			if size > 0.7 && size < 1.4 {
				log = math.Log1p(re*(2+re)+im*im) / 2
			}
			e := roundoff + 4*unit*math.Hypot(re, im)
			l.size = size + e
			w.log[j] += complex(l.count*log, l.count*angle)
			w.largest[j] += l.count * math.Log(l.size)
			w.error[j] += l.count*e/l.size + (8+c.laws)*unit*l.count*(math.Abs(log)+math.Abs(angle))
		}
	}
	for j := range length {
		w.wave(i+j, w.log[j], math.Exp(w.largest[j])*w.error[j])
	}
	return w.free(i + length - 1)
}

// wave adds frequency i. The tilted composition has the transform e^log there, with an absolute error of roundoff.
func (w *walker) wave(i int, log complex128, roundoff float64) {
	c := w.c
	t := float64(i) * c.step
	s := complex(c.theta, t)
	weight := c.step / math.Pi
	if i == 0 {
		weight /= 2
	}
	// The noise is normal and its mean is half its variance, so that E[e^{−noise}] = 1.
	angle := c.spread*c.spread/2*(2*c.theta+1)*t + t*(w.centre-c.centre)
	size := weight * c.kernel(t)
	density := cmplx.Exp(log+complex(0, angle)) * complex(size, 0)
	put := density / (s * (s + 1))
	scale := size / (cmplx.Abs(s) * cmplx.Abs(s+1))
	c.density.fixed += size * roundoff
	c.put.fixed += scale * roundoff
	if a := cmplx.Abs(density); a < size*1e-20 {
		c.density.fixed += a
		c.put.fixed += cmplx.Abs(put)
		return
	}
	rounding := 16*unit + 4*unit*math.Abs(angle)
	c.density.add(density, t, rounding)
	c.put.add(put, t, rounding)
	c.waves = append(c.waves, wave{t, put, density})
}

// free returns how many frequencies after i have a negligible transform. Between two frequencies, |φ| grows at most by
// the spread times their distance.
func (w *walker) free(i int) int {
	c := w.c
	t := float64(i) * c.step
	fits := func(n int) bool {
		reach, sum := float64(n)*c.step, 0.0
		if t+reach > w.level {
			return false
		}
		for _, l := range w.laws {
			sum += l.count * math.Log(math.Min(1, l.size+l.phi.roundoff()+reach*l.phi.spread()))
		}
		return sum < -c.exponent
	}
	n := 1
	switch {
	case w.over(t + c.step):
		n = max(1, int(c.last/c.step)-i)
	case !fits(1):
		return 0
	default:
		for fits(2 * n) {
			n *= 2
		}
		for stride := n / 2; stride > 0; stride /= 2 {
			if fits(n + stride) {
				n += stride
			}
		}
	}
	size := math.Exp(-c.exponent) * float64(n) * c.step / math.Pi * c.kernel(t)
	c.density.fixed += size
	c.put.fixed += size / (t * t)
	return n
}

// over reports whether the transform is negligible at t and at all higher frequencies.
func (w *walker) over(t float64) bool {
	sum := 0.0
	for _, l := range w.laws {
		sum += l.count * math.Log(l.phi.beyond(t))
	}
	return sum < -w.c.exponent
}

// LogDelta returns the logarithms of a lower bound, an estimate and an upper bound of δ at ε. It returns
// ErrContradiction if the bounds are in the wrong order. If numbers overflow, it returns trivial bounds.
func (c *Composition) LogDelta(epsilon float64) (lower, estimate, upper float64, err error) {
	put, density := 0.0, 0.0
	d := epsilon - c.centre
	for _, w := range c.waves {
		s, k := math.Sincos(w.t * d)
		put += real(w.put)*k + imag(w.put)*s
		density += real(w.density)*k + imag(w.density)*s
	}
	// Rounding errors of sums with n terms and of angles of this size.
	n := 8 + float64(len(c.waves))
	angles := 4*math.Abs(epsilon) + (16+2*c.laws)*c.centres
	putOff := c.put.fixed + unit*(n*c.put.size+angles*c.put.turning)
	densityOff := c.density.fixed + unit*(n*c.density.size+angles*c.density.turning)
	bend := c.bend() * (1 + 1e-12)
	scale := c.logScale - c.theta*epsilon
	rel := c.rel + 8*unit*(1+math.Abs(c.logScale)+c.theta*math.Abs(epsilon))
	period := 2 * math.Pi / c.step
	// The aliases on the left, k ≥ 1, are at most their value for δ = 1, and smaller by at most a factor 1 − e^{ε−kW}.
	one := math.Exp(-c.theta*period) / -math.Expm1(-c.theta*period)
	short := math.Exp(epsilon-(c.theta+1)*period) / -math.Expm1(-(c.theta+1)*period) * (1 + 1e-9)
	aliased := math.Max(0, one*(1-c.lost-8*unit*(1+c.theta*period))-short)
	right := math.Exp(c.aliasLog-c.aliasTilt*(epsilon+period)) / -math.Expm1(-c.aliasTilt*period) * (1 + 1e-9)
	log := func(x, rel, left float64) float64 {
		x = math.Log(math.Max(0, x))
		if roundoff := 4 * unit * math.Abs(x); roundoff < math.Inf(1) {
			rel += math.Copysign(roundoff, rel)
		}
		x += scale + rel
		if left == 0 || x != x {
			return math.Min(0, x)
		}
		left = math.Log(left)
		if !(x > left) {
			return math.Inf(-1)
		}
		return math.Min(0, numeric.LogSubExp(x, left))
	}
	upper = math.Min(0, numeric.LogAddExp(log(put+putOff, rel, aliased), math.Log(c.lost)))
	lower = log(put-bend*density-putOff-bend*densityOff-right, -rel, one*(1+8*unit*(1+c.theta*period)))
	estimate = log(put-bend/2*density, 0, (one+aliased)/2)
	switch {
	case math.IsNaN(lower) || math.IsNaN(upper):
		return math.Inf(-1), math.Min(0, scale), 0, nil
	case lower > upper:
		return lower, estimate, upper, fmt.Errorf("at ε = %v, of logarithms %v and %v: %w", epsilon, lower, upper,
			ErrContradiction)
	}
	return lower, math.Max(lower, math.Min(upper, estimate)), upper, nil
}

// bend returns the maximum ratio of the increase of δ's payoff by the noise to the density of the noise. For N with
// distribution N(σ²/2, σ²), E(1 − e^{−v−N})⁺ = Φ(v/σ + σ/2) − e^{−v}Φ(v/σ − σ/2). It exceeds (1 − e^{−v})⁺ by φ(v/σ +
// σ/2)·(m(|v|/σ − σ/2) − m(|v|/σ + σ/2)), where Mills' ratio m is convex and decreasing. So the ratio to the density
// φ(v/σ + σ/2)/σ of −N is largest at v = 0, where it is σ(Φ(σ/2) − Φ(−σ/2))/φ(σ/2).
func (c *Composition) bend() float64 {
	a := c.spread / 2
	return c.spread * math.Erf(a/math.Sqrt2) * sqrt2Pi * math.Exp(a*a/2)
}
