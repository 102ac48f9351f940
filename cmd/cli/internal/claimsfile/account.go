package claimsfile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
)

// Account is a description of a release and the claims about it. The claim may also have a mechanism, which is then
// audited against the account.
type Account struct {
	release accounting.Release
	notes   []string   // how the file was interpreted
	bound   *boundOf   // the claimed guarantee; nil for none
	stated  *printedOf // the reported value; nil for none
	// against is the quantity of the account with which a mechanism of the same claim is compared.
	against    accounting.Quantity
	wholeCurve bool // compare with the whole privacy curve instead
}

// boundOf claims that a quantity is at most a value, or at most a reported value.
type boundOf struct {
	quantity accounting.Quantity
	value    float64
	printed  *accounting.Reported
}

func (b boundOf) check(r accounting.Release) verify.Check {
	if b.printed != nil {
		return r.AtMostReported(b.quantity, *b.printed)
	}
	return r.AtMost(b.quantity, b.value)
}

func (b boundOf) String() string {
	if b.printed != nil {
		return fmt.Sprintf("has a %s of at most %s, as printed", b.quantity, b.printed.Text)
	}
	return "is " + b.quantity.Guarantee(b.value).String()
}

// printedOf claims that a quantity rounds to a reported value.
type printedOf struct {
	quantity accounting.Quantity
	printed  accounting.Reported
}

// accountFields is the form of an account in a file of its own, with the neighboring relation and the sampling if
// that file leaves them open.
type accountFields struct {
	File      string `yaml:"file" want:"the file of an account, as in release.yaml"`
	Adjacency string `yaml:"adjacency" want:"add-or-remove-one or replace-one"`
	Sampling  string `yaml:"sampling" want:"fixed or poisson"`
}

// statesFields is the form of a reported value: one quantity, the parameter that fixes it, and the rounding.
type statesFields struct {
	Epsilon   *float64 `yaml:"epsilon"`
	Delta     *float64 `yaml:"delta"`
	AtEpsilon *float64 `yaml:"at-epsilon"`
	Rho       *float64 `yaml:"rho"`
	Mu        *float64 `yaml:"mu"`
	Order     *float64 `yaml:"alpha"`
	Renyi     *float64 `yaml:"renyi"`
	Digits    *int64   `yaml:"digits"`
	Rounding  string   `yaml:"rounding" want:"nearest, up, down or any"`
}

// quantity returns the reported quantity and the key of its value. It reports ok only if exactly one quantity is
// given, with its parameter.
func (f statesFields) quantity() (q accounting.Quantity, key string, ok bool) {
	ways := 0
	add := func(given bool, name string, quantity accounting.Quantity) {
		if given {
			q, key = quantity, name
			ways++
		}
	}
	value := func(x *float64) float64 {
		if x == nil {
			return math.NaN()
		}
		return *x
	}
	add(f.Epsilon != nil, "epsilon", accounting.EpsilonAt(value(f.Delta)))
	add(f.AtEpsilon != nil, "delta", accounting.DeltaAt(value(f.AtEpsilon)))
	add(f.Rho != nil, "rho", accounting.Rho())
	add(f.Mu != nil, "mu", accounting.Mu())
	add(f.Renyi != nil, "renyi", accounting.RenyiAt(value(f.Order)))
	whole := (f.Delta != nil) == (f.Epsilon != nil || f.AtEpsilon != nil) && (f.Order == nil) == (f.Renyi == nil)
	return q, key, ways == 1 && whole
}

// bound returns the claimed bound. The error is errNoClaim unless exactly one guarantee is given, with all of its
// parameters.
func (f guaranteeFields) bound() (b boundOf, err error) {
	g, ok := f.guarantee()
	if !ok {
		return b, errNoClaim
	}
	return boundOf{quantity: accounting.QuantityOf(g), value: g.Value()}, g.Check()
}

// HintEvents adds a suggestion to the error of an unknown event name.
func HintEvents(err error) error {
	if name := (*event.NameError)(nil); errors.As(err, &name) {
		return fmt.Errorf("%w%s", err, DidYouMean(name.Given, name.Known))
	}
	return err
}

// account reads the account of a claim and the claims about it; at is the path of the claim.
func (p configParser) account(at string, c claimFields) (*Account, error) {
	a, file, err := p.described(at+".account", c.Name)
	if err != nil {
		return nil, err
	}
	if err := a.release.Check(); err != nil {
		return nil, p.errorf(at+".account", "claim %q: %w", c.Name, err)
	}
	if c.States != nil {
		if err := p.states(at+".states", c, a); err != nil {
			return nil, err
		}
	}
	if c.Guarantee != (guaranteeFields{}) {
		if err := a.claimed(c.Guarantee, c.audited()); errors.Is(err, errNoClaim) {
			return nil, p.errorf(at+".guarantee", "claim %q: a guarantee is epsilon (with delta), rho, mu, or alpha with "+
				"renyi; delta alone is for a mechanism that is audited against its account", c.Name)
		} else if err != nil {
			return nil, p.errorf(at+".guarantee", "claim %q: %w", c.Name, err)
		}
	}
	if err := a.complete(file, c.audited()); err != nil {
		return nil, p.errorf(at, "claim %q: %w", c.Name, err)
	}
	return a, nil
}

