package inputs

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

var people = Object(map[string]Type{"age": Int(0, 120), "income": FloatOrNaN(-10, 1e6), "group": Enum("a", "b", "c"), "old": Bool()})

// spaces of all types and relations.
var spaces = []struct {
	reason string
	Space
}{
	{"numbers, a record more", Space{List(Int(0, 9), 0, 12), AddOrRemoveOne()}},
	{"numbers, a record replaced", Space{List(Int(-3, 9), 0, 12), ReplaceOne()}},
	{"one size", Space{List(Int(0, 9), 4, 4), ReplaceOne()}},
	{"two sizes", Space{List(Float(-1, 1), 4, 5), AddOrRemoveOne()}},
	{"objects", Space{List(people, 0, 30), AddOrRemoveOne()}},
	{"words", Space{List(String("ab", 0, 5), 1, 6), ReplaceOne()}},
	{"lists of lists", Space{List(List(Int(0, 1), 0, 3), 0, 5), AddOrRemoveOne()}},
	{"one value", Space{List(Enum("x"), 0, 7), AddOrRemoveOne()}},
	{"records among other fields", Space{Object(map[string]Type{"rows": List(Float(0, 1), 0, 9), "lower": Float(-5, 5), "on": Bool()}), AddOrRemoveOne()}},
	{"one list of two", Space{Object(map[string]Type{"rows": List(Int(0, 1), 0, 9), "more": List(Int(0, 1), 0, 9)}), ReplaceOne().In("rows")}},
	{"the range of 64 bits", Space{List(Int(math.MinInt64, math.MaxInt64), 0, 3), AddOrRemoveOne()}},
	{"the range of doubles", Space{List(Float(-math.MaxFloat64, math.MaxFloat64), 0, 3), ReplaceOne()}},
	{"large lists", Space{List(Bool(), 0, 150), AddOrRemoveOne()}},
	{"a vector in l1", Space{Vector(Float(0, 1), 4), Change(L1, 0.5)}},
	{"a vector in l2", Space{Vector(Int(0, 50), 4), Change(L2, 3)}},
	{"a number", Space{Float(0, 100), Change(LInf, 1)}},
	{"a tuple with words", Space{Tuple(Int(0, 9), String("ab", 0, 2), Float(0, 1)), Change(LInf, 1)}},
	{"any two words", Space{Enum("red", "green", "blue"), AnyTwo()}},
	{"any two numbers", Space{Float(-3, 1e6), AnyTwo()}},
	{"any two whole numbers of 64 bits", Space{Int(math.MinInt64, math.MaxInt64), AnyTwo()}},
	{"any two objects", Space{people, AnyTwo()}},
	{"any two vectors", Space{Vector(Float(-1, 1), 40), AnyTwo()}},
	{"any two lists", Space{List(String("ab", 0, 5), 1, 6), AnyTwo()}},
	{"any two lists of one record", Space{List(Float(-1, 1), 1, 1), AnyTwo()}},
	{"a list of numbers that change", Space{List(Float(0, 10), 0, 5), Change(L1, 1)}},
}

// contains reports whether a value, as package json decodes it, belongs to the type by definition.
func contains(t Type, v any) bool {
	switch t := t.(type) {
	case intType:
		x, ok := v.(int64)
		return ok && x >= t.lo && x <= t.hi
	case floatType:
		x, ok := v.(float64)
		return ok && x >= t.lo && x <= t.hi || t.orNaN && v == "nan"
	case enumType:
		for _, w := range t.values {
			if reflect.DeepEqual(v, w) {
				return true
			}
		}
		return false
	case stringType:
		s, ok := v.(string)
		n := len([]rune(s))
		return ok && n >= t.least && n <= t.most && strings.Trim(s, string(t.alphabet)) == ""
	case listType:
		list, ok := v.([]any)
		for _, x := range list {
			ok = ok && contains(t.record, x)
		}
		return ok && len(list) >= t.least && len(list) <= t.most
	case productType:
		parts, ok := t.taken(v)
		for i := range parts {
			ok = ok && contains(t.parts[i], parts[i])
		}
		return ok
	}
	return false
}

