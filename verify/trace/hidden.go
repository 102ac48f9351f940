package trace

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify/neighbours"
)

// mostShown is how many calls are looked at, evenly among those that move: where the output shows each of
// them, it is taken to show all.
const mostShown = 8

// hide sets to 0 the moves of calls of which the output does not show what they released, and counts them.
func (s *replaying[D]) hide(seed uint64, p neighbours.Pair[D], c comparison) (hidden int, err error) {
	var moving []int
	for i, m := range c.moves {
		if m.distance > 0 {
			moving = append(moving, i)
		}
	}
	look := moving
	if len(moving) > mostShown {
		look = nil
		for k := range mostShown {
			look = append(look, moving[k*len(moving)/mostShown])
		}
	}
	shown := map[int]bool{}
	for _, i := range look {
		if s.ctx.Err() != nil {
			return 0, s.ctx.Err()
		}
		if shown[i], err = s.shows(seed, p.A, c, i); err != nil {
			return 0, err
		}
		if !shown[i] {
			hidden++
		}
	}
	if hidden == 0 {
		return 0, nil
	}
	for _, i := range moving {
		if !shown[i] {
			c.moves[i] = move{}
		}
	}
	return hidden, nil
}

// shows tells whether the output of the run on A follows what a call releases: whether most other releases of
// it give outputs of their own, where all other calls release the same. The index of the largest of noisy
// values has two outputs, whatever one of them is, and an answer whether one is above a threshold too.
func (s *replaying[D]) shows(seed uint64, input D, c comparison, at int) (bool, error) {
	others, err := s.others(seed, input, c, at)
	if err != nil {
		return false, err
	}
	releases, outputs := map[string]bool{}, map[string]bool{}
	for _, released := range others {
		calls := append([]Call(nil), c.recorded...)
		calls[at].Released = released
		run, err := s.Subject.Run(seed, input, calls)
		if err != nil {
			continue // it does not take it
		}
		releases[fmt.Sprint(released)] = true
		if !compare(Run{Calls: calls, Output: run.Output}, run).parted {
			outputs[fmt.Sprintf("%#v", run.Output)] = true
		}
	}
	return len(outputs) >= max(2, (len(releases)+1)/2), nil
}

// steps of an additive release, in its scale, and in whole numbers that rounding leaves.
var (
	scaleSteps = []float64{-2, -1, 1, 2}
	wholeSteps = []float64{-7, -3, 3, 7}
)

// others are what a call could have released as well: along the line from what it is given in A to what it is
// given in B where noise is added, and draws of its own else.
func (s *replaying[D]) others(seed uint64, input D, c comparison, at int) (out [][]float64, err error) {
	x, y := c.recorded[at], c.b.Calls[at]
	if additive(x.Kind) {
		furthest := 0.0
		for j, v := range x.Value {
			furthest = math.Max(furthest, math.Abs(y.Value[j]-v))
		}
		scale := x.Scale
		if x.Kind == primitive.DiscreteLaplace || x.Kind == primitive.DiscreteGaussian {
			scale = math.Ceil(scale)
		}
		along := func(step float64) {
			released := append([]float64(nil), x.Released...)
			for j := range released {
				by := step * (y.Value[j] - x.Value[j]) / furthest
				if x.Kind != primitive.Laplace && x.Kind != primitive.Gaussian && x.Kind != primitive.L2Laplace {
					by = math.Round(by)
				}
				released[j] += by
			}
			out = append(out, released)
		}
		for i := range scaleSteps {
			along(scaleSteps[i] * scale)
			along(wholeSteps[i] * math.Max(1, scale))
		}
		return out, nil
	}
	for k := range uint64(8) {
		run, err := s.Subject.Run(seed+k+1, input, c.recorded[:at])
		if err != nil {
			return nil, err
		}
		if at < len(run.Calls) && len(run.Calls[at].Released) == len(x.Released) {
			out = append(out, run.Calls[at].Released)
		}
	}
	return out, nil
}
