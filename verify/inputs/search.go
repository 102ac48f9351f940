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

// Search chooses among candidates, pairs of inputs or single ones, by few samples of each. The
// candidates to begin with are compared; a local search goes on from the best so far, in rounds; and the
// best of all are halved again and again, on more samples each time (successive halving, Karnin,
// Koren & Somekh 2013). What a candidate promises is the mean over all its samples, so that one
// that was lucky falls back when it is looked at again.
type Search[C any] struct {
	// First are those to begin with, in the order in which they are tried.
	First []C
	// Mutate draws a candidate like c; not ok where it finds none. May be nil.
	Mutate func(r *rand.Rand, c C) (near C, ok bool)
	// Combine draws a candidate from two: of what differs between them, or one that goes on from the first to the
	// second; not ok where it finds none. May be nil.
	Combine func(r *rand.Rand, c, d C) (joined C, ok bool)
	// Key tells candidates apart.
	Key func(C) string
	// Promise is what each of several candidates is expected to show of the violation, by so many
	// fresh samples of each. The stage, another one each time, is for the streams of random numbers.
	Promise func(ctx context.Context, stage string, candidates []C, samples int) ([]float64, error)
	// Tries is the number of candidates to try, at least 1, and Samples what they may draw in all, of
	// each input; at least [MinSearchSamples] of these for each.
	Tries   int
	Samples int64
}

const (
	// MinSearchSamples is how many samples of each input a search wants for each candidate that it tries.
	MinSearchSamples = 72
	// MinLookSamples is how many samples each look at a candidate has, at least.
	MinLookSamples = 20
	// firstShare of the tries are those to begin with, where there is a local search.
	firstShare = 0.5
	// firstSamples and nearSamples are the shares of the samples for the beginning and for the local
	// search; the rest is for the halving.
	firstSamples, nearSamples = 0.3, 0.45
	// rounds of the local search, each from the beam best so far.
	rounds, beam = 12, 4
	// settled has so many looks.
	settled = 4
	// finalists of the halving.
	finalists = 8
	// mostPromise samples tell candidates apart; more are left for what follows the search.
	mostPromise = 4000
	// redraws of a candidate that was tried before.
	redraws = 16
)

// Promised is a candidate with what it promises.
type Promised[C any] struct {
	Candidate C
	Value     float64
	weight    float64      // samples of each input
	from      *Promised[C] // that it was drawn near
}

// Outcome of a search.
type Outcome[C any] struct {
	Best  []Promised[C] // all that were tried, the most promising first
	Spent int64         // samples of each input
}

// TriesFor is the number of candidates to try so that all of first, and as many again as near, are.
func TriesFor(first, near int) int { return max(first+near, int(math.Ceil(float64(first)/firstShare))) }

// Check names what is out of its domain.
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

// search is a run.
type search[C any] struct {
	Search[C]
	ctx   context.Context
	stage int
	seen  map[string]bool
	all   []*Promised[C]
	spent int64
}

// Run tries the candidates.
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

// shares of the samples for the beginning and for the halving: without a local search both have of its.
func (s Search[C]) shares() (begin, halving float64) {
	begin, halving = firstSamples, 1-firstSamples-nearSamples
	if s.Mutate == nil {
		begin, halving = begin+nearSamples/2, halving+nearSamples/2
	}
	return begin, halving
}

// each is how many samples each of n candidates has of some.
func (s *search[C]) each(samples float64, n int) int {
	return int(math.Min(mostPromise, samples/float64(max(1, n))))
}

// look at candidates on fresh samples.
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
			values[i] = 0 // nothing tells the two apart
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

// add candidates that were not tried.
func (s *search[C]) add(fresh []*Promised[C], samples int) error {
	s.all = append(s.all, fresh...)
	return s.look(fresh, samples)
}

// climb is the local search, on what the beginning has left of the samples of both. Those of the beam that
// have few samples are looked at again in each round.
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

// next is the i-th candidate of a round: every other one is drawn near the best.
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

// halve looks at the best again, at fewer and fewer, the samples of all of them being equal; where
// they are too few for so many, at the fewer alone.
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
