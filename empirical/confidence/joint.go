package confidence

import "math"

// The functions below test the hypothesis p ≤ min(1, e^ε q + δ) jointly on two independent counts X ~ Bin(n₁, p)
// and Y ~ Bin(n₂, q), and invert the test in ε or δ.
//
// The limits are Buehler's (1957). Outcomes are ranked in one fixed order, by an approximate (likelihood-ratio)
// limit. The limit of the observed outcome is the value below which every null hypothesis gives a probability of at
// most alpha to the outcomes that rank at least as high. The order does not depend on the tested value, so this
// probability increases with the value. The set of rejected values is therefore an interval, and an outcome with
// x/n₁ ≤ e^ε y/n₂ + δ never ranks as evidence against ε.
//
// The nuisance parameter q is restricted to a confidence set, whose error gamma ≪ alpha is added (Berger & Boos
// 1994). The supremum over the set is bounded between grid points as well as on them (jointRegion.tilted).

const (
	// gammaShare is the share of alpha spent on the confidence set of the nuisance parameter.
	gammaShare = 1e-3
	// leastAlpha is the smallest accepted alpha. It keeps all shares of alpha representable as float64.
	leastAlpha = 1e-300
	// jointSumLimit is the sample size above which Chernoff's bound replaces the sums.
	jointSumLimit = 4_000_000_000
	// spare is the fraction of the error probability that the starting value leaves unused, so that a coarse sweep can
	// confirm it.
	spare = 0.02
)

// EpsilonLower returns the largest ε that the counts prove at the given δ. An event occurred in x of n1 independent
// samples for one input and in y of n2 samples for its neighbor. With probability at least 1 − alpha the result is
// at most log((p−δ)/q), in which p and q are the probabilities of the event.
//
// The method is Buehler's (1957) limit with the nuisance parameter q restricted as by Berger & Boos (1994), and
// Chernoff's bound above 4e9 samples. The result may be negative, and it is finite at y = 0. It is −Inf if nothing
// is proved (x = 0, or p ≤ δ is not excluded) or an argument is outside its domain: 0 ≤ x ≤ n1, 0 ≤ y ≤ n2, n1 and
// n2 ≥ 1, 0 ≤ delta < 1, 1e-300 ≤ alpha < 1.
func EpsilonLower(x, n1, y, n2 int64, delta, alpha float64) float64 {
	none := math.Inf(-1)
	if !validCounts(x, n1, y, n2) || !(delta >= 0 && delta < 1) || !(alpha >= leastAlpha && alpha < 1) {
		return none
	}
	observed := countPair{float64(x), float64(n1), float64(y), float64(n2)}
	if max(n1, n2) > jointSumLimit {
		eps, _ := observed.interior().leastRatio(delta, gammaTwoQuantile(alpha), orderTolerance)
		return eps
	}
	eps, q := observed.shifted().leastRatio(delta, orderHalf(alpha), orderTolerance)
	if math.IsInf(eps, -1) {
		return none
	}
	return certifyJoint(x, n1, y, n2, alpha, eps, q, jointFamily{
		line:   func(eps float64) boundary { return boundary{math.Exp(eps), delta} },
		weight: func(line boundary, q float64) float64 { return line.t * q },
		floor:  none,
	})
}

// DeltaLower returns the largest δ that the counts prove at the given ε, with the counts and the method of
// EpsilonLower. With probability at least 1 − alpha the result is at most max(0, p − e^ε q). The result is 0 if
// nothing is proved or an argument is outside its domain (as for EpsilonLower, and eps must be finite).
func DeltaLower(x, n1, y, n2 int64, eps, alpha float64) float64 {
	t := math.Exp(eps)
	if !validCounts(x, n1, y, n2) || !(t > 0 && t <= math.MaxFloat64) || !(alpha >= leastAlpha && alpha < 1) {
		return 0
	}
	observed := countPair{float64(x), float64(n1), float64(y), float64(n2)}
	if max(n1, n2) > jointSumLimit {
		delta, _ := observed.interior().leastExcess(t, gammaTwoQuantile(alpha))
		return delta
	}
	delta, q := observed.shifted().leastExcess(t, orderHalf(alpha))
	if delta == 0 {
		return 0
	}
	return certifyJoint(x, n1, y, n2, alpha, delta, q, deltaFamily(t))
}

// deltaFamily returns the null hypotheses with slope t, indexed by δ.
func deltaFamily(t float64) jointFamily {
	return jointFamily{
		line:   func(delta float64) boundary { return boundary{t, delta} },
		weight: func(boundary, float64) float64 { return 1 },
	}
}

func validCounts(x, n1, y, n2 int64) bool {
	return n1 >= 1 && n2 >= 1 && 0 <= x && x <= n1 && 0 <= y && y <= n2
}

// jointFamily is a family of null hypotheses indexed by a value v; a larger v gives a larger hypothesis.
type jointFamily struct {
	line func(v float64) boundary
	// weight returns dp/dv at fixed q. It only determines the first step of solve. solve maintains a bracket and
	// returns only values whose probability it has computed.
	weight func(line boundary, q float64) float64
	floor  float64 // value that needs no proof
}

