package accountant

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// RiskKind is a measure of an attacker's success. The attacker knows every record except one.
type RiskKind string

// The kinds of risk. Each is a function of δ(ε), ε ≥ 0, and does not decrease if δ increases at every ε. So a parameter
// in which ε rises at every δ has the same direction for every risk.
const (
	// Advantage is the maximum of true-positive rate minus false-positive rate: δ(0).
	Advantage RiskKind = "advantage"
	// TruePositiveRate bounds the true-positive rate at a false-positive rate: 1 − f(rate). See Attacks for when a test
	// reaches it.
	TruePositiveRate RiskKind = "true-positive-rate"
	// Reconstruction bounds the probability of guessing a secret, given the prior probability of guessing it: 1 − f(prior)
	// (Hayes, Mahloujifar & Balle 2023, Theorem 2).
	Reconstruction RiskKind = "reconstruction"
)

// Risk is an upper limit on an attacker's success.
type Risk struct {
	Kind RiskKind
	// At is the false-positive rate or the prior probability of guessing the secret, in (0, 1). It is 0 for Advantage.
	At    float64
	Limit float64 // above At, below 1
}

// quantity returns the name of the measured quantity and the point at which it is measured.
func (r Risk) quantity() (name, where string) {
	switch r.Kind {
	case TruePositiveRate:
		return "true-positive rate", fmt.Sprintf(" at false-positive rate %v", r.At)
	case Reconstruction:
		return "reconstruction success", fmt.Sprintf(" at prior %v", r.At)
	}
	return "membership advantage", ""
}

// AtMost states that the risk is at most x, as in "true-positive rate ≤ 0.05 at false-positive rate 0.01".
func (r Risk) AtMost(x any) string {
	name, where := r.quantity()
	return fmt.Sprintf("%s ≤ %v%s", name, x, where)
}

func (r Risk) String() string { return r.AtMost(r.Limit) }

// Validate returns an error that wraps event.ErrDomain if every release or no release meets the limit: an attacker who
// ignores the release reaches At, and no attacker exceeds 1.
func (r Risk) Validate() error {
	switch r.Kind {
	case Advantage:
		if r.At != 0 {
			return event.DomainError("an advantage at %v: want no rate or prior for an advantage", r.At)
		}
		if !(r.Limit > 0 && r.Limit < 1) {
			return event.DomainError("%s: want a limit above 0 and below 1; only a release that is independent of the record "+
				"reaches 0", r)
		}
		return nil
	case TruePositiveRate, Reconstruction:
		if !(r.At > 0 && r.At < 1) {
			return event.DomainError("%s: want a rate or prior above 0 and below 1", r)
		}
		if !(r.Limit > r.At && r.Limit < 1) {
			return event.DomainError("%s: want a limit above %v and below 1; an attacker without the release reaches %v", r,
				r.At, r.At)
		}
		return nil
	}
	return event.DomainError("unknown risk %q", r.Kind)
}

// Of returns a bracket of the risk of an event by one method.
func (r Risk) Of(e event.Event, adj event.Adjacency, method string, w Precision) (Result, error) {
	if err := r.Validate(); err != nil {
		return Result{}, err
	}
	by := method
	if method == "best" {
		by = exact(e, adj)
	}
	o := Options{Methods: []string{by}, Precision: w}
	var result Result
	p := &Profile{delta: func(epsilon float64) (Bracket, error) {
		all, err := Deltas(e, adj, epsilon, o)
		if err != nil {
			return Bracket{}, err
		}
		result = all[0]
		return result.Bracket, nil
	}}
	if _, err := p.ask(0); err != nil {
		return Result{}, err
	}
	var err error
	if result.Bracket = p.Advantage(); r.Kind != Advantage {
		result.Bracket, err = p.powerNear(r.At)
	}
	result.Method = method
	result.Assumptions = append(result.Assumptions, r.derivation())
	return result, err
}

func (r Risk) derivation() string {
	switch r.Kind {
	case TruePositiveRate:
		return "true-positive rate ≤ 1 − f(rate), f the trade-off function of the curve δ(ε)"
	case Reconstruction:
		return "reconstruction success ≤ 1 − f(prior), f the trade-off function of the curve δ(ε) (Hayes, Mahloujifar & " +
			"Balle 2023, Theorem 2)"
	}
	return "membership advantage = δ(0)"
}

