// Package erm implements the parts of regularized empirical risk minimization for linear classifiers: margin
// losses, pairwise losses, regularizers, constraint sets, steps, objectives and error rates. Losses, regularizers
// and sets state their exact constants (Lipschitz, smoothness, diameter, Gaussian width), which the privacy and
// utility theorems need.
package erm

import (
	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Loss is a function of the margin m = y⟨w, x⟩, y in {-1, +1}. Its constants hold for |m| ≤ domain, domain > 0 or
// +Inf for the whole line. As functions of w they are multiplied by ‖x‖ (Lipschitz) and ‖x‖² (smoothness).
//
// A new loss is a type with these methods and one row in the table of the package's law tests. A loss with
// parameters also has a method Check() error, see [CheckLoss].
type Loss interface {
	// Name identifies the loss, with its parameters, in reports.
	Name() string
	// Value returns the loss at margin m.
	Value(m float64) float64
	// Derivative returns the derivative at m. At a kink it returns the subderivative that the loss documents.
	Derivative(m float64) float64
	// Lipschitz returns the smallest G with |Value(a)-Value(b)| ≤ G|a-b|; +Inf if none.
	Lipschitz(domain float64) float64
	// Smoothness returns the smallest β with |Derivative(a)-Derivative(b)| ≤ β|a-b|;
	// +Inf if none.
	Smoothness(domain float64) float64
	// Convex reports whether the loss is convex on the whole line.
	Convex() bool
}

// CheckLoss returns an error if l is nil or a parameter of l is outside its domain.
func CheckLoss(l Loss) error {
	if l == nil {
		return domain.Error("erm", "loss", nil, "a loss, for example erm.Logistic{}")
	}
	if p, ok := l.(interface{ Check() error }); ok {
		return p.Check()
	}
	return nil
}
