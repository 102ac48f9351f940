package empirical

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

// divergenceDown is n·kl(a, a−gap) for k = n·a, gap ≥ 0, b = a−gap.
func divergenceDown(k, n, gap, b float64) float64 {
	d := k * math.Log1p(gap/b)
	if rest := n - k; rest > 0 {
		d += rest * math.Log1p(-gap/(1-b))
	}
	return d
}

// divergenceUp is n·kl(a, a+gap) for k = n·a, gap ≥ 0, b = a+gap.
func divergenceUp(k, n, gap, b float64) float64 {
	d := (n - k) * math.Log1p(gap/(1-b))
	if k > 0 {
		d += k * math.Log1p(-gap/b)
	}
	return d
}

// leastRatio is the smallest log((p−δ)/q) over D(p, q) ≤ half and the q where
// it is taken; −Inf where the set reaches p ≤ δ. half > 0. The relation above
// gives q from the gap x/n₁ − p, and D grows with the gap: Newton on √D.
func (c countPair) leastRatio(delta, half float64) (logRatio, q float64) {
	share, other := c.x/c.n1, c.y/c.n2
	room := share - delta
	if !(room > 0) {
		return math.Inf(-1), math.NaN()
	}
	low, high := 0.0, room
	root := math.Sqrt(half)
	spread := share * (1 - share) / (c.n1 * room) // gap = c·spread to first order
	info := spread/room + (1-other)/(c.y+half/2)
	gap := math.Min(room/2, math.Sqrt(2*half/info)*spread)
	for range 60 {
		p := share - gap
		m := c.n1 * gap * (p - delta) / (p * (1 - p))
		q = (c.y + m) / (c.n2 + m)
		r := math.Sqrt(math.Max(0, divergenceDown(c.x, c.n1, gap, p)+divergenceUp(c.y, c.n2, q-other, q)))
		if r < root {
			low = gap
		} else {
			high = gap
		}
		dm := m * (1/gap - 1/(p-delta) + 1/p - 1/(1-p))
		slope := m/(p-delta) + m*(c.n2-c.y)/((c.y+m)*(c.n2+m))*dm
		next := gap + 2*r*(root-r)/slope
		if !(next > low && next < high) {
			next = low + (high-low)/2
		}
		step := next - gap
		gap = next
		if math.Abs(step) <= 1e-8*gap {
			break
		}
	}
	if !(gap < room*(1-1e-9)) {
		return math.Inf(-1), q
	}
	p := share - gap
	m := c.n1 * gap * (p - delta) / (p * (1 - p))
	q = (c.y + m) / (c.n2 + m)
	return math.Log((p - delta) / q), q
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

// touch returns, for pseudo-count y and the point q ≥ y/n₂ of the line, the
// pseudo-count x whose constrained maximum is there, half its deviance, and the
// derivatives of both in q.
func (b boundary) touch(y, n1, n2, q float64) (x, half, dx, dhalf float64) {
	lift := b.t * q // p − δ
	p := lift + b.delta
	if p >= 1 {
		return math.Inf(1), math.Inf(1), math.NaN(), math.NaN()
	}
	rest := 1 - p
	m := (n2*q - y) / (1 - q)
	dm := (n2 - y) / ((1 - q) * (1 - q))
	gain := p * rest / lift
	dgain := b.t * ((rest-p)*lift - p*rest) / (lift * lift)
	gap := m * gain / n1
	x = n1 * (p + gap)
	dx = n1*b.t + dm*gain + m*dgain
	if x >= n1 {
		return x, math.Inf(1), dx, math.NaN()
	}
	half = divergenceDown(x, n1, gap, p) + divergenceUp(y, n2, q-y/n2, q)
	dhalf = dx * (math.Log1p(gap/p) - math.Log1p(-gap/rest))
	return x, half, dx, dhalf
}

// leastCount finds the real x at which pseudo-counts (x, y) have half deviance
// `half` above the line, and its q; +Inf where even x = n₁ has less. guess is a
// starting q.
func (b boundary) leastCount(y, n1, n2, half, guess float64) (x, q float64) {
	low, high := y/n2, math.Min(1, b.full())
	if !(low < high) {
		return math.Inf(1), high
	}
	q = guess
	if !(q > low && q < high) {
		q = low + math.Min((high-low)/2, math.Sqrt(half*(y+1))/n2)
	}
	root := math.Sqrt(half)
	for range 200 {
		var d, dd float64
		x, d, _, dd = b.touch(y, n1, n2, q)
		step := math.NaN()
		if x >= n1 {
			high = q
		} else {
			r := math.Sqrt(math.Max(0, d))
			if r < root {
				low = q
			} else {
				high = q
			}
			step = 2 * r * (root - r) / dd
			if math.Abs(step) <= 1e-13*q {
				return x, q + step
			}
		}
		next := q + step
		if !(next > low && next < high) {
			next = low + (high-low)/2
			if high-low <= 4e-16*high || next <= low || next >= high {
				break
			}
		}
		q = next
	}
	return x, q
}

// half is half the deviance of c from the nearest point of the boundary, and
// that point's q; 0 where c does not lie above the boundary.
func (b boundary) half(c countPair) (half, q float64) {
	low, high := c.y/c.n2, math.Min((c.x/c.n1-b.delta)/b.t, 1)
	if !(low < high) {
		return 0, low
	}
	for range 200 {
		q = low + (high-low)/2
		if x, _, _, _ := b.touch(c.y, c.n1, c.n2, q); x < c.x {
			low = q
		} else {
			high = q
		}
		if high-low <= 1e-15*high {
			break
		}
	}
	_, half, _, _ = b.touch(c.y, c.n1, c.n2, low)
	return half, low
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
