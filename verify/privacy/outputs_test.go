package privacy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/outputs"
)

// keeps reports whether randomized response at ε = 4 releases its input.
func keeps(r *rand.Rand) bool { return r.Float64() < 1/(1+math.Exp(-4)) }

// swapping releases u on true and v on false, or the other one by randomized response.
func swapping[O any](u, v func(r *rand.Rand) O) verify.Mechanism[bool, O] {
	return drawFunc[bool, O](func(r *rand.Rand, input bool) (O, error) {
		if keeps(r) == input {
			return u(r), nil
		}
		return v(r), nil
	})
}

// judgedApart checks that the audit of a claim of ε = 1 or the precision check refutes, where the true ε is 4. The audit
// must not be consistent; without additional noise the precision check must not be either.
func judgedApart(t *testing.T, name string, audit, precision verify.Evidence, noisy bool) {
	t.Helper()
	switch {
	case audit.Verdict != verify.Refuted && precision.Verdict != verify.Refuted:
		t.Errorf("%s: audit %s, precision %s: nothing is refuted", name, audit.Verdict, precision.Verdict)
	case audit.Verdict == verify.Consistent:
		t.Errorf("%s: the audit is consistent at %v", name, audit.Measured.X)
	case audit.Verdict == verify.Inconclusive && !strings.Contains(audit.Needed, "precision"):
		t.Errorf("%s: the audit does not say which check decides: %q", name, audit.Needed)
	case precision.Verdict == verify.Consistent && !noisy: // noise has bits that reveal nothing
		t.Errorf("%s: the precision is consistent", name)
	}
}

func judgeSwapping[O any](t *testing.T, name string, m verify.Mechanism[bool, O], noisy bool) {
	t.Helper()
	pairs := []inputs.Pair[bool]{{Name: name, A: true}}
	const samples = 1000 // too few for learned scores, which take time
	judgedApart(t, name,
		verifytest.JudgeAt(t, Audit[bool, O]{Mechanism: m, Pairs: pairs, Guarantee: ApproximateDP(1, 0), Samples: samples}, 1),
		verifytest.JudgeAt(t, FloatingPoint[bool, O]{Mechanism: m, Pairs: pairs, Guarantee: ApproximateDP(1, 0), Samples: samples}, 1),
		noisy)
}

// differentOutputs holds pairs of different outputs in JSON.
var differentOutputs = [][2]string{
	{`"nan"`, `0`}, {`"nan"`, `"inf"`}, {`"inf"`, `"-inf"`}, {`"inf"`, `1.7976931348623157e308`},
	{`"-inf"`, `-1.7976931348623157e308`}, {`1.7976931348623157e308`, `1.797693134862e308`}, {`"inf"`, `1e300`},
	{`5e-324`, `0`}, {`5e-324`, `-5e-324`}, {`5e-324`, `1e-323`}, {`2.2250738585072014e-308`, `2.225073858507201e-308`},
	{`0.0`, `-0.0`}, {`0`, `-0`}, {`-0.0`, `-5e-324`}, {`1`, `1.0000000000000002`}, {`0.1`, `0.10000000000000002`},
	{`0.30000000000000004`, `0.3`}, {`1e16`, `1.0000000000000002e16`}, {`1`, `1.000000001`},
	{`1e-300`, `1.0000000000000002e-300`}, {`1.7976931348623157e308`, `1.7976931348623155e308`},
	{`9007199254740992`, `9007199254740993`}, {`18446744073709551616`, `18446744073709551617`},
	{`-123456789012345678901234567890`, `-123456789012345678901234567891`}, {`"a"`, `"A"`}, {`"a"`, `"a "`},
	{`"a"`, `"a\u0000"`}, {`"a"`, `"a\u200b"`}, {`"\u00e9"`, `"e\u0301"`}, {`""`, `" "`}, {`""`, `null`}, {`"1"`, `1`}, {`true`, `1`},
	{`true`, `"true"`}, {`false`, `0`}, {`null`, `"null"`}, {`null`, `0`}, {`[]`, `null`}, {`[]`, `0`}, {`[1]`, `1`},
	{`[]`, `[[]]`}, {`[[]]`, `[0]`}, {`[[1]]`, `[1,1]`}, {`[[1],[2]]`, `[[1,2]]`}, {`[1,[2]]`, `[[1],2]`}, {`[1,2]`, `[2,1]`},
	{`[1]`, `[1,1]`}, {`[0.0]`, `[-0.0]`}, {`{"a":1}`, `{"b":1}`}, {`{"a":[]}`, `{"a":0}`}, {`{"a":null}`, `{}`},
	{`{"a":1}`, `["a",1]`}, {`{}`, `[]`}, {`["inf"]`, `[1.7976931348623157e308]`}, {`"\ud800"`, `"\ufffd"`},
}

// someOutputs returns every third pair, or all of them in a long test run.
func someOutputs() [][2]string {
	if testutil.Included() {
		return differentOutputs
	}
	var some [][2]string
	for i := 0; i < len(differentOutputs); i += 3 {
		some = append(some, differentOutputs[i])
	}
	return some
}

