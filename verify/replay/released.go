package replay

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Limits on the tests of one search.
const (
	maxUnits    = 1024      // units tested in one pair
	maxTests    = 40_000    // runs
	maxWork     = 5_000_000 // calls and output numbers in these runs
	maxScores   = 64        // maximum number of outcomes of a choice that is tested
	flatTapes   = 8         // redraws that a unit has to withstand
	choiceTapes = 24        // the same if there are choices: a redraw may leave each of them unchanged
	maxTapes    = 240       // redraws that all units of a finding have to withstand
	allTapes    = 4000      // limit on redraws × units of a finding
)

// unit is a number that a call releases: an entry of a noisy vector, or a choice.
type unit struct{ call, entry int }

// decoder tests which units the output of a release determines. A unit is charged only if two tests agree. First, if
// only the unit changes, some output number moves in one direction and takes many values. Second, if all other units
// are drawn again, except those already determined, this output number and the value given to the call stay the same.
// The second test can only clear a unit.
type decoder[D any] struct {
	s     *replaying[D]
	seed  uint64
	pair  inputs.Pair[D]
	c     comparison
	r     *rand.Rand
	base  []any // flattened entries of the recorded output
	tapes [][]Call
	known map[unit]response
	order []unit // the keys of known, in the order in which they were determined
	// symbols that calls of randomized response were given or released, and the number of these calls, by scale
	symbols   map[float64][]float64
	responses map[float64]int
}

// response describes how the output follows a unit.
type response struct {
	leaves []int             // indices of the output entries that follow the unit
	at     map[float64][]any // output by released value
}

// decode returns the units that the output determines, as far as the limits of a search allow to test them. It also
// returns how many of the calls with different values have no such unit.
func (s *replaying[D]) decode(seed uint64, p inputs.Pair[D], c comparison) (d *decoder[D], hidden int, err error) {
	d = &decoder[D]{s: s, seed: seed, pair: p, c: c, r: rand.New(rand.NewPCG(seed, 2)), base: leaves(c.a.Output, nil),
		known: map[unit]response{}}
	tapes := flatTapes
	if slices.ContainsFunc(c.recorded, func(c Call) bool { return !additive(c.Kind) }) {
		tapes = choiceTapes
	}
	if err := d.redraw(0, tapes); err != nil {
		return d, 0, err
	}
	shown := map[unit]response{}
	var pending []unit
	for _, u := range d.candidates() {
		if s.ctx.Err() != nil {
			return d, 0, s.ctx.Err()
		}
		if is, ok := d.shows(u); !ok {
			continue
		} else if shown[u] = is; !d.determined(u, is) {
			pending = append(pending, u)
		}
	}
	for _, order := range []func(x, y unit) int{inOrder, func(x, y unit) int { return inOrder(y, x) }} {
		slices.SortFunc(pending, order)
		pending = slices.DeleteFunc(pending, func(u unit) bool { return d.determined(u, shown[u]) })
	}
	for i, m := range c.moves {
		if m.distance > 0 && !slices.ContainsFunc(d.units(i), func(u unit) bool { _, ok := d.known[u]; return ok }) {
			hidden++
		}
	}
	return d, hidden, s.ctx.Err()
}

// decided returns the known units in the order of their calls.
func (d *decoder[D]) decided() []unit {
	return slices.SortedFunc(maps.Keys(d.known), inOrder)
}

// inOrder compares units by their calls, then by their entries.
func inOrder(x, y unit) int {
	return cmp.Or(cmp.Compare(x.call, y.call), cmp.Compare(x.entry, y.entry))
}

// units returns the units of a call; nil for coins.
func (d *decoder[D]) units(call int) (out []unit) {
	x := d.c.a.Calls[call]
	if coin(x.Kind) {
		return nil
	}
	if !additive(x.Kind) {
		return []unit{{call, 0}}
	}
	for j := range x.Value {
		out = append(out, unit{call, j})
	}
	return out
}

