package confidence

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// The weight of a family sets the first step of solve: from a step too long or too short it ends
// at the same limit, to what solve leaves of the error.
func TestSolveStartsAnywhere(t *testing.T) {
	const alpha, slope = 0.01, math.E
	for _, c := range []struct{ x, y, n int64 }{{900, 100, 1000}, {40, 3, 100}, {60_000, 15_000, 100_000}, {300, 0, 5000}} {
		want := DeltaLower(c.x, c.n, c.y, c.n, 1, alpha)
		n := float64(c.n)
		order, q := countPair{float64(c.x), n, float64(c.y), n}.shifted().leastExcess(slope, orderHalf(alpha))
		for _, factor := range []float64{0.1, 0.5, 2, 10} {
			family := deltaFamily(slope)
			family.weight = func(boundary, float64) float64 { return factor }
			if got := certifyJoint(c.x, c.n, c.y, c.n, alpha, order, q, family); !(want > 0 && math.Abs(got-want) < 0.01*want) {
				t.Errorf("%+v: δ ≥ %v from a weight of %v, %v from that of the family", c, got, factor, want)
			}
		}
	}
}

func TestEpsilonLowerHasTheOraclesPower(t *testing.T) {
	expected := func(p, q float64, n int64, delta float64) float64 {
		x := int64(math.Round(p * float64(n)))
		if q*float64(n) > 100 { // hardly curved: at the expected count
			return EpsilonLower(x, n, int64(math.Round(q*float64(n))), n, delta, 0.05)
		}
		sum := 0.0
		for y := range int64(q*float64(n)) + 60 {
			mass := math.Exp(logBinomialPMF(float64(y), float64(n), q, 1-q))
			sum += mass * EpsilonLower(x, n, y, n, delta, 0.05)
		}
		return sum
	}
	e := math.Exp(1)
	normal := func(z float64) float64 { return 0.5 * math.Erfc(z/math.Sqrt2) }
	cases := []struct {
		reason      string
		p, q, delta float64
		n           int64
		want        float64 // joint score test with the best event
	}{
		{"laplace_1", 0.5, 0.5 / e, 0, 1e5, 0.9875},
		{"laplace_1", 0.5, 0.5 / e, 0, 1e6, 0.9955},
		{"laplace_0.1", 0.5, 0.5 * math.Exp(-0.1), 0, 1e5, 0.0915},
		{"laplace_0.1", 0.5, 0.5 * math.Exp(-0.1), 0, 1e6, 0.0975},
		{"rr_1", e / (1 + e), 1 / (1 + e), 0, 1e5, 0.9905},
		{"rr_1", e / (1 + e), 1 / (1 + e), 0, 1e6, 0.9965},
		{"noisy_hist2", 0.5, 0.5 * math.Exp(-10), 0, 1e5, 8.985},
		{"noisy_hist2", 0.5, 0.5 * math.Exp(-10), 0, 1e6, 9.655},
		{"gauss_1", normal(2.65), normal(3.65), 1e-5, 1e5, 2.75},
	}
	for _, c := range cases {
		if got := expected(c.p, c.q, c.n, c.delta); !(got >= c.want) {
			t.Errorf("%s at n = %d: expected limit %.4f, the oracle's is %v", c.reason, c.n, got, c.want)
		}
	}
}

func TestNonsenseIsNotCertified(t *testing.T) {
	const x, y, n = 500_000, 23, 1_000_000
	point := math.Log(float64(x) / y)
	if got := EpsilonLower(x, n, y, n, 0, 0.05); !(got > 9.5 && got < point) {
		t.Errorf("limit %v, the estimate is %v", got, point)
	}
	for eps := point; eps < 40; eps += 0.1 {
		if got := jointPValue(x, n, y, n, eps, 0); got != 1 {
			t.Errorf("p-value at eps = %v, beyond the estimate: %v", eps, got)
		}
	}
	// the twin without guard and minimum: 14.8 looks refuted
	unsigned := unsignedHalf(countPair{x, n, y, n}, boundary{math.Exp(14.8), 0})
	if p := 0.5 * math.Erfc(math.Sqrt(unsigned)); p > 1e-6 {
		t.Errorf("the faulty twin gives p = %v at 14.8: it has lost its fault", p)
	}
}

