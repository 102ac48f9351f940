package confidence

import (
	"math"
	"sort"
)

// jointRegion is a set of outcomes (x, y), an upper set in x: those with x at
// least the threshold of y. Thresholds rise with y. It stands for all outcomes
// that count as no less evidence than the observed one; where rounding leaves a
// doubt, an outcome is in.
type jointRegion struct {
	n1, n2 float64
	first  int       // the y of thresholds[0]
	least  []float64 // threshold per y; n1+1 where no x suffices
	atZero float64   // threshold of y = 0, a lower bound below first
	reach  float64   // standard deviations of Y that are summed below its mean
	depth  float64   // masses below e^−depth are bounded, not summed
}

// countSlack is how far below a count a computed threshold may lie and still
// count as at that count: above all rounding, and only ever adding outcomes.
func countSlack(n float64) float64 { return 1e-6 + 1e-14*n }

// newJointRegion makes the region of counts whose shifted half deviance above
// the boundary is at least half, for sums at q in [qLow, qHigh] of probabilities
// down to about e^−depth.
func newJointRegion(n1, n2 float64, b boundary, half, qLow, qHigh, depth float64) *jointRegion {
	g := &jointRegion{n1: n1, n2: n2, reach: NormalUpperQuantile(math.Exp(-depth)), depth: depth}
	from, _ := g.rows(qLow)
	_, to := g.rows(qHigh)
	g.first = int(from)
	g.least = make([]float64, int(to)-g.first+1)
	g.atZero, _ = g.threshold(b, 0, half, 0)
	guess, last := 0.0, 0.0
	for i := range g.least {
		extrapolated := guess
		if last > 0 {
			extrapolated += guess - last
		}
		last = guess
		if i > 0 && g.least[i-1] > n1 { // and so from here on
			g.least[i] = n1 + 1
			continue
		}
		g.least[i], guess = g.threshold(b, from+float64(i), half, extrapolated)
	}
	for i := len(g.least) - 2; i >= 0; i-- { // thresholds rise but for rounding
		g.least[i] = math.Min(g.least[i], g.least[i+1])
	}
	g.atZero = math.Min(g.atZero, g.least[0])
	return g
}

// holds reports whether an outcome is in the region.
func (g *jointRegion) holds(x, y int64) bool {
	least := g.atZero
	if i := int(y) - g.first; i >= 0 {
		least = g.least[min(i, len(g.least)-1)]
	}
	return float64(x) >= least
}

// rows is the range of y that matters at q.
func (g *jointRegion) rows(q float64) (from, to float64) {
	mean, sd := g.n2*q, math.Sqrt(g.n2*q*(1-q))
	from = math.Floor(mean - g.reach*sd - g.reach*g.reach/6)
	to = math.Ceil(mean + 6*sd + 12)
	return math.Max(0, from), math.Min(g.n2, to)
}

// threshold is the least count of x at y, and the multiplier found on the way,
// a good guess for the next.
func (g *jointRegion) threshold(b boundary, y, half, guess float64) (least, m float64) {
	c := countPair{y: math.Min(g.n2-leastFailures, y+shiftUp), n1: g.n1, n2: g.n2}
	x, m := b.leastCount(c, half, guess)
	least = math.Ceil(x + shiftDown - countSlack(g.n1))
	if !(least <= g.n1) {
		least = g.n1 + 1
	}
	return math.Max(0, least), m
}

// point is a pair of Bernoulli laws.
type point struct{ p, pc, q, qc float64 } // pc = 1−p, qc = 1−q

