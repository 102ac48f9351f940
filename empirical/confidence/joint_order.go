package confidence

import "math"

// The order in which outcomes count as evidence: by the likelihood ratio.
//
// Write kl(a, b) for the divergence of Bernoulli laws and
//
//	D(p, q) = n₁ kl(x/n₁, p) + n₂ kl(y/n₂, q),
//
// half the deviance. The closed set D ≤ z²/2 is convex, so the line p = t q + δ
// that touches it from below does so in one point, where by Lagrange
//
//	c := n₁ (x/n₁ − p)(p − δ) / (p(1−p)) = n₂ (q − y/n₂) / (1−q) ≥ 0.
//
// Both the slope t that a count (x, y) just reaches and the x that reaches a
// given t are one-dimensional problems along that relation.

// The counts are moved towards the null, x down and y up, before their
// likelihood is taken: the shifts that make the approximate limits of a Poisson
// count those of the exact ones from 0 on, within 1 % for y (exact: 0.65 at alpha
// = 0.05, 0.605 at 1e-9, 2/3 at 1/2) and less well for x (0.235 at x = 1 and
// alpha = 0.05, 1/3 at 1/2). Any fixed values give valid limits.
const (
	shiftDown = 0.25
	shiftUp   = 0.63
	// leastFailures keeps y below n₂, where the relation above degenerates
	leastFailures = 0.1
)

// countPair holds pseudo-counts: shifted, or scaled to another sample size.
// 0 ≤ x ≤ n1, 0 ≤ y ≤ n2.
type countPair struct{ x, n1, y, n2 float64 }

func (c countPair) shifted() countPair {
	return countPair{math.Max(0, c.x-shiftDown), c.n1, math.Min(c.n2-leastFailures, c.y+shiftUp), c.n2}
}

// divergenceDown is n·kl(a, b) for k = n·a and b = a−gap, gap ≥ 0, c = 1−b.
func divergenceDown(k, n, gap, b, c float64) float64 {
	d := k * math.Log1p(gap/b)
	if rest := n - k; rest > 0 {
		d += rest * math.Log1p(-gap/c)
	}
	return d
}

// divergenceUp is n·kl(a, b) for k = n·a and b = a+gap, gap ≥ 0, c = 1−b.
func divergenceUp(k, n, gap, b, c float64) float64 {
	d := (n - k) * math.Log1p(gap/c)
	if k > 0 {
		d += k * math.Log1p(-gap/b)
	}
	return d
}

// lifted is what a multiplier c = m makes of (y, n₂): q, 1−q, q − y/n₂ and dq/dm,
// none by a difference of near numbers.
func (c countPair) lifted(m float64) (q, rest, gap, slope float64) {
	n, failures := c.n2+m, c.n2-c.y
	return (c.y + m) / n, failures / n, m * failures / (c.n2 * n), failures / (n * n)
}

// leastRatio is the smallest log((p−δ)/q) over D(p, q) ≤ half and the q where
// it is taken; −Inf where the set reaches p ≤ δ or comes within a relative 1e-8
// of it. half > 0; tolerance is relative. The relation above gives q from the gap
// x/n₁ − p, and D grows with the gap: Newton on √D.
func (c countPair) leastRatio(delta, half, tolerance float64) (logRatio, q float64) {
	share, misses := c.x/c.n1, (c.n1-c.x)/c.n1
	room := share - delta
	if !(room > 0) {
		return math.Inf(-1), math.NaN()
	}
	low, high := 0.0, room
	root := math.Sqrt(half)
	spread := share * misses / (c.n1 * room) // gap = c·spread to first order
	info := spread/room + (1-c.y/c.n2)/(c.y+half/2)
	gap := math.Min(room/2, math.Sqrt(2*half/info)*spread)
	for range 100 {
		lift := room - gap // p − δ
		p, rest := lift+delta, misses+gap
		m := c.n1 * gap * lift / (p * rest)
		q, unlike, up, slope := c.lifted(m)
		r := math.Sqrt(math.Max(0, divergenceDown(c.x, c.n1, gap, p, rest)+divergenceUp(c.y, c.n2, up, q, unlike)))
		if r < root {
			low = gap
		} else {
			high = gap
		}
		dm := m * (1/gap - 1/lift + 1/p - 1/rest)
		next := gap + 2*r*(root-r)/(m/lift+m/q*slope*dm)
		if !(next >= low && next <= high) {
			next = low + (high-low)/2
		}
		step := next - gap
		gap = next
		if math.Abs(step) <= tolerance*math.Min(gap, room-gap) {
			break
		}
	}
	lift := room - gap
	if !(lift > 1e-8*room) {
		return math.Inf(-1), q
	}
	q, _, _, _ = c.lifted(c.n1 * gap * lift / ((lift + delta) * (misses + gap)))
	return math.Log(lift / q), q
}

// boundary is the edge of a null hypothesis: p = min(1, t q + δ).
type boundary struct{ t, delta float64 }

