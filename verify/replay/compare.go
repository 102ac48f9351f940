package replay

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/outputs"
)

// NewRun returns a run with the given calls and output. The output may have any type that [outputs.Value] accepts;
// other types are an error.
func NewRun(calls []Call, output any) (Run, error) {
	v, err := outputs.Value(output)
	return Run{Calls: calls, Output: v}, err
}

// comparison compares a run on A with a run on B that replays it.
type comparison struct {
	a, b     Run
	recorded []Call    // calls of the run on A; the calls of a have their coins coupled to B
	by       coupling  // coupling of the coins
	names    [2]string // names of the two inputs: A and B, or B and A
	// moves has one entry for each leading call on which the runs agree except for the given values. The next call,
	// if any, differs between the runs if parted is true. Otherwise nothing can be concluded from it.
	moves     []move
	parted    bool
	undecided string // why the comparison ends before the last call; "" if it does not
	outputs   string // how the outputs differ; "" if they do not
}

// move is the distance between the values given to one call in the two runs, and how much of it rounding can explain.
type move struct{ distance, slack float64 }

// Rounding is the largest error of a distance between values that are not integers, relative to the values.
const Rounding = 1e-9

// SingleRounding is the largest error relative to the sensitivity. It also applies to the values if all of them are
// float32 numbers, as in most training algorithms: the computation and the clipping are then assumed to have used
// float32.
const SingleRounding = 1e-5

// compare compares two runs call by call, then their outputs.
func compare(a, b Run) comparison {
	c := comparison{a: a, b: b, recorded: a.Calls, by: coupling{-1, -1}, names: [2]string{"A", "B"}}
	if a.Concurrent || b.Concurrent {
		c.undecided = "calls of primitives come from several goroutines: their order is random, so replay cannot judge it"
		return c
	}
	if len(a.Calls) == 0 && len(b.Calls) == 0 {
		c.undecided = "no primitive is called: if there is noise, a replay cannot detect it"
		return c
	}
	for i := range min(len(a.Calls), len(b.Calls)) {
		x, y := a.Calls[i], b.Calls[i]
		if c.parted = !Fits(x.Call, y.Call); !c.parted {
			c.undecided = undecided(x, y)
		}
		if c.parted || c.undecided != "" {
			return c
		}
		m := moved(x, y)
		if x.Bare && y.Bare && m.distance == 0 {
			c.undecided = fmt.Sprintf("the noise of %s is added to the same value in both runs, and may be added to the "+
				"data later, which a replay does not detect: add it to the data first, and declare the sensitivity of that "+
				"value", named(i, x))
			return c
		}
		c.moves = append(c.moves, m)
		if !same(x.Released, y.Released) {
			c.undecided = fmt.Sprintf("%s of %g things%s did not release its recorded value, for %g things", x.Kind,
				x.Value[0], at(x.Place), y.Value[0])
			return c
		}
	}
	if c.parted = len(a.Calls) != len(b.Calls); !c.parted {
		c.outputs = differ(a.Output, b.Output, reach(a, b), "output")
	}
	return c
}

// undecided explains why nothing can be concluded from this call and later ones; "" if the comparison can continue.
func undecided(x, y Call) string {
	switch {
	case x.Kind == primitive.Uniform:
		return fmt.Sprintf("raw coins are drawn%s: replay cannot judge how they are used", at(x.Place))
	case x.Kind == primitive.Public && x.Value[0] != y.Value[0]:
		return fmt.Sprintf("%g public numbers are drawn in one run and %g in the other%s: it is not known which of them "+
			"correspond", x.Value[0], y.Value[0], at(x.Place))
	case x.Kind == primitive.Permutation && x.Value[0] != y.Value[0],
		x.Kind == primitive.Poisson && math.Abs(x.Value[0]-y.Value[0]) > 1:
		return fmt.Sprintf("the %s%s has %g records in one run and %g in the other: it is not known which random draws "+
			"correspond; use neighbors of equal size", x.Kind, at(x.Place), x.Value[0], y.Value[0])
	}
	return ""
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " at " + place
}

