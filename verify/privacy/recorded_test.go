package privacy

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/outputs"
)

func recordingOf(name string, n int, draw func() any) outputs.Recording {
	out := outputs.Recording{Name: name}
	for range n {
		out.Outputs = append(out.Outputs, draw())
	}
	return out
}

// TestRecordedAudit checks the verdicts on recorded outputs. A true claim is refuted with probability at most 1e-6.
func TestRecordedAudit(t *testing.T) {
	laplace := func(r *rand.Rand, scale, x float64) func() any {
		return func() any { return x + math.Copysign(r.ExpFloat64()*scale, r.Float64()-0.5) }
	}
	for _, c := range []struct {
		name     string
		scale    float64
		na, nb   int
		verdicts []verify.Verdict
		bits     verify.Verdict
		reason   string
	}{
		{"true", 1, 100_000, 100_000, []verify.Verdict{verify.Consistent}, verify.Refuted, "Laplace of scale 1 is 1-DP over the reals, and leaks through its bits"},
		{"half the noise", 0.5, 40_000, 40_000, []verify.Verdict{verify.Refuted}, "", "it is 2-DP"},
		{"unequal numbers", 0.5, 9_000, 8_000, []verify.Verdict{verify.Refuted}, "", "the smaller number counts"},
		{"few", 1, 200, 200, []verify.Verdict{verify.Inconclusive}, "", "200 samples cannot decide 1-DP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			audit := RecordedAudit{
				A: recordingOf("a.jsonl", c.na, laplace(r, c.scale, 0)), B: recordingOf("b.jsonl", c.nb, laplace(r, c.scale, 1)), Guarantee: ApproximateDP(1, 0),
			}
			e := verifytest.JudgeAt(t, audit, 1)
			if e.Verdict != c.verdicts[0] {
				t.Errorf("%s [%v, %v] at %s: want %s: %s", e.Verdict, e.Lower.X, e.Upper.X, e.WorstCase, c.verdicts[0], c.reason)
			}
			if text := verifytest.Look(t, c.name, e); e.Verdict == verify.Inconclusive && !strings.HasSuffix(text, fmt.Sprintf("this run had %d", c.na)) {
				t.Errorf("the size it would take: %q, of %d samples", text, c.na)
			} else if e.Verdict == verify.Inconclusive && !strings.Contains(text, "recorded outputs of each input, or a larger mass") {
				t.Errorf("%q does not say what to record", text)
			}
			if got := len(e.Warnings) > 0; got != (c.na != c.nb) {
				t.Errorf("warnings %q", e.Warnings)
			}
			if e.Samples > int64(c.na+c.nb) {
				t.Errorf("%d samples of %d", e.Samples, c.na+c.nb)
			}
			if c.bits != "" {
				if e := verifytest.JudgeAt(t, RecordedPrecision(audit), 1); e.Verdict != c.bits {
					t.Errorf("precision: %s at %s, want %s", e.Verdict, e.WorstCase, c.bits)
				}
			}
		})
	}
}

func TestRecordedPrecisionOfAGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := func(x float64) func() any {
		return func() any {
			y := x + math.Copysign(r.ExpFloat64(), r.Float64()-0.5)
			return []any{math.RoundToEven(y*0x1p20)*0x1p-20 + 0, "nan"}
		}
	}
	audit := RecordedPrecision{A: recordingOf("a", 20_000, draw(0)), B: recordingOf("b", 20_000, draw(1)), Guarantee: ApproximateDP(1, 0)}
	e := verifytest.JudgeAt(t, audit, 1)
	if verifytest.Look(t, "a grid", e); e.Verdict == verify.Refuted {
		t.Errorf("refuted at %s", e.WorstCase)
	}
}

