package accounting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
)

// The statistics hold the description of the release. Judge computes the account again from it.

var (
	// Method names the statistics of [Release.AtMost], [Release.Equals] and [Release.AtMostReported].
	Method = verify.RegisterStatistics[claimed]("accounted")
	// AgainstMethod names the statistics of [Release.Audited] and [Release.AuditedAlong].
	AgainstMethod = verify.RegisterStatistics[against]("accounted/against")
)

// node is an event as plain data. Its numbers may be infinite.
type node struct {
	Kind        string             `json:"kind"`
	A           verify.Number      `json:"a"`
	B           verify.Number      `json:"b"`
	Sensitivity verify.Number      `json:"sensitivity"`
	Count       int64              `json:"count,omitempty"`
	Parts       []node             `json:"parts,omitempty"`
	Rows        [][2]verify.Number `json:"rows,omitempty"`
}

func nodeOf(e event.Event) node {
	n := node{Kind: event.KindNames[e.Kind], A: verify.Num(e.A), B: verify.Num(e.B),
		Sensitivity: verify.Num(e.Sensitivity),
		Count:       e.Count}
	for _, p := range e.Parts {
		n.Parts = append(n.Parts, nodeOf(p))
	}
	for _, r := range e.Rows {
		n.Rows = append(n.Rows, [2]verify.Number{verify.Num(r[0]), verify.Num(r[1])})
	}
	return n
}

// event returns the described event. The accountant checks its domain.
func (n node) event() (event.Event, error) {
	e := event.Event{A: n.A.X, B: n.B.X, Sensitivity: n.Sensitivity.X, Count: n.Count}
	for _, kind := range slices.Sorted(maps.Keys(event.KindNames)) {
		if event.KindNames[kind] == n.Kind {
			e.Kind = kind
		}
	}
	if e.Kind == event.KindInvalid {
		return e, fmt.Errorf("the event kind %q is unknown", n.Kind)
	}
	for _, p := range n.Parts {
		part, err := p.event()
		if err != nil {
			return e, err
		}
		e.Parts = append(e.Parts, part)
	}
	for _, r := range n.Rows {
		e.Rows = append(e.Rows, [2]float64{r[0].X, r[1].X})
	}
	return e, nil
}

// described is a release and a quantity of it, as plain data.
type described struct {
	Event     node   `json:"event"`
	Adjacency string `json:"adjacency"`
	Quantity  string `json:"quantity"` // "ε", "δ", "ρ", "divergence", "μ"
	// At is the fixed δ, ε or order.
	At float64 `json:"at"`
}

func describe(r Release, q Quantity) described {
	return described{Event: nodeOf(r.Event), Adjacency: r.Adjacency.String(), Quantity: q.symbol(), At: q.at}
}

func (d described) read() (r Release, q Quantity, err error) {
	if r.Adjacency, err = event.ParseAdjacency(d.Adjacency); err != nil {
		return r, q, err
	}
	for _, q = range []Quantity{EpsilonAt(d.At), DeltaAt(d.At), Rho(), RenyiAt(d.At), Mu()} {
		if q.symbol() == d.Quantity && q.at == d.At {
			r.Event, err = d.Event.event()
			return r, q, err
		}
	}
	return r, q, fmt.Errorf("the quantity %q at %v: want one of ε, δ, ρ, divergence, μ", d.Quantity, d.At)
}

// claimed holds the statistics of a check of a release.
type claimed struct {
	described
	Sense   verify.Sense `json:"sense"`
	Value   float64      `json:"value"`
	Printed *Reported    `json:"printed,omitempty"` // for a reported number
}

func (c check) statistics() claimed {
	return claimed{describe(c.release, c.quantity), c.sense, c.value, c.printed}
}

func (f claimed) Check() error {
	switch c, err := f.check(); {
	case err != nil:
		return err
	case c.err == nil && c.value != f.Value:
		return fmt.Errorf("the value is %v, but the reported number %q is %v", f.Value, f.Printed.Text, c.value)
	default:
		return c.Check()
	}
}

