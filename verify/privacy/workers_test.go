package privacy

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// releasesAtOnce is a mechanism that records how many of its releases run at the same time.
type releasesAtOnce struct {
	datasetMechanism
	now, most *atomic.Int64
}

func (m releasesAtOnce) Release(r *rand.Rand, input []float64) (float64, error) {
	n := m.now.Add(1)
	defer m.now.Add(-1)
	for most := m.most.Load(); n > most && !m.most.CompareAndSwap(most, n); most = m.most.Load() {
	}
	runtime.Gosched() // lets another waiting release run
	return m.datasetMechanism.Release(r, input)
}

// TestAuditsKeepToTheWorkers checks that no more releases run at the same time than the run has workers.
func TestAuditsKeepToTheWorkers(t *testing.T) {
	numbers := []float64{0, 1}
	broken := noisySum(one, func(int) float64 { return 0.3 })
	pairs := []inputs.Pair[[]float64]{
		{Name: "one", A: []float64{1}, B: []float64{0}}, {Name: "two", A: []float64{1, 1}, B: []float64{1, 0}}, {Name: "three", A: []float64{1, 0, 1}, B: []float64{1, 0, 0}},
	}
	for _, c := range []struct {
		mode  string
		judge func(m verify.Mechanism[[]float64, float64], s verify.Settings, pool *empirical.Pool) (verify.Evidence, error)
	}{
		{"fixed samples, the two folds of one pair", audited(Audit[[]float64, float64]{Pairs: pairs[:1]})},
		{"fixed samples, several pairs", audited(Audit[[]float64, float64]{Pairs: pairs})},
		{"anytime, several pairs", audited(Audit[[]float64, float64]{Pairs: pairs, Anytime: true})},
		{"precision", func(m verify.Mechanism[[]float64, float64], s verify.Settings, pool *empirical.Pool) (verify.Evidence, error) {
			return verify.Judge(context.Background(), FloatingPoint[[]float64, float64]{Mechanism: m, Pairs: pairs, Guarantee: ApproximateDP(1, 0), Samples: 2000}, s, pool, nil)
		}},
		{"the search for pairs, and shrinking", func(m verify.Mechanism[[]float64, float64], s verify.Settings, pool *empirical.Pool) (verify.Evidence, error) {
			p := PairAudit[[]float64, float64]{
				Audit: Audit[[]float64, float64]{Mechanism: m, Guarantee: ApproximateDP(1, 0), Samples: 1000},
				Space: inputs.Datasets[float64]{Adjacency: inputs.ReplaceOneRecord, Values: numbers, MaxRecords: 3},
			}
			found, err := p.Judge(context.Background(), s, pool)
			if err == nil && found.Certificates == 0 {
				t.Error("nothing was shrunk")
			}
			return found.Evidence, err
		}},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			for _, workers := range []int64{1, 2} {
				m := releasesAtOnce{broken, new(atomic.Int64), new(atomic.Int64)}
				s := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
				if _, err := c.judge(m, s, empirical.NewPool(int(workers))); err != nil {
					t.Fatal(err)
				}
				if most := m.most.Load(); most > workers || most == 0 {
					t.Errorf("%d releases at the same time on %d workers", most, workers)
				}
			}
		})
	}
}

// audited returns a function that judges an audit with 2000 samples on the workers of a pool.
func audited(a Audit[[]float64, float64]) func(verify.Mechanism[[]float64, float64], verify.Settings, *empirical.Pool) (verify.Evidence, error) {
	return func(m verify.Mechanism[[]float64, float64], s verify.Settings, pool *empirical.Pool) (verify.Evidence, error) {
		a.Mechanism, a.Guarantee, a.Samples = m, ApproximateDP(1, 0), 2000
		return verify.Judge(context.Background(), a, s, pool, nil)
	}
}
