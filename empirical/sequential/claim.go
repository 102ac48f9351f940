package sequential

import (
	"cmp"
	"math"
	"slices"
)

// Claim is a privacy claim as its privacy curve: Delta bounds sup over events E of
// P(E) − e^ε Q(E) from above at every real ε, for the output distributions P and Q at a pair of
// neighbouring inputs. As a function of e^ε it falls, is at most 1, and tends to 1 at 0.
//
// Lines are some ε ≥ 0 whose (ε, δ(ε)) statements are bet against, Grid, ascending, points at which
// the whole curve is: they have an influence on power, none on the error. One of them is needed.
type Claim struct {
	Delta       func(epsilon float64) float64
	Lines, Grid []float64
}

const (
	gridSide    = 16   // points of a curve on either side of ε = 0
	gridTail    = 1e-3 // of δ; beyond it a curve is flat enough
	gridReached = 20   // and no ε is larger
)

// BothOrders is the claim, for both orders of the inputs, whose δ(ε) is at most delta at every
// ε ≥ 0: the rest follows from P(E) − e^{−ε}Q(E) = 1 − e^{−ε} + e^{−ε}(Q(E′) − e^ε P(E′)) of
// the complement E′.
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

// ApproximateDP is (ε, δ)-DP in both orders, ε ≥ 0. Between −ε and ε the curve is a chord in e^ε,
// in which it is convex.
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

// dominating is a discrete pair of distributions whose privacy curve joins the claim's points on
// the grid by chords in t = e^ε: at a kink, Q has the jump of slope and P has t times as much.
type dominating struct {
	delta func(epsilon float64) float64
	lines []float64
	p, q  []float64 // empty without a grid
}

func newDominating(c Claim) *dominating {
	d := &dominating{delta: c.Delta, lines: c.Lines}
	if len(c.Grid) == 0 {
		return d
	}
	at, height := 0.0, 1.0
	slope := -1.0 // δ is 1-Lipschitz in t
	for _, epsilon := range c.Grid {
		t, next := math.Exp(epsilon), c.Delta(epsilon)
		s := math.Min(0, (next-height)/(t-at))
		jump := math.Max(0, s-slope)
		d.add(at*jump, jump)
		at, height, slope = t, next, s
	}
	d.add(at*-slope, -slope)
	d.add(height, 0)
	return d
}

// add an atom.
func (d *dominating) add(p, q float64) {
	if p+q > 1e-12 {
		d.p, d.q = append(d.p, p), append(d.q, q)
	}
}

// price is half the largest E_P[f] + E_Q[g] under the claim, for a payoff that is (f[j], g[j]) in
// cell j of the outputs. Under the claim a pair of outputs, o of P and o′ of Q, then has
// E[f(o) g(o′)] ≤ price², as they are independent and the geometric mean is at most the
// arithmetic one.
//
// A pair (P, Q) gains most where each output takes that cell where l f + g is largest at its
// likelihood ratio l = dP/dQ: those cells are the corners of the upper hull of the points (f, g),
// from the largest g to the largest f. Over the nested events E_i beyond each edge,
//
//	E_P[f] + E_Q[g] = f₀ + g₀ + Σ Δf_i (P(E_i) − τ_i Q(E_i)) ≤ f₀ + g₀ + Σ Δf_i δ(ln τ_i),
//
// where −τ_i is the slope of edge i.
func (d *dominating) price(f, g []float64) float64 {
	hull := upperHull(f, g)
	sum := f[hull[0]] + g[hull[0]]
	for i := 1; i < len(hull); i++ {
		df, dg := f[hull[i]]-f[hull[i-1]], g[hull[i-1]]-g[hull[i]]
		sum += df * d.delta(math.Max(-maxLog, math.Min(maxLog, math.Log(dg/df))))
	}
	return sum / 2 * (1 + 1e-12) // rounding is paid for
}

// maxLog keeps e^ε finite.
const maxLog = 700

// upperHull are the indices of the corners of the upper hull, by ascending f and falling g.
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

// bet is the payoff against the claim of one who takes the outputs to lie in the cells with
// probabilities p and q, all positive: that which is expected to grow fastest of those against
// the claim's lines and against its curve.
func (d *dominating) bet(p, q []float64) payoff {
	best, most := payoff{make([]float64, len(p)), make([]float64, len(p))}, 0.0 // no bet
	consider := func(f, g []float64) {
		logPrice, growth := math.Log(d.price(f, g)), 0.0
		for j := range f {
			f[j], g[j] = math.Log(f[j])-logPrice, math.Log(g[j])-logPrice
			growth += p[j]*f[j] + q[j]*g[j]
		}
		if growth > most {
			best, most = payoff{f, g}, growth
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

// Growth is how fast the wealth against the claim grows, in nats a pair of outputs, if both
// distributions are known: those of cells, p and q, positive.
func (c Claim) Growth(p, q []float64) float64 {
	pay, growth := newDominating(c).bet(p, q), 0.0
	for j := range p {
		growth += p[j]*pay.f[j] + q[j]*pay.g[j]
	}
	return growth
}

// payoff is what an output in each cell multiplies the wealth by, in logarithms: f for one of the
// first input, g for one of the second.
type payoff struct{ f, g []float64 }
