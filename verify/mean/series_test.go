package mean

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// besides returns a check that records two curves, and the same check without them.
func besides(replicates int64) (with, without Rate) {
	root := rateLaw(1, -0.5)
	without = noisyRate(root, uniformNoise).with(func(c *Rate) { c.Bound, c.Range, c.Replicates = rateLaw(2, -0.5), within(2, root), 50 })
	with = without
	with.Run = nil
	with.Curves = &ExtraCurves{Variable: "n", Quantity: "error", Replicates: replicates, Run: func(ctx context.Context, r *rand.Rand, x float64, curves *verify.CurveRecorder) (float64, error) {
		v, err := without.Run(ctx, r, x)
		curves.Add("error", x, v)
		curves.Add("twice", x, 2*v)
		return v, err
	}}
	return with, without
}

// Curves change no figure and no verdict, and come from the requested number of replicates.
func TestBesideChangesNoVerdict(t *testing.T) {
	with, without := besides(10)
	plain, e := verifytest.EvidenceOf(t, without), verifytest.EvidenceOf(t, with)
	series := e.Curves
	plain.Statistics, e.Statistics = nil, nil // which has the curves
	if e.Curves = nil; !reflect.DeepEqual(plain, e) {
		t.Errorf("%+v, want %+v", e, plain)
	}
	if len(series) != 2 || len(series[0].Points) != len(with.Grid) {
		t.Fatalf("%+v", series)
	}
	for _, s := range series {
		for _, p := range s.Points {
			if p.Runs != 10 || !(p.Lower.X < p.Mean.X && p.Mean.X < p.Upper.X) {
				t.Errorf("%s: %+v", s.Name, p)
			}
		}
	}
	// The curve uses all replicates, so that its mean is the judged mean.
	all, _ := besides(1 << 20)
	e = verifytest.EvidenceOf(t, all)
	for i, c := range e.Cells {
		if got := e.Curves[0].Points[i].Mean.X; math.Abs(got-c.Measured.X) > 1e-12*got {
			t.Errorf("at %s the curve is at %v, the mean %v", c.Label, got, c.Measured.X)
		}
	}
}

// The curves do not depend on the number of workers, and survive a file.
func TestBesideIsDeterministic(t *testing.T) {
	check, _ := besides(40)
	s := verify.Settings{Budget: verify.Standard, Alpha: 0.01, Seed: empirical.NewSeed(3)}
	_, tally, trial := deterministic(t, check, s)
	for _, bad := range []string{`[null,null,null,null,null,null,null]`, `{"counts":[null,null,null,null,null,null,null]}`, `{"counts":[],"curves":[]}`} {
		if err := trial.NewTally().UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("read %s", bad)
		}
	}
	_, plain := besides(1)
	other, err := plain.Prepare(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := tally.Merge(other.NewTally()); err == nil {
		t.Error("merged a tally without curves")
	}
	both := check
	both.Run = plain.Run
	verifytest.FailureOf(t, both)
}

// A comparison shows the mean of each name. A constant value has no interval.
func TestCompareSeries(t *testing.T) {
	c := normals(0, 1)
	run := c.Run
	c.Names = append(c.Names, "printed")
	c.Run = func(ctx context.Context, r *rand.Rand) ([]float64, error) {
		values, err := run(ctx, r)
		return append(values, 0.25), err
	}
	e := verifytest.EvidenceOf(t, c)
	if len(e.Curves) != 1 || len(e.Curves[0].Points) != 3 {
		t.Fatalf("%+v", e.Curves)
	}
	// Four standard errors: a miss in one of two has probability below 2e-4; the seed is fixed.
	for i, want := range []float64{0, 1} {
		p := e.Curves[0].Points[i]
		if p.Label != c.Names[i] || p.Runs != e.Samples || math.Abs(p.Mean.X-want) > 0.2 || !(p.Lower.X < p.Upper.X) {
			t.Errorf("%+v, want a mean near %v", p, want)
		}
	}
	if p := e.Curves[0].Points[2]; p.Lower.Set || p.Runs != 0 || p.Mean.X != 0.25 {
		t.Errorf("the fixed value: %+v", p)
	}
}
