package confidence

import "math"

// Outcomes are ordered as evidence by the likelihood ratio.
//
// With the divergence kl(a, b) of two Bernoulli distributions, half the deviance is
//
// 	D(p, q) = n₁ kl(x/n₁, p) + n₂ kl(y/n₂, q).
//
// The closed set D ≤ z²/2 is convex, so the line p = t q + δ that touches it from below does so in one point. There
// the method of Lagrange multipliers gives
//
// 	c := n₁ (x/n₁ − p)(p − δ) / (p(1−p)) = n₂ (q − y/n₂) / (1−q) ≥ 0.
//
// Two one-dimensional problems are solved along this relation: the slope t that a count (x, y) just reaches, and
// the x that reaches a given t.

// The counts are shifted towards the null hypothesis before the likelihood is computed: x down and y up. With these
// shifts the approximate limits of a Poisson count are close to the exact ones from 0 on. The exact shift for y is
// 0.65 at alpha = 0.05, 0.605 at 1e-9 and 2/3 at 0.5; the limits agree within 1 %. The exact shift for x is 0.235
// at x = 1 and alpha = 0.05, and 1/3 at 0.5; the agreement is worse. Limits are valid with any fixed shifts.
const (
	shiftDown = 0.25
	shiftUp   = 0.63
	// leastFailures keeps y below n₂, at which the relation above degenerates.
	leastFailures = 0.1
)

// countPair holds pseudo-counts, which are shifted or scaled to another sample size. 0 ≤ x ≤ n1, 0 ≤ y ≤ n2.
type countPair struct{ x, n1, y, n2 float64 }

func (c countPair) shifted() countPair {
	return countPair{math.Max(0, c.x-shiftDown), c.n1, math.Min(c.n2-leastFailures, c.y+shiftUp), c.n2}
}

// divergenceDown returns n·kl(a, b) for k = n·a, b = a−gap, gap ≥ 0 and c = 1−b.
func divergenceDown(k, n, gap, b, c float64) float64 {
	d := k * math.Log1p(gap/b)
	if rest := n - k; rest > 0 {
		d += rest * math.Log1p(-gap/c)
	}
	return d
}

// divergenceUp returns n·kl(a, b) for k = n·a, b = a+gap, gap ≥ 0 and c = 1−b.
func divergenceUp(k, n, gap, b, c float64) float64 {
	d := (n - k) * math.Log1p(gap/c)
	if k > 0 {
		d += k * math.Log1p(-gap/b)
	}
	return d
}

// lifted returns q, 1−q, q − y/n₂ and dq/dm at multiplier c = m of the relation above. None of the results is a
// difference of nearly equal numbers.
func (c countPair) lifted(m float64) (q, rest, gap, slope float64) {
	n, failures := c.n2+m, c.n2-c.y
	return (c.y + m) / n, failures / n, m * failures / (c.n2 * n), failures / (n * n)
}

// leastRatio returns the smallest log((p−δ)/q) over D(p, q) ≤ half, and the q at which it is attained. It returns
// −Inf if the set reaches p ≤ δ or is within a relative distance of 1e-8 of it. It requires half > 0, and the
// tolerance is relative. The relation above gives q from the gap x/n₁ − p. D increases with the gap, so Newton's
// method is applied to √D.
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

// boundary is the boundary p = min(1, t q + δ) of a null hypothesis.
type boundary struct{ t, delta float64 }

// p returns p and 1−p on the boundary at q.
func (b boundary) p(q float64) (p, complement float64) {
	p = b.t*q + b.delta
	if p >= 1 {
		return 1, 0
	}
	return p, 1 - p
}

// full returns the q above which p = 1.
func (b boundary) full() float64 { return (1 - b.delta) / b.t }

// touch returns, for the pseudo-count y and multiplier m, the pseudo-count x whose constrained maximum is at the q
// given by m. It also returns half the deviance of x and the derivatives of both in m. It does not use c.x.
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

// reached returns only the pseudo-count x of touch, without evaluating a logarithm.
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

// leastCount returns the real x at which the pseudo-counts (x, y) have the given half deviance above the line, and
// its multiplier. x is +Inf if even n₁ has a smaller half deviance. guess is a starting value of the multiplier.
func (b boundary) leastCount(c countPair, half, guess float64) (x, m float64) {
	enough := countSlack(c.n1) / 10 // required accuracy of x
	root := math.Sqrt(half)
	low, high := 0.0, math.Inf(1)
	if m = guess; !(m > 0) {
		m = math.Sqrt(half * (c.y + 1))
	}
	for range 300 {
		count, d, dx, dd := b.touch(c, m)
		x = count
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

// HalfDeviance returns half the deviance, the logarithm of the likelihood ratio, of an event counted in x of na and
// in y of nb samples. The alternative is the most likely pair (p, q) on the line p = slope·q + offset. The result
// is 0 if the counts are not above the line. It requires slope > 0, offset in [0, 1), 0 ≤ x ≤ na and 0 ≤ y ≤ nb.
// The counts need not be integers.
func HalfDeviance(slope, offset, x, na, y, nb float64) float64 {
	half, _ := boundary{slope, offset}.half(countPair{x, na, math.Min(y, nb-leastFailures), nb})
	return half
}

// half returns half the deviance of c from the nearest point of the boundary, and the q of this point. The half
// deviance is 0 if c is not above the boundary.
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

// leastExcess returns the smallest p − t q over D(p, q) ≤ half, and its q. It returns 0 if the smallest value is
// not positive.
func (c countPair) leastExcess(t, half float64) (delta, q float64) {
	low, high := 0.0, c.x/c.n1-t*c.y/c.n2
	if deviance, q := (boundary{t, 0}).half(c); !(deviance > half) {
		return 0, q
	}
	for range 100 {
		delta = low + (high-low)/2
		if deviance, _ := (boundary{t, delta}).half(c); deviance >= half {
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
