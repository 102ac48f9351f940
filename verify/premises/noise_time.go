package premises

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/dpverify/dpverify/verify"
)

const (
	smallNoise    = 0.1  // scale of the noise whose detection the power states
	smallestScale = 1e-3 // to locate steps without noise
	unevenTail    = 1e-9 // p-value from which on one scale for all steps does not describe the noise

	// A generator in float32 has no values between 0 and about this number.
	generatorGrid = 1e-6
)

// window holds the noise of successive steps.
type window struct {
	First   int     `json:"first"` // steps, from 1
	Last    int     `json:"last"`
	Squares float64 `json:"squares"` // sum of squares
	Largest float64 `json:"largest"` // sum of the largest squares that rounding can change to the logged ones
	Least   float64 `json:"least"`   // sum of the smallest such squares
}

// windowPair holds the two extremes of all aligned windows of one length: the one with the smallest noise and the one
// with the largest.
type windowPair struct {
	Low  window `json:"low"`
	High window `json:"high"`
}

// windows returns the extreme windows of 1, 2, 4, ... steps. A window of w steps begins at a multiple of w.
func (f noiseStatistics) windows(z [][]float64) (list []windowPair) {
	level := make([]window, len(z))
	for t, v := range z {
		level[t] = f.step(t+1, v)
	}
	for ; len(level) > 0; level = joined(level) {
		pair := windowPair{level[0], level[0]}
		for _, w := range level[1:] {
			if w.Largest < pair.Low.Largest {
				pair.Low = w
			}
			if w.Least > pair.High.Least {
				pair.High = w
			}
		}
		list = append(list, pair)
	}
	return list
}

// step returns the window of one step. If |z − y| ≤ r|y| + a for the rounded value z of y, then |y| is between
// (|z| − a) / (1 + r) and (|z| + a) / (1 − r).
func (f noiseStatistics) step(t int, v []float64) window {
	w := window{First: t, Last: t}
	for _, x := range v {
		most := (math.Abs(x) + f.Absolute + generatorGrid) / (1 - f.Relative)
		least := math.Max(0, math.Abs(x)-f.Absolute) / (1 + f.Relative)
		w.Squares, w.Largest, w.Least = w.Squares+x*x, w.Largest+most*most, w.Least+least*least
	}
	return w
}

// joined joins every two windows to one.
func joined(level []window) (next []window) {
	for i := 0; i+1 < len(level); i += 2 {
		next = append(next, join(level[i], level[i+1]))
	}
	return next
}

// join joins a window and the next one.
func join(v, w window) window {
	return window{v.First, w.Last, v.Squares + w.Squares, v.Largest + w.Largest, v.Least + w.Least}
}

// windowCount returns the number of aligned windows of 1, 2, 4, ... steps in a log.
func windowCount(steps int) (count float64) {
	for ; steps > 0; steps /= 2 {
		count += float64(steps)
	}
	return count
}

// below bounds the probability that n independent values of N(0, 1) from a generator have a sum of squares of at most
// x. A generator can return two numbers near 0 from one uniform number, as Box and Muller do from a radius of 0.
func below(n, x float64) float64 {
	return mathext.GammaIncReg(n/2, x/2) + math.Pow(minCollision, math.Ceil(n/2))
}

// uneven returns the window with the smallest p-value for noise with one standard deviation in all steps, and this
// p-value times the number of windows and tails. The standard deviation is in units of the claimed one. Among equal
// p-values it takes the longest window. If the absolute rounding has its largest value, the grid may be coarser, and
// the p-value is 1.
func (f noiseStatistics) uneven(deviation float64) (at window, p float64) {
	p = 1
	if f.Absolute >= maxAbsolute || !(deviation > 0) {
		return f.Windows[len(f.Windows)-1].Low, 1
	}
	for i, pair := range f.Windows {
		n := math.Ldexp(float64(f.Coordinates), i)
		low := below(n, pair.Low.Largest/deviation/deviation)
		high := mathext.GammaIncRegComp(n/2, pair.High.Least/deviation/deviation/2)
		if low <= p && low <= high {
			at, p = pair.Low, low
		} else if high <= p {
			at, p = pair.High, high
		}
	}
	return at, math.Min(1, 2*windowCount(f.Steps)*p)
}

