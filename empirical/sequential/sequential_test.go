package sequential

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// gaussian is the claim of μ-GDP (Dong, Roth & Su 2022, Corollary 2.13).
func gaussian(mu float64) Claim {
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return BothOrders(func(epsilon float64) float64 {
		return math.Max(0, cdf(mu/2-epsilon/mu)-math.Exp(epsilon)*cdf(-mu/2-epsilon/mu))
	})
}

// member returns a pair of distributions on cells that satisfies the claim: the image under a kernel of the worst
// pair for (ε, δ), which has four outputs.
func member(epsilon, delta float64, kernel [4][]float64) (p, q []float64) {
	keep := math.Exp(epsilon) / (1 + math.Exp(epsilon))
	worstP := [4]float64{delta, (1 - delta) * keep, (1 - delta) * (1 - keep), 0}
	m := len(kernel[0])
	p, q = make([]float64, m), make([]float64, m)
	for z, row := range kernel {
		for j, k := range row {
			p[j] += worstP[z] * k
			q[j] += worstP[3-z] * k
		}
	}
	return p, q
}

// laws draws a random distribution on m cells.
func lawOf(m int) *rapid.Generator[[]float64] {
	return rapid.Custom(func(t *rapid.T) []float64 {
		out, sum := make([]float64, m), 0.0
		for j := range out {
			out[j] = math.Exp(rapid.Float64Range(-6, 0).Draw(t, "mass"))
			sum += out[j]
		}
		for j := range out {
			out[j] /= sum
		}
		return out
	})
}

// For all beliefs, a bet multiplies the expected wealth by at most 1 under the claim.
func TestBetsNeverGainUnderTheClaim(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(2, 6).Draw(t, "cells")
		epsilon := rapid.Float64Range(0, 3).Draw(t, "epsilon")
		delta := rapid.SampledFrom([]float64{0, 1e-3, 0.3}).Draw(t, "delta")
		var kernel [4][]float64
		for z := range kernel {
			kernel[z] = lawOf(m).Draw(t, "kernel")
		}
		if rapid.Bool().Draw(t, "sharp") {
			for z := range kernel {
				clear(kernel[z])
				kernel[z][rapid.IntRange(0, m-1).Draw(t, "cell")] = 1
			}
		}
		p, q := member(epsilon, delta, kernel)
		claim := ApproximateDP(epsilon, delta)
		if rapid.Bool().Draw(t, "whole curve") { // the same claim, by the projection
			claim.Lines, claim.Grid = nil, []float64{-epsilon - 0.1, epsilon + 0.1}
		}
		pay := newDominating(claim).bet(lawOf(m).Draw(t, "believed p"), lawOf(m).Draw(t, "believed q"))
		if e := expectation(pay, p, q); e > 1+1e-9 {
			t.Fatalf("expected factor %v under the claim", e)
		}
	})
}

