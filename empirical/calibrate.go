package empirical

import "math"

// calibration is a logistic model of one score: the log odds of the first sample
// are intercept + slope·score. It ties the tail of a score to its bulk, where
// there are counts: a tail of ten rows says little by itself.
type calibration struct {
	intercept, slope, slopeError float64
	low, high                    float64 // scores beyond are clipped: a tail must not bend the line
}

// calibrate fits the model to sorted values, grouped to a few hundred.
func calibrate(values []valued, na, nb float64) calibration {
	groups := grouped(values, (na+nb)/256)
	c := calibration{low: groups[0].v, high: groups[len(groups)-1].v}
	var n, mean, m2 float64
	for _, g := range groups {
		n += g.a + g.b
		mean += g.v * (g.a + g.b)
	}
	mean /= n
	for _, g := range groups {
		m2 += (g.v - mean) * (g.v - mean) * (g.a + g.b)
	}
	if !(m2 > 0) || math.IsInf(m2, 1) {
		return calibration{}
	}
	unit := math.Sqrt(m2 / n)
	// Newton's method on the log likelihood, in units of the score's deviation.
	var alpha, beta float64
	var h00, h01, h11 float64
	for range 8 {
		var g0, g1 float64
		h00, h01, h11 = 1e-9, 0, 1 // a weak prior keeps a separated sample finite
		g1 = -beta
		for _, g := range groups {
			z := (g.v - mean) / unit
			w := g.a + g.b
			p := 1 / (1 + math.Exp(-alpha-beta*z))
			r, d := g.a-w*p, w*p*(1-p)
			g0, g1 = g0+r, g1+r*z
			h00, h01, h11 = h00+d, h01+d*z, h11+d*z*z
		}
		det := h00*h11 - h01*h01
		if !(det > 0) {
			return calibration{}
		}
		step := math.Max(-2, math.Min(2, (h00*g1-h01*g0)/det))
		alpha += math.Max(-2, math.Min(2, (h11*g0-h01*g1)/det))
		beta += step
		if math.Abs(step) < 1e-6 {
			break
		}
	}
	c.slope = beta / unit
	c.intercept = alpha - beta*mean/unit
	c.slopeError = math.Sqrt(h00/(h00*h11-h01*h01)) / unit
	return c
}

// grouped merges neighbouring values to groups of at least the given count, at
// the group's mean; infinite scores are left out.
func grouped(values []valued, least float64) []valued {
	out := []valued{{}}
	for _, v := range values {
		w := v.a + v.b
		if math.IsInf(v.v, 0) || w == 0 {
			continue
		}
		g := &out[len(out)-1]
		if g.a+g.b >= least {
			out = append(out, valued{})
			g = &out[len(out)-1]
		}
		g.v += (v.v - g.v) * w / (g.a + g.b + w)
		g.a, g.b = g.a+v.a, g.b+v.b
	}
	return out
}

// odds of the first sample at a score, by a slope moved towards zero.
func (c calibration) odds(v, caution float64) float64 {
	slope := math.Copysign(math.Max(0, math.Abs(c.slope)-caution*c.slopeError), c.slope)
	centre := 0.0
	if c.slope != 0 {
		centre = -c.intercept / c.slope // where the odds are even
	}
	return math.Exp(slope * (math.Max(c.low, math.Min(c.high, v)) - centre))
}
