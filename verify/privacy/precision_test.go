package privacy

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// drawFunc is a mechanism given by its Release function.
type drawFunc[D, O any] func(*rand.Rand, D) (O, error)

func (f drawFunc[D, O]) Release(r *rand.Rand, input D) (O, error) { return f(r, input) }

func mustBe[M any](m M, err error) M {
	if err != nil {
		panic(err)
	}
	return m
}

// rounded returns a mechanism that rounds the outputs to multiples of 2⁻²⁰. Adding 0 turns −0 into 0.
func rounded(m verify.Mechanism[float64, float64]) verify.Mechanism[float64, float64] {
	return drawFunc[float64, float64](func(r *rand.Rand, x float64) (float64, error) {
		y, err := m.Release(r, x)
		return math.RoundToEven(y*0x1p20)*0x1p-20 + 0, err
	})
}

// TestPrecision checks the verdict on the low-order bits. On a sound mechanism, a refutation has probability at most 1e-6
// per seed.
func TestPrecision(t *testing.T) {
	naive := mustBe(broken.NewNaiveLaplace(0.1, 1))
	wide := mustBe(broken.NewNaiveLaplace(1, 1)) // true ε over the reals is 1
	grid := mustBe(mechanism.NewGridLaplace(1, 0x1p-20))
	atoms := drawFunc[float64, float64](func(r *rand.Rand, x float64) (float64, error) {
		return x - 10*math.Log((float64(r.IntN(1<<9))+0.5)/(1<<9)), nil // few values of full precision
	})
	for _, c := range []struct {
		name      string
		mechanism verify.Mechanism[float64, float64]
		epsilon   float64
		flagged   bool
		reason    string
	}{
		{"naive Laplace", naive, 0.1, true, "the gaps of doubles around 0 and 1 differ"},
		{"rounded to 2^-20", rounded(naive), 0.1, false, "the same noise on a coarse grid has no such gaps"},
		{"grid Laplace", grid, 1, false, "the remedy"},
		{"false over the reals, on a grid", rounded(wide), 0.1, false, "the fault is not in the bits"},
		{"few values", atoms, 0.1, true, "the supports differ"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range testutil.Size[uint64](1, 3) {
				e := verifytest.JudgeAt(t, FloatingPoint[float64, float64]{
					Mechanism: c.mechanism, Pairs: []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}}, Guarantee: ApproximateDP(c.epsilon, 0), Samples: 20_000,
				}, seed+1)
				if got := e.Verdict == verify.Refuted; got != c.flagged {
					t.Errorf("seed %d: %s [%v] at %s; want flagged = %v: %s", seed+1, e.Verdict, e.Lower.X, e.WorstCase, c.flagged, c.reason)
				}
				if c.flagged && (!strings.Contains(e.WorstCase, "low-order bits") || !strings.Contains(fmt.Sprint(e.Warnings), "grid")) {
					t.Errorf("no explanation: %q, %q", e.WorstCase, e.Warnings)
				}
				if text := verifytest.Look(t, c.name, e); c.flagged && !strings.Contains(text, "low-order bits: ") {
					t.Errorf("the counterexample does not mention low-order bits: %q", text)
				}
				t.Log(e.Verdict, e.Lower.X, e.WorstCase)
			}
		})
	}
}

// TestPrecisionLeavesPrivacyAlone checks that the low-order bits do not affect the verdict over the reals.
func TestPrecisionLeavesPrivacyAlone(t *testing.T) {
	naive := mustBe(broken.NewNaiveLaplace(0.1, 1))
	for name, m := range map[string]verify.Mechanism[float64, float64]{"naive": naive, "rounded": rounded(naive)} {
		e := verifytest.JudgeAt(t, Audit[float64, float64]{
			Mechanism: m, Pairs: []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}}, Guarantee: ApproximateDP(0.1, 0), Samples: 20_000,
		}, 1)
		if e.Verdict == verify.Refuted {
			t.Errorf("%s: privacy over the reals is refuted at %s", name, e.WorstCase)
		}
	}
}

func TestPrecisionWithoutNumbers(t *testing.T) {
	for name, m := range map[string]verify.Mechanism[float64, any]{
		"words":    drawFunc[float64, any](func(r *rand.Rand, x float64) (any, error) { return "yes", nil }),
		"booleans": drawFunc[float64, any](func(r *rand.Rand, x float64) (any, error) { return []any{r.IntN(2) == 0, nil, "nan"}, nil }),
	} {
		e := verifytest.JudgeAt(t, FloatingPoint[float64, any]{Mechanism: m, Pairs: []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}}, Guarantee: ApproximateDP(1, 0), Samples: 1000}, 1)
		if e.Verdict != verify.Untestable {
			t.Errorf("%s: %s, want untestable", name, e.Verdict)
		}
	}
}