// A bet against both orders of the inputs has one level for both. At the worst pair for both orders its expected
// factor is 1, by enumeration. The negative control pays only for the more expensive order, like a test that gives
// each direction the full level. Its expected factor exceeds 1.
func TestBothOrdersArePaidFor(t *testing.T) {
	for _, c := range []struct{ epsilon, delta float64 }{{0.5, 0.01}, {0.5, 0.05}, {1, 0.05}} {
		worst := [4][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
		p, q := member(c.epsilon, c.delta, worst)
		claim := ApproximateDP(c.epsilon, c.delta)
		d := newDominating(claim)
		// The pair exceeds the claim in one of the orders.
		believed := [2][]float64{{0.2, 0.7, 0.09, 0.01}, {0.01, 0.09, 0.7, 0.2}}
		if e := expectation(d.bet(believed[0], believed[1]), p, q); e > 1+1e-9 || e < 0.95 {
			t.Errorf("%+v: an expected factor of %v, want 1", c, e)
		}
		f, g := newLine(c.epsilon, c.delta).bet(believed[0], believed[1])
		price := onePrice(d, f, g)
		var pay payoff
		for j := range f {
			pay.f, pay.g = append(pay.f, math.Log(f[j]/price)), append(pay.g, math.Log(g[j]/price))
		}
		if e := expectation(pay, p, q); e < 1.0005 {
			t.Errorf("%+v: who pays for one order has an expected factor of %v only", c, e)
		}
	}
}

// onePrice is price without the cost of the cheaper order. Edges of the hull with slopes above 1 belong to one
// order and the others to the other order, with δ(ln τ) = 1 − τ + τ δ(−ln τ).
func onePrice(d *dominating, f, g []float64) float64 {
	hull := upperHull(f, g)
	sum, costs := f[hull[0]]+g[hull[0]], [2]float64{}
	for i := 1; i < len(hull); i++ {
		df, dg := f[hull[i]]-f[hull[i-1]], g[hull[i-1]]-g[hull[i]]
		if tau := math.Log(dg / df); tau >= 0 {
			costs[0] += df * d.delta(tau)
		} else {
			sum += df - dg
			costs[1] += dg * d.delta(-tau)
		}
	}
	return (sum + max(costs[0], costs[1])) / 2
}

func expectation(pay payoff, p, q []float64) float64 {
	var f, g float64
	for j := range p {
		f += p[j] * math.Exp(pay.f[j])
		g += q[j] * math.Exp(pay.g[j])
	}
	return f * g
}

// Normal distributions at distance μ, divided into cells, just satisfy μ-GDP. At a larger distance the bet grows,
// nearly as fast as the bet against the nearest normal pair of the claim.
func TestBetAgainstGaussianPrivacy(t *testing.T) {
	cells := func(mu float64) (p, q []float64) {
		cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		const n, width = 40, 0.2
		for j := range n {
			low, high := (float64(j)-n/2)*width, (float64(j)-n/2+1)*width
			if j == 0 {
				low = math.Inf(-1)
			}
			if j == n-1 {
				high = math.Inf(1)
			}
			p = append(p, cdf(high+mu/2)-cdf(low+mu/2))
			q = append(q, cdf(high-mu/2)-cdf(low-mu/2))
		}
		return p, q
	}
	p, q := cells(1)
	growth, pay := gaussian(0.5).Growth(p, q), newDominating(gaussian(0.5)).bet(p, q)
	// The nearest pair is N(c, σ²) and N(1−c, σ²) with (1−2c)/σ = 0.5 at σ = 1.07: 0.0560 nats.
	if growth < 0.05 || growth > 0.0561 {
		t.Errorf("the bet grows by %v nats a pair", growth)
	}
	p, q = cells(0.5)
	if e := expectation(pay, p, q); e > 1 || e < 0.98 {
		t.Errorf("at the claim's edge: expected factor %v", e)
	}
}

// For the Laplace mechanism with ε = 1 and a claim of ε = 0.5, the growth equals the growth for the nearest pair,
// which a formula gives for each cell.
func TestLineBetIsOptimal(t *testing.T) {
	e, known := math.Exp(-1), math.Exp(0.5)
	p, q := []float64{0.5, 0.5 - e/2, e / 2}, []float64{e / 2, 0.5 - e/2, 0.5} // x < 0, between, x > 1
	keep := known / (1 + known)
	want := 0.0
	for j := range p {
		mass, r := p[j]+q[j], p[j]/(p[j]+q[j])
		if s := math.Max(r, 1-r); s > keep {
			want += mass * (s*math.Log(s/keep) + (1-s)*math.Log((1-s)/(1-keep)))
		}
	}
	if growth := ApproximateDP(0.5, 0).Growth(p, q); math.Abs(growth-want) > 1e-5 {
		t.Errorf("the bet grows by %v nats a pair, %v is possible", growth, want)
	}
}

// responses holds the outputs of randomized response, the worst case of the claim at ε. Each row has one value, so
// the likelihood of a sequence of pairs is exact.
type responses struct {
	keep float64
	p    float64 // of the sequence
	a, b []float64
}

// sequences calls f with every sequence of n pairs.
func sequences(keep float64, n int, f func(responses)) {
	for code := range 1 << (2 * n) {
		s := responses{keep: keep, p: 1}
		for i := range n {
			x, y := code>>(2*i)&1, code>>(2*i+1)&1
			s.a, s.b = append(s.a, float64(x)), append(s.b, float64(y))
			for _, kept := range []bool{x == 0, y == 1} {
				if kept {
					s.p *= keep
				} else {
					s.p *= 1 - keep
				}
			}
		}
		f(s)
	}
}

// stream runs a stream over a sequence and chooses scores after every second pair. A peeking stream makes each bet
// after it has observed the pair.
func (s responses) stream(epsilon float64, peek bool) (logWealth float64) {
	r := rand.New(rand.NewPCG(1, 1))
	stream := New([]Claim{ApproximateDP(epsilon, 0)}, false)
	a, b := distinguisher.NewRows(1, 8), distinguisher.NewRows(1, 8)
	for i := range s.a {
		x, y := []float64{s.a[i]}, []float64{s.b[i]}
		before := stream.tracks[0].clone()
		stream.Observe(r, x, y)
		a.Append(x)
		b.Append(y)
		if i%2 == 1 {
			stream.Follow(distinguisher.Leading(a, b, 2), a, b)
		}
		if t := stream.tracks[0]; peek && t.score != nil {
			stream.makeBets()
			t.logs = before
			f, g := t.cells.index(t.score.Value(x)), t.cells.index(t.score.Value(y))
			for k := range t.pays {
				t.logs[k][0] += t.pays[k][0].f[f] + t.pays[k][0].g[g]
			}
		}
	}
	if peek {
		return stream.tracks[0].logs[1][0]
	}
	return stream.LogWealth(0)
}

// The wealth of the stream has an expectation of at most 1 under the claim, by enumeration. The negative control,
// whose bets use the current pair, gains.
func TestStreamNeverGainsUnderTheClaim(t *testing.T) {
	const epsilon, pairs = 0.3, 5
	var sound, peeking float64
	sequences(1/(1+math.Exp(-epsilon)), pairs, func(s responses) {
		sound += s.p * math.Exp(s.stream(epsilon, false))
		peeking += s.p * math.Exp(s.stream(epsilon, true))
	})
	if sound > 1+1e-9 || sound < 0.8 {
		t.Errorf("the expected wealth is %v", sound)
	}
	if peeking < 1.05 {
		t.Errorf("bets that see the present pair have an expected wealth of %v only", peeking)
	}
}

// Cells have equal shares, and a repeated value has its own cell.
func TestDivide(t *testing.T) {
	c := divide([]float64{1, 2, 3, 4, 5, 6, 7, 8}, 4)
	if !slices.Equal(c.upper, []float64{2.5, 4.5, 6.5}) || c.index(math.NaN()) != 4 || c.index(-9) != 0 || c.index(9) != 3 {
		t.Errorf("cells up to %v", c.upper)
	}
	c = divide([]float64{1, 2, 5, 5, 5, 5, 8, 9}, 4)
	if c.index(5) == c.index(2) || c.index(5) == c.index(8) {
		t.Errorf("5 is not by itself: cells up to %v", c.upper)
	}
	if c = divide(nil, 4); c.index(1) != 0 {
		t.Errorf("no values: %+v", c)
	}
}

func TestPassed(t *testing.T) {
	p := Passed{Family: 2}
	p.See(math.Log(10), 3)
	p.See(math.Log(30), 5) // would suffice for one test at 0.05, not for a family of two
	p.See(math.Log(41), 7)
	p.See(0, 8)
	if p.Samples != [len(Levels)]int64{7} || math.Abs(p.PValue()-2.0/41) > 1e-12 {
		t.Errorf("passed at %v, p = %v", p.Samples, p.PValue())
	}
}

func BenchmarkStream(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		s := New([]Claim{ApproximateDP(1, 0)}, false)
		x, y := distinguisher.NewRows(1, 500), distinguisher.NewRows(1, 500)
		for i := range 500 {
			u, v := []float64{r.NormFloat64()}, []float64{r.NormFloat64()}
			s.Observe(r, u, v)
			x.Append(u)
			y.Append(v)
			if i == 4 {
				s.Follow(distinguisher.Leading(x, y, 2), x, y)
			}
		}
	}
}

// A score without values, for example the number in strings that are not numbers, makes no bet.
func TestNoValuesAreNoBelief(t *testing.T) {
	for _, k := range []prior{ordered[0], ordered[1], ordered[2]} {
		p, q := k.laws([]float64{0, 0, 0, 40}, []float64{0, 0, 0, 40})
		for j := range p {
			if math.IsNaN(p[j]) || math.Abs(p[j]-q[j]) > 1e-12 {
				t.Errorf("cell %d: %v under the first input, %v under the second", j, p[j], q[j])
			}
		}
	}
}
