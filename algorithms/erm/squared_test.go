package erm_test

// squared is (1-m)², least squares for labels in {-1, +1}: convex, 2-smooth, and Lipschitz only on bounded
// domains.
type squared struct{}

// Name returns "squared".
func (squared) Name() string { return "squared" }

// Value returns (1-m)²; NaN at NaN.
func (squared) Value(m float64) float64 { return (1 - m) * (1 - m) }

// Derivative returns 2(m-1); NaN at NaN.
func (squared) Derivative(m float64) float64 { return 2 * (m - 1) }

// Lipschitz returns 2(1+domain), the slope at m = -domain.
func (squared) Lipschitz(domain float64) float64 { return 2 * (1 + domain) }

// Smoothness returns 2.
func (squared) Smoothness(float64) float64 { return 2 }

// Convex returns true.
func (squared) Convex() bool { return true }
