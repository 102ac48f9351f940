package privacy

import (
	"context"
	"errors"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// namesakes returns different pairs with the same name.
func namesakes(n int) (out []inputs.Pair[float64]) {
	for i := range n {
		out = append(out, inputs.Pair[float64]{Name: "0", A: float64(i), B: float64(i) + 1})
	}
	return out
}

// TestAuditStreamsAreUsedOnce checks that no privacy check uses a random stream twice, even if all pairs and cells have
// the same name.
func TestAuditStreamsAreUsedOnce(t *testing.T) {
	noisy := func(claim float64, pairs int, anytime bool) Audit[float64, float64] {
		return Audit[float64, float64]{Mechanism: laplaceNoise(1), Pairs: namesakes(pairs), Guarantee: ApproximateDP(claim, 0), Samples: 1200, Anytime: anytime,
			LogLikelihood: laplaceNoise(1).density}
	}
	shared := noisy(1, 3, false)
	shared.LogLikelihood = nil
	r := empirical.NewSeed(1).Rand()
	drawn := func() any { return r.NormFloat64() }
	recorded := RecordedAudit{A: recordingOf("a", 400, drawn), B: recordingOf("b", 400, drawn), Guarantee: ApproximateDP(1, 0)}
	coin := onCoins(2000, faithfulCoins(1), 1, 0, said(0), said(1))
	coin.Cells = append(coin.Cells, coin.Cells[0])
	verifytest.StreamsOnce(t, map[string]verify.Check{
		"audit": noisy(1, 1, false), "audit of namesakes": noisy(1, 3, false), "audit of shared inputs": shared, "false claim": noisy(0.2, 2, false),
		"anytime": noisy(1, 3, true), "anytime, false claim": noisy(0.2, 3, true),
		"precision": FloatingPoint[float64, float64]{Mechanism: laplaceNoise(1), Pairs: namesakes(2), Guarantee: ApproximateDP(1, 0), Samples: 1200},
		"recorded":  recorded, "recorded precision": RecordedPrecision(recorded), "sampled privacy": coin,
		"pairs": verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
			p := pairAudit(noisySum(one, func(int) float64 { return 0.2 }), 800, inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []float64{0, 1}, MaxRecords: 3})
			f, err := p.Judge(ctx, s, verifytest.Pool)
			if err == nil && f.Certificates == 0 {
				err = errors.New("nothing was shrunk")
			}
			return verify.Decided(f.Evidence), err
		}),
	})
}
