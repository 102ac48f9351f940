package confidence

import (
	"fmt"
	"math"
)

// EProcess is a sequential test by betting (Shafer 2021; Waudby-Smith & Ramdas 2024) of a
// statement about the probabilities p and q of an event under one input, counted as X, and
// under its neighbour, counted as Y, all samples being independent:
//
//	NotAbove: p ≤ e^ε q + δ   (the claim; its rejection refutes the claim)
//	NotBelow: p ≥ e^ε q + δ   (its rejection bounds ε from above on this event)
//
// The wealth starts at 1. Under the statement the probability that it ever
// reaches 1/α is at most α, however the time to stop is chosen (Ville 1939). The
// event, the size of each block and all bets must be fixed before the block is
// seen; they may depend on everything before.
//
// The bet. For a point (p₀, q₀) of the line p = tq + δ, t = e^ε, a stake A and
// B = −tA n₁/n₂, a block of n₁ + n₂ outcomes multiplies the wealth by
//
//	∏(1 + A(s₁ − p₀)) · ∏(1 + B(s₀ − q₀)),   s ∈ {0, 1},
//
// which depends on the block through its counts alone. It is an e-variable: by
// independence its expectation is (1 + A(p−p₀))^n₁ (1 + B(q−q₀))^n₂; on the line,
// with q = q₀ + d, the log of that is concave in d with derivative n₁At + n₂B = 0
// at d = 0, so at most 0; off the line, on the statement's side, A's sign makes
// it smaller still. A is cut where a factor would turn negative; a factor is never
// cut.
//
// Betting on pairs, 1 + λ(s₁ − t s₀ − δ), is also valid and weaker: with (p₀, q₀)
// the projection of a true (p, q) onto the line, the product is the likelihood
// ratio of (p, q) to a member of the statement, the fastest growing e-variable
// there is (Grünwald, de Heide & Koolen 2024; Turner & Grünwald 2023).
//
// The wealth is spread over bets with stakes from the whole range and one that
// follows the counts so far, all at the line's point nearest to those counts.
type EProcess struct {
	line      boundary
	side      float64   // +1 for NotAbove, −1 for NotBelow: the sign of A
	past      countPair // what the bets are made from: pilot and blocks seen
	logWealth []float64 // of each bet, with its share of the initial wealth
	now, peak float64
}

// Statement is the null hypothesis that an EProcess tests.
type Statement int

const (
	NotAbove Statement = iota // p ≤ e^ε q + δ
	NotBelow                  // p ≥ e^ε q + δ
)

// Shares of the initial wealth: followed on the counts so far, the rest on fixed
// parts 2^{−(j+1)/2} of the largest stake, evenly.
const (
	followShare = 0.5
	fixedStakes = 12
)

// Pilot are counts of the same event in samples that are not part of the test: X of N1 under
// the first input and Y of N2 under the second. The first bets are placed by them. The zero
// value is no pilot.
type Pilot struct{ X, N1, Y, N2 int64 }

// NewEProcess starts a test of a statement with a wealth of 1. eps is finite, 0 ≤ delta < 1; returns ErrDomain
// otherwise.
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

// Observe updates the wealth by one block of samples: the event happened in x of n1 under the
// first input and in y of n2 under the second. Small first blocks let the bets adapt sooner.
// Counts outside their domain are an error and leave the wealth as it is.
func (e *EProcess) Observe(x, n1, y, n2 int64) error {
	if !validCounts(x, n1, y, n2) {
		return fmt.Errorf("e-process: block with %d of %d and %d of %d events: %w", x, n1, y, n2, ErrDomain)
	}
	block := countPair{float64(x), float64(n1), float64(y), float64(n2)}
	p, q := (e.past.x+0.5)/(e.past.n1+1), (e.past.y+0.5)/(e.past.n2+1)
	q0 := e.line.nearest(p, block.n1, q, block.n2)
	p0, rest := e.line.p(q0)
	if !(p0 > 0 && rest > 0 && q0 > 0 && q0 < 1) {
		return e.keep(block) // rounded to the end of the line: no bet
	}
	ratio := e.line.t * block.n1 / block.n2 // −B/A
	// the largest |A| at which no factor is negative
	most := math.Min(1/p0, 1/(ratio*(1-q0)))
	if e.side < 0 {
		most = math.Min(1/rest, 1/(ratio*q0))
	}
	most *= 1 - 1e-9
	follow := math.Max(0, math.Min(most, e.side*(p-p0)/(p0*rest)))
	e.logWealth[0] += logFactor(block, p0, q0, e.side*follow, -e.side*follow*ratio)
	part := 1.0
	for j := 1; j < len(e.logWealth); j++ {
		part *= math.Sqrt2 / 2
		e.logWealth[j] += logFactor(block, p0, q0, e.side*most*part, -e.side*most*part*ratio)
	}
	e.now = logSum(e.logWealth)
	e.peak = math.Max(e.peak, e.now)
	return e.keep(block)
}

// keep adds a block to the past.
func (e *EProcess) keep(block countPair) error {
	e.past.x += block.x
	e.past.n1 += block.n1
	e.past.y += block.y
	e.past.n2 += block.n2
	return nil
}

// LogWealth is the logarithm of the current wealth. The wealths of independent runs may be
// multiplied: the product is an e-value again.
func (e *EProcess) LogWealth() float64 { return e.now }

// PeakLogWealth is the largest logarithm of the wealth so far. It is no e-value: the peaks of
// several runs must not be multiplied.
func (e *EProcess) PeakLogWealth() float64 { return e.peak }

// Rejected reports whether the statement is rejected at error alpha, now or at any
// earlier block.
func (e *EProcess) Rejected(alpha float64) bool { return e.peak >= -math.Log(alpha) }

// logFactor is the log of what a block does to the wealth.
func logFactor(c countPair, p0, q0, a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return c.x*math.Log1p(a*(1-p0)) + (c.n1-c.x)*math.Log1p(-a*p0) +
		c.y*math.Log1p(b*(1-q0)) + (c.n2-c.y)*math.Log1p(-b*q0)
}

// nearest is the q of the line's point that minimises n₁ kl(p, ·) + n₂ kl(q, ·),
// 0 < p, q < 1: where the derivative along the line, which rises, vanishes.
func (b boundary) nearest(p, n1, q, n2 float64) float64 {
	low, high := 0.0, math.Min(1, b.full())
	for range 60 {
		at := low + (high-low)/2
		on := b.t*at + b.delta
		if b.t*n1*(on-p)/(on*(1-on))+n2*(at-q)/(at*(1-at)) < 0 {
			low = at
		} else {
			high = at
		}
	}
	return low + (high-low)/2
}

// logSum is the log of a sum of exponentials.
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