// p returns the boundary's p and 1−p.
func (b boundary) p(q float64) (p, complement float64) {
	p = b.t*q + b.delta
	if p >= 1 {
		return 1, 0
	}
	return p, 1 - p
}

// full is the q from which on p = 1.
func (b boundary) full() float64 { return (1 - b.delta) / b.t }

// touch returns, for pseudo-count y and multiplier m, the pseudo-count x whose
// constrained maximum is at the q that m gives, half its deviance, and the
// derivatives of both in m. x of c is not used.
func (b boundary) touch(c countPair, m float64) (x, half, dx, dhalf float64) {
	q, unlike, up, slope := c.lifted(m)
	lift := b.t * q // p − δ
	p := lift + b.delta
	rest := 1 - p
	if !(rest > 0) {
		return math.Inf(1), math.Inf(1), math.NaN(), math.NaN()
	}
	gain := p * rest / lift
	gap := m * gain / c.n1
	x = c.n1 * (p + gap)
	dx = gain + slope*b.t*(c.n1+m*((rest-p)*lift-p*rest)/(lift*lift))
	if !(gap < rest) { // x ≥ n₁
		return math.Inf(1), math.Inf(1), dx, math.NaN()
	}
	half = divergenceDown(x, c.n1, gap, p, rest) + divergenceUp(c.y, c.n2, up, q, unlike)
	dhalf = dx * (math.Log1p(gap/p) - math.Log1p(-gap/rest))
	return x, half, dx, dhalf
}

// reached is the pseudo-count x of touch alone, without a logarithm.
func (b boundary) reached(c countPair, m float64) (x float64) {
	q, _, _, _ := c.lifted(m)
	lift := b.t * q
	p := lift + b.delta
	rest := 1 - p
	if !(rest > 0) {
		return math.Inf(1)
	}
	gain := p * rest / lift
	gap := m * gain / c.n1
	if !(gap < rest) {
		return math.Inf(1)
	}
	return c.n1 * (p + gap)
}

// leastCount finds the real x at which pseudo-counts (x, y) have half deviance
// `half` above the line, and its multiplier; +Inf where even x = n₁ has less.
// guess is a starting multiplier.
func (b boundary) leastCount(c countPair, half, guess float64) (x, m float64) {
	enough := countSlack(c.n1) / 10 // accuracy of x
	root := math.Sqrt(half)
	low, high := 0.0, math.Inf(1)
	if m = guess; !(m > 0) {
		m = math.Sqrt(half * (c.y + 1))
	}
	for range 300 {
		at, d, dx, dd := b.touch(c, m)
		x = at
		r := math.Sqrt(math.Max(0, d))
		if r < root {
			low = m
		} else {
			high = m
		}
		next := m + 2*r*(root-r)/dd // NaN beyond x = n₁
		if math.Abs(dx*(next-m)) <= enough {
			return x + dx*(next-m), next
		}
		if !(next > low && next < high) {
			next = math.Min(2*m, low+(high-low)/2)
			if high-low <= 4e-16*high || m > 1e300 {
				break
			}
		}
		m = next
	}
	return x, m
}

// HalfDeviance is half the deviance, the logarithm of the likelihood ratio, of events counted
// in x of na and in y of nb samples against the likeliest probabilities p and q on the line
// p = slope·q + offset; 0 where the counts do not lie above the line. slope > 0, offset in
// [0, 1), 0 ≤ x ≤ na, 0 ≤ y ≤ nb; the counts need not be whole.
func HalfDeviance(slope, offset, x, na, y, nb float64) float64 {
	half, _ := boundary{slope, offset}.half(countPair{x, na, math.Min(y, nb-leastFailures), nb})
	return half
}

// half is half the deviance of c from the nearest point of the boundary, and
// that point's q; 0 where c does not lie above the boundary.
func (b boundary) half(c countPair) (half, q float64) {
	if !((c.x/c.n1-b.delta)/b.t > c.y/c.n2) {
		return 0, c.y / c.n2
	}
	low, high := 0.0, 1.0
	for b.reached(c, high) < c.x && high < 1e300 {
		low, high = high, 2*high
	}
	for high-low > 1e-15*high {
		m := low + (high-low)/2
		if !(m > low && m < high) {
			break
		}
		if b.reached(c, m) < c.x {
			low = m
		} else {
			high = m
		}
	}
	_, half, _, _ = b.touch(c, low)
	q, _, _, _ = c.lifted(low)
	return half, q
}

// leastExcess is the smallest p − t q over D(p, q) ≤ half, and its q; 0 where
// that is not positive.
func (c countPair) leastExcess(t, half float64) (delta, q float64) {
	low, high := 0.0, c.x/c.n1-t*c.y/c.n2
	if at, q := (boundary{t, 0}).half(c); !(at > half) {
		return 0, q
	}
	for range 100 {
		delta = low + (high-low)/2
		if at, _ := (boundary{t, delta}).half(c); at >= half {
			low = delta
		} else {
			high = delta
		}
		if high-low <= 1e-14*high {
			break
		}
	}
	_, q = boundary{t, low}.half(c)
	return low, q
}
