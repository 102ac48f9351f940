package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// GDP is a guarantee of μ-Gaussian differential privacy (Dong, Roth & Su 2019), Mu ≥ 0. The Gaussian mechanism with
// noise standard deviation σ and sensitivity Δ has exactly μ = Δ/σ, and k of them have μ√k.
type GDP struct{ Mu float64 }

// gaussianRel bounds the relative error of GDP.Delta, or of its logarithm if it underflows. Tests compare with
// 120-digit values.
const gaussianRel = 1e-12

// LogDelta returns log δ(ε) of the Gaussian mechanism for ε ≥ 0, without underflow:
//
//	δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)      (Balle & Wang 2018, Theorem 8)
//
// With a = ε/μ − μ/2, b = a + μ and Mills' ratio m, this equals φ(a)·(m(a) − m(b)). For small μ the difference is
// computed as the integral of −m′, to avoid cancellation. The result is NaN if ε is negative or NaN.
func (g GDP) LogDelta(epsilon float64) float64 {
	mu := g.Mu
	if !(epsilon >= 0 && mu >= 0) {
		return math.NaN()
	}
	if mu == 0 || math.IsInf(epsilon, 1) {
		return math.Inf(-1)
	}
	a := epsilon/mu - mu/2
	b := epsilon/mu + mu/2
	density := -a*a/2 - numeric.LogSqrt2Pi
	if mu <= 1 {
		gap := 0.0
		for i, x := range gauss16.X {
			gap += gauss16.W[i] * numeric.MillsSlope(a+mu*x)
		}
		return density + math.Log(mu*gap)
	}
	if a > -1 {
		return density + math.Log(numeric.Mills(a)-numeric.Mills(b))
	}
	// δ is near 1. Its complement is Φ(a) + φ(a)·m(b).
	return math.Log1p(-math.Exp(numeric.LogPhi(a)) - math.Exp(density)*numeric.Mills(b))
}

// Delta returns the bracket of δ at ε ≥ 0; see LogDelta. Negative or NaN arguments return an error that wraps
// event.ErrDomain.
func (g GDP) Delta(epsilon float64) (Bracket, error) {
	if !(epsilon >= 0) || !(g.Mu >= 0) {
		return Bracket{}, event.DomainError("Gaussian δ at ε = %v, μ = %v: both must be ≥ 0", epsilon, g.Mu)
	}
	if g.Mu == 0 || math.IsInf(epsilon, 1) {
		return Bracket{}, nil
	}
	return sealedDelta("gaussian-exact", g.delta(epsilon), nil)
}

// delta computes Delta for μ > 0 and finite ε.
func (g GDP) delta(epsilon float64) Bracket {
	l := g.LogDelta(epsilon)
	return deltaFromLog(l, g.logError(l, epsilon))
}

// logError bounds the error of LogDelta, whose value at ε is l.
func (g GDP) logError(l, epsilon float64) float64 {
	return gaussianRel + 3e-15*math.Abs(l) + g.argumentError(epsilon)
}

// argumentError bounds the error of log δ caused by the rounding of a = ε/μ − μ/2 and of μ, beyond gaussianRel and a
// multiple of |log δ|. It uses −d(log δ)/da ≤ 1 + max(a, 0).
func (g GDP) argumentError(epsilon float64) float64 {
	a := math.Max(0, epsilon/g.Mu-g.Mu/2)
	return 4 * unit * (epsilon/g.Mu + g.Mu) * (1 + a)
}

