package confidence

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// near reports whether two numbers agree to a relative tolerance.
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

// The degrees of freedom agree with R's t.test on Student's sleep data, and with simple cases.
func TestWelchDF(t *testing.T) {
	for _, c := range []struct {
		reason         string
		error1         float64
		n1             int
		error2         float64
		n2             int
		want, relative float64
	}{
		{"sleep", 1.789010 / math.Sqrt(10), 10, 2.002249 / math.Sqrt(10), 10, 17.776, 1e-4},
		{"no spread", 0, 2, 0, 2, 2, 0},
		{"one side without spread has the other's freedom", 1, 2, 0, 5, 1, 1e-12},
		{"equal errors and sizes add their freedom", 1, 6, 1, 6, 10, 1e-12},
		{"tiny errors do not underflow", 1e-200, 2, 1e-200, 2, 2, 1e-12},
	} {
		if got := WelchDF(c.error1, c.n1, c.error2, c.n2); !near(got, c.want, c.relative) {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

func TestPearsonP(t *testing.T) {
	// Anscombe's first set as R's cor.test gives it.
	if p, err := PearsonP(0.8164205, 11); err != nil || !near(p, 0.00217, 1e-3) {
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
	for _, bad := range []struct {
		r float64
		n int
	}{{0.5, 2}, {1.01, 5}, {-1.01, 5}, {math.NaN(), 5}} {
		if _, err := PearsonP(bad.r, bad.n); !errors.Is(err, ErrDomain) {
			t.Errorf("%+v: error %v", bad, err)
		}
	}
}

func TestHypothesisLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 60).Draw(t, "n")
		k := rapid.Int64Range(0, n).Draw(t, "k")
		b, err := BinomialTest(k, n, 0.5)
		c, _ := BinomialTest(n-k, n, 0.5)
		if err != nil || !near(b.Less, c.Greater, 1e-12) || !(b.Less+b.Greater >= 1-1e-12) {
			t.Fatalf("binomial: %+v and mirrored %+v, %v", b, c, err)
		}
	})
}