// If the order does not depend on ε, the size increases with ε, so the set of rejected values is an interval. The
// p-value uses the order of its own ε and may not be monotone. EpsilonLower therefore does not bisect the p-value.
func TestSizeRisesWithEpsilon(t *testing.T) {
	cases := []countPair{{9, 12, 1, 12}, {12, 12, 0, 12}, {300, 1000, 12, 500}, {5, 1000, 0, 1000}}
	for _, c := range cases {
		order, _ := c.shifted().leastRatio(0, orderHalf(0.05), orderTolerance)
		g := newJointRegion(c.n1, c.n2, boundary{math.Exp(order), 0}, orderHalf(0.05), 0, 1, 40)
		box := newJointBox(int64(c.x), int64(c.n1), int64(c.y), int64(c.n2), 1e-5)
		last := 0.0
		for eps := order - 3; eps < order+3; eps += 0.05 {
			mass, _ := g.probe(box, boundary{math.Exp(eps), 0})
			if mass < last*0.98 && last < 0.9 { // the probe's grid moves with ε
				t.Errorf("%v: the size falls from %v to %v at eps = %v", c, last, mass, eps)
			}
			last = mass
		}
	}
}

// The bound over an interval holds between its end points; the values at the points do not bound it.
func TestBoundHoldsBetweenGridPoints(t *testing.T) {
	missed := 0
	for _, c := range []countPair{{9, 12, 1, 12}, {12, 12, 0, 12}, {300, 1000, 12, 500}, {5, 1000, 0, 1000}, {998, 1000, 300, 1000}} {
		for _, delta := range []float64{0, 0.001} {
			order, _ := c.shifted().leastRatio(delta, orderHalf(0.05), orderTolerance)
			line := boundary{math.Exp(order), delta}
			g := newJointRegion(c.n1, c.n2, line, orderHalf(0.05), 0, 1, 40)
			top := math.Min(1, line.full())
			const pieces = 12
			for i := range pieces {
				low, high := top*float64(i)/pieces, top*float64(i+1)/pieces
				bound, _ := g.over(line, low, high)
				atLow, _ := g.mass(line.on(low))
				atHigh, _ := g.mass(line.on(high))
				for j := 0.0; j <= 40; j++ {
					inside, _ := g.mass(line.on(low + (high-low)*j/40))
					if inside > bound*(1+1e-7) {
						t.Errorf("%v, delta = %v: mass %v inside [%v, %v] exceeds the bound %v", c, delta, inside, low, high, bound)
					}
					if inside > 1.01*math.Max(atLow, atHigh) {
						missed++
					}
				}
			}
		}
	}
	if missed == 0 {
		t.Error("no interval has its maximum inside: the test shows nothing")
	}
}

// mass agrees with the direct double sum.
func TestRegionMass(t *testing.T) {
	const n1, n2 = 40, 60
	for _, line := range []boundary{{1, 0}, {2.7, 0}, {30, 0.01}, {0.3, 0.1}} {
		for _, half := range []float64{0.1, 1.35, 18} {
			g := newJointRegion(n1, n2, line, half, 0, 1, 60)
			for _, q := range []float64{0, 1e-9, 0.01, 0.2, 0.5, 0.9, 1 - 1e-9, 1} {
				at := line.on(q)
				px, py := binomialMasses(n1, at.p), binomialMasses(n2, q)
				want := 0.0
				for x := range n1 + 1 {
					for y := range n2 + 1 {
						if g.holds(int64(x), int64(y)) {
							want += px[x] * py[y]
						}
					}
				}
				got, _ := g.mass(at)
				if !(got >= want*(1-1e-9)) || got > want*(1+1e-6)+1e-24 {
					t.Errorf("%v, half = %v, q = %v: mass %v, plain sum %v", line, half, q, got, want)
				}
			}
		}
	}
}

func TestJointLimitsAtTheEnds(t *testing.T) {
	inf := math.Inf(1)
	cases := []struct {
		reason         string
		x, n1, y, n2   int64
		delta, alpha   float64
		atLeast, below float64
	}{
		{"nothing seen", 0, 100, 0, 100, 0, 0.05, -inf, -inf},
		{"always against never: near log(n / log(1/α))", 1e5, 1e5, 0, 1e5, 0, 0.05, 10.3, 10.5},
		{"the same at 1e-12", 1e5, 1e5, 0, 1e5, 0, 1e-12, 8.1, 8.3},
		{"and at 1e-300", 1e5, 1e5, 0, 1e5, 0, 1e-300, 4.5, 5.2},
		{"and at 1e-100", 1e5, 1e5, 0, 1e5, 0, 1e-100, 5.9, 6.2},
		{"always against always", 100, 100, 100, 100, 0, 0.05, -0.06, 0},
		{"never against always", 0, 100, 100, 100, 0, 0.05, -inf, -inf},
		{"delta explains all", 50, 1000, 0, 1000, 0.05, 0.05, -inf, -inf},
		{"delta explains half", 100, 1000, 0, 1000, 0.05, 0.05, 2, 3.2},
		{"one against none, unequal n", 1, 10, 0, 1_000_000, 0, 0.05, 6, 9.5},
	}
	for _, c := range cases {
		got := EpsilonLower(c.x, c.n1, c.y, c.n2, c.delta, c.alpha)
		if !(got >= c.atLeast && got <= c.below) {
			t.Errorf("%s: %v, want in [%v, %v]", c.reason, got, c.atLeast, c.below)
		}
	}
}

