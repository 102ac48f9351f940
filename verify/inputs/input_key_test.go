package inputs

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"
)

type (
	secret int
	inner  struct {
		X  float64
		ys []string
	}
	outer struct {
		A     int
		in    inner
		M     map[string]int
		Maybe *int
		Any   any
	}
	node struct {
		V    int
		Next *node
	}
)

func (secret) GoString() string { return "secret(***)" }

func pointer[T any](x T) *T { return &x }

// Values without pointers, methods and negative zeros have the same syntax as under fmt, which orders pairs.
func TestSyntaxOfOrdinaryValues(t *testing.T) {
	for _, v := range []any{nil, 1, -3, uint8(200), 1.5, 1e21, 1e-7, 3.0, float32(0.1), math.NaN(), math.Inf(-1), "a\"b`ü\x00", true, 2 + 3i,
		complex64(1i), []int{1, 2}, []int{}, []int(nil), []byte{1, 255}, [][]byte{{1}}, [2]float64{1, 0.5}, map[string]int{"b": 1, "a": 2},
		map[int]string{10: "x", 9: "y"}, map[float64]bool(nil), map[bool]int{true: 1, false: 0}, []any{1, "x", nil, []any{2.5}, map[string]any{"k": int64(3)}},
		inner{1, []string{"q"}}, outer{1, inner{2, nil}, map[string]int{"z": 1}, nil, inner{}}, &inner{3, nil}, struct{}{}, [0]int{},
		time.Date(2024, 2, 3, 4, 5, 6, 7, time.UTC)} {
		want := fmt.Sprintf("%#v", v)
		if got := syntax(Pair[any]{A: v}); got != want+", <nil>" {
			t.Errorf("%s, want %s", got, want)
		}
		if got := InputText(v); got != want {
			t.Errorf("shown: %s, want %s", got, want)
		}
	}
	if got := InputText([]secret{1}); got != "[]inputs.secret{secret(***)}" {
		t.Errorf("a type that formats itself is shown as %s", got)
	}
}

// ring returns a cyclic list of n nodes.
func ring(n int) *node {
	first := &node{V: 0}
	last := first
	for i := 1; i < n; i++ {
		last.Next = &node{V: i}
		last = last.Next
	}
	last.Next = first
	return first
}

// graph returns a complete graph, which has exponentially many paths.
func graph(n int) []*vertex {
	all := make([]*vertex, n)
	for i := range all {
		all[i] = &vertex{Weight: i}
	}
	for _, v := range all {
		v.To = all
	}
	return all
}

type vertex struct {
	Weight int
	To     []*vertex
}

