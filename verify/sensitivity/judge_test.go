package sensitivity

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// meanCheck claims a sensitivity for the mean of 4 points of the unit disc. The sensitivity for replacing one point is
// 1/2.
func meanCheck(claimed float64) Check {
	return Check{
		Quantity: "the mean", Norm: L2, Adjacency: inputs.ReplaceOneRecord, Evaluations: 1000,
		Cells: []Cell{{Place: "n = 4", Map: sumOf(4, addPoint), OutputLength: 2, N: 4, Records: unitBall(2, L2), Claimed: claimed}},
	}
}

// labelCheck claims a sensitivity for a map of two labels, a finite domain of 24 pairs.
func labelCheck(claimed float64, m sensitivityMap) Check {
	s := meanCheck(claimed)
	s.Cells[0].Map, s.Cells[0].N, s.Cells[0].OutputLength = m, 2, 1
	s.Cells[0].Records = Records{Labels: []float64{1, 3}}
	return s
}

func firstLabel(_ *rand.Rand, in Input, dst []float64) error {
	dst[0] = in.Records[0].Y
	return nil
}

func TestSensitivityVerdicts(t *testing.T) {
	derived := func(s Check, tight float64) Check {
		s.Cells = slices.Clone(s.Cells)
		s.Cells[0].Tight, s.Proof = verify.Num(tight), "by hand"
		return s
	}
	noisy := func(r *rand.Rand, in Input, dst []float64) error {
		dst[0] = in.Records[0].Y * float64(1+r.IntN(2))
		return nil
	}
	both := meanCheck(0.6)
	both.Cells = append(both.Cells, meanCheck(0.4).Cells[0])
	both.Cells[1].Place = "too low"
	two := meanCheck(0.4)
	two.Cells = append(two.Cells, meanCheck(0.2).Cells[0])
	two.Cells[1].Place = "far too low"
	loose := meanCheck(0.5 * (1 - 1e-6))
	loose.Cells[0].Error = 1e-5
	large := meanCheck(0.5 * (1 - 1e-9))
	large.Cells[0].Map = func(_ *rand.Rand, in Input, dst []float64) error {
		for i := range dst { // the difference loses seven digits
			dst[i] = 1e9
		}
		for _, r := range in.Records {
			floats.AddScaled(dst, 0.25, r.X)
		}
		return nil
	}
	cases := []struct {
		reason string
		check  Check
		want   verify.Verdict
		says   string // in the method, the power, the witness or a warning
	}{
		{"below the claim, no derivation", meanCheck(0.6), verify.Inconclusive, "83.33 % of the bound"},
		{"at the claim, no derivation", meanCheck(0.5), verify.Inconclusive, "100 % of the bound"},
		{"above the claim", meanCheck(0.49), verify.Refuted, `n = 4, {"records":[`},
		{"claim 0", meanCheck(0), verify.Refuted, `"other":`},
		{"derived supremum equal to the claim", derived(meanCheck(0.5), 0.5), verify.Holds, "the supremum follows: by hand"},
		{"derived supremum below the claim", derived(meanCheck(2), 0.5), verify.Holds, "by hand"},
		{"derived supremum above the claim, found", derived(meanCheck(0.4), 0.5), verify.Refuted, "records"},
		{"derived supremum above the claim, not found", derived(meanCheck(0.51), 0.52), verify.Inconclusive, "exceeds the claim"},
		{"an upper bound that is not tight", derived(meanCheck(2), 1), verify.Inconclusive, "50 % of the derived supremum"},
		{"an upper bound within 1 %", derived(meanCheck(2), 0.504), verify.Holds, "by hand"},
		{"a finite domain", labelCheck(2, firstLabel), verify.Holds, "every pair of neighbors (replace one record)"},
		{"a finite domain, too low a claim", labelCheck(1.9, firstLabel), verify.Refuted, `"at":0`},
		{"a finite domain, but random numbers", labelCheck(4, noisy), verify.Inconclusive, "100 % of the bound"},
		{"a refuted cell of two is the worst", both, verify.Refuted, "too low, {"},
		{"the worse of two refuted cells is shown", two, verify.Refuted, "far too low, {"},
		{"within the stated error", loose, verify.Inconclusive, "bound"},
		{"within the error of large outputs", large, verify.Inconclusive, "bound"},
	}
	for _, c := range cases {
		e, err := judgeSensitivity(t, c.check, 1)
		if err != nil || e.Verdict != c.want {
			t.Errorf("%s: %s at %s, %v; want %s", c.reason, e.Verdict, e.WorstCase, err, c.want)
		}
		if text := strings.Join(append(e.Warnings, e.Method, e.Power, e.WorstCase), "\n"); !strings.Contains(text, c.says) {
			t.Errorf("%s: want %q in\n%s", c.reason, c.says, text)
		}
	}
}

