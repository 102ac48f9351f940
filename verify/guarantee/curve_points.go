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

// curve is (ε, δ)-DP at some points, and all that follows from it. As a function of t = e^ε, δ is convex, falls, and
// is 1 at t = 0; what holds at t for both orders of the inputs holds at 1/t, with 1 − (1 − δ)/t. So the lower
// convex hull of the points, their mirror images and (0, 1) bounds δ at all t ≥ 0.
type curve struct {
	claimed []confidence.Line // those that the others follow from, as claimed, by ε
	points  []confidence.Line // the same, at the factor
	hull    []corner
	wrong   error
}

// corner of a lower convex hull: δ at e^ε, or a type II error at a type I error.
type corner struct{ x, y float64 }

// MaxEpsilon keeps e^ε finite, with room for a factor.
const MaxEpsilon = 600

// newCurve keeps what is wrong with the points for Check.
func newCurve(points []confidence.Line) *curve {
	c := &curve{wrong: check(points)}
	if c.wrong != nil {
		return c
	}
	// A δ of 1 says nothing, and of some points at one height the first says most.
	for _, p := range points {
		if n := len(c.claimed); p.Delta < 1 && (n == 0 || p.Delta < c.claimed[n-1].Delta) {
			c.claimed = append(c.claimed, confidence.Line{Epsilon: p.Epsilon + 0, Delta: p.Delta + 0})
		}
	}
	c.build(c.claimed)
	c.claimed = c.points
	if len(c.claimed) == 0 {
		c.wrong = errors.New("a curve whose δ are all 1 claims nothing")
	}
	return c
}

// Check returns an error that names the point which is out of its domain.
func (c *curve) Check() error { return c.wrong }

func check(points []confidence.Line) error {
	if len(points) == 0 {
		return errors.New("a curve without points claims nothing")
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

// CheckPoint returns an error where a point of a curve is out of its domain, or does not follow the one before it; nil
// is none.
func CheckPoint(p confidence.Line, before *confidence.Line) error {
	switch {
	case !(p.Epsilon >= 0 && p.Epsilon <= MaxEpsilon):
		return fmt.Errorf("ε = %v: want a number from 0 to %d", p.Epsilon, MaxEpsilon)
	case !(p.Delta >= 0 && p.Delta <= 1):
		return fmt.Errorf("δ = %v: want a number in [0, 1]", p.Delta)
	case before == nil:
		return nil
	case !(p.Epsilon > before.Epsilon):
		return fmt.Errorf("ε = %v after %v: want ε that rise", p.Epsilon, before.Epsilon)
	case p.Delta > before.Delta:
		return fmt.Errorf("δ = %v at ε = %v, after %v at %v: a privacy curve falls", p.Delta, p.Epsilon, before.Delta,
			before.Epsilon)
	}
	return nil
}

// build makes the hull, and keeps the points that are corners of it.
func (c *curve) build(points []confidence.Line) {
	at := map[float64]confidence.Line{}
	all := []corner{{0, 1}}
	for _, p := range points {
		if p.Epsilon > MaxEpsilon || p.Delta >= 1 { // of a curve times a factor
			continue
		}
		t := math.Exp(p.Epsilon)
		at[t] = p
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
		if p, ok := at[k.x]; ok && k.y == p.Delta {
			c.points = append(c.points, p)
		}
	}
}

// extendHull adds a corner to a lower convex hull, to the right of all others, and removes the corners that are not
// below their chord any more.
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

// Points are the corners at ε ≥ 0, by ε; at least one.
func (c *curve) Points() []confidence.Line { return c.points }

// Epsilons are those of the corners at ε ≥ 0.
func (c *curve) Epsilons() []float64 {
	out := make([]float64, len(c.points))
	for i, p := range c.points {
		out[i] = p.Epsilon
	}
	return out
}

// Delta bounds δ at any real ε.
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

// Times is the curve with all ε and δ, as claimed, times a factor of at least 0.
func (c *curve) Times(factor float64) *curve {
	out := &curve{claimed: c.claimed, wrong: c.wrong}
	points := make([]confidence.Line, len(c.claimed))
	for i, p := range c.claimed {
		points[i] = confidence.Line{Epsilon: p.Epsilon * factor, Delta: p.Delta * factor}
	}
	out.build(points)
	return out
}

// Factor is the least on all ε and δ, as claimed, with which an event of masses p > q, and its complement in the other
// order, are compatible.
func (c *curve) Factor(p, q float64) float64 {
	factor := 0.0
	for _, at := range c.claimed {
		factor = leastFactor(at, p, q, factor)
		factor = leastFactor(at, 1-q, 1-p, factor)
	}
	return factor
}

// leastFactor is the least s ≥ from with p ≤ e^(sε) q + sδ. What is short of it is concave in s and falls, so that
// Newton's steps end at or beyond it but for rounding.
func leastFactor(at confidence.Line, p, q, from float64) float64 {
	short := func(s float64) float64 { return p - math.Exp(math.Min(709, s*at.Epsilon))*q - s*at.Delta }
	if !(short(from) > 0) {
		return from
	}
	if at.Delta == 0 {
		if at.Epsilon == 0 || q == 0 {
			return math.Inf(1)
		}
		return logRatio(p, q) / at.Epsilon
	}
	s := p / at.Delta // enough by δ alone
	if at.Epsilon > 0 && q > 0 {
		s = math.Min(s, logRatio(p, q)/at.Epsilon) // by ε alone
	}
	for range 100 {
		next := s + short(s)/(at.Epsilon*math.Exp(math.Min(709, s*at.Epsilon))*q+at.Delta)
		if !(next < s*(1-1e-14)) {
			break
		}
		if s = next; !(s > from) {
			break
		}
	}
	return math.Max(s, from)
}

const (
	mostGrid  = 33 // points of a curve that bets know it by
	mostLines = 5  // of them that are bet against by themselves
)

// Sequential is the curve as a stream of samples bets against it.
func (c *curve) Sequential() sequential.Claim {
	claim := sequential.Claim{Delta: c.Delta}
	for _, k := range some(c.hull[1:], mostGrid) {
		claim.Grid = append(claim.Grid, math.Log(k.x))
	}
	claim.Lines = some(c.Epsilons(), mostLines)
	return claim
}

// some of a list, at even distances, its first and its last among them.
func some[T any](all []T, most int) []T {
	if len(all) <= most {
		return all
	}
	out := make([]T, most)
	for i := range out {
		out[i] = all[i*(len(all)-1)/(most-1)]
	}
	return out
}

// String names the curve by its ends.
func (c *curve) String() string {
	n := len(c.points)
	if n == 0 {
		return "DP along a curve without points"
	}
	a, b := c.points[0], c.points[n-1]
	return fmt.Sprintf("DP along the curve (%g, %g) … (%g, %g) of %d points", a.Epsilon, a.Delta, b.Epsilon, b.Delta, n)
}
