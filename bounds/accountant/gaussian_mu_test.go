package accountant

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// A test that accepts one output has equal errors under randomized response: Φ(−μ/2) = 1/(1 + e^ε). If e^ε overflows,
// Mills' ratio at z = μ/2 gives ε = z²/2 + log √(2π) + log(z + 1/z − …).
func TestMuOfHugeEpsilon(t *testing.T) {
	for _, epsilon := range []float64{100, 700, 720, 1500, 1e5, 1e8} {
		for _, e := range []event.Event{
			event.Pure(epsilon), event.RandomizedResponse(epsilon, 2), event.Exponential(2 * epsilon), event.DiscreteLaplace(epsilon),
		} {
			if e.A > 1e8 {
				continue
			}
			b, err := GaussianMu(e, event.AddRemove, Precision{})
			if err != nil {
				t.Fatal(err)
			}
			at := func(mu float64) float64 { // ε for Φ(−μ/2), between two terms of Mills' ratio
				z := mu / 2
				return z*z/2 + math.Log(2*math.Pi)/2 + math.Log(z+1/z)
			}
			if !(at(b.Upper) >= epsilon*(1-1e-12)) || e.Kind != event.KindDiscreteLaplace && !(at(b.Lower) <= epsilon+0.01) {
				t.Errorf("%s: μ in [%v, %v], whose ε are %v and %v, want about %v", e, b.Lower, b.Upper, at(b.Lower), at(b.Upper),
					epsilon)
			}
		}
	}
}

// The bound beyond a corner exceeds the next thousands of corners, wherever it starts.
func TestDiscreteMuTail(t *testing.T) {
	for _, sigma := range []float64{0.1, 0.3, 1, 3, 10, 30, 100} {
		for _, d := range []float64{1, 2, 7} {
			const last = 4000
			logTail, logTotal, _ := discreteTails(sigma, last, d)
			for _, i := range []float64{1, 2, 5, 20, 100, 1000, 3000} {
				_, _, logRatio := discreteTails(sigma, i, d)
				bound := discreteMuTail(sigma, d, i, logRatio, logTotal)
				for j := i; j <= last; j++ {
					if v := upperQuantile(logTail[int(j+d)]) - upperQuantile(logTail[int(j)]); !(v <= bound*(1+1e-10)) {
						t.Fatalf("σ = %v, d = %v: %v at corner %v, bound %v from %v on", sigma, d, v, j, bound, i)
					}
				}
			}
		}
	}
}

// A bracket of μ includes the bound beyond the computed corners, and is also narrow for large noise.
func TestDiscreteGaussianMuCoversItsTail(t *testing.T) {
	for sigma, width := range map[float64]float64{100: 1e-5, 200: 1e-5, 300: 1e-4, 1000: 1e-3, 1e4: 0.02} {
		for _, d := range []float64{1, 20} {
			b := discreteGaussianMu(sigma, d)
			const last = 1e5
			_, logTotal, logRatio := discreteTails(sigma, last, d)
			if tail := discreteMuTail(sigma, d, last, logRatio, logTotal); !(b.Upper >= tail && tail > d/sigma) {
				t.Errorf("σ = %v, d = %v: μ ≤ %v, and at most %v beyond corner %v", sigma, d, b.Upper, tail, last)
			}
			if !(b.Lower >= d/sigma*(1-1e-12) && b.Upper <= d/sigma*(1+width)) {
				t.Errorf("σ = %v, d = %v: μ in [%v, %v]", sigma, d, b.Lower, b.Upper)
			}
		}
	}
}

// D_α/α of a replaced record on a rare sample increases up to the limit μ²/2 beyond all computed orders. At order 10⁶
// it is still log(1/q)/10⁶ below.
func TestRhoOfLargeOrders(t *testing.T) {
	for _, q := range []float64{1e-90, 1e-50, 1e-10} {
		for _, sigma := range []float64{1, 3} {
			b, err := Concentrated(event.Poisson(q, event.Gaussian(sigma)), event.ReplaceOne)
			if limit := 1 / (2 * sigma * sigma); err != nil || !(b.Lower <= limit && b.Upper >= limit && b.Upper <= limit*1.001) {
				t.Errorf("q = %v, σ = %v: ρ in [%v, %v], %v, want %v", q, sigma, b.Lower, b.Upper, err, limit)
			}
		}
	}
}