// moved returns the distance between the values given to a call in the two runs; 0 for coins.
func moved(x, y Call) move {
	if coin(x.Kind) {
		return move{}
	}
	return apart(x.Norm, x.Value, y.Value, x.Sensitivity)
}

// maxWhole is the largest integer treated as exact. Doubles of this size still have fractions.
const maxWhole = 1 << 45

// apart returns the distance between two values of the same length, and how much of it rounding can explain. Integers
// are exact.
func apart(norm primitive.Norm, a, b []float64, sensitivity float64) move {
	if norm == primitive.Discrete {
		if same(a, b) {
			return move{}
		}
		return move{distance: 1}
	}
	p := map[primitive.Norm]float64{primitive.L1: 1, primitive.L2: 2, primitive.LInf: math.Inf(1)}[norm]
	m := move{distance: floats.Distance(a, b, p)}
	if math.IsNaN(m.distance) || slices.ContainsFunc(a, notFinite) || slices.ContainsFunc(b, notFinite) {
		if same(a, b) {
			return move{}
		}
		return move{distance: math.Inf(1)}
	}
	size := math.Max(floats.Norm(a, p), floats.Norm(b, p))
	if sensitivity == NoSensitivity {
		sensitivity = 0
	}
	switch {
	case !slices.ContainsFunc(a, inexact) && !slices.ContainsFunc(b, inexact):
		m.slack = verify.DefaultRelativeError * m.distance
	case !slices.ContainsFunc(a, double) && !slices.ContainsFunc(b, double):
		m.slack = SingleRounding * math.Max(size, sensitivity)
	default: // values clipped as float32 may have been averaged as float64
		m.slack = math.Max(Rounding*size, SingleRounding*sensitivity)
	}
	return m
}

// inexact reports whether x is not an integer, or is too large to be treated as exact.
func inexact(x float64) bool { return x != math.Trunc(x) || math.Abs(x) > maxWhole }

// double reports whether x is not a float32 number.
func double(x float64) bool { return float64(float32(x)) != x }

func notFinite(x float64) bool { return !(math.Abs(x) <= math.MaxFloat64) }

// same reports whether two vectors are equal; NaN equals NaN.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}

// broken reports whether the move exceeds the declared sensitivity. It is never true for [NoSensitivity].
func (m move) broken(sensitivity float64) bool { return m.distance-m.slack > sensitivity }

// reach returns the largest finite magnitude in the calls of the runs. Rounding errors of arithmetic after the calls
// are relative to it.
func reach(runs ...Run) float64 {
	most := 0.0
	for _, r := range runs {
		for _, c := range r.Calls {
			for _, v := range append(c.Value[:len(c.Value):len(c.Value)], c.Released...) {
				if a := math.Abs(v); a > most && a <= math.MaxFloat64 {
					most = a
				}
			}
		}
	}
	return most
}

// differ describes how two outputs differ by more than rounding; "" if they do not.
func differ(a, b any, reach float64, at string) string {
	x, list := a.([]any)
	y, other := b.([]any)
	if list && other && len(x) == len(y) {
		for i := range x {
			if text := differ(x[i], y[i], reach, fmt.Sprintf("%s[%d]", at, i)); text != "" {
				return text
			}
		}
		return ""
	}
	if u, ok := a.(float64); ok {
		v, ok := b.(float64)
		size := math.Max(reach, math.Max(math.Abs(u), math.Abs(v)))
		if ok && (u == v || u != u && v != v || math.Abs(u-v) <= verify.DefaultRelativeError*size && !notFinite(size)) {
			return ""
		}
	} else if fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b) {
		return ""
	}
	return fmt.Sprintf("%s is %v, and %v", at, a, b)
}
