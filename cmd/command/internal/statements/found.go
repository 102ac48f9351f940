package statements

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify/inputs"
)

// Found are inputs that a search finds.
type Found struct {
	Space  inputs.Space
	Search int // pairs, or inputs, to try
}

func (f *Found) String() string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf(" over %v by %d", f.Space, f.Search)
}

// Over says in words what a claim is over.
func (f *Found) Over() string {
	return fmt.Sprintf("on the worst pair of neighbours that a search over up to %d pairs finds", f.Search)
}

// shownBy is the space over inputs that show themselves, with the number of pairs to try beyond its edges.
func (f *Found) shownBy(n numbered) (inputs.PairSpace[input], int64) {
	edges := f.Search - f.Search/3
	s := shown{PairSpace: inputs.MustPairSpace[json.RawMessage](f.Space), numbered: n, edges: edges}
	return s, int64(max(1, f.Search-min(edges, len(s.Edges()))))
}

// shown has inputs that show themselves.
type shown struct {
	inputs.PairSpace[json.RawMessage]
	numbered
	edges int // that are tried
}

func (s shown) all(pairs []inputs.Pair[json.RawMessage]) (out []inputs.Pair[input]) {
	for _, p := range pairs {
		out = append(out, s.pair(p))
	}
	return out
}

// raw is the pair that is shown.
func raw(p inputs.Pair[input]) inputs.Pair[json.RawMessage] {
	return inputs.Pair[json.RawMessage]{Name: p.Name, A: json.RawMessage(p.A.text), B: json.RawMessage(p.B.text)}
}

func (s shown) Edges() []inputs.Pair[input] {
	all := s.PairSpace.Edges()
	return s.all(all[:min(s.edges, len(all))])
}

func (s shown) Near(r *rand.Rand, p inputs.Pair[input]) (inputs.Pair[input], bool) {
	near, ok := s.PairSpace.Near(r, raw(p))
	return s.pair(near), ok
}

func (s shown) Smaller(p inputs.Pair[input]) []inputs.Pair[input] {
	return s.all(s.PairSpace.Smaller(raw(p)))
}
