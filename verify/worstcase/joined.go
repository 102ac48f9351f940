package worstcase

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// search describes the search that chose the certified candidates.
type search struct {
	Noun  string `json:"of"`            // noun for a candidate
	Tried int    `json:"tried"`         // number of candidates
	Cut   bool   `json:"cut,omitempty"` // the budget was too small for the requested search, so that nothing is confirmed
}

// Nouns for a candidate.
const (
	pairNoun  = "pair"
	inputNoun = "input"
)

// plurals holds the nouns for the progress display.
var plurals = map[string]string{pairNoun: "pairs of inputs", inputNoun: "inputs"}

// joined returns the evidence of one or two certificates, with the verdict of the first one, which is for the most
// promising candidate. The second certificate is for a smaller candidate, and is judged only after the first one
// refuted. If it refutes too, it gives the counterexample. The result refuted is the smallest refuting candidate, nil
// if none refutes.
func (o search) joined(certificates []verify.Evidence) (e verify.Evidence, refuted *smallest) {
	e = certificates[0]
	e.Statistics = o.statistics(certificates)
	if e.Verdict == verify.Refuted {
		e.Counterexample.Choice = fmt.Sprintf("the most promising of the %s that were tried", verify.Plural(o.Tried, o.Noun))
		refuted = &smallest{e, 0}
	}
	if len(certificates) > 1 {
		small := certificates[1]
		e.Samples += small.Samples
		if small.Verdict == verify.Refuted {
			small.Counterexample.Choice = fmt.Sprintf("the smallest %s that was certified, on separate samples after the "+
				"refutation, again with an error of at most alpha; the search tried %s, and then smaller ones", o.Noun,
				verify.Plural(o.Tried, o.Noun))
			e.Cells, e.Counterexample = append(e.Cells, small.Counterexample.Cell), small.Counterexample
			refuted = &smallest{small, 1}
		}
	}
	if o.Cut && e.Verdict == verify.Consistent {
		e.Verdict, e.Attempt, e.Detects = verify.Inconclusive, "", verify.Detects{}
		e.Needed = fmt.Sprintf("a larger budget: this one is too small for the requested search, which tried only %s",
			verify.Plural(o.Tried, o.Noun))
	} else if e.Needed != "" {
		e.Needed = neededOfSearch(e.Needed)
	}
	if e.Power != "" {
		e.Power = fmt.Sprintf("only at the chosen %s: %s", o.Noun, e.Power)
	}
	e.Method = fmt.Sprintf("a search over %s of the space chose one on separate samples; it was certified on fresh "+
		"samples with the whole alpha; %s", verify.Plural(o.Tried, o.Noun), e.Method)
	e.Tried.Cases, e.Tried.Case = int64(o.Tried), o.Noun
	return e, refuted
}

// neededOfSearch rewrites the size that a certificate needs as the setting of a search and its certificate together.
// The search uses at most a share of the setting, so the certificate keeps the rest.
func neededOfSearch(certificate string) string {
	var need, have int64
	if _, err := fmt.Sscanf(certificate, "about %d samples of each input; this run had %d", &need, &have); err != nil {
		return certificate
	}
	all := verify.RoundedSize(int64(math.Ceil(float64(need) / (1 - maxSearchShare))))
	return fmt.Sprintf("about %d samples of each input after the search; this run had %d: set samples to %d, because the "+
		"search uses up to %.0f %% of them", need, have, all, 100*maxSearchShare)
}

// Method is the name of the statistics of [Privacy] and [Input] in a report.
var Method = verify.RegisterStatistics[statistics]("found/inputs")

// statistics holds the sufficient statistics of the certificates at the chosen candidates, each at the whole alpha. It
// holds no counts of the search: the search used none of the certifying samples, so the choice needs no correction.
type statistics struct {
	Search search `json:"search"`
	// Certificates holds the certificate of the most promising pair and, if that refutes, of a smaller pair.
	Certificates []verify.SufficientStatistics `json:"certificates"`
}

// statistics returns the sufficient statistics of the certificates, nil if the first certificate has none.
func (o search) statistics(certificates []verify.Evidence) *verify.SufficientStatistics {
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

// Check returns an error if the statistics cannot come from a search.
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
	s.Budget = verify.Standard // the certificates hold the samples of their budget, as in prepare
	var certificates []verify.Evidence
	for i, c := range f.Certificates {
		e, err := c.Judge(s)
		switch {
		case err != nil:
			return verify.Evidence{}, fmt.Errorf("certificate %d: %w", i+1, err)
		case e.Exact || c.Share != 0 || c.Method != f.Certificates[0].Method:
			return verify.Evidence{}, fmt.Errorf("certificate %d is judged by %q at a share %v of alpha: want one sampling "+
				"method for all, at the whole alpha", i+1, c.Method, c.Share)
		}
		certificates = append(certificates, e)
	}
	if len(certificates) > 1 && certificates[0].Verdict != verify.Refuted {
		return verify.Evidence{}, fmt.Errorf("a smaller %s is certified, but the first one does not refute: want one "+
			"certificate", f.Search.Noun)
	}
	e, _ := f.Search.joined(certificates)
	return e, nil
}
