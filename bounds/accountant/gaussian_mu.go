package accountant

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// GaussianMu brackets the smallest μ of Gaussian differential privacy that the event guarantees (Dong, Roth & Su 2022).
// Upper is a theorem, or +Inf if no guarantee is known; μ² adds up over a composition. Lower is the largest
// of several lower bounds: values and limits of Φ⁻¹(P(S)) − Φ⁻¹(Q(S)) for output events S of neighboring inputs, and
// the smallest μ that is compatible with certified lower ends of δ at ε = 0 and of ε at some δ, at precision w. Both
// ends are +Inf if the supports of two output distributions differ. Central-limit approximations are not bounds and
// are not used. Errors wrap [event.ErrDomain] or [ErrBreach].
func GaussianMu(e event.Event, adj event.Adjacency, w Precision) (Bracket, error) {
	p, err := newProfile(e, adj)
	if err != nil {
		return Bracket{}, err
	}
	if p.unequal() {
		inf := math.Inf(1)
		return Bracket{inf, inf, inf}, nil
	}
	rel := sums(parts(e))
	b := Bracket{
		Lower: math.Sqrt(farShift(e, adj, false)) * (1 - rel),
		Upper: math.Sqrt(squaredMu.above(e, adj)) * (1 + rel),
	}
	low, attained := muAlone(e, adj, p)
	if b.Lower = math.Max(b.Lower, low); !attained && b.Lower < b.Upper*(1-1e-9) {
		if b.Lower, err = muOfCurve(e, adj, w, b.Lower); err != nil {
			return Bracket{}, err
		}
	}
	return p.sealedMeasure("gdp", e, b)
}

// muAlone returns the largest lower end of μ among the mechanisms of an event with the given profile. A composition has
// at least the μ of each mechanism. attained reports whether the event is a single mechanism and all its outputs were
// used.
func muAlone(e event.Event, adj event.Adjacency, p *profile) (low float64, attained bool) {
	switch e.Kind {
	case event.KindDiscreteGaussian:
		return discreteGaussianMu(e.A, noiseMoves(e, adj)).Lower, true
	case event.KindCompose, event.KindRepeat, event.KindFixedBatches:
		for _, part := range e.Parts {
			if e.Kind == event.KindRepeat && e.Count == 0 {
				break
			}
			if single, err := newProfile(part, adj); err == nil {
				one, all := muAlone(part, adj, single)
				low, attained = math.Max(low, one), all
			}
		}
		return low, attained && len(e.Parts) == 1 && (e.Kind == event.KindFixedBatches || e.Count == 1)
	}
	if p.upperOnly {
		return 0, false
	}
	for _, t := range p.terms {
		one, _ := t.mu()
		low, attained = math.Max(low, one), len(t.explicit().atoms) > 1
	}
	return low, attained && len(p.terms) == 1 && p.terms[0].count == 1
}

// muOfCurve returns a lower end of μ, at least known. If ε at some δ is certified, no Gaussian with smaller μ has this
// ε. It skips a δ if the Rényi bound of ε shows that it cannot improve the result.
func muOfCurve(e event.Event, adj event.Adjacency, w Precision, known float64) (float64, error) {
	o, lower := Options{Methods: []string{"best"}, Precision: w}, known
	for _, delta := range []float64{0.3, 0.1, 0.01, 1e-4, 1e-8} {
		renyi, err := Epsilons(e, adj, delta, Options{Methods: []string{"rdp"}})
		if err == nil && muAtLeast(renyi[0].Upper, delta) <= lower {
			continue
		}
		epsilon, err := Epsilons(e, adj, delta, o)
		if err != nil {
			return 0, err
		}
		lower = math.Max(lower, muAtLeast(epsilon[0].Lower, delta))
	}
	if renyi, err := Deltas(e, adj, 0,
		Options{Methods: []string{"rdp"}}); err == nil && muOfTotal(renyi[0].Upper) <= lower {
		return lower, nil
	}
	total, err := Deltas(e, adj, 0, o)
	if err != nil {
		return 0, err
	}
	return math.Max(lower, muOfTotal(total[0].Lower)), nil
}

// muOfTotal returns the μ of the Gaussian with δ(0) = 2Φ(μ/2) − 1, rounded down.
func muOfTotal(delta float64) float64 {
	return 2 * upperQuantile(math.Log1p(-delta*(1-1e-12))-math.Ln2) * (1 - 1e-12)
}