// A derived supremum that a pair exceeds is an error, even if the claim holds.
func TestSensitivityRejectsAWrongDerivation(t *testing.T) {
	s := meanCheck(0.6)
	s.Cells[0].Tight, s.Proof = verify.Num(0.45), "a wrong one"
	_, err := judgeSensitivity(t, s, 1)
	if err == nil || !strings.Contains(err.Error(), "the derivation is wrong") {
		t.Errorf("error %v", err)
	}
}

// A fault of the map is an error that describes it and names the pair, in every phase of the search.
func TestSensitivityOfFaultyMaps(t *testing.T) {
	calls := 0
	after := func(n int, fault func(dst []float64) error) sensitivityMap {
		return func(_ *rand.Rand, in Input, dst []float64) error {
			if calls++; calls > n {
				return fault(dst)
			}
			addPoint(0, in.Records[0], dst)
			return nil
		}
	}
	put := func(x float64) func([]float64) error {
		return func(dst []float64) error { dst[1] = x; return nil }
	}
	sound := meanCheck(10)
	sound.Cells[0].Map = after(math.MaxInt, nil)
	if _, err := judgeSensitivity(t, sound, 1); err != nil {
		t.Fatal(err)
	}
	total := calls // the last two calls are the replay
	cases := []struct {
		reason string
		m      sensitivityMap
		names  string
	}{
		{"NaN", after(0, put(math.NaN())), "output 1 of the map is NaN"},
		{"infinity, in the local search", after(600, put(math.Inf(1))), "output 1 of the map is +Inf"},
		{"overflow of the norm", after(0, func(dst []float64) error { dst[0], dst[1] = math.MaxFloat64, math.MaxFloat64; return nil }), "overflow the ℓ2 norm"},
		{"a panic", after(0, func(dst []float64) error { dst[9]++; return nil }), "the map panics: runtime error: index out of range"},
		{"a panic within CMA-ES, which runs in another goroutine", after(1130, func(dst []float64) error { panic("late") }), "the map panics: late; on the pair {"},
		{"an error", after(0, func([]float64) error { return errors.New("no convergence") }), "no convergence; on the pair {"},
		{"an error at the end, while tidying", after(total-4, func([]float64) error { return errors.New("worn out") }), "worn out; on the pair {"},
		{"state between calls", after(0, func(dst []float64) error { dst[0] = float64(calls % 7 * calls); return nil }), "not a function of its input and its stream"},
	}
	for _, c := range cases {
		calls = 0
		s := meanCheck(10)
		s.Cells[0].Map = c.m
		if e, err := judgeSensitivity(t, s, 1); err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %s, error %v, want one that says %q", c.reason, e.Verdict, err, c.names)
		}
	}
}

// A map may change its input while it runs.
func TestSensitivityMapMayChangeItsInput(t *testing.T) {
	rough := meanCheck(0.5)
	rough.Cells[0].Choices, rough.Cells[0].Shared = []int{2}, Ball{1, LInf, 1}
	rough.Cells[0].Map = func(r *rand.Rand, in Input, dst []float64) error {
		err := sumOf(4, addPoint)(r, in, dst)
		for i := range in.Records {
			clear(in.Records[i].X)
			in.Records[i] = Record{}
		}
		in.Shared[0], in.Choice[0] = math.NaN(), 17
		return err
	}
	if e, err := judgeSensitivity(t, rough, 1); err != nil || math.Abs(e.Measured.X-0.5) > 1e-9 {
		t.Errorf("%s: found %v of 0.5, %v", e.Verdict, e.Measured.X, err)
	}
}

