package accounting

import (
	"math"
	"math/big"

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

// rho brackets the smallest ρ of zCDP. It intersects the accountant's bracket with the sum over the parts in rational
// numbers, which can show equality.
func (r Release) rho() (accountant.Bracket, error) {
	b, err := accountant.Concentrated(r.Event, r.Adjacency)
	if err != nil {
		return b, err
	}
	rho, attained, ok := r.concentrated()
	if !ok {
		return b, nil
	}
	low, high := around(rho)
	if !attained {
		low = 0
	}
	return b.Meet(accountant.Bracket{Lower: low, Estimate: math.Min(b.Estimate, high), Upper: high})
}

// mu brackets the smallest μ of Gaussian differential privacy. For Gaussian mechanisms, it intersects the
// accountant's bracket with √Σμᵢ² in rational numbers.
func (r Release) mu(w accountant.Precision) (accountant.Bracket, error) {
	square, attained, ok := r.gaussian()
	root, _ := square.Float64()
	low, high := enclosing(math.Sqrt(root), func(d *big.Rat) int { return d.Mul(d, d).Cmp(square) })
	if ok && attained {
		return accountant.Bracket{Lower: low, Estimate: low, Upper: high}, nil
	}
	b, err := accountant.GaussianMu(r.Event, r.Adjacency, w)
	if err != nil || !ok {
		return b, err
	}
	return b.Meet(accountant.Bracket{Estimate: math.Min(b.Estimate, high), Upper: high})
}