// mass bounds P(region) at a point from above, to a relative 1e-8 or a share
// of e^−depth; slope is its derivative in p, approximately.
//
// The sum runs down from the largest y, where the tail of X beyond the threshold
// is smallest, so that tails only ever grow by adding masses.
func (g *jointRegion) mass(at point) (mass, slope float64) {
	from, to := g.rows(at.q)
	low := min(max(0, int(from)-g.first), len(g.least)-1)
	sdX := math.Sqrt(g.n1 * at.p * at.pc)
	// beyond this x the tail is below e^−(depth+20)
	far := g.n1*at.p + math.Sqrt(2*(g.depth+20))*sdX + (g.depth + 20)
	inReach := sort.SearchFloat64s(g.least, math.Min(far, g.n1)+0.5) // first row out of reach
	high := max(low, min(int(to)-g.first, inReach-1, len(g.least)-1))

	y := float64(g.first + high)
	massY := math.Exp(logBinomialPMF(y, g.n2, at.q, at.qc))
	x := g.least[high]
	massX, tailX := g.tail(x, at)
	// rows above and below the sum count by the lowest threshold among them
	above := logBinomialUpper(g.least[min(high+1, len(g.least)-1)], g.n1, at.p, at.pc)
	mass = math.Exp(logBinomialUpper(y+1, g.n2, at.q, at.qc) + above)
	if bottom := float64(g.first + low); bottom > 0 {
		mass += math.Exp(logBinomialLower(bottom-1, g.n2, at.q, at.qc) + logBinomialUpper(g.atZero, g.n1, at.p, at.pc))
	}
	const tiny, long = 1e-250, 150
	oddsX, oddsY := at.pc/at.p, at.qc/at.q
	for i := high; ; {
		mass += massY * tailX
		slope += massY * massX * x
		if i == low {
			break
		}
		massY *= y / (g.n2 - y + 1) * oddsY
		y--
		i--
		if !(massY >= tiny) { // NaN at q = 0
			massY = math.Exp(logBinomialPMF(y, g.n2, at.q, at.qc))
		}
		next := g.least[i]
		if massX < tiny && tailX > 0.5 { // far below the mean of X: nothing is left to add
			x, massX, tailX = next, 0, 1
			continue
		}
		if x-next > long || massX < tiny {
			x = next
			massX, tailX = g.tail(x, at)
			continue
		}
		for ; x > next; x-- {
			massX *= x / (g.n1 - x + 1) * oddsX
			tailX += massX
		}
	}
	return mass * (1 + 1e-8), slope / math.Max(at.p, math.SmallestNonzeroFloat64)
}

// tail is P(X = x) and P(X ≥ x).
func (g *jointRegion) tail(x float64, at point) (mass, tail float64) {
	if x > g.n1 {
		return 0, 0
	}
	return math.Exp(logBinomialPMF(x, g.n1, at.p, at.pc)), math.Exp(logBinomialUpper(x, g.n1, at.p, at.pc))
}

// on is the point of the boundary at q.
func (b boundary) on(q float64) point {
	p, pc := b.p(q)
	return point{p, pc, q, 1 - q}
}

// tilted bounds the mass at q = centre + h by what the tangent of every
// outcome's log-probability at the centre gives there.
//
// Along the boundary p is affine in q, so log P(x, y) is concave in q and lies
// below its tangent; a sum of exponentials of tangents is convex in q. Hence
// on [centre−h, centre+h] the mass is at most the larger of the two ends'
// values, between grid points as well as on them. Each value is the mass at
// an exponentially tilted pair of binomials times their normaliser, which is
// about 1 + I h²/2 for the Fisher information I of the line.
func (g *jointRegion) tilted(b boundary, centre, h float64) (mass, slope float64) {
	at := b.on(centre)
	tilt := func(p, pc, s, n float64) (float64, float64, float64) {
		e := math.Expm1(s)
		norm := math.Log1p(p * e)
		return p * (1 + e) / (1 + p*e), pc / (1 + p*e), n * (norm - s*p)
	}
	var logX, logY float64
	at.p, at.pc, logX = tilt(at.p, at.pc, h*b.t/(at.p*at.pc), g.n1)
	at.q, at.qc, logY = tilt(at.q, at.qc, h/(at.q*at.qc), g.n2)
	mass, slope = g.mass(at)
	norm := math.Exp(logX + logY)
	return mass * norm, slope * norm
}

// over bounds the mass on the boundary for q in [a, b]: by tangents, and by the
// most favourable corner, which serves where q is near 0.
func (g *jointRegion) over(line boundary, low, high float64) (mass, slope float64) {
	centre, h := low+(high-low)/2, (high-low)/2
	mass, slope = math.Inf(1), 0
	if _, pc := line.p(centre); low > 0 && pc > 0 {
		mass, slope = g.tilted(line, centre, h)
		if m, s := g.tilted(line, centre, -h); m > mass {
			mass, slope = m, s
		}
	}
	if low*g.n2 < 1 {
		p, pc := line.p(high)
		if m, s := g.mass(point{p, pc, low, 1 - low}); !(m >= mass) {
			mass, slope = m, s
		}
	}
	return mass, slope
}