func TestSensitivityIsDeterministicAndCancelled(t *testing.T) {
	c := sensitivityCases()[4].check(0.95, false)
	a, errA := judgeSensitivity(t, c, 7)
	b, errB := judgeSensitivity(t, c, 7)
	if errA != nil || errB != nil || a.WorstCase != b.WorstCase || a.Measured != b.Measured {
		t.Errorf("two runs with one seed: %v at %s, %v at %s; %v, %v", a.Measured.X, a.WorstCase, b.Measured.X, b.WorstCase, errA, errB)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	enough := errors.New("enough")
	calls := 0
	c.Cells[0].Map = func(r *rand.Rand, in Input, dst []float64) error {
		if calls++; calls == 100 {
			cancel(enough)
		}
		return nil
	}
	if _, err := c.Prepare(ctx, verify.Settings{Budget: verify.Standard, Seed: empirical.NewSeed(1)}); !errors.Is(err, enough) || calls > 102 {
		t.Errorf("canceled at evaluation 100: error %v after %d evaluations", err, calls)
	}
}

func TestSensitivityCheck(t *testing.T) {
	cases := []struct {
		reason string
		change func(s *Check, c *Cell)
		names  string
	}{
		{"no norm", func(s *Check, _ *Cell) { s.Norm = 0 }, "unknown norm 0"},
		{"no adjacency", func(s *Check, _ *Cell) { s.Adjacency = 0 }, "unknown adjacency 0"},
		{"no cells", func(s *Check, _ *Cell) { s.Cells = nil }, "no cells"},
		{"a negative number of evaluations", func(s *Check, _ *Cell) { s.Evaluations = -1 }, "-1 evaluations"},
		{"a proof without a supremum", func(s *Check, _ *Cell) { s.Proof = "p" }, "no cell with a derived supremum"},
		{"a supremum without proof", func(_ *Check, c *Cell) { c.Tight = verify.Num(1) }, "without its proof"},
		{"a supremum NaN", func(s *Check, c *Cell) { c.Tight, s.Proof = verify.Num(math.NaN()), "p" }, "derived supremum NaN"},
		{"two cells of one name", func(s *Check, c *Cell) { s.Cells = append(s.Cells, *c) }, `two cells at "n = 4"`},
		{"no map", func(_ *Check, c *Cell) { c.Map = nil }, "no map"},
		{"no outputs", func(_ *Check, c *Cell) { c.OutputLength = 0 }, "0 outputs"},
		{"too many outputs", func(_ *Check, c *Cell) { c.OutputLength = 1 << 30 }, "outputs: want 1 to"},
		{"no records", func(_ *Check, c *Cell) { c.N = 0 }, "0 records"},
		{"too many parameters", func(_ *Check, c *Cell) { c.N = 90_000 }, "real parameters: want at most"},
		{"a claim below 0", func(_ *Check, c *Cell) { c.Claimed = -1 }, "claimed sensitivity -1"},
		{"a claim NaN", func(_ *Check, c *Cell) { c.Claimed = math.NaN() }, "claimed sensitivity NaN"},
		{"a claim of infinity", func(_ *Check, c *Cell) { c.Claimed = math.Inf(1) }, "claimed sensitivity +Inf"},
		{"an error of 1", func(_ *Check, c *Cell) { c.Error = 1 }, "relative error 1"},
		{"an error NaN", func(_ *Check, c *Cell) { c.Error = math.NaN() }, "relative error NaN"},
		{"a ball without a norm", func(_ *Check, c *Cell) { c.Records.Norm = 0 }, "a ball in unknown norm"},
		{"a ball of radius 0", func(_ *Check, c *Cell) { c.Records.Radius = 0 }, "a ball of radius 0"},
		{"a ball of radius NaN", func(_ *Check, c *Cell) { c.Shared = Ball{1, L2, math.NaN()} }, "shared parameters: a ball of radius NaN"},
		{"a ball of negative dimension", func(_ *Check, c *Cell) { c.Shared = Ball{-1, L2, 1} }, "dimension -1"},
		{"records that are all equal", func(_ *Check, c *Cell) { c.Records = Records{} }, "all are equal"},
		{"a label twice", func(_ *Check, c *Cell) { c.Records.Labels = []float64{1, 1} }, "label 1 is given twice"},
		{"a label NaN", func(_ *Check, c *Cell) { c.Records.Labels = []float64{math.NaN()} }, "label NaN"},
		{"a choice without values", func(_ *Check, c *Cell) { c.Choices = []int{2, 0} }, "choice 1 has 0 values"},
	}
	for _, c := range cases {
		s := meanCheck(1)
		c.change(&s, &s.Cells[0])
		if _, err := judgeSensitivity(t, s, 1); err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: error %v, want one that names %q", c.reason, err, c.names)
		}
	}
}