// Inputs have equal text if their values are equal, regardless of their memory.
func TestValuesAreIdentified(t *testing.T) {
	list := []any{1}
	list[0] = list
	other := []any{1}
	other[0] = other
	shared := &inner{1, nil}
	for i, same := range [][2]any{
		{0.0, math.Copysign(0, -1)},
		{[]float32{0}, []float32{float32(math.Copysign(0, -1))}},
		{math.NaN(), math.NaN()},
		{pointer(3), pointer(3)},
		{outer{Maybe: pointer(1)}, outer{Maybe: pointer(1)}},
		{map[*int]*int{pointer(1): pointer(2), pointer(3): pointer(4)}, map[*int]*int{pointer(3): pointer(4), pointer(1): pointer(2)}},
		{map[any]int{1: 1, "1": 2, 2.5: 3}, map[any]int{2.5: 3, "1": 2, 1: 1}},
		{ring(3), ring(3)},
		{graph(30), graph(30)},
		{list, other},
		{big.NewInt(7), big.NewInt(7)},
		{[]*inner{shared, shared}, []*inner{{1, nil}, {1, nil}}},
		{time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if a, b := InputKey(same[0]), InputKey(same[1]); a != b || strings.Contains(a, "0xc0") || !EqualInputs(same[0], same[1]) {
			t.Errorf("%d: %s and %s are one value", i, a, b)
		}
	}
	for i, differ := range [][2]any{
		{1, int64(1)},
		{1, 1.0},
		{[]any{1}, []any{1.0}},
		{[]any{secret(1)}, []any{1}},
		{secret(1), secret(2)},
		{[]secret{1}, []secret{2}},
		{pointer(1), pointer(2)},
		{pointer(1), pointer(pointer(1))},
		{outer{in: inner{ys: []string{"a"}}}, outer{in: inner{ys: []string{"b"}}}},
		{[]string{"a", "b"}, []string{`a", "b`}},
		{[]int(nil), []int{}},
		{outer{}, outer{Maybe: pointer(0)}},
		{ring(3), ring(4)},
		{graph(3), graph(4)},
		{math.NaN(), math.Float64frombits(math.Float64bits(math.NaN()) + 1)},
		{map[float64]int{math.NaN(): 1}, map[float64]int{math.NaN(): 2}},
		{time.Unix(1, 0), time.Unix(2, 0)},
	} {
		if a, b := InputKey(differ[0]), InputKey(differ[1]); a == b || EqualInputs(differ[0], differ[1]) {
			t.Errorf("%d: %s stands for two values", i, a)
		}
	}
}

// Each pair that was given is kept, unless it is another one in value.
func TestGivenPairsAreKept(t *testing.T) {
	number := func(pairs int, word string) func(int, string) {
		return func(n int, said string) {
			if n != pairs || !strings.Contains(said, word) || (word == "") != (said == "") {
				t.Errorf("%d pairs, %q: want %d, %q", n, said, pairs, word)
			}
		}
	}
	secrets := []Pair[[]secret]{{A: []secret{0}, B: []secret{1}}, {A: []secret{0}, B: []secret{5}}}
	kept, said := MergedPairs(secrets)
	number(2, "")(len(kept), said)
	people := []Pair[*int]{{A: pointer(0), B: pointer(1)}, {A: pointer(1), B: pointer(0)}, {A: pointer(0), B: pointer(2)}}
	merged, said := MergedPairs(people)
	number(2, "1 of the 3 pairs")(len(merged), said)
	zeros := []Pair[float64]{{A: 0, B: 1}, {A: math.Copysign(0, -1), B: 1}}
	same, said := MergedPairs(zeros)
	number(1, "1 of the 2 pairs")(len(same), said)
	if got := DistinctInputs(zeros); fmt.Sprint(got) != "[[0 1] [0 1]]" {
		t.Errorf("inputs of one value: %v", got)
	}
	// Functions have no value: none of them is taken for another.
	add := func(n int) func(int) int { return func(x int) int { return x + n } }
	functions := []Pair[func(int) int]{{A: add(1), B: add(2)}, {A: add(1), B: add(3)}}
	if CheckPairs(functions) != nil {
		t.Error("two functions are taken for one")
	}
	all, said := MergedPairs(functions)
	number(2, "")(len(all), said)
	if got := DistinctInputs(functions); fmt.Sprint(got) != "[[0 1] [2 3]]" {
		t.Errorf("inputs that are functions: %v", got)
	}
	if err := CheckPairs([]Pair[*int]{{A: pointer(4), B: pointer(4)}}); err == nil || !strings.Contains(err.Error(), "equal inputs, &4") {
		t.Errorf("two pointers to one value: %v", err)
	}
}

// A mechanism that changes the target of a pointer in its input is detected.
func TestChangesBehindPointers(t *testing.T) {
	pairs := []Pair[[]*inner]{{A: []*inner{{1, nil}}, B: []*inner{{2, nil}}}}
	unchanged := Unchanged("mechanism", PairKey, pairs...)
	if err := unchanged(); err != nil {
		t.Errorf("none: %v", err)
	}
	pairs[0].B[0].X = 1
	if err := unchanged(); err == nil || !strings.Contains(err.Error(), "changes its input") {
		t.Errorf("a change: %v", err)
	}
}
