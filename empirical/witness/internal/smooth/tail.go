package smooth

import (
	"iter"
	"math"
)

// ExponentialTail estimates the share of a sample beyond a score, where hardly any was seen: a guide for a search,
// never part of a certificate. The zero value has nothing to say.
type ExponentialTail struct{ start, scale, share, sign float64 }

// FitTail fits the mean excess of the outermost scores of a sample of so many rows, where they are as many values:
// places and counts have no tail to extrapolate. outwards are the scores with their rows, from the outermost one
// inwards, from below or from above; so many standard errors are added to scale and share.
func FitTail(rows, errors float64, below bool, outwards iter.Seq2[float64, float64]) (out ExponentialTail) {
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
		return ExponentialTail{}
	}
	out.scale = out.sign * (sum/n - out.start) * (1 + errors/math.Sqrt(tail))
	out.share = n / rows * (1 + errors/math.Sqrt(tail))
	return out
}

// Beyond is the share estimated beyond v; 1 where the fit has nothing to say.
func (e ExponentialTail) Beyond(v float64) float64 {
	distance := e.sign * (v - e.start)
	if !(e.scale > 0) || !(distance > 0) || math.IsInf(distance, 1) {
		return 1
	}
	return e.share * math.Exp(-distance/e.scale)
}
