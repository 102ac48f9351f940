package accountant

import (
	"fmt"
	"math"
	"sync"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// allocationCells and replacedCells are the numbers of cells for an epoch of random allocation. Replaced records take
// much more work.
const (
	allocationCells = 600
	replacedCells   = 600
)

// flattenAllocation adds an epoch of random allocation. Its upper bound is a composition of one pair per pick. Its
// lower bound is a separate pair.
func (p *profile) flattenAllocation(e event.Event, q, count float64, counts map[leaf]float64) error {
	if q < 1 && e.B > 1 {
		return event.DomainError("%s: several picks on one Poisson sample are not supported; sample an epoch "+
			"of one pick, or allocate the records of a sample", e)
	}
	g, replaced := e.Parts[0], p.adjacency == event.ReplaceOne
	if replaced && g.Kind != event.KindGaussian {
		// The upper end for a group follows from the δ of one record, so it needs no pair for a replaced one: see
		// group_curve.go.
		return event.DomainError("%s: for a replaced record only Gaussian noise is supported; want add-or-remove-one with "+
			"a group of 2, whose upper end also holds for a replaced record (one is removed and one added)", e)
	}
	if g.Kind == event.KindTable {
		p.assume(withRecord(g))
	} else {
		p.assume(fmt.Sprintf("%s: one record contributes at most %g", g, g.Sensitivity))
	}
	p.assume(fmt.Sprintf("random allocation: every record is in %g of %d steps of an epoch, each set of them equally "+
		"likely, whatever the others are in (Feldman & Shenfeld 2025)", e.B, e.Count))
	if replaced {
		p.assume("a replaced record is in the steps of the one whose place it takes")
	}
	cells := allocationCells
	if replaced {
		cells = replacedCells
	}
	moreNoise, lessNoise, err := epochsOf(e, replaced)
	if err != nil {
		return event.DomainError("%s: %v", e, err)
	}
	factors, err := lessNoise.Upper(cells)
	if err != nil {
		return event.DomainError("%s: %v", e, err)
	}
	lower, err := moreNoise.Lower(cells)
	if err != nil {
		return event.DomainError("%s: %v", e, err)
	}
	below, err := pld.Allocated(lower, false)
	if err != nil {
		return event.DomainError("%s: %v", e, err)
	}
	for i, f := range factors {
		above, err := pld.Allocated(f.AllocatedPair, true)
		if err != nil {
			return event.DomainError("%s: %v", e, err)
		}
		bracket := &pld.Bracketed{Above: above, Below: pld.Nothing()}
		if len(factors) == 1 && f.Count == 1 {
			bracket.Below = below
		}
		law, err := p.sampledPair(bracket, q)
		if err != nil {
			return event.DomainError("%s: %v", e, err)
		}
		counts[p.namedLeaf(e, fmt.Sprintf("above %d %v", i, q), law)] += count * float64(f.Count)
	}
	if len(factors) > 1 || factors[0].Count > 1 {
		bracket := &pld.Bracketed{Above: pld.Nothing(), Below: below}
		counts[p.namedLeaf(e, "below", bracket)] += count
	}
	return nil
}

// epochsOf returns an epoch of random allocation twice. The noise is rounded up and down.
func epochsOf(e event.Event, replaced bool) (moreNoise, lessNoise pld.Epoch, err error) {
	g := e.Parts[0]
	moreNoise = pld.Epoch{Steps: int(e.Count), Picks: int(e.B), Replace: replaced}
	lessNoise = moreNoise
	switch g.Kind {
	case event.KindTable:
		moreNoise.Step, err = pld.TableStep(g.Rows)
		lessNoise.Step = moreNoise.Step
	case event.KindLaplace:
		if moreNoise.Step, err = pld.LaplaceStep(g.Sensitivity / g.A * (1 - 2*unit)); err == nil {
			lessNoise.Step, err = pld.LaplaceStep(g.Sensitivity / g.A * (1 + 2*unit))
		}
	default:
		moreNoise.Sigma, lessNoise.Sigma = g.A/g.Sensitivity*(1+2*unit), g.A/g.Sensitivity*(1-2*unit)
	}
	return moreNoise, lessNoise, err
}

// namedLeaf returns the leaf of a pair, or of a part of it. Equal events get the same leaf. The name uses %#v, because
// String omits digits and rows.
func (p *profile) namedLeaf(e event.Event, part string, law pld.Pair) leaf {
	name := fmt.Sprintf("%#v %s", e, part)
	if p.named == nil {
		p.named = map[string]pld.Pair{}
	}
	if p.named[name] == nil {
		p.named[name] = law
	}
	return leaf{kind: e.Kind, q: 1, name: name, pair: p.named[name]}
}

// flattenSelection adds a repeat-and-select event.
func (p *profile) flattenSelection(e event.Event, q, count float64, counts map[leaf]float64) error {
	base, err := newProfile(e.Parts[0], p.adjacency)
	if err != nil {
		return err
	}
	for _, s := range base.assumptions {
		p.assume(s)
	}
	for _, s := range base.warnings {
		p.warn(s)
	}
	p.assume(fmt.Sprintf("the number of runs is drawn from the truncated negative binomial law, η = %g, γ = %g; one "+
		"output is released, the best by any score of outputs (Papernot & Steinke 2022, Theorem 2)", e.A, e.B))
	if len(base.terms) == 0 {
		return nil
	}
	p.upperOnly = p.upperOnly || base.upperOnly
	if lost := base.lost(); lost.High > 0 || base.has(event.KindApproximate) {
		return event.DomainError("%s: a mechanism with a failure probability is not supported", e)
	}
	if q < 1 && p.adjacency == event.ReplaceOne {
		p.assume(blackBoxSample(e))
	}
	s := &selected{base: base, eta: e.A, gamma: e.B, q: q}
	counts[p.namedLeaf(e, fmt.Sprint(q), &pld.Bracketed{Above: s, Below: s.below()})] += count
	return nil
}

// selected is the pair of a repeat-and-select event. Only upper bounds of its Rényi divergences and of its ε at δ = 0
// are known.
type selected struct {
	base       *profile
	eta, gamma float64
	q          float64 // rate of the Poisson sample on which all runs happen
	once       sync.Once
	lowest     float64
}

// logRuns returns log E[K], rounded up.
func (s *selected) logRuns() float64 {
	l := -math.Log(s.gamma)
	mean := math.Expm1(l) / l // E[K] at η = 0: (1/γ − 1)/log(1/γ)
	if s.eta != 0 {
		mean *= s.eta * l / -math.Expm1(-s.eta*l)
	}
	return math.Log(mean) + 1e-13*(1+math.Abs(math.Log(mean)))
}

// tuning returns (1+η) times the minimum of (1 − 1/λ)·ε(λ) + log(1/γ)/λ over orders λ ≥ 1.
func (s *selected) tuning() float64 {
	s.once.Do(func() {
		l := -math.Log(s.gamma)
		s.lowest = l // value at λ = 1
		for logBeta := -12.0; logBeta <= 25; logBeta += 0.02 {
			beta := math.Exp(logBeta)
			s.lowest = math.Min(s.lowest, (beta*s.base.finiteRenyi(beta)+l)/(1+beta))
		}
		s.lowest = math.Min(s.lowest, s.base.pureTotal())
	})
	return (1 + s.eta) * s.lowest * (1 + 1e-13)
}

func (s *selected) LogMoment(alpha float64) pld.Interval {
	beta := alpha - 1
	if alpha < 0 {
		beta = -alpha
	}
	moment := (beta*(s.base.finiteRenyi(beta)+s.tuning()) + s.logRuns()) * (1 + 1e-13)
	if s.q < 1 { // p^α·q^(1−α) is jointly convex, and an unsampled record reveals nothing
		_, moment = numeric.MixtureRatio(s.q, moment)
		moment *= 1 + 1e-13
	}
	return pld.Interval{Low: math.Inf(-1), High: moment}
}

func (s *selected) Most() pld.Interval {
	maxLoss := selectedPure(s.eta, s.gamma, s.base.pureTotal())
	if s.q < 1 && s.base.adjacency == event.AddRemove {
		maxLoss = sampledEpsilon(s.q, maxLoss)
	}
	return pld.Interval{High: maxLoss}
}

func (s *selected) Lost() (p, q pld.Interval)           { return p, q }
func (s *selected) Losses(float64) (low, high float64)  { return 0, 0 }
func (s *selected) Lattice() (spacing float64, ok bool) { return 0, true }
func (s *selected) Smooth() bool                        { return false }
func (s *selected) Symmetric() bool                     { return true }
func (s *selected) Sampled(float64) (pld.Pair, error)   { return nil, ErrNotApplicable }
func (s *selected) Cells(h, _ float64) (above, below *pld.Cells) {
	above, below = pld.NewCells(h, 0, 1), pld.NewCells(h, 0, 1)
	below.At[0] = 1
	above.Lost, above.LostQ = 1, 1
	return above, below
}

// selectionOf returns the selection of a leaf, or nil for another event.
func selectionOf(l leaf) *selected {
	b, _ := l.pair.(*pld.Bracketed)
	if b == nil {
		return nil
	}
	s, _ := b.Above.(*selected)
	return s
}

// withoutSelection replaces each selection by one run of its base. If the score is random and independent of the data,
// the best output has the distribution of one run.
func (p *profile) withoutSelection() (*profile, error) {
	if !p.has(event.KindSelect) {
		return nil, ErrNotApplicable
	}
	rest := *p
	for rest.has(event.KindSelect) {
		counts := map[leaf]float64{}
		for _, t := range rest.terms {
			parts := []term{{t.leaf, 1}}
			if s := selectionOf(t.leaf); s != nil {
				if parts = s.base.terms; s.q < 1 { // several parts on one sample are not supported
					parts = nil
				}
			}
			for _, part := range parts {
				counts[part.leaf] += t.count * part.count
			}
		}
		rest.terms = nil
		rest.merge(counts)
	}
	return &rest, nil
}
