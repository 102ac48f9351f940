package allocation

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dpverify/dpverify/bounds/internal/logmath"
)

// tailLog is the logarithm of the probability under either law that tails may have: far below any δ.
const tailLog = -60

// reachOf returns the point z beyond which both laws N(0, 1) and N(±shift, 1) have tails of at most e^tailLog.
func reachOf(shift float64) float64 { return shift + logmath.TailPoint(tailLog) }

// rule is the Gauss–Legendre rule of 8 points on (0, 1).
var rule = func() (r struct{ x, w [8]float64 }) {
	quad.Legendre{}.FixedLocations(r.x[:], r.w[:], 0, 1)
	return r
}()

// panels calls visit with the nodes of (from, to), as distances from its lower end, and their weights.
//
// The 16th derivative of φ(z) is at most (|z|+2.5)¹⁶φ(z), by E(z + iY)¹⁶, and e^{sz}φ(z) is a shifted φ. So with
// panels of width w, w(|z| + s + 2.5) ≤ 1, the rule is off by 1.7e-23·e of the integrand's largest value times w.
func panels(from, to, shift float64, visit func(distance, weight float64)) {
	width := to - from
	n := math.Ceil(width * (math.Max(math.Abs(from), math.Abs(to)) + shift + 2.5))
	for i := range int(n) {
		for j, x := range rule.x {
			visit(width*(float64(i)+x)/n, width*rule.w[j]/n)
		}
	}
}

// stepError bounds the relative error of masses of cells: exponents of up to reach² are rounded.
func stepError(reach, shift float64) float64 {
	r := reach + 2*shift
	return unit * (128 + 4*r*r)
}

// density is the standard normal density.
func density(z float64) float64 { return math.Exp(-z*z/2 - logmath.LogSqrt2Pi) }

// stepAbove spreads R = exp(sz − s²/2), z standard normal, along chords between so many points, and returns the
// mean of what it cuts off at the top.
func stepAbove(shift float64, cells int) (a *above, infinite float64) {
	reach := reachOf(shift)
	edge := func(i int) float64 { return reach * (2*float64(i)/float64(cells) - 1) }
	a = &above{
		x: make([]float64, cells+2), q: make([]float64, cells+2), steps: 1, reach: reach,
		// The edges are exact, the points next to them rounded.
		jitter: 8 * unit * (1 + shift*reach + shift*shift), eta: stepError(reach, shift),
	}
	for i := range cells + 1 {
		a.x[i+1] = math.Exp(shift*edge(i) - shift*shift/2)
	}
	for i := range cells {
		from, to := edge(i), edge(i+1)
		whole := math.Expm1(shift * (to - from))
		panels(from, to, shift, func(d, w float64) {
			w *= density(from + d)
			a.q[i+2] += w * math.Expm1(shift*d) / whole
			a.q[i+1] += w * math.Exp(shift*d) * math.Expm1(shift*(to-from-d)) / whole
		})
	}
	const slack = 1 + 1e-9
	// Below: the chord from 0, at most all of the mass at 0 and all of the mean at the first point. Above: 0.
	a.q[0] = 2 * math.Exp(logmath.LogPhi(-reach)) * slack
	a.q[1] += math.Exp(logmath.LogPhi(-reach-shift)) / a.x[1] * slack
	return a, math.Exp(logmath.LogPhi(shift-reach)) * slack
}

// stepOpposed spreads D = R(z) − γR(−z) along chords between so many points, and returns the mean of what it cuts
// off. Its points are not below those of D.
func stepOpposed(shift, gamma float64, cells int) (a *above, infinite float64) {
	reach := reachOf(shift)
	edge := func(i int) float64 { return reach * (2*float64(i)/float64(cells) - 1) }
	ratio := func(z float64) float64 { return math.Exp(shift*z - shift*shift/2) }
	// rise is D(z + d) − D(z), d ≥ 0.
	rise := func(z, d float64) float64 {
		return ratio(z)*math.Expm1(shift*d) - gamma*ratio(-z)*math.Expm1(-shift*d)
	}
	a = &above{
		x: make([]float64, cells+1), q: make([]float64, cells+1), steps: 1, reach: reach, eta: stepError(reach, shift),
	}
	jitter := 16 * unit * (1 + shift*reach + shift*shift)
	for i := range a.x {
		up, down := ratio(edge(i)), gamma*ratio(-edge(i))
		a.x[i] = up - down + jitter*(up+down)
	}
	for i := range cells {
		from, to := edge(i), edge(i+1)
		whole := rise(from, to-from)
		panels(from, to, shift, func(d, w float64) {
			w *= density(from + d)
			a.q[i+1] += w * rise(from, d) / whole
			a.q[i] += w * rise(from+d, to-from-d) / whole
		})
	}
	const slack = 1 + 1e-9
	// Beyond the ends D is at most R, and 0 is moved up to the next point.
	var points []point
	for i, x := range a.x {
		z := edge(i)
		points = append(points, point{x, [3]float64{density(z), density(z - shift), density(z + shift)}})
	}
	a.regroup(points)
	zero, _ := slices.BinarySearch(a.x, 0)
	a.q[zero] += 2 * math.Exp(logmath.LogPhi(-reach)) * slack
	return a, 2 * math.Exp(logmath.LogPhi(shift-reach)) * slack
}
