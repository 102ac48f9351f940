package accounting

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Release describes a release and the neighboring inputs that it protects.
type Release struct {
	Event     event.Event
	Adjacency event.Adjacency // default: add or remove one
}

// Check returns an error that wraps [event.ErrDomain] if the description is outside the accountant's domain.
func (r Release) Check() error {
	// ε at δ = 1 is 0. Some groups have no privacy-loss distribution, but other methods.
	_, err := accountant.Epsilons(r.Event, r.Adjacency, 1, accountant.Options{Methods: []string{"best"}})
	return err
}

// String describes the release: "3 × gaussian(σ=2, sensitivity=1) under replace-one".
func (r Release) String() string { return fmt.Sprintf("%s under %s", r.Event, r.Adjacency) }

// Quantity is a parameter of a guarantee, with the fixed values of its other parameters. The zero value is not a
// quantity.
type Quantity struct {
	kind kind
	at   float64 // the fixed δ, ε or order
}

type kind int

const (
	noKind kind = iota
	epsilonKind
	deltaKind
	rhoKind
	renyiKind
	muKind
)

// EpsilonAt returns the quantity ε at a δ: the smallest ε of (ε, δ)-DP at a δ in [0, 1).
func EpsilonAt(delta float64) Quantity { return Quantity{epsilonKind, delta} }

// DeltaAt returns the quantity δ at an ε: the smallest δ of (ε, δ)-DP, at a finite ε ≥ 0.
func DeltaAt(epsilon float64) Quantity { return Quantity{deltaKind, epsilon} }

// Rho returns the quantity ρ: the smallest ρ of zCDP (Bun & Steinke 2016).
func Rho() Quantity { return Quantity{kind: rhoKind} }

// RenyiAt returns the Rényi divergence at an order as a quantity. The order is finite and above 1 (Mironov 2017).
func RenyiAt(order float64) Quantity { return Quantity{renyiKind, order} }

// Mu returns the quantity μ: the smallest μ of Gaussian differential privacy (Dong, Roth & Su 2022).
func Mu() Quantity { return Quantity{kind: muKind} }

// QuantityOf returns the quantity that a guarantee bounds; (ε, δ)-DP bounds ε at δ. It returns the zero value if the
// guarantee bounds none, for example for a whole privacy curve.
func QuantityOf(g privacy.Guarantee) Quantity {
	for _, q := range []Quantity{EpsilonAt(g.At()), Rho(), RenyiAt(g.At()), Mu()} {
		if q.Guarantee(g.Value()) == g {
			return q
		}
	}
	return Quantity{}
}

// Guarantee returns the guarantee that the quantity is at most a value.
func (q Quantity) Guarantee(value float64) privacy.Guarantee {
	switch q.kind {
	case epsilonKind:
		return privacy.ApproximateDP(value, q.at)
	case deltaKind:
		return privacy.ApproximateDP(q.at, value)
	case rhoKind:
		return privacy.ZeroConcentratedDP(value)
	case renyiKind:
		return privacy.RenyiDP(q.at, value)
	case muKind:
		return privacy.GaussianDP(value)
	}
	return privacy.Guarantee{}
}

// String names the quantity: "privacy loss ε at δ = 1e-05".
func (q Quantity) String() string {
	if q.kind == deltaKind {
		return fmt.Sprintf("δ at ε = %g", q.at)
	}
	return q.Guarantee(0).Quantity()
}

// symbol returns the letter of the quantity.
func (q Quantity) symbol() string {
	return map[kind]string{epsilonKind: "ε", deltaKind: "δ", rhoKind: "ρ", renyiKind: "divergence", muKind: "μ"}[q.kind]
}

// supremum returns the supremum of the quantity over all mechanisms.
func (q Quantity) supremum() float64 {
	if q.kind == deltaKind {
		return 1
	}
	return math.Inf(1)
}

// account is a bracket with its assumptions.
type account struct {
	accountant.Bracket
	assumptions, warnings []string
}

// Bracket returns the accountant's bracket of a quantity at a precision: Lower ≤ true value ≤ Upper. If the exact value
// is known in rational numbers, the ends are the doubles next to it.
func (r Release) Bracket(q Quantity, w accountant.Precision) (accountant.Bracket, error) {
	a, err := r.account(q, w)
	return a.Bracket, err
}

func (r Release) account(q Quantity, w accountant.Precision) (account, error) {
	if err := q.Guarantee(0).Check(); err != nil {
		return account{}, err
	}
	if err := r.Check(); err != nil {
		return account{}, err
	}
	o := accountant.Options{Methods: []string{"best"}, Precision: w}
	var results []accountant.Result
	var err error
	switch q.kind {
	case epsilonKind:
		results, err = accountant.Epsilons(r.Event, r.Adjacency, q.at, o)
	case deltaKind:
		results, err = accountant.Deltas(r.Event, r.Adjacency, q.at, o)
	default:
		// The assumptions do not depend on the quantity.
		if results, err = accountant.Epsilons(r.Event, r.Adjacency, 1, o); err == nil {
			results[0].Bracket, err = r.divergence(q, w)
		}
	}
	if err != nil {
		return account{}, err
	}
	a := results[0]
	a.Bracket = r.exactLoss(q, a.Bracket)
	if a.Bracket, err = a.Meet(a.Bracket); err != nil {
		return account{}, fmt.Errorf("%w (event %s)", err, r.Event)
	}
	for i, s := range a.Assumptions { // the sentence refers to a table that is not shown here
		a.Assumptions[i] = strings.Replace(s, "of the methods below", "of all methods", 1)
	}
	return account{a.Bracket, a.Assumptions, a.Warnings}, nil
}

// TradeOff returns a lower bound on the trade-off function of the release, for both orders of the neighbors. It follows
// from the upper ends of δ at 41 values of ε. For a mechanism with this description, a test that distinguishes two
// neighbors has at least this false-negative rate at each false-positive rate.
func (r Release) TradeOff() (confidence.Lines, error) {
	p, err := accountant.NewProfile(r.Event, r.Adjacency, accountant.ProfileOptions{})
	if err != nil {
		return nil, err
	}
	const intervals = 40 // the number of intervals in the profile
	var lines confidence.Lines
	for i := range intervals + 1 {
		epsilon := p.End() * float64(i) / intervals
		delta, err := p.Delta(epsilon)
		if err != nil {
			return nil, err
		}
		lines = append(lines, confidence.Line{Epsilon: epsilon, Delta: delta.Upper})
	}
	return lines, nil
}
