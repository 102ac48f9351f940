package privacy

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// ownNoise adds Laplace noise from the runtime's own source.
type ownNoise struct{}

func (ownNoise) Release(_ *rand.Rand, x float64) (float64, error) {
	return laplaceNoise(1).Release(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), x)
}

// TestUnseededMechanismInAJournal checks that an audit of an unseeded mechanism is neither divided into shards nor
// resumed, because a repeated search would choose other events. An audit of a seeded mechanism is.
func TestUnseededMechanismInAJournal(t *testing.T) {
	for _, own := range []bool{true, false} {
		a := laplaceAudit(1, 1, 1000)
		if own {
			a.Mechanism = ownNoise{}
		}
		for _, c := range []struct {
			of, times int
			says      string
		}{{1, 1, ""}, {1, 2, "delete the file"}, {2, 1, "run this claim in one shard"}} {
			path := filepath.Join(t.TempDir(), "journal")
			var last verify.Run
			for range c.times {
				last = verifytest.MustRun(t, verifytest.Journalled{Path: path, Shard: 1, Of: c.of}, a)
			}
			said := ""
			for _, r := range last.Results {
				if r.Verdict == verify.Error {
					said += strings.Join(r.Warnings, "; ")
				}
			}
			if refused := said != ""; refused != (own && c.says != "") || refused && !strings.Contains(said, c.says) {
				t.Errorf("own randomness %v, %d shards, %d runs: %q", own, c.of, c.times, said)
			}
		}
	}
}
