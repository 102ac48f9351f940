package confidence

import (
	"fmt"
	"math"
)

// EProcess is a sequential test by betting (Shafer 2021; Waudby-Smith & Ramdas 2024). It counts an event under one
// input (probability p, count X) and under its neighbor (probability q, count Y) in independent samples. It tests
// one of the statements
//
//	NotAbove: p ≤ e^ε q + δ   (the claim; its rejection refutes the claim)
//	NotBelow: p ≥ e^ε q + δ   (its rejection bounds ε from above on this event)
//
// The wealth starts at 1. Under the statement it reaches 1/α with probability at most α at any time, whatever the
// stopping rule (Ville 1939). The event, the size of each block and all bets must be fixed before the block is
// observed. They may depend on all earlier blocks.
//
// The bets use a point (p₀, q₀) of the line p = tq + δ with t = e^ε, a stake A, and B = −tA n₁/n₂. A block of n₁ +
// n₂ outcomes multiplies the wealth by
//
//	∏(1 + A(s₁ − p₀)) · ∏(1 + B(s₀ − q₀)),   s ∈ {0, 1},
//
// which depends only on the block's counts. The factor is an e-variable. By independence its expectation is (1 +
// A(p−p₀))^n₁ (1 + B(q−q₀))^n₂. On the line, with q = q₀ + d, the log of the expectation is concave in d with
// derivative n₁At + n₂B = 0 at d = 0, hence at most 0. Inside the statement the sign of A makes the expectation
// smaller. The stake A is capped so that no factor becomes negative. Factors are not clipped.
//
// Bets on pairs, 1 + λ(s₁ − t s₀ − δ), are also valid but weaker. If (p₀, q₀) is the projection of the true (p, q)
// onto the line, the product is the likelihood ratio of (p, q) to a member of the statement. This is the e-variable
// with the fastest growth (Grünwald, de Heide & Koolen 2024; Turner & Grünwald 2023).
//
// The initial wealth is divided among bets with fixed stakes over the whole range and one bet whose stake follows
// the counts so far. All use the point of the line that is nearest to those counts.
type EProcess struct {
	line      boundary
	side      float64   // +1 for NotAbove, −1 for NotBelow: the sign of A
	past      countPair // counts that determine the bets: the pilot and all earlier blocks
	logWealth []float64 // log wealth of each bet, including its share of the initial wealth
	now, peak float64
}

// Statement is the null hypothesis of an EProcess.
type Statement int

const (
	NotAbove Statement = iota // p ≤ e^ε q + δ
	NotBelow                  // p ≥ e^ε q + δ
)

// followShare is the share of the initial wealth for the bet that follows the counts. The rest is divided equally
// among fixedStakes bets, whose stakes are 2^{−j/2} of the largest stake, j = 1, 2, ….
const (
	followShare = 0.5
	fixedStakes = 12
)

// Pilot holds counts of the same event in samples that are not part of the test: X of N1 for the first input and Y
// of N2 for the second. The first bets depend on them. The zero value means that there is no pilot.
type Pilot struct{ X, N1, Y, N2 int64 }

// NewEProcess starts a test of a statement with a wealth of 1. It requires finite eps and 0 ≤ delta < 1, and
// returns ErrDomain otherwise.
func NewEProcess(s Statement, eps, delta float64, pilot Pilot) (*EProcess, error) {
	t := math.Exp(eps)
	if !(t > 0 && t <= math.MaxFloat64 && delta >= 0 && delta < 1) || s != NotAbove && s != NotBelow {
		return nil, fmt.Errorf("e-process at eps = %v, delta = %v: need finite eps and 0 ≤ delta < 1: %w", eps, delta,
			ErrDomain)
	}
	if pilot != (Pilot{}) && !validCounts(pilot.X, pilot.N1, pilot.Y, pilot.N2) {
		return nil, fmt.Errorf("e-process: pilot counts %d of %d and %d of %d: %w", pilot.X, pilot.N1, pilot.Y, pilot.N2,
			ErrDomain)
	}
	e := &EProcess{
		line: boundary{t, delta},
		side: 1,
		past: countPair{float64(pilot.X), float64(pilot.N1), float64(pilot.Y), float64(pilot.N2)},

		logWealth: make([]float64, 1+fixedStakes),
	}
	if s == NotBelow {
		e.side = -1
	}
	e.logWealth[0] = math.Log(followShare)
	for j := range fixedStakes {
		e.logWealth[1+j] = math.Log((1 - followShare) / fixedStakes)
	}
	return e, nil
}

