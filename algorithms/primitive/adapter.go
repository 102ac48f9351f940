package primitive

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Adder is noise as libraries have it behind an interface that their users can replace: it returns x with
// noise at epsilon and delta, for records of which each touches at most l0 such values, each by at most linf.
type Adder interface {
	AddNoiseInt64(x, l0 int64, linf, epsilon, delta float64) (int64, error)
	AddNoiseFloat64(x float64, l0 int64, linf, epsilon, delta float64) (float64, error)
}

// Adding returns the noise of a library, with every call shown to whoever watches n: it draws what the library draws. The
// kind is [Laplace] or, for any other that is (ε, δ)-private, [Gaussian], for which sigma is the library's own
// calibration; it may be nil for Laplace, whose scale is l0·linf/ε. A library whose interface has further
// methods is given a type that embeds its own noise and calls these two.
func (n *Noise) Adding(library Adder, kind Kind, sigma func(l0 int64, linf, epsilon, delta float64) float64) Adder {
	return adding{n, library, kind, sigma}
}

type adding struct {
	n       *Noise
	library Adder
	kind    Kind
	sigma   func(l0 int64, linf, epsilon, delta float64) float64
}

// call of one value: it moves by linf.
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