// muAtLeast returns a lower bound of the μ of every Gaussian whose ε at δ is at least epsilon; 0 if epsilon is 0.
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

// squaredMu computes the closed forms of μ², which do not depend on δ.
var squaredMu = measure{
	upper: func(e event.Event, adj event.Adjacency) float64 {
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

// mu brackets μ of one mechanism with its sampling. If its pair has finitely many outputs, the corners of the trade-off
// function give both ends. Otherwise, if ε is finite, high is the μ of randomized response with this ε, which is the
// worst case, and low comes from merged outputs. Other mechanisms have [0, +Inf].
func (l leaf) mu() (low, high float64) {
	high = math.Inf(1)
	if l.kind == event.KindApproximate && l.b > 0 {
		return 0, high
	}
	if epsilon := pureEpsilon(l); !math.IsInf(epsilon, 1) {
		_, high = responseMu(epsilon)
	}
	epsilon := baseEpsilon(l)
	switch {
	case l.pair != nil || l.q < 1:
	case l.kind == event.KindLaplace: // both errors are equal: Φ⁻¹(e^−t/2) is a concave function of t
		return twiceQuantile(-math.Expm1(-epsilon/2)/2, -epsilon/2-math.Ln2)
	case l.kind == event.KindExponential:
		// The log-odds of two outputs differ by ε. The hazard rate of a normal distribution is convex (Sampford 1953).
		// So logit Φ(z) is convex at z ≥ 0, and equal errors are the worst case.
		return responseMu(epsilon / 2)
	case l.kind == event.KindPure || l.kind == event.KindRandomizedResponse && l.b == 2:
		return responseMu(epsilon)
	}
	low, corners := finiteMu(l.explicit())
	if l.pair != nil {
		_, corners = finiteMu(explicitAbove(l.pair))
	} else if l.kind == event.KindLaplace || l.kind == event.KindExponential {
		corners = math.Inf(1) // outputs were merged, which gives no upper end
	}
	return math.Min(low, high), math.Min(high, corners)
}

// responseMu brackets the μ of binary randomized response, 2Φ⁻¹(1/(1 + e^−ε)).
func responseMu(epsilon float64) (low, high float64) {
	return twiceQuantile(math.Tanh(epsilon/2)/2, -epsilon-math.Log1p(math.Exp(-epsilon)))
}

// explicitAbove returns the outputs of the dominating pair, if it is finite.
func explicitAbove(law pld.Pair) outputs {
	switch l := law.(type) {
	case *pld.Bracketed:
		return explicitAbove(l.Above)
	case *pld.Finite:
		return explicitPair(l)
	}
	return outputs{}
}

// finiteMu brackets the smallest μ of a pair with finitely many outputs. Its trade-off function is piecewise linear,
// and the trade-off function of a Gaussian is convex. So it is sufficient to compare the corners, which are tests that
// accept the outputs with the largest losses.
func finiteMu(o outputs) (low, high float64) {
	if len(o.atoms) < 2 {
		return 0, math.Inf(1)
	}
	atoms := slices.Clone(o.atoms)
	slices.SortStableFunc(atoms, func(a, b pld.Atom) int { return -compareRatios(a, b) })
	rest := make([]pld.Atom, len(atoms)) // sums from the other end keep their digits
	for i := len(atoms) - 1; i > 0; i-- {
		rest[i-1] = pld.Atom{P: rest[i].P + atoms[i].P, Q: rest[i].Q + atoms[i].Q}
	}
	var taken pld.Atom
	rel := 4 * (o.rel + float64(len(atoms)+16)*unit)
	for i, a := range atoms[:len(atoms)-1] {
		taken.P, taken.Q = taken.P+a.P, taken.Q+a.Q
		muP, muQ := quantile(taken.P, rest[i].P), quantile(taken.Q, rest[i].Q)
		slack := rel + 1e-13*(1+math.Abs(muP)+math.Abs(muQ))
		low, high = math.Max(low, muP-muQ-slack), math.Max(high, muP-muQ+slack)
	}
	return low, high
}

// quantile returns Φ⁻¹(p). other is 1 − p.
func quantile(p, other float64) float64 {
	if p < other {
		return -upperQuantile(math.Log(p))
	}
	return upperQuantile(math.Log(other))
}

// upperQuantile returns z ≥ 0 with log(1 − Φ(z)) = logp for logp ≤ log(1/2), with an error of a few roundings of 1 + z.
// The function is concave, so Newton's method converges from one side.
func upperQuantile(logp float64) float64 {
	if !(logp < -math.Ln2) {
		return 0
	}
	z := math.Sqrt(-2 * (logp + math.Ln2)) // 1 − Φ(z) ≤ e^(−z²/2)/2
	for range 60 {
		step := (numeric.LogPhi(-z) - logp) * numeric.Mills(z)
		if z += step; math.Abs(step) <= 4*unit*(1+z) {
			break
		}
	}
	return math.Max(0, z)
}

// twiceQuantile brackets 2z with Φ(z) = 1/2 + y. logRest is log(1/2 − y). Near 0, z = x + x³/6 + 7x⁵/120 + … with x =
// y√(2π).
func twiceQuantile(y, logRest float64) (low, high float64) {
	if y < 1e-3 {
		x := y * math.Sqrt(2*math.Pi)
		return 2 * x * (1 + x*x/6) * (1 - roundings), 2 * x * (1 + x*x/6 + x*x*x*x/10) * (1 + roundings)
	}
	z := 2 * upperQuantile(logRest)
	const rel = 1e-11
	return z * (1 - rel), z * (1 + rel)
}

// discreteGaussianMu brackets the smallest μ of two discrete Gaussians with parameter σ that differ by an integer shift
// d. The corners of their trade-off function are the tests k ≥ j. So μ is the supremum of z(j) − z(j − d), where 1 −
// Φ(z(j)) is the probability of k ≥ j under the distribution centered at 0. By symmetry j > d/2 suffices. The limit d/σ
// is a lower bound.
//
// discreteMuTail bounds the corners that are not computed.
func discreteGaussianMu(sigma, d float64) Bracket {
	const minCorners, maxCorners = 5e3, 1e5 // minimum and maximum number of corners
	last := math.Min(math.Max(math.Ceil(300*sigma*sigma), minCorners), maxCorners)
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
	b.Upper = math.Max(b.Upper, discreteMuTail(sigma, d, last, logRatio, logTotal))
	return b
}

// discreteMuTail returns an upper bound of z(j + d) − z(j) for all integers j ≥ i, given the logs of r(i) and of
// Σe^(−k²/2σ²).
//
// Let r(i) be the probability of k ≥ i divided by the probability of k = i, x = i/σ, and m Mills' ratio, which is
// decreasing. For j = i + d, m(z(j)) < m(z(i)) implies (z(j)² − z(i)²)/2 ≤ (j² − i²)/2σ² + log r(i) − log r(j). The
// slope of −log r is the mean of k − i given k ≥ i, divided by σ². The mean is at most g = 1/(e^(i/σ²) − 1), the mean
// of a geometric distribution. So the difference of logs is at most dg/σ².
//
// Since m(w) > 1/(w + 1/w), z(i) ≥ κx with κ² = 1 − 2L/x², L = max(1/2, log(A√(2π)(x + 1/x))) and A = r/Σe^(−k²/2σ²),
// if κx² ≥ 1. L/x² and r decrease, so the bound also holds for all larger i. Therefore z(j) − z(i) ≤ (d/σ)(1 + g/i)/κ.
func discreteMuTail(sigma, d, i, logRatio, logTotal float64) float64 {
	x := i / sigma
	l := math.Max(0.5, logRatio-logTotal+numeric.LogSqrt2Pi+math.Log(x+1/x))
	kappa := math.Sqrt(1 - 2*l/(x*x))
	if !(kappa*x*x >= 1) {
		return math.Inf(1)
	}
	g := 1 / math.Expm1(x/sigma)
	return d / sigma * (1 + g/i) / kappa * (1 + 1e-12)
}

// discreteTails returns the log of P(k ≥ j) for j from 0 to last + d, the log of Σe^(−k²/2σ²), and the log of r(last).
func discreteTails(sigma, last, d float64) (logTail []float64, logTotal, logRatio float64) {
	end := last + d
	logTail = make([]float64, int(end)+1)
	// Use r(j) = 1 + r(j + 1)·e^(−(2j+1)/2σ²), starting so far out that the omitted part is below the rounding error.
	r := 1.0
	for j := math.Ceil(math.Sqrt(end*end + 100*sigma*sigma)); j >= 0; j-- {
		if r = 1 + r*math.Exp(-(2*j+1)/(2*sigma*sigma)); j <= end {
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
