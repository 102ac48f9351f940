package accountant

import (
	"maps"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// OptimalComposition is the exact privacy of K adaptively composed mechanisms about which only (Epsilon0, Delta0)-DP is
// known (Kairouz, Oh & Viswanath 2015, Theorem 3.3). Randomized response attains it. The domain is K ≥ 1, Epsilon0 > 0
// and 0 ≤ Delta0 ≤ 1.
type OptimalComposition struct {
	Epsilon0, Delta0 float64
	K                int64
}

// kovRel bounds the relative error of the binomial sums, apart from a part that grows with their length and the
// distance from the mode.
const kovRel = 1e-11

// maxKOV bounds K. Sums have about √K terms, a few standard deviations around the mode.
const maxKOV = 1_000_000_000

func (o OptimalComposition) validate() error {
	if !(o.Epsilon0 > 0 && !math.IsInf(o.Epsilon0, 1)) || !(o.Delta0 >= 0 && o.Delta0 <= 1) || o.K < 1 || o.K > maxKOV {
		return event.DomainError("optimal composition of %d mechanisms with ε₀ = %v, δ₀ = %v (need 1 ≤ k ≤ 1e9, "+
			"ε₀ > 0, δ₀ in [0, 1])", o.K, o.Epsilon0, o.Delta0)
	}
	return nil
}

// Delta returns the bracket of δ at ε ≥ 0. If l of K responses are false, which has probability Bin(l; K, 1/(1+e^ε₀)),
// the loss is (K−2l)ε₀:
//
//	1 − δ = (1 − δ₀)^K · (1 − Σ_{(K−2l)ε₀ > ε} Bin(l)·(1 − e^{ε − (K−2l)ε₀})).
func (o OptimalComposition) Delta(epsilon float64) (Bracket, error) {
	if err := o.validate(); err != nil {
		return Bracket{}, err
	}
	if !(epsilon >= 0) {
		return Bracket{}, event.DomainError("ε = %v, it must be ≥ 0", epsilon)
	}
	return sealedDelta("optimal-composition", o.delta(epsilon), nil)
}

// delta computes Delta for valid arguments. It depends on ε minus a rounded loss, so the ends use ε shifted by this
// rounding error.
func (o OptimalComposition) delta(epsilon float64) Bracket {
	rounding := 4 * unit * (epsilon + o.Epsilon0)
	if epsilon >= numeric.ProductUp(float64(o.K), o.Epsilon0) {
		rounding = 0 // δ is exactly 0 here
	}
	at := func(epsilon float64) Bracket {
		if last := o.lastFalse(epsilon); last >= 0 && o.loss(last) >= epsilon {
			l, rel := o.logExcess(last, epsilon)
			return deltaFromLog(l, rel)
		}
		return Bracket{}
	}
	return withLost(Bracket{at(epsilon + rounding).Lower, at(epsilon).Estimate, at(epsilon - rounding).Upper},
		lostMass(o.Delta0, float64(o.K)), o.lostRel())
}

// withLost adds a failure probability to the bracket of δ. The relative error of lost is at most rel.
func withLost(b Bracket, lost, rel float64) Bracket {
	if lost == 0 {
		return b
	}
	add := func(d, slack float64) float64 { return lost*(1+slack*rel) + math.Max(0, 1-lost)*d*(1+slack*rel) }
	return Bracket{add(b.Lower, -1), add(b.Estimate, 0), add(b.Upper, 1)}.clampDelta()
}

// lostMass returns 1 − (1 − delta0)^k without cancellation; it is exact for k = 1.
func lostMass(delta0, k float64) float64 {
	if k == 1 {
		return delta0
	}
	return -math.Expm1(k * math.Log1p(-delta0))
}

// lostRel bounds the relative error of lostMass.
func (o OptimalComposition) lostRel() float64 {
	if o.K == 1 {
		return 0
	}
	return 8 * unit
}

// Epsilon returns the bracket of ε ≥ 0 at δ. ε is +Inf if δ is below 1 − (1−δ₀)^K.
func (o OptimalComposition) Epsilon(delta float64) (Bracket, error) {
	if err := o.validate(); err != nil {
		return Bracket{}, err
	}
	if !(delta >= 0 && delta <= 1) {
		return Bracket{}, event.DomainError("δ = %v, it must be in [0, 1]", delta)
	}
	if delta == 0 && o.Delta0 == 0 {
		return around(float64(o.K)*o.Epsilon0, 1e-15), nil
	}
	if delta == 1 {
		return Bracket{}, nil
	}
	low, high := remaining(delta, lostMass(o.Delta0, float64(o.K)))
	e := o.epsilonAt((low + high) / 2)
	_, rel := o.logExcess(o.lastFalse(e), e)
	slack, rounding := rel*(1+1e-3)+32*unit, 8*unit*(e+o.Epsilon0)
	b := Bracket{math.Max(0, o.epsilonAt(high*(1+slack))-rounding), e, o.epsilonAt(low*(1-slack)) + rounding}
	return sealedEpsilon("optimal-composition", inverted(b, o.loss(0)*(1+4*unit), delta, o.delta), nil)
}

// epsilonAt inverts the pure part. It bisects the lattice of losses, then solves the equation that is linear in e^ε
// between two lattice points, starting from the nearer end.
func (o OptimalComposition) epsilonAt(delta float64) float64 {
	if !(delta > 0) {
		return o.loss(0)
	}
	logDelta := math.Log(delta)
	log := func(last int64, epsilon float64) float64 {
		l, _ := o.logExcess(last, epsilon)
		return l
	}
	lo, hi := int64(0), o.lastFalse(0)+1 // δ(loss(0)) = 0 and loss(hi) ≤ 0
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; log(mid-1, o.loss(mid)) <= logDelta {
			lo = mid
		} else {
			hi = mid
		}
	}
	// On [loss(lo+1), loss(lo)], δ = excess − weight·(e^{ε − loss(lo)} − 1).
	top, bottom := o.loss(lo), o.loss(lo)-2*o.Epsilon0
	weight := o.weight(lo)
	line := func(from, rise, weight float64) float64 { return from + math.Log1p(math.Max(-1, rise/weight)) }
	e := line(top, math.Exp(log(lo-1, top))-delta, weight)
	if e < top-0.5 {
		e = line(bottom, math.Exp(log(lo, bottom))-delta, weight*math.Exp(-2*o.Epsilon0))
	}
	return math.Max(0, math.Min(top, math.Max(bottom, e)))
}

