package witness

import (
	"math"

	"github.com/dpverify/dpverify/empirical/witness/internal/smooth"
)

// Standard errors that are subtracted from the search's estimates for the winner's curse: the
// best of many candidates is overestimated. Any values are sound, for no certificate rests on
// these estimates.
const (
	countErrors = 2   // of the counts of an event by itself
	knownErrors = 0.7 // of those of a known score, which was not chosen among many
	trendErrors = 1   // of what the trend of the whole score expects
	trendExcess = 2   // by which counts may be better than the trend expects
)

// tailSearch looks for the threshold of one score in one direction.
type tailSearch struct {
	Search
	values  []valued // from the outermost score inwards; a is to be likelier than b
	na, nb  float64  // rows of either sample
	below   bool     // the scores rise
	smooth  bool
	swapped bool // a and b have changed places
	trend   *smooth.Trend
}

// swap exchanges the samples.
func (t *tailSearch) swap() {
	for i, v := range t.values {
		t.values[i].a, t.values[i].b = v.b, v.a
	}
	t.na, t.nb = t.nb, t.na
	t.swapped = !t.swapped
}

// sides are the samples of a and of b that certify, of those of the first and the second input.
func (t *tailSearch) sides(n [2]int64) [2]float64 {
	if t.swapped {
		return [2]float64{float64(n[1]), float64(n[0])}
	}
	return [2]float64{float64(n[0]), float64(n[1])}
}

// best tries thresholds on a geometric grid of tail sizes: the best for each number of
// samples, or nil.
func (t *tailSearch) best() []*Witness {
	best := make([]*Witness, len(t.Samples))
	tail := t.fitTail()
	var c tailCount
	upto, shares := t.trend.Upto, t.trend.Shares(t.na, t.nb)
	if t.swapped {
		shares = t.trend.Shares(t.nb, t.na)
	}
	ring := 0
	if !t.below {
		ring = len(upto) - 1
	}
	for i, next := 0, 0.0; i < len(t.values); {
		at := t.values[i].v
		for t.below && ring < len(upto)-1 && upto[ring] < at {
			ring++
		}
		for !t.below && ring > 0 && upto[ring-1] >= at {
			ring--
		}
		share := shares[ring]
		if t.swapped {
			share = 1 - share
		}
		var ties tailCount
		for ; i < len(t.values) && t.values[i].v == at; i++ {
			ties.add(t.values[i], share)
		}
		if all := c.x + c.y + ties.x + ties.y; all >= next {
			next = 1.05 * all
			deviation := t.trend.FromHigh[ring]
			if t.below {
				deviation = t.trend.FromLow[ring]
			}
			for _, share := range tieShares(ties) {
				some := c.plus(ties, share)
				for k, n := range t.Samples {
					got := t.estimate(some, deviation, tail.beyond(at), t.sides(n))
					if got.value > math.Inf(-1) && (best[k] == nil || got.value > best[k].Value) {
						best[k] = &Witness{threshold: at, tie: share, P: got.p, Q: got.q, SeenP: got.seenP, SeenQ: got.seenQ,
							Value: got.value, rows: some.x + some.y}
					}
				}
			}
		}
		c = c.plus(ties, 1)
	}
	return best
}

// tailCount is what lies beyond a threshold: the rows of either sample, and what the
// trend expects of them.
type tailCount struct{ x, y, modelX, modelY float64 }

func (c *tailCount) add(v valued, p float64) {
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

// standardErrors are how many are subtracted from the counts of an event.
func (t *tailSearch) standardErrors() float64 {
	if t.Score != nil {
		return knownErrors
	}
	return countErrors * t.correction()
}

// correction is the part of the standard errors that is subtracted in this search.
func (t *tailSearch) correction() float64 {
	if t.HalfCorrection {
		return 0.5
	}
	return 1
}

// estimate of an event, corrected for the winner's curse: the value at the counts less many
// standard errors, and no better than the trend allows for; or, where it is more, what the
// trend expects less a few. deviation is that of the trend's log ratio; most
// bounds the share of b by the tail's fit, and n samples of a and of b certify.
func (t *tailSearch) estimate(c tailCount, deviation, most float64, n [2]float64) estimate {
	best := t.at(c.x, c.y, t.standardErrors(), most, n)
	best.seenP, best.seenQ = c.x/t.na, c.y/t.nb
	trend := t.expected(c, -trendErrors*t.correction()*deviation, 1, n)
	if trend.value > best.value { // whatever bounds the counts
		return trend
	}
	// Thirty rows of a and none of b are no coincidence, and the trend is poor at zeros.
	if c.y > 0 || c.x < 30 {
		if bound := t.expected(c, trendExcess*deviation, most, n); bound.value < best.value {
			best = bound
		}
	}
	if trend.value > best.value {
		best = trend
	}
	return best
}

// expected is the estimate from the trend's counts, their log ratio moved by shift.
func (t *tailSearch) expected(c tailCount, shift, most float64, n [2]float64) estimate {
	half := math.Exp(shift / 2)
	out := t.at(math.Min(t.na, c.modelX*half), math.Min(t.nb, c.modelY/half), 0, most, n)
	out.seenP, out.seenQ = math.Min(1, c.modelX/t.na), math.Min(1, c.modelY/t.nb)
	return out
}

// estimate is one of an event's masses, corrected for the winner's curse, and what
// certification would find at them; seenP and seenQ are the masses without the correction.
type estimate struct{ p, q, value, seenP, seenQ float64 }

func (t *tailSearch) at(x, y, errors, most float64, n [2]float64) estimate {
	p := (x - errors*math.Sqrt(math.Max(0, x*(1-x/t.na)))) / t.na
	q := math.Min(1, (y+errors*math.Sqrt(math.Max(0, y*(1-y/t.nb))+1))/t.nb)
	if y < 5 && x >= 30 {
		q = math.Min(q, most)
	}
	if !(p > 0) {
		return estimate{value: math.Inf(-1)}
	}
	p = math.Min(1, p)
	return estimate{p: p, q: q, value: t.Certified(p*n[0], n[0], q*n[1], n[1])}
}

// exponentialTail estimates the share of b beyond a score, where hardly any was
// seen: a guide for the search, never part of a certificate.
type exponentialTail struct{ start, scale, share, sign float64 }

// fitTail fits the mean excess of the outermost scores of b, where they are as many
// values: places and counts have no tail to extrapolate.
func (t *tailSearch) fitTail() exponentialTail {
	const tail = 50
	out := exponentialTail{sign: 1}
	if t.below {
		out.sign = -1
	}
	if !t.smooth || t.nb < 4*tail {
		return exponentialTail{}
	}
	var n, sum, distinct float64
	for _, v := range t.values {
		if v.b == 0 {
			continue
		}
		if distinct == 0 || v.v != out.start {
			distinct++
		}
		n, sum, out.start = n+v.b, sum+v.b*v.v, v.v
		if n > tail {
			break
		}
	}
	if distinct < tail/2 {
		return exponentialTail{}
	}
	out.scale = out.sign * (sum/n - out.start) * (1 + countErrors/math.Sqrt(tail))
	out.share = n / t.nb * (1 + countErrors/math.Sqrt(tail))
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
