package privacy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// point is an input of three numbers.
type point [3]float64

// noisyPoint adds Laplace noise to each number.
type noisyPoint laplaceNoise

func (m noisyPoint) Release(r *rand.Rand, x point) ([]float64, error) {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i], _ = laplaceNoise(m).Release(r, v)
	}
	return out, nil
}

// star returns pairs that share the origin, as input A or B.
func star() (pairs []inputs.Pair[point]) {
	for i := range len(point{}) {
		up, down := point{}, point{}
		up[i], down[i] = 1, -1
		pairs = append(pairs, inputs.Pair[point]{Name: fmt.Sprint(i, " up"), B: up},
			inputs.Pair[point]{Name: fmt.Sprint(i, " down"), A: down})
	}
	return pairs
}

// starAudit returns an audit of a claim on a mechanism whose true ε is attained on every pair.
func starAudit(claim, truth float64, samples int64) Audit[point, []float64] {
	return Audit[point, []float64]{Mechanism: noisyPoint(1 / truth), Pairs: star(), Guarantee: ApproximateDP(claim, 0), Samples: samples}
}

// preparedStar returns the trial of such an audit.
func preparedStar(t *testing.T, a Audit[point, []float64], seed uint64) *auditTrial[point, []float64] {
	t.Helper()
	trial, err := a.Prepare(context.Background(), verify.Settings{Budget: verify.Standard, Alpha: 0.05, Seed: empirical.NewSeed(seed)})
	if err != nil {
		t.Fatal(err)
	}
	return trial.(*auditTrial[point, []float64])
}

// symbols is ε-randomized response among seven symbols.
type symbols float64

func (m symbols) Release(r *rand.Rand, x int) (int, error) {
	const n = 7
	if e := math.Exp(float64(m)); r.Float64()*(e+n-1) < e {
		return x, nil
	}
	return (x + 1 + r.IntN(n-1)) % n, nil
}

// symbolAudit returns an audit of pairs that share the symbol 0, as input A or B.
func symbolAudit(claim, truth float64, samples int64) Audit[int, int] {
	a := Audit[int, int]{Mechanism: symbols(truth), Guarantee: ApproximateDP(claim, 0), Samples: samples}
	for i := range 6 {
		p := inputs.Pair[int]{B: i + 1}
		if i%2 == 0 {
			p = p.Swapped()
		}
		a.Pairs = append(a.Pairs, p)
	}
	return a
}

// TestSharedInputsKeepTheError checks that a true claim is refuted with probability at most alpha although all pairs use
// the samples of one shared input, and that a claim of half of the loss is refuted.
func TestSharedInputsKeepTheError(t *testing.T) {
	verifytest.WantErrorsAtMost(t, symbolAudit(1, 1, 400), 0.05, verifytest.Refutations(1, 4))
	for seed := range uint64(3) {
		if e := judgeAudit(t, symbolAudit(1, 2, 1000), seed+1, 2); e.Verdict != verify.Refuted {
			t.Errorf("seed %d: a loss of twice the claim is %s", seed+1, e.Verdict)
		}
	}
}

// TestSharedInputsAtAnyWorkersAndParts checks that the evidence is the same for any number of workers and for
// merged parts.
func TestSharedInputsAtAnyWorkersAndParts(t *testing.T) {
	a := starAudit(1, 1.3, 400)
	verifytest.SameEvidence(t, judgeAudit(t, a, 5, 4), judgeAudit(t, a, 5, 1))
	whole := verifytest.WholeRun(t, a)
	var paths []string
	for i := range 3 {
		path := filepath.Join(t.TempDir(), "part")
		verifytest.MustRun(t, verifytest.Journalled{Path: path, Shard: i + 1, Of: 3}, a)
		paths = append(paths, path)
	}
	merged, err := verifytest.MergeRun(t, a, paths...)
	if err != nil {
		t.Fatal(err)
	}
	verifytest.SameEvidence(t, merged, whole)
}

// TestFoldsOfASharedInputAreApart checks that the two folds of a shared input have no release in common. The events that
// one fold chose are counted in the rows of the other.
func TestFoldsOfASharedInputAreApart(t *testing.T) {
	ctx := context.Background()
	trial := preparedStar(t, starAudit(1, 1, 2000), 3)
	const rows = 900
	shared, err := trial.sharedRows(ctx, rows)
	if err != nil {
		t.Fatal(err)
	}
	origin := inputPlace{}
	pool := shared[origin]
	if len(shared) != 1 || pool == nil || pool[0].Len() != maxPooled*rows || pool[1].Len() != maxPooled*rows {
		t.Fatalf("pools of %d inputs, want one of %d rows a fold", len(shared), maxPooled*rows)
	}
	seen := map[float64]int{}
	for fold := range pool {
		for i := range pool[fold].Len() {
			seen[pool[fold].Row(i)[1]]++
		}
	}
	if len(seen) != 2*maxPooled*rows {
		t.Errorf("%d different releases among %d", len(seen), 2*maxPooled*rows)
	}
	found, shared, err := trial.searchFolds(ctx, rows)
	if err != nil {
		t.Fatal(err)
	}
	count := func(w *distinguisher.Event, rows *distinguisher.Rows) (n int64) {
		for _, m := range marksIn(w, rand.New(rand.NewPCG(1, 2)), rows) {
			if m.Hit() {
				n++
			}
		}
		return n
	}
	for pair, f := range found {
		for fold := range f {
			c := choice{pair, f[fold].found[0]}
			v := view{chosen: []choice{c}}
			if err := trial.countHeldOut(ctx, &v, fold, found, shared); err != nil {
				t.Fatal(err)
			}
			side := 0
			if trial.sharing.Input(c.at(0)) != origin {
				side = 1
			}
			pool := shared[origin]
			if want := count(c.witness, pool[1-fold]); v.heldOut[side][0] != want || v.heldOutN[side] != maxPooled*rows || v.heldOutN[1-side] != rows {
				t.Errorf("pair %d, fold %d: %s has %d of %v, want %d of the other fold (%d of its own)", pair, fold, c.witness.Event, v.heldOut[side],
					v.heldOutN, want, count(c.witness, pool[fold]))
			}
		}
	}
}

// TestViewsThatCountTheirOwnPoolErr is a negative control. Views that count in the pool that chose their events err more
// often than alpha permits, and the audit's views do not.
func TestViewsThatCountTheirOwnPoolErr(t *testing.T) {
	errsOfOwnSamples(t, symbolAudit(0.1, 0.1, 2000))
}

// counting counts the releases of each input.
type counting struct {
	noisyPoint
	mu    *sync.Mutex
	drawn map[point]int64
}

func (m counting) Release(r *rand.Rand, x point) ([]float64, error) {
	m.mu.Lock()
	m.drawn[x]++
	m.mu.Unlock()
	return m.noisyPoint.Release(r, x)
}

// TestSharedInputsCostNoMore checks that an input is drawn at most as often as its pairs would draw it separately.
func TestSharedInputsCostNoMore(t *testing.T) {
	const samples = 1000
	m := counting{noisyPoint(1), new(sync.Mutex), map[point]int64{}}
	a := starAudit(1, 1, samples)
	a.Mechanism = m
	judgeAudit(t, a, 1, 2)
	const drawnTwice, luck = 2 * 64, 300 // the test for repeatability, and the random pair of each sample
	for input, n := range m.drawn {
		most := int64(samples + drawnTwice + luck)
		if input == (point{}) {
			most *= int64(len(a.Pairs))
		}
		if n > most {
			t.Errorf("%d releases of %v, want at most %d", n, input, most)
		}
	}
}
