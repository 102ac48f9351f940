package premises

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/dpverify/dpverify/verify"
)

// A log is consistent only if it detects effects of these sizes with probability [verify.TargetPower], for correlations
// approximately.
const (
	scaleEffect       = 0.25 // relative reduction of the standard deviation
	shapeEffect       = 0.25 // Kolmogorov distance
	correlationEffect = 0.75
	alongEffect       = 0.75 // mean along a sum, in units of the standard deviation
)

// noiseJudge judges the statistics at the error probability of each test.
type noiseJudge struct {
	noiseStatistics
	alpha float64 // of each test
	tests []noiseTest
	shown noiseTest // first refuting test, or the scale
}

// Judge returns the verdict at the alpha of the settings. Each test has alpha divided by the number of tests.
func (f noiseStatistics) Judge(s verify.Settings) (verify.Evidence, error) {
	j := noiseJudge{f, s.Alpha / noiseTests, f.tests(), f.scale()}
	e := verify.Evidence{Verdict: verify.Inconclusive, Samples: int64(f.values())}
	e.Method = fmt.Sprintf("%d tests of %s of noise at %s, each with error probability %.2g; the values have %d "+
		"significant "+
		"bits", noiseTests, verify.Plural(int(f.values()), "value"), verify.Plural(f.Coordinates, "coordinate"), j.alpha,
		f.Bits)
	if i := slices.IndexFunc(j.tests, j.refutes); i >= 0 {
		j.shown, e.Verdict = j.tests[i], verify.Refuted
	} else if j.enough(f.Steps) && j.seesRepeats(f.Coordinates) {
		e.Verdict = verify.Consistent
	}
	e.Quantity, e.Sense = j.shown.quantity, verify.AtMost
	cell := verify.Cell{Label: "all logged noise", Claimed: verify.Num(j.shown.claimed),
		Measured: verify.Num(j.shown.measured),
		Samples:  int64(f.values())}
	if e.Verdict == verify.Refuted {
		cell.Label = j.shown.finding
	}
	switch j.shown.name {
	case f.overTime().name:
		e.Sense = verify.Equals
	case f.scale().name:
		e.Sense = verify.Equals
		cell.Lower, cell.Upper = f.interval(j.alpha)
	case f.extreme().name:
		cell.Claimed = verify.Number{}
	case f.shape().name:
		cell.Lower = verify.Num(math.Max(0, f.Distance.Excess-band(f.values(), j.alpha)))
	}
	e.Cells = []verify.Cell{cell}
	e.CopyWorst(cell)
	if e.Verdict == verify.Consistent {
		e.Power = j.power()
		e.Detects = verify.Detects{Effect: j.scaleSeen(f.Steps), Relative: true, Probability: verify.TargetPower}
	}
	e.LookAgain(noiseLook{j, cell})
	return e, nil
}

// refutes reports whether a test refutes the premise.
func (j noiseJudge) refutes(t noiseTest) bool { return t.p <= j.alpha }

// interval returns the confidence interval of the standard deviation divided by the claimed one.
func (f noiseStatistics) interval(alpha float64) (lower, upper verify.Number) {
	n := f.values()
	shift := f.Absolute * math.Sqrt(n)
	root := math.Sqrt(f.Squares)
	low, high := mathext.GammaIncRegInv(n/2, alpha/2), mathext.GammaIncRegCompInv(n/2, alpha/2)
	if !(low > 0 && high >= low) {
		return lower, upper
	}
	return verify.Num(math.Max(0, root-shift) / (1 + f.Relative) / math.Sqrt(2*high)),
		verify.Num((root + shift) / (1 - f.Relative) / math.Sqrt(2*low))
}

// band returns the half width of the uniform band of n values.
func band(n, alpha float64) float64 { return math.Sqrt(math.Log(2/alpha) / (2 * n)) }

// scaleSeen returns a relative reduction of the standard deviation that the scale test detects with the target power.
// It uses the tail bounds of χ² of Laurent & Massart (2000).
func (j noiseJudge) scaleSeen(steps int) float64 {
	n := float64(steps) * float64(j.Coordinates)
	x, miss := math.Log(2/j.alpha), math.Log(1/(1-verify.TargetPower))
	low := math.Sqrt(math.Max(0, n-2*math.Sqrt(n*x)))
	high := math.Sqrt(n + 2*math.Sqrt(n*miss) + 2*miss)
	return 1 - math.Max(0, low*(1-j.Relative)-2*j.Absolute*math.Sqrt(n))/(high*(1+j.Relative))
}

// shapeSeen returns a Kolmogorov distance that the test of the distribution detects with the target power. Rounding
// moves a distribution function by at most r max xφ(x) + a φ(0), in both directions.
func (j noiseJudge) shapeSeen(steps int) float64 {
	n := float64(steps) * float64(j.Coordinates)
	rounding := 2 * (0.25*j.Relative/(1-j.Relative) + 0.4*j.Absolute)
	return math.Min(1, band(n, j.alpha)+band(n, 1-verify.TargetPower)+rounding+generatorError)
}

// correlationSeen returns a correlation that is detected with about the target power, if the given number of sums is
// tested and each has the given number of products, by the central limit theorem: for the correlation ρ of normal
// values, a product has mean ρ, variance 1 + ρ² and mean square 1 + 2ρ². It returns 1 if there is none below 1.
func (j noiseJudge) correlationSeen(products, sums float64) float64 {
	critical, reserve := normalQuantile(j.alpha/sums/6.36), normalQuantile(1-verify.TargetPower)
	for c := 0.01; c < 1; c += 0.01 {
		if c*math.Sqrt(products) >= critical*math.Sqrt(1+2*c*c)+reserve*math.Sqrt(1+c*c) {
			return c
		}
	}
	return 1
}

