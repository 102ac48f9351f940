package claims

import (
	"context"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
)

// What is known to be wrong with learners, by what is said of the call that shows it. Nothing is found in the others.
var replayFaults = map[string]string{
	"PRESTIGE, selecting by the true label":                      "private-sampling at run.go",
	"DP-SGD, a batch clipped":                                    "where a sensitivity of 0.1 is declared",
	"OnPairStrC at a thousandth of its sensitivity":              "gaussian at run.go",
	"mini-batches, the short last one averaged over its records": "l2-laplace at laplacesgd.go",
	"DP-FW-L1 at a quarter of its sensitivity":                   "exponential at frankwolfe.go",
}

// The learners are replayed: each fault is found, in one part and with its call, and no other.
func TestReplayedLearners(t *testing.T) {
	found := map[string]bool{}
	for _, l := range replayedLearners() {
		check := l.check()
		check.Pairs = testutil.Size[int64](20, replayPairs)
		for _, part := range check.Parts() {
			f, err := check.Find(context.Background(), verify.Settings{Budget: verify.Standard, Seed: empirical.NewSeed(1)}, part)
			if err != nil {
				t.Fatalf("%s: %v", l.name, err)
			}
			if f.Verdict != verify.Refuted {
				t.Logf("%s: %s: %s", l.name, part, f.Needed)
				continue
			}
			if says, known := replayFaults[l.name]; !known || !strings.Contains(f.How, says) || found[l.name] {
				t.Errorf("%s: %s: %s", l.name, part, f.How)
			}
			found[l.name] = true
		}
	}
	if len(found) != len(replayFaults) {
		t.Errorf("found faults in %v, want those of %v", found, replayFaults)
	}
}

// Claims are those of the ledger, of the same paper; a control has none.
func TestReplayedClaims(t *testing.T) {
	ledger, err := Ledger()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range replayedLearners() {
		for _, id := range l.claims {
			if c, ok := ledger.Find(id); !ok || c.Paper != l.paper {
				t.Errorf("%s: the claim %s of %q is none", l.name, id, l.paper)
			}
		}
		if l.control && len(l.claims) > 0 {
			t.Errorf("%s is a control: no claim of the paper is about it", l.name)
		}
	}
}

// Replays leaves out the papers that are not asked for.
func TestReplays(t *testing.T) {
	all, err := Replays(context.Background(), 1, func(paper string) bool { return paper == "curricula" })
	if err != nil || len(all) != 2 || len(all[0].Finds) != 1 || len(all[1].Finds) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}
