package inputs

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

// keysOf returns the pairs in one order.
func keysOf(pairs []Pair[any]) map[string]bool {
	out := map[string]bool{}
	for _, p := range pairs {
		if q, ok := ordered(p.A, p.B); ok {
			out[JSONText(q.A)+" "+JSONText(q.B)] = true
		}
	}
	return out
}

// Every pair of a small space is an edge, and a search has the tries to begin with all of them.
func TestAllPairsOfASmallSpace(t *testing.T) {
	for _, c := range []struct {
		reason string
		Type
		values int
	}{
		{"words", Enum("red", "green", "blue"), 3},
		{"as many words as are listed", Int(1, mostListed), mostListed},
		{"signs", Int(-4, 3), 8},
		{"strings", String("abc", 0, 2), 1 + 3 + 9},
		{"strings of no letters", Tuple(String("", 0, 0), Bool()), 2},
		{"lists", List(Bool(), 1, 3), 2 + 4 + 8},
		{"objects", Object(map[string]Type{"a": Bool(), "b": Int(0, 2), "c": Float(5, 5)}), 6},
		{"the ends of 64 bits", Int(math.MaxInt64-2, math.MaxInt64), 3},
		{"one text", Enum(int64(1), 1.0, "1"), 2},
	} {
		s := Space{c.Type, AnyTwo()}
		pairs := c.values * (c.values - 1) / 2
		if got := len(keysOf(s.Edges())); got != pairs {
			t.Errorf("%s: %d pairs, want %d", c.reason, got, pairs)
		}
		if tries, ok := s.Tries(); !ok || tries != 2*pairs {
			t.Errorf("%s: %d tries, %t: want %d", c.reason, tries, ok, 2*pairs)
		}
	}
	for reason, s := range map[string]Space{
		"too many":         {Int(0, mostListed), AnyTwo()},
		"numbers":          {Float(0, 1), AnyTwo()},
		"the whole range":  {Int(math.MinInt64, math.MaxInt64), AnyTwo()},
		"long strings":     {String("ab", 0, mostSize), AnyTwo()},
		"many parts":       {Vector(Bool(), mostSize), AnyTwo()},
		"another relation": {List(Bool(), 0, 2), ReplaceOne()},
	} {
		if tries, ok := s.Tries(); ok {
			t.Errorf("%s: %d tries", reason, tries)
		}
	}
}

// The first edges have every value of a small space, and the ends of ranges against each other.
func TestEdgesOfAnyTwo(t *testing.T) {
	seen := map[any]bool{}
	for _, p := range (Space{Int(1, 60), AnyTwo()}).Edges()[:80] {
		seen[p.A], seen[p.B] = true, true
	}
	if len(seen) != 60 {
		t.Errorf("the first 80 pairs have %d of 60 values", len(seen))
	}
	ends := func(n int, x float64) (out []any) {
		for range n {
			out = append(out, x)
		}
		return out
	}
	for _, c := range []struct {
		reason string
		Type
		first int
		a, b  any
	}{
		{"a number", Float(-2, 7), 4, -2.0, 7.0},
		{"a whole number", Int(-2, 1e9), 4, int64(-2), int64(1e9)},
		{"a vector", Vector(Float(-1, 1), 40), 4, ends(40, -1), ends(40, 1)},
		{"half and half", Vector(Float(-1, 1), 4), 60, []any{-1.0, -1.0, 1.0, 1.0}, []any{1.0, 1.0, -1.0, -1.0}},
		{"no record and the most", List(Float(0, 1), 0, 5), 30, []any{}, ends(5, 1)},
		{"fields", Object(map[string]Type{"x": Float(0, 1), "on": Bool()}), 4, map[string]any{"x": 0.0, "on": false}, map[string]any{"x": 1.0, "on": true}},
	} {
		edges := (Space{c.Type, AnyTwo()}).Edges()
		want, _ := ordered(c.a, c.b)
		if !keysOf(edges[:min(c.first, len(edges))])[JSONText(want.A)+" "+JSONText(want.B)] {
			t.Errorf("%s: A = %s, B = %s is not among the first %d edges", c.reason, JSONText(c.a), JSONText(c.b), c.first)
		}
	}
	if n := len((Space{Vector(Float(-1, 1), 1000), AnyTwo()}).Edges()); n < 3 || n > 2*mostVolume/2000+2 {
		t.Errorf("%d pairs of long vectors", n)
	}
}

// A search tries one order of each pair and reaches values that only mutations produce.
func TestNearOfAnyTwo(t *testing.T) {
	s := Space{Enum("a", "b", "c"), AnyTwo()}
	r := empirical.NewSeed(1).Rand()
	p, keys := s.Edges()[0], map[string]bool{}
	for range 200 {
		if q, ok := s.MutatePair(r, p); ok {
			p = q
			keys[PairKey(p)] = true
		}
	}
	if len(keys) != 3 {
		t.Errorf("%d pairs of three values", len(keys))
	}
	big := Space{Enum(someWords(500)...), AnyTwo()}
	seen, first := map[any]bool{}, big.Edges()[0]
	for range 2000 {
		if q, ok := big.MutatePair(r, first); ok {
			seen[q.A], seen[q.B] = true, true
		}
	}
	if len(seen) < 450 {
		t.Errorf("%d of 500 words are reached", len(seen))
	}
}

func someWords(n int) (out []any) {
	for i := range n {
		out = append(out, int64(i*i))
	}
	return out
}

// A pair is shrunk to the simplest values that still violate; shared parts are simplified in both at once.
func TestSmallerOfAnyTwo(t *testing.T) {
	for _, c := range []struct {
		reason     string
		Type       // values
		a, b, x, y any
		broken     func(a, b any) bool
	}{
		{"a word", Enum("r", "g", "b"), "g", "b", "r", "b", func(a, b any) bool { return a == "b" || b == "b" }},
		{"a field", Object(map[string]Type{"age": Int(0, 120), "sick": Bool()}), map[string]any{"age": int64(77), "sick": true}, map[string]any{"age": int64(77), "sick": false},
			map[string]any{"age": int64(0), "sick": false}, map[string]any{"age": int64(0), "sick": true},
			func(a, b any) bool {
				x, y := a.(map[string]any), b.(map[string]any)
				return x["age"] == y["age"] && x["sick"] != y["sick"]
			}},
		{"a record of lists of one size", List(Int(0, 9), 1, 8), []any{int64(3), int64(5), int64(3)}, []any{int64(3), int64(6), int64(3)}, []any{int64(0)}, []any{int64(1)},
			func(a, b any) bool {
				x, y := a.([]any), b.([]any)
				differ := 0
				for i := range x {
					if len(x) != len(y) || x[i] != y[i] {
						differ++
					}
				}
				return len(x) == len(y) && differ == 1
			}},
	} {
		s := Space{c.Type, AnyTwo()}
		p, _ := ordered(c.a, c.b)
		for again := true; again; {
			again = false
			for _, q := range s.Smaller(p) {
				if c.broken(q.A, q.B) {
					p, again = q, true
					break
				}
			}
		}
		if want, _ := ordered(c.x, c.y); JSONText(p.A) != JSONText(want.A) || JSONText(p.B) != JSONText(want.B) {
			t.Errorf("%s: shrunk to A = %s, B = %s", c.reason, JSONText(p.A), JSONText(p.B))
		}
	}
}
