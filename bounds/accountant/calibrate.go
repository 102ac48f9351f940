package accountant

import (
	"errors"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
	"github.com/dpverify/dpverify/internal/tolerance"
)

// Calibrate returns the noise at which build(noise) reaches epsilon at delta according to one method (see Methods). The
// ε of build(noise) must decrease as the noise grows, as it does for the σ of a Gaussian or the scale of a Laplace
// mechanism. The domain is epsilon > 0 and 0 ≤ delta < 1.
//
// At noise Upper, the method certifies ε ≤ epsilon. At noise Lower, it certifies ε > epsilon; Lower is 0 if the method
// has no lower bounds. The search covers noise from 1e-4 to 1e7 and returns an error that wraps event.ErrDomain if the
// answer is outside.
func Calibrate(build func(noise float64) event.Event, adj event.Adjacency, epsilon, delta float64,
	name string) (Bracket, error) {
	if err := validTarget(epsilon, delta); err != nil {
		return Bracket{}, err
	}
	if !slices.Contains(Methods(), name) {
		return Bracket{}, event.DomainError("unknown method %q", name)
	}
	return calibrate(build, epsilonGoal(adj, epsilon, delta, name))
}

func validTarget(epsilon, delta float64) error {
	if !(epsilon > 0 && !math.IsInf(epsilon, 1)) || !(delta >= 0 && delta < 1) {
		return event.DomainError("calibration to ε = %v, δ = %v: need ε > 0 finite, 0 ≤ δ < 1", epsilon, delta)
	}
	return nil
}

// calibrate is Calibrate for any goal.
func calibrate(build func(noise float64) event.Event, g goal) (Bracket, error) {
	c := calibration{build: build, goal: g}
	search := c.search
	if g.method == "pld" || g.method == "best" {
		search = c.estimated
	}
	answer, err := search()
	if c.breach != nil {
		return Bracket{}, c.breach
	}
	if err != nil {
		return Bracket{}, err
	}
	answer, err = sealed(g.method, answer, math.Inf(1))
	return answer, breachOf(err, build(answer.Upper))
}

// calibration holds the arguments of one call to calibrate. It searches over the logarithm of the noise, in which the
// number of the goal is smooth.
type calibration struct {
	build   func(noise float64) event.Event
	goal    goal
	failure error // error of the last evaluation
	breach  error
}

// gaps returns the gaps of the lower and the upper end. If the evaluation fails, for example because the
// noise is far too small, it returns −Inf and +Inf, which prove nothing.
func (c *calibration) gaps(noise float64, w Precision) (lower, upper float64) {
	return c.gapsBy(c.goal.ask, noise, w)
}

func (c *calibration) gapsBy(ask asker, noise float64, w Precision) (lower, upper float64) {
	r, err := ask(c.build(noise), w)
	if errors.Is(err, ErrBreach) {
		c.breach = err
	}
	if c.failure = err; err != nil {
		return math.Inf(-1), math.Inf(1)
	}
	return c.goal.gap(r.Lower), c.goal.gap(r.Upper)
}

// logRatio returns log(x/y), accurately if x is close to y.
func logRatio(x, y float64) float64 {
	if d := (x - y) / y; math.Abs(d) < 0.5 {
		return math.Log1p(d)
	}
	return math.Log(x / y)
}

// search solves for both ends to full precision. It is meant for cheap methods.
func (c *calibration) search() (Bracket, error) {
	const tolerance = 1e-12
	above := func(noise float64) float64 { _, upper := c.gaps(noise, Precision{}); return upper }
	upper := func(logNoise float64) float64 { return above(math.Exp(logNoise)) }
	lower := func(logNoise float64) float64 { lower, _ := c.gaps(math.Exp(logNoise), Precision{}); return lower }
	lo, hi, err := c.around(upper, 0, 1)
	if err != nil {
		return Bracket{}, err
	}
	noise := fewDigits(math.Exp(numeric.FallingRootTo(upper, lo, hi, tolerance)),
		func(x float64) bool { return above(x) <= 0 })
	minNoise := 0.0
	if lower(lo-0.1) > 0 {
		// Move into the final root interval, so that the lower end of ε is still above the target.
		root := numeric.FallingRootTo(lower, lo-0.1, math.Log(noise), tolerance)
		minNoise = math.Exp(root) * (1 - 2*tolerance*(1+math.Abs(root)))
		if !(lower(math.Log(minNoise)) > 0) {
			minNoise = 0
		}
	}
	return calibrated(minNoise, noise), nil
}

func calibrated(lower, upper float64) Bracket {
	if lower == 0 {
		return Bracket{0, upper, upper}
	}
	return Bracket{lower, (lower + 2*upper) / 3, upper}
}

// around returns an interval that contains the root of a decreasing gap. It starts at from and walks in steps of at
// most 1.
func (c *calibration) around(gap func(logNoise float64) float64, from, step float64) (lo, hi float64, err error) {
	lo, hi = from, from
	for stride := step; !(gap(hi) <= 0); hi, stride = hi+stride, math.Min(1, 2*stride) {
		if c.breach != nil {
			return lo, hi, c.breach
		}
		if lo = hi; hi > math.Log(1e7) {
			if c.failure != nil {
				return lo, hi, c.failure
			}
			return lo, hi, event.DomainError("no noise up to 1e7 reaches %s by %s", c.goal.is("=", c.goal.limit), c.goal.method)
		}
	}
	for stride := step; lo == hi || gap(lo) <= 0; lo, stride = lo-stride, math.Min(1, 2*stride) {
		if hi = lo; lo < math.Log(1e-4) {
			return lo, hi, event.DomainError("noise 1e-4 already reaches %s", c.goal.is("=", c.goal.limit))
		}
	}
	return lo, hi, nil
}

