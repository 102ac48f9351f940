package erm

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// PNorm is the distance-generating function Φ(u) = (factor/2)‖u‖_q² with 1 < q ≤ 2. Its modulus of strong
// convexity is factor·(q-1) in the ℓ_q norm (Ball, Carlen & Lieb 1994) and, in dimension d,
// factor·(q-1)·d^(-2(1-1/q)) in the ℓ1 norm.
//
// Algorithm 3 of Wang & Xu (2019) requires modulus 1 in the norm whose unit ball is C, and leaves the function
// open. On the ℓ1 ball, factor = d^(2(1-1/q))/(q-1) gives modulus 1. factor = 1/(q-1) does not: at q = 1 + 1/ln d
// the modulus is 0.26 in dimension 8 and 0.19 in dimension 100.
type PNorm struct{ q, p, factor float64 }

// NewPNorm returns the function for q in [1.001, 2] and factor in [1e-100, 1e100]. Other values give an error that
// wraps mechanism.ErrDomain. The dual exponent p = q/(q-1) amplifies rounding errors. The usual choice for ℓ1
// balls, q = 1 + 1/ln d, is far above the lower limit.
func NewPNorm(q, factor float64) (PNorm, error) {
	if !(q >= 1.001 && q <= 2) {
		return PNorm{}, domain.Error("p-norm", "q", q, "a number in [1.001, 2]")
	}
	if !(factor >= minSize && factor <= maxSize) {
		return PNorm{}, domain.Error("p-norm", "factor", factor, "a number in [1e-100, 1e100]")
	}
	return PNorm{q: q, p: q / (q - 1), factor: factor}, nil
}

// Value returns Φ(u).
func (n PNorm) Value(u []float64) float64 {
	top, sum := powerSum(u, n.q)
	if top == 0 {
		return 0
	}
	norm := top * math.Pow(sum, 1/n.q)
	return n.factor / 2 * norm * norm
}

// Gradient writes ∇Φ(u) to dst, which may be u: factor·sign(u_i)|u_i|^(q-1)·‖u‖_q^(2-q).
func (n PNorm) Gradient(u, dst []float64) { powerMap(u, dst, n.q, n.factor) }

// Inverse writes ∇Φ*(z), the u with ∇Φ(u) = z, to dst, which may be z. It is the gradient of ‖z‖_p²/(2·factor)
// with 1/p + 1/q = 1.
func (n PNorm) Inverse(z, dst []float64) { powerMap(z, dst, n.p, 1/n.factor) }

// Divergence returns the Bregman divergence V(u, w) = Φ(u) - Φ(w) - ⟨∇Φ(w), u-w⟩ (Wang & Xu 2019, Definition 9).
// Its absolute rounding error is relative to the size of the three terms. It uses dst as scratch.
func (n PNorm) Divergence(u, w, dst []float64) float64 {
	n.Gradient(w, dst)
	v := n.Value(u) - n.Value(w)
	for i, slope := range dst {
		v -= slope * (u[i] - w[i])
	}
	return v
}

// powerSum returns the largest |v_i| and Σ(|v_i|/top)^s, in [1, len v].
func powerSum(v []float64, s float64) (top, sum float64) {
	top = largest(v, magnitude)
	for _, x := range v {
		sum += math.Pow(math.Abs(x)/top, s)
	}
	return top, sum
}

// powerMap writes the gradient of (factor/2)‖v‖_s² to dst. It divides out the largest entry to avoid overflow.
func powerMap(v, dst []float64, s, factor float64) {
	top, sum := powerSum(v, s)
	if top == 0 {
		clear(dst)
		return
	}
	scale := factor * top * math.Pow(sum, (2-s)/s)
	for i, x := range v {
		dst[i] = math.Copysign(scale*math.Pow(math.Abs(x)/top, s-1), x)
	}
}

// MirrorDomain is a domain on which the p-norm step can be solved. Space has a closed form; L1Ball and Simplex
// search for one multiplier. No other set implements it.
type MirrorDomain interface {
	// Dim returns the dimension of the space.
	Dim() int
	// FromDual replaces y by the member u that minimizes Φ(u) - ⟨y, u⟩ + t·‖u‖₁, t ≥ 0. Every entry becomes NaN if
	// an entry is NaN or infinite, or if t is negative or NaN.
	FromDual(phi PNorm, y []float64, t float64)
}

