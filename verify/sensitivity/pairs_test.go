package sensitivity

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// ages is the space of datasets of up to eight ages from 0 to 120 years.
var ages = inputs.Datasets[int]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []int{0, 120}, MaxRecords: 8,
	Draw: func(r *rand.Rand) int { return r.IntN(121) }}

// overAges returns a check of a map from ages to one number.
func overAges(claimed float64, f func([]int) float64) Pairs[[]int] {
	return Pairs[[]int]{Quantity: "a number", Norm: L1, Claimed: claimed, Space: ages,
		Map: func(x []int) ([]float64, error) { return []float64{f(x)}, nil }}
}

func sum(x []int) (s float64) {
	for _, v := range x {
		s += float64(v)
	}
	return s
}

func find[D any](t *testing.T, p Pairs[D], seed string) PairFinding[D] {
	t.Helper()
	f, err := p.Find(context.Background(), verify.Settings{Budget: verify.Standard, Seed: verify.Settings{}.Seed.Derive(seed)})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A true claim is not refuted. A false claim is refuted with the smallest pair, at every seed.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		reason string
		check  Pairs[[]int]
		a      []int // dataset A of the smallest pair; nil if the claim is true
	}{
		{"a sum, with equality", overAges(120, sum), nil},
		{"a sum, claimed too low", overAges(119, sum), []int{120}},
		{"a count", overAges(1, func(x []int) float64 { return float64(len(x)) }), nil},
		{"a mean, whose sensitivity at the empty dataset is a value", overAges(60, func(x []int) float64 {
			return sum(x) / math.Max(1, float64(len(x)))
		}), []int{120}},
		{"only above three records", overAges(1, func(x []int) float64 {
			if len(x) > 3 {
				return 2 * float64(len(x))
			}
			return float64(len(x))
		}), []int{0, 0, 0, 0}},
		{"a range of values that is reached step by step", overAges(5, func(x []int) float64 {
			s := 0.0
			for _, v := range x {
				if v >= 60 && v < 66 {
					s++
				}
			}
			return s * s // 9 − 4 = 5 from two to three values, 16 − 9 = 7 from three to four
		}), []int{0, 0, 0, 0}},
		{"a median", overAges(119, func(x []int) float64 {
			y := slices.Sorted(slices.Values(append([]int{0}, x...)))
			return float64(y[len(y)/2])
		}), []int{120}},
	} {
		for seed := range testutil.Size(5, 20) {
			f := find(t, c.check, strconv.Itoa(seed))
			if (f.Smallest == nil) != (c.a == nil) || (f.Verdict == verify.Refuted) != (c.a != nil) {
				t.Fatalf("%s, seed %d: %s, %s", c.reason, seed, f.Verdict, f.WorstCase)
			}
			if f.Smallest != nil && len(f.Smallest.A) != len(c.a) && c.reason != "a range of values that is reached step by step" {
				t.Errorf("%s, seed %d: the smallest pair is %v", c.reason, seed, f.Smallest)
			}
			verifytest.Look(t, c.reason, f.Evidence)
		}
	}
}

// A difference within the rounding error refutes nothing. Integers have no rounding error.
func TestPairsAndRounding(t *testing.T) {
	given := []inputs.Pair[[]int]{{A: []int{1}, B: []int{}}}
	upset := 0
	for _, c := range []struct {
		reason string
		f      func(x []int) float64
		want   verify.Verdict
		says   string
	}{
		{"whole numbers far from 0", func(x []int) float64 { return 1e12 + 3*float64(len(x)) }, verify.Refuted, ""},
		{"fractions far from 0", func(x []int) float64 { return 1e12 + 0.5 + 3*float64(len(x)) }, verify.Inconclusive,
			"exceeds the claim by at most the possible rounding error"},
		{"a sum in any order", func(x []int) float64 {
			upset++
			return 0.1 + 1e-12*float64(upset%2) + float64(len(x))
		}, verify.Inconclusive, "the largest difference found"},
	} {
		p := overAges(1, c.f)
		p.Space, p.Given = nil, given
		if f := find(t, p, "1"); f.Verdict != c.want || !strings.Contains(f.Power, c.says) {
			t.Errorf("%s: %s, %s", c.reason, f.Verdict, f.Power)
		}
	}
}