// related reports whether two lists are neighbors, by counting records.
func related(a, b []any, adjacency Adjacency) bool {
	if adjacency == ReplaceOneRecord {
		differ := 0
		for i := range a {
			if len(a) != len(b) || !reflect.DeepEqual(a[i], b[i]) {
				differ++
			}
		}
		return differ == 1
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	for i := range a {
		if len(a) == len(b)+1 && reflect.DeepEqual(append(append([]any{}, a[:i]...), a[i+1:]...), append([]any{}, b...)) {
			return true
		}
	}
	return false
}

// valid reports whether a pair consists of neighbors of the space.
func valid(s Space, p Pair[any]) bool {
	if !contains(s.Values, p.A) || !contains(s.Values, p.B) || JSONText(p.A) == JSONText(p.B) {
		return false
	}
	if s.Neighbors.anyTwo {
		return true
	}
	if s.Neighbors.norm != "" {
		c := vectors{s.Values, s.Neighbors.norm, s.Neighbors.radius}
		_, ok := c.steps(p)
		return ok
	}
	switch a := p.A.(type) {
	case []any:
		return related(a, p.B.([]any), s.Neighbors.adjacency)
	case map[string]any:
		b, changed := p.B.(map[string]any), 0
		for key := range a {
			if reflect.DeepEqual(a[key], b[key]) {
				continue
			}
			changed++
			if list, ok := a[key].([]any); !ok || !related(list, b[key].([]any), s.Neighbors.adjacency) {
				return false
			}
		}
		return changed == 1
	}
	return false
}

// TestSpacesProposeNeighbours checks that all proposed pairs are neighbors, that Edges repeats no pair, and that
// repeated shrinking ends.
func TestSpacesProposeNeighbours(t *testing.T) {
	for _, c := range spaces {
		t.Run(c.reason, func(t *testing.T) {
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
			edges := c.Edges()
			if len(edges) < 3 {
				t.Errorf("%d edges", len(edges))
			}
			seen := map[string]bool{}
			for _, p := range edges {
				if !valid(c.Space, p) {
					t.Errorf("A = %s, B = %s are no neighbours", JSONText(p.A), JSONText(p.B))
				}
				if key := PairKey(p); seen[key] {
					t.Errorf("%s twice", key)
				} else {
					seen[key] = true
				}
			}
			r := empirical.NewSeed(1).Rand()
			fresh := 0
			for i := range 300 {
				p := edges[i%len(edges)]
				for range 3 {
					if near, ok := c.MutatePair(r, p); ok {
						if fresh++; !valid(c.Space, near) {
							t.Fatalf("near A = %s, B = %s: A = %s, B = %s are no neighbours", JSONText(p.A), JSONText(p.B), JSONText(near.A), JSONText(near.B))
						}
						p = near
					}
				}
			}
			if fresh < 100 {
				t.Errorf("%d of 900 steps", fresh)
			}
			descends(t, c.Space, edges, r)
		})
	}
}

// descends follows random smaller pairs until there are none.
func descends(t *testing.T, s Space, edges []Pair[any], r *rand.Rand) {
	t.Helper()
	for range 3 {
		p := edges[r.IntN(min(len(edges), 40))]
		for steps := 0; ; steps++ {
			smaller := s.Smaller(p)
			if len(smaller) > 20 { // the boldest
				smaller = smaller[:20]
			}
			if len(smaller) == 0 {
				break
			}
			if p = smaller[r.IntN(len(smaller))]; !valid(s, p) {
				t.Fatalf("smaller: A = %s, B = %s are no neighbours", JSONText(p.A), JSONText(p.B))
			}
			if steps > 20_000 {
				t.Fatalf("no end at A = %s, B = %s", JSONText(p.A), JSONText(p.B))
			}
		}
	}
}

// The edges include the documented edge cases.
func TestEdges(t *testing.T) {
	hundreds := Space{List(Int(0, 100), 0, 30), AddOrRemoveOne()}
	classes := Space{List(Enum("a", "b", "c", "d"), 0, 30), AddOrRemoveOne()}
	floats := Space{List(FloatOrNaN(0, 5), 0, 30), AddOrRemoveOne()}
	both := func(p Pair[any], is func(list []any) bool) bool { return is(p.A.([]any)) || is(p.B.([]any)) }
	size := func(n int) func([]any) bool { return func(list []any) bool { return len(list) == n } }
	numbers := func(list []any) (out []int64) {
		for _, v := range list {
			out = append(out, v.(int64))
		}
		return out
	}
	for _, c := range []struct {
		reason string
		Space
		first int
		is    func(list []any) bool
	}{
		{"no record", hundreds, 1, size(0)},
		{"the most", hundreds, 30, size(30)},
		{"a record at the upper bound", hundreds, 30, func(l []any) bool { return len(l) == 1 && l[0] == int64(100) }},
		{"many equal", hundreds, 60, func(l []any) bool { return len(l) > 25 && l[0] == int64(100) && l[0] == l[len(l)-1] }},
		{"17 records", hundreds, 120, size(17)},
		{"an outlier", hundreds, 60, func(l []any) bool {
			return len(l) > 3 && l[0] == int64(0) && l[len(l)-1] == int64(100) && l[len(l)-2] == int64(0)
		}},
		{"sorted", hundreds, 60, func(l []any) bool { return len(l) > 2 && rises(numbers(l), 1) }},
		{"reversed", hundreds, 60, func(l []any) bool { return len(l) > 2 && rises(numbers(l), -1) }},
		{"a class that is absent", classes, 60, func(l []any) bool {
			seen := map[any]bool{}
			for _, v := range l {
				seen[v] = true
			}
			return len(l) > 2 && len(seen) == 3
		}},
		{"NaN", floats, 12, func(l []any) bool { return len(l) == 1 && l[0] == "nan" }},
	} {
		found := false
		edges := c.Edges()
		for _, p := range edges[:min(c.first, len(edges))] {
			found = found || both(p, c.is)
		}
		if !found {
			t.Errorf("%s is not among the first %d edges", c.reason, c.first)
		}
	}
	edge := Space{Object(map[string]Type{"rows": List(Float(0, 1), 0, 9), "lower": Float(-50, 50)}), AddOrRemoveOne()}.Edges()
	far := 0
	for _, p := range edge[:40] {
		if x := p.A.(map[string]any)["lower"].(float64); math.Abs(x) == 50 {
			far++
		}
	}
	if far < 5 {
		t.Errorf("%d of the first 40 edges have another field at its bound", far)
	}
}

func rises(x []int64, sign int64) bool {
	for i := 1; i < len(x); i++ {
		if sign*(x[i]-x[i-1]) <= 0 {
			return false
		}
	}
	return true
}

// Parsing the text of a type gives the type.
func TestParse(t *testing.T) {
	for _, c := range spaces {
		d := json.NewDecoder(strings.NewReader(asJSON(c.Values.String())))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", c.Values, err)
		}
		got, err := ParseType(v)
		if err != nil || got.String() != c.Values.String() {
			t.Errorf("%s: read as %v (%v)", c.Values, got, err)
		}
	}
}

