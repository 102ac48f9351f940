package distinguisher

import (
	"iter"
	"math"
)

// exponentialTail estimates the share of a sample beyond a score that few rows exceed. It guides the search and is
// never part of a certificate. The zero value returns 1.
type exponentialTail struct{ start, scale, share, sign float64 }

// fitTail fits the mean excess of the outermost scores of a sample with the given number of rows. It requires
// nearly as many distinct values as rows, because positions and counts have no tail to extrapolate. outwards yields
// the scores with their counts, outermost first. The given number of standard errors is added to scale and share.
func fitTail(rows, errors float64, below bool, outwards iter.Seq2[float64, float64]) (out exponentialTail) {
	const tail = 50
	if rows < 4*tail {
		return out
	}
	out.sign = 1
	if below {
		out.sign = -1
	}
	var n, sum, distinct float64
	for v, b := range outwards {
		if distinct == 0 || v != out.start {
			distinct++
		}
		n, sum, out.start = n+b, sum+b*v, v
		if n > tail {
			break
		}
	}
	if distinct < tail/2 {
		return exponentialTail{}
	}
	out.scale = out.sign * (sum/n - out.start) * (1 + errors/math.Sqrt(tail))
	out.share = n / rows * (1 + errors/math.Sqrt(tail))
	return out
}

// Beyond returns the estimated share beyond v, or 1 without an estimate.
func (e exponentialTail) Beyond(v float64) float64 {
	distance := e.sign * (v - e.start)
	if !(e.scale > 0) || !(distance > 0) || math.IsInf(distance, 1) {
		return 1
	}
	return e.share * math.Exp(-distance/e.scale)
}

// newTrend fits the trend of a score to ascending values, grouped into rings of width ringWidth; equal values share
// a ring. na and nb are the numbers of rows in the samples.
func newTrend(values []valued, na, nb float64) *trend {
	total := rowsOf(values)
	var full float64
	begin := func(from float64) { full = total / (1 + math.Exp(-logit(from, total)-ringWidth)) }
	begin(0)
	return fitTrend(ringsOf(values, na, nb, func(rows, passed float64) bool {
		if rows < minRingRows || total-passed < minRingRows || passed < full {
			return false
		}
		begin(passed)
		return true
	}))
}

func rowsOf(values []valued) (total float64) {
	for _, v := range values {
		total += v.a + v.b
	}
	return total
}

// ringsOf groups ascending values into rings and returns the largest value of each. A ring ends when enough reports
// true for its number of rows and the number of rows so far. Equal values are in one ring.
func ringsOf(values []valued, na, nb float64, enough func(rows, passed float64) bool) (rings []ring,
	upto []float64) {
	total := rowsOf(values)
	var passed, from, a, b float64
	for i, v := range values {
		a, b, passed = a+v.a, b+v.b, passed+v.a+v.b
		if i+1 < len(values) && (values[i+1].v == v.v || !enough(a+b, passed)) {
			continue
		}
		x, y := a+0.5, b+0.5
		rings = append(rings, ring{Rows: a + b, Ratio: math.Log(x / y * nb / na), Variance: 1/x + 1/y,
			Place: logit((from+passed)/2, total)})
		upto = append(upto, v.v)
		from, a, b = passed, 0, 0
	}
	return rings, upto
}
