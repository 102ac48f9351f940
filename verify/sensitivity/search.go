package sensitivity

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/verify/inputs"
)

const (
	// Shares of the evaluations for drawing pairs, for all positions and choices, for local search, and for making the
	// witness readable. CMA-ES gets the rest.
	exploreShare, sweepShare, climbShare, tidyShare = 0.25, 0.05, 0.3, 0.1
	// poolSize is the number of pairs with different values from which the search continues.
	poolSize = 4
	// firstSeed is the seed of the map's random numbers until the map has drawn one.
	firstSeed = 1
)

// suspect is a candidate pair. Its real parameters are in units of the radii, so that each block is in a unit ball.
type suspect struct {
	z      []float64 // blocks: N records, the other record, the shared parameters
	labels []int     // labels of the N records and of the other record
	choice []int
	at     int // index of the differing record
	seed   uint64
	value  float64 // lower bound on the difference, -Inf before the evaluation
	rank   float64 // value without its last digits, by which pairs are compared
}

func (c *suspect) copyFrom(o *suspect) {
	copy(c.z, o.z)
	copy(c.labels, o.labels)
	copy(c.choice, o.choice)
	c.at, c.seed, c.value, c.rank = o.at, o.seed, o.value, o.rank
}

// sensitivitySearch searches a cell for the pair with the largest difference.
type sensitivitySearch struct {
	ctx     context.Context
	replace bool
	cell    *Cell
	r       *rand.Rand
	runs    *pairRun
	bufferA inputBuffer
	bufferB inputBuffer
	left    int64 // remaining evaluations of the current phase
	pool    []*suspect
	err     error     // error of the map or of the context; ends the search
	u, v    []float64 // directions for a drawn pair
}

func newSensitivitySearch(ctx context.Context, s *Check, c *Cell, r *rand.Rand) *sensitivitySearch {
	return &sensitivitySearch{
		ctx: ctx, replace: s.Adjacency == inputs.ReplaceOneRecord, cell: c, r: r, runs: newPairRun(s.Norm, c),
		bufferA: newInputBuffer(c), bufferB: newInputBuffer(c),
		u: make([]float64, c.Records.Dim), v: make([]float64, c.Records.Dim),
	}
}

// newSuspect returns a pair of zeros.
func (s *sensitivitySearch) newSuspect() *suspect {
	c := s.cell
	return &suspect{
		z:      make([]float64, (c.N+1)*c.Records.Dim+c.Shared.Dim),
		labels: make([]int, c.N+1), choice: make([]int, len(c.Choices)), seed: firstSeed, value: math.Inf(-1),
		rank: math.Inf(-1),
	}
}

// block returns block i of z: a record, the other record for i = N, or the shared parameters for i = N + 1.
func (s *sensitivitySearch) block(c *suspect, i int) []float64 {
	d := s.cell.Records.Dim
	if i > s.cell.N {
		return c.z[i*d:]
	}
	return c.z[i*d : (i+1)*d : (i+1)*d]
}

// blockNorm returns the norm of the unit ball that contains block i.
func (s *sensitivitySearch) blockNorm(i int) Norm {
	if i > s.cell.N {
		return s.cell.Shared.Norm
	}
	return s.cell.Records.Norm
}

// confine moves block i into its unit ball.
func (s *sensitivitySearch) confine(c *suspect, i int) {
	if x := s.block(c, i); len(x) > 0 {
		s.blockNorm(i).confine(x, 1)
	}
}

// run searches with at most the given number of evaluations. It returns the worst pair, and reports whether it tried
// every pair of the domain.
func (s *sensitivitySearch) run(evaluations int64) (best *suspect, all bool, err error) {
	share := func(x float64) int64 { return max(1, int64(x*float64(evaluations))) }
	if s.pairs() <= float64(evaluations) && s.enumerate() {
		s.order()
		return s.pool[0], true, nil
	}
	s.left = share(exploreShare)
	s.explore()
	if s.err != nil {
		return nil, false, s.err
	}
	s.left = share(sweepShare)
	s.sweep()
	for i := range s.pool {
		s.left = share(climbShare / float64(len(s.pool)))
		s.climb(s.pool[i])
	}
	s.order()
	s.evolve(share(1 - exploreShare - sweepShare - climbShare - tidyShare))
	s.order()
	if s.err == nil {
		s.left = share(tidyShare)
		s.tidy(s.pool[0])
	}
	return s.pool[0], false, s.err
}

