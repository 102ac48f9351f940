package bounds

import (
	"math"
	"testing"
)

func TestFiniteRenyi(t *testing.T) {
	p, q := []float64{0.5, 0.5, 0}, []float64{0.25, 0.25, 0.5}
	for _, c := range []struct {
		reason      string
		p, q        []float64
		alpha, want float64
	}{
		{"order 0: −log q(p > 0)", p, q, 0, math.Ln2},
		{"order 1: the Kullback–Leibler divergence", p, q, 1, math.Ln2},
		{"order 2", p, q, 2, math.Ln2},
		{"order ∞: the largest log ratio", p, q, math.Inf(1), math.Ln2},
		{"p not covered by q", q, p, 2, math.Inf(1)},
		{"p not covered by q, order ½", q, p, 0.5, -2 * math.Log(2*math.Sqrt(0.125))},
	} {
		if got := FiniteRenyi(c.p, c.q, c.alpha); math.Abs(got-c.want) > 1e-12 && got != c.want {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
	if !math.IsNaN(FiniteRenyi(p, q, -1)) || !math.IsNaN(FiniteRenyi(p, q, math.NaN())) {
		t.Error("an order below 0 or NaN does not give NaN")
	}
}

// At integer orders the moment is the binomial sum of Mironov, Talwar & Zhang 2019,
// Sect. 3.3; without sampling it is s(s−1)/(2σ²) at every order.
func TestSampledGaussianLogMoment(t *testing.T) {
	for _, q := range []float64{0.01, 0.3, 1} {
		for _, sigma := range []float64{0.5, 1, 5} {
			for _, s := range []float64{0, 1, 2, 3, 8, 16} {
				sum, choose := 0.0, 1.0
				for k := 0.0; k <= s; k++ {
					sum += choose * math.Pow(1-q, s-k) * math.Pow(q, k) * math.Exp(k*(k-1)/(2*sigma*sigma))
					choose *= (s - k) / (k + 1)
				}
				if got, want := SampledGaussianLogMoment(q, sigma, s), math.Log(sum); math.Abs(got-want) > 1e-12*(1+want) {
					t.Errorf("q=%v, σ=%v, s=%v: %v, want %v", q, sigma, s, got, want)
				}
			}
		}
	}
	for _, s := range []float64{-7.5, -1, 0.5, 2.5, 40} {
		if got, want := SampledGaussianLogMoment(1, 2, s), s*(s-1)/8; math.Abs(got-want) > 1e-11*(1+want) {
			t.Errorf("q=1, s=%v: %v, want %v", s, got, want)
		}
	}
	if !math.IsNaN(SampledGaussianLogMoment(0.5, math.NaN(), 2)) {
		t.Error("σ = NaN does not give NaN")
	}
}

// The moments of orders 0 and 1 are exactly 0, without a rounding error that differs between machines.
func TestSampledGaussianLogMomentIsExactlyZero(t *testing.T) {
	for _, q := range []float64{0.01, 0.5, 1} {
		for _, sigma := range []float64{0.3, 1, 7} {
			for _, s := range []float64{0, 1} {
				if got := SampledGaussianLogMoment(q, sigma, s); got != 0 {
					t.Errorf("q = %v, σ = %v, order %v: %v", q, sigma, s, got)
				}
				if near := SampledGaussianLogMoment(q, sigma, s+1e-9); !(math.Abs(near) < 1e-6) {
					t.Errorf("q = %v, σ = %v, next to order %v: %v", q, sigma, s, near)
				}
			}
		}
	}
}
