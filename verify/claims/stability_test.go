package claims

import (
	"context"
	"os"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
)

// Verdicts at the standard budget do not depend on the seed.
func TestStability(t *testing.T) {
	if !testutil.Asked() {
		t.Skip("judges all claims at twenty seeds, which takes an hour: set " + testutil.Variable)
	}
	const seeds = 20
	l := ledger(t)
	seen := make(map[string]map[verify.Verdict][]uint64)
	for seed := range uint64(seeds) {
		o := options(seed+1, 2)
		o.Budget, o.Data = verify.Standard, os.Getenv("DPVERIFY_DATA")
		run, err := l.Run(context.Background(), l.Claims(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range run.Results {
			if seen[r.Claim.ID] == nil {
				seen[r.Claim.ID] = make(map[verify.Verdict][]uint64)
			}
			seen[r.Claim.ID][r.Verdict] = append(seen[r.Claim.ID][r.Verdict], seed+1)
		}
	}
	for _, c := range l.Claims() {
		if len(seen[c.ID]) != 1 {
			t.Errorf("%s: verdicts by seed: %v", c.ID, seen[c.ID])
		}
	}
}
