package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Gaussian is the tightest Gaussian privacy of a profile.
type Gaussian struct {
	// Mu brackets the least μ with δ(ε) ≤ δ_μ(ε) for 0 ≤ ε ≤ End: at the upper end that is proved, below
	// the lower end it is wrong. An infinite end is beyond 1e6.
	Mu Bracket
	// End is the largest ε compared, where δ is at most Delta. Beyond, a larger μ may be needed: that of rare
	// large losses.
	End, Delta float64
	// Regret brackets, for the least μ, the least κ with f(α + κ) − κ ≤ G_μ(α) for all α: how far the trade-off
	// curve of μ-GDP is below that of the event. The lower end of Mu bounds it from below, the upper end from
	// above.
	Regret Bracket
}

// most and least bound the μ that are tried.
const least, most = 1e-9, 1e6

// Gaussian returns the tightest Gaussian privacy over the ε from 0 to the end that NewProfile chose, with points added
// where
// the bracket is wide for lack of them.
func (p *Profile) Gaussian() (Gaussian, error) {
	err := p.refine(func() (int, bool) {
		low, high := p.mu()
		if !(high-low > narrow*high) || math.IsInf(high, 1) {
			return 0, false
		}
		// Just below the upper end one interval is the first to object.
		_, i := p.dominated(high * (1 - 1e-9))
		return i, p.own(i) < 0.1*p.points[i].Upper
	})
	low, high := p.mu()
	g := Gaussian{Mu: Bracket{Lower: low, Estimate: (low + high) / 2, Upper: high}, End: p.end,
		Delta: p.points[p.last()].Upper}
	g.Regret = p.regret(low, high)
	return g, err
}

// last is the index of the last point that Gaussian privacy is compared at.
func (p *Profile) last() int { return p.index(p.end) }

// mu bounds the least μ from the points there are.
func (p *Profile) mu() (low, high float64) {
	threshold := func(enough func(mu float64) bool) (below, above float64) {
		if enough(least) {
			return 0, least
		}
		if !enough(most) {
			return most, math.Inf(1)
		}
		a, b := math.Log(least), math.Log(most)
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
	if high == least && p.points[0].Upper == 0 {
		high = 0 // nothing is lost
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

// exceeds tells whether δ is certainly above δ_μ somewhere.
func (p *Profile) exceeds(mu float64) bool {
	for _, q := range p.points[:p.last()+1] {
		if q.Lower > gaussian(mu, q.At).Upper {
			return true
		}
	}
	return false
}

// dominated tells whether δ_μ is certainly not below δ, else it names the interval that objects most. On an
// interval the chord of the upper ends is above δ; below δ_μ is the line P − tQ of any one test of the
// normal laws that differ by μ, with power P at level Q.
func (p *Profile) dominated(mu float64) (ok bool, interval int) {
	worst := 0.0
	for i := range p.last() {
		a, b := p.points[i], p.points[i+1]
		if a.Upper == 0 {
			continue // nothing is left that could exceed
		}
		from, to := math.Exp(a.At), math.Exp(b.At)
		// A test that is as far above the chord at one end as at the other.
		at := numeric.FallingRoot(func(epsilon float64) float64 { return level(mu, epsilon)*(to-from) - (a.Upper - b.Upper) },
			a.At, b.At)
		power, size := level(-mu, at), level(mu, at)
		pad := 1e-12 * (power + to*size)
		short := math.Max((a.Upper-(power-from*size-pad))/a.Upper, (b.Upper-(power-to*size-pad))/math.Max(b.Upper, 1e-300))
		if short > worst {
			worst, interval = short, i
		}
	}
	return worst == 0, interval
}

// level is the probability that the loss of the normal laws exceeds ε: without the record for μ, with it for −μ.
func level(mu, epsilon float64) float64 {
	return math.Erfc((epsilon/math.Abs(mu)+mu/2)/math.Sqrt2) / 2
}

// regret bounds the largest (δ_μ − δ)/(1 + t) over all t ≥ 1, for a μ between low and high. From above: between
// corners of its lower bound δ is at least linear, and δ_μ, being convex, at most. Beyond the points both are at
// most what they are there.
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
