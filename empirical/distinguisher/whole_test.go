package distinguisher

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/decimal"
)

// encodedSample returns n encoded outputs of a mechanism at input 0 or 1.
func encodedSample[O any](t *testing.T, seed uint64, n int, input int64, draw func(r *rand.Rand, b int64) O) *Rows {
	t.Helper()
	encode, err := Encoder[O]()
	if err != nil {
		t.Fatal(err)
	}
	return sampleOf(seed, n, func(r *rand.Rand) []float64 { return encode(nil, draw(r, input)) })
}

// wholeCase holds a mechanism whose inputs differ in the event, or do not differ.
type wholeCase struct {
	reason string
	event  string // part of it; "-": nothing tells
	run    func(t *testing.T) (event string, certified float64)
}

func wholeCaseOf[O any](reason, event string, draw func(r *rand.Rand, b int64) O) wholeCase {
	return wholeCase{reason, event, func(t *testing.T) (string, float64) {
		const n = 1000
		sample := func(seed uint64, b int64) *Rows { return encodedSample(t, seed, n, b, draw) }
		x, y := SameWidth(sample(1, 0), sample(2, 1))
		w, err := find(searchAt(n), x, y)
		if errors.Is(err, ErrNoEvent) {
			return "", 0
		} else if err != nil {
			t.Fatal(err)
		}
		return w.Event, certified(w, sample(3, 0), sample(4, 1))
	}}
}

// rounds returns x plus Laplace noise, rounded.
func rounds(r *rand.Rand, scale float64, x int64) int64 {
	return x + int64(math.Round(math.Copysign(r.ExpFloat64()*scale, r.Float64()-0.5)))
}

func vectorOf(r *rand.Rand, n int) []int32 {
	v := make([]int32, n)
	for i := range v {
		v[i] = int32(r.IntN(1000))
	}
	return v
}