// Judge computes the account again, at the budget of the settings.
func (f claimed) Judge(s verify.Settings) (verify.Evidence, error) {
	c, err := f.check()
	if err != nil {
		return verify.Evidence{}, err
	}
	return c.judge(context.Background(), s.Budget)
}

// check returns the check with these statistics.
func (f claimed) check() (c check, err error) {
	r, q, err := f.read()
	if err != nil {
		return c, err
	}
	switch {
	case f.Sense == verify.Equals && f.Printed != nil:
		c = r.Equals(q, *f.Printed).(check)
	case f.Sense == verify.AtMost && f.Printed != nil:
		c = r.AtMostReported(q, *f.Printed).(check)
	case f.Sense == verify.AtMost:
		c = r.AtMost(q, f.Value).(check)
	default:
		err = fmt.Errorf("the relation is %q, but there is no reported number: want ≤", f.Sense)
	}
	return c, err
}

// against holds the statistics of an audit against an account.
type against struct {
	described
	Along bool                        `json:"along,omitempty"` // the whole privacy curve
	Of    verify.SufficientStatistics `json:"of"`              // statistics of the audit
}

// around adds the account to the evidence of an audit.
func (a against) around(text string, e verify.Evidence) verify.Evidence {
	e.Method = text + e.Method
	if e.Statistics != nil && e.Statistics.Reason == "" {
		a.Of = *e.Statistics
		e.Statistics = verify.NewStatistics(AgainstMethod, a)
	}
	return e
}

func (f against) Check() error {
	_, _, err := f.read()
	return err
}

// Judge judges the audit. It computes the account again, and returns an error if the audit tested another guarantee.
func (f against) Judge(s verify.Settings) (verify.Evidence, error) {
	r, q, err := f.read()
	if err != nil {
		return verify.Evidence{}, err
	}
	e, err := f.Of.Judge(s)
	if err != nil {
		return e, err
	}
	var g privacy.Guarantee
	text := fmt.Sprintf(alongText, r)
	if f.Along {
		g, err = r.along()
	} else {
		var value float64
		value, text, err = r.upper(q)
		g = q.Guarantee(value)
	}
	if err != nil {
		return e, err
	}
	audited, err := guaranteesIn(f.Of)
	if err != nil {
		return e, err
	}
	for _, a := range audited {
		if !alike(a, g) {
			return e, fmt.Errorf("audited against %v, but the account allows %v", a, g)
		}
	}
	return f.around(text, e), nil
}

// guaranteesIn returns the guarantees in the statistics of an audit. It returns an error if there are none.
func guaranteesIn(b verify.SufficientStatistics) (all []privacy.Guarantee, err error) {
	var f struct {
		Guarantee    *privacy.Guarantee            `json:"guarantee"`
		Certificates []verify.SufficientStatistics `json:"certificates"` // of a search
	}
	if err := json.Unmarshal(b.Values, &f); err != nil {
		return nil, err
	}
	if f.Guarantee != nil {
		return []privacy.Guarantee{*f.Guarantee}, nil
	}
	for _, c := range f.Certificates {
		more, err := guaranteesIn(c)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	if len(all) == 0 {
		err = errors.New("the statistics of the audit name no guarantee")
	}
	return all, err
}

// alike reports whether two guarantees are equal, allowing for rounding on another machine.
func alike(a, b privacy.Guarantee) bool {
	const rounding = 1e-9
	same := func(x, y float64) bool { return math.Abs(x-y) <= rounding*math.Max(math.Abs(x), math.Abs(y)) }
	p, curve := a.Curve()
	q, other := b.Curve()
	if curve || other {
		return curve == other && slices.EqualFunc(p, q, func(x, y confidence.Line) bool {
			return same(x.Epsilon, y.Epsilon) && same(x.Delta, y.Delta)
		})
	}
	return a.Quantity() == b.Quantity() && same(a.Value(), b.Value()) || // or the account computes the δ
		a.IsApproximate() && b.IsApproximate() && a.Value() == b.Value() && same(a.Delta(), b.Delta())
}

var errNothing = errors.New("there is no guarantee to audit against")
