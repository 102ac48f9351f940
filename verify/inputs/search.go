package inputs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// Search selects the most promising of many candidates (pairs or single inputs) from few samples of each. It compares
// the initial candidates, searches locally from the best in rounds, and finally re-evaluates the best on more samples
// by successive halving (Karnin, Koren & Somekh 2013). A candidate's value is the mean over all its samples, so that a
// candidate that was overestimated by chance falls back.
type Search[C any] struct {
	// First holds the initial candidates, in the order in which they are tried.
	First []C
	// Mutate draws a candidate close to c, or returns false if it finds none. May be nil.
	Mutate func(r *rand.Rand, c C) (near C, ok bool)
	// Combine draws a candidate that mixes two, or extrapolates from the first to the second. It returns false if it
	// finds none. May be nil.
	Combine func(r *rand.Rand, c, d C) (joined C, ok bool)
	// Key identifies a candidate.
	Key func(C) string
	// Promise estimates for each candidate, from the given number of fresh samples of each input, how much of a violation
	// it would show. The stage differs from call to call; use it to derive random streams.
	Promise func(ctx context.Context, stage string, candidates []C, samples int) ([]float64, error)
	// Tries is the number of candidates to try, at least 1. Samples is the total number of samples per input; at least
	// [MinSearchSamples] for each candidate.
	Tries   int
	Samples int64
}

const (
	// MinSearchSamples is the minimum number of samples per input and candidate.
	MinSearchSamples = 72
	// MinLookSamples is the minimum number of samples in one evaluation of a candidate.
	MinLookSamples = 20
	// firstShare is the share of tries for the initial candidates if there is a local search.
	firstShare = 0.5
	// firstSamples and nearSamples are the shares of samples for the initial candidates and the local search. The halving
	// uses the rest.
	firstSamples, nearSamples = 0.3, 0.45
	// rounds is the number of rounds of the local search. Each continues from the beam best candidates.
	rounds, beam = 12, 4
	// settled is the number of evaluations after which a beam candidate is not evaluated again.
	settled = 4
	// finalists is the number of candidates at the start of the halving.
	finalists = 8
	// mostPromise bounds the samples in one evaluation: they suffice to rank candidates.
	mostPromise = 4000
	// redraws is the number of attempts to draw a new candidate.
	redraws = 16
)

// Promised is a candidate with its estimated value.
type Promised[C any] struct {
	Candidate C
	Value     float64
	weight    float64      // samples per input
	from      *Promised[C] // the candidate that it was derived from
}

// Outcome is the result of a search.
type Outcome[C any] struct {
	Best  []Promised[C] // all candidates, the most promising first
	Spent int64         // samples per input
}

// TriesFor returns the number of tries that covers all first initial candidates and at least near further ones.
func TriesFor(first, near int) int { return max(first+near, int(math.Ceil(float64(first)/firstShare))) }

// Check returns an error that names the parameter outside its domain.
func (s Search[C]) Check() error {
	switch {
	case s.Tries < 1:
		return fmt.Errorf("search: %d candidates to try: want at least 1", s.Tries)
	case len(s.First) == 0:
		return fmt.Errorf("search: no candidate to begin with")
	case s.Samples < MinSearchSamples*int64(s.Tries):
		return fmt.Errorf("search: %d candidates are too many for %d samples: want at least %d samples for each", s.Tries,
			s.Samples, MinSearchSamples)
	}
	return nil
}

// search is the state of a run.
type search[C any] struct {
	Search[C]
	ctx   context.Context
	stage int
	seen  map[string]bool
	all   []*Promised[C]
	spent int64
}

// Run evaluates the candidates and returns them in descending order of their estimated values.
func (s Search[C]) Run(ctx context.Context, r *rand.Rand) (Outcome[C], error) {
	if err := s.Check(); err != nil {
		return Outcome[C]{}, err
	}
	run := &search[C]{Search: s, ctx: ctx, seen: make(map[string]bool)}
	first := s.Tries
	if s.Mutate != nil {
		first = max(1, int(firstShare*float64(s.Tries)))
	}
	var begin []*Promised[C]
	for _, c := range s.First {
		if key := s.Key(c); len(begin) < first && !run.seen[key] {
			run.seen[key] = true
			begin = append(begin, &Promised[C]{Candidate: c})
		}
	}
	begins, _ := s.shares()
	if err := run.add(begin, run.each(begins*float64(s.Samples), first)); err != nil {
		return Outcome[C]{}, err
	}
	if err := run.climb(r); err != nil {
		return Outcome[C]{}, err
	}
	if err := run.halve(); err != nil {
		return Outcome[C]{}, err
	}
	out := Outcome[C]{Spent: run.spent}
	for _, p := range run.all {
		out.Best = append(out.Best, *p)
	}
	return out, nil
}

