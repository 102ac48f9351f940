package worstcase

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

const (
	// searchShare of the samples of each input choose the pair; shrinkShare make it smaller, where it
	// promises to break the claim, and twice as many where that is by a unit or more: such a violation takes
	// few samples to certify.
	searchShare, shrinkShare, grossExcess = 0.4, 0.1, 1
	// shrinkLooks is how many smaller pairs the latter are divided among.
	shrinkLooks = 100
	// together is how many smaller pairs are looked at in one step.
	together = 8
	// confirming is how many times as many samples a smaller pair is looked at with again, and
	// keptExcess how much of the excess over the claim it must keep, or half of the claim.
	confirming, keptExcess, keptClaim = 4, 0.25, 0.5
)

// MinSamples of each input that a search over so many candidates needs, for search and
// certification together.
func MinSamples(tries int) int64 {
	return int64(float64(tries)*inputs.MinSearchSamples/searchShare) + 1
}

// MaxTries returns the largest number of candidates for which so many samples of each input are at least [MinSamples];
// 0 if there is none.
func MaxTries(samples int64) int {
	tries := int(float64(samples) * searchShare / inputs.MinSearchSamples)
	for tries > 0 && MinSamples(tries) > samples {
		tries--
	}
	return tries
}

// CertifyingSamples is how many of so many samples of each input a search leaves for certification at least, where it
// has nothing
// to make smaller.
func CertifyingSamples(total int64) int64 { return total - int64(searchShare*float64(total)) }

// checkTries names a search that is out of its domain.
func checkTries(tries int, samples int64) error {
	switch {
	case tries < 1:
		return fmt.Errorf("search: %d: want the number of candidates to try, at least 1", tries)
	case samples < MinSamples(tries):
		return fmt.Errorf("search: %d candidates are too many for %d samples: want at least %d samples, or search fewer",
			tries, samples, MinSamples(tries))
	}
	return nil
}

// finder finds a candidate and makes it smaller, within a number of samples, and prepares the check of the claim there.
type finder[C any] struct {
	near    inputs.Search[C] // but for Promise, Tries and Samples
	promise promise[C]
	smaller func(C) []C
	check   func(c C, samples int64) (verify.Check, error)
	state   func(C) string // changes if a mechanism changes the input
	tries   int            // at the standard budget
	total   int64          // samples of each input, certification included
	// refutes is the promise from which on certification is expected to refute.
	refutes float64
	noun    string // a candidate
}

// found is what a finder came to.
type found[C any] struct {
	best           []C  // and a smaller one, if there is one
	tried, smaller int  // candidates
	cut            bool // the budget allowed fewer tries than were asked for
	left           int64
}

// find searches and shrinks. A budget that is smaller than the standard one tries fewer candidates.
func (f finder[C]) find(ctx context.Context, s verify.Settings) (out found[C], err error) {
	search := f.near
	search.Samples = int64(searchShare * float64(f.total))
	search.Tries = int(min(int64(f.tries), max(1, search.Samples/inputs.MinSearchSamples)))
	if search.Tries < 2 { // nothing to choose
		return found[C]{best: search.First[:1:1], tried: 1, cut: f.tries > 1, left: f.total}, nil
	}
	looks := looks[C]{finder: f, settings: s, seen: make(map[string]bool),
		progress: verify.Searched{Total: search.Tries, Noun: plurals[f.noun]}}
	looks.tell()
	search.Promise = looks.promises
	o, err := search.Run(ctx, s.Stream("inputs"))
	if err != nil {
		return out, err
	}
	best := o.Best[0]
	out = found[C]{best: []C{best.Candidate}, tried: len(o.Best), cut: search.Tries < f.tries, left: f.total - o.Spent}
	if best.Value > f.refutes {
		looks.shrinks, looks.seen = true, make(map[string]bool)
		f.near.Promise = looks.promises
		if err := f.shrink(ctx, &out, best); err != nil {
			return out, err
		}
	}
	return out, nil
}

