package claimsfile

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

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

// shownBy is the space over inputs that show themselves, with the number of pairs to try beyond its edges.
func (f *FoundInputs) shownBy(n numberedInputs) (inputs.PairSpace[shownInput], int64) {
	edges := f.Search - f.Search/3
	s := shownInputs{PairSpace: inputs.MustPairSpace[json.RawMessage](f.Space), numberedInputs: n, edges: edges}
	return s, int64(max(1, f.Search-min(edges, len(s.Edges()))))
}

// shownInputs has inputs that show themselves.
type shownInputs struct {
	inputs.PairSpace[json.RawMessage]
	numberedInputs
	edges int // that are tried
}

func (s shownInputs) all(pairs []inputs.Pair[json.RawMessage]) (out []inputs.Pair[shownInput]) {
	for _, p := range pairs {
		out = append(out, s.pair(p))
	}
	return out
}

// rawInputs is the pair that is shown.
func rawInputs(p inputs.Pair[shownInput]) inputs.Pair[json.RawMessage] {
	return inputs.Pair[json.RawMessage]{Name: p.Name, A: json.RawMessage(p.A.text), B: json.RawMessage(p.B.text)}
}

func (s shownInputs) Edges() []inputs.Pair[shownInput] {
	all := s.PairSpace.Edges()
	return s.all(all[:min(s.edges, len(all))])
}

func (s shownInputs) Mutate(r *rand.Rand, p inputs.Pair[shownInput]) (inputs.Pair[shownInput], bool) {
	near, ok := s.PairSpace.Mutate(r, rawInputs(p))
	return s.pair(near), ok
}

func (s shownInputs) Smaller(p inputs.Pair[shownInput]) []inputs.Pair[shownInput] {
	return s.all(s.PairSpace.Smaller(rawInputs(p)))
}