// shares returns the shares of samples for the initial candidates and the halving. Without a local search, each
// receives half of its share.
func (s Search[C]) shares() (begin, halving float64) {
	begin, halving = firstSamples, 1-firstSamples-nearSamples
	if s.Mutate == nil {
		begin, halving = begin+nearSamples/2, halving+nearSamples/2
	}
	return begin, halving
}

// each returns the number of samples per candidate if n candidates share the samples.
func (s *search[C]) each(samples float64, n int) int {
	return int(math.Min(mostPromise, samples/float64(max(1, n))))
}

// look evaluates candidates on fresh samples.
func (s *search[C]) look(at []*Promised[C], samples int) error {
	if len(at) == 0 {
		return nil
	}
	candidates := make([]C, len(at))
	for i, p := range at {
		candidates[i] = p.Candidate
	}
	s.stage++
	values, err := s.Promise(s.ctx, strconv.Itoa(s.stage), candidates, samples)
	if err != nil {
		return err
	}
	for i, p := range at {
		n := float64(samples)
		if math.IsInf(values[i], -1) && p.weight > 0 {
			values[i] = 0 // no event distinguishes the inputs
		}
		if p.weight == 0 || math.IsInf(p.Value, -1) {
			p.Value = values[i]
		} else {
			p.Value = (p.Value*p.weight + values[i]*n) / (p.weight + n)
		}
		p.weight += n
	}
	s.spent += int64(samples) * int64(len(at))
	slices.SortStableFunc(s.all, func(a, b *Promised[C]) int { return cmp.Compare(b.Value, a.Value) })
	return nil
}

// add evaluates new candidates.
func (s *search[C]) add(fresh []*Promised[C], samples int) error {
	s.all = append(s.all, fresh...)
	return s.look(fresh, samples)
}

// climb runs the local search with the samples that the initial candidates left. In each round it re-evaluates the
// candidates of the beam that have few samples.
func (s *search[C]) climb(r *rand.Rand) error {
	left := s.Tries - len(s.all)
	if s.Mutate == nil || left < 1 {
		return nil
	}
	perRound := max(beam, (left+rounds-1)/rounds)
	total := int64((firstSamples + nearSamples) * float64(s.Samples))
	for left > 0 {
		n := min(perRound, left)
		roundsLeft := (left + perRound - 1) / perRound
		samples := s.each(float64(total-s.spent), left+min(roundsLeft*beam, left))
		var again []*Promised[C]
		for _, p := range s.all[:min(beam, n, len(s.all))] {
			if p.weight < settled*float64(samples) {
				again = append(again, p)
			}
		}
		if err := s.look(again, samples); err != nil {
			return err
		}
		var next []*Promised[C]
		for i := range n {
			if p, ok := s.next(r, i); ok {
				next = append(next, p)
			}
		}
		left -= n
		if err := s.add(next, samples); err != nil {
			return err
		}
	}
	return nil
}

// next returns the i-th candidate of a round. Every second one is derived from the best candidate.
func (s *search[C]) next(r *rand.Rand, i int) (*Promised[C], bool) {
	best := s.all[:min(beam, len(s.all))]
	from := best[0]
	if i%2 == 1 {
		from = best[r.IntN(len(best))]
	}
	for range redraws {
		if s.ctx.Err() != nil {
			break
		}
		var c C
		var ok bool
		switch move := r.IntN(8); {
		case s.Combine != nil && move < 3 && from.from != nil && from.Value > from.from.Value:
			c, ok = s.Combine(r, from.from.Candidate, from.Candidate)
		case s.Combine != nil && move == 3 && len(best) > 1:
			c, ok = s.Combine(r, best[r.IntN(len(best))].Candidate, from.Candidate)
		default:
			c, ok = s.Mutate(r, from.Candidate)
		}
		if !ok {
			continue
		}
		if key := s.Key(c); !s.seen[key] {
			s.seen[key] = true
			return &Promised[C]{Candidate: c, from: from}, true
		}
	}
	return nil, false
}

// halve re-evaluates the best candidates, half as many in each step, with equal total samples per step. It skips steps
// that would have fewer than MinLookSamples each.
func (s *search[C]) halve() error {
	steps := 0
	for n := finalists; n > 1; n /= 2 {
		steps++
	}
	_, halving := s.shares()
	share := halving * float64(s.Samples) / float64(steps)
	for n := finalists; n > 1; n /= 2 {
		at := slices.Clone(s.all[:min(n, len(s.all))])
		if samples := s.each(share, len(at)); samples >= MinLookSamples {
			if err := s.look(at, samples); err != nil {
				return err
			}
		}
	}
	return nil
}
