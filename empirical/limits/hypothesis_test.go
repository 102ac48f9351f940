package limits

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// near tells whether two numbers agree to a relative tolerance.
func near(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*math.Abs(want)
}

func TestBinomialTest(t *testing.T) {
	cases := []struct {
		reason        string
		k, n          int64
		p             float64
		less, greater float64
	}{
		{"no trials say nothing", 0, 0, 0.5, 1, 1},
		{"one win", 1, 1, 0.5, 1, 0.5},
		{"two wins of two", 2, 2, 0.5, 1, 0.25},
		{"four wins of four: 1/16", 4, 4, 0.5, 1, 0.0625},
		{"seven of eight: 9/256", 7, 8, 0.5, 255.0 / 256, 9.0 / 256},
		{"a die: P(X ≥ 2 of 3 sixes) = 16/216", 2, 3, 1.0 / 6, 215.0 / 216, 16.0 / 216},
		{"impossible success", 0, 5, 0, 1, 1},
		{"a success that cannot be", 1, 5, 0, 1, 0},
		{"certain success", 5, 5, 1, 1, 1},
		{"a tail as a tail: 2⁻²⁰⁰", 200, 200, 0.5, 1, math.Ldexp(1, -200)},
	}
	for _, c := range cases {
		got, err := BinomialTest(c.k, c.n, c.p)
		if err != nil || !near(got.Less, c.less, 1e-12) || !near(got.Greater, c.greater, 1e-12) {
			t.Errorf("%s: %+v, %v; want %v and %v", c.reason, got, err, c.less, c.greater)
		}
	}
	for _, bad := range []struct {
		k, n int64
		p    float64
	}{{-1, 3, 0.5}, {4, 3, 0.5}, {0, -1, 0.5}, {1, 3, math.NaN()}, {1, 3, 1.1}, {1, 3, -0.1}} {
		if _, err := BinomialTest(bad.k, bad.n, bad.p); !errors.Is(err, ErrDomain) {
			t.Errorf("%+v: error %v", bad, err)
		}
	}
}

// bigHypergeometricUpper sums the tail in rational arithmetic.
func bigHypergeometricUpper(k1, n1, k2, n2 int64) float64 {
	choose := func(n, k int64) *big.Int { return new(big.Int).Binomial(n, k) }
	sum := new(big.Int)
	for x := k1; x <= min(n1, k1+k2); x++ {
		sum.Add(sum, new(big.Int).Mul(choose(n1, x), choose(n2, k1+k2-x)))
	}
	tail, _ := new(big.Rat).SetFrac(sum, choose(n1+n2, k1+k2)).Float64()
	return tail
}

func TestFisherTest(t *testing.T) {
	tea, err := FisherTest(3, 4, 1, 4)
	if err != nil || !near(tea.Greater, 17.0/70, 1e-12) {
		t.Errorf("the tea-tasting lady (Fisher 1935, §5) has p = 17/70: %+v, %v", tea, err)
	}
	twins, err := FisherTest(2, 17, 10, 13)
	if err != nil || !near(twins.Less, 0.0004652, 1e-4) {
		t.Errorf("criminal twins (Fisher 1962; R's fisher.test) have p = 0.0004652: %+v, %v", twins, err)
	}
	for _, n := range [][2]int64{{0, 1}, {1, 1}, {3, 7}, {40, 25}} {
		for k1 := range n[0] + 1 {
			for k2 := range n[1] + 1 {
				got, err := FisherTest(k1, n[0], k2, n[1])
				if want := bigHypergeometricUpper(k1, n[0], k2, n[1]); err != nil || !near(got.Greater, want, 1e-11) {
					t.Fatalf("%d of %d and %d of %d: %v, %v; want %v", k1, n[0], k2, n[1], got.Greater, err, want)
				}
				if want := bigHypergeometricUpper(k2, n[1], k1, n[0]); !near(got.Less, want, 1e-11) {
					t.Fatalf("%d of %d and %d of %d: less %v, want %v", k1, n[0], k2, n[1], got.Less, want)
				}
			}
		}
	}
	if got, _ := FisherTest(9572, 10_000, 9442, 10_000); !near(got.Greater, bigHypergeometricUpper(9572, 10_000, 9442, 10_000), 1e-10) {
		t.Errorf("a large table: %v", got.Greater)
	}
	for _, bad := range [][4]int64{{0, 0, 0, 0}, {2, 1, 0, 1}, {-1, 1, 0, 1}, {0, 1, 2, 1}, {0, 1, -1, 1}} {
		if _, err := FisherTest(bad[0], bad[1], bad[2], bad[3]); !errors.Is(err, ErrDomain) {
			t.Errorf("%v: error %v", bad, err)
		}
	}
}