func TestJointArgumentsOutsideTheirDomainProveNothing(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		reason            string
		x, n1, y, n2      int64
		eps, delta, alpha float64
	}{
		{"no samples", 0, 0, 0, 0, 0, 0, 0.05},
		{"x above n", 11, 10, 0, 10, 0, 0, 0.05},
		{"negative y", 5, 10, -1, 10, 0, 0, 0.05},
		{"delta NaN", 10, 10, 0, 10, nan, nan, 0.05},
		{"delta 1", 10, 10, 0, 10, inf, 1, 0.05},
		{"negative delta", 10, 10, 0, 10, inf, -0.1, 0.05},
		{"alpha 0", 10, 10, 0, 10, nan, nan, 0},
		{"alpha below 1e-300", 10, 10, 0, 10, nan, nan, 1e-310},
		{"alpha NaN", 10, 10, 0, 10, nan, nan, nan},
	}
	for _, c := range cases {
		if got := EpsilonLower(c.x, c.n1, c.y, c.n2, c.delta, c.alpha); !math.IsInf(got, -1) {
			t.Errorf("%s: EpsilonLower = %v", c.reason, got)
		}
		if got := DeltaLower(c.x, c.n1, c.y, c.n2, c.eps, c.alpha); got != 0 {
			t.Errorf("%s: DeltaLower = %v", c.reason, got)
		}
		if got := jointPValue(c.x, c.n1, c.y, c.n2, c.eps, c.delta); got != 1 {
			t.Errorf("%s: jointPValue = %v", c.reason, got)
		}
	}
}

func TestJointLimitsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n1, n2 := rapid.Int64Range(1, 3000).Draw(t, "n1"), rapid.Int64Range(1, 3000).Draw(t, "n2")
		x, y := rapid.Int64Range(0, n1).Draw(t, "x"), rapid.Int64Range(0, n2).Draw(t, "y")
		delta := rapid.SampledFrom([]float64{0, 1e-5, 0.1}).Draw(t, "delta")
		alpha := rapid.SampledFrom([]float64{0.3, 0.05, 1e-6, 1e-12}).Draw(t, "alpha")
		lower := EpsilonLower(x, n1, y, n2, delta, alpha)
		if point := math.Log((float64(x)/float64(n1) - delta) / (float64(y) / float64(n2))); !math.IsInf(lower, -1) && !(lower <= point) {
			t.Fatalf("limit %v above the estimate %v", lower, point)
		}
		if stricter := EpsilonLower(x, n1, y, n2, delta, alpha/10); stricter > lower {
			t.Fatalf("a smaller alpha gave a higher limit: %v > %v", stricter, lower)
		}
		eps := rapid.Float64Range(-2, 5).Draw(t, "eps")
		excess := DeltaLower(x, n1, y, n2, eps, alpha)
		if point := float64(x)/float64(n1) - math.Exp(eps)*float64(y)/float64(n2); !(excess == 0 || excess > 0 && excess <= point) {
			t.Fatalf("delta limit %v, estimate %v", excess, point)
		}
		p := jointPValue(x, n1, y, n2, eps, delta)
		if !(p >= pValueGamma && p <= 1) {
			t.Fatalf("p-value %v", p)
		}
		// The two orders may differ slightly. If they differ more, enumeration must confirm the error of the limit.
		differ := p < alpha/3 && lower < eps-1e-9 || p > 3*alpha && lower > eps+1e-9
		if differ && !(delta == 0 && p > alpha && errorAlong(n1, n2, eps, alpha) <= alpha) {
			t.Fatalf("p-value %v at %v, limit %v at alpha = %v", p, eps, lower, alpha)
		}
	})
}

// errorAlong returns the largest probability, on a grid of the line p = e^eps q, that the limit at alpha exceeds
// eps. It enumerates all counts.
func errorAlong(n1, n2 int64, eps, alpha float64) (worst float64) {
	const points = 2000
	most := make([]int, n1+1) // the most y that is refuted beside x
	for x := range most {
		most[x] = sort.Search(int(n2+1), func(y int) bool { return !(EpsilonLower(int64(x), n1, int64(y), n2, 0, alpha) > eps) }) - 1
	}
	for i := 1; i < points; i++ {
		larger := float64(i) / points
		one := distuv.Binomial{N: float64(n1), P: larger * math.Min(1, math.Exp(eps))}
		other := distuv.Binomial{N: float64(n2), P: larger * math.Min(1, math.Exp(-eps))}
		mass := 0.0
		for x, y := range most {
			if y >= 0 {
				mass += one.Prob(float64(x)) * other.CDF(float64(y))
			}
		}
		worst = max(worst, mass)
	}
	return worst
}

