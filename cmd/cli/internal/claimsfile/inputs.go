package claimsfile

import (
	"encoding/json"
	"errors"

	"github.com/dpverify/dpverify/internal/strictyaml"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// inputsFields is the form of an input search.
type inputsFields struct {
	Space      any    `yaml:"space"`
	Neighbours any    `yaml:"neighbours"`
	Neighbors  any    `yaml:"neighbors"` // the American spelling of neighbours
	Search     *int64 `yaml:"search"`
}

// defaultSearch is the number of pairs to try, or fewer if the space is smaller.
const defaultSearch = 200

// inputs reads the input search of a claim.
func (p configParser) inputs(at string, c claimFields, s *Subject) (*FoundInputs, error) {
	var f inputsFields
	given, err := p.fields(at, s, &f)
	if err != nil {
		return nil, err
	}
	relation := "neighbours"
	if given["neighbors"] != nil {
		relation = "neighbors"
	}
	pairs := s.guaranteed || c.Sensitivity != nil // the claim is about neighbors
	switch {
	case given["space"] == nil:
		return nil, p.errorf(at, "claim %q: inputs have no space: want the type of an input, as in %s", s.Name, exampleSpace)
	case given["neighbours"] != nil && given["neighbors"] != nil:
		return nil, p.errorf(at+".neighbors", "claim %q: neighbours and neighbors are the same key: give only one", s.Name)
	case given[relation] == nil && pairs:
		return nil, p.errorf(at, "claim %q: the space has no neighbours: want "+inputs.Relations, s.Name)
	case !pairs && !p.statedOver(at, c) && c.Rate != nil:
		return nil, p.errorf(at, "claim %q: a rate is about the inputs of its grid, and there is nothing to "+
			"search: leave inputs out", s.Name)
	case !pairs && !p.statedOver(at, c):
		return nil, p.errorf(at, "claim %q: inputs belong to a claim with a guarantee, a sensitivity, or with unbiased or "+
			"law that name no input of their own", s.Name)
	}
	out := &FoundInputs{Search: defaultSearch}
	if out.Space.Values, err = inputs.ParseType(strictyaml.Value(given["space"])); err != nil {
		return nil, p.within(at+".space", s, err)
	}
	if given[relation] != nil {
		if out.Space.Neighbors, err = inputs.ParseRelation(strictyaml.Value(given[relation])); err != nil {
			return nil, p.within(at+"."+relation, s, err)
		}
		if err := out.Space.Check(); err != nil {
			return nil, p.within(at, s, err)
		}
	}
	if tries, all := out.Space.Tries(); all {
		out.Search = min(out.Search, tries)
	}
	if f.Search == nil && (s.guaranteed || p.statedOver(at, c)) {
		out.Wanted = out.Search
	}
	if f.Search != nil {
		const maxSearch = 1_000_000
		if *f.Search < 1 || *f.Search > maxSearch {
			return nil, p.errorf(at+".search", "claim %q: search: %d: want the number of pairs to try, from 1 to %d", s.Name,
				*f.Search, maxSearch)
		}
		out.Search = int(*f.Search)
	}
	samples := int64(DefaultSamples)
	if c.Samples != nil {
		samples = *c.Samples
	}
	out.fit(samples)
	if minSamples := worstcase.MinSamples(out.Search); samples < minSamples && (s.guaranteed || p.statedOver(at, c)) {
		return nil, p.errorf(at+".search", "claim %q: a search over %d is too large for %d samples, which include it: "+
			"want at least %d samples, or search fewer", s.Name, out.Search, samples, minSamples)
	}
	return out, nil
}

const exampleSpace = "{list: {record: {int: [0, 120]}, size: [0, 50]}}"

// statedOver reports whether a claim makes a statement about all inputs.
func (p configParser) statedOver(at string, c claimFields) bool {
	claim := at[:len(at)-len(".inputs")]
	all := func(key string) bool {
		return p.node(claim+"."+key+".input") == nil || p.node(claim+"."+key+".truth") != nil
	}
	return c.Unbiased != nil && all("unbiased") || c.Law != nil && all("law")
}

// within adds the position in the file to an error of a space.
func (p configParser) within(at string, s *Subject, err error) error {
	if wrong := (*inputs.Error)(nil); errors.As(err, &wrong) {
		return p.errorf(at+wrong.Path, "claim %q: %s", s.Name, wrong.What)
	}
	return p.errorf(at, "claim %q: %w", s.Name, err)
}

// found returns the audit of a subject on the worst pair of its space.
func (s *Subject) found() worstcase.Privacy[json.RawMessage, any] {
	audit, _ := s.audit(s.Guarantee)
	return worstcase.Privacy[json.RawMessage, any]{Audit: audit, Space: s.space(), Search: s.Found.Search}
}

func (s *Subject) space() inputs.PairSpace[json.RawMessage] {
	return inputs.MustPairSpace[json.RawMessage](s.Found.Space) // checked by inputs
}

// edges returns the first n pairs of the space.
func (s *Subject) edges(n int) (out []inputs.Pair[json.RawMessage]) {
	for p := range inputs.Edges(s.space()) {
		if out = append(out, p); len(out) == n {
			break
		}
	}
	return out
}

// precisionPairs is the number of edge pairs that the floating-point probe uses in an input search.
const precisionPairs = 2
