package pld

import "math"

// share returns the share of qe^x in g at output y. It increases with y.
func (s Sampled) share(y float64) float64 {
	_, share := logRatio(s.Q, s.Mu*y-s.Mu*s.Mu/2)
	return share
}

// half returns the output at which the share is one half. Below it, the share is convex.
func (s Sampled) half() float64 { return math.Log((1-s.Q)/s.Q)/s.Mu + s.Mu/2 }

// blur returns the width of the cut, which is three widths above Cut. With it, the density tilted by twice theta
// decreases from the cut on, and a density tilted by a few times theta is negligible once all shares are 1. It is as
// large as possible, because narrower cuts need denser nodes.
func (s Sampled) blur(theta float64) float64 {
	pull := 2 * (theta + 1) * s.Mu
	if s.Opposed {
		pull *= 2
	}
	b := 0.5 / math.Max(1, s.Cut/6)
	for ; b*(1+pull) > 1; b /= 1.25 {
		before := s.half() - s.Cut - 3*b // distance to the output at which the share is one half
		if before > b*b*(4*pull+1) && b*pull*s.share(s.Cut+6*b) < 1 {
			break
		}
	}
	return b
}

// fall returns a lower bound of the rate at which the log of the tilted density decreases beyond output y. log g
// increases by μ times the share, which is convex up to one half and at most 1. By Mills' ratio, the cut decreases at
// least by (y − Cut)/Blur². So up to half, the bound is concave on both sides of the cut.
func (s Sampled) fall(theta, y float64) float64 {
	if s.Reversed {
		return y
	}
	steep, back := 0.0, 0.0
	if s.Blur > 0 {
		steep = 1 / (s.Blur * s.Blur)
	}
	if s.Opposed {
		back = theta * s.Mu * s.share(-y)
	}
	at := func(y, share float64) float64 {
		return y + math.Max(0, y-s.Cut)*steep - (theta+1)*s.Mu*share - back
	}
	half := s.half()
	if y >= half {
		return at(y, 1)
	}
	smallest := math.Min(at(y, s.share(y)), at(half, 1))
	if s.Blur > 0 && y < s.Cut && s.Cut < half {
		smallest = math.Min(smallest, at(s.Cut, s.share(s.Cut)))
	}
	return smallest
}

// reach returns an interval of outputs outside which the tilted density has a share of at most e^−exponent. Its
// integral is at least e^log.
func (s Sampled) reach(theta, log, exponent float64) (lo, hi float64) {
	falls := func(y, slope float64) bool {
		if !(slope > 0.5) {
			return false
		}
		at, _, _, _ := s.at(theta, y)
		return at-math.Log(slope) < log-exponent
	}
	stride := 1.0
	if s.Blur > 0 {
		stride = s.Blur
	}
	hi = outwards(0, stride, func(y float64) bool { return falls(y, s.fall(theta, y)) })
	lo = -outwards(1, 1, func(y float64) bool {
		slope := y
		if s.Reversed {
			slope -= theta * s.Mu * s.share(-y)
		}
		return falls(-y, slope)
	})
	return lo, hi
}

// outwards returns a point at or after y, at most one stride beyond the first point at which ok holds. ok must hold for
// all sufficiently large points.
func outwards(y, stride float64, ok func(float64) bool) float64 {
	if ok(y) {
		return y
	}
	width := stride
	for ; !ok(y + width); width *= 2 {
		y += width
	}
	for ; width > stride; width /= 2 {
		if !ok(y + width/2) {
			y += width / 2
		}
	}
	return y + width
}

// step returns a step of the trapezoidal rule. With it, the integrals of the densities tilted by θ + it, 0 ≤ t ≤ maxT,
// have an error of at most 3e^−exponent times the integral at t = 0. At distance d < π/μ from the real line, the normal
// density is e^{d²/2} times its value at x, the cut at most e^{d²/(2Blur²)} times, and |g(x+id)| is at most g(x).
// Including the angles of g, the integral of the absolute value is at most
//
//	N = e^{d²/2 + d²/(2Blur²)}·E[e^{turn(d)}]
//
// times the integral at t = 0, where the mean is over the tilted distribution. The relative error of the rule is at
// most 2N/(e^{2πd/step} − 1) (Trefethen & Weideman 2014, Theorem 5.1). The mean is bounded over all outputs, which is
// sufficient at θ = 0 and t = 0, or if necessary over the likely parts of the outputs.
func (s Sampled) step(theta, maxT, exponent float64, likely func() []part) float64 {
	bent := 0.5
	if s.Blur > 0 {
		bent += 0.5 / (s.Blur * s.Blur)
	}
	widest := math.Min(0.999*math.Pi/s.Mu, 2*math.Sqrt(exponent/bent))
	all := part{up: 1, down: 1}
	parts := []part{all}
	if s.turn(theta, maxT, widest, all) > exponent/4 {
		parts = likely()
	}
	best := 0.0
	const tries = 24
	for i := 1.0; i <= tries; i++ {
		d := widest * (i / tries) * (i / tries)
		largest := 0.0
		for _, p := range parts {
			largest = math.Max(largest, s.turn(theta, maxT, d, p)-p.exponent)
		}
		need := exponent + bent*d*d + largest + math.Log(float64(len(parts)))
		best = math.Max(best, d/need)
	}
	step := 2 * math.Pi * best
	// Keep few bits, so that products with integers are exact.
	return math.Float64frombits(math.Float64bits(step) &^ (1<<36 - 1))
}

// part is a set of outputs y with probability at most e^−exponent, and the largest shares at y and at −y.
type part struct{ exponent, up, down float64 }

// parts covers all outputs by intervals of decreasing probability under the distribution tilted by theta, whose
// integral is at least e^log.
func (s Sampled) parts(theta, log float64) []part {
	const growth, last = 1.7, 1500
	var all []part
	outside := 0.0
	for e := 1.0; e < last; e *= growth {
		lo, hi := s.reach(theta, log, e)
		p := part{exponent: outside, up: s.share(hi), down: s.share(-lo)}
		if p.up > 0.5 && (p.down > 0.5 || !s.Opposed) {
			break
		}
		all = append(all, p)
		outside = e
	}
	return append(all, part{outside, 1, 1})
}

// turn returns the log of the maximum factor by which |e^{(θ+it)L}|, t ≤ maxT, at distance d from the real line exceeds
// its value on the real line, for outputs in the part. With the share w of qe^x in g(x), |g(x+iη)|² is 1 −
// 4w(1−w)sin²(η/2) times g(x)². Its angle is at most ηw if w ≤ 1/2, where the derivative of the angle decreases in η,
// and at most η otherwise.
func (s Sampled) turn(theta, maxT, d float64, p part) float64 {
	const above = 1 + 1e-9
	angle := func(share float64) float64 {
		if share > 0.499 {
			return s.Mu * d * above
		}
		return s.Mu * d * share * above
	}
	shrinks := func(share float64) float64 {
		w, sin := math.Min(0.5, share*above), math.Sin(s.Mu*d/2)
		return -math.Log1p(-4*w*(1-w)*sin*sin) / 2 * above
	}
	switch {
	case s.Reversed:
		return maxT*angle(p.up) + theta*shrinks(p.up)
	case s.Opposed:
		return maxT*(angle(p.up)+angle(p.down)) + theta*shrinks(p.down)
	}
	return maxT * angle(p.up)
}
