package trace_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/trace"
)

// row is a record of the unit disc with a label, -1 or +1.
type row struct{ X, Z, Y float64 }

// rows are the records of data sets of which one is replaced; those of labels differ in the label alone.
func rows(least, most int, labels bool) neighbours.Datasets[row] {
	d := neighbours.Datasets[row]{Adjacency: neighbours.ReplaceOne, Least: least, Most: most}
	for _, x := range [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0.8, 0.6}, {-0.8, 0.6}} {
		for _, y := range []float64{1, -1} {
			if !labels || x[0] == 1 {
				d.Values = append(d.Values, row{x[0], x[1], y})
			}
		}
	}
	return d
}

func set(d []row) *dataset.Dataset {
	var values, labels []float64
	for _, r := range d {
		values, labels = append(values, r.X, r.Z), append(labels, r.Y)
	}
	return must(dataset.NewDense(2, values, labels))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

type learner = func(n *primitive.Noise, r *rand.Rand, d []row) ([]float64, error)

// laplace is one pass in batches of 2, as the last batch of which is read.
func laplace(short laplacesgd.Short) learner {
	return func(n *primitive.Noise, r *rand.Rand, d []row) ([]float64, error) {
		c := laplacesgd.Config{Rate: laplacesgd.Rate{Scale: 10}, Batch: 2, Epochs: 1, Short: short, Watch: n.Watch()}
		out, err := laplacesgd.Private(context.Background(), r, set(d), c,
			laplacesgd.Privacy{Alpha: 0.5, Law: laplacesgd.LawDensity})
		if err != nil {
			return nil, err
		}
		return out.W, nil
	}
}

// schooled is an epoch in batches of 2, with what is clipped; the printed sensitivity is the clipping norm.
func schooled(clipping curricula.Clipping, sensitivity float64) learner {
	return func(n *primitive.Noise, r *rand.Rand, d []row) ([]float64, error) {
		data := curricula.Samples{K: 2}
		for _, v := range d {
			data.X, data.Y = append(data.X, []float64{v.X, v.Z}), append(data.Y, int(v.Y+1)/2)
		}
		c := curricula.Config{Epochs: 1, Batch: 2, Rate: 0.1, Clip: 0.1, Clipping: clipping, Watch: n.Watch(), Sensitivity: sensitivity,
			Schedule: curricula.Schedule{F: func(_, _ float64) float64 { return 1 }}}
		out, err := curricula.Train(context.Background(), r, must(curricula.NewSoftmax(2, 2)), data, c)
		if err != nil {
			return nil, err
		}
		return out.Theta, nil
	}
}

// local is DJW, or PRESTIGE with a threshold.
func local(threshold float64) learner {
	return func(n *primitive.Noise, r *rand.Rand, d []row) ([]float64, error) {
		c := localsgd.Config{Loss: erm.Hinge{}, Lambda: 0.1, Radius: 1, Lipschitz: 1.2, Epochs: 2, Project: true, Watch: n.Watch()}
		p := localsgd.Privacy{Epsilon: 1, Bound: 3, Premise: localsgd.PremiseClip}
		var out *localsgd.Result
		var err error
		if threshold == 0 {
			out, err = localsgd.DJW(context.Background(), r, set(d), c, p)
		} else {
			q := localsgd.Curriculum{Epsilon: 0.5, Threshold: threshold, Decrease: 0.1}
			out, err = localsgd.PRESTIGE(context.Background(), r, set(d), c, p, q)
		}
		if err != nil {
			return nil, err
		}
		return out.W, nil
	}
}

// descent is DP-PGD, with gradients of norm at most 1, of n records.
func descent(n *primitive.Noise, r *rand.Rand, d []row) ([]float64, error) {
	c := nonconvex.Config{Loss: erm.Logistic{}, Iterations: 3, Start: make([]float64, 2), Sigma: 0.3,
		StepSize: nonconvex.Constant(0.5), Watch: n.Watch(), Sensitivity: 2 / float64(len(d))}
	out, err := nonconvex.PGD(context.Background(), r, set(d), must(erm.NewSpace(2)), 0.01, c)
	if err != nil {
		return nil, err
	}
	return out.X, nil
}

// vertices is DP-FW-L1 on the ball of radius 1, by scores of this sensitivity over the derived one.
func vertices(share float64, noisyMax bool) learner {
	return func(n *primitive.Noise, r *rand.Rand, d []row) ([]float64, error) {
		hull := must(nonconvex.HullOf(must(erm.NewL1Ball(2, 1))))
		q := nonconvex.Selection{Epsilon: 1, NoisyMax: noisyMax,
			Sensitivity: share * nonconvex.ScoreSensitivity(1, 1, len(d))}
		c := nonconvex.Config{Loss: erm.Logistic{}, Iterations: 3, Start: make([]float64, 2),
			StepSize: nonconvex.Constant(0.5), Watch: n.Watch()}
		out, err := nonconvex.FrankWolfeVertices(context.Background(), r, set(d), hull, q, nonconvex.OverstepError, c)
		if err != nil {
			return nil, err
		}
		return out.X, nil
	}
}

// pairs is OnPairStrC; the sensitivity is that of a share of 8G/(αt), from which its line 12 has its noise.
func pairs(share float64, warmup pairwise.Warmup) learner {
	return func(n *primitive.Noise, r *rand.Rand, d []row) ([]float64, error) {
		p := pairwise.Stated(erm.AUC{Phi: erm.Logistic{}}, must(erm.NewL2Ball(2, 1)), 0.5, 1)
		o := pairwise.Options{Warmup: warmup, Watch: n.Watch(), Sensitivity: func(t int) float64 { return share * 8 * p.G / (p.Alpha * float64(t)) }}
		out, err := pairwise.OnPairStrC(context.Background(), r, set(d), p, pairwise.Privacy{Epsilon: 1, Delta: 0.01}, o)
		if err != nil {
			return nil, err
		}
		return out.W, nil
	}
}

// replayed is an algorithm with what its replay finds, and the claims of the ledger about the same.
type replayed struct {
	name   string
	f      learner
	by     neighbours.Datasets[row]
	want   map[trace.Part]string // of the parts that are refuted, what is said
	ledger []string
}

// papers are the algorithms of the five papers, by their printed lines and constants, and what is known to be
// wrong.
var papers = []replayed{
	{"laplacesgd, the last batch averaged over its records", laplace(laplacesgd.ShortMean), rows(3, 3, false),
		map[trace.Part]string{trace.Sensitivity: "l2-laplace at laplacesgd.go"},
		[]string{"laplace-sgd/sensitivity/last-batch/mean", "laplace-sgd/single-pass/short-batch"}},
	{"laplacesgd, eq. (8)", laplace(laplacesgd.ShortPrinted), rows(3, 3, false), nil,
		[]string{"laplace-sgd/sensitivity/last-batch", "laplace-sgd/alg-1/privacy", "laplace-sgd/alg-1/privacy/sampled"}},
	{"laplacesgd, the last batch scaled", laplace(laplacesgd.ShortScaled), rows(3, 3, false), nil,
		[]string{"laplace-sgd/sensitivity/last-batch/mean/corrected"}},
	{"curricula, a batch clipped", schooled(curricula.ClipBatch, 0.1), rows(2, 3, false),
		map[trace.Part]string{trace.Sensitivity: "where a sensitivity of 0.1 is declared"},
		[]string{"curricula/alg-1/sensitivity", "curricula/alg-1/sensitivity/replace"}},
	{"curricula, each example clipped", schooled(curricula.ClipExample, 0.2), rows(2, 3, false), nil,
		[]string{"curricula/alg-1/sensitivity/per-example", "curricula/alg-1/sampling"}},
	{"localsgd, DJW", local(0), rows(1, 3, false), nil, []string{"prestige/lemma-2"}},
	{"localsgd, PRESTIGE", local(0.2), rows(1, 3, false), map[trace.Part]string{trace.Flow: "private-sampling at run.go"},
		[]string{"prestige/alg-1/privacy", "prestige/alg-1/privacy/sampled"}},
	{"localsgd, PRESTIGE, labels alone", local(0.2), rows(1, 3, true), nil, []string{"prestige/alg-1/privacy-label"}},
	{"nonconvex, DP-PGD", descent, rows(1, 3, false), nil, []string{"nonconvex/alg-1/step-3"}},
	{"nonconvex, DP-FW-L1", vertices(1, false), rows(1, 3, false), nil,
		[]string{"nonconvex/thm-6/privacy", "nonconvex/thm-6/privacy/corrected", "nonconvex/thm-6/privacy/sampled"}},
	{"nonconvex, DP-FW-L1 with noisy max", vertices(1, true), rows(1, 3, false), nil, []string{"nonconvex/alg-4/noisy-max"}},
	{"nonconvex, DP-FW-L1 at a quarter of the sensitivity", vertices(0.25, false), rows(1, 3, false),
		map[trace.Part]string{trace.Sensitivity: "exponential at frankwolfe.go"}, nil},
	{"pairwise, OnPairStrC", pairs(1, pairwise.WarmupContraction), rows(12, 12, false), nil,
		[]string{"pairwise/lemma-4/search", "pairwise/alg-3/noise/search"}},
	{"pairwise, OnPairStrC at a thousandth", pairs(0.001, pairwise.WarmupContraction), rows(12, 12, false),
		map[trace.Part]string{trace.Sensitivity: "gaussian at run.go"}, nil},
}

var updatePapers = flag.Bool("update", false, "write PAPERS.md anew")

// The five papers' algorithms, replayed: what is found, and what is not, beside the ledger in PAPERS.md.
func TestPapers(t *testing.T) {
	lines := make([]string, len(papers))
	t.Run("each", func(t *testing.T) {
		for i, c := range papers {
			t.Run(c.name, func(t *testing.T) { lines[i] = c.judge(t) })
		}
	})
	const head = "# The five papers' algorithms, recorded and replayed\n\nEach row is an algorithm by its printed lines and " +
		"constants, on pairs of small data sets of which one record is replaced, searched at seed 1: what a replay of its calls " +
		"finds, and what the ledger says of the same, by computation or by sampling. A replay takes the law of a primitive, and what " +
		"it declares, at its word: that the noise is no Laplace noise, or too little for the claim, it does not see. Measured by " +
		"`go test ./verify/trace -run Papers -update`.\n\n| algorithm | by replay | by computation | by sampling |\n|:--|:--|:--|:--|\n"
	text := head + strings.Join(lines, "")
	if *updatePapers {
		if err := os.WriteFile("PAPERS.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile("PAPERS.md"); err != nil || string(written) != text {
		t.Errorf("PAPERS.md is not what is measured (%v); `go test ./verify/trace -run Papers -update` writes it anew:\n%s", err, text)
	}
}

// judge all parts, and the claims of the ledger: a line of the table.
func (c replayed) judge(t *testing.T) string {
	p := trace.Replay[[]row]{Subject: trace.Mechanism[[]row, []float64](c.f), Space: c.by, Pairs: 60}
	settings := verify.Settings{Budget: verify.Quick, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
	var found, computed, sampled []string
	for _, part := range p.Parts() {
		f, err := p.Find(context.Background(), verify.Settings{Budget: verify.Standard, Seed: empirical.NewSeed(1)}, part)
		if err != nil {
			t.Fatal(err)
		}
		said, refuted := c.want[part]
		if (f.Verdict == verify.Refuted) != refuted || !strings.Contains(f.How, said) {
			t.Errorf("%s: %s: %s%s", part, f.Verdict, f.How, f.Power)
		}
		if f.Verdict == verify.Refuted {
			found = append(found, fmt.Sprintf("%s: %s", part, finding(f)))
		}
	}
	if found == nil {
		found = []string{"nothing"}
	}
	for _, id := range c.ledger {
		claim, ok := must(claims.Ledger()).Find(id)
		if !ok {
			t.Fatalf("no claim %s", id)
		}
		e, err := verify.Judge(context.Background(), claim.Check, settings, empirical.NewPool(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("`%s` %s", id, e.Verdict)
		if e.Exact {
			computed = append(computed, text)
		} else {
			sampled = append(sampled, text)
		}
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", c.name, strings.Join(found, "; "), strings.Join(computed, ", "),
		strings.Join(sampled, ", "))
}

// finding is how far the call that was found moves, of what it declares, or what is said.
func finding(f trace.Finding[[]row]) string {
	if f.Counterexample.Claimed.Set {
		return fmt.Sprintf("%.4g where %.4g is declared", f.Counterexample.Measured.X, f.Counterexample.Claimed.X)
	}
	return "other calls in the neighbour"
}
