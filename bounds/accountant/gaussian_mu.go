package accountant

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/logmath"
	"github.com/dpverify/dpverify/bounds/internal/pair"
)

// GaussianMu brackets the smallest μ of Gaussian differential privacy that the event guarantees (Dong, Roth & Su 2022).
// Upper is a theorem, +Inf if nothing is guaranteed: squares add up over a composition. Lower is Φ⁻¹(P(S)) − Φ⁻¹(Q(S))
// for an output event S. The event S is explicit, or the lower end of δ at some ε, computed at precision w, proves that
// it exists. Both ends are +Inf if the supports of two output distributions differ. Central-limit approximations are
// not bounds and are not used. An error wraps [event.ErrDomain] or [ErrBreach].
func GaussianMu(e event.Event, adj event.Adjacency, w Precision) (Bracket, error) {
	p, err := newProfile(e, adj)
	if err != nil {
		return Bracket{}, err
	}
	if p.unequal() {
		inf := math.Inf(1)
		return Bracket{inf, inf, inf}, nil
	}
	b := Bracket{
		Lower: math.Sqrt(farShift(e, adj, false)) * (1 - sums),
		Upper: math.Sqrt(squaredMu.above(e, adj)) * (1 + sums),
	}
	alone, whole := muAlone(e, adj, p)
	if b.Lower = math.Max(b.Lower, alone); !whole && b.Lower < b.Upper*(1-1e-9) {
		low, err := muOfCurve(e, adj, w)
		if err != nil {
			return Bracket{}, err
		}
		b.Lower = math.Max(b.Lower, low)
	}
	return p.sealedMeasure("gdp", e, b)
}

// muAlone returns the largest lower end among the mechanisms of an event, given its profile. A composition leaks at
// least as much as each of its mechanisms. whole reports whether the event is one mechanism whose outputs were all
// examined.
func muAlone(e event.Event, adj event.Adjacency, p *profile) (low float64, whole bool) {
	switch e.Kind {
	case event.KindDiscreteGaussian:
		return discreteGaussianMu(e.A, noiseMoves(e, adj)).Lower, true
	case event.KindCompose, event.KindRepeat, event.KindFixedBatches:
		for _, part := range e.Parts {
			if e.Kind == event.KindRepeat && e.Count == 0 {
				break
			}
			if alone, err := newProfile(part, adj); err == nil {
				one, all := muAlone(part, adj, alone)
				low, whole = math.Max(low, one), all
			}
		}
		return low, whole && len(e.Parts) == 1 && (e.Kind == event.KindFixedBatches || e.Count == 1)
	}
	if p.upperOnly {
		return 0, false
	}
	for _, t := range p.terms {
		one, _ := t.mu()
		low, whole = math.Max(low, one), len(t.explicit().atoms) > 1
	}
	return low, whole && len(p.terms) == 1 && p.terms[0].count == 1
}

// muOfCurve returns a lower end of μ: no Gaussian with a smaller μ has the certified δ at ε.
func muOfCurve(e event.Event, adj event.Adjacency, w Precision) (float64, error) {
	o, least := Options{Methods: []string{"best"}, Precision: w}, 0.0
	total, err := Deltas(e, adj, 0, o)
	if err != nil {
		return 0, err
	}
	if d := total[0].Lower * (1 - 1e-12); d > 0 { // δ(0) = 2Φ(μ/2) − 1
		least = 2 * upperQuantile(math.Log1p(-d)-math.Ln2) * (1 - 1e-12)
	}
	for _, delta := range []float64{0.3, 0.1, 0.01, 1e-4, 1e-8} {
		epsilon, err := Epsilons(e, adj, delta, o)
		if err != nil {
			return 0, err
		}
		least = math.Max(least, muAtLeast(epsilon[0].Lower, delta))
	}
	return least, nil
}