// powerNear brackets the true-positive rate at alpha in (0, 1). The profile needs only its point at ε = 0.
//
// With δ(−ε) = 1 − e^{−ε} + e^{−ε}δ(ε), both terms of f are one: f(α) is the supremum over all real ε of
// 1 − δ(ε) − e^ε α. This is concave in t = e^ε, so a golden-section search and one parabola find the supremum. Every
// point that they evaluate gives a valid bound. Since δ ≥ 0, the supremum is at t ≤ (α + δ(0))/α. Since
// 1 − δ(−ε) ≤ e^{−ε}, it is at t ≥ v/(1 − α) if some ε reaches v.
func (p *Profile) powerNear(alpha float64) (Bracket, error) {
	s := lineSearch{profile: p, alpha: alpha}
	atZero := p.points[0].Upper
	hi, lo := math.Min(farthest, math.Log1p(atZero/alpha)), 0.0
	if atZero == 0 {
		hi = 1 // the output is independent of the data, but interpolation needs two points
	}
	reached := s.at(0)
	for x := -1.0; !(reached > 0) && x > -farthest; x *= 2 {
		reached = s.at(x)
	}
	if lo = -farthest; reached > 0 {
		lo = math.Max(lo, math.Log(reached)-math.Log1p(-alpha))
	}
	s.at(hi)
	s.maximize(math.Min(0, lo), hi)
	if s.err != nil {
		return Bracket{}, s.err
	}
	return p.Power(alpha)
}

// lineSearch maximizes 1 − δ(ε) − e^ε α over real ε.
type lineSearch struct {
	profile *Profile
	alpha   float64
	err     error
}

// at returns the value at an ε near x. A grid keeps points apart, and makes them the same on all machines.
func (s *lineSearch) at(x float64) float64 {
	const grid = 1 << 30
	if s.err != nil {
		return math.Inf(-1)
	}
	q, err := s.profile.ask(math.Round(math.Abs(x)*grid) / grid)
	if err != nil {
		s.err = err
		return math.Inf(-1)
	}
	t := math.Exp(q.At)
	if x < 0 {
		return (1 - q.Upper - s.alpha) / t
	}
	return 1 - q.Upper - t*s.alpha
}

// maximize evaluates points near the maximum between lo and hi. The value there is accurate to second order.
func (s *lineSearch) maximize(lo, hi float64) {
	const golden, share = 0.6180339887498949, 0.002
	a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
	atA, atB := s.at(a), s.at(b)
	for end := share * math.Min(1, hi-lo); hi-lo > end && s.err == nil; {
		if atA >= atB {
			hi, b, atB = b, a, atA
			a = hi - golden*(hi-lo)
			atA = s.at(a)
		} else {
			lo, a, atA = a, b, atB
			b = lo + golden*(hi-lo)
			atB = s.at(b)
		}
	}
	// The vertex of the parabola through an end, the middle and the other end.
	middle, half := (lo+hi)/2, (hi-lo)/2
	left, center, right := s.at(lo), s.at(middle), s.at(hi)
	if move := half / 2 * (right - left) / (2*center - left - right); math.Abs(move) < half {
		s.at(middle + move)
	}
}

// Implied returns the largest risk that (ε, δ)-DP permits. The trade-off function of (ε, δ)-DP is the maximum of
// 0, 1 − δ − e^ε α and e^{−ε}(1 − δ − α) (Wasserman & Zhou 2010; Kairouz, Oh & Viswanath 2015), and its advantage is
// (e^ε − 1 + 2δ)/(e^ε + 1).
func (r Risk) Implied(epsilon, delta float64) float64 {
	t := math.Exp(epsilon)
	if r.Kind == Advantage {
		return math.Min(1, (math.Expm1(epsilon)+2*delta)/(t+1))
	}
	return math.Min(1, math.Min(delta+t*r.At, 1-(1-delta-r.At)/t))
}

// Bound names the bound of Implied and its source.
func (r Risk) Bound() string {
	switch r.Kind {
	case Advantage:
		return "(e^ε − 1 + 2δ)/(e^ε + 1) (Kairouz, Oh & Viswanath 2015)"
	case Reconstruction:
		return "1 − f(prior) (Hayes, Mahloujifar & Balle 2023), with the trade-off function f of (ε, δ)-DP (Kairouz, Oh & " +
			"Viswanath 2015)"
	}
	return "1 − f(rate), with the trade-off function f of (ε, δ)-DP (Kairouz, Oh & Viswanath 2015)"
}

// ImpliedBy returns the largest ε at which (ε, δ)-DP alone keeps the risk within its limit, with 0 ≤ delta < 1. It
// returns an error that wraps event.ErrDomain if there is no such ε > 0.
func (r Risk) ImpliedBy(delta float64) (float64, error) {
	if err := r.Validate(); err != nil {
		return 0, err
	}
	room := r.Limit - r.At // the largest δ at ε = 0
	if !(delta >= 0 && delta < room) {
		return 0, event.DomainError("no ε implies this limit: want a δ below %.6g", room)
	}
	var epsilon float64
	if r.Kind == Advantage {
		epsilon = math.Log1p(2 * (r.Limit - delta) / (1 - r.Limit))
	} else {
		// The smaller of the two bounds applies.
		epsilon = math.Max(math.Log1p((room-delta)/r.At), math.Log1p((room-delta)/(1-r.Limit)))
	}
	return epsilon, nil
}
