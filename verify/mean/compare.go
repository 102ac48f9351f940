package mean

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// Compare checks statements of order between random quantities, such as the errors of
// learners: "a errs less than b". One replicate draws each quantity once, all
// independently; the statement is read as "a is below b in at least half of the
// replicates". Means can need far more runs than probabilities: quantities that never
// overlap are told apart by some thirty replicates at any alpha of the ledger.
//
// An order is refuted where an exact (Clopper–Pearson) upper limit of P(a ≤ b) lies
// below 1/2, and confirmed where a lower limit of P(a < b) lies above: a tie counts
// against whatever is to be concluded. The claim is Refuted if one order is, Consistent
// if all are confirmed, else Inconclusive.
type Compare struct {
	Quantity string   // what Run returns: "testing error rate"
	Names    []string // of the values of Run, in order
	Orders   []Order  // what is claimed, all at once
	// Run returns one independent value of each name; all its randomness is from r.
	Run        func(ctx context.Context, r *rand.Rand) ([]float64, error)
	Replicates int64  // at the standard budget
	Data       string // the files it is measured on, if any
	Note       string // how the values are made, for the method; may be empty
}

// Order says that Names[Less] is below Names[More].
type Order struct{ Less, More int }

const compareBlocks = int64(256) // shards, unless there are fewer replicates: these are dear

// Prepare checks what is declared; it runs nothing.
func (c Compare) Prepare(_ context.Context, s verify.Settings) (verify.Trial, error) {
	switch {
	case c.Run == nil || c.Quantity == "":
		return nil, errors.New("compare: Run and Quantity are required")
	case len(c.Orders) == 0:
		return nil, errors.New("compare: no orders")
	case c.Replicates < 1:
		return nil, fmt.Errorf("compare: %d replicates: want at least 1", c.Replicates)
	}
	for _, o := range c.Orders {
		if min(o.Less, o.More) < 0 || max(o.Less, o.More) >= len(c.Names) || o.Less == o.More {
			return nil, fmt.Errorf("compare: order %+v: want two of the %d names", o, len(c.Names))
		}
	}
	t := &compareTrial{Compare: c, alpha: s.Alpha}
	n := s.Budget.Samples(c.Replicates)
	t.shards = min(compareBlocks, n)
	t.perShard = (n + t.shards - 1) / t.shards
	return t, nil
}

type compareTrial struct {
	Compare
	alpha            float64
	shards, perShard int64
}

func (t *compareTrial) replicates() int64 { return t.shards * t.perShard }

// share is the part of alpha of one limit: two an order.
func (t *compareTrial) share() float64 { return t.alpha / float64(2*len(t.Orders)) }

func (t *compareTrial) Plan() empirical.Plan {
	p := empirical.Plan{Shards: int(t.shards), SamplesPerShard: t.perShard}
	if e, ok := t.seen(); ok {
		p.Effect, p.Power = e, verify.TargetPower
	}
	return p
}

// NewTally counts a < b and a ≤ b of each order, and the moments of each value.
func (t *compareTrial) NewTally() empirical.Tally {
	parts := empirical.Tallies{make(empirical.Counts, 2*len(t.Orders))}
	for range t.Names {
		parts = append(parts, &confidence.Moments{})
	}
	return parts
}

