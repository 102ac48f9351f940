package inputs_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify/inputs"
)

type numbers = []float64

// sumApart is how far the sums of a pair are apart.
func sumApart(p inputs.Pair[numbers]) (float64, error) {
	sum := func(d numbers) (s float64) {
		for _, v := range d {
			s += v
		}
		return s
	}
	return math.Abs(sum(p.A) - sum(p.B)), nil
}

func climb(space inputs.PairSpace[numbers], claimed float64) inputs.PairSearch[numbers, float64] {
	return inputs.PairSearch[numbers, float64]{Space: space, Evaluations: 300, Measure: sumApart,
		Stream: func(purpose string) *rand.Rand { return rand.New(rand.NewPCG(uint64(len(purpose)), 1)) },
		Value:  func(v float64) float64 { return v }, Broken: func(v float64) bool { return v > claimed }}
}

func datasets() inputs.Datasets[float64] {
	return inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: numbers{0, 1}, MaxRecords: 6,
		Draw: func(r *rand.Rand) float64 { return 9 * r.Float64() }}
}

// A search continues from the largest values and shrinks a violation.
func TestClimb(t *testing.T) {
	for _, c := range []struct {
		reason   string
		climb    inputs.PairSearch[numbers, float64]
		worst    float64 // at least
		smallest int     // records of the larger input of the smallest pair, at most
	}{
		{"in a space", climb(datasets(), 2), 7, 1},
		{"nothing beyond the claim: the smallest is the worst", climb(datasets(), 100), 7, 6},
		{"given pairs alone", func() inputs.PairSearch[numbers, float64] {
			c := climb(nil, 2)
			c.Given = []inputs.Pair[numbers]{{A: numbers{1}, B: numbers{}}, {A: numbers{7, 1}, B: numbers{1}}}
			return c
		}(), 7, 2},
		{"drawn pairs, made small by what is simpler", func() inputs.PairSearch[numbers, float64] {
			c := climb(nil, 2)
			c.Draw = func(r *rand.Rand) inputs.Pair[numbers] {
				d := numbers{9 * r.Float64(), 1, 1}
				return inputs.Pair[numbers]{A: d, B: d[1:]}
			}
			c.Smaller = func(p inputs.Pair[numbers]) []inputs.Pair[numbers] {
				if len(p.B) == 0 {
					return nil
				}
				return []inputs.Pair[numbers]{{A: p.A[:len(p.A)-1], B: p.B[:len(p.B)-1]}}
			}
			return c
		}(), 8, 1},
	} {
		t.Run(c.reason, func(t *testing.T) {
			found, err := c.climb.Run()
			if err != nil {
				t.Fatal(err)
			}
			if found.Worst.Shows < c.worst || max(len(found.Smallest.A), len(found.Smallest.B)) > c.smallest {
				t.Errorf("worst %v, smallest %v", found.Worst, found.Smallest)
			}
			if c.climb.Broken(found.Worst.Shows) != c.climb.Broken(found.Smallest.Shows) || found.Tried == 0 {
				t.Errorf("worst %v, smallest %v, %d tried", found.Worst, found.Smallest, found.Tried)
			}
			again, err := c.climb.Run()
			if err != nil || !slices.Equal(again.Worst.A, found.Worst.A) || !slices.Equal(again.Smallest.A, found.Smallest.A) {
				t.Errorf("again %v: %v", again, err)
			}
		})
	}
}

// An error ends the search and names the pair. During shrinking, an error only skips the pair.
func TestClimbFails(t *testing.T) {
	broken := errors.New("no database")
	c := climb(datasets(), 2)
	c.Measure = func(p inputs.Pair[numbers]) (float64, error) {
		if len(p.A) > 2 {
			return 0, broken
		}
		return sumApart(p)
	}
	if _, err := c.Run(); !errors.Is(err, broken) || !strings.Contains(err.Error(), "A = []float64{") {
		t.Errorf("error %v", err)
	}
	c = climb(nil, 2)
	c.Given = []inputs.Pair[numbers]{{A: numbers{7, 1}, B: numbers{1}}}
	c.Smaller = func(inputs.Pair[numbers]) []inputs.Pair[numbers] {
		return []inputs.Pair[numbers]{{A: numbers{8}, B: numbers{}}}
	}
	c.Measure = func(p inputs.Pair[numbers]) (float64, error) {
		if len(p.B) == 0 {
			return 0, broken
		}
		return sumApart(p)
	}
	if found, err := c.Run(); err != nil || found.Smallest.Shows != 7 {
		t.Errorf("%v, error %v", found, err)
	}
	c = climb(nil, 2)
	c.Given = []inputs.Pair[numbers]{{A: numbers{1}, B: numbers{1}}}
	if found, err := c.Run(); err != nil || found.Tried != 0 {
		t.Errorf("equal inputs: %v, error %v", found, err)
	}
}

// JSON is shown unchanged, and shortened to its beginning if it is long.
func TestInputsInJSON(t *testing.T) {
	long := json.RawMessage(`"` + strings.Repeat("a", 300) + `"`)
	p := inputs.Pair[json.RawMessage]{A: long, B: json.RawMessage(`[1, "b"]`)}
	if got, want := p.Inputs(), `A = `+string(long)+`, B = [1, "b"]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := p.ShortInputs(), `A = "`+strings.Repeat("a", 159)+`… (302 characters), B = [1, "b"]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
