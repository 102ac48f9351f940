package verify

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

// The means are those of the values, by x, whatever the order in which they came; the
// interval is Student's, t_{0.975, 2} = 4.30265273 (Abramowitz & Stegun, Table 26.10).
func TestCurves(t *testing.T) {
	var c Curves
	for _, x := range []float64{10, 1} {
		for _, v := range []float64{1, 2, 6} {
			c.Add("a", x, v*x)
		}
	}
	c.Add("b", 5, 7)
	c.AddAt("c", "here", 1)
	got := c.Series("x", "y")
	if len(got) != 3 || got[0].Name != "a" || len(got[0].Points) != 2 || got[0].Along != "x" || got[0].Quantity != "y" {
		t.Fatalf("%+v", got)
	}
	half := 4.30265273 * math.Sqrt(7.0) / math.Sqrt(3)
	for i, x := range []float64{1, 10} {
		p := got[0].Points[i]
		if p.X.X != x || p.Runs != 3 || math.Abs(p.Mean.X-3*x) > 1e-12*x || math.Abs(p.Lower.X-x*(3-half)) > 1e-7*x || math.Abs(p.Upper.X-x*(3+half)) > 1e-7*x {
			t.Errorf("at %v: %+v, want 3x ± %v", x, p, x*half)
		}
	}
	if p := got[1].Points[0]; p.Lower.Set || p.Upper.Set || p.Runs != 1 {
		t.Errorf("one value has an interval: %+v", p)
	}
	if p := got[2].Points[0]; p.At != "here" || p.X.Set {
		t.Errorf("a place with a name: %+v", p)
	}
	var none *Curves
	none.Add("a", 1, 1) // a replicate that notes nothing
	none.AddAt("a", "b", 1)
}

// A value that is not finite spoils its place and no other, also after a merge.
func TestCurvesLeaveOutWhatIsNotFinite(t *testing.T) {
	var a, b Curves
	a.Add("s", 1, 1)
	a.Add("s", 2, 1)
	b.Add("s", 1, math.Inf(1))
	b.Add("s", 3, math.NaN())
	if err := a.Merge(&b); err != nil {
		t.Fatal(err)
	}
	got := a.Series("x", "y")
	if len(got) != 1 || len(got[0].Points) != 1 || got[0].Points[0].X.X != 2 {
		t.Errorf("%+v, want the place 2 alone", got)
	}
	if err := a.Merge(empirical.NoTally{}); err == nil {
		t.Error("merged a tally of another kind")
	}
}

// Curves survive JSON, and what is none is refused.
func TestCurvesJSON(t *testing.T) {
	var want, got Curves
	want.Add("a", 1, 0.5)
	want.Add("a", 1, math.NaN())
	want.AddAt("b", "here", 2)
	data, err := json.Marshal(&want)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(want, got) {
		t.Errorf("%s: %v", data, err)
	}
	for _, bad := range []string{`{}`, `[{"series":"a","x":1}]`, `[{"series":"a","x":1,"values":{"n":0,"mean":0,"squares":0}}]`, `[{"series":"a","x":1,"values":{"n":-1,"mean":0,"squares":0}}]`} {
		if err := json.Unmarshal([]byte(bad), &got); err == nil {
			t.Errorf("read %s", bad)
		}
	}
}

// besides is a check that notes two curves, and the same check without them.
func besides(replicates int64) (with, without RateCheck) {
	root := rateLaw(1, -0.5)
	without = noisyRate(root, uniformNoise).with(func(c *RateCheck) { c.Bound, c.Range, c.Replicates = rateLaw(2, -0.5), within(2, root), 50 })
	with = without
	with.Run = nil
	with.Beside = &Beside{Along: "n", Quantity: "error", Replicates: replicates, Run: func(ctx context.Context, r *rand.Rand, x float64, curves *Curves) (float64, error) {
		v, err := without.Run(ctx, r, x)
		curves.Add("error", x, v)
		curves.Add("twice", x, 2*v)
		return v, err
	}}
	return with, without
}

