package mean

import (
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// Every check of means describes its attempt or counterexample. The seed is fixed. Each row fails with probability
// below 1e-6 at other seeds, or is deterministic.
func TestAttemptsAtMeans(t *testing.T) {
	root := rateLaw(1, -0.5)
	bounded := func(factor float64) Rate {
		return noisyRate(rateLaw(factor, -0.5), uniformNoise).with(func(c *Rate) { c.Bound, c.Range = root, within(2, rateLaw(factor, -0.5)) })
	}
	late := noisyRate(root, uniformNoise).with(func(c *Rate) { // beyond the bound from n = 4000 on, visibly from 8000 on
		c.Bound, c.Range = func(x float64) float64 { return 63 / x }, within(2, root)
	})
	dented := exactRate(func(x float64) float64 {
		if x == 4000 {
			return root(x) * 0.5
		}
		return root(x)
	})
	x := []float64{2}
	verifytest.Rows{
		{"a mean as claimed", unbiased(vector(64_000, x, around(x, 2))), verify.Consistent, []string{"1 of them sampled", "measures the factor", "of the way from its middle to its end"}},
		{"a mean that is not", unbiased(vector(64_000, x, around([]float64{6}, 2))), verify.Refuted, []string{"the only cell"}},
		{"means within bounds", bounded(0.5), verify.Consistent, []string{"7 points, from n=1000 to n=64000", "times its bound, with limits "}},
		{"the last mean is the nearest", exactRate(root).with(func(c *Rate) { c.Bound = rateLaw(10, -0.6) }), verify.Holds, []string{"the nearest to breaking, n=64000, has a mean of 0.3024 times its bound"}},
		{"the first is", exactRate(root).with(func(c *Rate) { c.Bound = rateLaw(1, -0.4) }), verify.Holds, []string{"n=1000, has a mean of 0.5012 times"}},
		{"means beyond, late on the grid", late, verify.Refuted, []string{"n=8000: the first, in the order of the grid, of the 4 that fail among 7 points; the one before it, n=4000, does not"}},
		{"a law", exactRate(root).with(lawOf(verify.Equals, -0.5)), verify.Holds, []string{"21 pairs of points that all satisfy the power law; the slope on n=1000 … n=64000 is -0.5"}},
		{"a law with a dent", dented.with(lawOf(verify.AtMost, -0.5)), verify.Refuted, []string{"n=4000 and n=8000: the first, in the order of the grid, of the 4 that fail among 21 pairs of points"}},
		{"a rate", exactRate(root), verify.Consistent, []string{"the slope on n=", "a limit above -0.4 would not have supported the claim"}},
		{"a rate from below", exactRate(root).with(func(c *Rate) { c.Sense = verify.AtLeast }), verify.Consistent, []string{"a limit below -0.6 would"}},
		{"a rate that is off", exactRate(rateLaw(1, -0.3)), verify.Inconclusive, []string{"a constant, or the range of n on which the claim holds"}},
		{"before the asymptotics", exactRate(func(x float64) float64 { return root(x) + rateLaw(20, -1)(x) }), verify.Inconclusive, []string{"a grid that begins at about n=7e+05; this one begins at n=1000"}},
		{"too far before them", exactRate(func(x float64) float64 { return root(x) + rateLaw(100, -1)(x) }), verify.Inconclusive, []string{"a grid beyond n=64000; how far cannot be predicted"}},
		{"no slope", exactRate(func(x float64) float64 { return 64_000 - x }), verify.Inconclusive, []string{"another grid", "has no logarithm"}},
		{"too short a grid", exactRate(root).with(func(c *Rate) { c.Grid = c.Grid[:2] }), verify.Inconclusive, []string{"a grid with at least", "this one has 2"}},
		{"no instance", exactRate(root).with(func(c *Rate) { c.Premise = func(float64) string { return "n is even" } }), verify.Vacuous, []string{"n=1000: the first of 7 points, which all violate the premise: n is even"}},
		{"a void bound", exactRate(root).with(func(c *Rate) { c.Bound, c.Trivial = rateLaw(2, -0.5), rateLaw(1.5, -0.5) }), verify.Vacuous, []string{"n=1000: the first of 7 points, in the order of the grid, all of which fail; there the bound does not improve on the trivial bound 0.04743"}},
		{"in order", normals(0, 3, 4), verify.Consistent, []string{"2 orders in", "the nearest to breaking, b < c,", "at least 50 % is claimed"}},
		{"out of order", normals(0, 3, 0, -3), verify.Refuted, []string{"b < c: the first, as they are claimed, of the 2 that fail among 3 orders; the one before it, a < b, does not"}},
	}.Hold(t)
}

// The stated size decides an open claim, and a fifth of it does not.
func TestNeededSizeOfMeansDecides(t *testing.T) {
	x := []float64{2}
	root := rateLaw(1, -0.5)
	verifytest.OpenRows{
		{"a mean", 320, func(n int64) verify.Check {
			u := unbiased(vector(n, x, around(x, 2)))
			u.Effect = 0.05
			return u
		}},
		{"a bound", 64, func(n int64) verify.Check {
			return noisyRate(rateLaw(0.99, -0.5), uniformNoise).with(func(c *Rate) { c.Bound, c.Range, c.Replicates = root, within(2, root), n })
		}},
		{"a slope", 64, func(n int64) verify.Check {
			return noisyRate(root, logNormalNoise).with(func(c *Rate) { c.Exponent, c.Replicates = -0.5, n })
		}},
		{"an order", 40, func(n int64) verify.Check {
			return normals(0, 0.5).with(func(c *Compare) { c.Replicates = n })
		}},
	}.Decided(t)
}
