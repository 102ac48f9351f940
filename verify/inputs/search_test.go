package inputs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/dpverify/dpverify/empirical"
)

// hill promises more for integers closer to top, with noise that decreases with the number of samples.
func hill(top int, noise float64, spent *int64, least *int) Search[int] {
	seed := empirical.NewSeed(7)
	return Search[int]{
		Key:    strconv.Itoa,
		Mutate: func(r *rand.Rand, c int) (int, bool) { return c + r.IntN(21) - 10, true },
		Promise: func(_ context.Context, stage string, at []int, samples int) ([]float64, error) {
			*spent += int64(samples * len(at))
			*least = min(*least, samples)
			r := seed.Derive(stage, fmt.Sprint(at)).Rand()
			out := make([]float64, len(at))
			for i, c := range at {
				out[i] = -math.Abs(float64(c-top)) + noise*r.NormFloat64()/math.Sqrt(float64(samples))
			}
			return out, nil
		},
	}
}

// A search respects its samples, its tries and the minimum samples per evaluation, and finds the top.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		first, tries int
		samples      int64
	}{{1, 1, MinSearchSamples}, {1, 2, 2 * MinSearchSamples}, {2, 2, 2 * MinSearchSamples}, {3, 5, 5 * MinSearchSamples}, {1, 8, 8 * MinSearchSamples}, {40, 8, 8 * MinSearchSamples}, {10, 23, 23 * MinSearchSamples}, {100, 200, 200 * MinSearchSamples},
		{1, 200, 200 * MinSearchSamples}, {100, 200, 1_000_000}, {500, 200, 200 * MinSearchSamples}} {
		var spent int64
		least := math.MaxInt
		s := hill(30, 20, &spent, &least)
		s.Tries, s.Samples = c.tries, c.samples
		for i := range c.first {
			s.First = append(s.First, -i)
		}
		o, err := s.Run(context.Background(), empirical.NewSeed(1).Rand())
		if err != nil {
			t.Fatal(err)
		}
		if o.Spent != spent || spent > c.samples || least < MinLookSamples {
			t.Errorf("%+v: spent %d, says %d, each at least %d", c, spent, o.Spent, least)
		}
		seen := map[int]bool{}
		for _, p := range o.Best {
			if seen[p.Candidate] {
				t.Errorf("%+v: %d was tried twice", c, p.Candidate)
			}
			seen[p.Candidate] = true
		}
		if len(o.Best) > c.tries {
			t.Errorf("%+v: %d were tried", c, len(o.Best))
		}
		if c.tries >= 200 && math.Abs(float64(o.Best[0].Candidate-30)) > 8 {
			t.Errorf("%+v: came to %d", c, o.Best[0].Candidate)
		}
	}
}

// A candidate that was overestimated on few samples falls back when it is evaluated again.
func TestSearchLooksAgain(t *testing.T) {
	won := 0
	for seed := range uint64(40) {
		r := empirical.NewSeed(seed + 1).Rand()
		s := Search[int]{Key: strconv.Itoa, Tries: 100, Samples: 100 * MinSearchSamples,
			Promise: func(_ context.Context, _ string, at []int, samples int) ([]float64, error) {
				out := make([]float64, len(at))
				for i, c := range at {
					if c == 0 { // about what the best of 99 comes to by a first look
						out[i] = 0.6
					}
					out[i] += r.NormFloat64() / math.Sqrt(float64(samples))
				}
				return out, nil
			}}
		for i := range 100 {
			s.First = append(s.First, i)
		}
		o, err := s.Run(context.Background(), empirical.NewSeed(seed).Rand())
		if err != nil {
			t.Fatal(err)
		}
		if at := slices.IndexFunc(o.Best, func(p Promised[int]) bool { return p.Candidate == 0 }); at == 0 {
			won++
		}
	}
	if won < 36 {
		t.Errorf("the best won %d of 40", won)
	}
}

func TestSearchErrors(t *testing.T) {
	var spent int64
	least := 0
	for reason, spoil := range map[string]func(s *Search[int]){
		"no tries":         func(s *Search[int]) { s.Tries = 0 },
		"nothing to begin": func(s *Search[int]) { s.First = nil },
		"too few samples":  func(s *Search[int]) { s.Samples = 10*MinSearchSamples - 1 },
		"a promise that fails": func(s *Search[int]) {
			s.Promise = func(context.Context, string, []int, int) ([]float64, error) { return nil, errors.New("broken") }
		},
	} {
		s := hill(3, 1, &spent, &least)
		s.First, s.Tries, s.Samples = []int{0, 1}, 10, 10*MinSearchSamples
		spoil(&s)
		if _, err := s.Run(context.Background(), empirical.NewSeed(1).Rand()); err == nil {
			t.Errorf("%s: no error", reason)
		}
	}
}
