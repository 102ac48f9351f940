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

// NewRun is a run whose output is of any type that holds values; see package outputs.
func NewRun(calls []Call, output any) (Run, error) {
	v, err := outputs.Value(output)
	return Run{Calls: calls, Output: v}, err
}

// comparison of a run on A with a run on B that replays it.
type comparison struct {
	a, b     Run
	recorded []Call    // of the run on A; those of a are what was replayed, by a coupling of coins
	by       coupling  // of the coins
	names    [2]string // of their inputs: A and B, or B and A
	// moves of the calls that are the same but for what they are given. The next call, if there is one, is another
	// one where the runs have parted, or is the one from which on nothing can be concluded.
	moves     []move
	parted    bool
	undecided string // why; "" where all is seen to the end
	outputs   string // how the outputs differ; "" where they do not
}

// move is how far apart what one call is given is in the two runs.
type move struct{ distance, slack float64 }

// Rounding is how far, relative to the values, rounding may move a distance between values that are not whole
// numbers.
const Rounding = 1e-9

// SingleRounding is the same relative to the sensitivity, and to the values where all of them are singles, as those
// of most learners are: their arithmetic, and that of what clips them, is taken to have been in singles.
const SingleRounding = 1e-5

// compare two runs.
func compare(a, b Run) comparison {
	c := comparison{a: a, b: b, recorded: a.Calls, by: coupling{-1, -1}, names: [2]string{"A", "B"}}
	if a.Concurrent || b.Concurrent {
		c.undecided = "calls of primitives come from several goroutines: their order is chance, and no replay can judge it"
		return c
	}
	if len(a.Calls) == 0 && len(b.Calls) == 0 {
		c.undecided = "no primitive is called: nothing tells what the noise is, if there is any"
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
			c.undecided = fmt.Sprintf("the noise of %s meets the same in both runs, and may meet the data later, unseen: add "+
				"it before anything else is made of it, and declare the sensitivity of what it is added to", named(i, x))
			return c
		}
		c.moves = append(c.moves, m)
		if !same(x.Released, y.Released) {
			c.undecided = fmt.Sprintf("%s of %g things%s released something else where it was to release the same, "+
				"for %g things", x.Kind, x.Value[0], at(x.Place), y.Value[0])
			return c
		}
	}
	if c.parted = len(a.Calls) != len(b.Calls); !c.parted {
		c.outputs = differ(a.Output, b.Output, reach(a, b), "output")
	}
	return c
}

// undecided says why nothing can be concluded from the two calls on; "" where it can.
func undecided(x, y Call) string {
	switch {
	case x.Kind == primitive.Uniform:
		return fmt.Sprintf("raw coins are drawn%s: what is made of them is no primitive that can be judged", at(x.Place))
	case x.Kind == primitive.Public && x.Value[0] != y.Value[0]:
		return fmt.Sprintf("%g coins that are to have nothing to do with the data become %g%s: which of them belong "+
			"together is not known", x.Value[0], y.Value[0], at(x.Place))
	case x.Kind == primitive.Permutation && x.Value[0] != y.Value[0],
		x.Kind == primitive.Poisson && math.Abs(x.Value[0]-y.Value[0]) > 1:
		return fmt.Sprintf("a %s of %g records%s becomes one of %g: which coins of the two belong together is not known; "+
			"neighbours of one size can be judged", x.Kind, x.Value[0], at(x.Place), y.Value[0])
	}
	return ""
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " at " + place
}

// moved is how far apart two values are.
func moved(x, y Call) move {
	if coin(x.Kind) {
		return move{}
	}
	return apart(x.Norm, x.Value, y.Value, x.Sensitivity)
}

// mostWhole is the largest whole number that is taken as exact: doubles of its size have fractions.
const mostWhole = 1 << 45

// apart is the distance of two values of one length, and what of it rounding may have done. Whole numbers are
// exact.
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
	default: // what was clipped in singles may have been averaged in doubles
		m.slack = math.Max(Rounding*size, SingleRounding*sensitivity)
	}
	return m
}

// inexact tells what is no whole number of those that are taken as exact.
func inexact(x float64) bool { return x != math.Trunc(x) || math.Abs(x) > mostWhole }

// double tells what no single holds.
func double(x float64) bool { return float64(float32(x)) != x }

func notFinite(x float64) bool { return !(math.Abs(x) <= math.MaxFloat64) }

// same vectors, where NaN is NaN.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || x != x && y != y })
}

// broken tells whether the sensitivity that was declared is exceeded.
// Where none was, NoSensitivity, nothing is.
func (m move) broken(sensitivity float64) bool { return m.distance-m.slack > sensitivity }

// reach is the largest magnitude that a run has to do with: the arithmetic after a release rounds on its scale.
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

// differ says how two outputs differ by more than rounding; "" where they do not.
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
