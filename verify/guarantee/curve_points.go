package guarantee

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/sequential"
)

// curve is a privacy curve: (ε, δ)-DP at some points and everything they imply. As a function of t = e^ε, δ is
// convex and decreasing, and it is 1 at t = 0. A statement at t for both orders of the inputs implies one at 1/t,
// with 1 − (1 − δ)/t. The lower convex hull of the points, their mirror images and (0, 1) therefore bounds δ at all
// t ≥ 0.
type curve struct {
	claimed []confidence.Line // claimed points that imply the others, by increasing ε
	points  []confidence.Line // the same points times the factor
	hull    []corner
	err     error
}

// corner is a corner of a lower convex hull: δ at e^ε, or a type II error at a type I error.
type corner struct{ x, y float64 }

// MaxEpsilon is the maximum ε of a point. It keeps e^ε finite even after multiplication by a factor.
const MaxEpsilon = 600

// newCurve builds the curve. An error in the points is stored for Check.
func newCurve(points []confidence.Line) *curve {
	c := &curve{err: checkPoints(points)}
	if c.err != nil {
		return c
	}
	// A point with δ = 1 implies nothing. Among points of equal δ, the first implies the others.
	for _, p := range points {
		if n := len(c.claimed); p.Delta < 1 && (n == 0 || p.Delta < c.claimed[n-1].Delta) {
			c.claimed = append(c.claimed, confidence.Line{Epsilon: p.Epsilon + 0, Delta: p.Delta + 0})
		}
	}
	c.build(c.claimed)
	c.claimed = c.points
	if len(c.claimed) == 0 {
		c.err = errors.New("a curve with only δ = 1 implies nothing")
	}
	return c
}

// Check returns an error for the first invalid point.
func (c *curve) Check() error { return c.err }

func checkPoints(points []confidence.Line) error {
	if len(points) == 0 {
		return errors.New("a curve without points implies nothing")
	}
	for i, p := range points {
		var before *confidence.Line
		if i > 0 {
			before = &points[i-1]
		}
		if err := CheckPoint(p, before); err != nil {
			return fmt.Errorf("point %d of the curve: %w", i+1, err)
		}
	}
	return nil
}

// CheckPoint returns an error if a point is outside its domain or does not follow the point before it. Pass before
// = nil for the first point.
func CheckPoint(p confidence.Line, before *confidence.Line) error {
	switch {
	case !(p.Epsilon >= 0 && p.Epsilon <= MaxEpsilon):
		return fmt.Errorf("ε = %v: want a number from 0 to %d", p.Epsilon, MaxEpsilon)
	case !(p.Delta >= 0 && p.Delta <= 1):
		return fmt.Errorf("δ = %v: want a number in [0, 1]", p.Delta)
	case before == nil:
		return nil
	case !(p.Epsilon > before.Epsilon):
		return fmt.Errorf("ε = %v after %v: want increasing ε", p.Epsilon, before.Epsilon)
	case p.Delta > before.Delta:
		return fmt.Errorf("δ = %v at ε = %v, after %v at %v: a privacy curve does not increase", p.Delta, p.Epsilon,
			before.Delta,
			before.Epsilon)
	}
	return nil
}

