package accounting

import (
	"math"
	"math/big"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// part is a mechanism of a release, with the number of times it runs.
type part struct {
	event.Event
	count   *big.Int
	sampled bool // it runs on a Poisson sample
}

// parts returns the mechanisms of a release. Their composition without sampling and shuffling is an upper bound,
// because divergences are jointly convex (van Erven & Harremoës 2014; Balle, Barthe & Gaboardi 2018). With fixed
// batches, a record is in one batch of each epoch. If whole is true, the release is exactly the composition of the
// parts, each of them on its own sample if it is sampled.
func (r Release) parts() (all []part, whole bool) {
	whole = true
	var walk func(e event.Event, count *big.Int, sampled bool)
	walk = func(e event.Event, count *big.Int, sampled bool) {
		switch e.Kind {
		case event.KindPoisson:
			if e.A == 0 {
				return
			}
			sampled = sampled || e.A < 1
		case event.KindShuffledBatches:
			whole = false
		case event.KindRepeat:
			// Several mechanisms on one sample differ from mechanisms with separate samples.
			whole = whole && (!sampled || e.Count == 1)
			count = new(big.Int).Mul(count, big.NewInt(e.Count))
		case event.KindCompose:
			whole = whole && (!sampled || len(e.Parts) == 1)
		case event.KindFixedBatches:
		default:
			if count.Sign() > 0 {
				all = append(all, part{e, count, sampled})
			}
			return
		}
		for _, p := range e.Parts {
			walk(p, count, sampled)
		}
	}
	walk(r.Event, big.NewInt(1), false)
	return all, whole
}

// noiseRatio returns the sensitivity over the noise scale: ε₀ for Laplace noise, μ for a Gaussian. Under replace-one,
// two records change, so the sensitivity doubles.
func (r Release) noiseRatio(p part) *big.Rat {
	moves := event.Decimal(p.Sensitivity)
	if p.Kind == event.KindDiscreteLaplace || p.Kind == event.KindDiscreteGaussian {
		moves = event.Decimal(math.Floor(p.Sensitivity))
	}
	if r.Adjacency == event.ReplaceOne {
		moves.Mul(moves, big.NewRat(2, 1))
	}
	if p.Kind == event.KindDiscreteLaplace {
		return moves.Mul(moves, event.Decimal(p.A))
	}
	return moves.Quo(moves, event.Decimal(p.A))
}

// pure returns the (ε₀, δ₀)-DP guarantee of a mechanism without its noise distribution; ok is false if it has none.
func (r Release) pure(p part) (epsilon, delta *big.Rat, ok bool) {
	switch p.Kind {
	case event.KindLaplace, event.KindDiscreteLaplace:
		return r.noiseRatio(p), new(big.Rat), true
	case event.KindRandomizedResponse, event.KindPure, event.KindExponential:
		return event.Decimal(p.A), new(big.Rat), true
	case event.KindApproximate:
		return event.Decimal(p.A), event.Decimal(p.B), true
	}
	return nil, nil, false
}

// basic returns the sums of ε₀ and δ₀ (basic composition, Dwork et al. 2006) in rational numbers. They can show that
// a claim holds with equality, which a bracket of doubles cannot. ok is false if some mechanism has no (ε₀, δ₀).
func (r Release) basic() (epsilon, delta *big.Rat, ok bool) {
	all, _ := r.parts()
	epsilon, delta = new(big.Rat), new(big.Rat)
	for _, p := range all {
		e, d, pure := r.pure(p)
		if !pure {
			return nil, nil, false
		}
		n := new(big.Rat).SetInt(p.count)
		epsilon.Add(epsilon, e.Mul(e, n))
		delta.Add(delta, d.Mul(d, n))
	}
	return epsilon, delta, true
}

// largestLoss returns the largest privacy loss, in rational numbers. ok is false if a mechanism of the release is
// sampled, or of a kind whose largest loss is not known to occur.
func (r Release) largestLoss() (sum *big.Rat, ok bool) {
	all, whole := r.parts()
	for _, p := range all {
		switch p.Kind {
		case event.KindLaplace, event.KindDiscreteLaplace, event.KindRandomizedResponse, event.KindPure:
			whole = whole && !p.sampled
		default:
			return nil, false
		}
	}
	sum, _, ok = r.basic()
	return sum, ok && whole
}

// exactLoss makes a bracket of ε at δ = 0, or of δ, agree with the largest loss. The double nearest to a sum of
// decimals may be below the sum, and δ is 0 only if ε is at least the sum.
func (r Release) exactLoss(q Quantity, b accountant.Bracket) accountant.Bracket {
	if q.kind != deltaKind && !(q.kind == epsilonKind && q.at == 0) {
		return b
	}
	sum, ok := r.largestLoss()
	if !ok {
		return b
	}
	if q.kind == epsilonKind {
		low, high := around(sum)
		return accountant.Bracket{Lower: low, Estimate: low, Upper: high}
	}
	gap := sum.Sub(sum, event.Decimal(q.at))
	if gap.Sign() <= 0 {
		return accountant.Bracket{}
	}
	if b.Upper == 0 { // δ is at most the largest loss minus ε
		_, b.Upper = around(gap)
	}
	return b
}

// concentrated returns the sum of ρ over the mechanisms, in rational numbers. The terms are:
//
//   - μ²/2 for a Gaussian, a discrete Gaussian (Canonne, Kamath & Steinke 2020) and the votes of a noisy argmax;
//   - ρ for a mechanism described as ρ-zCDP;
//   - ε²/2 for pure privacy (Bun & Steinke 2016);
//   - ε²/8 for bounded range (Cesar & Rogers 2021).
//
// attained reports whether the worst divergence equals ρ·α at every order α: for a composition of Gaussians without
// sampling and of mechanisms described as ρ-zCDP. ok is false if a mechanism has no such ρ.
func (r Release) concentrated() (rho *big.Rat, attained, ok bool) {
	all, attained := r.parts()
	rho = new(big.Rat)
	square := func(x *big.Rat, over int64) *big.Rat {
		return x.Mul(x, x).Quo(x, big.NewRat(over, 1))
	}
	for _, p := range all {
		var one *big.Rat
		switch e, d, pure := r.pure(p); {
		case p.Kind == event.KindGaussian:
			one, attained = square(r.noiseRatio(p), 2), attained && !p.sampled
		case p.Kind == event.KindConcentrated:
			one = event.Decimal(p.A)
		case p.Kind == event.KindDiscreteGaussian:
			one, attained = square(r.noiseRatio(p), 2), false
		case p.Kind == event.KindNoisyArgmax: // one vote changes the counts by √2
			one, attained = square(new(big.Rat).Inv(event.Decimal(p.A)), 1), false
		case !pure || d.Sign() > 0:
			return nil, false, false
		case p.Kind == event.KindExponential:
			one, attained = square(e, 8), false
		default:
			one, attained = square(e, 2), false
		}
		rho.Add(rho, one.Mul(one, new(big.Rat).SetInt(p.count)))
	}
	return rho, attained, true
}

// gaussian returns Σμᵢ² of a release of Gaussian mechanisms, in rational numbers; ok is false if there are others.
// attained reports whether √Σμᵢ² is exact: the release is a composition, and no mechanism is sampled.
func (r Release) gaussian() (square *big.Rat, attained, ok bool) {
	all, attained := r.parts()
	square = new(big.Rat)
	for _, p := range all {
		if p.Kind != event.KindGaussian {
			return square, false, false
		}
		attained = attained && !p.sampled
		x := r.noiseRatio(p)
		square.Add(square, x.Mul(x, x).Mul(x, new(big.Rat).SetInt(p.count)))
	}
	return square, attained, true
}

// around returns the largest double ≤ x and the smallest double ≥ x, for x ≥ 0. Each double is read as its shortest
// decimal, so both are equal if x is such a decimal.
func around(x *big.Rat) (low, high float64) {
	f, _ := x.Float64()
	return enclosing(f, func(d *big.Rat) int { return d.Cmp(x) })
}

// enclosing returns neighboring doubles low ≤ high next to x, with compare(low) ≤ 0 ≤ compare(high).
func enclosing(x float64, compare func(*big.Rat) int) (low, high float64) {
	low, high = x, x
	for low > 0 && compare(event.Decimal(low)) > 0 {
		low = math.Nextafter(low, 0)
	}
	for high < math.MaxFloat64 && compare(event.Decimal(high)) < 0 {
		high = math.Nextafter(high, math.Inf(1))
	}
	return low, high
}