var wholeCases = []wholeCase{
	wholeCaseOf("an id", "output", func(_ *rand.Rand, b int64) int { return 1<<30 + int(b) }),
	wholeCaseOf("an id in a double", "output", func(_ *rand.Rand, b int64) float64 { return float64(1<<42 + b) }),
	wholeCaseOf("the first that a double lacks", "last 15 digits of output", func(_ *rand.Rand, b int64) int64 { return 1<<53 + b }),
	wholeCaseOf("the largest of 64 bits", "last 15 digits of output", func(_ *rand.Rand, b int64) int64 { return math.MaxInt64 - b }),
	wholeCaseOf("the least of 64 bits", "last 15 digits of output", func(_ *rand.Rand, b int64) int64 { return math.MinInt64 + b }),
	wholeCaseOf("the largest without a sign", "last 15 digits of output", func(_ *rand.Rand, b int64) uint64 { return math.MaxUint64 - uint64(b) }),
	wholeCaseOf("nanoseconds in a list", "last 15 digits of output[1]", func(_ *rand.Rand, b int64) []int64 { return []int64{7, 1_763_000_000_123_456_789 + b} }),
	wholeCaseOf("thirty digits", "last 15 digits of output[0]", func(_ *rand.Rand, b int64) any {
		return []any{json.Number(fmt.Sprintf("12345678901234567890123456789%d", b)), 1.0}
	}),
	wholeCaseOf("the sixteenth of forty-five digits", "digits 10^15 to 10^29 of output", func(_ *rand.Rand, b int64) any {
		return json.Number("12345678901234567890123456789" + fmt.Sprint(b) + "012345678901234")
	}),
	wholeCaseOf("the lowest bit", "output mod 2 = ", func(r *rand.Rand, b int64) int { return int(rounds(r, 1e6, 0)&^1 | b) }),
	wholeCaseOf("the lowest bit of a byte", "output mod 2 = ", func(r *rand.Rand, b int64) uint8 { return uint8(r.IntN(256)&^1) | uint8(b) }),
	wholeCaseOf("the lowest bit of a double", "output mod 2 = ", func(r *rand.Rand, b int64) float64 { return float64(rounds(r, 1e14, 0)&^1 | b) }),
	wholeCaseOf("a multiple of three", "output mod 3 = ", func(r *rand.Rand, b int64) int { return int(3*rounds(r, 1e6, 0) + b) }),
	wholeCaseOf("the last digit", "output mod ", func(r *rand.Rand, b int64) uint16 { return uint16(10*r.IntN(6000)) + 7*uint16(b) }),
	wholeCaseOf("the fifth digit", "output at 10^4 = ", func(r *rand.Rand, b int64) int64 { return r.Int64N(1e4) + 1e4*(3+b) + 1e5*r.Int64N(1e6) }),
	wholeCaseOf("the tenth bit", "output at 2^9 = ", func(r *rand.Rand, b int64) int { return int(rounds(r, 1e6, 0)&^(1<<9) | b<<9) }),
	wholeCaseOf("the bit at 2^20 beyond doubles", "output at 2^20 = ", func(r *rand.Rand, b int64) uint64 { return r.Uint64()&^(1<<20) | uint64(b)<<20 }),
	wholeCaseOf("a coarser grid", "output", func(r *rand.Rand, b int64) int64 { return rounds(r, 1e6, 0) << (12 * b) }),
	wholeCaseOf("one of fifty", "output[17] mod 2 = ", func(r *rand.Rand, b int64) []int32 {
		v := vectorOf(r, 50)
		v[17] = v[17]&^1 | int32(b)
		return v
	}),
	wholeCaseOf("the parity of the sum", "sum mod 2 = ", func(r *rand.Rand, b int64) []int32 {
		v := vectorOf(r, 5)
		v[0] += (v[0] + v[1] + v[2] + v[3] + v[4] + int32(b)) % 2
		return v
	}),
	wholeCaseOf("the parity of the length", "length mod 2 = ", func(r *rand.Rand, b int64) []int { return make([]int, 2*r.IntN(20)+int(b)) }),
	wholeCaseOf("the thirteenth of forty digits", "output at 10^12 = ", func(r *rand.Rand, b int64) any {
		return json.Number(fmt.Sprintf("1%014d%012d%d%012d", r.Int64N(1e14), r.Int64N(1e12), 3+b, r.Int64N(1e12)))
	}),
	wholeCaseOf("a residue of forty digits", "output mod 7 = ", func(r *rand.Rand, b int64) any {
		n, _ := new(big.Int).SetString(fmt.Sprintf("1%019d%019d", r.Uint64()>>1, r.Uint64()>>1), 10)
		n.Sub(n, new(big.Int).Mod(n, big.NewInt(7)))
		return json.Number(n.Add(n, big.NewInt(b)).String())
	}),
	wholeCaseOf("a residue in a string", "number in the string output mod 3 = ", func(r *rand.Rand, b int64) string { return fmt.Sprint(3*r.Int64N(1e18) + b) }),
	wholeCaseOf("the last letter", "last character of the string output = ", func(r *rand.Rand, b int64) any { return fmt.Sprintf("%x%c", r.Uint64(), 'x'+rune(b)) }),
	wholeCaseOf("the length of a string", "length of the string output[0]", func(r *rand.Rand, b int64) []string {
		return []string{fmt.Sprintf("u%x", r.Uint64N(1<<60)|1<<60)[:10+b], "x"}
	}),
	wholeCaseOf("whether a string is a number", "", func(r *rand.Rand, b int64) string { return fmt.Sprintf("%d%s", r.Int64(), strings.Repeat("e", int(b))) }),

	wholeCaseOf("nothing: the same integers", "-", func(r *rand.Rand, _ int64) int64 { return rounds(r, 1e6, 0) }),
	wholeCaseOf("nothing: the same beyond doubles", "-", func(r *rand.Rand, _ int64) uint64 { return r.Uint64() }),
	wholeCaseOf("nothing: integers noised as their difference asks", "-", func(r *rand.Rand, b int64) int64 { return rounds(r, 1e9, b) }),
	wholeCaseOf("nothing: the same vectors", "-", func(r *rand.Rand, _ int64) []int32 { return vectorOf(r, 30) }),
	wholeCaseOf("nothing: the same strings", "-", func(r *rand.Rand, _ int64) string { return fmt.Sprint(r.Uint64()) }),
}

