package outputs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpverify/dpverify/verify"
)

type (
	epsilon float64
	inner   struct{ A, B float64 }
	result  struct {
		List  []int64
		Count *int64
		Sum   float64
		In    *inner
		note  string
	}
	link struct {
		X    int
		Next *link
	}
	colour int
	hidden struct{ at netip.Addr }
)

func (colour) String() string { return "red" }

// Every shape has one form, and different values have different ones.
func TestValue(t *testing.T) {
	three, wide := int64(3), int64(1)<<60
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	at := time.Date(2020, 1, 2, 3, 4, 5, 6, time.FixedZone("here", 3600))
	for _, c := range []struct {
		reason string
		output any
		want   any
	}{
		{"a named number", epsilon(0.5), 0.5},
		{"a float32", float32(0.1), float64(float32(0.1))},
		{"NaN stays", math.NaN(), math.NaN()},
		{"-Inf stays", math.Inf(-1), math.Inf(-1)},
		{"a number with a String method is a number", colour(4), 4.},
		{"a duration", time.Millisecond, 1e6},
		{"a long integer", wide, wide},
		{"a long unsigned integer", uint64(math.MaxUint64), uint64(math.MaxUint64)},
		{"a pointer", &three, 3.},
		{"a nil pointer", (*int64)(nil), nil},
		{"a pointer to a nil pointer", new(*int64), nil},
		{"nil", nil, nil},
		{"a string that looks like a number", "nan", `"nan"`},
		{"bytes", []byte{1, 255}, []any{1., 255.}},
		{"an empty slice", []int64{}, []any{}},
		{"a nil slice", []int64(nil), []any{}},
		{"an array", [2]bool{true, false}, []any{true, false}},
		{"slices within slices", [][]int{{1}, {}, {2, 3}}, []any{[]any{1.}, []any{}, []any{2., 3.}}},
		{"pointers in a slice", []*int64{&three, nil}, []any{3., nil}},
		{"complex", 1 + 2i, []any{1., 2.}},
		{"a map with numbers as keys", map[int]string{10: "b", 9: "a"}, []any{9., "a", 10., "b"}},
		{"a map with strings as keys", map[string]float64{"b": 1, "a": 2}, []any{"a", 2., "b", 1.}},
		{"a map with structs as keys", map[inner]int{{2, 1}: 1, {1, 2}: 2}, []any{1., 2., 2., 2., 1., 1.}},
		{"a nil map", map[string]int(nil), []any{}},
		{"a struct with a list, which comes last", result{List: []int64{7}, Count: &three, Sum: 2, note: "n"}, []any{3.,
			2., nil, nil, "n", []any{7.}}},
		{"the same struct without nil pointers", result{In: &inner{1, 2}}, []any{nil, 0., 1., 2., "", []any{}}},
		{"a nil pointer to a struct", (*inner)(nil), []any{nil, nil}},
		{"a struct with one field", struct{ X float64 }{3}, []any{3.}},
		{"an empty struct", struct{}{}, []any{}},
		{"a big.Int with a large value", huge, "123456789012345678901234567890"},
		{"a big.Int with a small value", big.NewInt(-3), -3.},
		{"a time in any time zone", at, []any{float64(at.Unix()), 6.}},
		{"a type that becomes its string", netip.MustParseAddr("1.2.3.4"), "1.2.3.4"},
		{"the same type in an unexported field", hidden{netip.MustParseAddr("1.2.3.4")}, []any{"1.2.3.4"}},
		{"an interface", []any{1, "a", nil, []any{true}}, []any{1., "a", nil, []any{true}}},
		{"a json.Number", []any{json.Number("12345678901234567890")}, []any{"12345678901234567890"}},
		{"a pointer in an interface", []any{&three}, []any{3.}},
		{"a short chain", link{1, &link{2, nil}}, nil},
	} {
		got, err := Value(c.output)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if c.reason != "a short chain" && fmt.Sprintf("%v", got) != fmt.Sprintf("%v", c.want) {
			t.Errorf("%s: %#v, want %#v", c.reason, got, c.want)
		}
	}
	if a, b := must(t, link{1, &link{2, nil}}), must(t, link{1, &link{0, nil}}); reflect.DeepEqual(a, b) {
		t.Error("two chains are one")
	}
	zero, none := int64(0), result{}
	if reflect.DeepEqual(must(t, result{Count: &zero}), must(t, none)) {
		t.Error("nil is zero")
	}
}

