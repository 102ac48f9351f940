package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Gaussian is the strongest μ-GDP guarantee of a profile.
type Gaussian struct {
	// Mu brackets the smallest μ with δ(ε) ≤ δ_μ(ε) for 0 ≤ ε ≤ End. The guarantee holds at the upper end and fails
	// below the lower end. Values above 1e6 are reported as +Inf.
	Mu Bracket
	// End is the largest ε that was compared, and δ is at most Delta there. Rare larger losses may need a larger μ.
	End, Delta float64
	// Regret brackets the smallest κ with f(α + κ) − κ ≤ G_μ(α) for all α, at the smallest μ. It measures how far the
	// trade-off curve of μ-GDP is below the event's curve.
	Regret Bracket
}

// minMu and maxMu bound the search for μ.
const minMu, maxMu = 1e-9, 1e6

// Gaussian returns the strongest μ-GDP guarantee for ε from 0 to End. It evaluates further points if the bracket is
// wide because points are missing.
func (p *Profile) Gaussian() (Gaussian, error) {
	err := p.refine(func() (int, bool) {
		low, high := p.mu()
		if !(high-low > narrow*high) || math.IsInf(high, 1) {
			return 0, false
		}
		// Just below the upper end, only one interval violates the bound.
		_, i := p.dominated(high * (1 - 1e-9))
		return i, p.own(i) < 0.1*p.points[i].Upper
	})
	low, high := p.mu()
	g := Gaussian{Mu: Bracket{Lower: low, Estimate: (low + high) / 2, Upper: high}, End: p.end,
		Delta: p.points[p.last()].Upper}
	g.Regret = p.regret(low, high)
	return g, err
}

// last returns the index of the last point at which Gaussian privacy is compared.
func (p *Profile) last() int { return p.index(p.end) }

// mu brackets the smallest μ from the known points.
func (p *Profile) mu() (low, high float64) {
	threshold := func(enough func(mu float64) bool) (below, above float64) {
		if enough(minMu) {
			return 0, minMu
		}
		if !enough(maxMu) {
			return maxMu, math.Inf(1)
		}
		a, b := math.Log(minMu), math.Log(maxMu)
		for b-a > 1e-11 {
			if c := (a + b) / 2; enough(math.Exp(c)) {
				b = c
			} else {
				a = c
			}
		}
		return math.Exp(a), math.Exp(b)
	}
	low, _ = threshold(func(mu float64) bool { return !p.exceeds(mu) })
	_, high = threshold(func(mu float64) bool { ok, _ := p.dominated(mu); return ok })
	if high == minMu && p.points[0].Upper == 0 {
		high = 0 // no privacy loss
	}
	return low, high
}

// gaussian brackets δ_μ(ε).
func gaussian(mu, epsilon float64) Bracket {
	b, err := GDP{Mu: mu}.Delta(epsilon)
	if err != nil {
		return Bracket{Upper: 1}
	}
	return b
}

// exceeds reports whether δ is certainly above δ_μ at some point.
func (p *Profile) exceeds(mu float64) bool {
	for _, q := range p.points[:p.last()+1] {
		if q.Lower > gaussian(mu, q.At).Upper {
			return true
		}
	}
	return false
}

// dominated reports whether δ ≤ δ_μ is proven. If not, it returns the interval with the largest violation. On each
// interval, the chord of the upper ends is an upper bound of δ. For any one test of two normal distributions μ apart,
// with power P and level Q, the line P − tQ is a lower bound of δ_μ.
func (p *Profile) dominated(mu float64) (ok bool, interval int) {
	worst := 0.0
	for i := range p.last() {
		a, b := p.points[i], p.points[i+1]
		if a.Upper == 0 {
			continue // δ is 0 here and cannot exceed δ_μ
		}
		from, to := math.Exp(a.At), math.Exp(b.At)
		// Choose the test whose line is equally far above the chord at both ends.
		gap := func(epsilon float64) float64 { return level(mu, epsilon)*(to-from) - (a.Upper - b.Upper) }
		crossing := numeric.FallingRoot(gap, a.At, b.At)
		power, size := level(-mu, crossing), level(mu, crossing)
		pad := 1e-12 * (power + to*size)
		short := math.Max((a.Upper-(power-from*size-pad))/a.Upper, (b.Upper-(power-to*size-pad))/math.Max(b.Upper, 1e-300))
		if short > worst {
			worst, interval = short, i
		}
	}
	return worst == 0, interval
}

// level returns the probability that the privacy loss between two normal distributions exceeds ε: without the record
// for μ > 0, with it for μ < 0.
func level(mu, epsilon float64) float64 {
	return math.Erfc((epsilon/math.Abs(mu)+mu/2)/math.Sqrt2) / 2
}

// regret brackets the maximum of (δ_μ − δ)/(1 + t) over t ≥ 1 for a μ between low and high. For the upper end, the
// lower bound of δ is linear between corners and δ_μ is convex, so the maximum is at a corner. Beyond the last point,
// δ_μ is at most its value there.
func (p *Profile) regret(low, high float64) Bracket {
	b := Bracket{}
	if math.IsInf(high, 1) {
		return Bracket{Estimate: 0.5, Upper: 1}
	}
	if low > 0 {
		for _, q := range p.points[:p.last()+1] {
			b.Lower = math.Max(b.Lower, (gaussian(low, q.At).Lower-q.Upper)/(1+math.Exp(q.At))*(1-fewPoints))
		}
	}
	if high > 0 {
		for _, k := range p.knots() {
			b.Upper = math.Max(b.Upper, (gaussian(high, math.Log(k.t)).Upper-k.delta)/(1+k.t)*(1+fewPoints)+fewPoints/(1+k.t))
		}
		end := p.points[len(p.points)-1]
		b.Upper = math.Max(b.Upper, gaussian(high, end.At).Upper/(1+math.Exp(end.At)))
	}
	b.Estimate = (b.Lower + b.Upper) / 2
	return b
}