// candidates returns the units to test, the largest possible costs first, ties in random order.
func (d *decoder[D]) candidates() []unit {
	var all []unit
	cost := map[unit]float64{}
	for i, m := range d.c.moves {
		x, y := d.c.a.Calls[i], d.c.b.Calls[i]
		for _, u := range d.units(i) {
			switch {
			case x.Sensitivity == 0:
			case additive(x.Kind):
				cost[u] = math.Abs(x.Value[u.entry]-y.Value[u.entry]) / x.Scale
			default:
				cost[u] = lossBound(x, y, m)
			}
			all = append(all, u)
		}
	}
	d.r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	slices.SortStableFunc(all, func(x, y unit) int { return cmp.Compare(cost[y], cost[x]) })
	return all[:min(maxUnits, len(all))]
}

// tooMany is the reason for an open account if the search has used up its tests.
const tooMany = "the release makes more calls than a search can test"

// exhausted reports whether the search has used up its tests.
func (s *replaying[D]) exhausted() bool { return s.tests > maxTests || s.work > maxWork }

// replay runs the release on an input with the given released values. It is not ok if the calls differ, the output
// has another shape, the release fails, or the search has used up its tests.
func (d *decoder[D]) replay(input D, calls []Call) (run Run, out []any, ok bool) {
	d.s.tests, d.s.work = d.s.tests+1, d.s.work+len(calls)+len(d.base)
	if d.s.exhausted() || d.s.ctx.Err() != nil {
		return run, nil, false
	}
	defer func() {
		if recover() != nil { // the release may panic on values that cannot occur
			ok = false
		}
	}()
	run, err := d.s.Subject.Run(d.seed, input, calls)
	if err != nil || run.Concurrent || len(run.Calls) != len(calls) {
		return run, nil, false
	}
	for i := range calls {
		if !Fits(calls[i].Call, run.Calls[i].Call) || !same(calls[i].Released, run.Calls[i].Released) {
			return run, nil, false
		}
	}
	out = leaves(run.Output, nil)
	return run, out, len(out) == len(d.base)
}

// withRelease returns a copy of the calls in which a unit releases another value.
func withRelease(calls []Call, u unit, released float64) []Call {
	out := slices.Clone(calls)
	out[u.call].Released = slices.Clone(out[u.call].Released)
	out[u.call].Released[u.entry] = released
	return out
}

// shows changes only the unit and returns how the output follows it. It is not ok if no output number does.
func (d *decoder[D]) shows(u unit) (is response, ok bool) {
	x, y := d.c.a.Calls[u.call], d.c.b.Calls[u.call]
	if u.entry >= len(x.Released) {
		return is, false
	}
	if !additive(x.Kind) {
		return d.chosen(u)
	}
	a, b := x.Value[u.entry], y.Value[u.entry]
	is.at = map[float64][]any{}
	for _, released := range slices.Concat([]float64{a + spread(x, 4.37)}, grid(x, a), grid(x, b)) {
		if is.at[released] != nil {
			continue
		}
		_, out, ok := d.replay(d.pair.A, withRelease(d.c.recorded, u, released))
		if !ok || len(is.at) == 0 && slices.EqualFunc(out, d.base, alike) {
			return is, false
		}
		is.at[released] = out
	}
	for leaf := range d.base {
		if follows, all := is.follows(leaf); follows && (all || d.s.accounts.pure()) {
			is.leaves = append(is.leaves, leaf)
		}
	}
	return is, len(is.leaves) > 0
}

// wholeSteps are small steps of integer noise. They detect an output that keeps only a remainder.
var wholeSteps = []float64{-3, -2, -1, 1, 2, 3}

// scaleSteps are steps of noise in units of its scale. No two have a simple ratio. Three pairs are close together, at
// distances that no multiple of a larger step has, so that a rounded output repeats a value for some pair.
var scaleSteps = []float64{-12.7, -4.37, -2.29, -1.131, -1.13, -0.47, 0, 0.47, 0.471, 1.13, 2.29, 2.291, 4.37, 12.7}

// integerNoise reports whether a primitive adds integer noise.
func integerNoise(k primitive.Kind) bool {
	return k == primitive.DiscreteLaplace || k == primitive.DiscreteGaussian
}

// spread multiplies steps by the noise scale. For integer noise it rounds the result to an integer, which is 0 only if
// steps is 0.
func spread(x Call, steps float64) float64 {
	if !integerNoise(x.Kind) {
		return steps * x.Scale
	}
	by := math.Round(steps * math.Max(1, x.Scale))
	if by == 0 && steps != 0 {
		by = math.Copysign(1, steps)
	}
	return by
}

