package pld

import (
	"math"
	"math/cmplx"
	"sync"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Law is the distribution of the privacy loss L = log dP/dQ of one mechanism under P.
type Law interface {
	// Moment returns log E[e^{θL}] for θ ≥ 0, and a bound of its error.
	Moment(theta, tolerance float64) (log, err float64)
	// Lost returns the probability that the distribution omits. Its moments are those of the rest.
	Lost() float64
	// tilted prepares φ(t) = E[e^{(θ+it)L}]/E[e^{θL}]. It may omit a part below the tolerance.
	tilted(theta, tolerance float64) tilted
}

// tilted returns φ for 0 ≤ t ≤ last, or nil if it needs too many nodes. points bounds the work for one t.
type tilted func(last float64) (phi characteristic, points int)

// Gaussian is the loss of N(μ, 1) against N(0, 1), which has the distribution N(μ²/2, μ²). Mu > 0.
type Gaussian struct{ Mu float64 }

// Moment is exact: E[e^{θL}] = e^{θ(θ+1)μ²/2}.
func (g Gaussian) Moment(theta, _ float64) (log, err float64) {
	log = theta * (theta + 1) / 2 * g.Mu * g.Mu
	return log, 8 * unit * log
}

// Lost returns 0.
func (g Gaussian) Lost() float64 { return 0 }

func (g Gaussian) tilted(theta, _ float64) tilted {
	return func(float64) (characteristic, int) {
		return &gaussian{mu: g.Mu, c: (theta + 0.5) * g.Mu * g.Mu}, 1
	}
}

// gaussian is a normal distribution, which remains normal if tilted.
type gaussian struct{ mu, c, step, i float64 }

func (g *gaussian) start(i int, step float64) { g.i, g.step = float64(i), step }

func (g *gaussian) next() (re, im float64) {
	t := g.mu * g.step * g.i
	g.i++
	return math.Expm1(-t * t / 2), 0
}

// A relative error r of a positive x changes e^−x by at most r/e.
func (g *gaussian) roundoff() float64 { return 8 * unit }
func (g *gaussian) centre() float64   { return g.c }
func (g *gaussian) spread() float64   { return g.mu }

func (g *gaussian) beyond(t float64) float64 {
	t *= g.mu * (1 - 4*unit)
	return math.Exp(-t*t/2) * (1 + 4*unit)
}

// Laplace is the loss of Laplace noise of scale 1 around A > 0 against the same noise around 0. It is A or −A outside
// [0, A].
type Laplace struct{ A float64 }

// scaled returns E[e^{sL}]/e^{sA} = ½ + ½e^{−b} + (1 − e^{−b})/(4s + 2) with b = A(1 + 2s).
func (l Laplace) scaled(s complex128) complex128 {
	b := complex(l.A, 0) * (1 + 2*s)
	e := cmplx.Exp(-b)
	return (1+e)/2 + (1-e)/(4*s+2)
}

// Moment is exact.
func (l Laplace) Moment(theta, _ float64) (log, err float64) {
	log = theta*l.A + math.Log(real(l.scaled(complex(theta, 0))))
	return log, 8 * unit * (1 + (1+2*theta)*l.A)
}

// Lost returns 0.
func (l Laplace) Lost() float64 { return 0 }

func (l Laplace) tilted(theta, _ float64) tilted {
	return func(maxT float64) (characteristic, int) {
		return &laplace{law: l, theta: theta, error: unit * (32 + 8*l.A*(1+2*theta+maxT))}, 1
	}
}

// laplace is the transform around the largest loss.
type laplace struct {
	law                Laplace
	theta, step, error float64
	i                  int
}

func (l *laplace) start(i int, step float64) { l.i, l.step = i, step }

func (l *laplace) next() (re, im float64) {
	v := l.law.scaled(complex(l.theta, float64(l.i)*l.step))/l.law.scaled(complex(l.theta, 0)) - 1
	l.i++
	return real(v), imag(v)
}

func (l *laplace) roundoff() float64 { return l.error }
func (l *laplace) centre() float64   { return l.law.A }
func (l *laplace) spread() float64   { return 2 * l.law.A }

func (l *laplace) beyond(float64) float64 { return 1 } // most of the probability is at two losses

// Sampled is a Gaussian mechanism on a Poisson sample with rate Q, 0 < Q < 1, and Mu > 0. It is the loss of P =
// (1−Q)N(0, 1) + QN(μ, 1) against N(0, 1). If Reversed, the order is reversed. If Opposed, the second distribution is
// (1−Q)N(0, 1) + QN(−μ, 1).
//
// If Blur > 0, P is multiplied by Φ((Cut − y)/Blur). This omits rare large losses, which would otherwise dominate all
// moments.
type Sampled struct {
	Mu, Q             float64
	Reversed, Opposed bool
	Cut, Blur         float64
}

// WithoutTail omits losses with a total probability of about e^logTail. The cut is so steep that the remainder does not
// affect tilts up to a few times theta.
func (s Sampled) WithoutTail(logTail, theta float64) Sampled {
	if s.Reversed {
		return s // its losses are at most −log(1 − q)
	}
	s.Cut = numeric.TailPoint(logTail - math.Ln2)
	if hot := logTail - math.Ln2 - math.Log(s.Q); hot < -math.Ln2 {
		s.Cut = math.Max(s.Cut, s.Mu+numeric.TailPoint(hot))
	}
	s.Blur = s.blur(theta)
	s.Cut += 3 * s.Blur
	return s
}

// Lost returns the probability beyond the cut, of two normal distributions with the blur's variance added.
func (s Sampled) Lost() float64 {
	if s.Blur == 0 {
		return 0
	}
	wide := math.Hypot(1, s.Blur)
	above := func(y float64) float64 { return math.Erfc(y/wide/math.Sqrt2) / 2 }
	return ((1-s.Q)*above(s.Cut) + s.Q*above(s.Cut-s.Mu)) * (1 + 1e-10)
}

// at returns the log of the tilted density P·e^{θL} at output y without the factor 1/√(2π), the loss there, and bounds
// of both errors in units.
func (s Sampled) at(theta, y float64) (log, loss, logUnits, lossUnits float64) {
	x := s.Mu*y - s.Mu*s.Mu/2
	up, share := logRatio(s.Q, x)
	// x has an error of three units of its terms, which changes log g by the error times the share.
	size := 3 * (math.Abs(s.Mu*y) + s.Mu*s.Mu/2)
	loss, lossUnits = up, 4*math.Abs(up)+share*size
	logP := up
	switch {
	case s.Reversed:
		loss, logP = -up, 0
	case s.Opposed:
		down, share := logRatio(s.Q, -s.Mu*y-s.Mu*s.Mu/2)
		loss, lossUnits = up-down, lossUnits+4*math.Abs(down)+share*size
	}
	log = logP + theta*loss - y*y/2
	logUnits = 4 + y*y + (theta+2)*lossUnits + 2*math.Abs(log)
	if s.Blur > 0 {
		z := (s.Cut - y) / s.Blur
		if z < 9 { // otherwise it is below rounding
			log += numeric.LogPhi(z)
		}
		logUnits += 64 + 4*math.Max(0, -z)*(math.Abs(s.Cut)+math.Abs(y))/s.Blur
	}
	return log, loss, logUnits, lossUnits
}

// logRatio returns log g for g = 1 − q + qe^x, and the share of qe^x in g.
func logRatio(q, x float64) (log, share float64) {
	if x > 30 {
		// Otherwise a small log g would be a difference of large numbers.
		if rest := (1 - q) / q * math.Exp(-x); rest < 1 {
			return x + math.Log(q) + math.Log1p(rest), 1 / (1 + rest)
		}
	}
	u := q * math.Expm1(x)
	share = q * math.Exp(x) / (1 + u)
	if u < -0.5 { // q > 1/2: 1 − q is exact, but 1 + u would lose digits
		return math.Log((1 - q) + q*math.Exp(x)), share
	}
	return math.Log1p(u), share
}

// Moment integrates e^{θL} − 1, which keeps its digits if the mechanism reveals almost nothing, or e^{θL} if that is
// huge.
func (s Sampled) Moment(theta, tolerance float64) (log, err float64) {
	exponent := 4 - math.Log(tolerance)
	// The integral is not known yet, but by Jensen's inequality it is at least 1.
	parts := sync.OnceValue(func() []part { return s.parts(theta, 0) })
	step := math.Min(s.step(theta, 0, exponent, parts), s.step(0, 0, exponent, nil))
	lo, hi := s.reach(theta, 0, exponent)
	lo0, hi0 := s.reach(0, 0, exponent)
	lo, hi = math.Floor(math.Min(lo, lo0)/step), math.Ceil(math.Max(hi, hi0)/step)
	if !(hi-lo < mostNodes/16) {
		return math.Inf(1), 0
	}
	type density struct{ log, loss, units, lossUnits float64 }
	points := make([]density, 0, int(hi-lo)+1)
	top := 0.0
	for i := lo; i <= hi; i++ {
		l, loss, units, lossUnits := s.at(theta, i*step)
		points = append(points, density{l, loss, units, lossUnits})
		top = math.Max(top, l)
	}
	if top < 100 {
		top = 0
	}
	sum, rounding := 0.0, 0.0
	for _, p := range points {
		l, loss, units, lossUnits := p.log, p.loss, p.units, p.lossUnits
		x := math.Abs(theta * loss)
		v := math.Exp(l+math.Max(0, -theta*loss)-top) * step / sqrt2Pi
		term := v // v·e^{−x} is omitted, which is at most 1 in total compared with e^100
		if top == 0 {
			term *= -math.Expm1(-x)
		}
		if loss < 0 {
			term = -term
		}
		sum += term
		rounding += unit * (math.Abs(term)*(units+x+(hi-lo)) + v*theta*lossUnits)
	}
	sum -= s.Lost() * math.Exp(-top)
	if top > 0 {
		return top + math.Log(sum), rounding/sum + 2*tolerance + 8*unit*top
	}
	return math.Log1p(sum), (rounding+2*tolerance*(1+math.Abs(sum)))/(1+sum) + 4*unit*math.Abs(math.Log1p(sum))
}

func (s Sampled) tilted(theta, tolerance float64) tilted {
	log, err := s.Moment(theta, 1e-15)
	if !(math.Abs(log) < math.Inf(1) && err < math.Inf(1)) { // more nodes than allowed
		return func(float64) (characteristic, int) { return nil, 0 }
	}
	exponent := 4 - math.Log(tolerance)
	lo, hi := s.reach(theta, log, exponent)
	parts := sync.OnceValue(func() []part { return s.parts(theta, log) })
	falls := s.decay(theta, log-err, lo, hi, tolerance)
	return func(maxT float64) (characteristic, int) {
		step := s.step(theta, maxT, exponent, parts)
		first, last := math.Floor(lo/step), math.Ceil(hi/step)
		if !(last-first < mostNodes) {
			return nil, int(math.Min(last-first, 1e9))
		}
		n := newNodes(int(last - first))
		// Points of at most this weight are omitted. Together they weigh about tolerance/16 or less.
		threshold := tolerance / 16 / (last - first)
		for i := first; i <= last; i++ {
			l, loss, units, lossUnits := s.at(theta, i*step)
			w := math.Exp(l-log) * step / sqrt2Pi
			if w > threshold {
				n.add(w, loss, units+err/unit, lossUnits)
			}
		}
		n.centred(maxT, tolerance)
		n.falls = falls
		return n, len(n.points)
	}
}

const sqrt2Pi = 2.5066282746310002
