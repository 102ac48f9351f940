// Package erm implements the parts of regularised empirical risk minimisation for linear classifiers: margin
// losses, pairwise losses, regularisers, constraint sets, objectives and error rates.
package erm

import (
	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Loss is a function of the margin m = y⟨w, x⟩, y in {-1, +1}. Its constants
// hold for |m| ≤ domain, domain > 0 or +Inf for the whole line; as functions
// of w they are multiplied by ‖x‖ (Lipschitz) and ‖x‖² (smoothness).
//
// A new loss is one file: a type with these methods, and one row in the table
// of the package's test of laws. A loss with parameters has a method
// Check() error too, see [CheckLoss].
type Loss interface {
	// Name identifies the loss, with its parameters, in reports.
	Name() string
	// Value is the loss at margin m.
	Value(m float64) float64
	// Derivative is the derivative at m; at a kink, the subderivative that the
	// loss documents.
	Derivative(m float64) float64
	// Lipschitz is the smallest G with |Value(a)-Value(b)| ≤ G|a-b|; +Inf if none.
	Lipschitz(domain float64) float64
	// Smoothness is the smallest β with |Derivative(a)-Derivative(b)| ≤ β|a-b|;
	// +Inf if none.
	Smoothness(domain float64) float64
	// Convex tells whether the loss is convex on the whole line.
	Convex() bool
}

// CheckLoss tells whether a loss can be used: it is there, and its parameters
// are in their domain.
func CheckLoss(l Loss) error {
	if l == nil {
		return domain.Error("erm", "loss", nil, "a loss, say erm.Logistic{}")
	}
	if p, ok := l.(interface{ Check() error }); ok {
		return p.Check()
	}
	return nil
}
