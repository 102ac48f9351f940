package bounds

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// L2LaplaceMeanLength returns E‖Z‖ = d·scale for noise Z with the density (7) of Hardwarsing 2018. The length of Z
// has the gamma distribution with shape d. d ≥ 1, scale > 0.
func L2LaplaceMeanLength(d int, scale float64) float64 { return float64(d) * scale }

// BallGammaMeanLength returns E‖Z‖ = d²/(d+1)·scale for noise Z of Algorithm 1 of Hardwarsing 2018 as printed. It is
// the product of d/(d+1), the mean length of a uniform point of the unit ball, and the mean of the gamma
// distribution. d ≥ 1, scale > 0.
func BallGammaMeanLength(d int, scale float64) float64 {
	return float64(d) / float64(d+1) * L2LaplaceMeanLength(d, scale)
}

// BallGammaMeanSquare returns E‖Z‖² = d/(d+2) · d(d+1)·scale² for the same noise. d ≥ 1, scale > 0.
func BallGammaMeanSquare(d int, scale float64) float64 {
	k := float64(d)
	return k / (k + 2) * k * (k + 1) * scale * scale
}

// NoiseInIterate bounds E‖w_t − w′_t‖² / E‖Z‖² after t = steps steps of w ← w − η_t(λw + g(w) + Z_t/b). w′ follows
// the same steps without noise, from the same w_0 and on the same batches of convex β-smooth losses, η_t(β + 2λ) ≤ 2.
// A step without noise reduces the distance of two points at least by the factor 1 − η_tλ, because ‖g − g′‖² ≤ β⟨g −
// g′, w − w′⟩. The noise is independent of the points and has mean 0. The bound is a_t, where
//
//	a_t = (1 − η_tλ)² a_{t−1} + (η_t/b)².
//
// It is attained if the gradients of the losses are constant. eta(t) is η_t for t = 1, 2, …; η_tλ ≤ 1; b ≥ 1.
func NoiseInIterate(steps int, lambda, b float64, eta func(t int) float64) float64 {
	a := 0.0
	for t := 1; t <= steps; t++ {
		step := eta(t)
		keep := 1 - step*lambda
		a = keep*keep*a + step/b*(step/b)
	}
	return a
}

// BallGammaPair is the pair of distributions of Z and of Z + shift for noise Z of Hardwarsing's Algorithm 1 as
// printed, in units of its scale, on a grid of lengths and of angles with the shift.
type BallGammaPair struct {
	mass, loss []float64
}

// NewBallGammaPair evaluates both distributions by the midpoint rule on cells × cells grid cells. With 200 cells,
// divergences have a relative error of about 0.01. d ≥ 3, shift > 0, cells ≥ 1; ErrDomain otherwise.
func NewBallGammaPair(d int, shift float64, cells int) (*BallGammaPair, error) {
	if d < 3 || cells < 1 {
		return nil, fmt.Errorf("%w: d = %d, %d cells: want a dimension of at least 3, and a cell", ErrDomain, d, cells)
	}
	if err := numeric.CheckPositive("shift", shift); err != nil {
		return nil, err
	}
	k := float64(d)
	gamma, _ := math.Lgamma(k)
	below, _ := math.Lgamma((k - 1) / 2)
	above, _ := math.Lgamma(k / 2)
	angles := above - below - math.Log(math.Pi)/2 // ln of the constant of (1−c²)^((d−3)/2) on [−1, 1]
	// The length is at most the gamma variate, which exceeds k + 12√k + 30 with probability below 1e-12.
	width := (k + 12*math.Sqrt(k) + 30) / float64(cells)
	p := &BallGammaPair{}
	for i := range cells {
		x := (float64(i) + 0.5) * width
		near := LogExpIntegral(x)
		length := math.Log(k) + (k-1)*math.Log(x) + near - gamma
		for j := range cells {
			c := -1 + (float64(j)+0.5)*2/float64(cells)
			far := math.Sqrt(x*x - 2*x*shift*c + shift*shift)
			p.mass = append(p.mass, math.Exp(length+angles+(k-3)/2*math.Log1p(-c*c))*width*2/float64(cells))
			p.loss = append(p.loss, near-LogExpIntegral(far))
		}
	}
	return p, nil
}

// Delta returns the smallest δ for which the pair is (ε, δ)-indistinguishable, E[(1 − e^(ε−loss))₊]. ε ≥ 0.
func (p *BallGammaPair) Delta(epsilon float64) (delta float64) {
	for i, l := range p.loss {
		if l > epsilon {
			delta -= p.mass[i] * math.Expm1(epsilon-l)
		}
	}
	return delta
}