// Curves change no figure and no verdict, and are of as many replicates as was asked for.
func TestBesideChangesNoVerdict(t *testing.T) {
	with, without := besides(10)
	plain, e := evidenceOf(t, without), evidenceOf(t, with)
	series := e.Series
	if e.Series = nil; !reflect.DeepEqual(plain, e) {
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
	// All replicates, so that the curve is the mean that was judged.
	all, _ := besides(1 << 20)
	e = evidenceOf(t, all)
	for i, c := range e.Cells {
		if got := e.Series[0].Points[i].Mean.X; math.Abs(got-c.Measured.X) > 1e-12*got {
			t.Errorf("at %s the curve is at %v, the mean %v", c.At, got, c.Measured.X)
		}
	}
}

// The curves depend neither on the workers nor on the way through a file.
func TestBesideIsDeterministic(t *testing.T) {
	check, _ := besides(40)
	s := Settings{Budget: Standard, Alpha: 0.01, Seed: empirical.NewSeed(3)}
	var found []Evidence
	for _, workers := range []int{1, 3} {
		e, err := Judge(context.Background(), check, s, empirical.NewPool(workers), nil)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, e)
	}
	trial, err := check.Prepare(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	tally, plan := trial.NewTally(), trial.Plan()
	for i := range plan.Shards {
		part, err := trial.Sample(context.Background(), empirical.Shard{Index: i, Of: plan.Shards, Samples: plan.SamplesPerShard, Seed: s.Seed.Derive("sample").Shard(i)})
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		read := trial.NewTally()
		if err := read.UnmarshalJSON(data); err != nil {
			t.Fatal(err)
		}
		if err := tally.Merge(read); err != nil {
			t.Fatal(err)
		}
	}
	e, err := trial.Judge(tally)
	if err != nil {
		t.Fatal(err)
	}
	for i, other := range append(found[1:], e) {
		if !reflect.DeepEqual(found[0], other) {
			t.Errorf("%d: %+v, want %+v", i, other.Series, found[0].Series)
		}
	}
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
	failureOf(t, both)
}

// A comparison shows the mean of each name; a value that is always the same has no interval.
func TestCompareSeries(t *testing.T) {
	c := normals(0, 1)
	run := c.Run
	c.Names = append(c.Names, "printed")
	c.Run = func(ctx context.Context, r *rand.Rand) ([]float64, error) {
		values, err := run(ctx, r)
		return append(values, 0.25), err
	}
	e := evidenceOf(t, c)
	if len(e.Series) != 1 || len(e.Series[0].Points) != 3 {
		t.Fatalf("%+v", e.Series)
	}
	// Four standard errors: a miss in one of two has probability below 2e-4; the seed is fixed.
	for i, want := range []float64{0, 1} {
		p := e.Series[0].Points[i]
		if p.At != c.Names[i] || p.Runs != e.Samples || math.Abs(p.Mean.X-want) > 0.2 || !(p.Lower.X < p.Upper.X) {
			t.Errorf("%+v, want a mean near %v", p, want)
		}
	}
	if p := e.Series[0].Points[2]; p.Lower.Set || p.Runs != 0 || p.Mean.X != 0.25 {
		t.Errorf("the fixed value: %+v", p)
	}
}

// What a relation's points note is shown.
func TestRelationBeside(t *testing.T) {
	r := relation(AtMost, point("x", 1, 2))
	r.Beside = &Picture{Along: "n", Quantity: "error"}
	points := r.Points
	r.Points = func(yield func(Point) bool) {
		r.Beside.Add("a", 3, 4)
		points(yield)
	}
	if e := evidenceOf(t, r); len(e.Series) != 1 || e.Series[0].Points[0].Mean.X != 4 || e.Series[0].Along != "n" {
		t.Errorf("%+v", e.Series)
	}
	if e := evidenceOf(t, relation(AtMost, point("x", 1, 2))); e.Series != nil {
		t.Errorf("%+v without a picture", e.Series)
	}
}
