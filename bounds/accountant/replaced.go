package accountant

import (
	"fmt"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
)

// flattenReplaced adds an event that is only defined for replaced records.
func (p *profile) flattenReplaced(e event.Event, q, count float64, counts map[leaf]float64) error {
	name := event.KindNames[e.Kind]
	switch {
	case q < 1:
		return event.DomainError("%s: it needs the number of records, which is random for a Poisson sample", e)
	case p.adjacency != event.ReplaceOne && e.Kind == event.KindShuffledReports:
		return event.DomainError("%s: the number of reports would reveal an added or removed record: want the adjacency "+
			"replace-one", name)
	case p.adjacency != event.ReplaceOne:
		return event.DomainError("%s: an added record changes how often the other records are drawn: want the adjacency "+
			"replace-one", name)
	}
	build := p.shuffledReports
	if e.Kind == event.KindWithReplacement {
		build = p.redrawn
	}
	l, err := build(e)
	if err == nil {
		counts[l] += count
	}
	return err
}

// redrawn returns a Gaussian on a batch of draws with replacement.
func (p *profile) redrawn(e event.Event) (leaf, error) {
	of := e.Parts[0]
	if e.Count == 1 { // every draw is the record
		return p.leafOf(of.WithSensitivity(of.Sensitivity*e.B), 1)
	}
	p.assume(fmt.Sprintf("%s: one record contributes at most %g each time it is drawn", of, of.Sensitivity))
	p.assume(fmt.Sprintf("every batch holds %g draws of %d records, each draw uniform and independent of the others", e.B,
		e.Count))
	above, below, err := pld.NewRedrawn(int64(e.B), e.Count, 2*of.Sensitivity/of.A)
	if err != nil {
		return leaf{}, event.DomainError("%s: %v", e, err)
	}
	return p.derived(e, func() pld.Pair { return &pld.Bracketed{Above: pld.NewFolded(above), Below: below} }), nil
}

// shuffledReports returns the shuffled reports of a local randomizer.
func (p *profile) shuffledReports(e event.Event) (leaf, error) {
	of := e.Parts[0]
	s := pld.Shuffled{Users: e.Count, Epsilon0: of.A}
	if of.Kind == event.KindRandomizedResponse {
		s.Categories = of.B
		p.assume(fmt.Sprintf("%s: every record is one value, reported by the same randomized response", e))
	} else {
		p.assume(fmt.Sprintf("%s: every record is one value, reported by the same local randomizer; its ε₀ holds for "+
			"every two values", e))
	}
	p.assume(fmt.Sprintf("%s: the reports are released in uniformly random order, and nothing else is", e))
	above, err := s.Above()
	if err != nil {
		return leaf{}, event.DomainError("%s: %v", e, err)
	}
	below, err := s.Below()
	if err != nil {
		return leaf{}, event.DomainError("%s: %v", e, err)
	}
	return p.derived(e, func() pld.Pair { return &pld.Bracketed{Above: above, Below: below} }), nil
}