func must(t *testing.T, o any) any {
	t.Helper()
	v, err := Value(o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The flattened keys of a map are sorted, so their order is the same in all runs.
func TestMapsAreSorted(t *testing.T) {
	m := map[any]int{math.NaN(): 1, "a": 2, 1: 3, 2.5: 4, true: 5, epsilon(1): 6, inner{}: 7}
	want := fmt.Sprint(must(t, m))
	for range 50 {
		if got := fmt.Sprint(must(t, m)); got != want {
			t.Fatalf("%s, then %s", want, got)
		}
	}
}

func TestRefusedOutputs(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{CheckType[chan int](), "output is of type chan int"},
		{CheckType[struct{ F func() }](), "output.F is of type func()"},
		{CheckType[map[string][]func()](), "output[…][…] is of type func()"},
		{CheckType[*link](), ""},
		{CheckType[time.Time](), ""},
		{CheckType[any](), ""},
		{failing(any(func() {})), "is of type func()"},
		{failing([]any{1, make(chan int)}), "is of type chan int"},
		{failing(chain(40)), "nested more than 16 deep"},
		{failing(map[any]int{struct{ c chan int }{}: 1}), "a key of output"},
	} {
		if text := fmt.Sprint(c.err); c.want == "" && c.err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
}

func failing(o any) error {
	_, err := Value(o)
	return err
}

func chain(n int) *link {
	var l *link
	for range n {
		l = &link{1, l}
	}
	return l
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		output any
		want   []float64
		fails  string
	}{
		{2.5, []float64{2.5}, ""},
		{7, []float64{7}, ""},
		{[]float64{1, 2}, []float64{1, 2}, ""},
		{[][]int{{1}, {2, 3}}, []float64{1, 2, 3}, ""},
		{struct {
			Yes bool
			N   uint8
		}{true, 3}, []float64{1, 3}, ""},
		{map[string]float64{"b": 2, "a": 1}, []float64{1, 2}, ""},
		{map[string]float64{"a 3": 2, "a": 5}, []float64{5, 2}, ""},
		{map[int][]int{7: {1}, -1: {2, 3}}, []float64{2, 3, 1}, ""},
		{map[*int]int{new(int): 1, new(int): 2}, nil, "2 keys"},
		{(*int)(nil), nil, "holds nil"},
		{[]string{"a"}, nil, `holds "a"`},
		{make(chan int), nil, "type chan int"},
	} {
		got, err := new(Vectors).Numbers(nil, c.output)
		if !slices.Equal(got, c.want) || !strings.Contains(fmt.Sprint(err), c.fails) || c.fails == "" && err != nil {
			t.Errorf("%v: %v, %v", c.output, got, err)
		}
	}
}

// An output of another shape than the first one is rejected, because its numbers mean something else.
func TestNumbersOfOneShape(t *testing.T) {
	for _, c := range []struct {
		reason        string
		first, second any
		ok            bool
	}{
		{"the same keys", map[string]int{"a": 1, "b": 2}, map[string]int{"b": 3, "a": 4}, true},
		{"another key", map[string]int{"a": 1}, map[string]int{"b": 1}, false},
		{"another split", [][]int{{1}, {2, 3}}, [][]int{{1, 2}, {3}}, false},
		{"a key for a number", map[string]int{"a": 1}, []int{1}, false},
	} {
		var v Vectors
		_, err := v.Numbers(nil, c.first)
		if _, again := v.Numbers(nil, c.second); err != nil || (again == nil) != c.ok {
			t.Errorf("%s: %v, then %v", c.reason, err, again)
		}
	}
}

func TestPlaces(t *testing.T) {
	want := []string{"output.Count", "output.Sum", "output.In.A", "output.In.B", "output.note", "the length of " +
		"output.List"}
	if got := Places[*result](); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Places[struct {
		V [2]float64
		T time.Time
	}](); !slices.Equal(got, []string{"output.V[0]", "output.V[1]", "output.T", "output.T (second part)"}) {
		t.Errorf("%q", got)
	}
	if Places[[]float64]() != nil || Places[*float64]() != nil || Places[time.Time]() != nil {
		t.Error("places of what has none")
	}
}

type failingMechanism struct{}

func (failingMechanism) Release(*rand.Rand, int) (*int, error) {
	return nil, errors.New("no budget left")
}

func TestFlat(t *testing.T) {
	if _, err := Flat[int, *int](failingMechanism{}).Release(nil, 1); err == nil || err.Error() != "no budget left" {
		t.Error(err)
	}
	if Supported[any]() || Supported[*int64]() || !Supported[[]int64]() || !Supported[float64]() {
		t.Error("what the checks take as it is")
	}
}

// ExampleValue shows a struct with an absent count and a list.
func ExampleValue() {
	count := 7
	for _, o := range []struct {
		Errors []string
		Count  *int
		Mean   float64
	}{{nil, &count, 2.5}, {[]string{"empty"}, nil, 0}} {
		v, err := Value(o)
		fmt.Println(v, err)
	}
	// Output:
	// [7 2.5 []] <nil>
	// [<nil> 0 [empty]] <nil>
}

var _ verify.Mechanism[int, any] = flat[int, *int]{}