func (o OptimalComposition) loss(l int64) float64 { return float64(o.K-2*l) * o.Epsilon0 }

// lastFalse returns the largest l whose loss is above ε, or −1 if there is none.
func (o OptimalComposition) lastFalse(epsilon float64) int64 {
	l := int64(math.Floor((float64(o.K) - epsilon/o.Epsilon0) / 2))
	l = min(max(l+1, -1), o.K)
	for l >= 0 && !(o.loss(l) > epsilon) {
		l--
	}
	return l
}

// logExcess returns the log of Σ_{l ≤ last} Bin(l)·(1 − e^{ε − loss(l)}), where loss(last) ≥ ε, and a bound of its
// error apart from the rounding of the losses. It sums from the mode of Bin, or from last if that is smaller, in both
// directions until the terms are negligible. All terms are positive.
func (o OptimalComposition) logExcess(last int64, epsilon float64) (log, rel float64) {
	if last < 0 {
		return math.Inf(-1), 0
	}
	k := float64(o.K)
	wrong, right := o.odds()
	mode := min(int64(math.Floor((k+1)*wrong)), last)
	start := numeric.LogBinomial(k, float64(mode), wrong, right)
	ratio := math.Exp(-o.Epsilon0)
	gain := func(l int64) float64 { return -math.Expm1(epsilon - o.loss(l)) }
	sum, terms := gain(mode), 1.0
	for l, p := mode, 1.0; l > 0 && p > 1e-20*math.Min(1, sum); l-- {
		p *= float64(l) / (float64(o.K-l+1) * ratio)
		sum += p * gain(l-1)
		terms++
	}
	for l, p := mode+1, 1.0; l <= last && p > 1e-20; l++ {
		p *= float64(o.K-l+1) / float64(l) * ratio
		sum += p * gain(l)
		terms++
	}
	// This includes the rounding of the recurrences, and the rounding of the odds, which enters |mode − K·wrong| times.
	rel = kovRel + 8*unit*(terms+math.Abs(float64(mode)-k*wrong)+math.Abs(start))
	return math.Min(0, start+math.Log(sum)), rel
}

