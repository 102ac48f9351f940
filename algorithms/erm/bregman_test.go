package erm_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/erm"
)

func TestPNormLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SampledFrom([]float64{1.05, 1.2, 1.5, 2}).Draw(t, "q")
		factor := rapid.SampledFrom([]float64{0.5, 1, 20}).Draw(t, "factor")
		dim := rapid.IntRange(1, 6).Draw(t, "dim")
		u, w := setVector(t, dim, "u"), setVector(t, dim, "w")
		phi, atU, atW, scratch := setMust(erm.NewPNorm(q, factor)), make([]float64, dim), make([]float64, dim), make([]float64, dim)
		phi.Gradient(u, atU)
		phi.Gradient(w, atW)
		tol := 1e-11 * factor * math.Pow(1+floats.Norm(u, 1)+floats.Norm(w, 1), 2)

		forth, back := phi.Divergence(u, w, scratch), phi.Divergence(w, u, scratch)
		if apart := floats.Distance(u, w, q); forth < factor*(q-1)/2*apart*apart-tol {
			t.Fatalf("V(u, w) = %v is below its modulus times ‖u-w‖²/2 at distance %v", forth, apart)
		}
		sum := 0.0
		for i := range u {
			sum += (u[i] - w[i]) * (atU[i] - atW[i])
		}
		if math.Abs(sum-forth-back) > tol {
			t.Fatalf("⟨u-w, ∇Φ(u)-∇Φ(w)⟩ = %v, V(u, w) + V(w, u) = %v", sum, forth+back)
		}
		if phi.Inverse(atU, atU); floats.Distance(atU, u, math.Inf(1)) > 1e-11*(1+floats.Norm(u, 1)) {
			t.Fatalf("∇Φ*(∇Φ(u)) = %v, want %v", atU, u)
		}
	})
}

// In the ℓ1 norm the modulus of ‖u‖_q²/(2(q-1)) is d^(-2(1-1/q)). TestPNormLaws checks the lower bound. Steps of
// alternating sign from the center of the simplex show that the modulus is not larger.
func TestPNormModulusL1(t *testing.T) {
	for _, c := range []struct {
		dim  int
		want float64 // to two digits
	}{{8, 0.26}, {100, 0.19}} {
		d := float64(c.dim)
		q := 1 + 1/math.Log(d)
		phi := setMust(erm.NewPNorm(q, 1/(q-1)))
		center, u := make([]float64, c.dim), make([]float64, c.dim)
		for i := range u {
			center[i] = 1 / d
			u[i] = center[i] * (1 + 1e-3*float64(1-2*(i%2)))
		}
		apart := floats.Distance(u, center, 1)
		modulus := 2 * phi.Divergence(u, center, make([]float64, c.dim)) / (apart * apart)
		if want := math.Pow(d, -2*(1-1/q)); !(modulus >= want*(1-1e-5) && modulus <= want*(1+1e-3)) {
			t.Errorf("dimension %d: modulus %v at the center, want %v", c.dim, modulus, want)
		}
		if math.Abs(modulus-c.want) > 0.005 {
			t.Errorf("dimension %d: modulus %v, want %v", c.dim, modulus, c.want)
		}
	}
}

func TestPNormValue(t *testing.T) {
	for _, c := range []struct {
		reason    string
		q, factor float64
		u         []float64
		want      float64
	}{
		{"half the squared norm", 2, 1, []float64{3, 4}, 12.5},
		{"by hand: Σ|u|^1.5 = 8 + 1", 1.5, 2, []float64{-4, 1}, math.Pow(9, 4.0/3)},
		{"the zero vector", 1.2, 1, []float64{0, 0}, 0},
		{"entries whose powers overflow", 2, 1, []float64{1e153, 0}, 5e305},
	} {
		if got := setMust(erm.NewPNorm(c.q, c.factor)).Value(c.u); !(math.Abs(got-c.want) <= 1e-14*c.want) {
			t.Errorf("%s: Φ = %v, want %v", c.reason, got, c.want)
		}
	}
}

// With q = 2 and factor 1 the mirror step equals the proximal step, which other code solves.
func TestMirrorIsProximal(t *testing.T) {
	for _, row := range []setRow{setL1(6, 2), setSimplex(6, 2)} {
		mirror, proximal := setMirror(row, 2, 1, 0.3), setProximal(row, 0.3)
		rapid.Check(t, func(t *rapid.T) {
			w, g := setVector(t, 6, "w"), setVector(t, 6, "g")
			row.set.Project(w)
			a, b := make([]float64, 6), make([]float64, 6)
			mirror.step.Next(w, g, 0.8, a)
			proximal.step.Next(w, g, 0.8, b)
			if floats.Distance(a, b, math.Inf(1)) > 1e-13*10 {
				t.Fatalf("%s: mirror %v, proximal %v", row.set.Name(), a, b)
			}
		})
	}
}

// The search terminates on the sphere for steep exponents and for very different scales.
func TestMirrorExtremes(t *testing.T) {
	const dim = 500
	for _, c := range []struct {
		reason            string
		q, factor, radius float64
		scale             float64
	}{
		{"the smallest q", 1.001, 1000, 1, 100},
		{"q for the dimension", 1 + 1/math.Log(dim), math.Log(dim), 1, 1},
		{"a tiny ball", 1.5, 1, 1e-90, 1},
		{"a tiny factor", 1.5, 1e-90, 1, 1},
		{"a huge factor", 2, 1e90, 1, 1e91},
		{"huge gradients", 1.5, 1, 1, 1e300},
	} {
		for _, row := range []setRow{setL1(dim, c.radius), setSimplex(dim, c.radius)} {
			step := setMirror(row, c.q, c.factor, 0).step
			w, g, next := row.extreme(setRand(5)), setUnit(setRand(6), dim, c.scale*dim), make([]float64, dim)
			step.Next(w, g, 1, next)
			if norm := floats.Norm(next, 1); !(math.Abs(norm-c.radius) <= 1e-11*c.radius) {
				t.Errorf("%s, %s: ‖u‖₁ = %v, want %v", c.reason, row.set.Name(), norm, c.radius)
			}
		}
	}
}
