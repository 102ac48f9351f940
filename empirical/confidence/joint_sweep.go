package confidence

import "math"

// jointBox is a confidence set of (p, q): four one-sided limits.
type jointBox struct{ pLow, pHigh, qLow, qHigh float64 }

// newJointBox misses (p, q) with probability at most gamma.
func newJointBox(x, n1, y, n2 int64, gamma float64) jointBox {
	limits := func(k, n int64) (low, high float64) {
		low, _ = binomialLimit(float64(k), float64(n), gamma/4)
		_, high = binomialLimit(float64(n-k), float64(n), gamma/4)
		return low, high
	}
	var b jointBox
	b.pLow, b.pHigh = limits(x, n1)
	b.qLow, b.qHigh = limits(y, n2)
	return b
}

// span is the stretch of the boundary inside the box. The mass grows in p and
// falls in q, so that its supremum over the null hypothesis within the box is
// taken there, or, where the boundary passes above the box, at its corner. It
// is empty (low > high) where the boundary passes below.
func (b jointBox) span(line boundary) (low, high float64, corner bool) {
	low = math.Max(b.qLow, (b.pLow-line.delta)/line.t)
	high = math.Min(b.qHigh, (b.pHigh-line.delta)/line.t)
	return low, high, (b.pHigh-line.delta)/line.t < b.qLow
}

// Steps of the sweep in units of 1/√I, half an interval each: the bound of an
// interval exceeds the mass at its centre by a factor of about e^{step²/2}.
const (
	coarseStep = 0.16
	fineStep   = 0.08
	hugeStep   = 2.0
)

// jointPiece bounds the mass on a piece of the boundary, as a function of the
// line; the slope is that in p at q.
type jointPiece struct {
	bound func(boundary) (mass, slope float64)
	q     float64
}

// sweep shows that the mass is at most target everywhere on the null hypothesis
// within the box. Where it cannot, it asks ease, which returns an easier line
// (with p no larger at any q) or a larger target, or gives up with ok false.
// What was shown before remains true of an easier problem, so that one pass is
// enough.
func (g *jointRegion) sweep(box jointBox, line boundary, target float64,
	ease func(jointPiece) (line boundary, target float64, ok bool)) bool {
	step := coarseStep
	at := math.Inf(-1) // everything up to here is shown
	for range 1_000_000 {
		low, high, corner := box.span(line)
		at = math.Max(at, low)
		if !corner && (at > high || at == high && at > low) {
			return true
		}
		end := at
		switch {
		case corner:
			end = box.qLow
		case at > 0:
			p, pc := line.p(at)
			info := g.n1*line.t*line.t/(p*pc) + g.n2/(at*(1-at))
			end = math.Min(high, at+2*step/math.Sqrt(info))
		default: // step away from the point where both laws vanish
			end = high
			for bound, _ := g.over(line, 0, end); bound > target && end > 1e-12*high; bound, _ = g.over(line, 0, end) {
				end /= 2
			}
		}
		piece := jointPiece{q: end, bound: func(line boundary) (float64, float64) {
			if end > at && !corner {
				return g.over(line, at, end)
			}
			p, pc := line.p(end) // a single point
			if p > box.pHigh {
				p, pc = box.pHigh, 1-box.pHigh
			}
			return g.mass(point{p, pc, end, 1 - end})
		}}
		bound, _ := piece.bound(line)
		switch {
		case bound <= target && corner:
			return true
		case bound <= target:
			at = math.Max(end, math.Nextafter(at, 2))
			if bound < target/2 {
				step = math.Min(step*2, hugeStep)
			}
		case step > fineStep && !corner && at > 0:
			step = math.Max(step/2, fineStep)
		default:
			var ok bool
			if line, target, ok = ease(piece); !ok {
				return false
			}
		}
	}
	return false
}

// probe finds the largest mass at a few points of the boundary within the box:
// where a sweep had better begin, not a bound. part is its place in the span.
func (g *jointRegion) probe(box jointBox, line boundary) (mass, part float64) {
	const points = 12
	low, high, corner := box.span(line)
	if corner {
		return 0, 0
	}
	for i := 0.0; i <= points; i++ {
		if m, _ := g.mass(line.on(low + (high-low)*i/points)); m > mass {
			mass, part = m, i/points
		}
	}
	return mass, part
}