// shrink goes to the first smaller candidate that still promises to refute, on fresh samples each
// time, as long as there are samples for it.
func (f finder[C]) shrink(ctx context.Context, out *found[C], best inputs.Promised[C]) error {
	budget := int64(shrinkShare * float64(f.total))
	samples := int(max(inputs.MinSearchSamples, budget/shrinkLooks))
	if best.Value > f.refutes+grossExcess {
		budget *= 2
	}
	excess := keptExcess * (best.Value - f.refutes)
	if f.refutes > 0 {
		excess = min(excess, keptClaim*f.refutes)
	}
	atLeast := f.refutes + excess
	seen := map[string]bool{f.near.Key(best.Candidate): true}
	look := func(of []C, samples int) ([]float64, error) {
		budget -= int64(samples * len(of))
		out.left -= int64(samples * len(of))
		out.smaller++
		return f.near.Promise(ctx, fmt.Sprintf("smaller %d", out.smaller), of, samples)
	}
	smallest := best.Candidate
	for again := true; again; {
		again = false
		fresh := slices.DeleteFunc(f.smaller(smallest), func(c C) bool {
			key := f.near.Key(c)
			known := seen[key]
			seen[key] = true
			return known
		})
		for part := range slices.Chunk(fresh, together) {
			if budget < int64(samples*len(part)) {
				return nil
			}
			values, err := look(part, samples)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(values, func(v float64) bool { return v > f.refutes })
			if at < 0 || budget < int64(confirming*samples) {
				continue
			}
			if values, err = look(part[at:at+1], confirming*samples); err != nil {
				return err
			}
			if values[0] >= atLeast {
				smallest, again = part[at], true
				out.best = []C{best.Candidate, smallest}
				break
			}
		}
	}
	return nil
}

// trial certifies the candidate that was found, and a smaller one if there is one.
type trial struct {
	parts     []verify.Trial // the first decides
	unchanged func() error   // an error if the mechanism has changed an input
	search    search
	refuted   *smallest // that Judge has found
}

var partNames = []string{"best", "smallest"}

// prepare finds the candidates and prepares their certificates, each on its part of the samples that are left.
func (f finder[C]) prepare(ctx context.Context, s verify.Settings) (*trial, []C, error) {
	o, err := f.find(ctx, s)
	if err != nil {
		return nil, nil, fmt.Errorf("choosing among %s: %w", plurals[f.noun], err)
	}
	t := &trial{search: search{f.noun, o.tried, o.cut}, unchanged: inputs.Unchanged("mechanism", f.state, o.best...)}
	s.Budget = verify.Standard // the samples are those of the budget
	for i, c := range o.best {
		check, err := f.check(c, o.left/int64(len(o.best)))
		if err != nil {
			return nil, nil, err
		}
		part, err := check.Prepare(ctx, s.Part(1, partNames[i]))
		if err != nil {
			return nil, nil, err
		}
		t.parts = append(t.parts, part)
	}
	return t, o.best, nil
}

func (t *trial) Plan() empirical.Plan {
	p := t.parts[0].Plan()
	for _, part := range t.parts[1:] {
		q := part.Plan()
		p.Shards = max(p.Shards, q.Shards)
		p.SamplesPerShard += q.SamplesPerShard
	}
	return p
}

func (t *trial) NewTally() empirical.Tally {
	var out empirical.Tallies
	for _, part := range t.parts {
		out = append(out, part.NewTally())
	}
	return out
}

func (t *trial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	out := t.NewTally().(empirical.Tallies)
	for i, part := range t.parts {
		p := part.Plan()
		if shard.Index >= p.Shards {
			continue // this one was decided in Prepare, or needs fewer
		}
		own := empirical.Shard{Index: shard.Index, Total: p.Shards, Samples: p.SamplesPerShard,
			Seed: shard.Seed.Derive(partNames[i])}
		var err error
		if out[i], err = part.Sample(ctx, own); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Done tells whether every part has enough.
func (t *trial) Done(merged empirical.Tally) bool {
	for i, part := range t.parts {
		if part.Plan().Shards == 0 {
			continue
		}
		if s, ok := part.(empirical.Stopper); !ok || !s.Done(merged.(empirical.Tallies)[i]) {
			return false
		}
	}
	return true
}

// Judge is about the first part; where that refutes, the other one may be the simpler counterexample.
func (t *trial) Judge(merged empirical.Tally) (e verify.Evidence, err error) {
	tallies, ok := merged.(empirical.Tallies)
	if !ok || len(tallies) != len(t.parts) {
		return e, errors.New("found: a tally of another shape")
	}
	if err := t.unchanged(); err != nil {
		return e, err
	}
	var certificates []verify.Evidence
	for i, part := range t.parts {
		if i > 0 && certificates[0].Verdict != verify.Refuted {
			break
		}
		c, err := part.Judge(tallies[i])
		if err != nil {
			return e, err
		}
		certificates = append(certificates, c)
	}
	e, t.refuted = t.search.joined(certificates)
	return e, nil
}

// smallest is the evidence of a part.
type smallest struct {
	verify.Evidence
	part int
}
