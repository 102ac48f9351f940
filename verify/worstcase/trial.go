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
	// searchShare is the share of the samples of each input for choosing the pair. If the pair is expected to refute the
	// claim, shrinkShare is the share for shrinking it. An expected excess above largeExcess doubles that share, since
	// large violations need few samples for the certificate.
	searchShare, shrinkShare, largeExcess = 0.4, 0.1, 1
	maxSearchShare                        = searchShare + 2*shrinkShare
	// shrinkSteps is the number of smaller pairs that the samples for shrinking are divided among.
	shrinkSteps = 100
	// shrinkBatch is the number of smaller pairs that are evaluated together.
	shrinkBatch = 8
	// A promising smaller pair is evaluated again with confirmFactor times as many samples. It must keep the share
	// minExcess of the excess over the claim, or an excess of minClaim times the claim.
	confirmFactor, minExcess, minClaim = 4, 0.25, 0.5
)

// MinSamples returns the minimum number of samples of each input, for search and certification together, in a search
// over the given number of candidates.
func MinSamples(tries int) int64 {
	return int64(float64(tries)*inputs.MinSearchSamples/searchShare) + 1
}

// MaxTries returns the largest number of candidates whose [MinSamples] is at most the given number of samples of each
// input, 0 if there is none.
func MaxTries(samples int64) int {
	tries := int(float64(samples) * searchShare / inputs.MinSearchSamples)
	for tries > 0 && MinSamples(tries) > samples {
		tries--
	}
	return tries
}

// CertifyingSamples returns the minimum number of samples of each input that remain for certification if the search
// shrinks no candidate.
func CertifyingSamples(total int64) int64 { return total - int64(searchShare*float64(total)) }

// checkTries returns an error if there are too few samples for the number of candidates.
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

// finder searches for a candidate, shrinks it within a number of samples, and prepares the check of the claim there.
type finder[C any] struct {
	near    inputs.Search[C] // without Promise, Tries and Samples
	promise promise[C]
	smaller func(C) []C
	check   func(c C, samples int64) (verify.Check, error)
	state   func(C) string // changes if a mechanism changes the input
	tries   int            // number of candidates at the standard budget
	total   int64          // samples of each input, including certification
	// refutes is the smallest promise at which certification is expected to refute.
	refutes float64
	noun    string // noun for a candidate
}

// found is the result of a finder.
type found[C any] struct {
	best           []C  // the best candidate and, if there is one, a smaller candidate
	tried, smaller int  // number of candidates in the search, and of evaluations of smaller candidates
	cut            bool // the budget allowed fewer tries than requested
	left           int64
}

// find searches and shrinks. Budgets below the standard budget try fewer candidates.
func (f finder[C]) find(ctx context.Context, s verify.Settings) (out found[C], err error) {
	search := f.near
	search.Samples = int64(searchShare * float64(f.total))
	search.Tries = int(min(int64(f.tries), max(1, search.Samples/inputs.MinSearchSamples)))
	if search.Tries < 2 { // only one candidate
		return found[C]{best: search.First[:1:1], tried: 1, cut: f.tries > 1, left: f.total}, nil
	}
	counter := progressCounter[C]{finder: f, settings: s, seen: make(map[string]bool),
		progress: verify.Searched{Total: search.Tries, Noun: plurals[f.noun]}}
	counter.report()
	search.Promise = counter.promises
	o, err := search.Run(ctx, s.Stream("inputs"))
	if err != nil {
		return out, err
	}
	best := o.Best[0]
	out = found[C]{best: []C{best.Candidate}, tried: len(o.Best), cut: search.Tries < f.tries, left: f.total - o.Spent}
	if best.Value > f.refutes {
		counter.shrinks, counter.seen = true, make(map[string]bool)
		f.near.Promise = counter.promises
		if err := f.shrink(ctx, &out, best); err != nil {
			return out, err
		}
	}
	return out, nil
}

// shrink moves repeatedly to the first smaller candidate that is still expected to refute, with fresh samples in each
// step, until no such candidate or no samples for shrinking are left.
func (f finder[C]) shrink(ctx context.Context, out *found[C], best inputs.Promised[C]) error {
	budget := int64(shrinkShare * float64(f.total))
	samples := int(max(inputs.MinSearchSamples, budget/shrinkSteps))
	if best.Value > f.refutes+largeExcess {
		budget *= 2
	}
	excess := minExcess * (best.Value - f.refutes)
	if f.refutes > 0 {
		excess = min(excess, minClaim*f.refutes)
	}
	atLeast := f.refutes + excess
	seen := map[string]bool{f.near.Key(best.Candidate): true}
	evaluate := func(candidates []C, samples int) ([]float64, error) {
		budget -= int64(samples * len(candidates))
		out.left -= int64(samples * len(candidates))
		out.smaller++
		return f.near.Promise(ctx, fmt.Sprintf("smaller %d", out.smaller), candidates, samples)
	}
	smallest := best.Candidate
	for shrunk := true; shrunk; {
		shrunk = false
		fresh := slices.DeleteFunc(f.smaller(smallest), func(c C) bool {
			key := f.near.Key(c)
			known := seen[key]
			seen[key] = true
			return known
		})
		for batch := range slices.Chunk(fresh, shrinkBatch) {
			if budget < int64(samples*len(batch)) {
				return nil
			}
			values, err := evaluate(batch, samples)
			if err != nil {
				return err
			}
			first := slices.IndexFunc(values, func(v float64) bool { return v > f.refutes })
			if first < 0 || budget < int64(confirmFactor*samples) {
				continue
			}
			if values, err = evaluate(batch[first:first+1], confirmFactor*samples); err != nil {
				return err
			}
			if values[0] >= atLeast {
				smallest, shrunk = batch[first], true
				out.best = []C{best.Candidate, smallest}
				break
			}
		}
	}
	return nil
}

// trial certifies the chosen candidate and, if there is one, a smaller candidate.
type trial struct {
	parts     []verify.Trial // one or two certificates; the first decides the verdict
	unchanged func() error   // returns an error if the mechanism has changed an input
	search    search
	refuted   *smallest // smallest refuting candidate, set by Judge
}

var partNames = []string{"best", "smallest"}

// prepare finds the candidates and prepares their certificates, each with an equal share of the remaining samples.
func (f finder[C]) prepare(ctx context.Context, s verify.Settings) (*trial, []C, error) {
	o, err := f.find(ctx, s)
	if err != nil {
		return nil, nil, fmt.Errorf("choosing among %s: %w", plurals[f.noun], err)
	}
	t := &trial{search: search{f.noun, o.tried, o.cut}, unchanged: inputs.Unchanged("mechanism", f.state, o.best...)}
	s.Budget = verify.Standard // the remaining samples are already those of the budget
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
			continue // decided in Prepare, or has fewer shards
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

// Done reports whether no part needs more samples.
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

// Judge returns the verdict of the first part. If it refutes, the second part may give a smaller counterexample.
func (t *trial) Judge(merged empirical.Tally) (e verify.Evidence, err error) {
	tallies, ok := merged.(empirical.Tallies)
	if !ok || len(tallies) != len(t.parts) {
		return e, errors.New("worstcase: the tally belongs to another trial")
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

// smallest is the evidence of a part, with its index.
type smallest struct {
	verify.Evidence
	part int
}