// A map with state is an error, even if it gives equal outputs twice in a row.
func TestPairsOfAMapWithState(t *testing.T) {
	calls := 0
	p := overAges(1, func([]int) float64 {
		calls++
		return []float64{0, 5, 5, 5}[(calls-1)/2%4]
	})
	p.Space, p.Given = nil, []inputs.Pair[[]int]{{A: []int{1}, B: []int{}}}
	_, err := p.Find(t.Context(), verify.Settings{Budget: verify.Standard})
	if err == nil || !strings.Contains(err.Error(), "if B comes first") {
		t.Error(err)
	}
}

// Without a space, drawn pairs are not shrunk: the smallest violating drawn pair is returned.
func TestDrawnPairs(t *testing.T) {
	p := Pairs[[2]float64]{Quantity: "a difference", Norm: L2, Claimed: 1,
		Map: func(x [2]float64) ([]float64, error) { return []float64{x[0] - x[1], 1}, nil },
		Draw: func(r *rand.Rand) inputs.Pair[[2]float64] {
			same := float64(r.IntN(10))
			return inputs.Pair[[2]float64]{A: [2]float64{same, float64(r.IntN(100))}, B: [2]float64{same, float64(r.IntN(100))}}
		}}
	f := find(t, p, "1")
	if f.Smallest == nil || len(inputs.PairKey(*f.Smallest)) > len("[2]float64{1, 1}, [2]float64{1, 1}") {
		t.Errorf("%s: %v", f.Verdict, f.Smallest)
	}
	p.Claimed = 99
	if f := find(t, p, "1"); f.Verdict != verify.Inconclusive || !strings.Contains(f.Needed, "a proof, or a pair that differs by more than 99") {
		t.Errorf("%s: %s", f.Verdict, f.Needed)
	}
}

func TestRejectedPairs(t *testing.T) {
	given := []inputs.Pair[[]int]{{A: []int{1}, B: []int{}}}
	with := func(change func(*Pairs[[]int])) verify.Check {
		p := overAges(1, sum)
		p.Space, p.Given = nil, given
		change(&p)
		return p
	}
	calls := 0
	for _, c := range []struct {
		check verify.Check
		want  string
	}{
		{with(func(p *Pairs[[]int]) { p.Map = nil }), "no map"},
		{with(func(p *Pairs[[]int]) { p.Norm = 7 }), "unknown norm 7"},
		{with(func(p *Pairs[[]int]) { p.Claimed = math.NaN() }), "claimed sensitivity NaN"},
		{with(func(p *Pairs[[]int]) { p.Given = nil }), "no pairs of inputs"},
		{with(func(p *Pairs[[]int]) { p.Given[0].A = []int{} }), "equal inputs"},
		{with(func(p *Pairs[[]int]) { p.Evaluations = -1 }), "-1 evaluations"},
		{with(func(p *Pairs[[]int]) { p.Error = 1 }), "relative error 1"},
		{with(func(p *Pairs[[]int]) { p.Space = inputs.Datasets[int]{} }), "no adjacency"},
		{with(func(p *Pairs[[]int]) {
			p.Map = func(x []int) ([]float64, error) { return make([]float64, len(x)), nil }
		}), "want vectors of one length"},
		{with(func(p *Pairs[[]int]) { p.Map = func([]int) ([]float64, error) { return []float64{math.NaN()}, nil } }), "output 0 of the map is NaN"},
		{with(func(p *Pairs[[]int]) {
			p.Map = func([]int) ([]float64, error) { return nil, errors.New("no such age") }
		}), "no such age"},
		{with(func(p *Pairs[[]int]) {
			p.Map = func(x []int) ([]float64, error) { slices.Sort(x); clear(x); return []float64{1}, nil }
		}), "changes its input"},
		{with(func(p *Pairs[[]int]) {
			p.Given = []inputs.Pair[[]int]{{A: []int{2}, B: []int{}}}
			p.Map = func([]int) ([]float64, error) { calls++; return []float64{float64(calls)}, nil }
		}), "not a function of its input"},
	} {
		given[0] = inputs.Pair[[]int]{A: []int{1}, B: []int{}}
		if strings.Contains(c.want, "equal") {
			given[0].A = []int{}
		}
		if err := verifytest.FailureOf(t, c.check); !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
