package verify

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

// ownNoise adds Laplace noise from the runtime's own source.
type ownNoise struct{}

func (ownNoise) Release(_ *rand.Rand, x float64) (float64, error) {
	return laplaceNoise(1).Release(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), x)
}

// A mechanism with randomness of its own is not divided, nor gone on with: its events would
// be chosen anew. A seeded one is.
func TestUnseededMechanismInAJournal(t *testing.T) {
	for _, own := range []bool{true, false} {
		a := laplaceAudit(1, 1, 1000)
		if own {
			a.Mechanism = ownNoise{}
		}
		claim := Claim{ID: "p/own", Check: a}
		for _, c := range []struct {
			of, times int
			says      string
		}{{1, 1, ""}, {1, 2, "delete the file"}, {2, 1, "run this claim whole"}} {
			path := filepath.Join(t.TempDir(), "journal")
			var err error
			for range c.times {
				head := NewJournalHead("v1", nil, []Claim{claim}, Options{})
				head.Of = c.of
				j, openErr := OpenJournal(path, head)
				if openErr != nil {
					t.Fatal(openErr)
				}
				_, err = judge(context.Background(), j.Check(claim), Settings{Budget: Standard, Alpha: 0.05, Seed: empirical.NewSeed(1)},
					empirical.Options{Pool: empirical.NewPool(1), Shelf: j.Shelf(claim.ID)})
				if closeErr := j.Close(); closeErr != nil {
					t.Fatal(closeErr)
				}
			}
			if refused := err != nil && !errors.Is(err, empirical.ErrPartial); refused != (own && c.says != "") || refused && !strings.Contains(err.Error(), c.says) {
				t.Errorf("own randomness %v, %d shards, %d runs: %v", own, c.of, c.times, err)
			}
		}
	}
}
