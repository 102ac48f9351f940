package inputs

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

// walk calls use with pairs that a space proposes: its edges, and steps from them.
func walk[D any](t *testing.T, s Space, use func(p Pair[D])) {
	t.Helper()
	space, err := NewPairSpace[D](s)
	if err != nil {
		t.Fatal(err)
	}
	r := empirical.NewSeed(1).Rand()
	edges := space.Edges()
	for _, p := range edges {
		use(p)
	}
	for i := range 40 {
		p := edges[i%len(edges)]
		for range 3 {
			q, ok := space.Mutate(r, p)
			if !ok {
				continue
			}
			use(q)
			if both, ok := space.(PairCombiner[D]).Combine(r, p, q); ok {
				use(both)
			}
			smaller := space.Smaller(q)
			for _, small := range smaller[:min(len(smaller), 8)] {
				use(small)
			}
			p = q
		}
	}
}

// exactly returns the norm of a vector (squared under l2) with enough binary digits to represent any sum of doubles here.
func exactly(norm Norm, steps ...*big.Float) *big.Float {
	out := new(big.Float).SetPrec(5000)
	for _, d := range steps {
		switch d = new(big.Float).SetPrec(5000).Abs(d); norm {
		case L1:
			out.Add(out, d)
		case L2:
			out.Add(out, d.Mul(d, d))
		default:
			if d.Cmp(out) > 0 {
				out = d
			}
		}
	}
	return out
}

func difference[T int64 | uint64 | float64](a, b T) *big.Float {
	of := func(x T) *big.Float {
		f := new(big.Float).SetPrec(5000)
		switch x := any(x).(type) {
		case int64:
			return f.SetInt64(x)
		case uint64:
			return f.SetUint64(x)
		case float64:
			return f.SetFloat64(x)
		}
		return nil
	}
	if a == b {
		return new(big.Float)
	}
	x := of(a)
	return x.Sub(x, of(b))
}

// Neighbors under Change differ by at most the radius, also for integers that doubles do not represent.
func TestLargeWholeNumbersChange(t *testing.T) {
	type row struct {
		ID int64 `json:"id"`
		N  int64 `json:"n"`
	}
	for _, ends := range [][2]int64{{math.MinInt64, math.MaxInt64}, {0, 1<<60 + 101}, {math.MaxInt64 - 5000, math.MaxInt64}} {
		for _, c := range []struct {
			norm   Norm
			radius float64
		}{{L1, 1}, {L1, 3}, {L2, 1}, {L2, 5}, {LInf, 1}, {LInf, 2.5}} {
			s := Space{Object(map[string]Type{"id": Int(ends[0], ends[1]), "n": Int(0, 9)}), Change(c.norm, c.radius)}
			moved, bound := 0, exactly(c.norm, big.NewFloat(c.radius))
			walk(t, s, func(p Pair[row]) {
				d := exactly(c.norm, difference(p.A.ID, p.B.ID), difference(p.A.N, p.B.N))
				if d.Sign() == 0 || d.Cmp(bound) > 0 {
					t.Errorf("%s: A = %+v, B = %+v are no neighbours", s, p.A, p.B)
				}
				if p.A.ID != p.B.ID && max(p.A.ID, -p.A.ID) > 1<<53 {
					moved++
				}
			})
			if moved < 20 {
				t.Errorf("%s: %d pairs differ in a large number", s, moved)
			}
		}
	}
}

// For doubles the bound holds exactly, not up to rounding.
func TestDoublesChangeExactly(t *testing.T) {
	for _, radius := range []float64{1, 0.1, 1e-3, 7e15} {
		for _, norm := range []Norm{L1, L2, LInf} {
			s, bound := Space{Vector(Float(-1e17, 3e17), 3), Change(norm, radius)}, exactly(norm, big.NewFloat(radius))
			walk(t, s, func(p Pair[[3]float64]) {
				d := exactly(norm, difference(p.A[0], p.B[0]), difference(p.A[1], p.B[1]), difference(p.A[2], p.B[2]))
				if d.Sign() == 0 || d.Cmp(bound) > 0 {
					t.Errorf("%s: A = %v, B = %v are no neighbours", s, p.A, p.B)
				}
			})
		}
	}
}