// weight returns Σ_{l ≤ last} Bin(l)·e^{loss(last) − loss(l)}, the probability of these losses under Q relative to the
// last one. The terms decrease away from last, since loss(last) > 0.
func (o OptimalComposition) weight(last int64) float64 {
	wrong, right := o.odds()
	p := math.Exp(numeric.LogBinomial(float64(o.K), float64(last), wrong, right))
	ratio := math.Exp(-o.Epsilon0)
	sum := p
	for l := last; l > 0 && p > 1e-20*sum; l-- {
		p *= float64(l) / float64(o.K-l+1) * ratio
		sum += p
	}
	return sum
}

// odds returns the probabilities of a false and a true response.
func (o OptimalComposition) odds() (wrong, right float64) {
	return 1 / (1 + math.Exp(o.Epsilon0)), 1 / (1 + math.Exp(-o.Epsilon0))
}

// HeterogeneousComposition is the exact privacy of adaptively composed (εᵢ, δᵢ)-DP mechanisms, computed by enumerating
// the sums of losses (Murtagh & Vadhan 2016, Theorem 1.5). Equal ε are grouped. At most two million distinct sums are
// allowed.
type HeterogeneousComposition struct {
	losses  []float64 // in decreasing order
	masses  []float64 // probabilities under P
	logLost float64   // log Π(1 − δᵢ)
	rel     float64   // bound of the relative error of sums of masses
}

const maxCompositions = 2_000_000

// NewHeterogeneousComposition enumerates the losses of (epsilons[i], deltas[i])-DP mechanisms, where ε ≥ 0 and 0 ≤ δ ≤
// 1. deltas may be nil for pure DP. It returns an error that wraps event.ErrDomain for invalid arguments or too many
// distinct sums.
func NewHeterogeneousComposition(epsilons, deltas []float64) (*HeterogeneousComposition, error) {
	if deltas != nil && len(deltas) != len(epsilons) {
		return nil, event.DomainError("%d values of ε and %d of δ", len(epsilons), len(deltas))
	}
	counts := map[float64]float64{}
	logLost := 0.0
	for i, e := range epsilons {
		if !(e >= 0 && !math.IsInf(e, 1)) {
			return nil, event.DomainError("ε[%d] = %v, it must be ≥ 0 and finite", i, e)
		}
		counts[e]++
		if deltas != nil {
			if !(deltas[i] >= 0 && deltas[i] <= 1) {
				return nil, event.DomainError("δ[%d] = %v, it must be in [0, 1]", i, deltas[i])
			}
			logLost += math.Log1p(-deltas[i])
		}
	}
	return enumerateComposition(counts, logLost)
}

func enumerateComposition(counts map[float64]float64, logLost float64) (*HeterogeneousComposition, error) {
	distinct := slices.Sorted(maps.Keys(counts))
	size := 1.0
	for _, e := range distinct {
		size *= counts[e] + 1
	}
	if size > maxCompositions {
		return nil, event.DomainError("%g distinct sums of losses, at most %d are enumerated; use the "+
			"privacy-loss distribution", size, maxCompositions)
	}
	type point struct{ loss, mass float64 }
	points := []point{{0, 1}}
	for _, e := range distinct {
		n := counts[e]
		next := make([]point, 0, len(points)*int(n+1))
		for l := 0.0; l <= n; l++ {
			m := math.Exp(numeric.LogBinomial(n, l, 1/(1+math.Exp(e)), 1/(1+math.Exp(-e))))
			for _, p := range points {
				next = append(next, point{p.loss + (n-2*l)*e, p.mass * m})
			}
		}
		points = next
	}
	slices.SortFunc(points, func(a, b point) int {
		if a.loss > b.loss {
			return -1
		} else if a.loss < b.loss {
			return 1
		}
		return 0
	})
	h := &HeterogeneousComposition{logLost: logLost, rel: kovRel}
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		h.rel += 8 * unit * counts[key] // binomial probabilities, up to n steps from their modes
	}
	for _, p := range points {
		h.losses = append(h.losses, p.loss)
		h.masses = append(h.masses, p.mass)
	}
	return h, nil
}