// order puts the best pair of the pool first.
func (s *sensitivitySearch) order() {
	slices.SortStableFunc(s.pool, func(a, b *suspect) int { return cmp.Compare(b.rank, a.rank) })
}

// over reports whether this phase or the search has ended.
func (s *sensitivitySearch) over() bool { return s.err != nil || s.left <= 0 }

// evaluate rounds the parameters of a pair and sets its value and rank. It returns false if the search has ended. Since
// parameters and ranks omit the last digits, no decision of the search depends on the rounding of a machine.
func (s *sensitivitySearch) evaluate(c *suspect) (ok bool) {
	if s.over() {
		return false
	}
	if s.ctx.Err() != nil {
		s.err = context.Cause(s.ctx)
		return false
	}
	s.left--
	n := s.cell.N
	for i := range n + 2 {
		s.blockNorm(i).coarsen(s.block(c, i))
	}
	s.runs.a = s.bufferA.input(s.cell, c, n, -1, -1)
	if s.replace {
		s.runs.b = s.bufferB.input(s.cell, c, n, c.at, n)
	} else {
		s.runs.b = s.bufferB.input(s.cell, c, n, c.at, -1)
	}
	value, slack, err := s.runs.measure(c.seed)
	if err != nil {
		pair, printErr := s.witness(c)
		if printErr != nil {
			pair = printErr.Error()
		}
		s.err = fmt.Errorf("%w; on the pair %s", err, pair)
		return false
	}
	c.value = value - slack
	c.rank = tolerance.Rounded(c.value)
	return true
}

// inputBuffer is the memory for an input. It is rewritten for every run, because the map may change it.
type inputBuffer struct {
	x       []float64
	records []Record
	shared  []float64
	choice  []int
}

func newInputBuffer(c *Cell) inputBuffer {
	return inputBuffer{make([]float64, c.N*c.Records.Dim), make([]Record, c.N), make([]float64, c.Shared.Dim),
		make([]int, len(c.Choices))}
}

// input returns the input with the first n records of a pair. The record at index at is replaced by record by, or left
// out if by is -1.
func (b *inputBuffer) input(cell *Cell, c *suspect, n, at, by int) Input {
	d, out := cell.Records.Dim, 0
	for i := range n {
		from := i
		if i == at {
			if by < 0 {
				continue
			}
			from = by
		}
		x := b.x[out*d : (out+1)*d : (out+1)*d]
		scaleInto(x, c.z[from*d:(from+1)*d], cell.Records.Ball)
		b.records[out] = Record{x, cell.Records.label(c.labels[from])}
		out++
	}
	scaleInto(b.shared, c.z[(n+1)*d:], cell.Shared)
	copy(b.choice, c.choice)
	return Input{b.records[:out:out], b.shared, b.choice}
}

// scaleInto maps a point z of the unit ball to the ball b.
func scaleInto(dst, z []float64, b Ball) {
	if len(z) == 0 {
		return
	}
	for i, v := range z {
		dst[i] = b.Radius*v + 0 // turns −0, which prints differently, into 0
	}
	if fraction, _ := math.Frexp(b.Radius); fraction != 0.5 { // products with a power of two are exact
		b.Norm.confine(dst, b.Radius)
	}
}

// offer puts a pair into the pool if it is among the best pairs with different values.
func (s *sensitivitySearch) offer(c *suspect) {
	worst := 0
	for i, p := range s.pool {
		if math.Abs(p.value-c.value) <= 1e-6*math.Abs(c.value) {
			if c.rank > p.rank {
				p.copyFrom(c)
			}
			return
		}
		if p.rank < s.pool[worst].rank {
			worst = i
		}
	}
	if len(s.pool) < poolSize {
		fresh := s.newSuspect()
		fresh.copyFrom(c)
		s.pool = append(s.pool, fresh)
	} else if c.rank > s.pool[worst].rank {
		s.pool[worst].copyFrom(c)
	}
}

// witness returns a pair as JSON.
func (s *sensitivitySearch) witness(c *suspect) (string, error) {
	b, n := newInputBuffer(s.cell), s.cell.N
	in := b.input(s.cell, c, n, -1, -1)
	w := sensitivityWitness{Records: repeated(in.Records), At: c.at, Shared: in.Shared, Choice: in.Choice, Seed: c.seed}
	if s.replace {
		other := newInputBuffer(s.cell)
		w.Other = &other.input(s.cell, c, n, c.at, n).Records[c.at]
	}
	return w.print()
}