// asJSON puts the bare words of a type in quotes.
func asJSON(text string) string {
	for _, word := range []string{"int", "float", "nan", "enum", "string", "alphabet", "length", "list", "record", "size", "object", "tuple"} {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "{"+word+":", `{"`+word+`":`), ", "+word+":", `, "`+word+`":`)
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, ": bool", `: "bool"`), "bool,", `"bool",`)
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, path, want string }{
		{`1`, "", "is not a type"},
		{`{}`, "", "no type"},
		{`{"date": 1}`, ".date", "unknown type"},
		{`{"int": [0, 1], "float": [0, 1]}`, "", "two types"},
		{`{"int": [2, 1]}`, ".int", "reversed"},
		{`{"int": [0, 1.5]}`, ".int[1]", "whole number"},
		{`{"int": [0, 1e40]}`, ".int[1]", "whole number"},
		{`{"int": [0, 99999999999999999999]}`, ".int[1]", "finite number"},
		{`{"int": [0]}`, ".int", "two ends"},
		{`{"float": ["nan", 1]}`, ".float[0]", "finite number"},
		{`{"float": [0, 1], "nan": 1}`, ".nan", "true or false"},
		{`{"enum": []}`, ".enum", "no values"},
		{`{"enum": [1, 2, 1.0]}`, ".enum[2]", "listed twice"},
		{`{"string": {"alphabet": "", "length": [0, 3]}}`, ".string.alphabet", "empty"},
		{`{"string": {"alphabet": "aa", "length": [0, 3]}}`, ".string.alphabet", "twice"},
		{`{"string": {"alphabet": "ab", "length": [3, 0]}}`, ".string.length", "reversed"},
		{`{"list": {"size": [0, 3]}}`, ".list", "no record"},
		{`{"list": {"record": "bool", "size": [0, 1e9]}}`, ".list.size[1]", "0 to 10000"},
		{`{"list": {"record": {"int": [3, 1]}, "size": [0, 1]}}`, ".list.record.int", "reversed"},
		{`{"list": {"record": "bool", "size": [0, 1], "most": 3}}`, ".list.most", "unknown key"},
		{`{"object": {"a": {"tuple": ["bool", {"int": [1, 0]}]}}}`, ".object.a.tuple[1].int", "reversed"},
		{`{"object": {}}`, "", "no parts"},
		{`{"vector": {"of": "bool", "dimension": 0}}`, ".vector.dimension", "dimension"},
		{`{"bool": 1}`, ".bool", "only the word"},
		{strings.Repeat(`{"tuple": [`, 30) + `"bool"` + strings.Repeat(`]}`, 30), "", "deep"},
	} {
		d := json.NewDecoder(strings.NewReader(c.text))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		_, err := ParseType(v)
		var at *Error
		if !errors.As(err, &at) || !strings.Contains(at.What, c.want) || c.want != "deep" && at.Path != c.path {
			t.Errorf("%s: %v, want %q at %q", c.text, err, c.want, c.path)
		}
	}
}

