package confidence

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The limit exceeds the true difference with probability alpha, also for small and unequal samples.
func TestStandardizedLowerErrs(t *testing.T) {
	const runs, alpha = 600, 0.2
	r := rand.New(rand.NewPCG(56, 3))
	for _, c := range []struct {
		n1, n2 int
		mu     float64
	}{{2, 1, 1}, {3, 8, 2}, {40, 30, 1}, {200, 300, 4}} {
		wrong := 0
		for range runs {
			var a, b Moments
			for range c.n1 {
				_ = a.Add(5 + 3*(r.NormFloat64()+c.mu))
			}
			for range c.n2 {
				_ = b.Add(5 + 3*r.NormFloat64())
			}
			limit, err := StandardizedLower(&a, &b, alpha)
			if err != nil {
				t.Fatal(err)
			}
			if limit > c.mu {
				wrong++
			}
		}
		if off := math.Abs(float64(wrong) - alpha*runs); off > 4*math.Sqrt(runs*alpha*(1-alpha)) {
			t.Errorf("%+v: %d of %d limits exceed μ, want about %v", c, wrong, runs, alpha*runs)
		}
	}
}

// At center 0 the distribution is Student's. For many degrees of freedom it is normal. The probability is rounded up.
func TestNoncentralUpper(t *testing.T) {
	for _, df := range []float64{1, 2, 10, 1000} {
		for _, x := range []float64{0.1, 1, 5, 40} {
			want := distuv.StudentsT{Sigma: 1, Nu: df}.Survival(x)
			if got := noncentralUpper(chiCells(df, x), x, 0); math.Abs(got-want) > 1e-6*want+1e-15 || got < want {
				t.Errorf("df = %v, t = %v: got %v, want %v", df, x, got, want)
			}
		}
	}
	want := distuv.UnitNormal.Survival(-1.5)
	if got := noncentralUpper(chiCells(1e9, 2), 2, 3.5); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("df = 1e9: got %v, want %v", got, want)
	}
}

func TestStandardizedLowerDomain(t *testing.T) {
	sample := func(values ...float64) *Moments {
		var m Moments
		for _, x := range values {
			_ = m.Add(x)
		}
		return &m
	}
	for _, c := range [][2]*Moments{{sample(1), sample(2)}, {sample(), sample(1, 2, 3)}, {sample(1, 1), sample(2)},
		{sample(-1e200, 1e200), sample(1)}} {
		if _, err := StandardizedLower(c[0], c[1], 0.05); !errors.Is(err, ErrDomain) {
			t.Errorf("%+v: got %v, want ErrDomain", c, err)
		}
	}
	if _, err := StandardizedLower(sample(1, 2), sample(3), 0); !errors.Is(err, ErrDomain) {
		t.Errorf("alpha 0: got %v, want ErrDomain", err)
	}
	// A huge difference is limited by the cap, a negative one by 0.
	huge, err := StandardizedLower(sample(1e9, 1e9+1), sample(0, 1), 0.05)
	if err != nil || !(huge > 10 && huge <= maxMu) {
		t.Errorf("huge difference: got %v, %v", huge, err)
	}
	if got, err := StandardizedLower(sample(0, 1), sample(5, 6), 0.05); got != 0 || err != nil {
		t.Errorf("negative difference: got %v, %v, want 0", got, err)
	}
}

// Epsilon inverts δ(ε) of Gaussian DP.
func TestGaussianEpsilon(t *testing.T) {
	for _, mu := range []float64{0.01, 0.5, 1, 3, 8} {
		for _, delta := range []float64{1e-9, 1e-5, 1e-3} {
			epsilon := GaussianTradeOff(mu).Epsilon(delta)
			n := distuv.UnitNormal
			got := n.CDF(mu/2-epsilon/mu) - math.Exp(epsilon)*n.CDF(-mu/2-epsilon/mu)
			if math.Abs(got/delta-1) > 1e-6 {
				t.Errorf("μ = %v, δ = %v: δ(%v) = %v", mu, delta, epsilon, got)
			}
		}
	}
	for _, c := range [][3]float64{{0, 1e-5, 0}, {1, 0, math.Inf(1)}, {1, 1, 0}, {0.1, 0.5, 0}} {
		if got := GaussianTradeOff(c[0]).Epsilon(c[1]); got != c[2] {
			t.Errorf("μ = %v, δ = %v: got %v, want %v", c[0], c[1], got, c[2])
		}
	}
	if got := GaussianTradeOff(60).Epsilon(1e-5); !(got > 1800+60*4.2 && got < 1800+60*4.3) { // μ²/2 + z_δ μ
		t.Errorf("μ = 60: got %v", got)
	}
	for _, c := range [][2]float64{{-1, 0.1}, {math.Inf(1), 0.1}, {1, 2}, {1, math.NaN()}} {
		if got := GaussianTradeOff(c[0]).Epsilon(c[1]); !math.IsNaN(got) {
			t.Errorf("μ = %v, δ = %v: got %v, want NaN", c[0], c[1], got)
		}
	}
}