func (t *compareTrial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	tally := t.NewTally().(empirical.Tallies)
	counts := tally[0].(empirical.Counts)
	r := shard.Seed.Rand()
	for range shard.Samples {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		values, err := t.Run(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		if len(values) != len(t.Names) {
			return nil, fmt.Errorf("compare: a replicate gave %d values: want one for each of the %d names", len(values),
				len(t.Names))
		}
		for i, v := range values {
			if err := tally[1+i].(*confidence.Moments).Add(v); err != nil {
				return nil, fmt.Errorf("compare: %s: %w", t.Names[i], err)
			}
		}
		for i, o := range t.Orders {
			if values[o.Less] < values[o.More] {
				counts[2*i]++
			}
			if values[o.Less] <= values[o.More] {
				counts[2*i+1]++
			}
		}
	}
	return tally, nil
}

// Judge gives every order its two limits.
func (t *compareTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	parts, ok := merged.(empirical.Tallies)
	if !ok || len(parts) != 1+len(t.Names) {
		return verify.Evidence{}, fmt.Errorf("compare: a tally of another shape: %T", merged)
	}
	if counts, ok := parts[0].(empirical.Counts); !ok || len(counts) != 2*len(t.Orders) {
		return verify.Evidence{}, fmt.Errorf("compare: a tally of another shape: %T", parts[0])
	}
	return t.judge(parts, parts[1].(*confidence.Moments).N())
}

// judge n replicates.
func (t *compareTrial) judge(parts empirical.Tallies, n int64) (verify.Evidence, error) {
	counts := parts[0].(empirical.Counts)
	e := verify.Evidence{
		Verdict: verify.Consistent, Quantity: "share of the runs in which the " + t.Quantity + " is in the claimed order",
		Sense: verify.AtLeast, Samples: n, Data: t.Data,
	}
	look := compareLook{trial: t, cases: verify.Cases[verify.Cell]{Noun: "order", Ordered: "as they are claimed"}}
	worst := math.Inf(1)
	for i, o := range t.Orders {
		less, lessOrEqual := counts[2*i], counts[2*i+1]
		lower, err := confidence.BinomialLower(less, n, t.share())
		if err != nil {
			return e, fmt.Errorf("compare: %w", err)
		}
		above, err := confidence.BinomialLower(n-lessOrEqual, n, t.share())
		if err != nil {
			return e, fmt.Errorf("compare: %w", err)
		}
		upper := 1 - above
		cell := verify.Cell{Label: t.Names[o.Less] + " < " + t.Names[o.More], Claimed: verify.Num(0.5),
			Measured: verify.Num(float64(less) / float64(n)), Lower: verify.Num(lower), Upper: verify.Num(upper), Samples: n}
		e.Cells = append(e.Cells, cell)
		v := verify.Inconclusive
		switch {
		case upper < 0.5:
			v = verify.Refuted
		case lower > 0.5:
			v = verify.Consistent
		}
		e.Verdict = e.Verdict.Worse(v)
		look.cases.See(cell, v == verify.Refuted)
		if look.nearest.Samples == 0 || lower < look.nearest.Lower.X {
			look.nearest = cell
		}
		if upper < worst {
			worst = upper
			e.CopyWorst(cell)
		}
	}
	e.Method = t.how(n, parts[1:])
	e.Curves = t.series(parts[1:])
	e.Power = t.power(e)
	if effect, ok := t.seen(); ok && e.Verdict == verify.Consistent {
		e.Detects = verify.Detects{Effect: effect, Probability: verify.TargetPower}
	}
	look.need = t.needed(e)
	e.LookAgain(&look)
	e.Statistics = verify.NewStatistics(CompareMethod, t.basis(counts, parts[1:]))
	return e, nil
}

// compareLook is what a second look at orders needs.
type compareLook struct {
	trial   *compareTrial
	cases   verify.Cases[verify.Cell]
	nearest verify.Cell // the order whose share of the runs has the least lower limit
	need    int64       // runs that would settle the open orders; 0 where none is known to
}

func (l *compareLook) Tried() verify.Tried {
	nearest := l.nearest
	if l.cases.Broken() > 0 {
		nearest = l.cases.First()
	}
	return l.cases.Tried(verify.Cell.Place, nearest)
}

func (l *compareLook) Attempt() string {
	c := l.nearest
	return fmt.Sprintf("%s in %d runs; the nearest to breaking, %s, holds in %.4g %% of them, by its lower limit in more "+
		"than %.4g %%, where half is claimed",
		verify.Plural(len(l.trial.Orders), "order"), c.Samples, c.Label, 100*c.Measured.X, 100*c.Lower.X)
}

func (l *compareLook) Counterexample() verify.Counterexample {
	return l.cases.Simplest(verify.Cell.Itself)
}

func (l *compareLook) Needed() string {
	if l.need == 0 {
		return fmt.Sprintf("no number of runs is known to settle an order that is in half of the %d of this one",
			l.trial.replicates())
	}
	return fmt.Sprintf("about %d runs; this run had %d", l.need, l.trial.replicates())
}

// how tells the means beside the verdict, which does not rest on them.
func (t *compareTrial) how(n int64, parts empirical.Tallies) string {
	means := make([]string, len(t.Names))
	for i, name := range t.Names {
		m := parts[i].(*confidence.Moments)
		means[i] = fmt.Sprintf("%s %.4f±%.4f", name, m.Mean(), m.StdDev())
	}
	return verify.JoinSentences(t.Note,
		fmt.Sprintf("%d independent runs of each, in pairs; exact binomial limits, joint error %.2g; mean±deviation: %s", n,
			t.alpha, strings.Join(means, ", ")))
}

// series are the means themselves, one a name.
func (t *compareTrial) series(parts empirical.Tallies) []verify.Curve {
	s := verify.Curve{Name: "mean over the runs", Quantity: t.Quantity}
	for i, name := range t.Names {
		p := verify.NewCurvePoint(parts[i].(*confidence.Moments))
		if p.Label = name; p.Lower == p.Upper { // a fixed value
			p.Lower, p.Upper, p.Runs = verify.Number{}, verify.Number{}, 0
		}
		s.Points = append(s.Points, p)
	}
	return []verify.Curve{s}
}

func (t *compareTrial) power(e verify.Evidence) string {
	if e.Verdict == verify.Refuted {
		return ""
	}
	effect, ok := t.seen()
	if e.Verdict == verify.Inconclusive {
		need := t.needed(e)
		if need == 0 {
			return "the order is not settled, and no number of runs is known to settle it"
		}
		return fmt.Sprintf("too few runs to settle the order: need ≥ %d", need)
	}
	if !ok {
		return ""
	}
	if effect >= 0.5 {
		return "only an order that holds in none of the runs is sure to have been refuted"
	}
	return fmt.Sprintf("an order that holds in fewer than %.2g %% of the runs would have been refuted with probability "+
		"%.2g", 100*(0.5-effect), verify.TargetPower)
}

// needed is the number of runs after which the limits of all open orders would leave 1/2, if
// the shares stay as they are; 0 where one is a half.
func (t *compareTrial) needed(e verify.Evidence) int64 {
	need := int64(0)
	for _, c := range e.Cells {
		if c.Lower.X > 0.5 || c.Upper.X < 0.5 {
			continue
		}
		if c.Measured.X == 0.5 {
			return 0
		}
		need = max(need, RunsToSettle(c.Measured.X, t.share()))
	}
	return max(need, t.replicates()+1)
}

// RunsToSettle is the number of runs, to two digits, after which an exact limit of error
// alpha in (0, 1) tells a share in [0, 1], other than 1/2, from 1/2, if it stays as it is.
func RunsToSettle(share, alpha float64) int64 {
	alike := int64(math.Ceil(-math.Log2(alpha))) // runs, all alike
	// A limit leaves 1/2 when n times the divergence of the share from 1/2 passes
	// log(1/alpha), Chernoff's bound.
	return max(alike, verify.ScaledSize(1, math.Sqrt(-math.Log(alpha)/fromHalf(share))))
}

// fromHalf is the Kullback–Leibler divergence of a coin of probability p from a fair one.
func fromHalf(p float64) float64 {
	d := math.Ln2
	for _, q := range []float64{p, 1 - p} {
		if q > 0 {
			d += q * math.Log(q)
		}
	}
	return d
}

// seen is the deviation from 1/2 that is refuted with the wanted power; false where none is.
func (t *compareTrial) seen() (effect float64, ok bool) {
	n := t.replicates()
	k := int64(-1) // the most runs in order that still refute
	for k+1 <= n/2 {
		above, err := confidence.BinomialLower(n-k-1, n, t.share())
		if err != nil || !(above > 0.5) {
			break
		}
		k++
	}
	if k < 0 {
		return 0, false
	}
	for e := 0.01; e < 0.5; e += 0.01 {
		if (distuv.Binomial{N: float64(n), P: 0.5 - e}).CDF(float64(k)) >= verify.TargetPower {
			return e, true
		}
	}
	return 0.5, true // only an order that never holds
}