// TestPrecisionOfWholeNumbers checks that every number of an output is tested, including integers.
func TestPrecisionOfWholeNumbers(t *testing.T) {
	geometric := func(r *rand.Rand, scale float64) int64 {
		up, down := math.Floor(r.ExpFloat64()*scale), math.Floor(r.ExpFloat64()*scale)
		return int64(up - down)
	}
	grid := func(r *rand.Rand, n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Round(r.NormFloat64()*0x1p10) * 0x1p-10
		}
		return v
	}
	for _, c := range []struct {
		name   string
		draw   func(r *rand.Rand, b int64) any
		want   []verify.Verdict
		reason string
	}{
		{"an id", func(_ *rand.Rand, b int64) any { return json.Number(fmt.Sprint(math.MaxInt64 - b)) }, []verify.Verdict{verify.Refuted}, "its last bit depends on the input"},
		{"the last bit of a 64-bit integer", func(r *rand.Rand, b int64) any { return r.Uint64()&^1 | uint64(b) }, []verify.Verdict{verify.Refuted}, "only the last bit depends on the input"},
		{"one double of forty", func(r *rand.Rand, b int64) any {
			v := grid(r, 40)
			v[33] = math.Float64frombits(math.Float64bits(v[33]+1000.1)&^1 | uint64(b))
			return v
		}, []verify.Verdict{verify.Refuted}, "the number is chosen for the test"},
		{"a time with microseconds", func(_ *rand.Rand, b int64) any { return 1_700_000_000.123456 + float64(b)*1e-6 }, []verify.Verdict{verify.Refuted}, "the search keeps only 40 bits of the significand"},
		{"the last bit of a small number", func(r *rand.Rand, b int64) any { return int(geometric(r, 100)&^1 | b) }, []verify.Verdict{verify.Inconclusive}, "it changes the value, so the audit of the privacy claim detects it"},
		{"geometric noise", func(r *rand.Rand, b int64) any { return int(b + geometric(r, 1)) }, []verify.Verdict{verify.Consistent, verify.Inconclusive}, "all of it is noise"},
		{"64-bit noise", func(r *rand.Rand, b int64) any { return r.Uint64() + uint64(b) }, []verify.Verdict{verify.Consistent, verify.Inconclusive}, "all of it is noise"},
		{"forty doubles on a grid", func(r *rand.Rand, b int64) any { return grid(r, 40) }, []verify.Verdict{verify.Consistent, verify.Inconclusive}, "all bits are distributed alike"},
	} {
		m := drawFunc[int64, any](func(r *rand.Rand, b int64) (any, error) { return generic(c.draw(r, b)), nil })
		e := verifytest.JudgeAt(t, FloatingPoint[int64, any]{Mechanism: m, Pairs: []inputs.Pair[int64]{{Name: "0 and 1", A: 0, B: 1}}, Guarantee: ApproximateDP(1, 0), Samples: 5000}, 1)
		if !slices.Contains(c.want, e.Verdict) {
			t.Errorf("%s: %s at %s, want one of %s: %s", c.name, e.Verdict, e.WorstCase, c.want, c.reason)
		}
		t.Log(c.name, e.Verdict, e.WorstCase, e.Power, e.Warnings)
	}
}

// generic converts a list of numbers to the type of decoded JSON.
func generic(v any) any {
	list, ok := v.([]float64)
	if !ok {
		return v
	}
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = x
	}
	return out
}

func TestLowBits(t *testing.T) {
	for _, c := range []struct {
		v                       float64
		lowest, zeros, exponent float64
		fine                    bool
		reason                  string
	}{
		{1, 0, 52, 0, false, "a power of two"},
		{-3, 0, 51, 1, false, "the sign does not matter"},
		{0.1, -55, 1, -4, true, "0.1 = 0x1.999999999999ap-4"},
		{1 + 0x1p-52, -52, 0, 0, true, "all bits are used"},
		{0x1p-1074, -1074, 52, -1074, false, "the smallest double"},
		{0.375, -3, 51, -2, false, "a coarse fraction"},
	} {
		l := diagnosis.Leaf{Value: c.v}
		lowest, zeros, exponent := l.Bits()
		if lowest != c.lowest || zeros != c.zeros || exponent != c.exponent || l.Fine() != c.fine {
			t.Errorf("%v: %v, %v, %v, %v; want %v, %v, %v, %v: %s", c.v, lowest, zeros, exponent, l.Fine(), c.lowest, c.zeros, c.exponent, c.fine, c.reason)
		}
	}
}

// TestLowBitsOfLargeNumbers checks the low-order bits of large integers, from decoded JSON and from Go types.
func TestLowBitsOfLargeNumbers(t *testing.T) {
	for _, c := range []struct {
		number        any
		lowest, zeros float64
		reason        string
	}{
		{uint64(1<<53 + 1), 0, -1, "one bit more than a double has"},
		{int64(-1<<53 - 2), 1, 0, "the sign does not matter"},
		{json.Number("9223372036854775808"), 63, 52, "2^63"},
		{json.Number("36893488147419103240"), 3, -10, "2^65 + 8"},
		{[]uint64{math.MaxUint64}, 0, -12, "it is rounded up to 2^64"},
	} {
		l := diagnosis.LeavesOf(nil, c.number)[0]
		if lowest, zeros, _ := l.Bits(); !l.Large || lowest != c.lowest || zeros != c.zeros {
			t.Errorf("%v: %v, %v (large: %v), want %v, %v: %s", c.number, lowest, zeros, l.Large, c.lowest, c.zeros, c.reason)
		}
		r := rand.New(rand.NewPCG(1, 1))
		if other := l.Blurred(r); other == l || math.Abs(other.Value/l.Value-1) > 1e-5 {
			t.Errorf("%v blurred is %+v", c.number, other)
		}
	}
}
