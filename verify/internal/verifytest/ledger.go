package verifytest

import (
	"context"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// decides returns a check that has the given verdict without sampling.
func decides(v verify.Verdict) verify.Check {
	return verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
		return verify.Decided{Verdict: v, Exact: true}, nil
	})
}

// Claim returns a claim that holds without sampling.
func Claim(id string) verify.Claim {
	return verify.Claim{ID: id, Source: "Lemma 1", Statement: "it is so", Kind: verify.Identity,
		Check: decides(verify.Holds)}
}

// LedgerOf returns a ledger of the claims, and fails the test if they are invalid.
func LedgerOf(t testing.TB, claims ...verify.Claim) *verify.Ledger {
	t.Helper()
	l, err := verify.NewLedger(claims...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// RunOptions returns options for a quick run with a fixed seed.
func RunOptions(workers int) verify.Options {
	return verify.Options{Seed: 1, Alpha: verify.DefaultAlpha, Budget: verify.Quick, Workers: workers}
}

// TrialOf is a trial with three shards of ten samples, made from functions. By default it counts the samples, and its
// verdict is consistent.
type TrialOf struct {
	Sampling func(ctx context.Context, s empirical.Shard) (empirical.Tally, error)
	Judging  func(empirical.Tally) (verify.Evidence, error)
}

func (TrialOf) Plan() empirical.Plan { return empirical.Plan{Shards: 3, SamplesPerShard: 10} }

func (TrialOf) NewTally() empirical.Tally { return empirical.Counts{0} }

func (t TrialOf) Sample(ctx context.Context, s empirical.Shard) (empirical.Tally, error) {
	if t.Sampling == nil {
		return empirical.Counts{s.Samples}, nil
	}
	return t.Sampling(ctx, s)
}

func (t TrialOf) Judge(m empirical.Tally) (verify.Evidence, error) {
	if t.Judging == nil {
		return verify.Evidence{Verdict: verify.Consistent, Samples: m.(empirical.Counts)[0]}, nil
	}
	return t.Judging(m)
}

func (t TrialOf) Prepare(context.Context, verify.Settings) (verify.Trial, error) { return t, nil }

// ClaimWith returns a claim with the given check.
func ClaimWith(id string, c verify.Check) verify.Claim { out := Claim(id); out.Check = c; return out }