// TestRecordedAuditOfDependentOutputs checks that outputs that are not independent releases make the verdict
// inconclusive, with a warning. Sorted outputs are judged and get a warning.
func TestRecordedAuditOfDependentOutputs(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	laplace := func(scale, x float64) func() any {
		return func() any { return x + math.Copysign(r.ExpFloat64()*scale, r.Float64()-0.5) }
	}
	repeated := func(x float64) outputs.Recording {
		few, i := recordingOf("", 30, laplace(1, x)), 0
		return recordingOf("few.jsonl", 3000, func() any { i++; return few.Outputs[(i-1)/100] })
	}
	tenTimes := func(x float64) outputs.Recording {
		out := recordingOf("ten.jsonl", 1000, func() any { return x + math.Floor(r.ExpFloat64()) - math.Floor(r.ExpFloat64()) })
		out.Outputs = slices.Repeat(out.Outputs, 10)
		return out
	}
	sorted := func(x float64) outputs.Recording {
		out := recordingOf("sorted.jsonl", 20_000, laplace(0.5, x))
		slices.SortFunc(out.Outputs, func(a, b any) int { return cmp.Compare(a.(float64), b.(float64)) })
		return out
	}
	copied := recordingOf("one.jsonl", 100_000, laplace(0.5, 0))
	for _, c := range []struct {
		reason  string
		a, b    outputs.Recording
		want    verify.Verdict
		warning string
	}{
		{"30 releases a hundred times each", repeated(0), repeated(1), verify.Inconclusive, "outputs are not independent: each output is written 100 times in a row"},
		{"repeated releases under one input", repeated(0), recordingOf("b", 3000, laplace(1, 1)), verify.Inconclusive, "outputs are not independent: each output is written 100 times in a row"},
		{"ten copies of one recording", tenTimes(0), tenTimes(1), verify.Inconclusive, "outputs are not independent: every output occurs again 1000 lines later: 10 copies of one recording"},
		{"one recording for both inputs", copied, copied, verify.Inconclusive, "not independent of one another"},
		{"sorted, half of the noise", sorted(0), sorted(1), verify.Refuted, "sorted, or drift"},
	} {
		audit := RecordedAudit{A: c.a, B: c.b, Guarantee: ApproximateDP(1, 0)}
		e := verifytest.JudgeAt(t, audit, 1)
		if e.Verdict != c.want || !strings.Contains(strings.Join(e.Warnings, "; "), c.warning) {
			t.Errorf("%s: %s, warnings %q; want %s, %q", c.reason, e.Verdict, e.Warnings, c.want, c.warning)
		}
		verifytest.Look(t, c.reason, e)
		if e := verifytest.JudgeAt(t, RecordedPrecision(audit), 1); c.want == verify.Inconclusive && e.Verdict == verify.Refuted {
			t.Errorf("%s: precision is %s", c.reason, e.Verdict)
		}
	}
}

// TestRecordedViewsCountWhatDidNotChoose checks that a view counts its event in all samples that did not choose it, and
// in no others. Here the choosing samples reveal the input. In the others, the event occurs in a quarter of A and never
// in B.
func TestRecordedViewsCountWhatDidNotChoose(t *testing.T) {
	const n, chosen = 4000, 1500
	constant := func() any { return 0.0 }
	audit := RecordedAudit{A: recordingOf("a", n, constant), B: recordingOf("b", n, constant), Guarantee: ApproximateDP(1, 0)}
	for _, from := range []int{0, chosen} {
		trial, err := audit.trial(verify.Settings{Budget: verify.Standard, Alpha: 0.05, Seed: empirical.NewSeed(1)})
		if err != nil {
			t.Fatal(err)
		}
		for k := range n {
			trial.outputs[1][k] = 0.0
			switch among := k >= from && k < from+chosen; {
			case among, !among && k%4 == 0:
				trial.outputs[0][k] = 1.0
			}
		}
		want := int64(0)
		for k, o := range trial.outputs[0] {
			if o == 1.0 && (k < from || k >= from+chosen) {
				want++
			}
		}
		trial.plan(2, 1)
		if err := trial.look(from, from+chosen); err != nil {
			t.Fatal(err)
		}
		v := trial.views[0]
		got := [2]int64{v.heldOut[0][0], v.heldOut[1][0]}
		if got[0] > got[1] && got[1] != 0 || got[0] <= got[1] { // the event may also be the output 0 of B
			got = [2]int64{n - chosen - got[1], n - chosen - got[0]}
		}
		if got != [2]int64{want, 0} || v.heldOutN != [2]int64{n - chosen, n - chosen} {
			t.Errorf("from %d: counted %v of %d, want %d and none of %d", from, v.heldOut, v.heldOutN, want, n-chosen)
		}
	}
}
