package replay

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/internal/rng"
)

// noiseScales are the factors by which the scale of redrawn noise is multiplied, one for each tape in turn. Large
// noise detects dependences that small noise leaves unchanged.
var noiseScales = []float64{1, 10, 100}

// redraw makes tapes, numbered from first, on which all values are drawn again. In turn, noise has its own
// distribution, and 10 and 100 times its scale. Alternately, choices come from runs with other seeds, and uniformly
// from the known outcomes.
func (d *decoder[D]) redraw(first, count int) error {
	d.tapes = nil
	choices := slices.ContainsFunc(d.c.recorded, func(c Call) bool { return !additive(c.Kind) })
	for k := first; k < first+count; k++ {
		seed := d.seed + uint64(k+101)<<32
		tape := slices.Clone(d.c.recorded)
		var other Run
		var err error
		if choices {
			if other, err = d.s.Subject.Run(seed, d.pair.A, nil); err != nil {
				return err
			}
		}
		for i, x := range tape {
			if additive(x.Kind) {
				tape[i].Released = d.noise(x, noiseScales[k%len(noiseScales)])
				continue
			}
			if i >= len(other.Calls) || !Fits(x.Call,
				other.Calls[i].Call) || len(other.Calls[i].Released) != len(x.Released) {
				if other, err = d.s.Subject.Run(seed, d.pair.A, d.c.recorded[:i]); err != nil {
					return err
				}
			}
			if i < len(other.Calls) && len(other.Calls[i].Released) == len(x.Released) {
				tape[i].Released = slices.Clone(other.Calls[i].Released)
			}
			if drop := d.c.by.drop; x.Kind == primitive.Poisson && drop >= 0 && drop < len(x.Released) {
				tape[i].Released[drop] = x.Released[drop] // the coin of the record that B does not have
			}
		}
		d.tapes = append(d.tapes, tape)
	}
	d.symbols, d.responses = map[float64][]float64{}, map[float64]int{}
	for _, tape := range append(slices.Clone(d.tapes), d.c.a.Calls, d.c.b.Calls) {
		for _, x := range tape {
			if x.Kind == primitive.RandomizedResponse {
				d.responses[x.Scale]++
			}
			if known := d.symbols[x.Scale]; x.Kind == primitive.RandomizedResponse && len(known) < maxScores {
				for _, v := range append(slices.Clone(x.Value), x.Released...) {
					if !slices.Contains(known, v) {
						known = append(known, v)
					}
				}
				d.symbols[x.Scale] = known
			}
		}
	}
	for k, tape := range d.tapes {
		for i, x := range tape {
			if all := d.choices(x, x); k%2 == 1 && len(all) > 0 {
				tape[i].Released = []float64{all[d.r.IntN(len(all))]}
			}
		}
	}
	return nil
}

// noise returns the value of a call plus noise. At scales = 1 the noise has the call's distribution, up to rounding.
// Otherwise sums and norms of many entries would have values that no release has. Larger noise is Laplace noise.
func (d *decoder[D]) noise(x Call, scales float64) []float64 {
	out := slices.Clone(x.Value)
	gaussian := x.Kind == primitive.Gaussian || x.Kind == primitive.DiscreteGaussian
	if x.Kind == primitive.L2Laplace && scales == 1 {
		return d.l2Laplace(out, x.Scale)
	}
	for j := range out {
		by := x.Scale * scales * rng.Exponential(d.r) * float64(2*d.r.IntN(2)-1)
		if gaussian && scales == 1 {
			by = x.Scale * rng.Normal(d.r)
		}
		if integerNoise(x.Kind) {
			by = math.Round(by)
		}
		out[j] += by
	}
	return out
}

// l2Laplace adds noise of density ∝ exp(-‖z‖₂/scale) to the values: a uniform direction times a sum of exponential
// draws.
func (d *decoder[D]) l2Laplace(values []float64, scale float64) []float64 {
	z, norm, length := make([]float64, len(values)), 0.0, 0.0
	for j := range z {
		z[j] = rng.Normal(d.r)
		norm, length = math.Hypot(norm, z[j]), length+scale*rng.Exponential(d.r)
	}
	for j := range z {
		values[j] += z[j] / norm * length
	}
	return values
}

// determined reports whether, on all tapes, the output determines the released value of the unit and the call is given
// the same value. The units that are not yet known release other values on each tape. If the result is true, the unit
// becomes known.
func (d *decoder[D]) determined(u unit, is response) bool {
	x, y := d.c.a.Calls[u.call], d.c.b.Calls[u.call]
	releases := []float64{x.Released[u.entry]}
	if additive(x.Kind) {
		releases = []float64{x.Value[u.entry], x.Value[u.entry] + spread(x, 0.47), y.Value[u.entry]}
	}
	left := slices.Clone(is.leaves)
	for k, tape := range d.tapes {
		released := releases[k/len(noiseScales)%len(releases)]
		calls := withRelease(d.held(tape), u, released)
		for side, input := range []D{d.pair.A, d.pair.B} {
			was := d.c.a
			if side == 1 {
				was, calls = d.c.b, d.c.by.apply(calls)
			}
			run, out, ok := d.replay(input, calls)
			if !ok || !d.givenAs(was.Calls[u.call], run.Calls[u.call], u) {
				return false
			}
			left = slices.DeleteFunc(left, func(leaf int) bool { return !is.stays(leaf, released, out[leaf], d.base) })
			if len(left) == 0 {
				return false
			}
		}
	}
	is.leaves = left
	d.known[u], d.order = is, append(d.order, u)
	return true
}

// held returns a tape on which the known units release their recorded values.
func (d *decoder[D]) held(tape []Call) []Call {
	out := slices.Clone(tape)
	for _, at := range d.decided() {
		released := slices.Clone(out[at.call].Released)
		released[at.entry] = d.c.recorded[at.call].Released[at.entry]
		out[at.call].Released = released
	}
	return out
}

// givenAs reports whether two calls are given the same value at a unit, except for rounding.
func (d *decoder[D]) givenAs(x, y Call, u unit) bool {
	if !additive(x.Kind) {
		m := moved(x, y)
		return m.distance <= m.slack
	}
	m := apart(primitive.L1, x.Value[u.entry:u.entry+1], y.Value[u.entry:u.entry+1], x.Sensitivity)
	return m.distance <= m.slack
}

// stays reports whether an output number did not change although other units released other values: it equals the
// number at the same released value of this unit and recorded values of all others, up to lastDigits.
func (is response) stays(leaf int, released float64, now any, base []any) bool {
	was := base
	if out := is.at[released]; out != nil {
		was = out
	}
	x, ok := was[leaf].(float64)
	y, number := now.(float64)
	if !ok || !number {
		return alike(was[leaf], now)
	}
	return math.Abs(x-y) <= lastDigits*math.Max(math.Abs(x), math.Abs(y))
}

// lastDigits is the relative difference between two output numbers that rounding can cause. A larger constant would
// hide a unit that adds to the lower digits of a number. Another unit would then seem to determine this number, and
// both units would be charged.
const lastDigits = 1e-15