// overTime tests the scale in aligned windows of steps. The sum of squares of a window has the distribution χ² with
// steps × coordinates degrees of freedom. The p-value is the smallest over windows and both tails times their number.
func (f noiseStatistics) overTime() noiseTest {
	_, p := f.uneven(1)
	at := f.Segment
	ratio := f.scaleOf(at)
	t := noiseTest{name: "scale over time", quantity: "standard deviation of the noise in some steps / (σC)", claimed: 1,
		measured: ratio, p: p}
	place := fmt.Sprintf("in steps %d to %d", at.First, at.Last)
	if at.First == at.Last {
		place = fmt.Sprintf("in step %d", at.First)
	}
	t.finding = fmt.Sprintf("the noise has another scale %s: %.3g times the claimed one", place, ratio)
	if at.Squares == 0 {
		t.finding = fmt.Sprintf("there is no noise %s: every logged value is 0", place)
	}
	return t
}

// scaleOf returns the standard deviation of the noise of a window in units of the claimed one.
func (f noiseStatistics) scaleOf(w window) float64 {
	return math.Sqrt(w.Squares / float64(w.Last-w.First+1) / float64(f.Coordinates))
}

// segment returns the successive steps that have the largest likelihood ratio of the scale of the most extreme window
// to the claimed scale. It only locates a refutation.
func (f noiseStatistics) segment(z [][]float64) (best window) {
	at, _ := f.uneven(1)
	if f.varies() {
		at, _ = f.uneven(f.ratio())
	}
	scale, k := math.Max(smallestScale, f.scaleOf(at)), float64(f.Coordinates)
	var now window
	sum, largest := math.Inf(-1), math.Inf(-1)
	for t, v := range z {
		step := f.step(t+1, v)
		gain := -k*math.Log(scale) - step.Squares/2*(1/(scale*scale)-1)
		if sum > 0 {
			sum, now = sum+gain, join(now, step)
		} else {
			sum, now = gain, step
		}
		if sum > largest {
			largest, best = sum, now
		}
	}
	return best
}

// varies reports whether the noise has clearly not the same scale in all steps.
func (f noiseStatistics) varies() bool {
	_, p := f.uneven(f.ratio())
	return p <= unevenTail
}

// marginal returns the tests of scale and distribution, the most specific one first. Values that are not normal have
// outlying windows, and values with a varying scale are not normal, so the smaller p-value decides.
func (f noiseStatistics) marginal() []noiseTest {
	scale, shape, extreme, time := f.scale(), f.shape(), f.extreme(), f.overTime()
	if f.varies() && time.p <= shape.p {
		return []noiseTest{time, scale, shape, extreme}
	}
	return []noiseTest{scale, shape, extreme, time}
}

// windowSeen returns a number of successive steps, anywhere in the log, whose noise of the given scale is detected with
// the target power, or 0 if the log has too few steps. 2w − 1 successive steps contain an aligned window of w steps.
func (j noiseJudge) windowSeen(steps int, scale float64) int {
	if j.Absolute >= maxAbsolute {
		return 0
	}
	share := j.alpha / 2 / windowCount(steps)
	for w := 1; 2*w-1 <= steps; w *= 2 {
		n := float64(w) * float64(j.Coordinates)
		root := scale * (1 + j.Relative) * math.Sqrt(2*mathext.GammaIncRegCompInv(n/2, 1-verify.TargetPower))
		root = (root + (2*j.Absolute+generatorGrid)*math.Sqrt(n)) / (1 - j.Relative)
		if below(n, root*root) <= share {
			return 2*w - 1
		}
	}
	return 0
}

// possibleWindows reports whether the windows are those of a log.
func (f noiseStatistics) possibleWindows() bool {
	possible := func(w window) bool {
		return w.First >= 1 && w.First <= w.Last && w.Last <= f.Steps && w.Least >= 0 && w.Least <= w.Squares &&
			w.Squares <= w.Largest && w.Squares <= f.Squares*(1+1e-9) && w.Largest <= math.MaxFloat64
	}
	left := f.Steps
	for i, pair := range f.Windows {
		for _, w := range []window{pair.Low, pair.High} {
			if length := 1 << min(i, 62); !possible(w) || (w.First-1)%length != 0 || w.Last-w.First != length-1 {
				return false
			}
		}
		left /= 2
	}
	return left == 0 && len(f.Windows) > 0 && 1<<(len(f.Windows)-1) <= f.Steps && possible(f.Segment)
}
