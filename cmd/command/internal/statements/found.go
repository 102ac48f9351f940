package statements

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/found"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/neighbours"
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
func (f *Found) shownBy(n numbered) (neighbours.Space[input], int64) {
	edges := f.Search - f.Search/3
	s := shown{Space: inputs.Must[json.RawMessage](f.Space), numbered: n, edges: edges}
	return s, int64(max(1, f.Search-min(edges, len(s.Edges()))))
}

// shown has inputs that show themselves.
type shown struct {
	neighbours.Space[json.RawMessage]
	numbered
	edges int // that are tried
}

func (s shown) all(pairs []neighbours.Pair[json.RawMessage]) (out []neighbours.Pair[input]) {
	for _, p := range pairs {
		out = append(out, s.pair(p))
	}
	return out
}

// raw is the pair that is shown.
func raw(p neighbours.Pair[input]) neighbours.Pair[json.RawMessage] {
	return neighbours.Pair[json.RawMessage]{Name: p.Name, A: json.RawMessage(p.A.text), B: json.RawMessage(p.B.text)}
}

func (s shown) Edges() []neighbours.Pair[input] {
	all := s.Space.Edges()
	return s.all(all[:min(s.edges, len(all))])
}

func (s shown) Near(r *rand.Rand, p neighbours.Pair[input]) (neighbours.Pair[input], bool) {
	near, ok := s.Space.Near(r, raw(p))
	return s.pair(near), ok
}

func (s shown) Smaller(p neighbours.Pair[input]) []neighbours.Pair[input] {
	return s.all(s.Space.Smaller(raw(p)))
}

// UnbiasedOver says that outputs have the mean that another program gives, at every input of a space.
type UnbiasedOver struct {
	Found
	Command  []string // of the other program
	Range    *[2]float64
	Variance float64
	Truth    Mechanism // the program; it is there when the statement is checked
}

func (u *UnbiasedOver) Kind() verify.Kind { return verify.Unbiasedness }
func (u *UnbiasedOver) Inputs() int       { return 1 }

func (u *UnbiasedOver) String() string {
	return fmt.Sprintf("unbiased for %q %v %v%v", u.Command, pointed(u.Range), u.Variance, &u.Found)
}

func (u *UnbiasedOver) Says() string {
	text := fmt.Sprintf("has the mean that the process %q gives at the worst input that a search over up to %d inputs "+
		"finds", u.Command, u.Search)
	switch {
	case u.Range != nil:
		text += fmt.Sprintf(", in the range %v", *u.Range)
	case u.Variance > 0:
		text += fmt.Sprintf(", with a variance of at most %v", u.Variance)
	}
	return text
}

// Check searches for the input.
func (u *UnbiasedOver) Check(m Mechanism, samples int64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		var vectors vectors
		singles, err := found.SingleInputs[json.RawMessage](u.Space)
		if err != nil {
			return nil, err
		}
		return found.Unbiased[json.RawMessage]{
			Quantity: "the output", Range: u.Range, Variance: u.Variance, Samples: samples, Search: u.Search, Inputs: singles,
			Truth: func(at json.RawMessage) ([]float64, error) {
				f := evaluated{mechanism: u.Truth, r: s.Common("truth", string(at))}
				return f.at(input{text: string(at)})
			},
			SampleN: func(r *rand.Rand, at json.RawMessage, dst [][]float64) error {
				out := make([]any, len(dst))
				err := m.ReleaseN(r, at, out)
				for i := 0; i < len(out) && err == nil; i++ {
					err = vectors.put(dst[i], out[i], "are in the truth")
				}
				return err
			},
		}.Prepare(ctx, s)
	})
}
