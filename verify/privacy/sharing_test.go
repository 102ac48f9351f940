package privacy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/verify/inputs"
)

// starOfPairs returns six pairs that share the input 0, as A or B, one pair that shares an input with one of them, and
// one pair without shared inputs.
func starOfPairs() (pairs []inputs.Pair[int]) {
	for i := range 6 {
		p := inputs.Pair[int]{B: i + 1}
		if i%2 == 1 {
			p = p.Swapped()
		}
		pairs = append(pairs, p)
	}
	return append(pairs, inputs.Pair[int]{A: 1, B: 10}, inputs.Pair[int]{A: 20, B: 30})
}

func TestUses(t *testing.T) {
	s := shareInputs(starOfPairs(), 4, math.MaxInt64)
	for p, want := range map[inputPlace][2]int64{{0, false}: {6, 4}, {0, true}: {2, 2}, {7, false}: {1, 0}} {
		if s.Uses(p) != want[0] || int64(len(s.Pooled(p))) != want[1] {
			t.Errorf("%+v is used %d times, of which a search sees %d: want %v", p, s.Uses(p), len(s.Pooled(p)), want)
		}
	}
	if s.Input(inputPlace{3, true}) != (inputPlace{}) || !slices.Equal(s.Shared(), []inputPlace{{0, false}, {0, true}}) {
		t.Errorf("shared are %v", s.Shared())
	}
	// The two shared inputs store 4 + 2 samples, then 2 + 2, 1 + 1, and none.
	for most, want := range map[int64]int{6: 4, 5: 2, 4: 2, 3: 1, 2: 1, 1: 0} {
		if got := len(shareInputs(starOfPairs(), 4, most).Pooled(inputPlace{})); got != want {
			t.Errorf("limit of %d samples: %d samples of the first input, want %d", most, got, want)
		}
	}
}

// TestDrawn checks that an input is sampled as often as its pairs would sample it in total, up to the rounding of
// shards.
func TestDrawn(t *testing.T) {
	d := drawnSamples{inputSharing: shareInputs(starOfPairs(), 4, math.MaxInt64), Searched: 450, Shard: 3, Shards: 32, Certifying: 546, All: 1000}
	for _, p := range []inputPlace{{0, false}, {0, true}, {7, false}} {
		all := 2*d.SearchedOf(p) + d.Shards*d.ShardOf(p)
		if most := d.Uses(p) * d.All; all > most || all < most-d.Shards*d.Uses(p) {
			t.Errorf("%d samples of %+v are drawn, want %d", all, p, most)
		}
	}
	if p := (inputPlace{7, false}); d.ShardOf(p) != 3 || d.SearchedOf(p) != 450 || d.CertifyingOf(p) != 546 {
		t.Errorf("the samples of an input of one pair are %d and %d", d.SearchedOf(p), d.ShardOf(p))
	}
}

// TestPartsAreApart checks that within a test every sample of an input counts once, that no more samples are expected of
// an input than exist, and that no side has fewer samples than its pairs would have separately.
func TestPartsAreApart(t *testing.T) {
	pairs := starOfPairs()
	s := shareInputs(pairs, 8, math.MaxInt64)
	r := rand.New(rand.NewPCG(1, 2))
	have := func(input inputPlace) int64 { return 1000 * min(4, s.Uses(input)) }
	own := func(input inputPlace) int64 { return 1000 * s.Uses(input) }
	for range 300 {
		var test pooledTest
		for _, i := range r.Perm(len(pairs))[:1+r.IntN(len(pairs))] {
			swapped := r.IntN(2) == 0
			test[0], test[1] = append(test[0], inputPlace{i, swapped}), append(test[1], inputPlace{i, !swapped})
		}
		k := int64(len(test[0]))
		if n := s.Sides(test, own); n[0] < 1000*k || n[1] < 1000*k {
			t.Fatalf("%v samples of the sides of %d pairs", n, k)
		}
		n := s.Sides(test, have)
		times := [2][]int64{allottedSamples(r, len(test[0]), n[0]), allottedSamples(r, len(test[1]), n[1])}
		next, expected := map[inputPlace]int64{}, map[inputPlace]float64{}
		var all [2]int64
		for _, p := range s.Parts(test, times) {
			if p.From != next[p.Input] || p.Input != s.Input(p.At) || p.At != test[p.Side][p.Choice] {
				t.Fatalf("part %+v: %d samples are already used", p, next[p.Input])
			}
			next[p.Input] += p.Samples
			expected[p.Input] += float64(n[p.Side]) / float64(k)
			all[p.Side] += p.Samples
		}
		if all != n {
			t.Fatalf("%v samples of the sides, want %v", all, n)
		}
		for input, most := range expected {
			if most > float64(have(input)) {
				t.Fatalf("%v samples of an input are expected, of %d", most, have(input))
			}
		}
	}
	if n := s.Sides(pooledTest{{{2, false}}, {{2, true}}}, have); n != [2]int64{4000, 1000} {
		t.Errorf("the sides of one pair have %v samples", n)
	}
	if from, to := (rowPart{From: 5, Samples: 7}).Within(9); from != 5 || to != 9 {
		t.Errorf("from %d to %d of 9 rows", from, to)
	}
}

// TestAllotted checks that the pair of each sample is drawn at random, so the counts of a test are binomial for the
// mixture of its pairs.
func TestAllotted(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const each, draws = 1000, 400
	var sum, squares float64
	for range draws {
		times := allottedSamples(r, 3, 3*each)
		if len(times) != 3 || times[0]+times[1]+times[2] != 3*each {
			t.Fatalf("allotted %v: want %d in all", times, 3*each)
		}
		d := float64(times[1] - each)
		sum, squares = sum+d, squares+d*d
	}
	variance := 3.0 * each * (1. / 3) * (2. / 3)
	if mean := sum / draws; math.Abs(mean) > 4*math.Sqrt(variance/draws) {
		t.Errorf("a pair is drawn %v times more than %d on average", mean, each)
	}
	if ratio := squares / draws / variance; math.Abs(ratio-1) > 4*math.Sqrt(2./draws) {
		t.Errorf("variance %v times that of a binomial count", ratio)
	}
	if times := allottedSamples(r, 1, each); times[0] != each {
		t.Errorf("one pair is drawn %v times", times)
	}
}