// Replay rejects pairs outside the domain.
func TestSensitivityReplay(t *testing.T) {
	s := meanCheck(1)
	s.Cells[0].Choices, s.Cells[0].Shared = []int{2}, Ball{1, L2, 5}
	const good = `{"records":[{"x":[0,0],"times":3},{"x":[1,0]}],"at":3,"other":{"x":[-0.6,0.8]},"shared":[2],"choice":[1],"seed":1}`
	cases := []struct {
		reason   string
		old, new string // replacement in the witness
		names    string // words of the error; "" for no error
	}{
		{"a pair", "", "", ""},
		{"another cell", "n = 4, ", "n = 5, ", "names no cell"},
		{"no JSON", `"at":3,`, `"at"`, "not readable"},
		{"an unknown field", `"at":3`, `"at":3,"att":4`, "unknown field"},
		{"one record too many", `"times":3`, `"times":4`, "5 records: want 4"},
		{"a negative number of records", `"times":3`, `"times":-3`, "a record -3 times"},
		{"too great a number of records", `"times":3`, `"times":1000000000`, "a record 1000000000 times"},
		{"a record outside the disc", `[1,0]`, `[1,0.1]`, "outside its domain"},
		{"the other record outside", `[-0.6,0.8]`, `[-0.7,0.8]`, "outside its domain"},
		{"a label without labels in the domain", `{"x":[1,0]}`, `{"x":[1,0],"y":1}`, "outside its domain"},
		{"a point of three numbers", `[1,0]`, `[1,0,0]`, "outside its domain"},
		{"no such position", `"at":3`, `"at":4`, "the record 4 differs"},
		{"no other record", `"other":{"x":[-0.6,0.8]},`, "", "these neighbors replace one record"},
		{"shared parameters outside", `"shared":[2]`, `"shared":[-6]`, "shared parameters are outside"},
		{"no choice", `"choice":[1],`, "", "0 choices: want 1"},
		{"no such choice", `"choice":[1]`, `"choice":[2]`, "choice 0 is 2: want 0 to 1"},
	}
	for _, c := range cases {
		value, err := s.Replay(strings.Replace("n = 4, "+good, c.old, c.new, 1))
		switch {
		case c.names == "" && (err != nil || math.Abs(value-math.Hypot(1.6, 0.8)/4) > 1e-15):
			t.Errorf("%s: %v, %v", c.reason, value, err)
		case c.names != "" && (err == nil || !strings.Contains(err.Error(), c.names)):
			t.Errorf("%s: error %v, want one that names %q", c.reason, err, c.names)
		}
	}
}

// Points that the search moves into a ball are in it, points inside stay unchanged, and a printed witness restores the
// pair.
func TestSensitivityDomainLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		norm := rapid.SampledFrom([]Norm{L1, L2, LInf}).Draw(t, "norm")
		radius := rapid.Float64Range(1e-3, 1e6).Draw(t, "radius")
		x := rapid.SliceOfN(rapid.Float64(), 1, 8).Draw(t, "x")
		before := slices.Clone(x)
		inside := norm.length(x) <= radius
		norm.confine(x, radius)
		if got := norm.length(x); !(got <= radius) {
			t.Fatalf("%v becomes %v, whose norm %v exceeds %v", before, x, got, radius)
		}
		if inside && !slices.Equal(x, before) {
			t.Fatalf("%v is inside and becomes %v", before, x)
		}
		z := slices.Clone(x)
		norm.confine(z, 1)
		if norm.round(z, rapid.IntRange(0, 5).Draw(t, "decimals")); !(norm.length(z) <= 1) {
			t.Fatalf("%v is rounded to %v, whose norm is %v", x, z, norm.length(z))
		}
		w := sensitivityWitness{Records: repeated([]Record{{X: x}, {X: slices.Clone(x)}, {X: x, Y: 1}}), At: 1, Shared: x, Seed: 3}
		text, err := w.print()
		if err != nil {
			t.Fatal(err)
		}
		var back sensitivityWitness
		if err := json.Unmarshal([]byte(text), &back); err != nil || len(back.Records) != 2 || back.Records[0].Times != 2 || !slices.Equal(back.Records[1].X, x) {
			t.Fatalf("%s is read as %+v, %v", text, back, err)
		}
	})
}

// A step of the search allocates nothing.
func TestSensitivityEvaluationDoesNotAllocate(t *testing.T) {
	s := meanCheck(1)
	search := newSensitivitySearch(context.Background(), &s, &s.Cells[0], rand.New(rand.NewPCG(1, 2)))
	search.left = math.MaxInt64
	c := search.newSuspect()
	if n := testing.AllocsPerRun(1000, func() {
		search.move(c, 0.1)
		search.evaluate(c)
	}); n != 0 || search.err != nil {
		t.Errorf("%v allocations per evaluation, error %v", n, search.err)
	}
}

// BenchmarkSensitivity searches pairs for the mean of 100 points of 20 coordinates.
func BenchmarkSensitivity(b *testing.B) {
	s := meanCheck(1)
	s.Evaluations = 20000
	s.Cells[0].N, s.Cells[0].OutputLength, s.Cells[0].Records, s.Cells[0].Map = 100, 20, unitBall(20, L2), sumOf(100, addPoint)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Prepare(context.Background(), verify.Settings{Budget: verify.Standard, Seed: empirical.NewSeed(1)}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/20000, "ns/pair")
}

// BenchmarkSensitivityEvaluation runs one step of the search: a move, and both runs of a map that does nothing.
func BenchmarkSensitivityEvaluation(b *testing.B) {
	s := meanCheck(1)
	s.Cells[0].Map = func(*rand.Rand, Input, []float64) error { return nil }
	search := newSensitivitySearch(context.Background(), &s, &s.Cells[0], rand.New(rand.NewPCG(1, 2)))
	search.left = math.MaxInt64
	c := search.newSuspect()
	b.ReportAllocs()
	for b.Loop() {
		search.move(c, 0.1)
		search.evaluate(c)
	}
}