// Observe updates the wealth after one block of samples. The event occurred in x of n1 samples for the first input
// and in y of n2 samples for the second. With small first blocks the bets adapt sooner. Observe rejects counts
// outside their domain with an error and leaves the wealth unchanged.
func (e *EProcess) Observe(x, n1, y, n2 int64) error {
	if !validCounts(x, n1, y, n2) {
		return fmt.Errorf("e-process: block with %d of %d and %d of %d events: %w", x, n1, y, n2, ErrDomain)
	}
	block := countPair{float64(x), float64(n1), float64(y), float64(n2)}
	p, q := (e.past.x+0.5)/(e.past.n1+1), (e.past.y+0.5)/(e.past.n2+1)
	q0 := e.line.nearest(p, block.n1, q, block.n2)
	p0, rest := e.line.p(q0)
	if !(p0 > 0 && rest > 0 && q0 > 0 && q0 < 1) {
		return e.keep(block) // rounded to an end of the line: do not bet
	}
	ratio := e.line.t * block.n1 / block.n2 // −B/A
	// Cap |A| so that no factor is negative.
	maxStake := math.Min(1/p0, 1/(ratio*(1-q0)))
	if e.side < 0 {
		maxStake = math.Min(1/rest, 1/(ratio*q0))
	}
	maxStake *= 1 - 1e-9
	follow := math.Max(0, math.Min(maxStake, e.side*(p-p0)/(p0*rest)))
	e.logWealth[0] += logFactor(block, p0, q0, e.side*follow, -e.side*follow*ratio)
	part := 1.0
	for j := 1; j < len(e.logWealth); j++ {
		part *= math.Sqrt2 / 2
		e.logWealth[j] += logFactor(block, p0, q0, e.side*maxStake*part, -e.side*maxStake*part*ratio)
	}
	e.now = logSum(e.logWealth)
	e.peak = math.Max(e.peak, e.now)
	return e.keep(block)
}

// keep adds a block to the counts that determine the next bets.
func (e *EProcess) keep(block countPair) error {
	e.past.x += block.x
	e.past.n1 += block.n1
	e.past.y += block.y
	e.past.n2 += block.n2
	return nil
}

// LogWealth returns the natural logarithm of the current wealth. The product of the wealths of independent runs is
// again an e-value.
func (e *EProcess) LogWealth() float64 { return e.now }

// PeakLogWealth returns the largest logarithm of the wealth so far. The peak is not an e-value, so the peaks of
// several runs must not be multiplied.
func (e *EProcess) PeakLogWealth() float64 { return e.peak }

// Rejected reports whether the statement is rejected at error alpha, after the last or any earlier block.
func (e *EProcess) Rejected(alpha float64) bool { return e.peak >= -math.Log(alpha) }

// logFactor returns the log of the factor by which a block multiplies the wealth.
func logFactor(c countPair, p0, q0, a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return c.x*math.Log1p(a*(1-p0)) + (c.n1-c.x)*math.Log1p(-a*p0) +
		c.y*math.Log1p(b*(1-q0)) + (c.n2-c.y)*math.Log1p(-b*q0)
}

// nearest returns q of the point on the line that minimizes n₁ kl(p, ·) + n₂ kl(q, ·), for 0 < p, q < 1. It bisects
// the derivative along the line, which is increasing.
func (b boundary) nearest(p, n1, q, n2 float64) float64 {
	low, high := 0.0, math.Min(1, b.full())
	for range 60 {
		middle := low + (high-low)/2
		on := b.t*middle + b.delta
		if b.t*n1*(on-p)/(on*(1-on))+n2*(middle-q)/(middle*(1-middle)) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return low + (high-low)/2
}

// logSum returns the log of a sum of exponentials.
func logSum(logs []float64) float64 {
	top := math.Inf(-1)
	for _, l := range logs {
		top = math.Max(top, l)
	}
	if math.IsInf(top, -1) {
		return top
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - top)
	}
	return top + math.Log(sum)
}
