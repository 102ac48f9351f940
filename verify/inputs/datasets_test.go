package inputs

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// datasetSpaces are datasets of both adjacencies and all sorts of sizes.
var datasetSpaces = []struct {
	reason string
	Datasets[int]
}{
	{"any size, from the empty dataset on", Datasets[int]{Adjacency: AddOrRemoveOneRecord, Values: []int{0, 1, 9}}},
	{"one value: records are counted", Datasets[int]{Adjacency: AddOrRemoveOneRecord, Values: []int{7}}},
	{"a least size, one step of room", Datasets[int]{Adjacency: AddOrRemoveOneRecord, Values: []int{0, 1}, MinRecords: 20}},
	{"two sizes only", Datasets[int]{Adjacency: AddOrRemoveOneRecord, Values: []int{0, 1}, MinRecords: 3, MaxRecords: 4}},
	{"records to draw", Datasets[int]{Adjacency: AddOrRemoveOneRecord, Values: []int{0, 1}, Draw: func(r *rand.Rand) int { return r.IntN(100) }}},
	{"replacement at any size", Datasets[int]{Adjacency: ReplaceOneRecord, Values: []int{0, 1, 9}}},
	{"replacement at one size", Datasets[int]{Adjacency: ReplaceOneRecord, Values: []int{0, 1, 9}, MinRecords: 5, MaxRecords: 5}},
	{"values that repeat", Datasets[int]{Adjacency: ReplaceOneRecord, Values: []int{0, 0, 1, 1}, MinRecords: 2, MaxRecords: 6}},
}

// neighbours tells by counting whether a pair is in a space: one insertion or one
// replacement, independently of split.
func neighbours(d Datasets[int], p Pair[[]int]) bool {
	least, most := d.Sizes()
	if len(p.A) < least || len(p.A) > most {
		return false
	}
	if d.Adjacency == ReplaceOneRecord {
		differ := 0
		for i := range p.A {
			if len(p.B) != len(p.A) || p.A[i] != p.B[i] {
				differ++
			}
		}
		return differ == 1
	}
	for i := range p.A {
		if reflect.DeepEqual(append(append([]int{}, p.A[:i]...), p.A[i+1:]...), p.B) {
			return true
		}
	}
	return false
}

// simplicity returns the measure that every step to a smaller pair lowers: the size, then the ranks.
func simplicity(d Datasets[int], p Pair[[]int]) (n int) {
	s, _ := d.Split(p)
	n = 10_000*len(s.Shared) + d.rank(s.A)
	if d.Adjacency == ReplaceOneRecord {
		n += d.rank(s.B)
	}
	for _, v := range s.Shared {
		n += d.rank(v)
	}
	return n
}

