package verify

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

// TestCurves checks the means by x, for any order of the values, and Student's t interval with t_{0.975, 2} =
// 4.30265273 (Abramowitz & Stegun, Table 26.10).
func TestCurves(t *testing.T) {
	var c CurveRecorder
	for _, x := range []float64{10, 1} {
		for _, v := range []float64{1, 2, 6} {
			c.Add("a", x, v*x)
		}
	}
	c.Add("b", 5, 7)
	c.AddAt("c", "here", 1)
	got := c.Curves("x", "y")
	if len(got) != 3 || got[0].Name != "a" || len(got[0].Points) != 2 || got[0].Variable != "x" || got[0].Quantity != "y" {
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
	if p := got[2].Points[0]; p.Label != "here" || p.X.Set {
		t.Errorf("a place with a name: %+v", p)
	}
	var none *CurveRecorder
	none.Add("a", 1, 1) // a replicate that records nothing
	none.AddAt("a", "b", 1)
}

// TestCurvesLeaveOutWhatIsNotFinite checks that a value that is not finite removes only its place, also after a
// merge.
func TestCurvesLeaveOutWhatIsNotFinite(t *testing.T) {
	var a, b CurveRecorder
	a.Add("s", 1, 1)
	a.Add("s", 2, 1)
	b.Add("s", 1, math.Inf(1))
	b.Add("s", 3, math.NaN())
	if err := a.Merge(&b); err != nil {
		t.Fatal(err)
	}
	got := a.Curves("x", "y")
	if len(got) != 1 || len(got[0].Points) != 1 || got[0].Points[0].X.X != 2 {
		t.Errorf("%+v, want the place 2 alone", got)
	}
	if err := a.Merge(empirical.NoTally{}); err == nil {
		t.Error("merged a tally of another kind")
	}
}

// TestCurvesJSON checks that curves survive JSON and that invalid curves are rejected.
func TestCurvesJSON(t *testing.T) {
	var want, got CurveRecorder
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