// Epsilon returns the bracket of ε ≥ 0 at δ ∈ [0, 1]. ε is +Inf at δ = 0.
func (g GDP) Epsilon(delta float64) (Bracket, error) {
	if !(delta >= 0 && delta <= 1) || !(g.Mu >= 0) {
		return Bracket{}, event.DomainError("Gaussian ε at δ = %v, μ = %v: δ must be in [0, 1], μ ≥ 0", delta, g.Mu)
	}
	if g.Mu == 0 {
		return Bracket{}, nil
	}
	if delta == 0 {
		inf := math.Inf(1)
		return Bracket{inf, inf, inf}, nil
	}
	logDelta := math.Log(delta)
	if g.delta(0).Upper <= delta {
		return Bracket{}, nil
	}
	// At this ε even the leading term is below δ, since Φ(−a) ≤ exp(−a²/2).
	hi := g.Mu * (g.Mu/2 + math.Sqrt(math.Max(0, -2*logDelta)) + 1)
	e := numeric.FallingRoot(func(e float64) float64 { return g.LogDelta(e) - logDelta }, 0, hi)
	// Add the errors of the root, of ε/μ − μ/2 near it, and of log δ divided by its slope.
	rounding := 8 * unit * (e + g.Mu*g.Mu)
	step := g.Mu * 1e-3
	if fall := (logDelta - g.LogDelta(e+step)) / step; fall > 0 {
		rounding += g.logError(logDelta, e) / fall * (1 + 1e-2)
	}
	b := Bracket{math.Max(0, e-rounding), e, e + rounding}
	return sealedEpsilon("gaussian-exact", inverted(b, math.MaxFloat64, delta, g.delta), nil)
}

// GaussianSigma returns the noise standard deviation at which the Gaussian mechanism with the given sensitivity is
// exactly (epsilon, delta)-DP. Use Upper, at which the guarantee is certain. The domain is epsilon ≥ 0, 0 < delta < 1
// and sensitivity > 0.
func GaussianSigma(epsilon, delta, sensitivity float64) (Bracket, error) {
	if !(epsilon >= 0 && !math.IsInf(epsilon, 1)) || !(delta > 0 && delta < 1) || !(sensitivity > 0) {
		return Bracket{}, event.DomainError("Gaussian σ for ε = %v, δ = %v, sensitivity %v", epsilon, delta, sensitivity)
	}
	logDelta := math.Log(delta)
	deviation := func(target float64) float64 {
		// Bracket log σ between far too little and far too much noise.
		f := func(logSigma float64) float64 { return GDP{math.Exp(-logSigma)}.LogDelta(epsilon) - target }
		hi := 1.0
		for f(hi) > 0 && hi < 700 {
			hi += 4
		}
		lo := -1.0
		for f(lo) < 0 && lo > -700 {
			lo -= 4
		}
		return sensitivity * math.Exp(numeric.FallingRoot(f, lo, hi))
	}
	mid := deviation(logDelta)
	slack := GDP{sensitivity / mid}.logError(logDelta, epsilon) * (1 + 1e-3)
	// log σ has a relative error of 1e-15, so its exponential has one of 1e-14.
	b := Bracket{deviation(logDelta+slack) * (1 - 1e-14), mid, deviation(logDelta-slack) * (1 + 1e-14)}
	for step := b.Upper - mid; (GDP{sensitivity / b.Upper}).delta(epsilon).Upper > delta && step < mid; step *= 2 {
		b.Upper = mid + 2*step
	}
	for step := mid - b.Lower; b.Lower > 0 && (GDP{sensitivity / b.Lower}).delta(epsilon).Lower < delta; step *= 2 {
		b.Lower = math.Max(0, mid-2*step)
	}
	if d := (GDP{sensitivity / b.Upper}).delta(epsilon); d.Upper > delta {
		return Bracket{}, event.DomainError("Gaussian σ for ε = %v, δ = %v, sensitivity %v: no standard deviation "+
			"proves it", epsilon,
			delta, sensitivity)
	}
	return sealedEpsilon("Gaussian σ", b, nil)
}

// GaussianClassical returns the textbook formula ε = Δ√(2 log(1.25/δ))/σ (Dwork & Roth 2014, Theorem A.1). It is a
// theorem only if the result is below 1.
func GaussianClassical(mu, delta float64) float64 {
	return mu * math.Sqrt(2*math.Log(1.25/delta))
}

// gauss16 is the 16-point Gauss–Legendre rule on [0, 1].
var gauss16 = numeric.Legendre(16)
