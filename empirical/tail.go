package empirical

import "math"

// How many standard errors the counts of the search are moved to the wrong side
// before they are trusted: the best of many is lucky. Any values are sound; these
// did best over the mechanisms of the benchmark together.
const (
	farCaution   = 2   // for an event by itself
	nearCaution  = 0.7 // where a model of the whole score agrees
	slopeCaution = 1   // for the slope of that model
)

// tailSearch looks for the threshold of one score in one direction.
type tailSearch struct {
	Search
	values  []valued // from the outermost score inwards; a is to be likelier than b
	na, nb  float64  // rows of either sample
	below   bool     // the scores rise
	smooth  bool
	swapped bool // a and b have changed places
	model   calibration
}

// swap exchanges the samples.
func (t *tailSearch) swap() {
	for i, v := range t.values {
		t.values[i].a, t.values[i].b = v.b, v.a
	}
	t.na, t.nb = t.nb, t.na
	t.swapped = !t.swapped
}

// best tries thresholds on a geometric grid of tail sizes.
func (t *tailSearch) best() *Witness {
	var best *Witness
	tail := t.fitTail()
	var c tailCount
	for i, next := 0, 0.0; i < len(t.values); {
		at := t.values[i].v
		var ties tailCount
		odds := t.model.odds(at, slopeCaution)
		if t.swapped {
			odds = 1 / odds
		}
		for ; i < len(t.values) && t.values[i].v == at; i++ {
			ties.add(t.values[i], odds*t.na/t.nb)
		}
		if all := c.x + c.y + ties.x + ties.y; all >= next {
			next = 1.05 * all
			for _, share := range tieShares(ties) {
				some := c.plus(ties, share)
				got := t.promise(some, tail.beyond(at))
				if best == nil || got.value > best.Value {
					best = &Witness{threshold: at, tie: share, P: got.p, Q: got.q, SeenP: some.x / t.na, SeenQ: some.y / t.nb, Value: got.value, rows: some.x + some.y}
				}
			}
		}
		c = c.plus(ties, 1)
	}
	if best != nil && math.IsInf(best.Value, -1) {
		return nil
	}
	return best
}

// tailCount is what lies beyond a threshold: the rows of either sample, and what the
// calibrated model expects of them.
type tailCount struct{ x, y, modelX, modelY float64 }

func (c *tailCount) add(v valued, odds float64) {
	p := odds / (1 + odds)
	if math.IsInf(odds, 1) {
		p = 1
	}
	c.x, c.y = c.x+v.a, c.y+v.b
	c.modelX, c.modelY = c.modelX+(v.a+v.b)*p, c.modelY+(v.a+v.b)*(1-p)
}

func (c tailCount) plus(d tailCount, share float64) tailCount {
	return tailCount{c.x + share*d.x, c.y + share*d.y, c.modelX + share*d.modelX, c.modelY + share*d.modelY}
}

// tieShares are the parts of the rows at a threshold that are tried.
func tieShares(ties tailCount) []float64 {
	if ties.x+ties.y <= 1 {
		return []float64{1}
	}
	return []float64{1, 0.5}
}

// caution is less for a known score: it was not chosen among many.
func (t *tailSearch) caution() float64 {
	if t.Score != nil {
		return nearCaution
	}
	return farCaution
}

// promise is what to expect of an event: the value at the counts, moved far to the
// wrong side; or, where a model of the whole score agrees, at the counts moved a
// little or by the model, whichever is less. most bounds the share of b by the
// tail's fit.
func (t *tailSearch) promise(c tailCount, most float64) promise {
	best := t.at(c.x, c.y, t.caution(), most)
	if t.model.slope != 0 {
		near, model := t.at(c.x, c.y, nearCaution, most), t.at(c.modelX, c.modelY, 0, most)
		if model.value < near.value {
			near = model
		}
		if near.value > best.value {
			best = near
		}
	}
	return best
}

// promise is a cautious estimate of an event's masses, and what certification
// would find at them.
type promise struct{ p, q, value float64 }

func (t *tailSearch) at(x, y, caution, most float64) promise {
	p := (x - caution*math.Sqrt(math.Max(0, x*(1-x/t.na)))) / t.na
	q := math.Min(1, (y+caution*math.Sqrt(math.Max(0, y*(1-y/t.nb))+1))/t.nb)
	if y < 5 && x >= 30 {
		q = math.Min(q, most)
	}
	if !(p > 0) {
		return promise{value: math.Inf(-1)}
	}
	p = math.Min(1, p)
	n := float64(t.Samples)
	return promise{p, q, t.Certified(p*n, q*n, n)}
}

// exponentialTail estimates the share of b beyond a score, where hardly any was
// seen: a guide for the search, never part of a certificate.
type exponentialTail struct{ start, scale, share, sign float64 }

// fitTail fits the mean excess of the outermost scores of b.
func (t *tailSearch) fitTail() exponentialTail {
	const tail = 50
	out := exponentialTail{sign: 1}
	if t.below {
		out.sign = -1
	}
	if !t.smooth || t.nb < 4*tail {
		return exponentialTail{}
	}
	var n, sum float64
	for _, v := range t.values {
		if v.b == 0 {
			continue
		}
		n, sum, out.start = n+v.b, sum+v.b*v.v, v.v
		if n > tail {
			break
		}
	}
	out.scale = out.sign * (sum/n - out.start) * (1 + farCaution/math.Sqrt(tail))
	out.share = n / t.nb * (1 + farCaution/math.Sqrt(tail))
	return out
}

// beyond is the share of b estimated beyond v; 1 where the fit has nothing to say.
func (e exponentialTail) beyond(v float64) float64 {
	distance := e.sign * (v - e.start)
	if !(e.scale > 0) || !(distance > 0) || math.IsInf(distance, 1) {
		return 1
	}
	return e.share * math.Exp(-distance/e.scale)
}