// The relation applies to the decoded inputs, whose numbers may be coarser.
func TestNeighboursAfterDecoding(t *testing.T) {
	change := func(values Type, radius float64) Space { return Space{values, Change(L1, radius)} }
	check := func(s Space, a, b float64) {
		t.Helper()
		if d := exactly(L1, difference(a, b)); d.Sign() == 0 || d.Cmp(big.NewFloat(s.Neighbors.radius)) > 0 {
			t.Errorf("%s: A = %v, B = %v are no neighbours", s, a, b)
		}
	}
	for _, s := range []Space{change(Float(0, 1e6), 0.01), change(Float(0, 1e8), 1), change(Int(0, 1<<31), 3)} {
		walk(t, s, func(p Pair[float32]) { check(s, float64(p.A), float64(p.B)) })
	}
	whole := change(Int(0, 1<<60+101), 1)
	walk(t, whole, func(p Pair[float64]) { check(whole, p.A, p.B) })
	walk(t, whole, func(p Pair[*float64]) { check(whole, *p.A, *p.B) })
	walk(t, whole, func(p Pair[uint64]) {
		if max(p.A, p.B)-min(p.A, p.B) != 1 {
			t.Errorf("A = %d, B = %d are no neighbours", p.A, p.B)
		}
	})
	fields := Space{Object(map[string]Type{"a": Float(0, 1e8), "b": Enum(1.5)}), Change(L2, 1)}
	walk(t, fields, func(p Pair[map[string]float32]) { check(fields, float64(p.A["a"]), float64(p.B["a"])) })
	walk(t, fields, func(p Pair[struct{ A, B float32 }]) { check(fields, float64(p.A.A), float64(p.B.A)) })
	// A type that decodes itself may have another unit: it is compared as it encodes itself.
	amounts := change(Float(0, 1000), 1)
	walk(t, amounts, func(p Pair[cents]) { check(amounts, float64(p.A)/100, float64(p.B)/100) })
	for _, values := range []Type{List(Enum(0.0, -0.5, 1e-320), 1, 3), List(Float(0.1, 0.10000000001), 0, 3),
		List(Tuple(Float(1, 1.00000001)), 1, 3)} {
		for _, relation := range []Relation{AddOrRemoveOne(), ReplaceOne()} {
			s := Space{values, relation}
			if _, err := NewPairSpace[[]float32](s); err != nil {
				continue
			}
			walk(t, s, func(p Pair[[]float32]) {
				if reflect.DeepEqual(p.A, p.B) {
					t.Errorf("%s: %v twice", s, p.A)
				}
			})
		}
	}
	_, err := NewPairSpace[[]float32](Space{List(Float(0.1, 0.10000000001), 1, 3), ReplaceOne()})
	if err == nil || !strings.Contains(err.Error(), "as []float32: its numbers are coarser") {
		t.Errorf("no two inputs that differ: %v", err)
	}
}

// cents are decoded from amounts in units a hundred times as large, rounded to hundredths.
type cents int64

func (c *cents) UnmarshalJSON(text []byte) error {
	var x float64
	err := json.Unmarshal(text, &x)
	*c = cents(math.Round(x * 100))
	return err
}

func (c cents) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%d.%02d", c/100, c%100), nil }

// Whole numbers from 2⁵³ to below 10²¹ are written with all their digits, so a reader with integers of any size reads
// the exact value.
func TestTextOfLargeNumbers(t *testing.T) {
	for x, want := range map[float64]string{1 << 63: "9223372036854775808", -1 << 60: "-1152921504606846976", 1 << 53: "9007199254740992",
		1e21: "1e+21", 0.1: "0.1", 5: "5"} {
		if got := JSONText(map[string]any{"x": []any{x}}); got != `{"x":[`+want+`]}` {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

// An exact comparison with a bound, at the edges of the numbers.
func TestWithin(t *testing.T) {
	const tiny = math.SmallestNonzeroFloat64
	for _, c := range []struct {
		a, b   []any
		norm   Norm
		radius float64
		want   bool
	}{
		{[]any{int64(math.MaxInt64)}, []any{int64(math.MaxInt64 - 1)}, L1, 1, true},
		{[]any{int64(math.MaxInt64)}, []any{int64(math.MaxInt64 - 2)}, L1, 1, false},
		{[]any{int64(math.MinInt64)}, []any{int64(math.MaxInt64)}, L1, 1 << 64, true},
		{[]any{uint64(math.MaxUint64)}, []any{uint64(math.MaxUint64 - 1)}, LInf, 1, true},
		{[]any{0.1}, []any{1.1}, L1, 1, false}, // which is more than 1 by 8e-17
		{[]any{0.1}, []any{math.Nextafter(1.1, 0)}, L1, 1, true},
		{[]any{0.0, 0.0}, []any{3.0, 4.0}, L2, 5, true},
		{[]any{0.0, 0.0, 0.0}, []any{3.0, 4.0, tiny}, L2, 5, false},
		{[]any{0.0, 0.0, 0.0}, []any{1.0, tiny, tiny}, LInf, 1, true},
		{[]any{0.0, 0.0}, []any{1.0, tiny}, L1, 1, false},
		{[]any{0.0}, []any{math.Copysign(0, -1)}, L1, 1, false},
		{[]any{-math.MaxFloat64}, []any{math.MaxFloat64}, L1, math.MaxFloat64, false},
		{[]any{tiny}, []any{-tiny}, L1, 2 * tiny, true},
		{[]any{math.NaN()}, []any{1.0}, L1, 1, false},
		{[]any{1.0}, []any{1.0, 2.0}, L1, 1, false},
		{[]any{"a"}, []any{"b"}, L1, 1, false},
		{[]any{int64(1) << 60}, []any{float64(1<<60) + 256}, L1, 256, true},
	} {
		if got := within(c.a, c.b, c.norm, c.radius); got != c.want {
			t.Errorf("%v and %v within %v in %s: %v", c.a, c.b, c.radius, c.norm, got)
		}
	}
}

// A bound that is not a double is rounded down.
func TestLargeBounds(t *testing.T) {
	for bound, want := range map[string]float64{"9007199254740993": 1 << 53, "9007199254740995": 1<<53 + 2, "9223372036854775807": 1<<63 - 1024,
		"12": 12} {
		r, err := ParseRelation(map[string]any{"change": map[string]any{"l1": json.Number(bound)}})
		if err != nil || r.radius != want {
			t.Errorf("%s: %v, %v, want %v", bound, r.radius, err, want)
		}
	}
}
