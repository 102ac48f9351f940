package canary

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/verify"
)

// What an attacker reaches who holds the scores against a threshold. The intervals assume that scores are
// independent of one another, which those of one run need not be: no verdict rests on them.

// confidence of the intervals: of all points of the curve together, and of the area.
const confidence = 0.95

// rates at which the true-positive rate is told.
var rates = []float64{1e-3, 1e-2, 1e-1}

// point of the curve: its threshold is an order statistic of the scores of excluded canaries.
type point struct {
	fpr, fprLow, fprHigh float64
	tpr, tprLow, tprHigh float64
}

// mostPoints of a curve.
const mostPoints = 40

// sides are the scores of the included and of the excluded, sorted.
func (s *Scores) sides() (in, out []float64) {
	for i, x := range s.values {
		if s.included[i] {
			in = append(in, x)
		} else {
			out = append(out, x)
		}
	}
	slices.Sort(in)
	slices.Sort(out)
	return in, out
}

// points of the curve, from the smallest rate up. The false-positive rate at the i-th largest of n excluded
// scores has the law Beta(i, n − i + 1), or is below it where scores are tied; given the threshold the true
// positives are binomial. Limits of both at all points hold together with probability confidence.
func points(in, out []float64) []point {
	n, n1 := len(out), len(in)
	var ranks []int
	for i := range mostPoints {
		ranks = append(ranks, int(math.Ceil(math.Pow(float64(n), float64(i)/(mostPoints-1)))))
	}
	ranks = slices.Compact(ranks)
	alpha := (1 - confidence) / float64(4*len(ranks))
	var list []point
	for _, i := range ranks {
		i = min(i, n)
		threshold := out[n-i]
		k := int64(n - lowerBound(out, threshold)) // with the ties
		hits := int64(n1 - lowerBound(in, threshold))
		p := point{fpr: float64(k) / float64(n), tpr: float64(hits) / float64(n1), fprHigh: 1, tprHigh: 1}
		p.fprLow, _ = limits.BinomialLower(int64(i), int64(n), alpha)
		p.tprLow, _ = limits.BinomialLower(hits, int64(n1), alpha)
		if k <= int64(n) {
			p.fprHigh, _ = limits.BinomialUpper(min(k, int64(n)), int64(n), alpha)
		}
		p.tprHigh, _ = limits.BinomialUpper(hits, int64(n1), alpha)
		list = append(list, p)
	}
	return list
}

// lowerBound is the number of sorted values below x.
func lowerBound(sorted []float64, x float64) int {
	i, _ := slices.BinarySearch(sorted, x)
	return i
}

// at is the true-positive rate at a false-positive rate: of the largest threshold there, and within the
// limits of the curve.
func at(list []point, in, out []float64, rate float64) (tpr, low, high float64) {
	n := len(out)
	if k := int(rate * float64(n)); k < n {
		above := lowerBound(in, math.Nextafter(out[n-1-k], math.Inf(1)))
		tpr = float64(len(in)-above) / float64(len(in))
	}
	high = 1
	for _, p := range list {
		if p.fprHigh <= rate {
			low = max(low, p.tprLow)
		}
		if p.fprLow >= rate {
			high = min(high, p.tprHigh)
		}
	}
	return tpr, min(low, tpr), max(high, tpr)
}

// Reached are the figures of attacks, with what their intervals assume in front of each name.
func (s *Scores) Reached(assumed string) (cells []verify.Cell) {
	in, out := s.sides()
	list := points(in, out)
	add := func(at string, x, low, high float64) {
		cells = append(cells, verify.Cell{At: assumed + at, Measured: verify.Num(x), Lower: verify.Num(low),
			Upper: verify.Num(high), Samples: int64(len(s.values))})
	}
	for _, rate := range rates {
		tpr, low, high := at(list, in, out, rate)
		add(fmt.Sprintf("true-positive rate at a false-positive rate of %g", rate), tpr, low, high)
	}
	area := areaUnder(in, out)
	low, high := areaInterval(area, float64(min(len(in), len(out))))
	add("area under the curve", area, low, high)
	advantage := 0.0
	low, high = 0, 0
	for _, p := range list {
		advantage, low = max(advantage, p.tpr-p.fpr), max(low, p.tprLow-p.fprHigh)
	}
	for i, p := range list { // between this threshold and the next the one rate is at most, the other at least, theirs
		next := 1.0
		if i+1 < len(list) {
			next = list[i+1].tprHigh
		}
		high = max(high, next-p.fprLow)
	}
	if len(list) > 0 {
		high = max(high, list[0].tprHigh)
	}
	add("advantage, the largest true-positive less false-positive rate", advantage, low,
		min(1, max(high, advantage)))
	return cells
}

// areaInterval is Wilson's (1927) for an area whose variance is at most A(1 − A)/n, n the smaller number of
// scores (van Dantzig 1951).
func areaInterval(area, n float64) (low, high float64) {
	z := limits.NormalUpperQuantile((1 - confidence) / 2)
	centre, spread := area+z*z/(2*n), z*math.Sqrt(area*(1-area)/n+z*z/(4*n*n))
	return math.Max(0, (centre-spread)/(1+z*z/n)), math.Min(1, (centre+spread)/(1+z*z/n))
}

// areaUnder is the probability that an included canary has the larger score of two, ties counted half.
func areaUnder(in, out []float64) float64 {
	sum := 0.0
	for _, x := range in {
		below := lowerBound(out, x)
		sum += float64(below) + float64(lowerBound(out, math.Nextafter(x, math.Inf(1)))-below)/2
	}
	return sum / float64(len(in)) / float64(len(out))
}

// Curve is the trade-off curve as it was measured, with a band, and what is allowed at most.
func (s *Scores) Curve(allowed limits.TradeOff) []verify.Series {
	const along, quantity = "false-positive rate", "true-positive rate"
	in, out := s.sides()
	list := points(in, out)
	name := fmt.Sprintf("these scores, with a %.0f %% band for all points", 100*confidence)
	measured := verify.Series{Name: name, Along: along, Quantity: quantity}
	claimed := verify.Series{Name: "most that is claimed", Along: along, Quantity: quantity}
	for _, p := range list {
		rate := p.fpr
		if n := len(measured.Points); n > 0 && measured.Points[n-1].X.X == rate || rate == 0 || rate == 1 {
			continue
		}
		tpr, low, high := at(list, in, out, rate)
		measured.Points = append(measured.Points, verify.SeriesPoint{X: verify.Num(rate), Mean: verify.Num(tpr),
			Lower: verify.Num(low), Upper: verify.Num(high)})
		claimed.Points = append(claimed.Points, verify.SeriesPoint{X: verify.Num(rate),
			Mean: verify.Num(min(1, 1-allowed.Least(1-rate)))})
	}
	if len(measured.Points) < 2 {
		return nil
	}
	return []verify.Series{measured, claimed}
}

// allowed is the trade-off function of the claim, or of the account of the training.
func (a Audit) allowed() limits.TradeOff {
	if a.Described != nil {
		return a.Described.Null
	}
	if mu, gaussian := a.Guarantee.Gaussian(); gaussian {
		return limits.GaussianTradeOff(mu)
	}
	epsilon, delta, _ := a.Guarantee.Approximate()
	return limits.Lines{{Epsilon: epsilon, Delta: delta}}
}
