package inputs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
)

// PairSearch looks for the pair at which a figure that is computed, and not sampled, is largest: among those given, the
// edges of a space, pairs that are drawn, and by a local search from the largest so far. Where the largest breaks a
// claim, it goes on to the smallest pair that does.
type PairSearch[D, M any] struct {
	Given []Pair[D]
	// PairSpace has further pairs, and the smaller ones; Draw draws further pairs, and Smaller are those simpler than one
	// for which the space has none: every chain of them ends. Each may be nil.
	Space   PairSpace[D]
	Draw    func(r *rand.Rand) Pair[D]
	Smaller func(p Pair[D]) []Pair[D]
	// Evaluations is the number of pairs beyond those given and the edges of the space. As many again may be
	// tried to shrink a violation.
	Evaluations int64
	Stream      func(purpose string) *rand.Rand
	// Measure is what a pair shows, with its figure, and whether that breaks the claim. An error ends the search.
	Measure func(p Pair[D]) (M, error)
	Value   func(M) float64
	Broken  func(M) bool

	left  int64 // evaluations of the current phase
	tried int64
	seen  map[string]bool
	worst MeasuredPair[D, M]
	pool  []MeasuredPair[D, M]
	small *MeasuredPair[D, M] // the smallest pair beyond the claim
	err   error
}

// MeasuredPair is a pair with what it shows.
type MeasuredPair[D, M any] struct {
	Pair[D]
	Shows M
}

// PairSearchResult is what a search came to. The smallest pair is the worst one where that does not break the claim.
type PairSearchResult[D, M any] struct {
	Worst, Smallest MeasuredPair[D, M]
	Tried           int64 // pairs, without those that were tried to shrink the worst; 0 where there was none
}

const (
	// drawShare of the evaluations draws pairs, where they can be drawn and searched.
	drawShare = 0.5
	// poolSize is the number of pairs from which the search goes on.
	poolSize = 4
)

// Run searches.
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

// search fills the pool.
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
			s.left-- // a pair that was tried before counts too, else the loop might not end
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

// try measures a pair that was not tried yet and puts it in its place.
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
	if s.tried == 1 || s.Value(shows) > s.Value(s.worst.Shows)*(1+1e-12) { // of equal ones the first
		s.worst = m
	}
	// Of equal ones the last comes first, so that the search can wander where nothing changes.
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

// Inputs returns both inputs in Go syntax, and JSON as it is.
func (p Pair[D]) Inputs() string { return p.inputs(func(json string) string { return json }) }

// ShortInputs returns both inputs in Go syntax, and of long JSON the beginning.
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

// shrink goes from the smallest pair beyond the claim to smaller ones: step by step, or among pairs drawn for
// that where there is no other way.
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
			if err != nil { // it is not taken: it is passed over
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

// smaller pairs of the space, or else by Smaller.
func (s *PairSearch[D, M]) smaller(p Pair[D]) (out []Pair[D]) {
	if s.Space != nil {
		out = s.Space.Smaller(p)
	}
	if len(out) == 0 && s.Smaller != nil {
		out = s.Smaller(p)
	}
	return out
}
