package claimsfile

import (
	"encoding/json"
	"fmt"

	"github.com/dpverify/dpverify/verify/inputs"
)

// FoundInputs are inputs that a search finds.
type FoundInputs struct {
	Space  inputs.Space
	Search int // pairs, or inputs, to try
}

func (f *FoundInputs) String() string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf(" over %v by %d", f.Space, f.Search)
}

// Over says what a claim is over.
func (f *FoundInputs) Over() string {
	return fmt.Sprintf("on the worst pair of neighbours that a search over up to %d pairs finds", f.Search)
}

// pairs returns the space, of which the first edges are tried, with the number of pairs to try beyond them.
func (f *FoundInputs) pairs() (inputs.PairSpace[json.RawMessage], int64) {
	edges := f.Search - f.Search/3
	s := fewEdges{inputs.MustPairSpace[json.RawMessage](f.Space), edges}
	return s, int64(max(1, f.Search-len(s.Edges())))
}

// fewEdges is a space of which the first edges are tried.
type fewEdges struct {
	inputs.PairSpace[json.RawMessage]
	most int
}

func (s fewEdges) Edges() []inputs.Pair[json.RawMessage] {
	all := s.PairSpace.Edges()
	return all[:min(s.most, len(all))]
}