// claimed sets the claimed bound, or the δ at which a mechanism is audited against the account.
func (a *Account) claimed(f guaranteeFields, mechanism bool) (err error) {
	if f == (guaranteeFields{Delta: f.Delta}) && f.Delta != nil && mechanism {
		a.against = accounting.EpsilonAt(*f.Delta)
		return a.against.Guarantee(0).Check()
	}
	b, err := f.bound()
	if err != nil {
		return err
	}
	a.bound, a.against = &b, b.quantity
	return a.needsDelta(f)
}

// complete fills in the bound that the account's file reports if the claim gives none, and the quantity that a
// mechanism is compared with. It returns an error if the claim claims nothing about the account.
func (a *Account) complete(file event.File, mechanism bool) error {
	ok := a.against != accounting.Quantity{}
	if !ok && file.Epsilon != "" {
		ok, a.against = true, accounting.EpsilonAt(file.Delta)
		a.bound = &boundOf{quantity: a.against,
			printed: &accounting.Reported{Text: file.Epsilon, Rounding: accounting.Nearest}}
	}
	if !ok && !mechanism {
		return errors.New("nothing is claimed about the account: give a guarantee, as in {epsilon: 3, delta: 1e-5}, or a " +
			"number under states")
	}
	if !ok {
		a.against, ok = a.release.Curve()
	}
	if !ok {
		return errors.New("the account has no finite ε at δ = 0: say at which δ the mechanism is audited, as in " +
			"guarantee: {delta: 1e-6}")
	}
	return nil
}

// described reads an account from the claim itself or from the file that the claim names.
func (p configParser) described(at, name string) (*Account, event.File, error) {
	node := p.node(at)
	fields, ok := mappingOf(node)
	if _, list := node.(*ast.SequenceNode); !ok && !list {
		return nil, event.File{}, p.errorf(at, "claim %q: got %s, want an account, as in {mechanism: "+
			"gaussian, sigma: 2} or {file: release.yaml}", name, describe(node))
	}
	var file event.File
	var err error
	_, named := fields["file"]
	if _, mechanism := fields["mechanism"]; named && !mechanism {
		file, err = p.fromFile(at, name)
	} else if file.Event, file.Adjacency, err = event.ParseNode(node, filepath.Dir(p.path)); err != nil {
		err = fmt.Errorf("%s:%w", p.path, HintEvents(err))
	}
	return newAccount(file), file, err
}

func newAccount(file event.File) *Account {
	e := file.Event
	if e.Kind == event.KindCompose && len(e.Parts) == 1 {
		e = e.Parts[0]
	}
	a := &Account{release: accounting.Release{Event: e}, notes: file.Notes}
	if file.Adjacency != nil {
		a.release.Adjacency = *file.Adjacency
	}
	return a
}

// fromFile reads the file that an account names.
func (p configParser) fromFile(at, name string) (f event.File, err error) {
	var a accountFields
	if err := p.decode(p.node(at), &a); err != nil {
		return f, err
	}
	if f, err = event.OpenFile(p.resolve(a.File), a.Sampling); err != nil {
		return f, p.errorf(at+".file", "claim %q: %w", name, HintEvents(err))
	}
	if a.Adjacency != "" {
		adjacency, err := event.ParseAdjacency(a.Adjacency)
		if err != nil {
			return f, p.errorf(at+".adjacency", "claim %q: %w", name, err)
		}
		f.Adjacency = &adjacency
	}
	return f, nil
}

// states reads a reported value with its digits as they are written in the file.
func (p configParser) states(at string, c claimFields, a *Account) error {
	q, key, ok := c.States.quantity()
	if !ok {
		return p.errorf(at, "claim %q: a reported value is epsilon with delta, delta with at-epsilon, rho, mu, or renyi "+
			"with alpha", c.Name)
	}
	s := printedOf{q, accounting.Reported{Text: p.node(at + "." + key).GetToken().Value}}
	if c.States.Rounding != "" {
		s.printed.Rounding = accounting.Rounding(c.States.Rounding)
		if !slices.Contains(accounting.Roundings, s.printed.Rounding) {
			return p.errorf(at+".rounding", "claim %q: rounding %q: want nearest, up, down or any", c.Name, c.States.Rounding)
		}
	}
	if c.States.Digits != nil {
		digits := int(max(-1, min(*c.States.Digits, math.MaxInt32)))
		s.printed.Digits = &digits
	}
	value, _ := decimal.Near(s.printed.Text)
	if err := cmp.Or(s.printed.Check(), q.Guarantee(value).Check()); err != nil {
		return p.errorf(at+"."+key, "claim %q: %w", c.Name, err)
	}
	a.stated, a.against = &s, q
	return nil
}

// mappingOf returns the values of a mapping by key. It reports false if the node is not a mapping.
func mappingOf(node ast.Node) (map[string]ast.Node, bool) {
	fields := make(map[string]ast.Node)
	switch n := node.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			fields[v.Key.GetToken().Value] = v.Value
		}
	case *ast.MappingValueNode:
		fields[n.Key.GetToken().Value] = n.Value
	default:
		return nil, false
	}
	return fields, true
}
