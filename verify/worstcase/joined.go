package worstcase

import (
	"fmt"

	"github.com/dpverify/dpverify/verify"
)

// search is what chose the candidates that are certified.
type search struct {
	Noun  string `json:"of"`            // a candidate
	Tried int    `json:"tried"`         // candidates
	Cut   bool   `json:"cut,omitempty"` // the budget was too small for the search that was asked for: nothing is confirmed
}

// Nouns of candidates.
const (
	pairNoun  = "pair"
	inputNoun = "input"
)

// plurals are told of the progress.
var plurals = map[string]string{pairNoun: "pairs of inputs", inputNoun: "inputs"}

// joined is the verdict of the first certificate, of the most promising candidate. The second, of a smaller one that
// was looked at once the first had refuted, may be the simpler counterexample; refuted is the smallest that was, nil
// where none is.
func (o search) joined(certificates []verify.Evidence) (e verify.Evidence, refuted *smallest) {
	e = certificates[0]
	e.Statistics = o.basis(certificates)
	if e.Verdict == verify.Refuted {
		e.Counterexample.Choice = fmt.Sprintf("the most promising of the %s that were tried", verify.Plural(o.Tried, o.Noun))
		refuted = &smallest{e, 0}
	}
	if len(certificates) > 1 {
		small := certificates[1]
		e.Samples += small.Samples
		if small.Verdict == verify.Refuted {
			small.Counterexample.Choice = fmt.Sprintf("the smallest that was certified by itself, on samples of its own after "+
				"the refutation, with an error of at most alpha again; the search tried %s, and then smaller ones",
				verify.Plural(o.Tried, o.Noun))
			e.Cells, e.Counterexample = append(e.Cells, small.Counterexample.Cell), small.Counterexample
			refuted = &smallest{small, 1}
		}
	}
	if o.Cut && e.Verdict == verify.Consistent {
		e.Verdict, e.Attempt, e.Detects = verify.Inconclusive, "", verify.Detects{}
		e.Needed = fmt.Sprintf("a larger budget: this one is too small for the search that was asked for, which tried %s",
			verify.Plural(o.Tried, o.Noun))
	} else if e.Needed != "" {
		e.Needed += ", after a search, which has up to 60 % of the samples that are given"
	}
	if e.Power != "" {
		e.Power = fmt.Sprintf("at the %s that was chosen, and no other: %s", o.Noun, e.Power)
	}
	e.Method = fmt.Sprintf("a search over %s of the space chose the one of the verdict on samples of its own; it was "+
		"certified on fresh ones with the whole alpha; %s", verify.Plural(o.Tried, o.Noun), e.Method)
	e.Tried.Cases, e.Tried.Case = int64(o.Tried), o.Noun
	return e, refuted
}

// Method is the method of the statistics of [Privacy] and [Input].
var Method = verify.RegisterStatistics[statistics]("found/inputs")

// statistics are what the evidence follows from: those of the certificates, at the candidates that were chosen, each of
// the whole alpha. That the search chose them does not follow from counts, and need not: it saw none of the samples
// that certify.
type statistics struct {
	Search search `json:"search"`
	// Certificates are those of the most promising pair; if it refutes, the second is a smaller pair’s.
	Certificates []verify.SufficientStatistics `json:"certificates"`
}

// basis is nil where the first certificate has none.
func (o search) basis(certificates []verify.Evidence) *verify.SufficientStatistics {
	f := statistics{Search: o}
	for i, c := range certificates {
		switch {
		case c.Statistics == nil && i == 0:
			return nil
		case c.Statistics == nil:
			return &verify.SufficientStatistics{Reason: fmt.Sprintf("the certificate of the smaller %s has no counts", o.Noun)}
		case c.Statistics.Reason != "":
			return &verify.SufficientStatistics{Reason: c.Statistics.Reason}
		}
		f.Certificates = append(f.Certificates, *c.Statistics)
	}
	return verify.NewStatistics(Method, f)
}

func (f statistics) Check() error {
	if n := len(f.Certificates); n < 1 || n > len(partNames) || f.Search.Tried < 1 ||
		f.Search.Noun != pairNoun && f.Search.Noun != inputNoun {
		return fmt.Errorf("%d certificates of a search over %d %ss: want 1 or %d of at least one %s or %s",
			n, f.Search.Tried, f.Search.Noun, len(partNames), pairNoun, inputNoun)
	}
	return nil
}

// Judge judges the certificates.
func (f statistics) Judge(s verify.Settings) (verify.Evidence, error) {
	s.Budget = verify.Standard // as of prepared
	var certificates []verify.Evidence
	for i, c := range f.Certificates {
		e, err := c.Judge(s)
		switch {
		case err != nil:
			return verify.Evidence{}, fmt.Errorf("certificate %d: %w", i+1, err)
		case e.Exact || c.Share != 0 || c.Method != f.Certificates[0].Method:
			return verify.Evidence{}, fmt.Errorf("certificate %d is judged by %q, at a share of %v: want all by one method of "+
				"samples, at the whole alpha", i+1, c.Method, c.Share)
		}
		certificates = append(certificates, e)
	}
	if len(certificates) > 1 && certificates[0].Verdict != verify.Refuted {
		return verify.Evidence{}, fmt.Errorf("a smaller %s is certified, where the first one does not refute", f.Search.Noun)
	}
	e, _ := f.Search.joined(certificates)
	return e, nil
}
