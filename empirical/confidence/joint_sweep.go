package confidence

import "math"

// jointBox is a confidence set for (p, q) from four one-sided limits.
type jointBox struct{ pLow, pHigh, qLow, qHigh float64 }

// newJointBox returns a box that misses (p, q) with probability at most gamma.
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

// span returns the range of q for which the boundary is inside the box. The probability of the region increases in
// p and decreases in q. Its supremum over the null hypothesis within the box is therefore attained on the boundary,
// or at the corner of the box if the boundary is above the box. The range is empty (low > high) if the boundary is
// below the box.
func (b jointBox) span(line boundary) (low, high float64, corner bool) {
	low = math.Max(b.qLow, (b.pLow-line.delta)/line.t)
	high = math.Min(b.qHigh, (b.pHigh-line.delta)/line.t)
	return low, high, (b.pHigh-line.delta)/line.t < b.qLow
}

// The steps of the sweep are half intervals in units of 1/√I. The bound over an interval exceeds the probability at
// its center by a factor of about e^{step²/2}.
const (
	coarseStep = 0.16
	fineStep   = 0.08
	hugeStep   = 2.0
)

// jointPiece bounds the probability on a piece of the boundary as a function of the line. slope is the derivative
// in p at q.
type jointPiece struct {
	bound func(boundary) (mass, slope float64)
	q     float64
}

// sweep reports whether the probability is at most target everywhere on the null hypothesis within the box. If a
// piece exceeds the target, sweep calls ease. ease returns an easier line (with p no larger at any q) or a larger
// target, or gives up with ok false. Pieces that were already bounded remain bounded for an easier problem, so one
// pass is enough.
func (g *jointRegion) sweep(box jointBox, line boundary, target float64,
	ease func(jointPiece) (line boundary, target float64, ok bool)) bool {
	step := coarseStep
	position := math.Inf(-1) // all q up to here are bounded
	for range 1_000_000 {
		low, high, corner := box.span(line)
		position = math.Max(position, low)
		if !corner && (position > high || position == high && position > low) {
			return true
		}
		end := position
		switch {
		case corner:
			end = box.qLow
		case position > 0:
			p, pc := line.p(position)
			info := g.n1*line.t*line.t/(p*pc) + g.n2/(position*(1-position))
			end = math.Min(high, position+2*step/math.Sqrt(info))
		default: // step away from the point at which both probabilities vanish
			end = high
			for bound, _ := g.over(line, 0, end); bound > target && end > 1e-12*high; bound, _ = g.over(line, 0, end) {
				end /= 2
			}
		}
		piece := jointPiece{q: end, bound: func(line boundary) (float64, float64) {
			if end > position && !corner {
				return g.over(line, position, end)
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
			position = math.Max(end, math.Nextafter(position, 2))
			if bound < target/2 {
				step = math.Min(step*2, hugeStep)
			}
		case step > fineStep && !corner && position > 0:
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

// probe returns the largest probability at a few points of the boundary within the box, and the relative position
// of this point in the span. It is a starting value for the sweep, not a bound.
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
