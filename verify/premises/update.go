package premises

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// update returns the premise that each released value is the sum of the step's clipped contributions plus the step's
// noise, divided by the divisor. It is computed at the logged coordinates. The residual
//
//	released · divisor − sum − noise
//
// may differ from 0 by rounding: by the tolerance times the sum of the absolute values of contributions and noise, and
// by the grid of the logged numbers. The tolerance is at least 1e-5 and at least four roundings of the coarser of
// released values and noise. For numbers of fewer than 32 bits it includes the rounding of a sum in float32. The check
// is inconclusive if this hides a residual of half the noise's standard deviation, or all sums. It is also
// inconclusive if only the rounding of the logged contributions, or of all values to few decimals, explains a residual.
func update(l *Log, t Training) Premise {
	return Premise{"update", "each released value is the clipped sum of its step plus the noise of its step, divided " +
		"by the divisor", updateStatistics(l, t).check()}
}

func updateStatistics(l *Log, t Training) computed {
	r := newResiduals(l, t)
	f := computed{Quantity: "released · divisor − sum − noise", Sense: verify.Equals, Tolerance: r.tolerance}
	coarse, coarsestStep := 0.0, 0
	visible, norm, rounded := false, 0.0, ""
	for i, s := range l.Steps {
		residual, usual := r.at(i)
		if a := slices.Max(usual); a > coarse {
			coarse, coarsestStep = a, i
		}
		allowed := r.rounded(i, usual)
		norm = math.Max(norm, s.Norm)
		for j, v := range residual {
			visible = visible || math.Abs(s.Sum[j]) > usual[j]
			if rounded == "" && math.Abs(v) > usual[j] {
				rounded = fmt.Sprintf("a log with less rounding: at step %d, coordinate %d, rounding may explain the "+
					"residual %.3g",
					i+1, j+1, v)
			}
		}
		worst := 0
		for j := range residual {
			if !(math.Abs(residual[j])/allowed[j] <= math.Abs(residual[worst])/allowed[worst]) {
				worst = j
			}
		}
		excess := math.Abs(residual[worst]) / allowed[worst]
		f.see(residual[worst], excess, func() string { return fmt.Sprintf("step %d, coordinate %d", i+1, worst+1) })
		if !(excess <= 1) {
			r.explain(i, residual, allowed)
		}
	}
	f.Cause = r.cause(f.Broken)
	switch deviation := t.NoiseMultiplier * t.ClippingNorm; {
	case rounded != "":
		f.Needed = rounded
	case norm > 0 && !visible:
		f.Needed = "other coordinates, or a log with less rounding: no sum of contributions exceeds the rounding at the " +
			"logged coordinates"
	case coarse > deviation/2:
		f.Needed = fmt.Sprintf("a log with less rounding, for example of released values and noise in float32: in step %d "+
			"rounding allows residuals of %.3g, more than half the noise's standard deviation %.3g", coarsestStep+1, coarse,
			deviation)
	}
	return f
}

// residuals computes the residuals of a log and counts the faults that explain them.
type residuals struct {
	log       *Log
	tolerance float64
	grid      float64   // rounding of a released value and of noise to a decimal or binary grid, in units of the sum
	coarse    float64   // rounding to a grid that is coarser than usual, or of the contributions
	relative  float64   // relative rounding of the contributions
	least     float64   // constant part of the allowed residual
	sums      []float64 // sums over the first summed steps
	sumsError []float64 // their rounding errors
	summed    int
	along     int // steps whose residual has about the direction of the sum
	matches   map[string]int
	order     []string // causes in the order of their first match
}

// newResiduals sets the tolerance. A sum of B contributions in float32 has an error of the order √B · 2⁻²⁴ times the
// sum of their absolute values (Higham & Mary 2019). The check allows four times this error.
func newResiduals(l *Log, t Training) *residuals {
	released := observedRounding(l.Steps, func(s Step) []float64 { return s.Released })
	noise := observedRounding(l.Steps, func(s Step) []float64 { return s.Noise })
	r := &residuals{log: l, least: verify.DefaultRelativeError * t.ClippingNorm, matches: make(map[string]int),
		sums: make([]float64, l.Coordinates), sumsError: make([]float64, l.Coordinates)}
	both, largest := released.with(noise), 0
	for _, s := range l.Steps {
		largest = max(largest, len(s.Batch))
	}
	r.tolerance = math.Max(t.Tolerance, both.relative())
	if both.bits < 32 {
		r.tolerance = math.Max(t.Tolerance, both.relative()+math.Ldexp(4*math.Sqrt(float64(largest)), -24))
	}
	contributions := contributionRounding(l.Steps)
	r.relative = contributions.relative()
	r.coarse = released.grid*t.Divisor + noise.grid + math.Max(noise.grid, contributions.grid)*float64(largest)
	r.grid = math.Min(r.coarse, 0.01*t.NoiseMultiplier*t.ClippingNorm)
	return r
}

// rounded returns the residuals of step i that any rounding of the log explains. The usual ones are those of at.
func (r *residuals) rounded(i int, usual []float64) (allowed []float64) {
	for j, a := range usual {
		allowed = append(allowed, a+r.coarse+r.relative*r.log.Steps[i].Size[j])
	}
	return allowed
}

