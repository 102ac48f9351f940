package confidence

import (
	"math"
	"sort"
)

// jointRegion is a set of outcomes (x, y) with x at least the threshold of y. Thresholds increase with y. The
// region contains all outcomes that are at least as strong evidence as the observed one. If rounding leaves a
// doubt, the outcome belongs to the region.
type jointRegion struct {
	n1, n2     float64
	first      int       // the y of thresholds[0]
	thresholds []float64 // threshold for each y; n1+1 if no x suffices
	atZero     float64   // threshold at y = 0, a lower bound for all y below first
	reach      float64   // number of standard deviations of Y summed below its mean
	depth      float64   // probabilities below e^−depth are bounded, not summed
}

// countSlack returns how far above a count a computed threshold may be and still equal this count. It exceeds all
// rounding errors and can only add outcomes to the region.
func countSlack(n float64) float64 { return 1e-6 + 1e-14*n }

// newJointRegion returns the region of counts whose shifted half deviance above the boundary is at least half. It
// supports sums at q in [qLow, qHigh] of probabilities down to about e^−depth.
func newJointRegion(n1, n2 float64, b boundary, half, qLow, qHigh, depth float64) *jointRegion {
	g := &jointRegion{n1: n1, n2: n2, reach: NormalUpperQuantile(math.Exp(-depth)), depth: depth}
	from, _ := g.rows(qLow)
	_, to := g.rows(qHigh)
	g.first = int(from)
	g.thresholds = make([]float64, int(to)-g.first+1)
	g.atZero, _ = g.threshold(b, 0, half, 0)
	guess, last := 0.0, 0.0
	for i := range g.thresholds {
		extrapolated := guess
		if last > 0 {
			extrapolated += guess - last
		}
		last = guess
		if i > 0 && g.thresholds[i-1] > n1 { // the same holds for all later rows
			g.thresholds[i] = n1 + 1
			continue
		}
		g.thresholds[i], guess = g.threshold(b, from+float64(i), half, extrapolated)
	}
	for i := len(g.thresholds) - 2; i >= 0; i-- { // thresholds increase up to rounding
		g.thresholds[i] = math.Min(g.thresholds[i], g.thresholds[i+1])
	}
	g.atZero = math.Min(g.atZero, g.thresholds[0])
	return g
}

// holds reports whether an outcome is in the region.
func (g *jointRegion) holds(x, y int64) bool {
	least := g.atZero
	if i := y - int64(g.first); i >= 0 {
		least = g.thresholds[min(i, int64(len(g.thresholds)-1))]
	}
	return float64(x) >= least
}

// rows returns the range of y that contributes at q.
func (g *jointRegion) rows(q float64) (from, to float64) {
	mean, sd := g.n2*q, math.Sqrt(g.n2*q*(1-q))
	from = math.Floor(mean - g.reach*sd - g.reach*g.reach/6)
	to = math.Ceil(mean + 6*sd + 12)
	return math.Max(0, from), math.Min(g.n2, to)
}

// threshold returns the smallest count x of the region at y, and the multiplier found on the way, which is a good
// guess for the next y.
func (g *jointRegion) threshold(b boundary, y, half, guess float64) (least, m float64) {
	c := countPair{y: math.Min(g.n2-leastFailures, y+shiftUp), n1: g.n1, n2: g.n2}
	x, m := b.leastCount(c, half, guess)
	least = math.Ceil(x + shiftDown - countSlack(g.n1))
	if !(least <= g.n1) {
		least = g.n1 + 1
	}
	return math.Max(0, least), m
}

// point is a pair of Bernoulli distributions.
type point struct{ p, pc, q, qc float64 } // pc = 1−p, qc = 1−q

