package confidence

import "math"

// Joint certification of p ≤ min(1, e^ε q + δ) from two independent counts
// X ~ Bin(n₁, p) and Y ~ Bin(n₂, q).
//
// The limits are Buehler's (1957): outcomes are put in one fixed order, by how
// large an approximate (likelihood-ratio) limit they give, and the limit of the
// observed outcome is the value below which every null hypothesis gives the
// outcomes that rank at least as high a probability of at most alpha. As the
// order does not depend on the value tested, that probability rises with it:
// there is no dip through which a nonsense value could be certified, and no
// outcome with x/n₁ ≤ e^ε y/n₂ + δ ranks as evidence against ε.
//
// The nuisance q is confined to a confidence set whose error gamma ≪ alpha is
// added (Berger & Boos 1994). The supremum over it is bounded between grid
// points as well as on them (jointRegion.tilted).

const (
	// gammaShare is the part of alpha spent on confining the nuisance.
	gammaShare = 1e-3
	// leastAlpha keeps the parts of alpha above the smallest float64.
	leastAlpha = 1e-300
	// jointSumLimit is the sample size beyond which sums are replaced by the
	// divergence bound.
	jointSumLimit = 4_000_000_000
	// spare is the part of the error given up for a coarse sweep, as a log.
	spare = 0.02
)

// EpsilonLower returns the largest ε that the counts prove at the given δ, where an event
// happened in x of n1 independent samples under one input and in y of n2 under its neighbour:
// with probability at least 1 − alpha, log((p−δ)/q) is not below it, p and q being the event's
// probabilities. It is Buehler's (1957) limit with the nuisance parameter q confined as by
// Berger & Boos (1994), and Chernoff's bound beyond 4e9 samples. It may be negative, and is
// −Inf where nothing is proved (x = 0, or p ≤ δ not excluded) and for arguments outside their
// domain (0 ≤ x ≤ n1, 0 ≤ y ≤ n2, n ≥ 1, 0 ≤ delta < 1, 1e-300 ≤ alpha < 1). It is finite at y
// = 0.
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

// DeltaLower returns the largest δ that the counts prove at the given ε, counts and method as
// for EpsilonLower: with probability at least 1 − alpha, p − e^ε q is not below it, or it is
// 0, which every δ is not below. Arguments outside their domain (as EpsilonLower, eps finite)
// give 0.
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

// deltaFamily are the null hypotheses of one slope.
func deltaFamily(t float64) jointFamily {
	return jointFamily{
		line:   func(delta float64) boundary { return boundary{t, delta} },
		weight: func(boundary, float64) float64 { return 1 },
	}
}

func validCounts(x, n1, y, n2 int64) bool {
	return n1 >= 1 && n2 >= 1 && 0 <= x && x <= n1 && 0 <= y && y <= n2
}

// jointFamily is a family of null hypotheses that grows with a value v.
type jointFamily struct {
	line func(v float64) boundary
	// weight is dp/dv at fixed q. It sets the first step of solve alone, which keeps a bracket and
	// returns no value whose mass it has not seen.
	weight func(line boundary, q float64) float64
	floor  float64 // the value that needs no proof
}

// certifyJoint returns the Buehler limit of the observed counts, where order is
// their rank, an approximate limit, and q the point where it is taken.
func certifyJoint(x, n1, y, n2 int64, alpha, order, q float64, family jointFamily) float64 {
	gamma := gammaShare * alpha
	target := alpha - gamma
	box := newJointBox(x, n1, y, n2, gamma)
	line := family.line(order)
	low, high, _ := box.span(line)
	region := newJointRegion(float64(n1), float64(n2), line, orderHalf(alpha),
		math.Max(box.qLow, math.Min(low, high)), box.qHigh, 12-math.Log(alpha))
	if !region.holds(x, y) { // rounding won over the order: prove nothing
		return family.floor
	}

	// Start from what the likeliest point of the boundary allows and what a few
	// others do, then lower the value wherever the sweep finds one that allows less.
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

// solve finds a value v near from at which the mass is at most goal and hardly
// less, the floor if it finds none: secants on the log of the mass, of which the
// first uses the slope in p at fixed q, within a bracket.
func (f jointFamily) solve(from, goal float64, mass func(boundary) (mass, slope, q float64)) float64 {
	const farthest = 700.0 // exp stays finite
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

// orderTolerance keeps the rank of an outcome consistent with the thresholds of
// its region to well below countSlack.
const orderTolerance = 1e-13

// leastHalf keeps the order defined at alpha ≥ 1/2.
const leastHalf = 1e-6

// orderHalf is half the squared normal quantile of alpha: the half deviance by
// which the approximate limits are found.
func orderHalf(alpha float64) float64 {
	z := NormalUpperQuantile(alpha)
	return math.Max(leastHalf, z*z/2)
}

// interior keeps x away from n₁, where the touching point would leave the
// relation; a smaller x proves less.
func (c countPair) interior() countPair {
	c.x = math.Max(0, math.Min(c.x, c.n1-0.5))
	return c
}

// gammaTwoQuantile is h with (1 + h) e^{−h} = alpha. By Chernoff, n₁ kl(x/n₁, p)
// where x/n₁ > p, else 0, exceeds u with probability at most e^{−u}; so does n₂
// kl(y/n₂, q) where y/n₂ < q; the sum of two independent such is at most a
// Gamma(2). At the true (p, q) it exceeds h with probability at most alpha, and
// a null hypothesis that contains (p, q) has a smaller infimum.
func gammaTwoQuantile(alpha float64) float64 {
	h := -math.Log(alpha) + 1
	for range 100 {
		h = math.Log1p(h) - math.Log(alpha)
	}
	return h * (1 + 1e-12)
}