// at returns the residuals of step i, counted from 0, and the amounts that rounding explains.
func (r *residuals) at(i int) (residual, allowed []float64) {
	s := r.log.Steps[i]
	for j, v := range s.Released {
		residual = append(residual, v*s.Divisor-s.Sum[j]-s.Noise[j])
		allowed = append(allowed, r.tolerance*(s.Size[j]+math.Abs(s.Noise[j]))+r.grid+r.least)
	}
	return residual, allowed
}

// fault is a known fault with the residual that it causes.
type fault struct {
	cause    string
	residual func(j int) float64
	error    func(j int) float64 // rounding error of the residual
}

// explain counts the faults that explain the residuals of step i. Steps are passed in increasing order, but only those
// that violate the premise.
func (r *residuals) explain(i int, residual, allowed []float64) {
	s := r.log.Steps[i]
	none := func(int) float64 { return 0 }
	drawn := s.Divisor/float64(max(1, len(s.Batch))) - 1
	list := []fault{
		{"the noise is added twice", func(j int) float64 { return s.Noise[j] }, none},
		{"the noise is not added", func(j int) float64 { return -s.Noise[j] }, none},
		{"the sum is not added", func(j int) float64 { return -s.Sum[j] }, none},
		{"the value is divided by the number of records drawn, not by the logged divisor",
			func(j int) float64 { return drawn * (s.Sum[j] + s.Noise[j]) }, none},
	}
	if i > 0 {
		before := r.log.Steps[i-1]
		_, rounded := r.at(i - 1)
		previous := func(j int) float64 { return rounded[j] }
		r.upTo(i)
		list = append(list,
			fault{"the sum of the step before is kept and added again", func(j int) float64 { return before.Sum[j] },
				previous},
			fault{"the noise of the step before is added again", func(j int) float64 { return before.Noise[j] }, previous},
			fault{"the noisy sum of the step before is kept and added again",
				func(j int) float64 { return before.Released[j] * before.Divisor }, previous},
			fault{"the sum of the step before replaces the sum of the step",
				func(j int) float64 { return before.Sum[j] - s.Sum[j] }, previous},
			fault{"the sums of all earlier steps are kept and added again", func(j int) float64 { return r.sums[j] },
				func(j int) float64 { return r.sumsError[j] }})
	}
	if ratio, ok := multiple(residual, s.Sum); ok {
		list = append(list, fault{"the sum is multiplied by another factor in each step, as if the sum of the batch were " +
			"clipped, not each contribution", func(j int) float64 { return ratio * s.Sum[j] }, none})
	}
	noisy := make([]float64, len(residual))
	for j := range noisy {
		noisy[j] = s.Sum[j] + s.Noise[j]
	}
	if ratio, ok := multiple(residual, noisy); ok {
		list = append(list, fault{"the noisy sum is multiplied by another factor, as if it were divided by another number",
			func(j int) float64 { return ratio * noisy[j] }, none})
	}
	if aligned(residual, s.Sum) {
		r.along++
	}
	for _, f := range list {
		if f.explains(residual, allowed, r.tolerance) {
			if r.matches[f.cause] == 0 {
				r.order = append(r.order, f.cause)
			}
			r.matches[f.cause]++
		}
	}
}

// explains reports whether the residual of the fault equals the residuals up to rounding.
func (f fault) explains(residual, allowed []float64, tolerance float64) bool {
	for j, v := range residual {
		want := f.residual(j)
		if !(math.Abs(v-want) <= 2*(allowed[j]+f.error(j)+tolerance*math.Abs(want))) {
			return false
		}
	}
	return true
}

// upTo extends the sums to the steps before step i.
func (r *residuals) upTo(i int) {
	for ; r.summed < i; r.summed++ {
		_, allowed := r.at(r.summed)
		for j, v := range r.log.Steps[r.summed].Sum {
			r.sums[j] += v
			r.sumsError[j] += allowed[j]
		}
	}
}

// multiple returns the ratio of residuals to values that fits best by least squares. One coordinate fits any ratio, so
// there must be two.
func multiple(residual, values []float64) (ratio float64, ok bool) {
	product, square := 0.0, 0.0
	for j, v := range values {
		product += residual[j] * v
		square += v * v
	}
	return product / square, len(values) > 1 && square > 0
}

// aligned reports whether the cosine of the angle between residuals and sum is at least 0.9 or at most −0.9. There
// must be three coordinates: in fewer, an angle is often small.
func aligned(residual, sum []float64) bool {
	return len(sum) > 2 && math.Abs(dot(residual, sum)) >= 0.9*norm(residual)*norm(sum)
}

// cause returns the fault that explains the largest number of violating steps, if it explains at least half of them.
// Otherwise it returns that residuals have the direction of the sum, if at least 90 % have it, or "".
func (r *residuals) cause(broken int) string {
	best := ""
	for _, c := range r.order {
		if r.matches[c] > r.matches[best] {
			best = c
		}
	}
	n := r.matches[best]
	switch {
	case 2*n < broken && 10*r.along >= 9*broken:
		return "the residual has the direction of the sum, as if contributions were clipped after they are summed, or " +
			"not at all"
	case best == "" || 2*n < broken:
		return ""
	case n < broken:
		return fmt.Sprintf("%s, in %d of %d steps that violate the premise", best, n, broken)
	}
	return best
}
