package nonconvex

import (
	"context"
	"math"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
	"gonum.org/v1/gonum/floats"
)

// quadraticBound is the largest (f(a) − f(b) − f′(b)(a − b))/((L/2)(a − b)²) of both sigmoids, which tends to |f″(b)|/L
// as a → b. The largest |f″| is at cosh b = 2.
func quadraticBound(share float64) verify.Check {
	return formula.Check{
		Quantity: "what the quadratic must cover over (L/2)(a − b)²", Sense: verify.AtMost,
		Domain: "both sigmoids, b from −8 to 8 and where |f″| is largest, |a − b| from 10⁻³ to 16",
		Proof:  "Taylor's formula, |f″| ≤ L; the supremum is approached as a → b at cosh b = 2",
		Points: func(add func(formula.Point)) {
			for _, f := range []erm.Sigmoid{{}, {Falling: true}} {
				limit := share * f.Smoothness(math.Inf(1)) / 2
				for _, b := range []float64{-8, -3, -math.Acosh(2), -0.5, 0, 0.5, math.Acosh(2), 3, 8} {
					for _, step := range []float64{1e-3, 0.01, 0.1, 1, 4, 16} {
						for _, d := range []float64{-step, step} {
							over := f.Value(b+d) - f.Value(b) - f.Derivative(b)*d
							add(formula.Point{Place: formula.Placef("%s, b=%.3g, a−b=%g", f.Name(), b, d),
								Measured: over / (limit * d * d),
								Claimed:  1, Error: 1e-9, Show: step == 1e-3 && b > 1 && b < 2})
						}
					}
				}
			}
		},
	}
}

// dualNorm is the largest |⟨u, v⟩| over ‖u‖_C‖v‖_C* for unit balls of ℓ1 and ℓ2, at the u that attains it. dual is
// the norm of the definition; else ‖v‖_C stands in its place.
func dualNorm(dual bool) verify.Check {
	return formula.Check{
		Quantity: "max over u of ⟨u, v⟩/‖u‖_C, over the norm of v", Sense: verify.Equals,
		Domain: "unit ℓ1 and ℓ2 balls, p ∈ {2, 3, 10}, v = (1, 2, …, p)",
		Proof:  "‖u‖_C ≤ 1 is u ∈ C for closed C, so that both are the support function of C",
		Points: func(add func(formula.Point)) {
			for _, p := range []int{2, 3, 10} {
				l1, err1 := erm.NewL1Ball(p, 1)
				l2, err2 := erm.NewL2Ball(p, 1)
				v, away, best := make([]float64, p), make([]float64, p), make([]float64, p)
				largest, sum, squares := 0.0, 0.0, 0.0
				for j := range v {
					v[j] = float64(j + 1)
					away[j] = -v[j]
					largest, sum, squares = v[j], sum+v[j], squares+v[j]*v[j]
				}
				for _, c := range []struct {
					set         erm.Set
					norm, other float64
					err         error
				}{{l1, largest, sum, err1}, {l2, math.Sqrt(squares), math.Sqrt(squares), err2}} {
					c.set.Linear(away, best)
					support := 0.0
					for j := range v {
						support += best[j] * v[j]
					}
					norm := c.norm
					if !dual {
						norm = c.other
					}
					add(formula.Point{Place: formula.Placef("%s", c.set.Name()), Measured: support / norm, Claimed: 1, Show: true,
						Err: c.err})
				}
			}
		},
	}
}

// widthBelow compares the width of the unit ℓ2 ball, which is the least of the sets with it inside, with √(2p/π).
func widthBelow(times float64) verify.Check {
	return formula.Check{
		Quantity: "G_C of the unit ℓ2 ball over √(2p/π)", Sense: verify.AtLeast,
		Proof: "E‖b‖₂ ≥ E‖b‖₁/√p = √(2p/π), and a width grows with its set",
		Grid:  formula.Grid{formula.Over("p", 1, 2, 10, 100, 10000)},
		At: func(at []float64, add func(formula.Point)) {
			ball, err := erm.NewL2Ball(int(at[0]), 1)
			add(formula.Point{Claimed: times, Show: true, Err: err,
				Measured: ball.GaussianWidth() / math.Sqrt(2*at[0]/math.Pi)})
		},
	}
}

// modulus is the smallest factor·‖u‖₂²/‖u‖₁², at u = (1, …, 1).
func modulus(factor func(p float64) float64) verify.Check {
	return formula.Check{
		Quantity: "modulus of (factor/2)‖x‖₂² in the ℓ1 norm", Sense: verify.Equals, Domain: "the unit ℓ1 ball",
		Proof: "‖u‖₁² ≤ p‖u‖₂², with equality at u = (1, …, 1)",
		Grid:  formula.Grid{formula.Over("p", 1, 2, 10, 100)},
		At: func(at []float64, add func(formula.Point)) {
			p := int(at[0])
			step, err := erm.NewPNorm(2, factor(at[0]))
			u, zero, scratch := make([]float64, p), make([]float64, p), make([]float64, p)
			for j := range u {
				u[j] = 1
			}
			// V(u, 0) = w(u) is half of the modulus times ‖u‖₁² at the worst u.
			divergence := step.Divergence(u, zero, scratch)
			add(formula.Point{Measured: 2 * divergence / (at[0] * at[0]), Claimed: 1, Show: true, Err: err})
		},
	}
}

// minkowskiSmooth compares ‖∇F(x) − ∇F(y)‖_C* over ‖x − y‖_C with L‖C‖₂^power for F = (L/2)‖x‖₂², L = 1, on balls of
// radius s, at random x − y and at e₁.
func minkowskiSmooth(power float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("points")
		return formula.Check{
			Quantity: "‖∇F(x) − ∇F(y)‖_C* over L‖C‖₂²‖x − y‖_C", Sense: verify.AtMost,
			Domain: "ℓ1 and ℓ2 balls of radius s, F = (L/2)‖x‖₂², x − y = e₁ and random",
			Proof:  "‖v‖_C* ≤ ‖C‖₂‖v‖₂ and ‖u‖₂ ≤ ‖C‖₂‖u‖_C, for every L-smooth F",
			Grid:   formula.Grid{formula.Over("s", 0.1, 1, 10), formula.Over("p", 2, 10)},
			At: func(at []float64, add func(formula.Point)) {
				radius := at[0]
				for k := range 4 {
					u := corner(int(at[1]), 0)
					if k > 0 {
						u = gaussian(r, len(u))
					}
					for _, norm := range []struct{ order, dual float64 }{{1, math.Inf(1)}, {2, 2}} {
						ratio := radius * floats.Norm(u, norm.dual) / (floats.Norm(u, norm.order) / radius)
						add(formula.Point{Place: formula.Placef("ℓ%g ball, draw %d", norm.order, k),
							Measured: ratio / math.Pow(radius, power), Claimed: 1, Show: k == 0})
					}
				}
			},
		}.Prepare(ctx, s)
	})
}
