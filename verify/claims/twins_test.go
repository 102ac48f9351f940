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

// Every check must be able to fail: its twin is judged the other way. One that several claims
// share is judged once, at the alpha and the seed of the first of them, and one that is the check
// of another claim with the ledger; each anew in the long form. A negative control is sampled
// until it is judged as it must be, at an eighth of the budget at the earliest, a positive one at a
// half of it; both in the long form as far as the budget goes. Without
// DPVERIFY_LONG the test judges every third control.
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
				t.Fatal("the claim has no complete twin")
			}
			e, err := twin()
			if err != nil {
				t.Fatal(err)
			}
			checkSecondLook(t, e)
			if !slices.Contains(c.Control.Want, e.Verdict) {
				t.Errorf("twin (%s): %s, want one of %v; measured %v against %v at %s",
					c.Control.Fault, e.Verdict, c.Control.Want, e.Measured.X, e.Claimed.X, e.WorstCase)
			}
		})
	}
}

func isShared(c verify.Check) bool { return reflect.ValueOf(c).Kind() == reflect.Pointer }

// untilJudged is the check of a control whose trial has enough once it is judged as it must be: the
// negative one early, the positive one, whose samples could still break it, from the half on. One
// that must be open is open to the end, and one that stops by itself does so.
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
			c.earliest = 2 // before, there are too few samples to judge by
			err = c.focus(ctx, s.Seed.Derive("sample"))
		}
		return c, err
	})
}

// looks are taken at a control while it is sampled, the last of them at the end. Each spends the
// claim's alpha, which is a few times 1e-9.
const looks = 16

// spread are n shards in steps of about the golden section of their number, so that the first of
// them are of all cells or points alike.
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

// control judges what there is at each look.
type control struct {
	verify.Trial
	want     []verify.Verdict
	earliest int // look
	order    []int
	drawn    []empirical.Tally // of the first shards of the order
	merged   int
}

// Sample takes the shards of the trial in the order of the control.
func (c *control) Sample(ctx context.Context, s empirical.Shard) (empirical.Tally, error) {
	if s.Index < len(c.drawn) {
		return c.drawn[s.Index], nil
	}
	s.Index = c.order[s.Index]
	return c.Trial.Sample(ctx, s)
}

// focus draws the shards of the first look, finds the cell that is the worst by them, and puts its
// shards before those of the others: one cell that breaks the claim is enough. All are sampled in
// the end if it does not.
func (c *control) focus(ctx context.Context, seed empirical.Seed) error {
	n, samples, merged := len(c.order), c.Plan().SamplesPerShard, c.NewTally()
	draw := func() error {
		k := len(c.drawn)
		t, err := c.Trial.Sample(ctx, empirical.Shard{Index: c.order[k], Seed: seed.Shard(k), Samples: samples})
		if err != nil {
			return err
		}
		c.drawn = append(c.drawn, t)
		text, err := t.MarshalJSON() // a merged tally may hold parts of this one, which is merged again
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
	for from := 0; from < n; from += n / cells { // the shards of a cell follow one another
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

// prefer moves those shards that are left and at least from, but below to, before the others.
func (c *control) prefer(from, to int) {
	other := func(i int) int {
		if from <= i && i < to {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(c.order[len(c.drawn):], func(a, b int) int { return other(a) - other(b) })
}

// Done judges at each look from the earliest on.
func (c *control) Done(merged empirical.Tally) bool {
	c.merged++
	n := len(c.order)
	if look := c.merged * looks / n; look < c.earliest || look == (c.merged-1)*looks/n {
		return false
	}
	e, err := c.Judge(merged)
	return err == nil && slices.Contains(c.want, e.Verdict)
}

// untestable tells whether nothing observable follows from a claim: it needs no twin.
func untestable(t *testing.T, c verify.Claim) bool {
	t.Helper()
	e, err := verify.Judge(context.Background(), c.Check, verify.Settings{Budget: verify.Quick, Alpha: 0.1}, empirical.NewPool(1), nil)
	return err == nil && e.Verdict == verify.Untestable
}
