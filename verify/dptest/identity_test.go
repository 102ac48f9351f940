package dptest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// secret hides its value in printed output.
type secret int

func (secret) GoString() string { return "secret(***)" }

func secretSum(x []secret) (sum float64) {
	for _, v := range x {
		sum += float64(v)
	}
	return sum
}

var secrets = Pairs(inputs.Pair[[]secret]{A: []secret{0}, B: []secret{1}}, inputs.Pair[[]secret]{A: []secret{0}, B: []secret{5}})

// TestPairsThatPrintAlike checks that all pairs are tried even if they print alike. The second pair violates the
// claim.
func TestPairsThatPrintAlike(t *testing.T) {
	f := &fake{name: "TestIt"}
	Audit(f, func(r *rand.Rand, x []secret) float64 { return secretSum(x) + laplace(r, 1) }, pure, secrets, Samples(20_000))
	if f.outcome() != "fail" {
		t.Errorf("audit: %s", f.text())
	}
	f = &fake{name: "TestIt"}
	Sensitivity(f, func(x []secret) []float64 { return []float64{secretSum(x)} }, sensitivity.L1, 1, secrets)
	if got := f.text(); f.outcome() != "fail" || !strings.Contains(got, "which differ by 5") || !strings.Contains(got, "secret(***)") {
		t.Errorf("sensitivity: %s", got)
	}
}

// row contains a pointer.
type row struct{ Age *int }

func ages(x []row) (sum int) {
	for _, v := range x {
		if v.Age != nil {
			sum += *v.Age
		}
	}
	return sum
}

// TestPointersInInputs checks that the figures depend on the seed and not on memory addresses, and that messages
// show the values behind pointers.
func TestPointersInInputs(t *testing.T) {
	record := rapid.Custom(func(t *rapid.T) row { return row{rapid.Ptr(rapid.IntRange(0, 5), true).Draw(t, "age")} })
	space := inputs.Datasets[row]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []row{{nil}}, MaxRecords: 5}
	var first, text string
	var keep [][]byte
	for i := range 3 {
		f := &fake{name: "TestIt"}
		Audit(f, func(r *rand.Rand, x []row) float64 { return float64(ages(x)) + laplace(r, 1) }, pure,
			RandomPairs(6, DatasetPairs(space, record)), Samples(1000))
		g := &fake{name: "TestIt"}
		Sensitivity(g, func(x []row) []float64 { return []float64{float64(ages(x))} }, sensitivity.L1, 1,
			RandomPairs(6, DatasetPairs(space, record)), Samples(50))
		if text = f.text() + g.text(); i == 0 {
			first = text
		}
		if text != first || strings.Contains(text, "0xc") {
			t.Fatalf("figures differ or contain addresses:\n%s\n%s", first, text)
		}
		keep = append(keep, make([]byte, 1<<16+i)) // shifts later allocations to other addresses
	}
	if !strings.Contains(text, "A = []dptest.row{dptest.row{Age:&") || len(keep) == 0 {
		t.Errorf("no value behind a pointer:\n%s", text)
	}
}

// TestInputsAreNotChanged checks that every test reports a mechanism that changes values behind pointers in its
// input.
func TestInputsAreNotChanged(t *testing.T) {
	one, hundred := 1, 100
	clip := func(x []row) float64 {
		sum := ages(x)
		for _, v := range x {
			*v.Age = min(*v.Age, 1)
		}
		return float64(sum)
	}
	noisy := func(r *rand.Rand, x []row) float64 { return clip(x) + laplace(r, 1) }
	pair := Pair([]row{{&one}, {&hundred}}, []row{{&one}})
	over := inputs.Space{Values: inputs.List(inputs.Object(map[string]inputs.Type{"Age": inputs.Int(0, 100)}), 1, 3),
		Neighbors: inputs.ReplaceOne()}
	for name, run := range map[string]func(*fake){
		"audit": func(f *fake) { Audit(f, noisy, pure, pair, Samples(2000)) },
		"sensitivity": func(f *fake) {
			Sensitivity(f, func(x []row) []float64 { return []float64{clip(x)} }, sensitivity.L1, 1, pair)
		},
		"mean": func(f *fake) { Unbiased(f, noisy, []row{{&hundred}}, []float64{1}, Samples(500)) },
		"search": func(f *fake) {
			Audit(f, noisy, pure, Generated(inputs.MustPairSpace[[]row](over)), Search(3), Samples(2000))
		},
	} {
		hundred = 100
		f := &fake{name: "TestIt"}
		if run(f); f.outcome() != "fatal" || !strings.Contains(f.text(), "changes its input") {
			t.Errorf("%s: %s: %s", name, f.outcome(), fmt.Sprint(f.text()))
		}
	}
}