// TestDifferentOutputsAreDistinguished checks that a violation is detected however the two outputs of a mechanism
// differ. The true ε is 4 and the claim is 1.
func TestDifferentOutputsAreDistinguished(t *testing.T) {
	read := func(text string) (any, error) {
		out, err := outputs.ParseReply([]byte(`{"outputs": [`+text+`]}`), 1)
		if err != nil {
			return nil, err
		}
		return out[0], nil
	}
	for _, c := range someOutputs() {
		u, errU := read(c[0])
		v, errV := read(c[1])
		if errU != nil || errV != nil {
			continue // rejected: no verdict
		}
		fixed := func(v any) func(*rand.Rand) any { return func(*rand.Rand) any { return v } }
		noisy := func(v any) func(*rand.Rand) any {
			return func(r *rand.Rand) any { return []any{v, r.NormFloat64()} }
		}
		judgeSwapping(t, fmt.Sprint(c), swapping(fixed(u), fixed(v)), false)
		judgeSwapping(t, fmt.Sprint(c, " next to noise"), swapping(noisy(u), noisy(v)), true)
	}
}

// TestDifferentRecordedOutputsAreDistinguished checks the same for recorded files: JSON lines, and CSV if it can hold the
// values.
func TestDifferentRecordedOutputsAreDistinguished(t *testing.T) {
	for _, c := range someOutputs() {
		forms := [][2]string{c, {`{"output": ` + c[0] + `}`, `{"output": ` + c[1] + `}`}}
		if !strings.ContainsAny(c[0]+c[1], `[{\`) {
			forms = append(forms, [2]string{c[0] + ",0.5", c[1] + ",0.5"})
		}
		ends := []string{".jsonl", ".jsonl", ".csv"}
		for i, form := range forms {
			r := rand.New(rand.NewPCG(5, uint64(i)))
			var files [2]strings.Builder
			for side := range files {
				for range 600 {
					text := form[side]
					if !keeps(r) {
						text = form[1-side]
					}
					files[side].WriteString(text + "\n")
				}
			}
			a, b, err := outputs.ReadRecordings("a"+ends[i], strings.NewReader(files[0].String()), "b"+ends[i], strings.NewReader(files[1].String()))
			if err != nil || strings.ReplaceAll(form[0], `"`, ``) == strings.ReplaceAll(form[1], `"`, ``) && i == 2 {
				continue // rejected, or the same in CSV
			}
			audit := RecordedAudit{A: a, B: b, Guarantee: ApproximateDP(1, 0)}
			judgedApart(t, fmt.Sprint(form), verifytest.JudgeAt(t, audit, 1),
				verifytest.JudgeAt(t, RecordedPrecision(audit), 1), false)
		}
	}
}

// swapValues judges outputs of a type that the checks encode directly.
func swapValues[O any](t *testing.T, u, v O) {
	t.Helper()
	if !outputs.Supported[O]() {
		t.Fatalf("%T is not known", u)
	}
	judgeSwapping(t, fmt.Sprintf("%#v and %#v", u, v), eitherOf(u, v), false)
}

// swapParts judges outputs of a type that must be flattened. (An audit of each type would take a minute to compile.)
func swapParts[O any](t *testing.T, u, v O) {
	t.Helper()
	if outputs.Supported[O]() {
		t.Fatalf("%T is known", u)
	}
	judgeSwapping(t, fmt.Sprintf("%#v and %#v", u, v), outputs.Flat(eitherOf(u, v)), false)
}

func eitherOf[O any](u, v O) verify.Mechanism[bool, O] {
	return swapping(func(*rand.Rand) O { return u }, func(*rand.Rand) O { return v })
}

// TestDifferentGoOutputsAreDistinguished checks the same for Go values.
func TestDifferentGoOutputsAreDistinguished(t *testing.T) {
	zero := math.Copysign(0, -1)
	for _, c := range [][2]float64{{math.NaN(), 0}, {math.Inf(1), math.MaxFloat64}, {math.Inf(-1), -math.MaxFloat64}, {0, zero},
		{5e-324, 0}, {zero, -5e-324}, {1, math.Nextafter(1, 2)}, {1, math.Nextafter(1, 0)}, {1 << 53, 1<<53 + 2},
		{math.MaxFloat64, math.Nextafter(math.MaxFloat64, 0)}, {math.Float64frombits(0xFFFB<<48 | 1), 0}} {
		swapValues(t, c[0], c[1])
		swapValues(t, []float64{c[0]}, []float64{c[1]})
		swapParts(t, struct{ X float64 }{c[0]}, struct{ X float64 }{c[1]})
	}
	swapValues(t, int64(1<<53), int64(1<<53+1))
	swapValues(t, uint64(math.MaxUint64), uint64(math.MaxUint64-1))
	swapParts(t, float32(math.MaxFloat32), float32(math.Inf(1)))
	swapParts(t, float32(1), math.Nextafter32(1, 2))
	swapValues(t, "a\x00", "a")
	swapValues(t, []string{}, []string{""})
	swapParts(t, [][]int{{1}, {2}}, [][]int{{1, 2}})
	swapParts(t, struct{ X any }{[]int{}}, struct{ X any }{0})
	swapParts(t, struct{ X any }{"1"}, struct{ X any }{1})
	swapParts(t, struct{ X string }{"inf"}, struct{ X string }{`"inf"`})
	swapParts(t, complex(0, 0), complex(0, zero))
}
