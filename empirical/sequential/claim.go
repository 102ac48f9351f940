package sequential

import (
	"cmp"
	"math"
	"slices"
)

// Claim is a privacy claim as a privacy curve. For the output distributions P and Q at a pair of neighboring
// inputs, Delta is an upper bound of P(E) − e^ε Q(E) over all events E, at every real ε. As a function of e^ε it
// decreases, is at most 1, and tends to 1 at 0.
//
// The test bets against the statements (ε, δ(ε)) at the ε ≥ 0 in Lines, and against the whole curve at the
// ascending points in Grid. At least one of them must be set. They affect only power, not the error.
type Claim struct {
	Delta       func(epsilon float64) float64
	Lines, Grid []float64
}

const (
	gridSide    = 16   // number of points of a curve on each side of ε = 0
	gridTail    = 1e-3 // value of δ below which the curve is not evaluated
	gridReached = 20   // largest ε at which the curve is evaluated
)

// BothOrders returns the claim that δ(ε) is at most delta at every ε ≥ 0 for both orders of the inputs. For ε < 0
// it follows from P(E) − e^{−ε}Q(E) = 1 − e^{−ε} + e^{−ε}(Q(E′) − e^ε P(E′)) for the complement E′.
func BothOrders(delta func(epsilon float64) float64) Claim {
	c := Claim{Delta: func(epsilon float64) float64 {
		if epsilon < 0 {
			return 1 - math.Exp(epsilon)*(1-delta(-epsilon))
		}
		return delta(epsilon)
	}}
	top := 0.05
	for top < gridReached && delta(top) > gridTail {
		top *= 1.2
	}
	for i := -gridSide; i <= gridSide; i++ {
		c.Grid = append(c.Grid, top*float64(i)/gridSide)
	}
	for _, part := range []float64{0, 0.15, 0.3, 0.5} {
		c.Lines = append(c.Lines, part*top)
	}
	return c
}

// ApproximateDP returns the claim of (ε, δ)-DP in both orders, ε ≥ 0. Between −ε and ε the curve is a chord in e^ε,
// because privacy curves are convex in e^ε.
func ApproximateDP(epsilon, delta float64) Claim {
	atLow := 1 - math.Exp(-epsilon)*(1-delta)
	return Claim{Lines: []float64{epsilon}, Delta: func(e float64) float64 {
		switch {
		case e >= epsilon:
			return delta
		case e <= -epsilon:
			return 1 - math.Exp(e)*(1-delta)
		}
		part := math.Expm1(e+epsilon) / math.Expm1(2*epsilon)
		return (1-part)*atLow + part*delta
	}}
}

// dominating is a discrete pair of distributions. Its privacy curve interpolates the claim's grid points linearly
// in t = e^ε. At a kink, Q has the jump of the slope as its probability, and P has t times this probability.
type dominating struct {
	delta func(epsilon float64) float64
	lines []float64
	p, q  []float64 // empty if there is no grid
}

func newDominating(c Claim) *dominating {
	d := &dominating{delta: c.Delta, lines: c.Lines}
	if len(c.Grid) == 0 {
		return d
	}
	last, height := 0.0, 1.0
	slope := -1.0 // δ is 1-Lipschitz in t
	for _, epsilon := range c.Grid {
		t, next := math.Exp(epsilon), c.Delta(epsilon)
		s := math.Min(0, (next-height)/(t-last))
		jump := math.Max(0, s-slope)
		d.add(last*jump, jump)
		last, height, slope = t, next, s
	}
	d.add(last*-slope, -slope)
	d.add(height, 0)
	return d
}

// add adds an atom with probabilities p and q.
func (d *dominating) add(p, q float64) {
	if p+q > 1e-12 {
		d.p, d.q = append(d.p, p), append(d.q, q)
	}
}

// price returns half the largest E_P[f] + E_Q[g] under the claim, for a payoff (f[j], g[j]) in cell j of the
// outputs. Under the claim a pair of independent outputs, o from P and o′ from Q, then satisfies E[f(o) g(o′)] ≤
// price², because the geometric mean is at most the arithmetic mean.
//
// The sum is largest for a pair (P, Q) in which each output is in the cell that maximizes l f + g at its likelihood
// ratio l = dP/dQ. These cells are the corners of the upper hull of the points (f, g), from the largest g to the
// largest f. Over the nested events E_i beyond each edge,
//
//	E_P[f] + E_Q[g] = f₀ + g₀ + Σ Δf_i (P(E_i) − τ_i Q(E_i)) ≤ f₀ + g₀ + Σ Δf_i δ(ln τ_i),
//
// in which −τ_i is the slope of edge i.
func (d *dominating) price(f, g []float64) float64 {
	hull := upperHull(f, g)
	sum := f[hull[0]] + g[hull[0]]
	for i := 1; i < len(hull); i++ {
		df, dg := f[hull[i]]-f[hull[i-1]], g[hull[i-1]]-g[hull[i]]
		sum += df * d.delta(math.Max(-maxLog, math.Min(maxLog, math.Log(dg/df))))
	}
	return sum / 2 * (1 + 1e-12) // covers rounding
}

// maxLog keeps e^ε finite.
const maxLog = 700

// upperHull returns the indices of the corners of the upper hull, by ascending f and descending g.
func upperHull(f, g []float64) (hull []int) {
	order := make([]int, len(f))
	for j := range order {
		order[j] = j
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(f[i], f[j]), cmp.Compare(g[i], g[j])) })
	for _, j := range order {
		for len(hull) > 0 {
			last := hull[len(hull)-1]
			if len(hull) > 1 {
				before := hull[len(hull)-2]
				if (f[last]-f[before])*(g[j]-g[before]) >= (f[j]-f[before])*(g[last]-g[before]) {
					hull = hull[:len(hull)-1]
					continue
				}
			}
			if g[j] >= g[last] {
				hull = hull[:len(hull)-1]
				continue
			}
			break
		}
		hull = append(hull, j)
	}
	return hull
}

// bet returns a payoff against the claim for believed cell probabilities p and q, all positive. It is the payoff
// with the largest expected growth among those against the claim's lines and curve.
func (d *dominating) bet(p, q []float64) payoff {
	best, maxGrowth := payoff{make([]float64, len(p)), make([]float64, len(p))}, 0.0 // no bet
	consider := func(f, g []float64) {
		logPrice, growth := math.Log(d.price(f, g)), 0.0
		for j := range f {
			f[j], g[j] = math.Log(f[j])-logPrice, math.Log(g[j])-logPrice
			growth += p[j]*f[j] + q[j]*g[j]
		}
		if growth > maxGrowth {
			best, maxGrowth = payoff{f, g}, growth
		}
	}
	for _, epsilon := range d.lines {
		consider(newLine(epsilon, d.delta(epsilon)).bet(p, q))
	}
	if len(d.p) > 0 {
		consider(d.project(p, q))
	}
	return best
}

// Growth returns the expected growth of the log wealth against the claim, in nats per pair of outputs, if the cell
// probabilities p and q, all positive, are known.
func (c Claim) Growth(p, q []float64) float64 {
	pay, growth := newDominating(c).bet(p, q), 0.0
	for j := range p {
		growth += p[j]*pay.f[j] + q[j]*pay.g[j]
	}
	return growth
}

// payoff holds the log factors of the wealth for an output in each cell: f for the first input, g for the second.
type payoff struct{ f, g []float64 }