// normalQuantile returns x with P(N(0,1) > x) = alpha.
func normalQuantile(alpha float64) float64 { return -mathext.NormalQuantile(alpha) }

// acrossSeen and stepsSeen return the detected correlation between two coordinates and between successive steps.
func (j noiseJudge) acrossSeen(steps int) float64 {
	return j.correlationSeen(float64(steps), j.coordinatePairs())
}

func (j noiseJudge) stepsSeen(steps int) float64 {
	return j.correlationSeen(float64(steps-1), float64(j.Coordinates))
}

// alongSeen returns the mean along the sum that is detected with the target power, if the fraction of steps with a sum
// that is not 0 is that of the log. It is +Inf if there are none.
func (j noiseJudge) alongSeen(steps int) float64 {
	critical := math.Sqrt(2 * math.Log(2/j.alpha))
	mean := (critical*(1+j.Relative)+normalQuantile(1-verify.TargetPower))/math.Sqrt(float64(steps)) +
		2*j.Absolute*math.Sqrt(float64(j.Coordinates))
	return mean * float64(j.Steps) / float64(j.Sums)
}

// enough reports whether a log of some steps suffices to detect the alternatives.
func (j noiseJudge) enough(steps int) bool {
	return j.scaleSeen(steps) <= scaleEffect && j.shapeSeen(steps) <= shapeEffect &&
		j.acrossSeen(steps) <= correlationEffect && j.stepsSeen(steps) <= correlationEffect &&
		j.alongSeen(steps) <= alongEffect && j.windowSeen(steps, smallNoise) > 0
}

// seesRepeats reports whether equal noise in two steps refutes the premise if it is logged at some coordinates. There
// must be two coordinates, because the tests of correlation need them.
func (j noiseJudge) seesRepeats(coordinates int) bool {
	f := j.noiseStatistics
	f.Coordinates = coordinates
	return coordinates > 1 && f.expectedRepeats(float64(f.Steps)) <= j.alpha
}

// power states the alternatives that would have been detected.
func (j noiseJudge) power() string {
	n, coordinates := j.Steps, "coordinates"
	if j.Coordinates > maxCorrelated {
		coordinates = fmt.Sprintf("of the first %d coordinates", maxCorrelated)
	}
	return fmt.Sprintf("with probability at least %v, the tests would have detected: a standard deviation that is "+
		"%.2g %% below the claimed one, a Kolmogorov distance of %.2g, a mean of %.2g · σC along a sum of "+
		"contributions; and with "+
		"about this probability a correlation of %.2g between two %s or of %.2g between successive steps. A tenth of "+
		"the noise would have been detected with probability at least %v from %s on, and no noise from %s on. Equal noise "+
		"in two steps would have been detected", verify.TargetPower, 100*j.scaleSeen(n), j.shapeSeen(n),
		j.alongSeen(n),
		j.acrossSeen(n), coordinates, j.stepsSeen(n), verify.TargetPower,
		successive(j.windowSeen(n, smallNoise)), successive(j.windowSeen(n, 0)))
}

// successive returns a number of successive steps as text.
func successive(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d successive steps", n)
}

// noiseLook describes the attempts to refute the premise.
type noiseLook struct {
	noiseJudge
	cell verify.Cell
}

func (l noiseLook) Tried() verify.Tried {
	return verify.Tried{Cases: noiseTests, Case: "test", Nearest: l.cell}
}

// smallest returns the test with the smallest p-value.
func (l noiseLook) smallest() noiseTest {
	return slices.MinFunc(l.tests, func(a, b noiseTest) int { return cmp.Compare(a.p, b.p) })
}

func (l noiseLook) Attempt() string {
	t := l.smallest()
	return fmt.Sprintf("%d tests; smallest p-value: %s, p = %.2g", noiseTests, t.name, t.p)
}

func (l noiseLook) Counterexample() verify.Counterexample {
	var names []string
	for _, t := range l.tests {
		if l.refutes(t) {
			names = append(names, fmt.Sprintf("%s (p = %.2g)", t.name, t.p))
		}
	}
	return verify.Counterexample{Cell: l.cell, Choice: fmt.Sprintf("the first of %s out of %d that refute the "+
		"premise: %s",
		verify.Plural(len(names), "test"), noiseTests, strings.Join(names, ", "))}
}

func (l noiseLook) Needed() string {
	if !l.seesRepeats(l.Coordinates) {
		for k := l.Coordinates + 1; k <= maxCoordinates; k++ {
			if l.seesRepeats(k) {
				return fmt.Sprintf("at least %d logged coordinates, to detect equal noise in two steps; this log has %d", k,
					l.Coordinates)
			}
		}
		if l.Absolute >= maxAbsolute {
			return "noise on a finer grid: values on a coarse grid are often equal, and do not show equal noise in two steps"
		}
		return "noise with more significant bits: no number of coordinates detects equal noise in two steps"
	}
	if l.Sums == 0 {
		return "contributions that are not 0 at the logged coordinates, to detect noise that depends on the data"
	}
	n := verify.SmallestSize(int64(l.Steps), func(n int64) bool { return l.enough(int(n)) })
	if n == 0 {
		return fmt.Sprintf("noise with more significant bits: rounding hides deviations in any number of steps of %d bits",
			l.Bits)
	}
	return fmt.Sprintf("a log of about %d steps, to detect a standard deviation of %.2g times the claimed one and "+
		"correlations of %.2g; this log has %d", verify.RoundedSize(n), 1-scaleEffect, correlationEffect, l.Steps)
}