func TestStudentTwoSided(t *testing.T) {
	cases := []struct {
		reason   string
		t, df, p float64
		within   float64
	}{
		{"Cauchy", 1, 1, 0.5, 1e-12},
		{"Cauchy's far tail, 2/πt", 1e8, 1, 2e-8 / math.Pi, 1e-8},
		{"two degrees: 1 − t/√(2+t²)", 3, 2, 1 - 3/math.Sqrt(11), 1e-12},
		{"the 5 % point of tables", 2.228139, 10, 0.05, 1e-6},
		{"the 1 % point of tables", 2.845340, 20, 0.01, 1e-6},
		{"negative t", -2.228139, 10, 0.05, 1e-6},
		{"normal in the limit", 1.959963985, math.Inf(1), 0.05, 1e-8},
		{"nearly normal, from the library", 1.959963985, 9e7, 0.05, 1e-6},
		{"nearly normal, from the limit", 1.959963985, 2e8, 0.05, 1e-6},
		{"no difference", 0, 5, 1, 0},
		{"infinitely many errors away", math.Inf(-1), 5, 0, 0},
	}
	for _, c := range cases {
		if got := StudentTwoSided(c.t, c.df); !near(got, c.p, c.within) {
			t.Errorf("%s: %v, want %v", c.reason, got, c.p)
		}
	}
	for _, bad := range [][2]float64{{1, 0}, {1, -1}, {math.NaN(), 3}, {1, math.NaN()}} {
		if got := StudentTwoSided(bad[0], bad[1]); !math.IsNaN(got) {
			t.Errorf("%v: %v, want NaN", bad, got)
		}
	}
}