// muAtLeast returns a μ such that no Gaussian with a smaller μ reaches this ε at δ; 0 if ε is 0.
func muAtLeast(epsilon, delta float64) float64 {
	if !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return epsilon
	}
	low, high := 0.0, 1.0
	below := func(mu float64) bool {
		b, err := GDP{mu}.Epsilon(delta)
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

// squaredMu computes the upper ends of μ² that need no δ.
var squaredMu = measure{
	of: func(e event.Event, adj event.Adjacency) float64 {
		mu := math.Inf(1)
		if s, ok := normalShift(e, adj); ok {
			mu = s
		} else if e.Kind == event.KindDiscreteGaussian {
			mu = discreteGaussianMu(e.A, noiseMoves(e, adj)).Upper
		}
		return mu * mu
	},
	leaf: func(l leaf) float64 {
		_, high := l.mu()
		return high * high * (1 + 2*unit)
	},
}

// mu brackets μ for one mechanism of finite ε with its sampling. If its pair has finitely many outputs, it uses all
// corners of the trade-off function. Otherwise high is the μ of randomized response, the maximum for this ε, and low
// comes from merged outputs. For other mechanisms it returns [0, +Inf].
func (l leaf) mu() (low, high float64) {
	high = math.Inf(1)
	if l.kind == event.KindApproximate && l.b > 0 {
		return 0, high
	}
	if epsilon := pureEpsilon(l); !math.IsInf(epsilon, 1) {
		_, high = twiceQuantile(math.Tanh(epsilon/2)/2, -math.Log1p(math.Exp(epsilon)))
	}
	epsilon := baseEpsilon(l)
	switch {
	case l.pair != nil || l.q < 1:
	case l.kind == event.KindLaplace: // both errors are equal: Φ⁻¹ of e^−t/2 is a concave function of t
		return twiceQuantile(-math.Expm1(-epsilon/2)/2, -epsilon/2-math.Ln2)
	case l.kind == event.KindExponential:
		// Two outputs have log odds that differ by ε. The hazard of a normal distribution is convex (Sampford 1953). So
		// logit Φ(z) is convex at z ≥ 0, and equal errors are the worst case.
		epsilon /= 2
		return twiceQuantile(math.Tanh(epsilon/2)/2, -math.Log1p(math.Exp(epsilon)))
	case l.kind == event.KindPure || l.kind == event.KindRandomizedResponse && l.b == 2:
		return twiceQuantile(math.Tanh(epsilon/2)/2, -math.Log1p(math.Exp(epsilon)))
	}
	low, corners := finiteMu(l.explicit())
	if l.pair != nil {
		_, corners = finiteMu(explicitAbove(l.pair))
	} else if l.kind == event.KindLaplace || l.kind == event.KindExponential {
		corners = math.Inf(1) // outputs were merged
	}
	return math.Min(low, high), math.Min(high, corners)
}

// explicitAbove returns the outputs of the dominating pair.
func explicitAbove(law pair.Pair) outputs {
	switch l := law.(type) {
	case *pair.Bracketed:
		return explicitAbove(l.Above)
	case *pair.Finite:
		return explicitPair(l)
	}
	return outputs{}
}

// finiteMu brackets the smallest μ of a pair with finitely many outputs. A piecewise linear trade-off function is above
// a Gaussian's convex function if its corners are. The corners are the tests that take the outputs of the largest
// losses.
func finiteMu(o outputs) (low, high float64) {
	if len(o.atoms) < 2 {
		return 0, math.Inf(1)
	}
	atoms := slices.Clone(o.atoms)
	slices.SortStableFunc(atoms, func(a, b pair.Atom) int { return -compareRatios(a, b) })
	rest := make([]pair.Atom, len(atoms)) // sums from the other end keep their digits
	for i := len(atoms) - 1; i > 0; i-- {
		rest[i-1] = pair.Atom{P: rest[i].P + atoms[i].P, Q: rest[i].Q + atoms[i].Q}
	}
	var taken pair.Atom
	rel := 4 * (o.rel + float64(len(atoms)+16)*unit)
	for i, a := range atoms[:len(atoms)-1] {
		taken.P, taken.Q = taken.P+a.P, taken.Q+a.Q
		of, against := quantile(taken.P, rest[i].P), quantile(taken.Q, rest[i].Q)
		slack := rel + 1e-13*(1+math.Abs(of)+math.Abs(against))
		low, high = math.Max(low, of-against-slack), math.Max(high, of-against+slack)
	}
	return low, high
}

// quantile returns Φ⁻¹(p), given also 1 − p.
func quantile(p, other float64) float64 {
	if p < other {
		return -upperQuantile(math.Log(p))
	}
	return upperQuantile(math.Log(other))
}

// upperQuantile returns z ≥ 0 with log(1 − Φ(z)) = logp, for logp ≤ log 0.5, to a few roundings of 1 + z. The function
// is concave, so Newton's method converges from one side.
func upperQuantile(logp float64) float64 {
	if !(logp < -math.Ln2) {
		return 0
	}
	z := math.Sqrt(-2 * (logp + math.Ln2)) // 1 − Φ(z) ≤ e^(−z²/2)/2
	for range 60 {
		step := (logmath.LogPhi(-z) - logp) * logmath.Mills(z)
		if z += step; math.Abs(step) <= 4*unit*(1+z) {
			break
		}
	}
	return math.Max(0, z)
}

// twiceQuantile brackets 2z with Φ(z) = 0.5 + y, given also log(0.5 − y). Near y = 0, with x = y√(2π), z is x + x³/6 +
// 7x⁵/120 + ….
func twiceQuantile(y, logRest float64) (low, high float64) {
	if y < 1e-3 {
		x := y * math.Sqrt(2*math.Pi)
		return 2 * x * (1 + x*x/6) * (1 - roundings), 2 * x * (1 + x*x/6 + x*x*x*x/10) * (1 + roundings)
	}
	z := 2 * upperQuantile(logRest)
	const rel = 1e-11
	return z * (1 - rel), z * (1 + rel)
}

// discreteGaussianMu brackets the smallest μ of two discrete Gaussians of standard deviation σ whose means differ by an
// integer d. The corners of their trade-off function are the tests k ≥ j. So μ is the supremum of z(j) − z(j − d),
// where 1 − Φ(z(j)) is the probability of k ≥ j around 0. By symmetry j > d/2. The limit for large j, d/σ, is below μ.
//
// Only some corners are computed. For the others, let r(j) be the probability of k ≥ j divided by the probability of j,
// x = j/σ, and m Mills' ratio, which decreases. For i < j, (z(j)² − z(i)²)/2 ≤ (j² − i²)/2σ² + log r(i), as m(z(j)) <
// m(z(i)) and r(j) ≥ 1. Since m(w) > 1/(w + 1/w), z(j) ≥ κx with κ² = 1 − 2L/x², L = log(A√(2π)(x + 1/x)), A =
// r/Σe^(−k²/2σ²), if L > 0.5. The condition then holds for all larger j. So z(j) − z(i) ≤ (d/σ + σ·log r(i)/i)/κ.
func discreteGaussianMu(sigma, d float64) Bracket {
	const least, most = 5e3, 1e5 // corners
	last := math.Min(math.Max(math.Ceil(300*sigma*sigma), least), most)
	logTail, logTotal, logRatio := discreteTails(sigma, last, d)
	quantileAt := func(j float64) float64 {
		if j < 1 { // P(k ≥ j) = 1 − P(k ≥ 1 − j)
			return -upperQuantile(logTail[int(1-j)])
		}
		return upperQuantile(logTail[int(j)])
	}
	var b Bracket
	for j := math.Floor(d/2) + 1; j <= last+d; j++ {
		of, against := quantileAt(j), quantileAt(j-d)
		slack := 1e-12 * (1 + math.Abs(of) + math.Abs(against))
		b.Lower, b.Upper = math.Max(b.Lower, of-against-slack), math.Max(b.Upper, of-against+slack)
	}
	b.Lower = math.Max(b.Lower, d/sigma*(1-4*unit))
	x := last / sigma
	l := logRatio - logTotal + logmath.LogSqrt2Pi + math.Log(x+1/x)
	if square := 1 - 2*l/(x*x); l > 0.5 && square > 0 {
		b.Upper = math.Max(b.Upper, (d/sigma+sigma*logRatio/last)/math.Sqrt(square)*(1+1e-12))
	} else {
		b.Upper = math.Inf(1)
	}
	return b
}

// discreteTails returns log P(k ≥ j) for j from 0 to last + d, and the logs of Σe^(−k²/2σ²) and of r(last).
func discreteTails(sigma, last, d float64) (logTail []float64, logTotal, logRatio float64) {
	most := last + d
	logTail = make([]float64, int(most)+1)
	// r(j) = 1 + r(j + 1)·e^(−(2j+1)/2σ²), started where the omitted terms are below double precision.
	r := 1.0
	for j := math.Ceil(math.Sqrt(most*most + 100*sigma*sigma)); j >= 0; j-- {
		if r = 1 + r*math.Exp(-(2*j+1)/(2*sigma*sigma)); j <= most {
			logTail[int(j)] = math.Log(r) - (j/sigma)*(j/sigma)/2
		}
		if j == last {
			logRatio = math.Log(r)
		}
	}
	logTotal = math.Log(2*r - 1)
	for j := range logTail {
		logTail[j] -= logTotal
	}
	return logTail, logTotal, logRatio
}
