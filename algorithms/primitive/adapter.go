package primitive

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Adder is a noise interface of the kind that libraries let users replace. A method returns x with noise for the
// given epsilon and delta, if each record affects at most l0 such values, each by at most linf.
type Adder interface {
	AddNoiseInt64(x, l0 int64, linf, epsilon, delta float64) (int64, error)
	AddNoiseFloat64(x float64, l0 int64, linf, epsilon, delta float64) (float64, error)
}

// Adding returns an Adder that draws the library's noise and reports every call to the watch of n. kind is
// [Laplace], with scale l0·linf/ε, or [Gaussian] for any other (ε, δ)-DP noise. For Gaussian, sigma returns the
// library's standard deviation; for Laplace it may be nil. Methods return an error that wraps mechanism.ErrDomain
// for any other kind.
//
// If the library's interface has further methods, embed the library's noise in a type that forwards these two.
func (n *Noise) Adding(library Adder, kind Kind, sigma func(l0 int64, linf, epsilon, delta float64) float64) Adder {
	return adding{n, library, kind, sigma}
}

// adding implements Adder.
type adding struct {
	n       *Noise
	library Adder
	kind    Kind
	sigma   func(l0 int64, linf, epsilon, delta float64) float64
}

// call describes the call for one value, which changes by at most linf.
func (a adding) call(x float64, l0 int64, linf, epsilon, delta float64) (Call, error) {
	c := Call{Kind: a.kind, Value: []float64{x}, Sensitivity: linf, Norm: L1, Scale: float64(l0) * linf / epsilon}
	switch {
	case a.kind == Gaussian && a.sigma != nil:
		c.Norm, c.Scale = L2, a.sigma(l0, linf, epsilon, delta)
	case a.kind != Laplace:
		return c, domain.Error("adapter", "kind", a.kind, "laplace, or gaussian with its sigma")
	}
	return c, nil
}

func (a adding) AddNoiseInt64(x, l0 int64, linf, epsilon, delta float64) (int64, error) {
	c, err := a.call(float64(x), l0, linf, epsilon, delta)
	if err != nil {
		return 0, err
	}
	out, library := []float64{0}, a.library
	err = a.n.Release(c, out, func(*rand.Rand) error {
		noisy, err := library.AddNoiseInt64(x, l0, linf, epsilon, delta)
		out[0] = float64(noisy)
		return err
	})
	return int64(out[0]), err
}

func (a adding) AddNoiseFloat64(x float64, l0 int64, linf, epsilon, delta float64) (float64, error) {
	c, err := a.call(x, l0, linf, epsilon, delta)
	if err != nil {
		return 0, err
	}
	out, library := []float64{0}, a.library
	err = a.n.Release(c, out, func(*rand.Rand) error {
		out[0], err = library.AddNoiseFloat64(x, l0, linf, epsilon, delta)
		return err
	})
	return out[0], err
}