// build computes the hull and keeps the points that are its corners.
func (c *curve) build(points []confidence.Line) {
	byExp := map[float64]confidence.Line{}
	all := []corner{{0, 1}}
	for _, p := range points {
		if p.Epsilon > MaxEpsilon || p.Delta >= 1 { // possible after multiplication by a factor
			continue
		}
		t := math.Exp(p.Epsilon)
		byExp[t] = p
		all = append(all, corner{t, p.Delta})
		if p.Epsilon > 0 {
			all = append(all, corner{1 / t, 1 - (1-p.Delta)/t})
		}
	}
	slices.SortFunc(all, func(a, b corner) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	c.hull, c.points = nil, nil
	for _, k := range all {
		if n := len(c.hull); n == 0 || c.hull[n-1].x != k.x {
			c.hull = extendHull(c.hull, k)
		}
	}
	for _, k := range c.hull {
		if p, ok := byExp[k.x]; ok && k.y == p.Delta {
			c.points = append(c.points, p)
		}
	}
}

// extendHull appends a corner to the right of a lower convex hull and removes the corners that no longer lie below
// their chord.
func extendHull(hull []corner, d corner) []corner {
	for n := len(hull); n > 1; n-- {
		a, b := hull[n-2], hull[n-1]
		if (b.y-a.y)*(d.x-b.x) < (d.y-b.y)*(b.x-a.x) {
			break
		}
		hull = hull[:n-1]
	}
	return append(hull, d)
}

// Points returns the corners with ε ≥ 0 by increasing ε. There is at least one.
func (c *curve) Points() []confidence.Line { return c.points }

// Epsilons returns the ε of the corners with ε ≥ 0.
func (c *curve) Epsilons() []float64 {
	out := make([]float64, len(c.points))
	for i, p := range c.points {
		out[i] = p.Epsilon
	}
	return out
}

// Delta returns the bound on δ at any real ε.
func (c *curve) Delta(epsilon float64) float64 {
	t := math.Exp(math.Min(epsilon, MaxEpsilon+1))
	i := sort.Search(len(c.hull), func(i int) bool { return c.hull[i].x >= t })
	switch {
	case i == len(c.hull):
		return c.hull[i-1].y
	case i == 0 || c.hull[i].x == t:
		return c.hull[i].y
	}
	a, b := c.hull[i-1], c.hull[i]
	return b.y + (a.y-b.y)*((b.x-t)/(b.x-a.x))
}

// Times returns the curve with all claimed ε and δ multiplied by a factor ≥ 0.
func (c *curve) Times(factor float64) *curve {
	out := &curve{claimed: c.claimed, err: c.err}
	points := make([]confidence.Line, len(c.claimed))
	for i, p := range c.claimed {
		points[i] = confidence.Line{Epsilon: p.Epsilon * factor, Delta: p.Delta * factor}
	}
	out.build(points)
	return out
}

// Factor returns the smallest factor on all claimed ε and δ that is compatible with an event of probabilities p > q
// and with its complement in the other order.
func (c *curve) Factor(p, q float64) float64 {
	factor := 0.0
	for _, point := range c.claimed {
		factor = minFactor(point, p, q, factor)
		factor = minFactor(point, 1-q, 1-p, factor)
	}
	return factor
}

// minFactor returns the smallest s ≥ lower with p ≤ e^(sε) q + sδ. The difference p − e^(sε) q − sδ is concave and
// decreasing in s. Starting beyond the root, Newton's method therefore stays at or beyond it, up to rounding.
func minFactor(point confidence.Line, p, q, lower float64) float64 {
	shortfall := func(s float64) float64 { return p - math.Exp(math.Min(709, s*point.Epsilon))*q - s*point.Delta }
	if !(shortfall(lower) > 0) {
		return lower
	}
	if point.Delta == 0 {
		if point.Epsilon == 0 || q == 0 {
			return math.Inf(1)
		}
		return logRatio(p, q) / point.Epsilon
	}
	s := p / point.Delta // sufficient if only δ is used
	if point.Epsilon > 0 && q > 0 {
		s = math.Min(s, logRatio(p, q)/point.Epsilon) // sufficient if only ε is used
	}
	for range 100 {
		next := s + shortfall(s)/(point.Epsilon*math.Exp(math.Min(709, s*point.Epsilon))*q+point.Delta)
		if !(next < s*(1-1e-14)) {
			break
		}
		if s = next; !(s > lower) {
			break
		}
	}
	return math.Max(s, lower)
}

const (
	maxGridPoints   = 33 // maximum number of points for a sequential test
	maxTestedPoints = 5  // maximum number of points tested separately
)

// Sequential returns the claim against which a sequential test bets.
func (c *curve) Sequential() sequential.Claim {
	claim := sequential.Claim{Delta: c.Delta}
	for _, k := range evenlySpaced(c.hull[1:], maxGridPoints) {
		claim.Grid = append(claim.Grid, math.Log(k.x))
	}
	claim.Lines = evenlySpaced(c.Epsilons(), maxTestedPoints)
	return claim
}

// evenlySpaced returns at most count elements of a list at equal distances, including the first and the last.
func evenlySpaced[T any](all []T, count int) []T {
	if len(all) <= count {
		return all
	}
	out := make([]T, count)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(count-1)]
	}
	return out
}

// String describes the curve by its first and last points.
func (c *curve) String() string {
	n := len(c.points)
	if n == 0 {
		return "DP along a curve without points"
	}
	a, b := c.points[0], c.points[n-1]
	return fmt.Sprintf("DP along the curve (%g, %g) … (%g, %g) of %d points", a.Epsilon, a.Delta, b.Epsilon, b.Delta, n)
}
