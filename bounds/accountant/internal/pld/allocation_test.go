package pld

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds/internal/numeric"

	"github.com/dpverify/dpverify/internal/testutil"
)

// bracket contains both bounds of an epoch with one factor.
type bracket struct{ lower, upper AllocatedPair }

func allocationBounds(t *testing.T, e Epoch, cells int) bracket {
	t.Helper()
	lower, err := e.Lower(cells)
	if err != nil {
		t.Fatalf("%+v: %v", e, err)
	}
	upper, err := e.Upper(cells)
	if err != nil || len(upper) != 1 || upper[0].Count != 1 {
		t.Fatalf("%+v: factors %v, %v; want one", e, upper, err)
	}
	return bracket{lower, upper[0].AllocatedPair}
}

// holds reports whether exact curves of δ, remove and add, are within the bracket at ε, up to their relative error.
func (b bracket) holds(epsilon, remove, add, slack float64) error {
	for _, o := range []struct {
		name         string
		lower, upper *AllocationLaw
		exact        float64
	}{{"remove", b.lower.Remove, b.upper.Remove, remove}, {"add", b.lower.Add, b.upper.Add, add}} {
		low, high := math.Exp(o.lower.LogDelta(epsilon)), math.Exp(o.upper.LogDelta(epsilon))
		if !(low <= o.exact*(1+slack) && o.exact*(1-slack) <= high) {
			return fmt.Errorf("%s: δ(%v) = %v … %v, exactly %v", o.name, epsilon, low, high, o.exact)
		}
	}
	return nil
}

// gaussianDelta returns δ of N(μ, 1) against N(0, 1) (Balle & Wang 2018), and its relative error by cancellation.
func gaussianDelta(mu, epsilon float64) (delta, slack float64) {
	a, b := numeric.LogPhi(mu/2-epsilon/mu), epsilon+numeric.LogPhi(-mu/2-epsilon/mu)
	delta = math.Exp(a) * -math.Expm1(b-a)
	return delta, 1e-13 * (1 + math.Abs(a)) * math.Exp(a) / delta
}

func TestOneStepIsGaussian(t *testing.T) {
	for _, sigma := range []float64{0.2, 0.3, 1, 5, 20} {
		for _, replace := range []bool{false, true} {
			mu := 1 / sigma
			if replace {
				mu *= 2
			}
			for _, cells := range []int{16, 300} {
				b := allocationBounds(t, Epoch{Sigma: sigma, Steps: 1, Picks: 1, Replace: replace}, cells)
				for _, z := range []float64{0, 0.3, 1, 3, 6, 8, 10, 10.7} {
					epsilon := math.Max(0, mu*z-mu*mu/2)
					want, slack := gaussianDelta(mu, epsilon)
					if err := b.holds(epsilon, want, want, slack); err != nil {
						t.Errorf("σ = %v, replace %v, %d cells: %v", sigma, replace, cells, err)
					}
				}
				logDelta := math.Log(1e-6)
				low, high := b.lower.Remove.Epsilon(logDelta), b.upper.Remove.Epsilon(logDelta)
				if cells == 300 && !(high-low < 0.01*high) {
					t.Errorf("σ = %v, replace %v: ε = %v … %v, too wide", sigma, replace, low, high)
				}
			}
		}
	}
}

// integral integrates f times the standard normal density by the trapezoidal rule, which is accurate for smooth f.
func integral(f func(z float64) float64) float64 {
	const step = 0.002
	sum := 0.0
	for i := -7000; i <= 7000; i++ {
		z := float64(i) * step
		sum += step * density(z) * f(z)
	}
	return sum
}

// call and put return E(R − c)⁺ and E(c − R)⁺ of a step (Black & Scholes).
func call(shift, c float64) float64 {
	if c <= 0 {
		return 1 - c
	}
	d := math.Log(c) / shift
	return phi(shift/2-d) - c*phi(-shift/2-d)
}

func put(shift, c float64) float64 {
	if c <= 0 {
		return 0
	}
	d := math.Log(c) / shift
	return c*phi(shift/2+d) - phi(d-shift/2)
}