// mass returns an upper bound of P(region) at a point, with a relative error of 1e-8 or an absolute one of about
// e^−depth. slope approximates its derivative in p.
//
// The sum starts at the largest y, at which the tail of X above the threshold is smallest. Tails then change only
// by added probabilities.
func (g *jointRegion) mass(theta point) (mass, slope float64) {
	from, to := g.rows(theta.q)
	low := min(max(0, int(from)-g.first), len(g.thresholds)-1)
	sdX := math.Sqrt(g.n1 * theta.p * theta.pc)
	// above this x the tail is below e^−(depth+20)
	far := g.n1*theta.p + math.Sqrt(2*(g.depth+20))*sdX + (g.depth + 20)
	inReach := sort.SearchFloat64s(g.thresholds, math.Min(far, g.n1)+0.5) // first row out of reach
	high := max(low, min(int(to)-g.first, inReach-1, len(g.thresholds)-1))

	y := float64(g.first + high)
	massY := math.Exp(logBinomialPMF(y, g.n2, theta.q, theta.qc))
	x := g.thresholds[high]
	massX, tailX := g.tail(x, theta)
	// bound the rows above and below the sum by the lowest threshold among them
	above := logBinomialUpper(g.thresholds[min(high+1, len(g.thresholds)-1)], g.n1, theta.p, theta.pc)
	mass = math.Exp(logBinomialUpper(y+1, g.n2, theta.q, theta.qc) + above)
	if bottom := float64(g.first + low); bottom > 0 {
		below := logBinomialUpper(g.atZero, g.n1, theta.p, theta.pc)
		mass += math.Exp(logBinomialLower(bottom-1, g.n2, theta.q, theta.qc) + below)
	}
	const tiny, long = 1e-250, 150
	oddsX, oddsY := theta.pc/theta.p, theta.qc/theta.q
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
			massY = math.Exp(logBinomialPMF(y, g.n2, theta.q, theta.qc))
		}
		next := g.thresholds[i]
		if massX < tiny && tailX > 0.5 { // far below the mean of X: no probability is left to add
			x, massX, tailX = next, 0, 1
			continue
		}
		if x-next > long || massX < tiny {
			x = next
			massX, tailX = g.tail(x, theta)
			continue
		}
		for ; x > next; x-- {
			massX *= x / (g.n1 - x + 1) * oddsX
			tailX += massX
		}
	}
	return mass * (1 + 1e-8), slope / math.Max(theta.p, math.SmallestNonzeroFloat64)
}

// tail returns P(X = x) and P(X ≥ x).
func (g *jointRegion) tail(x float64, theta point) (mass, tail float64) {
	if x > g.n1 {
		return 0, 0
	}
	return math.Exp(logBinomialPMF(x, g.n1, theta.p, theta.pc)), math.Exp(logBinomialUpper(x, g.n1, theta.p, theta.pc))
}

// on returns the point of the boundary at q.
func (b boundary) on(q float64) point {
	p, pc := b.p(q)
	return point{p, pc, q, 1 - q}
}

// tilted returns an upper bound of the probability at q = centre + h. For every outcome it extrapolates the
// log-probability along its tangent at the centre.
//
// Along the boundary p is affine in q, so log P(x, y) is concave in q and below its tangent. A sum of exponentials
// of tangents is convex in q. On [centre−h, centre+h] the probability is therefore at most the larger value of the
// two ends, between grid points as well as on them. Each value is the probability under an exponentially tilted
// pair of binomials times their normalizer. The normalizer is about 1 + I h²/2, in which I is the Fisher
// information of the line.
func (g *jointRegion) tilted(b boundary, centre, h float64) (mass, slope float64) {
	theta := b.on(centre)
	tilt := func(p, pc, s, n float64) (float64, float64, float64) {
		e := math.Expm1(s)
		norm := math.Log1p(p * e)
		return p * (1 + e) / (1 + p*e), pc / (1 + p*e), n * (norm - s*p)
	}
	var logX, logY float64
	theta.p, theta.pc, logX = tilt(theta.p, theta.pc, h*b.t/(theta.p*theta.pc), g.n1)
	theta.q, theta.qc, logY = tilt(theta.q, theta.qc, h/(theta.q*theta.qc), g.n2)
	mass, slope = g.mass(theta)
	norm := math.Exp(logX + logY)
	return mass * norm, slope * norm
}

// over returns an upper bound of the probability on the boundary for q in [low, high]. It uses tangents, and near q
// = 0 the most favorable corner.
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