// rootTo returns the root of a decreasing gap between two points, to an absolute tolerance.
func rootTo(gap func(float64) float64, lo, hi, tolerance float64) float64 {
	// The tolerance of FallingRootTo is relative to the argument, or absolute if that is below 1. The shift puts
	// arguments near 1.
	return lo - 1 + numeric.FallingRootTo(func(x float64) float64 { return gap(lo - 1 + x) }, 1, 1+hi-lo, tolerance)
}

// estimated solves for both ends of an expensive method. A cheap bound or a rough bracket provides a first estimate,
// so that only a few narrow brackets are needed.
func (c *calibration) estimated() (Bracket, error) {
	roughly := Precision{Width: c.goal.rough}
	near, fall, err := c.guess(c.goal.cheap, Precision{})
	if err != nil {
		near, fall, err = c.guess(c.goal.ask, roughly)
	}
	if err != nil {
		return Bracket{}, err
	}
	rough := func(noise float64) float64 {
		lower, upper := c.gaps(noise, roughly)
		return math.Max(upper-0.05, (lower+upper)/2)
	}
	if noise, slope, ok := edge(rough, near, fall, true, 3e-3); ok {
		near, fall = math.Log(noise), slope
	}
	ends := map[float64][2]float64{}
	end := func(i int) func(noise float64) float64 {
		return func(noise float64) float64 {
			if _, ok := ends[noise]; !ok {
				lower, upper := c.gaps(noise, Precision{})
				ends[noise] = [2]float64{lower, upper}
			}
			return ends[noise][i]
		}
	}
	noise, fall, ok := edge(end(1), near, fall, true, edgeTolerance)
	if !ok {
		upper := func(logNoise float64) float64 { return end(1)(math.Exp(logNoise)) }
		lo, hi, err := c.around(upper, near, 0.1)
		if err != nil {
			return Bracket{}, err
		}
		noise = fewDigits(math.Exp(rootTo(upper, lo, hi, edgeTolerance)), func(x float64) bool { return end(1)(x) <= 0 })
	}
	minNoise, _, _ := edge(end(0), math.Log(noise), fall, false, edgeTolerance)
	return calibrated(minNoise, noise), nil
}

// guess returns an approximate root of the upper end and the slope there.
func (c *calibration) guess(ask asker, w Precision) (logNoise, fall float64, err error) {
	upper := func(logNoise float64) float64 {
		_, upper := c.gapsBy(ask, math.Exp(logNoise), w)
		return upper
	}
	lo, hi, err := c.around(upper, 0, 1)
	if err != nil {
		return 0, 0, err
	}
	logNoise = rootTo(upper, lo, hi, 0.01)
	const apart = 0.05
	fall = (upper(logNoise-apart) - upper(logNoise+apart)) / (2 * apart)
	return logNoise, math.Max(0.1, math.Min(100, fall)), nil
}

// edgeTolerance is the distance from an edge to the root in the logarithm of the noise. It is small compared with
// brackets of relative width 1e-3.
const edgeTolerance = 1e-5

// edge returns a noise value with ten digits next to the root of a decreasing gap. If upper is true the gap there is at
// most 0; otherwise it is positive. logNoise and fall are estimates of the root and of the slope in the logarithm of
// the noise. slope is the last measured slope. ok is false if no value was found.
func edge(gap func(noise float64) float64, logNoise, fall float64, upper bool,
	width float64) (noise, slope float64, ok bool) {
	x, lo, hi := logNoise, math.Inf(-1), math.Inf(1)
	aside := width / 3
	if !upper {
		aside = -aside
	}
	before, was := math.NaN(), 0.0
	for range 12 {
		rounded := tolerance.Settled(math.Exp(x), 10)
		x = math.Log(rounded)
		v := gap(rounded)
		if v <= 0 {
			hi = math.Min(hi, x)
		} else {
			lo = math.Max(lo, x)
		}
		if secant := (was - v) / (x - before); secant > fall/4 && secant < 4*fall {
			fall = secant
		}
		before, was = x, v
		if v <= 0 == upper {
			noise, ok = rounded, true
			if math.Abs(v) <= width*fall || hi-lo <= width {
				break
			}
		}
		if x += math.Max(-0.3, math.Min(0.3, v/fall+aside)); !(x > lo && x < hi) {
			x = (lo + hi) / 2
		}
	}
	return noise, fall, ok
}

// fewDigits returns a noise value with ten digits, at or just above x, that satisfies enough, or x if there is none.
// Results print in full, and the last digits of a root differ between machines.
func fewDigits(x float64, enough func(noise float64) bool) float64 {
	const digits = 10
	near := tolerance.Settled(x, digits)
	if near > 0 && enough(near) {
		return near
	}
	// Half a unit in the last digit is between 5e-11 and 5e-10 of x.
	for _, up := range []float64{1e-10, 1e-9} {
		if next := tolerance.Settled(x*(1+up), digits); next > x && enough(next) {
			return next
		}
	}
	return x
}
