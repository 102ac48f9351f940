package claimsfile

import (
	"encoding/json"
	"fmt"

	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// FoundInputs describes a search for the worst pair or the worst input.
type FoundInputs struct {
	Space  inputs.Space
	Search int // pairs, or inputs, to try
	Wanted int // the default number, before it was reduced to fit the samples; 0 if search is given
}

func (f *FoundInputs) String() string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf(" over %v by %d", f.Space, f.Search)
}

// Over names the pair that a privacy or sensitivity claim is about.
func (f *FoundInputs) Over() string {
	return fmt.Sprintf("on the worst pair of neighbours that a search over up to %d pairs finds", f.Search) + f.reduced()
}

// reduced notes that the samples reduced the search, or returns "".
func (f *FoundInputs) reduced() string {
	if f.Search >= f.Wanted {
		return ""
	}
	return fmt.Sprintf(" (the samples reduce the search from %d)", f.Wanted)
}

// fit reduces a default search to fit the samples of each input, to at least 1.
func (f *FoundInputs) fit(samples int64) {
	if f.Wanted > 0 {
		f.Search = max(1, min(f.Wanted, worstcase.MaxTries(samples)))
	}
}

// FitSearch adapts searches of default size to the samples of the subject.
func (s *Subject) FitSearch() {
	if s.Found != nil {
		s.Found.fit(s.Samples)
	}
	for _, made := range s.Stated {
		if over, ok := made.Statement.(interface{ Asked() *OverInputs }); ok {
			over.Asked().fit(s.Samples)
		}
	}
}

// pairs returns the space, limited to its first edges, and the number of pairs to try in addition.
func (f *FoundInputs) pairs() (inputs.PairSpace[json.RawMessage], int64) {
	edges := f.Search - f.Search/3
	s := fewEdges{inputs.MustPairSpace[json.RawMessage](f.Space), edges}
	return s, int64(max(1, f.Search-len(s.Edges())))
}

// fewEdges is a space with only its first edges.
type fewEdges struct {
	inputs.PairSpace[json.RawMessage]
	maxEdges int
}

func (s fewEdges) Edges() []inputs.Pair[json.RawMessage] {
	all := s.PairSpace.Edges()
	return all[:min(s.maxEdges, len(all))]
}