func TestDatasetsEdges(t *testing.T) {
	for _, c := range datasetSpaces {
		t.Run(c.reason, func(t *testing.T) {
			if err := c.Check(); err != nil {
				t.Fatal(err)
			}
			edges := c.Edges()
			seen := map[string]bool{}
			for _, p := range edges {
				if !neighbours(c.Datasets, p) {
					t.Errorf("%v and %v are no neighbours", p.A, p.B)
				}
				if seen[PairKey(p)] {
					t.Errorf("%v and %v come twice", p.A, p.B)
				}
				seen[PairKey(p)] = true
			}
			least, most := c.Sizes()
			if first, last := len(edges[0].A), len(edges[len(edges)-1].A); first != least || last != most {
				t.Errorf("edges go from %d to %d records, want %d to %d", first, last, least, most)
			}
		})
	}
	got := datasetSpaces[0].Edges()[:7]
	for i := range got {
		got[i].Name = ""
	}
	want := []Pair[[]int]{ // by hand
		{A: []int{0}, B: []int{}}, {A: []int{1}, B: []int{}}, {A: []int{9}, B: []int{}},
		{A: []int{0, 0}, B: []int{0}}, {A: []int{0, 1}, B: []int{0}}, {A: []int{1, 0}, B: []int{1}}, {A: []int{1, 1}, B: []int{1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the first edges (-want +got):\n%s", diff)
	}
}

// Walks in a space stay in it, inputs are never changed, and every step to a
// smaller pair is one.
func TestDatasetsSteps(t *testing.T) {
	for _, c := range datasetSpaces {
		t.Run(c.reason, rapid.MakeCheck(func(t *rapid.T) {
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			p := rapid.SampledFrom(c.Edges()).Draw(t, "edge")
			for range rapid.IntRange(0, 30).Draw(t, "steps") {
				before := PairKey(p)
				near, ok := c.Mutate(r, p)
				if after := PairKey(p); after != before {
					t.Fatalf("%s became %s", before, after)
				}
				if ok {
					p = near
				}
				if !neighbours(c.Datasets, p) {
					t.Fatalf("from %s to %s: no neighbours of the space", before, PairKey(p))
				}
			}
			for _, q := range c.Smaller(p) {
				if !neighbours(c.Datasets, q) {
					t.Fatalf("from %s down to %s: no neighbours of the space", PairKey(p), PairKey(q))
				}
				if from, to := simplicity(c.Datasets, p), simplicity(c.Datasets, q); to >= from {
					t.Fatalf("%s (%d) is not smaller than %s (%d)", PairKey(q), to, PairKey(p), from)
				}
			}
			swapped := Pair[[]int]{A: p.B, B: p.A}
			if len(c.Smaller(swapped)) == 0 != (len(c.Smaller(p)) == 0) {
				t.Fatalf("%s can be shrunk in one order only", PairKey(p))
			}
		}))
	}
}

func TestDatasetsOutsiders(t *testing.T) {
	d := datasetSpaces[0].Datasets
	for _, c := range []struct {
		reason string
		a, b   []int
	}{
		{"equal", []int{1}, []int{1}},
		{"two records more", []int{1, 1, 1}, []int{1}},
		{"one more and another changed", []int{1, 2}, []int{3}},
		{"too long", make([]int, 18), make([]int, 17)},
	} {
		p := Pair[[]int]{A: c.a, B: c.b}
		if _, ok := d.Mutate(rand.New(rand.NewPCG(1, 1)), p); ok || d.Smaller(p) != nil {
			t.Errorf("%s: %v and %v are taken for a pair of the space", c.reason, c.a, c.b)
		}
	}
}

func TestDatasetsCheck(t *testing.T) {
	for _, c := range []struct {
		reason string
		Datasets[float64]
	}{
		{"no adjacency", Datasets[float64]{Values: []float64{1}}},
		{"unknown adjacency", Datasets[float64]{Adjacency: 3, Values: []float64{1}}},
		{"no values", Datasets[float64]{Adjacency: AddOrRemoveOneRecord}},
		{"nothing to replace by", Datasets[float64]{Adjacency: ReplaceOneRecord, Values: []float64{1, 1}}},
		{"one size, but records are added", Datasets[float64]{Adjacency: AddOrRemoveOneRecord, Values: []float64{1}, MinRecords: 4, MaxRecords: 4}},
		{"negative size", Datasets[float64]{Adjacency: AddOrRemoveOneRecord, Values: []float64{1}, MinRecords: -1}},
	} {
		if c.Check() == nil {
			t.Errorf("%s: no error", c.reason)
		}
	}
}

// Inputs are equal only if their values are: some different values look alike in Go syntax.
func TestInputs(t *testing.T) {
	nan, one := math.NaN(), 1
	for _, c := range []struct {
		reason string
		pairs  []Pair[any]
		want   [][2]int
	}{
		{"a hub, in either place", []Pair[any]{{A: 1, B: 2}, {A: 3, B: 1}, {A: 1, B: 4}}, [][2]int{{0, 1}, {2, 0}, {0, 3}}},
		{"datasets by their records", []Pair[any]{{A: []int{1, 2}, B: []int{1}}, {A: []int{1}, B: []int{}}}, [][2]int{{0, 1}, {1, 2}}},
		{"none and an empty one", []Pair[any]{{A: []int(nil), B: []int{}}}, [][2]int{{0, 1}}},
		{"zeros of either sign", []Pair[any]{{A: 0.0, B: math.Copysign(0, -1)}}, [][2]int{{0, 0}}},
		{"NaN", []Pair[any]{{A: nan, B: 1.0}, {A: nan, B: 1.0}}, [][2]int{{0, 1}, {0, 1}}},
		{"numbers of different types", []Pair[any]{{A: int32(1), B: int64(1)}, {A: 1.0, B: "1"}}, [][2]int{{0, 1}, {2, 3}}},
		{"pointers by what they point to", []Pair[any]{{A: new(int), B: new(int)}, {A: new(int), B: &one}}, [][2]int{{0, 0}, {0, 1}}},
		{"JSON by its text", []Pair[any]{{A: json.RawMessage("1"), B: json.RawMessage("1.0")}, {A: json.RawMessage("1"), B: json.RawMessage(" 1")}},
			[][2]int{{0, 1}, {0, 2}}},
	} {
		if diff := cmp.Diff(c.want, DistinctInputs(c.pairs)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.reason, diff)
		}
	}
}
