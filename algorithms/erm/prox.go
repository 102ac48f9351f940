package erm

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Step is one step of projected gradient or mirror descent for a constraint set C, a regularizer r and a Bregman
// divergence V. Steps are stateless and do not allocate.
type Step interface {
	// Next writes to next the u in C that minimizes ⟨g, u⟩ + V(u, w)/eta + r(u), for w in C and a gradient g (Wang
	// & Xu 2019, eq. (2); Algorithm 1, line 2; Algorithm 3, line 2). next may be w but not g. Every entry is NaN
	// unless eta > 0 and w - eta·g is finite.
	Next(w, g []float64, eta float64, next []float64)
}

// ProjectedGradient writes the generalized projected gradient (w - w⁺)/eta to dst and the next point w⁺ of the
// step to next (Wang & Xu 2019, eq. (2) and after Definition 9). next and dst may be neither w nor each other; dst
// may be g.
//
// After Definition 9 the paper prints ½V(u, x). Its own special case, eq. (2), and line 2 of Algorithm 3 need V(u,
// x)/γ, which this function uses.
func ProjectedGradient(step Step, w, g []float64, eta float64, next, dst []float64) {
	step.Next(w, g, eta, next)
	for i, v := range next {
		dst[i] = (w[i] - v) / eta
	}
}

// Projected is the step with r = 0 and V(u, w) = ½‖u-w‖₂²: the projection of w - eta·g.
type Projected struct{ Set Set }

// Next implements Step.
func (p Projected) Next(w, g []float64, eta float64, next []float64) {
	descend(w, g, eta, next)
	p.Set.Project(next)
}

// L1Prox is a domain with a closed-form ℓ1 proximal operator: L2Ball, L1Ball, Simplex, FrobeniusBall and Space.
type L1Prox interface {
	// Dim returns the dimension of the space.
	Dim() int
	// ProxL1 replaces v by the member u that minimizes ½‖u-v‖₂² + t·‖u‖₁, t ≥ 0. Every entry becomes NaN if an
	// entry is NaN or infinite, or if t is negative or NaN.
	ProxL1(v []float64, t float64)
}

// Proximal is the step with r(u) = lambda·‖u‖₁ and V(u, w) = ½‖u-w‖₂².
type Proximal struct {
	domain L1Prox
	lambda float64
}

// NewProximal returns the step for a finite lambda ≥ 0. Other values give an error that wraps mechanism.ErrDomain.
// A regularizer printed as (λ/2)‖u‖₁ has lambda = λ/2.
func NewProximal(domain L1Prox, lambda float64) (Proximal, error) {
	if err := checkLambda("proximal step", lambda); err != nil {
		return Proximal{}, err
	}
	return Proximal{domain: domain, lambda: lambda}, nil
}

// Next implements Step.
func (p Proximal) Next(w, g []float64, eta float64, next []float64) {
	descend(w, g, eta, next)
	p.domain.ProxL1(next, eta*p.lambda)
}

// Space is all of R^Dim. It is unbounded, so it is a domain of steps but does not implement Set.
type Space struct{ dim int }

// NewSpace returns the space of dim ≥ 1 dimensions. Other values give an error that wraps mechanism.ErrDomain.
func NewSpace(dim int) (Space, error) {
	if err := checkDim("space", dim); err != nil {
		return Space{}, err
	}
	return Space{dim: dim}, nil
}

// Dim returns the dimension of the space.
func (s Space) Dim() int { return s.dim }

// ProxL1 implements L1Prox by soft thresholding.
func (s Space) ProxL1(v []float64, t float64) { softThreshold(v, t) }

// ProxL1 implements L1Prox. Thresholding followed by scaling is exact, because scaling does not change the
// subgradients of the ℓ1 norm (Yu 2013).
func (b L2Ball) ProxL1(v []float64, t float64) {
	softThreshold(v, t)
	b.Project(v)
}

// ProxL1 implements L1Prox. The multiplier of the ball adds to t, because both are thresholds.
func (b L1Ball) ProxL1(v []float64, t float64) {
	softThreshold(v, t)
	b.Project(v)
}

// ProxL1 implements L1Prox. ‖u‖₁ is constant on the simplex, so the result is the projection.
func (s Simplex) ProxL1(v []float64, t float64) {
	if !(t >= 0) {
		fillNaN(v)
	}
	s.Project(v)
}

// ProxL1 implements L1Prox, with ‖u‖₁ the sum of all |u_ij|. It first takes the symmetric part, the only part that
// affects the distance to a member. Thresholding keeps it symmetric, and scaling is exact as for an L2Ball.
func (b FrobeniusBall) ProxL1(v []float64, t float64) {
	b.symmetrize(v)
	softThreshold(v, t)
	b.Project(v)
}

// softThreshold moves every entry towards 0 by t and stops at 0. Every entry becomes NaN if an entry is not finite
// or t is not ≥ 0.
func softThreshold(v []float64, t float64) {
	if !(t >= 0 && finite(v)) {
		fillNaN(v)
		return
	}
	for i, x := range v {
		v[i] = math.Copysign(max(math.Abs(x)-t, 0), x)
	}
}

// descend writes w - eta·g to next, or NaN unless eta > 0.
func descend(w, g []float64, eta float64, next []float64) {
	if !(eta > 0) {
		fillNaN(next)
		return
	}
	for i, v := range w {
		next[i] = v - eta*g[i]
	}
}

func checkLambda(owner string, lambda float64) error {
	if !(lambda >= 0 && lambda <= math.MaxFloat64) {
		return domain.Error(owner, "lambda", lambda, "finite and >= 0")
	}
	return nil
}
