package checkpoint_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/checkpoint"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// otherRuns returns heads that differ from the given one in one field each.
var otherRuns = []struct {
	reason string
	change func(*checkpoint.Head)
	says   string
}{
	{"another version wrote it", func(h *checkpoint.Head) { h.Version = "v1" }, "version"},
	{"another command", func(h *checkpoint.Head) { h.Command = []string{"audit", "p"} }, `holds a run of ["audit" "p"]`},
	{"a word less", func(h *checkpoint.Head) { h.Command = h.Command[:1] }, `holds a run of ["verify"]`},
	{"other claims", func(h *checkpoint.Head) { h.Claims = strings.Repeat("0", 24) }, "other claims"},
	{"another configuration", func(h *checkpoint.Head) { h.Config = "c1" }, "another configuration"},
	{"another seed", func(h *checkpoint.Head) { h.Seed = 2 }, "has the seed 2, not 1"},
	{"another alpha", func(h *checkpoint.Head) { h.Alpha /= 2 }, "error probability"},
	{"another budget", func(h *checkpoint.Head) { h.Budget = verify.Thorough }, "budget"},
	{"with data", func(h *checkpoint.Head) { h.Data = true }, "data"},
}

func head(shard, of int) checkpoint.Head {
	h := checkpoint.NewHead("v0", []string{"verify", "p"}, []verify.Claim{verifytest.Claim("p/c"), verifytest.Claim("p/d")}, verifytest.RunOptions(1))
	h.Config, h.Shard, h.Total = "c0", shard, of
	return h
}

// begun writes a journal that contains only its head.
func begun(t *testing.T, h checkpoint.Head) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal")
	j, err := checkpoint.Open(path, h)
	if err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Every reader rejects a journal of another run and names the difference. Otherwise tallies of two distributions would be
// added.
func TestOtherRunsAreRefused(t *testing.T) {
	refused := func(t *testing.T, what, says string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want one about %q", what, err, says)
		}
	}
	for _, c := range otherRuns {
		t.Run(c.reason, func(t *testing.T) {
			whole, second := head(1, 1), head(2, 2)
			c.change(&whole)
			c.change(&second)
			_, err := checkpoint.Open(begun(t, whole), head(1, 1))
			refused(t, "a checkpoint", c.says, err)
			_, _, err = checkpoint.Merge([]string{begun(t, head(1, 2)), begun(t, second)})
			refused(t, "a part", c.says, err)
			j, err := checkpoint.Open(filepath.Join(t.TempDir(), "journal"), head(1, 2))
			if err != nil {
				t.Fatal(err)
			}
			refused(t, "what another part was prepared on", c.says, j.PreparedBy(begun(t, second)))
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A journal of the same run is accepted. Its shard may differ if only preparations are read from it.
func TestTheSameRunIsTaken(t *testing.T) {
	path := begun(t, head(1, 1))
	j, err := checkpoint.Open(path, head(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []checkpoint.Head{head(1, 2), head(3, 3)} {
		if err := j.PreparedBy(begun(t, other)); err != nil {
			t.Errorf("prepared by part %d of %d: %v", other.Shard, other.Total, err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, merged, err := checkpoint.Merge([]string{begun(t, head(2, 2)), begun(t, head(1, 2))}); err != nil || merged.Total != 2 || merged.Seed != 1 {
		t.Errorf("merged to %+v, error %v", merged, err)
	}
	for reason, h := range map[string]checkpoint.Head{"is one of 3 shards, not of 2": head(1, 3), "is shard 2, not 1": head(2, 2)} {
		if _, err := checkpoint.Open(begun(t, h), head(1, 2)); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("error %v, want one that says %q", err, reason)
		}
	}
}

// The digest of the claims depends on their order and on where each id ends.
func TestClaimsAreDigested(t *testing.T) {
	digest := func(ids ...string) string {
		var claims []verify.Claim
		for _, id := range ids {
			claims = append(claims, verifytest.Claim(id))
		}
		return checkpoint.NewHead("v0", nil, claims, verifytest.RunOptions(1)).Claims
	}
	seen := make(map[string]bool)
	for _, ids := range [][]string{{}, {"p/c"}, {"p/c", "p/d"}, {"p/d", "p/c"}, {"p/cp/d"}, {"p/c", "p/c"}} {
		if d := digest(ids...); seen[d] {
			t.Errorf("%q has the digest of others", ids)
		} else {
			seen[d] = true
		}
	}
}
