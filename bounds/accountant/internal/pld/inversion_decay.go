package pld

import "math"

// decay is a bound of a transform: |φ(t)| ≤ rest + slope/t for t > 0.
type decay struct{ slope, rest float64 }

func (d decay) beyond(t float64) float64 { return math.Min(1, d.rest+d.slope/t) }

// decay returns a bound of the transform by integration by parts between two outputs. Outside them, the tilted
// distribution has a share of at most 2·rest. Let p be its density, whose integral is at least e^log, and r = p/|L′|.
// Then
//
//	|∫ p e^{itL} dy| ≤ (r(lo) + r(hi) + ∫ |r′| dy)/t
//
// and |r′| = r|f| with f = (log r)′. In a cell of width h with |f′| ≤ K, |f| is at most its value at the center plus
// Kh/2. r is at most its value at the center times the exponential of this bound times h/2.
func (s Sampled) decay(theta, log, lo, hi, rest float64) decay {
	none := decay{rest: 1}
	if s.Blur > 0 { // such rare losses belong to a distribution that is nearly constant
		return none
	}
	const fine = 0.15
	k := s.bent(theta)
	cells := math.Ceil((hi - lo) * math.Sqrt(k) / fine)
	if !(cells < mostNodes/16) {
		return none
	}
	h := (hi - lo) / cells
	variation := 0.0
	for i := 0.5; i < cells; i++ {
		y := lo + i*h
		l, _, units, _ := s.at(theta, y)
		slope, f := s.slopes(theta, y)
		steep := math.Abs(f) + k*h/2
		inCell := math.Exp(l-log+units*unit+steep*h/2) / (slope * sqrt2Pi)
		variation += inCell * steep * h
		if i < 1 || i > cells-1 {
			variation += inCell
		}
	}
	if variation *= 1 + 1e-9; !(variation < math.Inf(1)) {
		return none
	}
	return decay{slope: variation, rest: 2 * rest}
}

// slopes returns |L′| at output y and the derivative f of log r, where r is the tilted density divided by |L′|. With
// the share w of qe^x in g at y, and v at −y, (log g)′ = μw and w′ = μw(1 − w).
func (s Sampled) slopes(theta, y float64) (slope, f float64) {
	w, v := s.share(y), s.share(-y)
	switch {
	case s.Opposed:
		slope = s.Mu * (w + v)
		f = s.Mu*((1+theta)*w+theta*v-(w*(1-w)-v*(1-v))/(w+v)) - y
	case s.Reversed:
		slope, f = s.Mu*w, -s.Mu*(theta*w+1-w)-y
	default:
		slope, f = s.Mu*w, s.Mu*((1+theta)*w-(1-w))-y
	}
	return slope, f
}

// bent returns a bound of |f′|. Shares have a slope of at most μ/4. L″/L′ is at most μ in absolute value. Its
// derivative is L‴/L′ − (L″/L′)², and L‴/L′ is a mean of μ²(1−w)(1−2w) ∈ [−μ²/8, μ²].
func (s Sampled) bent(theta float64) float64 {
	return 1 + s.Mu*s.Mu*((1+2*theta)/4+1.25)
}