// grid returns released values around a value.
func grid(x Call, value float64) (out []float64) {
	for _, step := range scaleSteps {
		out = append(out, value+spread(x, step))
	}
	if integerNoise(x.Kind) {
		for _, step := range wholeSteps {
			out = append(out, value+step)
		}
		near := value + spread(x, 0.47)
		out = append(out, near+1)
	}
	return out
}

// releases returns the values that were tried, in increasing order.
func (is response) releases() []float64 { return slices.Sorted(maps.Keys(is.at)) }

// minValues is the number of values that an output number must take on a grid to follow a unit. The index of a
// maximum, or a comparison with a threshold, takes two.
const minValues = 5

// follows reports whether an output number moves in one direction, over many values, as the unit's released value
// grows. The second result reports whether no two released values give the same output number.
func (is response) follows(leaf int) (ok, all bool) {
	releases := is.releases()
	up, down, values := 0, 0, 1
	var last float64
	for i, r := range releases {
		v, ok := is.at[r][leaf].(float64)
		switch {
		case !ok || v != v:
			return false, false
		case i == 0 || v == last:
		case v > last:
			up, values = up+1, values+1
		default:
			down, values = down+1, values+1
		}
		last = v
	}
	if up > 0 && down > 0 || values < minValues {
		return false, false
	}
	return true, values == len(releases)
}

// chosen is the counterpart of shows for a choice. An entry of the output follows the choice if it differs between all
// known outcomes.
func (d *decoder[D]) chosen(u unit) (is response, ok bool) {
	x, y := d.c.a.Calls[u.call], d.c.b.Calls[u.call]
	if len(x.Released) != 1 {
		return is, false
	}
	is.at = map[float64][]any{x.Released[0]: d.base}
	for _, released := range d.choices(x, y) {
		if is.at[released] != nil {
			continue
		}
		_, out, ok := d.replay(d.pair.A, withRelease(d.c.recorded, u, released))
		if !ok {
			return is, false
		}
		is.at[released] = out
	}
	for leaf := range d.base {
		var seen []any
		for _, released := range is.releases() {
			out := is.at[released]
			if !slices.ContainsFunc(seen, func(v any) bool { return alike(v, out[leaf]) }) {
				seen = append(seen, out[leaf])
			}
		}
		if len(seen) > 1 && len(seen) == len(is.at) {
			is.leaves = append(is.leaves, leaf)
		}
	}
	return is, len(is.leaves) > 0
}

// choices returns the known outcomes of a call.
func (d *decoder[D]) choices(x, y Call) (out []float64) {
	switch x.Kind {
	case primitive.Exponential, primitive.NoisyMax:
		if len(x.Value) > maxScores {
			return nil
		}
		for i := range x.Value {
			out = append(out, float64(i))
		}
	case primitive.RandomizedResponse:
		// The number of symbols is unknown. If few repeat, most symbols have not been seen, and the output may be the
		// same for several of them.
		if len(x.Value) != 1 || len(x.Released) != 1 || !d.repeat(x.Scale) {
			return nil
		}
		out = append(slices.Clone(d.symbols[x.Scale]), x.Value[0], y.Value[0], x.Released[0])
		if slices.Max(out) == slices.Min(out) {
			out = append(out, map[bool]float64{true: 1, false: 0}[out[0] == 0])
		}
	}
	return out
}

// repeat reports whether the known symbols at a scale occur at least twice on average.
func (d *decoder[D]) repeat(scale float64) bool {
	symbols := len(d.symbols[scale])
	return symbols < maxScores && 2*symbols <= d.responses[scale]
}

// leaves appends the numbers, strings and booleans of an output, and the lengths of its lists.
func leaves(v any, to []any) []any {
	list, ok := v.([]any)
	if !ok {
		return append(to, v)
	}
	to = append(to, float64(len(list)))
	for _, e := range list {
		to = leaves(e, to)
	}
	return to
}

// alike reports whether two leaves are equal; NaN equals NaN.
func alike(a, b any) bool {
	x, first := a.(float64)
	y, second := b.(float64)
	if first && second {
		return x == y || x != x && y != y
	}
	return first == second && fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b)
}