func phi(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// twoSteps returns δ in both orders by quadrature over one step, with the other in closed form.
func twoSteps(sigma, epsilon float64) (remove, add float64) {
	s, g := 1/sigma, math.Exp(epsilon)
	ratio := func(z float64) float64 { return math.Exp(s*z - s*s/2) }
	remove = integral(func(z float64) float64 { return call(s, 2*g-ratio(z)) / 2 })
	add = integral(func(z float64) float64 { return g * put(s, 2/g-ratio(z)) / 2 })
	return remove, add
}

// twoOpposed computes the same for opposed records. The inner step contributes its part above the root of an increasing
// function.
func twoOpposed(sigma, epsilon float64) float64 {
	s, g := 1/sigma, math.Exp(epsilon)
	d := func(z float64) float64 { return math.Exp(s*z-s*s/2) - g*math.Exp(-s*z-s*s/2) }
	return integral(func(z float64) float64 {
		lo, hi := -60.0, 60.0
		for range 60 {
			if mid := (lo + hi) / 2; d(mid)+d(z) < 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		return math.Max(0, phi(s-lo)-g*phi(-s-lo)+d(z)*phi(-lo)) / 2
	})
}

func TestTwoSteps(t *testing.T) {
	for _, sigma := range []float64{0.4, 1, 4} {
		e := Epoch{Sigma: sigma, Steps: 2, Picks: 1}
		coarse, fine := allocationBounds(t, e, 40), allocationBounds(t, e, 400)
		for _, z := range []float64{0, 0.5, 1, 2, 3, 4, 5} {
			epsilon := math.Max(0, z/sigma-0.5/(sigma*sigma))
			remove, add := twoSteps(sigma, epsilon)
			for _, b := range []bracket{coarse, fine} {
				if err := b.holds(epsilon, remove, add, 1e-15/math.Min(remove, add)); err != nil {
					t.Errorf("σ = %v: %v", sigma, err)
				}
			}
			low, high := fine.lower.Remove.LogDelta(epsilon), fine.upper.Remove.LogDelta(epsilon)
			if remove > 1e-12 && high-low > 0.03 {
				t.Errorf("σ = %v: log δ(%v) = %v … %v, too wide", sigma, epsilon, low, high)
			}
		}
	}
}

func TestTwoOpposedSteps(t *testing.T) {
	for _, sigma := range []float64{0.5, 2} {
		b := allocationBounds(t, Epoch{Sigma: sigma, Steps: 2, Picks: 1, Replace: true}, 320)
		for _, epsilon := range []float64{0, 0.1, 0.5, 1.1, 2.3} {
			want := twoOpposed(sigma, epsilon)
			if err := b.holds(epsilon, want, want, 1e-14/want); err != nil {
				t.Errorf("σ = %v: %v", sigma, err)
			}
			low, high := b.lower.Remove.LogDelta(epsilon), b.upper.Remove.LogDelta(epsilon)
			if want > 1e-9 && high-low > 0.4 {
				t.Errorf("σ = %v: log δ(%v) = %v … %v, too wide", sigma, epsilon, low, high)
			}
			// The curve of the symmetric pair at 1/γ.
			back := 1 - math.Exp(-epsilon) + math.Exp(-epsilon)*want
			if err := b.holds(-epsilon, back, back, 1e-12+1e-14/want); err != nil {
				t.Errorf("σ = %v: %v", sigma, err)
			}
		}
	}
}

// Negative controls: slightly wrong bounds are detected. The faults are rounding down instead of spreading, omitted
// tails, and exchanged upper and lower bounds.
func TestWrongBoundsAreCaught(t *testing.T) {
	const sigma, epsilon = 1.0, 0.7
	remove, add := twoSteps(sigma, epsilon)
	e := Epoch{Sigma: sigma, Steps: 2, Picks: 1}
	b := allocationBounds(t, e, 400)
	one, infinite := stepAbove(1/sigma, 400)
	x, _ := one.grid(one, 400)
	left, right := one.convolve(one, x)
	down := &above{x: x, q: make([]float64, len(x)), steps: 2, reach: one.reach}
	for k := range len(x) - 1 {
		down.q[k] = (left[k] + right[k]) / (x[k+1] - x[k])
	}
	wrong := b
	wrong.upper.Remove, _ = down.laws(infinite)
	if wrong.holds(epsilon, remove, add, 1e-9) == nil {
		t.Error("rounding down is not seen")
	}
	if wrong = (bracket{b.upper, b.lower}); wrong.holds(epsilon, remove, add, 1e-9) == nil {
		t.Error("bounds the wrong way round are not seen")
	}
	// Beyond the cut, and just before it.
	cut := allocationBounds(t, Epoch{Sigma: sigma, Steps: 1, Picks: 1}, 400)
	far := one.reach - 0.5 + 0.01
	want, slack := gaussianDelta(1, far)
	if err := cut.holds(far, want, want, slack); err != nil {
		t.Error(err)
	}
	cut.upper.Remove = &AllocationLaw{LogP: cut.upper.Remove.LogP, LogQ: cut.upper.Remove.LogQ}
	if cut.holds(far, want, want, slack) == nil {
		t.Error("a tail left out is not seen")
	}
	// The pair of an added record is not sufficient for a replaced one.
	opposed := allocationBounds(t, Epoch{Sigma: sigma, Steps: 2, Picks: 1, Replace: true}, 200)
	if opposed.upper = b.upper; opposed.holds(epsilon, twoOpposed(sigma, epsilon), twoOpposed(sigma, epsilon), 1e-9) == nil {
		t.Error("one record in place of two is not seen")
	}
}

// All brackets in the table are ordered, also between coarse and fine resolution, and decrease with the number of
// steps.
func TestTable(t *testing.T) {
	for _, sigma := range []float64{0.1, 0.5, 1, 20, 1e6} {
		crosswise(t, Epoch{Sigma: sigma, Picks: 1}, testutil.Size([]int{1, 2, 7, 100, 99999}, []int{1, 2, 3, 7, 33, 100, 1001, 99999}), 24, testutil.Size(90, 150))
	}
	for _, sigma := range []float64{0.2, 2, 1e5} {
		crosswise(t, Epoch{Sigma: sigma, Picks: 1, Replace: true}, testutil.Size([]int{1, 5, 999}, []int{1, 2, 5, 100, 999}), 16, testutil.Size(40, 60))
	}
}

func crosswise(t *testing.T, e Epoch, steps []int, few, many int) {
	before := bracket{}
	for _, e.Steps = range steps {
		coarse, fine := allocationBounds(t, e, few), allocationBounds(t, e, many)
		for _, epsilon := range []float64{-3, -0.1, 0, 1e-7, 1e-4, 0.01, 0.1, 0.5, 1, 3, 10, 40} {
			for name, p := range map[string][4]*AllocationLaw{
				"remove": {coarse.lower.Remove, coarse.upper.Remove, fine.lower.Remove, fine.upper.Remove},
				"add":    {coarse.lower.Add, coarse.upper.Add, fine.lower.Add, fine.upper.Add},
			} {
				var d [4]float64
				for i, l := range p {
					d[i] = l.LogDelta(epsilon)
				}
				// LogDelta itself is rounded.
				if !(math.Max(d[0], d[2]) <= math.Min(d[1], d[3])+1e-12) {
					t.Errorf("%+v, %s: log δ(%v) = %v", e, name, epsilon, d)
				}
			}
			if before.upper.Remove != nil && !(fine.lower.Remove.LogDelta(epsilon) <= before.upper.Remove.LogDelta(epsilon)+1e-12) {
				t.Errorf("%+v: δ(%v) grows with the number of steps", e, epsilon)
			}
		}
		before = fine
	}
}

// The brackets contain the four published points (Feldman & Shenfeld 2025), and their width is at most one percent.
func TestLiterature(t *testing.T) {
	for _, c := range []struct{ sigma, low, high float64 }{
		{1, 0.581, 1.030}, {1, 0.077, 0.237}, {0.5, 3.134, 3.889}, {2, 0.062, 0.296},
	} {
		steps := 100
		if c.sigma < 1 || c.high < 0.25 {
			steps = 1000
		}
		e := Epoch{Sigma: c.sigma, Steps: steps, Picks: 1}
		b := allocationBounds(t, e, 800)
		logDelta := math.Log(1e-5)
		low, high := b.lower.Remove.Epsilon(logDelta), b.upper.Remove.Epsilon(logDelta)
		if !(high >= c.low && low <= c.high && high-low < 0.01*high) {
			t.Errorf("%+v: ε = %v … %v, in the literature %v … %v", e, low, high, c.low, c.high)
		}
	}
}

// E_Q X² and E_Q X³ of the mean of t independent log-normals.
func TestMoments(t *testing.T) {
	for _, sigma := range []float64{0.7, 1, 5} {
		for _, steps := range []int{1, 2, 50, 1000} {
			factors, err := Epoch{Sigma: sigma, Steps: steps, Picks: 1}.Upper(400)
			if err != nil {
				t.Fatal(err)
			}
			n, v := float64(steps), math.Exp(1/(sigma*sigma))
			for alpha, want := range map[float64]float64{
				1: 0, 2: math.Log1p((v - 1) / n),
				3: math.Log(((n-1)*(n-2) + 3*(n-1)*v + v*v*v) / (n * n)),
			} {
				if got := factors[0].LogMoment(alpha); !(got >= want-1e-12 && got < want*1.04+1e-9) {
					t.Errorf("σ = %v, %d steps: log E X^%v ≤ %v, exactly %v", sigma, steps, alpha, got, want)
				}
			}
		}
	}
}

// An epoch with all steps picked is one Gaussian mechanism. The lower bound for many picks equals that of one Gaussian.
func TestPicks(t *testing.T) {
	e := Epoch{Sigma: 3, Steps: 6, Picks: 6}
	lower, err := e.Lower(300)
	if err != nil {
		t.Fatal(err)
	}
	upper, err := e.Upper(300)
	if err != nil || len(upper) != 1 || upper[0].Count != 6 {
		t.Fatalf("%v, %v; want six factors of one step", upper, err)
	}
	want, _ := gaussianDelta(math.Sqrt(6)/3, 1)
	high := composed(upper, func(p AllocatedPair) *AllocationLaw { return p.Remove }, 1)
	if low := math.Exp(lower.Remove.LogDelta(1)); !(low <= want && low > 0.998*want && high >= want) {
		t.Errorf("δ(1) = %v … %v, exactly %v", low, high, want)
	}
	groups, err := Epoch{Sigma: 1, Steps: 11, Picks: 4}.Upper(16)
	if err != nil || len(groups) != 2 || groups[0].Count != 1 || groups[1].Count != 3 {
		t.Errorf("11 steps in 4 groups: %v, %v", groups, err)
	}
}

// The masses of a statistic are probability distributions, for any number of steps taken and any division of the steps.
func TestStatisticIsALaw(t *testing.T) {
	for _, replace := range []bool{false, true} {
		s := newStatistic(Epoch{Sigma: 1.5, Steps: 13, Picks: 5, Replace: replace})
		b := s.times(13, 50)
		for f := range s.families {
			for j := range s.picks + 1 {
				total := 0.0
				for k := range b.score {
					total += b.mass[k*s.width()+s.index(f, j)]
				}
				if math.Abs(total-1) > 1e-12 {
					t.Errorf("replace %v, family %d: with %d of 13 steps taken the mass is %v", replace, f, j, total)
				}
			}
		}
	}
}

func TestDomain(t *testing.T) {
	for _, e := range []Epoch{
		{Sigma: 0, Steps: 1, Picks: 1}, {Sigma: math.NaN(), Steps: 1, Picks: 1}, {Sigma: math.Inf(1), Steps: 1, Picks: 1},
		{Sigma: 1, Steps: 0, Picks: 0}, {Sigma: 1, Steps: 3, Picks: 4}, {Sigma: 1, Steps: 3, Picks: 0},
		{Sigma: 1, Steps: 1e9, Picks: 1}, {Sigma: 0.15, Steps: 3, Picks: 1, Replace: true},
	} {
		_, up := e.Upper(100)
		_, low := e.Lower(100)
		if !errors.Is(up, numeric.ErrDomain) || !errors.Is(low, numeric.ErrDomain) {
			t.Errorf("%+v: %v, %v; want a domain error", e, up, low)
		}
	}
	if _, err := (Epoch{Sigma: 1, Steps: 3, Picks: 1}).Upper(2); !errors.Is(err, numeric.ErrDomain) {
		t.Errorf("2 cells: %v", err)
	}
}