// Delta returns the bracket of δ at ε ≥ 0.
func (h *HeterogeneousComposition) Delta(epsilon float64) (Bracket, error) {
	if !(epsilon >= 0) {
		return Bracket{}, event.DomainError("ε = %v, it must be ≥ 0", epsilon)
	}
	return sealedDelta("optimal-composition", h.delta(epsilon), nil)
}

// delta computes Delta. The ends use ε shifted by the rounding of the losses. Probabilities below 1e-300 may have
// underflowed.
func (h *HeterogeneousComposition) delta(epsilon float64) Bracket {
	smallest, rounding := 1e-300, 64*unit*h.losses[0]
	if epsilon >= h.losses[0] {
		smallest, rounding = 0, 0
	}
	b := Bracket{
		h.excess(epsilon+rounding) * (1 - h.rel), h.excess(epsilon), h.excess(epsilon-rounding)*(1+h.rel) + smallest,
	}.clampDelta()
	return withLost(b, -math.Expm1(h.logLost), 8*unit)
}

// excess returns Σ mass·(1 − e^{ε − loss}) over the losses above ε.
func (h *HeterogeneousComposition) excess(epsilon float64) float64 {
	p := 0.0
	for i, x := range h.losses {
		if x <= epsilon {
			break
		}
		p += h.masses[i] * -math.Expm1(epsilon-x)
	}
	return p
}

// Epsilon returns the bracket of ε ≥ 0 at δ. ε is +Inf if δ is below 1 − Π(1−δᵢ).
func (h *HeterogeneousComposition) Epsilon(delta float64) (Bracket, error) {
	if !(delta >= 0 && delta <= 1) {
		return Bracket{}, event.DomainError("δ = %v, it must be in [0, 1]", delta)
	}
	lost := -math.Expm1(h.logLost)
	if delta == 0 && lost == 0 {
		return around(h.losses[0], 1e-13), nil
	}
	if delta == 1 {
		return Bracket{}, nil
	}
	low, high := remaining(delta, lost)
	slack, rounding := h.rel*(1+1e-3)+32*unit, 96*unit*h.losses[0]
	b := Bracket{math.Max(0, h.epsilonAt(high*(1+slack))-rounding), h.epsilonAt((low + high) / 2),
		h.epsilonAt(low*(1-slack)) + rounding}
	return sealedEpsilon("optimal-composition", inverted(b, h.losses[0]*(1+64*unit), delta, h.delta), nil)
}

func (h *HeterogeneousComposition) epsilonAt(delta float64) float64 {
	if !(delta > 0) {
		return h.losses[0]
	}
	// Invariant at the current loss x: excess = δ(x) and weighted = Σ_{losses ≥ x} mass·e^{x − loss}.
	excess, weighted := 0.0, 0.0
	for i, x := range h.losses {
		if i > 0 {
			const far = 300 // weighted may underflow at x, but not at the previous loss
			above := h.losses[i-1]
			if e := above + math.Log1p(math.Max(-1, (excess-delta)/weighted)); e > x+far {
				return math.Max(0, e)
			}
			gap := math.Expm1(x - above)
			excess -= weighted * gap
			weighted *= math.Exp(x - above)
		}
		if x <= 0 || excess > delta {
			// The line δ = excess − weighted·(e^{ε − x} − 1) reaches delta above x.
			return math.Max(0, x+math.Log1p(math.Max(-1, (excess-delta)/weighted)))
		}
		weighted += h.masses[i]
	}
	return 0
}