func TestSpaceErrors(t *testing.T) {
	list := List(Int(0, 1), 0, 3)
	for _, c := range []struct {
		Space
		want string
	}{
		{Space{}, "no type"},
		{Space{Values: list}, "no neighbours"},
		{Space{Int(0, 3), AddOrRemoveOne()}, "not lists"},
		{Space{List(Int(0, 1), 0, 0), AddOrRemoveOne()}, "without a record"},
		{Space{List(Int(0, 1), 3, 3), AddOrRemoveOne()}, "no neighbours"},
		{Space{List(Enum("x"), 0, 3), ReplaceOne()}, "one value"},
		{Space{list, AddOrRemoveOne().In("rows")}, "leave it out"},
		{Space{Object(map[string]Type{"a": list, "b": list}), ReplaceOne()}, "several"},
		{Space{Object(map[string]Type{"a": Bool()}), ReplaceOne()}, "no list among"},
		{Space{Bool(), Change(L1, 1)}, "room"},
		{Space{Int(0, 9), Change(L1, 0.5)}, "room"},
		{Space{Int(0, 9), Change(L1, math.NaN())}, "bound"},
		{Space{Enum("x"), AnyTwo()}, "at least two values"},
		{Space{Int(3, 3), AnyTwo()}, "at least two values"},
		{Space{Enum(int64(1), 1.0), AnyTwo()}, "at least two values"},
		{Space{Float(math.NaN(), 1), Change(L1, 1)}, "finite"},
		{Space{List(nil, 0, 3), ReplaceOne()}, "no record"},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.Space.Neighbors, err, c.want)
		}
	}
}

type person struct {
	Age    int8
	Income float64 `json:"income,omitempty"`
	Group  string  `json:"group"`
	Old    *bool
}

// Values fit the types of Go as package json has it, and NaN is a number; what does not fit is an error
// with the value.
func TestOf(t *testing.T) {
	s := Space{List(people, 0, 30), AddOrRemoveOne()}
	of, err := NewPairSpace[[]person](s)
	if err != nil {
		t.Fatal(err)
	}
	orNaN, aged := false, false
	for _, p := range of.Edges() {
		for _, v := range append(p.A, p.B...) {
			orNaN = orNaN || math.IsNaN(v.Income)
			aged = aged || v.Age == 120
		}
	}
	if !orNaN || !aged {
		t.Error("no NaN, or no age at its bound")
	}
	r := empirical.NewSeed(1).Rand()
	near, ok := of.Mutate(r, of.Edges()[3])
	if _, again := of.Mutate(r, near); !ok || !again || len(of.Smaller(of.Edges()[9])) == 0 {
		t.Error("the space does not know its own pairs")
	}
	if _, ok := of.Mutate(r, Pair[[]person]{A: []person{{Age: 77}}}); ok {
		t.Error("a pair of nobody's is one of the space")
	}
	raw, err := NewPairSpace[json.RawMessage](s)
	if err != nil || !json.Valid(raw.Edges()[0].A) {
		t.Errorf("as JSON: %v", err)
	}
	for reason, err := range map[string]error{
		"a number for a word":    second(NewPairSpace[[]string](Space{List(Int(0, 1), 0, 3), AddOrRemoveOne()})),
		"beyond the type":        second(NewPairSpace[[]int8](Space{List(Int(0, 999), 0, 3), AddOrRemoveOne()})),
		"no such field":          second(NewPairSpace[[]struct{ Age int }](s)),
		"a list for a number":    second(NewPairSpace[int](s)),
		"a channel":              second(NewPairSpace[chan int](s)),
		"an array of other size": second(NewPairSpace[[2]int](Space{List(Int(0, 1), 0, 3), AddOrRemoveOne()})),
		"a bad space":            second(NewPairSpace[[]int](Space{Values: List(Int(0, 1), 0, 3)})),
	} {
		if err == nil {
			t.Errorf("%s: no error", reason)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Every JSON value parses to a type or to an error with a path.
func FuzzParse(f *testing.F) {
	for _, c := range spaces {
		f.Add(asJSON(c.Values.String()))
	}
	f.Add(`{"object": {"": {"enum": [{"a": [1]}]}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			return
		}
		typ, err := ParseType(v)
		if err != nil {
			var at *Error
			if !errors.As(err, &at) || at.What == "" {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		r := rand.New(rand.NewPCG(1, 2))
		for _, v := range typ.corners() {
			if n := typ.near(r, v); !contains(typ, v) || !contains(typ, n) {
				t.Fatalf("%q: %s, %s", text, JSONText(v), JSONText(n))
			}
		}
	})
}
