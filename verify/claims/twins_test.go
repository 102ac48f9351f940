package claims

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
)

// Every check can fail: its control has the opposite verdict. The short form samples a negative control until it has
// the wanted verdict, but at least for an eighth of the budget, and a positive control for at least half of the budget.
// It judges a control that several claims share once, at the alpha and seed of the first claim, and takes the shared
// run's result for a control that is also a claim. The long form judges every control at the full budget. By default
// the test covers every third control.
func TestTwins(t *testing.T) {
	l, pool := ledger(t), empirical.NewPool(2)
	judge := func(c verify.Claim) func() (verify.Evidence, error) {
		return sync.OnceValues(func() (verify.Evidence, error) {
			s := verify.Settings{Budget: verify.Quick, Alpha: l.Alpha(c, verify.DefaultAlpha), Seed: empirical.NewSeed(1).Derive("twin", c.ID)}
			check := c.Control.Check
			if !testutil.Asked() {
				check = untilJudged(check, c.Control.Want)
			}
			return verify.Judge(context.Background(), check, s, pool, nil)
		})
	}
	common := make(map[verify.Check]func() (verify.Evidence, error))
	if !testutil.Asked() {
		results := judgedOnce(t).run.Results
		for i, c := range l.Claims() {
			if isShared(c.Check) {
				common[c.Check] = func() (verify.Evidence, error) { return results[i].Evidence, nil }
			}
		}
	}
	for i, c := range l.Claims() {
		if i%3 != 0 && !testutil.Included() {
			continue
		}
		twin := judge(c)
		if isShared(c.Control.Check) && !testutil.Asked() {
			if common[c.Control.Check] == nil {
				common[c.Control.Check] = twin
			}
			twin = common[c.Control.Check]
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			if c.Control.Check == nil && untestable(t, c) {
				return
			}
			if c.Control.Check == nil || len(c.Control.Want) == 0 || c.Control.Fault == "" {
				t.Fatal("the claim has no control, or a control without wanted verdicts or a fault")
			}
			e, err := twin()
			if err != nil {
				t.Fatal(err)
			}
			checkSecondLook(t, e)
			if !slices.Contains(c.Control.Want, e.Verdict) {
				t.Errorf("control (%s): %s, want one of %v; at %s claimed %v, measured %v",
					c.Control.Fault, e.Verdict, c.Control.Want, e.WorstCase, e.Claimed.X, e.Measured.X)
			}
		})
	}
}

func isShared(c verify.Check) bool { return reflect.ValueOf(c).Kind() == reflect.Pointer }

// untilJudged returns a check that stops sampling once it has a wanted verdict. A negative control can stop early. A
// positive control, which later samples could still refute, continues to at least half of its budget. A control that
// must be inconclusive uses the whole budget, and a trial with its own stopping rule keeps it.
func untilJudged(check verify.Check, want []verify.Verdict) verify.Check {
	negative, positive := true, true
	for _, v := range want {
		negative = negative && (v == verify.Refuted || v == verify.Contradictory)
		positive = positive && (v == verify.Consistent || v == verify.Holds)
	}
	if negative == positive {
		return check
	}
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		trial, err := check.Prepare(ctx, s)
		if err != nil || trial == nil || trial.Plan().Shards < looks {
			return trial, err
		}
		if _, stops := trial.(empirical.Stopper); stops && positive {
			return trial, nil
		}
		c := &control{Trial: trial, want: want, earliest: looks / 2, order: spread(trial.Plan().Shards)}
		if negative {
			c.earliest = 2 // earlier looks have too few samples for a verdict
			err = c.focus(ctx, s.Seed.Derive("sample"))
		}
		return c, err
	})
}

// looks is the number of times that a control is judged while it is sampled; the last look is at the end. Each look
// spends the claim's alpha, which is a few times 1e-9.
const looks = 16

// spread returns a permutation of n shards in steps of about 0.618 n, so that its first entries cover all cells and
// points evenly.
func spread(n int) []int {
	step := int(0.618 * float64(n))
	for gcd(step, n) != 1 {
		step++
	}
	order := make([]int, n)
	for k := range order {
		order[k] = k * step % n
	}
	return order
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// control is a trial that judges the tally at each look.
type control struct {
	verify.Trial
	want     []verify.Verdict
	earliest int // first look that may stop the trial
	order    []int
	drawn    []empirical.Tally // tallies of the first shards in the order
	merged   int
}

// Sample returns the tallies of the trial's shards in the control's order.
func (c *control) Sample(ctx context.Context, s empirical.Shard) (empirical.Tally, error) {
	if s.Index < len(c.drawn) {
		return c.drawn[s.Index], nil
	}
	s.Index = c.order[s.Index]
	return c.Trial.Sample(ctx, s)
}

// focus draws the shards of the first look, finds the worst cell, and moves the shards of this cell to the front: one
// cell that contradicts the claim is enough. If it does not, the trial still samples the other shards.
func (c *control) focus(ctx context.Context, seed empirical.Seed) error {
	n, samples, merged := len(c.order), c.Plan().SamplesPerShard, c.NewTally()
	draw := func() error {
		k := len(c.drawn)
		t, err := c.Trial.Sample(ctx, empirical.Shard{Index: c.order[k], Seed: seed.Shard(k), Samples: samples})
		if err != nil {
			return err
		}
		c.drawn = append(c.drawn, t)
		text, err := t.MarshalJSON() // Merge may keep parts of its argument, and t is merged again later: merge a copy
		if err != nil {
			return err
		}
		same := c.NewTally()
		return errors.Join(same.UnmarshalJSON(text), merged.Merge(same))
	}
	for len(c.drawn) < c.earliest*n/looks {
		if err := draw(); err != nil {
			return err
		}
	}
	before, err := c.Judge(merged)
	cells := len(before.Cells)
	worst := slices.IndexFunc(before.Cells, func(x verify.Cell) bool { return x.Label == before.WorstCase })
	if err != nil || slices.Contains(c.want, before.Verdict) || worst < 0 || n%cells != 0 {
		return nil
	}
	for from := 0; from < n; from += n / cells { // the shards of a cell are consecutive
		c.prefer(from, from+n/cells)
		if err := draw(); err != nil {
			return err
		}
		now, err := c.Judge(merged)
		if err != nil || len(now.Cells) != cells || now.Cells[worst].Samples > before.Cells[worst].Samples {
			return nil
		}
	}
	return nil
}

// prefer moves the remaining shards with from ≤ index < to before the other remaining shards.
func (c *control) prefer(from, to int) {
	other := func(i int) int {
		if from <= i && i < to {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(c.order[len(c.drawn):], func(a, b int) int { return other(a) - other(b) })
}

// Done judges the tally at each look from the earliest on and reports whether it has a wanted verdict.
func (c *control) Done(merged empirical.Tally) bool {
	c.merged++
	n := len(c.order)
	if look := c.merged * looks / n; look < c.earliest || look == (c.merged-1)*looks/n {
		return false
	}
	e, err := c.Judge(merged)
	return err == nil && slices.Contains(c.want, e.Verdict)
}

// untestable reports whether a claim has no observable consequence, so that it needs no control.
func untestable(t *testing.T, c verify.Claim) bool {
	t.Helper()
	e, err := verify.Judge(context.Background(), c.Check, verify.Settings{Budget: verify.Quick, Alpha: 0.1}, empirical.NewPool(1), nil)
	return err == nil && e.Verdict == verify.Untestable
}
