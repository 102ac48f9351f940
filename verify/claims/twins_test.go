package claims

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/longtest"
	"github.com/dpverify/dpverify/verify"
)

// Every check must be able to fail: its twin is judged the other way. One that several claims
// share is judged once, at the alpha and the seed of the first of them, and one that is the check
// of another claim with the ledger; each anew in the long form. A negative control is sampled
// until it is judged as it must be, at an eighth of the budget at the earliest; a positive one,
// which stands only if it stands to the end, and both in the long form, as far as the budget goes.
func TestTwins(t *testing.T) {
	l, pool := ledger(t), empirical.NewPool(2)
	judge := func(c verify.Claim) func() (verify.Evidence, error) {
		return sync.OnceValues(func() (verify.Evidence, error) {
			s := verify.Settings{Budget: verify.Quick, Alpha: l.Alpha(c, verify.DefaultAlpha), Seed: empirical.NewSeed(1).Derive("twin", c.ID)}
			check := c.Twin.Check
			if !longtest.Asked() {
				check = untilFaulty(check, c.Twin.Want)
			}
			return verify.Judge(context.Background(), check, s, pool, nil)
		})
	}
	common := make(map[verify.Check]func() (verify.Evidence, error))
	if !longtest.Asked() {
		results := judgedOnce(t).run.Results
		for i, c := range l.Claims() {
			if isShared(c.Check) {
				common[c.Check] = func() (verify.Evidence, error) { return results[i].Evidence, nil }
			}
		}
	}
	for _, c := range l.Claims() {
		twin := judge(c)
		if isShared(c.Twin.Check) && !longtest.Asked() {
			if common[c.Twin.Check] == nil {
				common[c.Twin.Check] = twin
			}
			twin = common[c.Twin.Check]
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			if c.Twin.Check == nil && untestable(t, c) {
				return
			}
			if c.Twin.Check == nil || len(c.Twin.Want) == 0 || c.Twin.Fault == "" {
				t.Fatal("the claim has no complete twin")
			}
			e, err := twin()
			if err != nil {
				t.Fatal(err)
			}
			checkSecondLook(t, e)
			if !slices.Contains(c.Twin.Want, e.Verdict) {
				t.Errorf("twin (%s): %s, want one of %v; measured %v against %v at %s",
					c.Twin.Fault, e.Verdict, c.Twin.Want, e.Measured.X, e.Claimed.X, e.Witness)
			}
		})
	}
}

func isShared(c verify.Check) bool { return reflect.ValueOf(c).Kind() == reflect.Pointer }

// untilFaulty is the check of a negative control whose trial has enough once it is judged so.
func untilFaulty(check verify.Check, want []verify.Verdict) verify.Check {
	sound := func(v verify.Verdict) bool { return v != verify.Refuted && v != verify.Inconsistent }
	if slices.ContainsFunc(want, sound) {
		return check
	}
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		trial, err := check.Prepare(ctx, s)
		if err != nil || trial == nil || trial.Plan().Shards < looks {
			return trial, err
		}
		return &faultyTrial{Trial: trial, want: want}, nil
	})
}

// looks are taken at a control while it is sampled, the last of them at the end. Each spends the
// claim's alpha, which is a few times 1e-9.
const looks = 16

// faultyTrial takes the shards in an order in which the first of them are of all cells or points
// alike, and judges what there is at each look.
type faultyTrial struct {
	verify.Trial
	want   []verify.Verdict
	merged int
}

// Sample takes the shards of the trial in steps of about the golden section of their number.
func (f *faultyTrial) Sample(ctx context.Context, s empirical.Shard) (empirical.Tally, error) {
	n := f.Plan().Shards
	step := int(0.618 * float64(n))
	for gcd(step, n) != 1 {
		step++
	}
	s.Index = s.Index * step % n
	return f.Trial.Sample(ctx, s)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Done judges from the second look on: before, there are too few samples to judge by.
func (f *faultyTrial) Done(merged empirical.Tally) bool {
	f.merged++
	n := f.Plan().Shards
	if look := f.merged * looks / n; look < 2 || look == (f.merged-1)*looks/n {
		return false
	}
	e, err := f.Judge(merged)
	return err == nil && slices.Contains(f.want, e.Verdict)
}

// untestable tells whether nothing observable follows from a claim: it needs no twin.
func untestable(t *testing.T, c verify.Claim) bool {
	t.Helper()
	e, err := verify.Judge(context.Background(), c.Check, verify.Settings{Budget: verify.Quick, Alpha: 0.1}, empirical.NewPool(1), nil)
	return err == nil && e.Verdict == verify.Untestable
}