// If one sample is small and alpha is tiny, the p-value of the other order can be 16 times alpha at a line that the
// limit of 37 of 40 and 190 of 1066 refutes. The limit still has the stated error, and nearly attains it.
func TestLimitFarOutErrsAsStated(t *testing.T) {
	const alpha = 1e-12
	if got := errorAlong(40, 1066, 0.0625, alpha); !(got <= alpha && got > alpha/3) {
		t.Errorf("the limit errs with probability %v at the worst, alpha = %v", got, alpha)
	}
}

// For large samples the divergence bound replaces the sum. It is below the exact limit and close to it.
func TestDivergenceBoundIsSoundAndNear(t *testing.T) {
	for _, c := range []countPair{{5e5, 1e6, 1.8e5, 1e6}, {500, 1e6, 20, 1e6}, {1e6, 1e6, 0, 1e6}} {
		for _, alpha := range []float64{0.05, 1e-9} {
			exact := EpsilonLower(int64(c.x), int64(c.n1), int64(c.y), int64(c.n2), 0, alpha)
			bound, _ := c.interior().leastRatio(0, gammaTwoQuantile(alpha), orderTolerance)
			if !(bound <= exact && bound >= exact-0.8*math.Max(0.01, math.Log(c.x/math.Max(1, c.y))-exact)) {
				t.Errorf("%v, alpha = %v: bound %v, exact limit %v", c, alpha, bound, exact)
			}
		}
	}
	if got := EpsilonLower(5e9, 1e10, 1e9, 1e10, 0, 1e-9); !(got > 1.609 && got < math.Log(5)) {
		t.Errorf("limit at n = 1e10: %v", got)
	}
	if got := jointPValue(5e9, 1e10, 1e9, 1e10, 1.609, 0); !(got < 1e-9) {
		t.Errorf("p-value at n = 1e10: %v", got)
	}
	if got := DeltaLower(5e9, 1e10, 1e9, 1e10, 1, 1e-9); math.Abs(got-(0.5-0.1*math.E)) > 1e-4 {
		t.Errorf("delta at n = 1e10: %v", got)
	}
}

func TestEpsilonFastIsNear(t *testing.T) {
	for _, sides := range [][2]int64{{400, 400}, {10_000, 10_000}, {1_000_000, 1_000_000}, {2000, 16_000}, {16_000, 2000}} {
		n, m := sides[0], sides[1]
		for _, alpha := range []float64{0.05, 1e-6, 1e-9} {
			for _, delta := range []float64{0, 1e-5} {
				for _, x := range []int64{20, n / 10, n / 2, n - 1} {
					for _, y := range []int64{0, 1, 2, 5, 20, 100, m / 20, m / 3} {
						exact := EpsilonLower(x, n, y, m, delta, alpha)
						if !(exact > 0) {
							continue
						}
						allowed := 0.15
						switch {
						case y >= 100 && n == m:
							allowed = 0.01
						case y >= 100:
							allowed = 0.02
						}
						if fast := EpsilonLowerFast(x, n, y, m, delta, alpha); math.Abs(fast-exact) > allowed {
							t.Errorf("x = %d, y = %d, n = %v, delta = %v, alpha = %v: fast %v, exact %v", x, y, sides, delta, alpha, fast, exact)
						}
					}
				}
			}
		}
	}
}

// The bisection in reached computes the same x as touch, bit for bit.
func TestReachedIsTouched(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	beyond := 0
	for range 20_000 {
		n1, n2 := math.Exp(20*r.Float64()), math.Exp(20*r.Float64())
		b := boundary{math.Exp(6*r.Float64() - 3), 0.1 * float64(r.IntN(2)) * r.Float64()}
		c := countPair{y: n2 * r.Float64() * 0.999, n1: n1, n2: n2}
		m := n2 * math.Exp(-25*r.Float64())
		x, _, _, _ := b.touch(c, m)
		if got := b.reached(c, m); math.Float64bits(got) != math.Float64bits(x) {
			t.Fatalf("%+v and %+v at %v: %v reached, %v touched", b, c, m, got, x)
		}
		if math.IsInf(x, 1) {
			beyond++
		}
	}
	if beyond == 0 || beyond > 15_000 {
		t.Errorf("%d of 20000 lie beyond all counts: want some on either side", beyond)
	}
}
