package inputs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
)

// PairSearch finds the pair of inputs that maximizes a computed (not sampled) value, such as a sensitivity. It tries
// the given pairs, the edges of a space and random pairs, then searches locally from the largest values. If the largest
// value violates the claim, it shrinks to the simplest pair that still does.
type PairSearch[D, M any] struct {
	Given []Pair[D]
	// Space proposes further and simpler pairs. Draw draws random pairs. Smaller proposes simpler pairs if Space has
	// none; every chain of such steps must end. Each may be nil.
	Space   PairSpace[D]
	Draw    func(r *rand.Rand) Pair[D]
	Smaller func(p Pair[D]) []Pair[D]
	// Evaluations is the number of pairs to measure in addition to the given ones and the edges. The shrinking of a
	// violation may use the same number again.
	Evaluations int64
	Stream      func(purpose string) *rand.Rand
	// Measure evaluates a pair, Value returns the value to maximize, and Broken reports whether the result violates the
	// claim. An error of Measure ends the search.
	Measure func(p Pair[D]) (M, error)
	Value   func(M) float64
	Broken  func(M) bool

	left  int64 // evaluations of the current phase
	tried int64
	seen  map[string]bool
	worst MeasuredPair[D, M]
	pool  []MeasuredPair[D, M]
	small *MeasuredPair[D, M] // the simplest pair that violates the claim
	err   error
}

// MeasuredPair is a pair with its measurement.
type MeasuredPair[D, M any] struct {
	Pair[D]
	Shows M
}

// PairSearchResult is the result of a search. Smallest equals Worst if Worst does not violate the claim.
type PairSearchResult[D, M any] struct {
	Worst, Smallest MeasuredPair[D, M]
	Tried           int64 // number of measured pairs, without those for shrinking
}

const (
	// drawShare is the share of evaluations for random pairs if there is also a space to search.
	drawShare = 0.5
	// poolSize is the number of best pairs from which the local search continues.
	poolSize = 4
)

// Run searches for the worst pair. An error of Measure is returned with the inputs of the pair.
func (c PairSearch[D, M]) Run() (PairSearchResult[D, M], error) {
	s := &c
	s.left, s.seen = int64(1)<<62, map[string]bool{}
	s.search()
	out := PairSearchResult[D, M]{Worst: s.worst, Smallest: s.worst, Tried: s.tried}
	if s.err == nil && s.tried > 0 && s.Broken(s.worst.Shows) {
		s.left = s.Evaluations
		out.Smallest = s.shrink()
	}
	return out, s.err
}

// search tries the given pairs, the edges, random pairs and local changes.
func (s *PairSearch[D, M]) search() {
	for _, p := range s.Given {
		s.try(p)
	}
	if s.Space != nil {
		for p := range Edges(s.Space) {
			if s.try(p); s.err != nil {
				break
			}
		}
	}
	s.left = s.Evaluations
	climbing := s.left
	if s.Draw != nil {
		if s.Space != nil {
			climbing = int64((1 - drawShare) * float64(s.left))
		} else {
			climbing = 0
		}
		s.left -= climbing
		r := s.Stream("draw")
		for s.left > 0 && s.err == nil {
			s.left-- // count repeated pairs too, so that the loop ends
			s.try(s.Draw(r))
		}
	}
	if s.Space == nil {
		return
	}
	s.left = climbing
	for r := s.Stream("near"); s.left > 0 && s.err == nil && len(s.pool) > 0; {
		s.left--
		from := s.pool[min(len(s.pool)-1, r.IntN(poolSize))]
		if near, ok := s.Space.Mutate(r, from.Pair); ok {
			s.try(near)
		}
	}
}

// try measures a new pair and inserts it into the pool.
func (s *PairSearch[D, M]) try(p Pair[D]) {
	key, opaque := pairKey(p)
	if s.err != nil || !opaque && (s.seen[key] || s.seen[PairKey(p.Swapped())]) || EqualInputs(p.A, p.B) {
		return
	}
	s.seen[key] = true
	shows, err := s.Measure(p)
	if err != nil {
		s.err = fmt.Errorf("at %s: %w", p.ShortInputs(), err)
		return
	}
	m := MeasuredPair[D, M]{p, shows}
	s.tried++
	if s.tried == 1 || s.Value(shows) > s.Value(s.worst.Shows)*(1+1e-12) { // the first of equal ones
		s.worst = m
	}
	// Among equal values the latest comes first, so that the search can move across a plateau.
	at, _ := slices.BinarySearchFunc(s.pool, m, func(a, b MeasuredPair[D, M]) int {
		return cmp.Compare(s.Value(b.Shows), s.Value(a.Shows))
	})
	if at < poolSize {
		s.pool = slices.Insert(s.pool, at, m)
		s.pool = s.pool[:min(poolSize, len(s.pool))]
	}
	if s.Broken(shows) && (s.small == nil || ComparePairs(p, s.small.Pair) < 0) {
		s.small = &m
	}
}

// Inputs returns both inputs in Go syntax; JSON is unchanged.
func (p Pair[D]) Inputs() string { return p.inputs(func(json string) string { return json }) }

// ShortInputs returns both inputs in Go syntax; long JSON is shortened to its beginning.
func (p Pair[D]) ShortInputs() string { return p.inputs(ShortenedText) }

func (p Pair[D]) inputs(inJSON func(string) string) string {
	text := func(v any) string {
		if j, ok := v.(json.RawMessage); ok {
			return inJSON(string(j))
		}
		return InputText(v)
	}
	return fmt.Sprintf("A = %s, B = %s", text(p.A), text(p.B))
}

// shrink simplifies the violating pair step by step. Without a space or Smaller, it tries further random pairs instead.
func (s *PairSearch[D, M]) shrink() MeasuredPair[D, M] {
	if s.Space == nil && s.Smaller == nil && s.Draw != nil {
		r := s.Stream("smaller")
		for s.left > 0 && s.err == nil {
			s.left--
			s.try(s.Draw(r))
		}
	}
	for s.left > 0 && s.err == nil {
		was := s.small
		for _, p := range s.smaller(was.Pair) {
			if s.left--; s.left < 0 || s.err != nil {
				break
			}
			shows, err := s.Measure(p)
			if err != nil { // skip inputs that the mechanism rejects
				continue
			}
			if s.Broken(shows) {
				s.small = &MeasuredPair[D, M]{p, shows}
				break
			}
		}
		if s.small == was {
			break
		}
	}
	return *s.small
}

// smaller returns simpler pairs from the space, or from Smaller if the space has none.
func (s *PairSearch[D, M]) smaller(p Pair[D]) (out []Pair[D]) {
	if s.Space != nil {
		out = s.Space.Smaller(p)
	}
	if len(out) == 0 && s.Smaller != nil {
		out = s.Smaller(p)
	}
	return out
}
