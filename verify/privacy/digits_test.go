package privacy

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/outputs"
)

// recordedText audits two files of n lines in the given format, jsonl or csv.
func recordedText(t *testing.T, kind string, n int, epsilon float64, line func(b int) string) verify.Evidence {
	t.Helper()
	var texts [2]strings.Builder
	for b := range texts {
		for range n {
			texts[b].WriteString(line(b) + "\n")
		}
	}
	first, second, err := outputs.ReadRecordings("a."+kind, strings.NewReader(texts[0].String()), "b."+kind, strings.NewReader(texts[1].String()))
	if err != nil {
		t.Fatal(err)
	}
	return verifytest.JudgeAt(t, RecordedAudit{A: first, B: second, Guarantee: ApproximateDP(epsilon, 0)}, 1)
}

// TestRecordedIDs checks that a mechanism that returns its input is refuted for inputs of any length.
func TestRecordedIDs(t *testing.T) {
	for _, c := range verifytest.LongIDs {
		for _, kind := range []string{"jsonl", "csv"} {
			if kind == "csv" && strings.ContainsAny(c.A, "[\"") {
				continue // the CSV row would have several fields
			}
			e := recordedText(t, kind, 300, 1, func(b int) string { return []string{c.A, c.B}[b] })
			if e.Verdict != verify.Refuted {
				t.Errorf("%s by %s: %s: %s", c.Reason, kind, e.Verdict, e.Power)
			}
		}
	}
}

// hiddenDigit is a mechanism whose large noise hides its input, 0 or 1, except for one property of the output.
type hiddenDigit struct {
	reason string
	draw   func(r *rand.Rand, b int64) string
}

func hiddenDigits() []hiddenDigit {
	return []hiddenDigit{
		{"the lowest bit", func(r *rand.Rand, b int64) string { return fmt.Sprint(wholeNoise(r, 1e9)&^1 | b) }},
		{"a multiple of three", func(r *rand.Rand, b int64) string { return fmt.Sprint(3*wholeNoise(r, 1e9) + b) }},
		{"the last digit", func(r *rand.Rand, b int64) string { return fmt.Sprint(10*wholeNoise(r, 1e9) + 5*b) }},
		{"the eleventh digit from the end", func(r *rand.Rand, b int64) string {
			return fmt.Sprintf("%d%013d%d%010d", 1+r.Int64N(1e14), r.Int64N(1e13), 3+b, r.Int64N(1e10))
		}},
		{"the lowest bit of thirty digits", func(r *rand.Rand, b int64) string {
			return new(big.Int).Add(new(big.Int).Lsh(big.NewInt(r.Int64()), 40), big.NewInt(2*r.Int64N(1<<39)+b)).String()
		}},
		{"the seventeenth of fifty values", func(r *rand.Rand, b int64) string {
			values := make([]string, 50)
			for i := range values {
				values[i] = fmt.Sprint(r.IntN(1e6))
			}
			values[16] = fmt.Sprint(wholeNoise(r, 1e6)&^1 | b)
			return strings.Join(values, ",")
		}},
	}
}

// wholeNoise returns rounded Laplace noise.
func wholeNoise(r *rand.Rand, scale float64) int64 {
	return int64(math.Round(math.Copysign(r.ExpFloat64()*scale, r.Float64()-0.5)))
}

func TestRecordedHiddenDigits(t *testing.T) {
	for i, c := range hiddenDigits() {
		for k, kind := range []string{"jsonl", "csv"} {
			if i%2 != k && !testutil.Asked() {
				continue // both formats give the same values
			}
			r := rand.New(rand.NewPCG(1, 2))
			e := recordedText(t, kind, 2000, 1, func(b int) string {
				line := c.draw(r, int64(b))
				if kind == "jsonl" && strings.Contains(line, ",") {
					line = "[" + line + "]"
				}
				return line
			})
			if e.Verdict != verify.Refuted {
				t.Errorf("%s by %s: %s [%v] at %s", c.reason, kind, e.Verdict, e.Lower.X, e.WorstCase)
			}
		}
	}
}

// TestRecordedSoundDigits checks that noise that covers all digits is not refuted. Each refutation here is false with
// probability at most 1e-6.
func TestRecordedSoundDigits(t *testing.T) {
	oneSided := func(r *rand.Rand) int64 { return int64(math.Floor(r.ExpFloat64() * 2)) }
	geometric := func(r *rand.Rand) int64 { // ε = 1/2
		up, down := oneSided(r), oneSided(r)
		return up - down
	}
	for _, c := range []struct {
		reason string
		draw   func(r *rand.Rand, b int64) string
	}{
		{"geometric noise", func(r *rand.Rand, b int64) string { return fmt.Sprint(b + geometric(r)) }},
		{"geometric noise on an id", func(r *rand.Rand, b int64) string { return fmt.Sprint(math.MaxInt64 - 1000 - b + geometric(r)) }},
		{"rounded Laplace noise", func(r *rand.Rand, b int64) string { return fmt.Sprint(b + wholeNoise(r, 10)) }},
		{"rounded Laplace noise of a large scale", func(r *rand.Rand, b int64) string { return fmt.Sprint(1e12*b + wholeNoise(r, 1e12)) }},
	} {
		for seed := range testutil.Size[uint64](1, 3) {
			r := rand.New(rand.NewPCG(seed, 5))
			if e := recordedText(t, "jsonl", 3000, 1, func(b int) string { return c.draw(r, int64(b)) }); e.Verdict == verify.Refuted {
				t.Errorf("%s, seed %d: refuted at %s", c.reason, seed, e.WorstCase)
			}
		}
	}
}

// TestAuditOfIntegers checks that Go integers are compared exactly.
func TestAuditOfIntegers(t *testing.T) {
	pairs := []inputs.Pair[int64]{{Name: "0 and 1", A: 0, B: 1}}
	for seed := range uint64(3) {
		check := func(reason string, m verify.Mechanism[int64, int64], refuted bool) {
			e := verifytest.JudgeAt(t, Audit[int64, int64]{Mechanism: m, Pairs: pairs, Guarantee: ApproximateDP(1, 0), Samples: 4000}, seed)
			if (e.Verdict == verify.Refuted) != refuted {
				t.Errorf("%s, seed %d: %s at %s", reason, seed, e.Verdict, e.WorstCase)
			}
		}
		check("an id", drawFunc[int64, int64](func(_ *rand.Rand, b int64) (int64, error) { return math.MaxInt64 - b, nil }), true)
		check("the lowest bit", drawFunc[int64, int64](func(r *rand.Rand, b int64) (int64, error) { return wholeNoise(r, 1e6)&^1 | b, nil }), true)
		check("rounded Laplace noise", drawFunc[int64, int64](func(r *rand.Rand, b int64) (int64, error) { return b + wholeNoise(r, 2), nil }), false)
	}
	bytes := drawFunc[int64, []byte](func(r *rand.Rand, b int64) ([]byte, error) {
		return []byte{byte(r.IntN(256)), byte(r.IntN(256))&^1 | byte(b)}, nil
	})
	e := verifytest.JudgeAt(t, Audit[int64, []byte]{Mechanism: bytes, Pairs: pairs, Guarantee: ApproximateDP(1, 0), Samples: 4000}, 1)
	if want := "output[1] mod 2"; e.Verdict != verify.Refuted || !strings.Contains(e.WorstCase, want) {
		t.Errorf("bytes: %s at %q, want %q", e.Verdict, e.WorstCase, want)
	}
}
