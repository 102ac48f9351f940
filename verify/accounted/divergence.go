package accounted

import (
	"math"
	"math/big"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// divergence brackets ρ, a Rényi divergence or μ.
func (r Release) divergence(q Quantity, w accountant.Precision) (accountant.Bracket, error) {
	switch q.kind {
	case rhoKind:
		return r.rho()
	case renyiKind:
		return r.renyi(q.at)
	}
	return r.mu(w)
}

// renyi brackets the Rényi divergence of an order.
func (r Release) renyi(order float64) (accountant.Bracket, error) {
	if rho, attained, ok := r.concentrated(); ok && attained {
		low, high := around(rho.Mul(rho, event.Decimal(order)))
		return accountant.Bracket{Lower: low, Estimate: low, Upper: high}, nil
	}
	return accountant.Renyi(r.Event, r.Adjacency, order)
}

// orders at which a lower end of ρ is looked for: D_α ≤ ρα is to hold at all.
var orders = []float64{1.001, 1.1, 1.5, 2, 3, 5, 10, 30, 100, 1000, 1e4}

// rho brackets the least ρ of zCDP.
func (r Release) rho() (accountant.Bracket, error) {
	rho, attained, ok := r.concentrated()
	if !ok {
		inf := math.Inf(1)
		return accountant.Bracket{Estimate: inf, Upper: inf}, nil
	}
	low, high := around(rho)
	if attained {
		return accountant.Bracket{Lower: low, Estimate: low, Upper: high}, nil
	}
	b := accountant.Bracket{Upper: high}
	for _, order := range orders {
		d, err := r.renyi(order)
		if err != nil {
			return b, err
		}
		const rounded = 1e-15
		b.Lower = math.Max(b.Lower, d.Lower/order*(1-rounded))
	}
	b.Estimate = math.Max(b.Lower, low)
	return b, nil
}

// deltas at which a lower end of μ is looked for.
var deltas = []float64{0.3, 0.1, 0.01, 1e-3, 1e-5, 1e-7, 1e-10}

// mu brackets the least μ of Gaussian differential privacy. Squares add up (Dong, Roth & Su
// 2022, Corollary 2); ε₀-DP is μ-GDP with μ = 2Φ⁻¹(e^ε₀/(1 + e^ε₀)), for both errors of the
// best test can be 1/(1 + e^ε₀) and the curve of a Gaussian is convex. From below, μ is at least
// that of the Gaussian whose ε at some δ is the lower end there.
func (r Release) mu(w accountant.Precision) (accountant.Bracket, error) {
	all, _ := r.parts()
	gaussian, rest := new(big.Rat), 0.0
	for _, p := range all {
		n := new(big.Rat).SetInt(p.count)
		switch e, d, pure := r.pure(p); {
		case p.Kind == event.KindGaussian:
			x := r.reach(p)
			gaussian.Add(gaussian, n.Mul(n, x.Mul(x, x)))
		case pure && d.Sign() == 0:
			// The quantile to its relative error, and to that of its argument next to ½, amply.
			const relative, absolute = 1e-9, 1e-14
			epsilon, _ := e.Float64()
			count, _ := n.Float64()
			x := -2*distuv.UnitNormal.Quantile(1/(1+math.Exp(epsilon)))*(1+relative) + absolute
			if epsilon > 0 {
				rest += count * x * x * (1 + relative)
			}
		default:
			rest = math.Inf(1)
		}
	}
	square, _ := gaussian.Float64()
	root := math.Sqrt(square + rest)
	b := accountant.Bracket{Upper: root * (1 + 1e-15)}
	if rest == 0 {
		var low float64
		low, b.Upper = enclosing(root, func(d *big.Rat) int { return d.Mul(d, d).Cmp(gaussian) })
		if r.onlyGaussian() {
			return accountant.Bracket{Lower: low, Estimate: low, Upper: b.Upper}, nil
		}
	}
	for _, delta := range deltas {
		epsilon, err := r.account(EpsilonAt(delta), w)
		if err != nil {
			return b, err
		}
		b.Lower = math.Max(b.Lower, leastMu(epsilon.Lower, delta))
	}
	b.Estimate = math.Max(b.Lower, math.Min(b.Upper, root))
	return b, nil
}

// leastMu is a μ below which no Gaussian has an ε as large at δ; 0 where ε is 0.
func leastMu(epsilon, delta float64) float64 {
	if !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return epsilon
	}
	low, high := 0.0, 1.0
	below := func(mu float64) bool {
		b, err := accountant.GDP{Mu: mu}.Epsilon(delta)
		return err == nil && b.Upper < epsilon
	}
	for below(high) && high < 1e6 {
		low, high = high, 2*high
	}
	for range 60 {
		if mid := (low + high) / 2; below(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
