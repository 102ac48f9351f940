package verify

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func same(a, b Number) bool {
	return a.Set == b.Set && math.Float64bits(a.X) == math.Float64bits(b.X)
}

func TestNumberJSON(t *testing.T) {
	cases := []struct {
		reason string
		n      Number
		want   string
	}{
		{"absent", Number{}, `null`},
		{"zero is there", Num(0), `0`},
		{"a fraction", Num(0.1), `0.1`},
		{"the largest", Num(math.MaxFloat64), `1.7976931348623157e+308`},
		{"the smallest", Num(5e-324), `5e-324`},
		{"infinite", Num(math.Inf(1)), `"inf"`},
		{"infinite below", Num(math.Inf(-1)), `"-inf"`},
		{"not a number", Num(math.NaN()), `"nan"`},
	}
	for _, c := range cases {
		data, err := json.Marshal(struct{ N Number }{c.n})
		if err != nil || string(data) != `{"N":`+c.want+`}` {
			t.Errorf("%s: %s, %v; want %s", c.reason, data, err, c.want)
		}
		read := struct{ N Number }{Num(7)} // the previous value must be replaced
		if err := json.Unmarshal(data, &read); err != nil || !same(read.N, c.n) {
			t.Errorf("%s: read back as %v, %v", c.reason, read.N, err)
		}
	}
	for _, bad := range []string{`"Inf"`, `"+inf"`, `"NaN"`, `"1.5"`, `""`, `true`, `[1]`, `{}`, `1e999`} {
		var n Number
		if err := json.Unmarshal([]byte(bad), &n); err == nil {
			t.Errorf("read %s as %v", bad, n)
		}
	}
}

func TestNumberJSONKeepsEveryBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := Num(rapid.Float64().Draw(t, "x"))
		data, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		var read Number
		if err := json.Unmarshal(data, &read); err != nil || !same(read, n) {
			t.Errorf("%v became %s and then %v, %v", n.X, data, read.X, err)
		}
	})
}

func TestWorstOfSetsTheRatio(t *testing.T) {
	cases := []struct {
		reason            string
		claimed, measured Number
		want              Number
	}{
		{"both there", Num(4), Num(1), Num(0.25)},
		{"no measured figure", Num(4), Number{}, Number{}},
		{"no claimed figure", Number{}, Num(1), Number{}},
		{"a claim of 0 has no ratio", Num(0), Num(1), Number{}},
		{"nor has one of infinity", Num(math.Inf(1)), Num(1), Number{}},
		{"an infinite measured figure", Num(1), Num(math.Inf(1)), Num(math.Inf(1))},
	}
	for _, c := range cases {
		e := Evidence{Ratio: Num(99)}
		e.CopyWorst(Cell{Label: "here", Claimed: c.claimed, Measured: c.measured, Lower: Num(1), Upper: Num(math.Inf(1))})
		if !same(e.Ratio, c.want) || e.WorstCase != "here" || e.Claimed != c.claimed || e.Measured != c.measured || e.Lower != Num(1) || e.Upper != Num(math.Inf(1)) {
			t.Errorf("%s: %+v", c.reason, e)
		}
	}
}

// TestEstimatesLieInTheirIntervals checks that an estimate outside its interval is moved to the nearest end.
func TestEstimatesLieInTheirIntervals(t *testing.T) {
	for _, c := range []struct{ measured, lower, upper, want Number }{
		{Num(0), Num(0.5), Num(math.Inf(1)), Num(0.5)},
		{Num(math.Inf(1)), Num(1), Num(3), Num(3)},
		{Num(2), Num(1), Num(3), Num(2)},
		{Num(0), Num(0.5), Number{}, Num(0.5)},
		{Num(4), Number{}, Num(3), Num(3)},
		{Number{}, Num(1), Num(3), Number{}},
	} {
		var e Evidence
		e.CopyWorst(Cell{Claimed: Num(1), Measured: c.measured, Lower: c.lower, Upper: c.upper})
		if e.Measured != c.want {
			t.Errorf("%v in [%v, %v] became %v, want %v", c.measured, c.lower, c.upper, e.Measured, c.want)
		}
		if c.want.Set && e.Ratio != c.want {
			t.Errorf("%v in [%v, %v]: ratio %v", c.measured, c.lower, c.upper, e.Ratio)
		}
	}
}