// Mirror is the mirror descent step with r(u) = lambda·‖u‖₁ and V the Bregman divergence of a PNorm (Wang & Xu
// 2019, Algorithm 3).
type Mirror struct {
	domain MirrorDomain
	phi    PNorm
	lambda float64
}

// NewMirror returns the step for a finite lambda ≥ 0 and a phi made by NewPNorm. Other values give an error that
// wraps mechanism.ErrDomain.
func NewMirror(over MirrorDomain, phi PNorm, lambda float64) (Mirror, error) {
	if err := checkLambda("mirror step", lambda); err != nil {
		return Mirror{}, err
	}
	if phi.q == 0 {
		return Mirror{}, domain.Error("mirror step", "phi", phi, "a function made by NewPNorm")
	}
	return Mirror{domain: over, phi: phi, lambda: lambda}, nil
}

// Next implements Step.
func (m Mirror) Next(w, g []float64, eta float64, next []float64) {
	m.phi.Gradient(w, next)
	descend(next, g, eta, next)
	m.domain.FromDual(m.phi, next, eta*m.lambda)
}

// FromDual implements MirrorDomain. It applies ∇Φ* to the soft-thresholded y, because ∇Φ* keeps signs.
func (s Space) FromDual(phi PNorm, y []float64, t float64) {
	softThreshold(y, t)
	phi.Inverse(y, y)
}

// FromDual implements MirrorDomain. It returns the solution in the whole space if that is in the ball. Otherwise
// it thresholds y until ‖u‖₁ = radius.
func (b L1Ball) FromDual(phi PNorm, y []float64, t float64) {
	softThreshold(y, t)
	if !finite(y) {
		return
	}
	if top := largest(y, magnitude); top == 0 || phi.sumAt(y, top, top, magnitude) <= b.radius {
		phi.Inverse(y, y)
		return
	}
	phi.fill(y, b.radius, magnitude)
}

// FromDual implements MirrorDomain. It subtracts a common amount from y, cuts at 0 and applies ∇Φ*, so that Σu =
// scale. ‖u‖₁ is constant on the simplex, so t has no effect.
func (s Simplex) FromDual(phi PNorm, y []float64, t float64) {
	if !(t >= 0 && finite(y)) {
		fillNaN(y)
		return
	}
	phi.fill(y, s.scale, value)
}

// fill replaces a finite y by ∇Φ* of sign(key)·max(key(y_i) - top + level, 0), where top is the largest key. It
// chooses the level for which the result has the ℓ1 norm total.
//
// The norm increases with the level, as it decreases with the multiplier of a convex problem. The bracket
// level/factor ≤ norm ≤ level/factor·dim^(2/p) follows from comparing the norms ℓ1, ℓ_q and ℓ_p, ℓ_∞. Regula falsi
// (Illinois), with a bisection in every third step, shrinks the bracket to adjacent floating-point numbers.
func (n PNorm) fill(y []float64, total float64, k key) {
	top := largest(y, k)
	const margin = 1e-9 // widens the bracket against rounding
	high := n.factor * total * (1 + margin)
	low := high * math.Pow(float64(len(y)), -2/n.p) * (1 - 2*margin)
	atLow, atHigh := n.sumAt(y, top, low, k)-total, n.sumAt(y, top, high, k)-total
	wasLow, wasHigh := false, false
	for turn := 1; ; turn++ {
		level := low + (high-low)*(atLow/(atLow-atHigh))
		if turn%3 == 0 || !(level > low && level < high) {
			level = low + (high-low)/2
		}
		if !(level > low && level < high) {
			break
		}
		if at := n.sumAt(y, top, level, k) - total; at < 0 {
			if low, atLow = level, at; wasLow {
				atHigh /= 2
			}
			wasLow, wasHigh = true, false
		} else {
			if high, atHigh = level, at; wasHigh {
				atLow /= 2
			}
			wasLow, wasHigh = false, true
		}
	}
	for i, v := range y {
		y[i] = math.Copysign(max(k.part(v)-top+high, 0), k.sign(v))
	}
	n.Inverse(y, y)
}

// sumAt returns ‖∇Φ*(z)‖₁ for z_i = max(key(y_i) - top + level, 0). The largest z_i is level.
func (n PNorm) sumAt(y []float64, top, level float64, k key) float64 {
	linear, power := 0.0, 0.0
	for _, v := range y {
		if z := k.part(v) - top + level; z > 0 {
			share := z / level
			weight := math.Pow(share, n.p-1)
			linear += weight
			power += weight * share
		}
	}
	return level / n.factor * linear * math.Pow(power, (2-n.p)/n.p)
}
