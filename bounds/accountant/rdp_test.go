package accountant

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// Values by mpmath with 30 to 40 digits from the definition of the divergence, by sums over the outcomes and quadrature
// of the densities.
func TestRenyiDefinitions(t *testing.T) {
	for _, c := range []struct {
		reason string
		event  event.Event
		alpha  float64
		want   float64
	}{
		{"Laplace, ε₀ = 1e-06", event.Laplace(1).WithSensitivity(1e-06), 2, 9.9999966666641657641e-13},
		{"Laplace, ε₀ = 1", event.Laplace(1).WithSensitivity(1), 1.5, 0.5128835112945085956},
		{"Laplace, ε₀ = 5", event.Laplace(1).WithSensitivity(5), 40, 4.98254952824735679},
		{"Laplace, ε₀ = 100", event.Laplace(1).WithSensitivity(100), 1.001, 99.001497670410476984},
		{"response, 2 categories", event.RandomizedResponse(1, 2), 3, 0.84672683048544761728},
		{"response, 10 categories", event.RandomizedResponse(3, 10), 1.5, 2.4343501763335742695},
		{"response, 4 categories", event.RandomizedResponse(0.0001, 4), 7.5, 1.8750468365195814429e-8},
		{"discrete Laplace, sensitivity 1", event.DiscreteLaplace(1).WithSensitivity(1), 2.5, 0.80325882693305793754},
		{"discrete Laplace, sensitivity 3", event.DiscreteLaplace(0.5).WithSensitivity(3), 10, 1.4473280521656892108},
		{"discrete Laplace, sensitivity 4", event.DiscreteLaplace(0.2).WithSensitivity(4), 1.1, 0.27600478999408394172},
		{"sampled response", event.Poisson(0.1, event.RandomizedResponse(2, 3)), 3.5, 0.098805064408578325983},
		{"sampled discrete Laplace", event.Poisson(0.25, event.DiscreteLaplace(0.5).WithSensitivity(2)), 1.7, 0.047200490361380258954},
		{"sampled Laplace", event.Poisson(0.1, event.Laplace(1).WithSensitivity(1)), 2, 0.0085364570194897414835},
		{"sampled Laplace", event.Poisson(0.01, event.Laplace(1).WithSensitivity(3)), 20.5, 0.033394435670321186356},
		{"sampled Laplace", event.Poisson(0.5, event.Laplace(1).WithSensitivity(0.01)), 1.3, 0.000016196050184285816683},
		{"bounded range 1", event.Exponential(1), 2, 0.24022901391655504926},
		{"bounded range 0.001", event.Exponential(0.001), 3, 3.7499996354167235357e-7},
	} {
		got, err := Renyi(c.event, event.AddRemove, c.alpha)
		if err != nil || !near(got.Upper, c.want) || !(got.Lower >= c.want*(1-1e-9) && got.Lower <= c.want) {
			t.Errorf("%s, α = %g: %.17g, %v, want %.17g (relative %.2g)", c.reason, c.alpha, got, err, c.want, got.Upper/c.want-1)
		}
	}
	for _, c := range []struct {
		reason string
		event  event.Event
		alpha  float64
		want   float64
	}{
		{"opposed pushes", event.Poisson(0.01, event.Gaussian(1.0)), 2, 0.000457554382537541649},
		{"opposed pushes", event.Poisson(0.3, event.Gaussian(0.8)), 5.5, 3.18450943588240232},
		{"opposed pushes", event.Poisson(0.9, event.Gaussian(2.0)), 1.5, 0.590210309367689698},
	} {
		got, err := Renyi(c.event, event.ReplaceOne, c.alpha)
		if err != nil || !near(got.Upper, c.want) || !(got.Lower >= c.want*(1-1e-9) && got.Lower <= c.want) {
			t.Errorf("%s, α = %g: %.17g, %v, want %.17g (relative %.2g)", c.reason, c.alpha, got, err, c.want, got.Upper/c.want-1)
		}
	}
	for _, alpha := range []float64{1, 0, -2, math.NaN()} {
		if _, err := Renyi(event.Gaussian(1), event.AddRemove, alpha); err == nil {
			t.Errorf("order %v was accepted", alpha)
		}
	}
}