// If the inputs do not differ, a certificate is wrong with probability 5 % for each run. Seeds are fixed.
func TestFindSeesWholeNumbers(t *testing.T) {
	for _, c := range wholeCases {
		event, got := c.run(t)
		switch {
		case c.event == "-" && got > 0.05:
			t.Errorf("%s: certified %.3f by %q", c.reason, got, event)
		case c.event != "-" && (got < 3 || !strings.Contains(event, c.event)):
			t.Errorf("%s: certified %.3f by %q, want at least 3 by one of %q", c.reason, got, event, c.event)
		}
		t.Logf("%s: %.3f by %s", c.reason, got, event)
	}
}

// Events accept rows of other forms than in the search: larger and smaller numbers, other lengths, other kinds.
func TestArrangedRowsOfOtherForms(t *testing.T) {
	encode, err := Encoder[any]()
	if err != nil {
		t.Fatal(err)
	}
	large := json.Number("123456789012345678901234567890")
	sample := func(seed uint64, b int64) *Rows {
		return encodedSample(t, seed, 200, b, func(r *rand.Rand, b int64) any {
			return []any{json.Number(fmt.Sprint(math.MaxInt64 - b)), "7", float64(r.IntN(9))}[:2+r.IntN(2)]
		})
	}
	x, y := SameWidth(sample(1, 0), sample(2, 1))
	w, err := find(searchAt(1000), x, y)
	if err != nil {
		t.Fatal(err)
	}
	r := empirical.NewSeed(1).Rand()
	for _, v := range []any{nil, large, "word", "", 1.0, []any{}, []any{large, large, large, large, large}, []any{"x", large}, []any{1.0, 2.0}, []any{[]any{large}}} {
		w.Holds(r, encode(nil, v))
	}
	if w.Holds(r, encode(nil, []any{json.Number(fmt.Sprint(int64(math.MaxInt64))), "7"})) == w.Holds(r, encode(nil, []any{json.Number(fmt.Sprint(int64(math.MaxInt64 - 1))), "7"})) {
		t.Errorf("the event %q does not tell its inputs apart", w.Event)
	}
	plain, err := find(searchAt(1000), sampleOf(1, 200, laplaceRow(0)), sampleOf(2, 200, laplaceRow(3)))
	if err != nil {
		t.Fatal(err)
	}
	if plain.Holds(r, encode(nil, large)) != plain.Holds(r, []float64{1e29}) {
		t.Error("the digits of a large number are taken for the number")
	}
}

// Divisions agree with the arithmetic of big integers.
func TestWholeAgreesWithBigIntegers(t *testing.T) {
	r := empirical.NewSeed(4).Rand()
	for range 2000 {
		text := fmt.Sprint(1+r.IntN(9)) + fmt.Sprintf("%019d%019d%019d", r.Uint64()>>1, r.Uint64()>>1, r.Uint64()>>1)[:r.IntN(57)]
		if r.IntN(2) == 0 {
			text = "-" + text
		}
		n, _ := new(big.Int).SetString(text, 10)
		row := encodeJSON(nil, json.Number(text))
		var w whole
		if isMark(row[0]) {
			w = wholeOfGroups(row[1 : 1+readMark(row[0]).cells])
		} else {
			w = wholeOf(row[0])
		}
		residue := new(big.Int).Mod(n, big.NewInt(modulusOfAll)).Uint64()
		low := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64() // in two's complement
		if uint64(w.residue) != residue || w.low != low {
			t.Fatalf("%s: %d modulo %d and %x modulo 2^64, want %d and %x", text, w.residue, modulusOfAll, w.low, residue, low)
		}
		digits := strings.TrimPrefix(text, "-")
		for k := range len(digits) {
			if got := w.digit(k); got != int(digits[len(digits)-1-k]-'0') {
				t.Fatalf("%s: %d at 10^%d", text, got, k)
			}
		}
	}
}