// certifyJoint returns the Buehler limit of the observed counts. order is their rank, an approximate limit. q is
// the point at which this limit is attained.
func certifyJoint(x, n1, y, n2 int64, alpha, order, q float64, family jointFamily) float64 {
	gamma := gammaShare * alpha
	target := alpha - gamma
	box := newJointBox(x, n1, y, n2, gamma)
	line := family.line(order)
	low, high, _ := box.span(line)
	region := newJointRegion(float64(n1), float64(n2), line, orderHalf(alpha),
		math.Max(box.qLow, math.Min(low, high)), box.qHigh, 12-math.Log(alpha))
	if !region.holds(x, y) { // rounding changed the order: prove nothing
		return family.floor
	}

	// Start with the value that the most likely point and a few other points of the boundary permit. Then lower the
	// value whenever the sweep finds a point that requires it.
	observed := countPair{float64(x), float64(n1), float64(y), float64(n2)}.shifted()
	v := family.solve(order, target*(1-spare), func(line boundary) (mass, slope, q float64) {
		_, q = line.half(observed)
		mass, slope = region.mass(line.on(q))
		return mass, slope, q
	})
	for range 3 {
		mass, part := region.probe(box, family.line(v))
		if mass <= target*(1-spare/2) || v <= family.floor {
			break
		}
		v = family.solve(v, target*(1-spare), func(line boundary) (mass, slope, q float64) {
			low, high, _ := box.span(line)
			q = low + (high-low)*part
			mass, slope = region.mass(line.on(q))
			return mass, slope, q
		})
	}
	ok := region.sweep(box, family.line(v), target, func(piece jointPiece) (boundary, float64, bool) {
		v = family.solve(v, target, func(line boundary) (mass, slope, q float64) {
			mass, slope = piece.bound(line)
			return mass, slope, piece.q
		})
		return family.line(v), target, v > family.floor
	})
	if !ok || !(v > family.floor) {
		return family.floor
	}
	return v - 1e-12*math.Abs(v)
}

// solve returns a value v near from at which the probability is at most goal and only slightly less. It returns the
// floor if it finds none. It uses secants on the log of the probability within a bracket. The first step uses the
// slope in p at fixed q.
func (f jointFamily) solve(from, goal float64, mass func(boundary) (mass, slope, q float64)) float64 {
	const farthest = 700.0 // keeps exp finite
	low, high := math.Max(f.floor, -farthest), math.Inf(1)
	v, found := from, f.floor
	last, lastExcess := math.NaN(), math.NaN()
	for range 60 {
		line := f.line(v)
		m, slope, q := mass(line)
		if m <= goal {
			low, found = v, v
			if m >= goal*(1-spare/4) {
				break
			}
		} else {
			high = v
		}
		excess := math.Log(m / goal)
		rate := (excess - lastExcess) / (v - last)
		if !(rate > 0) {
			rate = slope * f.weight(line, q) / m
		}
		last, lastExcess = v, excess
		next := v - (excess+spare/8)/rate
		switch {
		case next > low && next < high && math.Abs(next-v) < 1:
		case math.IsInf(high, 1):
			next = v + 1
		case high-low > 2:
			next = high - 1
		default:
			next = low + (high-low)/2
		}
		if high-low <= 1e-9*(1+math.Abs(low)) || next > farthest {
			break
		}
		v = next
	}
	return found
}

// orderTolerance is the relative tolerance of an outcome's rank. It keeps ranks consistent with the thresholds of
// the region to within much less than countSlack.
const orderTolerance = 1e-13

// leastHalf is the minimal half deviance. It keeps the order defined at alpha ≥ 0.5.
const leastHalf = 1e-6

// orderHalf returns half the squared normal quantile of alpha, the half deviance that defines the approximate
// limits.
func orderHalf(alpha float64) float64 {
	z := NormalUpperQuantile(alpha)
	return math.Max(leastHalf, z*z/2)
}

// interior reduces x to at most n₁ − 0.5, because the touching point is undefined at x = n₁. A smaller x proves
// less, so the limits remain valid.
func (c countPair) interior() countPair {
	c.x = math.Max(0, math.Min(c.x, c.n1-0.5))
	return c
}

// gammaTwoQuantile returns h with (1 + h) e^{−h} = alpha. By Chernoff's bound, n₁ kl(x/n₁, p) for x/n₁ > p, else 0,
// exceeds u with probability at most e^{−u}. The same holds for n₂ kl(y/n₂, q) with y/n₂ < q. The sum of these two
// independent variables is stochastically at most Gamma(2). At the true (p, q) it exceeds h with probability at
// most alpha. For a null hypothesis that contains (p, q) the infimum is smaller.
func gammaTwoQuantile(alpha float64) float64 {
	h := -math.Log(alpha) + 1
	for range 100 {
		h = math.Log1p(h) - math.Log(alpha)
	}
	return h * (1 + 1e-12)
}