// A conversion minimizes over all orders. If the curve were too small at one order, the conversion would select it.
// Rényi divergence increases with the order (van Erven & Harremoës 2014, Theorem 3), so every curve must increase, from
// β = 1e-30 on.
func TestRenyiCurvesGrow(t *testing.T) {
	events := []event.Event{
		event.Laplace(1), event.Laplace(1e-4), event.Laplace(1e5), event.Pure(1e-5), event.Pure(1), event.Pure(1e4),
		event.RandomizedResponse(2, 7), event.DiscreteLaplace(0.3).WithSensitivity(5), event.DiscreteLaplace(1e-3).WithSensitivity(50),
		event.Exponential(1e-4), event.Exponential(1), event.Exponential(1e3),
	}
	for _, q := range []float64{1e-9, 0.01, 0.9, 1 - 1e-9} {
		for _, noise := range []float64{1e-3, 0.04, 0.06, 0.5, 3, 1e3} {
			events = append(events, event.Poisson(q, event.Gaussian(noise)), event.Poisson(q, event.Laplace(noise)))
		}
		events = append(events, event.Poisson(q, event.Exponential(2)), event.Poisson(q, event.DiscreteLaplace(0.2).WithSensitivity(3)))
	}
	for _, e := range events {
		for _, adj := range []event.Adjacency{event.AddRemove, event.ReplaceOne} {
			p, err := newProfile(e, adj)
			if err != nil {
				t.Fatal(err)
			}
			last := 0.0
			for x := math.Log(betaMin); x < math.Log(betaMax); x += testutil.Size(1.9, 0.7) {
				r := p.renyi(math.Exp(x))
				// The curve is flat after the whole loss is included. Allow rounding, which matters most with little
				// noise.
				if !(r >= last*(1-1e-9)) {
					t.Errorf("%v, %v: r = %.15g at β = %.3g after %.15g", e, adj, r, math.Exp(x), last)
				}
				last = r
			}
			if bound := p.pureTotal(); !(last <= bound*(1+1e-9)) {
				t.Errorf("%v, %v: r = %v at infinite order above the pure ε %v", e, adj, last, bound)
			}
		}
	}
}

// At integer orders, the divergence of the sampled Gaussian is a binomial sum (Mironov, Talwar & Zhang 2019, section
// 3.3), an independent computation.
func TestSampledGaussianBinomialSum(t *testing.T) {
	for _, q := range []float64{1e-6, 0.01, 0.5, 0.99} {
		for _, mu := range []float64{0.01, 0.5, 1, 3, 18, 25} {
			for _, alpha := range []int{2, 3, 17, 200} {
				var sum logAccumulator
				for k := 2; k <= alpha; k++ {
					// Form without E[u^k]: Σ C(α,k)(1−q)^{α−k}q^k (e^{k(k−1)μ²/2} − 1).
					x := float64(k*(k-1)) * mu * mu / 2
					grow := math.Log(math.Expm1(x))
					if x > 600 {
						grow = x
					}
					sum.add(logChoose(alpha, k) + float64(alpha-k)*math.Log1p(-q) + float64(k)*math.Log(q) + grow)
				}
				l := sum.log()
				want := math.Log1p(math.Exp(l))
				if l > 40 {
					want = l
				}
				want /= float64(alpha - 1)
				if got := sampledGaussianRenyi(q, mu, float64(alpha-1), false); !near(got, want) {
					t.Errorf("%s: %.15g, want %.15g (relative %.2g)", fmt.Sprintf("q=%g μ=%g α=%d", q, mu, alpha), got, want, got/want-1)
				}
			}
		}
	}
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