func TestWelchTest(t *testing.T) {
	// Student's sleep data as in R's t.test(extra ~ group, data = sleep).
	got, err := WelchTest(0.75, 1.789010, 10, 2.33, 2.002249, 10)
	if err != nil || !near(got.T, -1.8608, 1e-4) || !near(got.DF, 17.776, 1e-4) || !near(got.P, 0.07939, 1e-3) {
		t.Errorf("sleep: %+v, %v; want t = -1.8608, df = 17.776, p = 0.07939", got, err)
	}
	cases := []struct {
		reason             string
		mean1, sd1         float64
		n1                 int
		mean2, sd2         float64
		n2                 int
		wantDF, wantP, tol float64
	}{
		{"no spread and no difference", 1, 0, 2, 1, 0, 2, 2, 1, 0},
		{"no spread and a difference", 1, 0, 2, 2, 0, 2, 2, 0, 0},
		{"spread and no difference", 1, 3, 2, 1, 4, 2, 0, 1, 0},
		{"one side without spread has the other's freedom: t = 1, df = 1", 1, math.Sqrt2, 2, 0, 0, 5, 1, 0.5, 1e-12},
		// t = √3: with c = cos²θ = 10/13, 1 − √(3/13)(1 + c/2 + 3c²/8 + 5c³/16 + 35c⁴/128) (Abramowitz & Stegun 26.7.4)
		{"equal spread and size add their freedom", 0, 1, 6, 1, 1, 6, 10, 0.11393741215192, 1e-12},
		{"tiny spreads do not underflow", 0, 1e-200, 2, 1e-200, 1e-200, 2, 2, 1 - 1/math.Sqrt(3), 1e-12},
	}
	for _, c := range cases {
		got, err := WelchTest(c.mean1, c.sd1, c.n1, c.mean2, c.sd2, c.n2)
		if err != nil || !near(got.P, c.wantP, c.tol) || c.wantDF != 0 && !near(got.DF, c.wantDF, 1e-12) {
			t.Errorf("%s: %+v, %v; want p = %v, df = %v", c.reason, got, err, c.wantP, c.wantDF)
		}
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, bad := range []struct {
		m1, s1 float64
		n1     int
		m2, s2 float64
		n2     int
	}{{0, 1, 1, 0, 1, 5}, {0, 1, 5, 0, 1, 0}, {0, -1, 5, 0, 1, 5}, {0, nan, 5, 0, 1, 5}, {nan, 1, 5, 0, 1, 5}, {inf, 1, 5, 0, 1, 5}, {0, inf, 5, 0, 1, 5}} {
		if got, err := WelchTest(bad.m1, bad.s1, bad.n1, bad.m2, bad.s2, bad.n2); !errors.Is(err, ErrDomain) || got.P != 1 {
			t.Errorf("%+v: %+v, error %v", bad, got, err)
		}
	}
}

func TestPearson(t *testing.T) {
	// Anscombe's first set; r and p as R's cor.test gives them.
	x := []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	y := []float64{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68}
	r, err := Pearson(x, y)
	if err != nil || !near(r, 0.8164205, 1e-7) {
		t.Errorf("Anscombe: r = %v, %v", r, err)
	}
	if p, err := PearsonP(r, len(x)); err != nil || !near(p, 0.00217, 1e-3) {
		t.Errorf("Anscombe: p = %v, %v", p, err)
	}
	// t = 4/√3 with 3 degrees of freedom: 1 − (2/π)(θ + sin θ cos θ), θ = atan(t/√3)
	theta := math.Atan(4.0 / 3)
	want := 1 - 2/math.Pi*(theta+math.Sin(theta)*math.Cos(theta))
	if p, err := PearsonP(0.8, 5); err != nil || !near(p, want, 1e-12) {
		t.Errorf("r = 0.8 of 5: p = %v, %v; want %v", p, err, want)
	}
	for _, r := range []float64{1, -1} {
		if p, err := PearsonP(r, 3); err != nil || p != 0 {
			t.Errorf("r = %v: p = %v, %v", r, p, err)
		}
	}
	if p, err := PearsonP(0, 3); err != nil || p != 1 {
		t.Errorf("r = 0: p = %v, %v", p, err)
	}
	if r, err := Pearson([]float64{1, 2}, []float64{5, 3}); err != nil || r != -1 {
		t.Errorf("two points lie on a line: r = %v, %v", r, err)
	}
	for _, size := range []float64{1e-200, 1e200} {
		if r, err := Pearson([]float64{0, size, 2 * size}, []float64{1, 3, 2}); err != nil || !near(r, 0.5, 1e-12) {
			t.Errorf("values of size %v: r = %v, %v; want 1/2", size, r, err)
		}
	}
	nan := math.NaN()
	for _, bad := range [][2][]float64{{nil, nil}, {{1}, {2}}, {{1, 2}, {1, 2, 3}}, {{1, 1}, {1, 2}}, {{1, 2}, {3, 3}},
		{{1, nan}, {1, 2}}, {{1, 2}, {1, math.Inf(1)}}} {
		if _, err := Pearson(bad[0], bad[1]); !errors.Is(err, ErrDomain) {
			t.Errorf("%v: error %v", bad, err)
		}
	}
	for _, bad := range []struct {
		r float64
		n int
	}{{0.5, 2}, {1.01, 5}, {-1.01, 5}, {nan, 5}} {
		if _, err := PearsonP(bad.r, bad.n); !errors.Is(err, ErrDomain) {
			t.Errorf("%+v: error %v", bad, err)
		}
	}
}

func TestHypothesisLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n1, n2 := rapid.Int64Range(1, 60).Draw(t, "n1"), rapid.Int64Range(1, 60).Draw(t, "n2")
		k1, k2 := rapid.Int64Range(0, n1).Draw(t, "k1"), rapid.Int64Range(0, n2).Draw(t, "k2")
		f, err := FisherTest(k1, n1, k2, n2)
		g, _ := FisherTest(k2, n2, k1, n1)
		if err != nil || f.Less != g.Greater || f.Greater != g.Less || !(f.Less+f.Greater >= 1-1e-12) {
			t.Fatalf("Fisher: %+v and swapped %+v, %v", f, g, err)
		}
		if k1 < n1 {
			if more, _ := FisherTest(k1+1, n1, k2, n2); more.Greater > f.Greater*(1+1e-12) {
				t.Fatalf("one success more raises Fisher's tail from %v to %v", f.Greater, more.Greater)
			}
		}
		b, err := BinomialTest(k1, n1, 0.5)
		c, _ := BinomialTest(n1-k1, n1, 0.5)
		if err != nil || !near(b.Less, c.Greater, 1e-12) || !(b.Less+b.Greater >= 1-1e-12) || b.TwoSided() > 1 {
			t.Fatalf("binomial: %+v and mirrored %+v, %v", b, c, err)
		}
	})
}
