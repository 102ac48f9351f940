package verify

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/streams"
)

// namesakes are different pairs of one name.
func namesakes(n int) (out []Neighbours[float64]) {
	for i := range n {
		out = append(out, Neighbours[float64]{Name: "0", A: float64(i), B: float64(i) + 1})
	}
	return out
}

// streamSubjects are checks of every kind, whose pairs and cells have one name.
func streamSubjects() map[string]Check {
	noisy := func(claim float64, pairs int, anytime bool) Audit[float64, float64] {
		return Audit[float64, float64]{Mechanism: laplaceNoise(1), Pairs: namesakes(pairs), Guarantee: ApproximateDP(claim, 0), Samples: 1200, Anytime: anytime,
			LogLikelihood: laplaceNoise(1).density}
	}
	r := empirical.NewSeed(1).Rand()
	drawn := func() any { return r.NormFloat64() }
	recorded := RecordedAudit{A: recording("a", 400, drawn), B: recording("b", 400, drawn), Guarantee: ApproximateDP(1, 0)}
	coin := onCoins(2000, faithfulCoins(1), 1, 0, said(0), said(1))
	coin.Cells = append(coin.Cells, coin.Cells[0])
	rate := noisyRate(func(x float64) float64 { return 1 / x }, func(r *rand.Rand) float64 { return r.Float64() })
	rate.Grid = []float64{1000, 1000.0001, 1000.0002, 1000.0003, 1000.0004, 1000.0005} // one name to six digits
	twice := vector(2000, []float64{1, 2}, rarely([]float64{1, 2}, 0.5))
	return map[string]Check{
		"audit": noisy(1, 1, false), "audit of namesakes": noisy(1, 3, false), "false claim": noisy(0.2, 2, false),
		"anytime": noisy(1, 3, true), "anytime, false claim": noisy(0.2, 3, true),
		"precision": Precision[float64, float64]{Mechanism: laplaceNoise(1), Pairs: namesakes(2), Guarantee: ApproximateDP(1, 0), Samples: 1200},
		"recorded":  recorded, "recorded precision": RecordedPrecision(recorded),
		"sampled privacy": coin, "unbiased": unbiased(twice, twice), "rate": rate, "compare": normals(0, 1, 2),
		"sensitivity": SensitivityCheck{Quantity: "mean", Norm: L2, Adjacency: ReplaceOne, Evaluations: 50, Cells: []SensitivityCell{
			{At: "n = 4", Map: sumOf(4, addPoint), Out: 2, N: 4, Records: unitBall(2, L2), Claimed: 1},
			{At: "n = 5", Map: sumOf(5, addPoint), Out: 2, N: 5, Records: unitBall(2, L2), Claimed: 1},
		}},
		"pairs": CheckFunc(func(ctx context.Context, s Settings) (Trial, error) {
			p := pairAudit(noisySum(one, func(int) float64 { return 0.2 }), 2000, Datasets[float64]{Adjacency: AddRemoveOne, Values: []float64{0, 1}, Most: 3})
			f, err := p.Judge(ctx, s, testPool)
			if err == nil && f.Certificates == 0 {
				err = errors.New("nothing was shrunk")
			}
			return Decided(f.Evidence), err
		}),
	}
}

// No two purposes, pairs, views, shards and claims of a run have one stream: their
// samples would not be independent, and nothing in the figures would show it.
func TestStreamsAreUsedOnce(t *testing.T) {
	var run streams.Repeats // over all claims: they are one run
	subjects := streamSubjects()
	stop := streams.Watch(run.Begun)
	defer stop()
	for name, check := range subjects {
		before := run.Len()
		s := Settings{Budget: Standard, Alpha: 0.05, Seed: empirical.NewSeed(1).Derive("claim", name)}
		if _, err := Judge(context.Background(), check, s, empirical.NewPool(2), nil); err != nil && !errors.Is(err, empirical.ErrNoEvent) {
			t.Errorf("%s: %v", name, err)
		}
		if run.Len() == before {
			t.Errorf("%s: no stream was seen", name)
		}
	}
	for _, found := range run.Found() {
		t.Error(found)
	}
}

// A check whose samples of two pairs come from one stream is found.
func TestRepeatedStreamsAreFound(t *testing.T) {
	var run streams.Repeats
	defer streams.Watch(run.Begun)()
	s := Settings{Seed: empirical.NewSeed(1)}
	for _, p := range namesakes(2) {
		s.Stream("search", p.Name)
	}
	if len(run.Found()) != 1 {
		t.Errorf("found %q", run.Found())
	}
}