func TestParseNumber(t *testing.T) {
	pi := "3.14159265358979323846264338327950288"
	for _, c := range []struct {
		text   string
		want   any    // nil: no number
		wrong  string // part of the error
		reason string
	}{
		{"9007199254740992", float64(1 << 53), "", "2^53"},
		{"9007199254740993", json.Number("9007199254740993"), "", "2^53 + 1 is no double"},
		{"-9007199254740993", json.Number("-9007199254740993"), "", "nor is its negative"},
		{"+007", nil, "write 7 ", "as some programs write"},
		{"-0", math.Copysign(0, -1), "", "as C and Go write the double −0"},
		{"18446744073709551615", json.Number("18446744073709551615"), "", "64 bits"},
		{strings.Repeat("9", 300), json.Number(strings.Repeat("9", 300)), "", "the most digits"},
		{strings.Repeat("9", 301), nil, "301 digits", "one more"},
		{"1e400", nil, "beyond the range", "no double"},
		{"-1e400", nil, "beyond the range", "no double"},
		{"1e-400", nil, "below the range", "it is not 0"},
		{"0e-400", 0.0, "", "it is 0"},
		{"5e-324", 5e-324, "", "the least double"},
		{"1e30", 1e30, "", "a double is written so"},
		{"12345678901.23", 12345678901.23, "", "a fraction"},
		{"0.1000000000000000055511151231257827", 0.1, "", "the double 0.1, in more digits"},
		{pi, nil, "36 significant digits", "the digits are not those of a double"},
		{"123456789012345678901234567890.5", nil, "31 significant digits", "nor are these"},
		{"1.23456789012345678901234567e26", nil, "27 significant digits", "nor are these"},
		{"inf", math.Inf(1), "", "as strconv reads it"},
		{"", nil, "", "nothing"},
		{"-", nil, "", "no digits"},
		{"1,5", nil, "", "no number"},
		{"0x1p-2", nil, "is not a number", "hexadecimal"},
		{"1_0", nil, "write 10", "Go's digits in groups"},
	} {
		got, isNumber, err := decimal.Parse(c.text)
		if c.wrong != "" {
			if err == nil || !isNumber || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%q: %v, error %v, want %q: %s", c.text, got, err, c.wrong, c.reason)
			}
		} else if err != nil || got != c.want || isNumber != (c.want != nil) {
			t.Errorf("%q: %v (%v), error %v, want %v: %s", c.text, got, isNumber, err, c.want, c.reason)
		}
	}
	if v, _, _ := decimal.Parse("-0"); !math.Signbit(v.(float64)) {
		t.Error("-0 lost its sign")
	}
}

// Rounding keeps finite numbers finite, and zero, −0 and the smallest subnormal numbers apart.
func TestRounded(t *testing.T) {
	for _, x := range []float64{math.MaxFloat64, -math.MaxFloat64, math.Nextafter(math.MaxFloat64, 0)} {
		if got := Rounded(x); math.IsInf(got, 0) || math.Abs(got/x-1) > 1e-12 {
			t.Errorf("%v is rounded to %v", x, got)
		}
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, 1e-323, 0x1p-1033, math.Inf(1), 1 << 53} {
		if got := Rounded(x); math.Float64bits(got) != math.Float64bits(x) {
			t.Errorf("%v is rounded to %v", x, got)
		}
	}
	if got := Rounded(math.Nextafter(1, 2)); got != 1 {
		t.Errorf("the double after 1 is rounded to %v", got)
	}
}
