// Package answers has randomized responses whose privacy is known in closed form.
package answers

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Kary claims the ε of a response of k symbols less a share.
func Kary(k int, eps, fault float64) (privacy.LawPair, error) {
	m, err := mechanism.NewKaryResponse(k, eps)
	if err != nil {
		return privacy.LawPair{}, err
	}
	// the check grants 2e-12, absolute where ε is below 1
	return privacy.LawPair{At: "0 and 1", P: m.Law(0), Q: m.Law(1), Epsilon: eps - fault*math.Min(1, eps)}, nil
}

// Binary claims a point of δ(ε) = (e^ε₀ − e^ε)/(1 + e^ε₀), δ less a share, of a response at ε₀ = full. A lower δ
// raises the ε that is met by fault·(e^{ε₀−ε} − 1).
func Binary(full, eps, fault float64) (privacy.LawPair, error) {
	m, err := mechanism.NewKaryResponse(2, full)
	if err != nil {
		return privacy.LawPair{}, err
	}
	delta := math.Expm1(full-eps) * math.Exp(eps-full) / (1 + math.Exp(-full))
	return privacy.LawPair{At: "0 and 1", P: m.Law(0), Q: m.Law(1), Epsilon: eps, Delta: delta * (1 - fault)}, nil
}
