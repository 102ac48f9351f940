package erm_test

// squared is (1-m)², least squares for labels in {-1, +1}: convex and 2-smooth,
// Lipschitz on bounded domains only.
type squared struct{}

// Name is "squared".
func (squared) Name() string { return "squared" }

// Value is (1-m)²; NaN at NaN.
func (squared) Value(m float64) float64 { return (1 - m) * (1 - m) }

// Derivative is 2(m-1); NaN at NaN.
func (squared) Derivative(m float64) float64 { return 2 * (m - 1) }

// Lipschitz is 2(1+domain), the slope at m = -domain.
func (squared) Lipschitz(domain float64) float64 { return 2 * (1 + domain) }

// Smoothness is 2.
func (squared) Smoothness(float64) float64 { return 2 }

// Convex is true.
func (squared) Convex() bool { return true }
