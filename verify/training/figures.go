package training

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// What an attacker reaches who holds the scores against a threshold. The intervals assume that scores are
// independent of one another, which those of one run need not be: no verdict rests on them.

// figureConfidence of the intervals: of all points of the curve together, and of the area.
const figureConfidence = 0.95

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

// Figures are the counts that what an attacker reaches, and the curve, follow from. A threshold is an excluded score,
// and what is from it on counts; ranks lists which.
type Figures struct {
	Included int      `json:"included"`
	Excluded int      `json:"excluded"`
	Points   [][3]int `json:"at_thresholds"` // excluded and included scores from each on, and included at no higher rate
	At       []int    `json:"at_rates"`      // included scores above the largest threshold at each of rates
	Wins     int64    `json:"wins"`          // of all pairs those in which the included is larger count 2, ties 1
}

// ranks of the thresholds among so many excluded scores, the largest first.
func ranks(out int) (list []int) {
	for i := range mostPoints {
		list = append(list, min(out, int(math.Ceil(math.Pow(float64(out), float64(i)/(mostPoints-1))))))
	}
	return slices.Compact(list)
}

// figures of the scores of the included and of the excluded, each sorted.
func figures(in, out []float64) Figures {
	f := Figures{Included: len(in), Excluded: len(out)}
	for _, i := range ranks(f.Excluded) {
		threshold := out[f.Excluded-i]
		k := f.Excluded - lowerBound(out, threshold) // with the ties
		f.Points = append(f.Points, [3]int{k, f.Included - lowerBound(in, threshold), above(in, out,
			float64(k)/float64(f.Excluded))})
	}
	for _, rate := range rates {
		f.At = append(f.At, above(in, out, rate))
	}
	for _, x := range in {
		f.Wins += int64(lowerBound(out, x)) + int64(lowerBound(out, math.Nextafter(x, math.Inf(1))))
	}
	return f
}

// Check names what the figures of so many scores cannot be.
func (f Figures) Check() error {
	list := ranks(f.Excluded)
	if f.Included < 1 || f.Excluded < 1 || len(f.Points) != len(list) || len(f.At) != len(rates) {
		return fmt.Errorf("figures of %d and %d scores, at %d thresholds and %d rates: want at least one of either, %d "+
			"and %d", f.Included, f.Excluded, len(f.Points), len(f.At), len(list), len(rates))
	}
	before := [3]int{}
	for i, p := range f.Points {
		rising := p[0] > before[0] && p[1] >= before[1] && p[2] >= before[2]
		if p[0] < list[i] || p[0] > f.Excluded || max(p[1], p[2]) > f.Included || !rising && p != before {
			return fmt.Errorf("%v scores at threshold %d: want no fewer than at the one above, and no more than there are",
				p, i)
		}
		before = p
	}
	last := 0
	for _, n := range f.At {
		if n < last || n > f.Included {
			return fmt.Errorf("%v of %d included scores at rising rates: want no fewer at a larger one", f.At, f.Included)
		}
		last = n
	}
	if f.Wins < 0 || f.Wins > 2*int64(f.Included)*int64(f.Excluded) {
		return fmt.Errorf("%d wins in %d times %d pairs: want at most 2 of each", f.Wins, f.Included, f.Excluded)
	}
	return nil
}

// points of the curve, from the smallest rate up. The false-positive rate at the i-th largest of n excluded
// scores has the law Beta(i, n − i + 1), or is below it where scores are tied; given the threshold the true
// positives are binomial. Limits of both at all points hold together with probability confidence.
func (f Figures) points() (list []point) {
	of := ranks(f.Excluded)
	alpha := (1 - figureConfidence) / float64(4*len(of))
	n, n1 := int64(f.Excluded), int64(f.Included)
	for place, i := range of {
		k, hits := int64(f.Points[place][0]), int64(f.Points[place][1])
		p := point{fpr: float64(k) / float64(n), tpr: float64(hits) / float64(n1)}
		p.fprLow, _ = confidence.BinomialLower(int64(i), n, alpha)
		p.tprLow, _ = confidence.BinomialLower(hits, n1, alpha)
		p.fprHigh, _ = confidence.BinomialUpper(k, n, alpha)
		p.tprHigh, _ = confidence.BinomialUpper(hits, n1, alpha)
		list = append(list, p)
	}
	return list
}

// lowerBound is the number of sorted values below x.
func lowerBound(sorted []float64, x float64) int {
	i, _ := slices.BinarySearch(sorted, x)
	return i
}

// above is the number of included scores above the largest threshold whose false-positive rate is at most this.
func above(in, out []float64, rate float64) int {
	n := len(out)
	k := int(rate * float64(n))
	if k >= n { // from any score on
		return len(in)
	}
	return len(in) - lowerBound(in, math.Nextafter(out[n-1-k], math.Inf(1)))
}

// within are the limits of the curve at a rate, and a true-positive rate that was measured there.
func within(list []point, rate, tpr float64) (low, high float64) {
	high = 1
	for _, p := range list {
		if p.fprHigh <= rate {
			low = max(low, p.tprLow)
		}
		if p.fprLow >= rate {
			high = min(high, p.tprHigh)
		}
	}
	return min(low, tpr), max(high, tpr)
}

// Reached are the figures of attacks, with what their intervals assume in front of each name.
func (f Figures) Reached(assumed string) (cells []verify.Cell) {
	list := f.points()
	add := func(at string, x, low, high float64) {
		cells = append(cells, verify.Cell{Label: assumed + at, Measured: verify.Num(x), Lower: verify.Num(low),
			Upper: verify.Num(high), Samples: int64(f.Included) + int64(f.Excluded)})
	}
	for i, rate := range rates {
		tpr := float64(f.At[i]) / float64(f.Included)
		low, high := within(list, rate, tpr)
		add(fmt.Sprintf("true-positive rate at a false-positive rate of %g", rate), tpr, low, high)
	}
	// The probability that an included canary has the larger score of two, ties counted half.
	area := float64(f.Wins) / 2 / float64(f.Included) / float64(f.Excluded)
	low, high := areaInterval(area, float64(min(f.Included, f.Excluded)))
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
	z := confidence.NormalUpperQuantile((1 - figureConfidence) / 2)
	centre, spread := area+z*z/(2*n), z*math.Sqrt(area*(1-area)/n+z*z/(4*n*n))
	return math.Max(0, (centre-spread)/(1+z*z/n)), math.Min(1, (centre+spread)/(1+z*z/n))
}

// Curve is the trade-off curve as it was measured, with a band, and what is allowed at most.
func (f Figures) Curve(allowed confidence.TradeOff) []verify.Curve {
	const along, quantity = "false-positive rate", "true-positive rate"
	list := f.points()
	name := fmt.Sprintf("these scores, with a %.0f %% band for all points", 100*figureConfidence)
	measured := verify.Curve{Name: name, Variable: along, Quantity: quantity}
	claimed := verify.Curve{Name: "most that is claimed", Variable: along, Quantity: quantity}
	for i, p := range list {
		rate := p.fpr
		if n := len(measured.Points); n > 0 && measured.Points[n-1].X.X == rate || rate == 0 || rate == 1 {
			continue
		}
		tpr := float64(f.Points[i][2]) / float64(f.Included)
		low, high := within(list, rate, tpr)
		measured.Points = append(measured.Points, verify.CurvePoint{X: verify.Num(rate), Mean: verify.Num(tpr),
			Lower: verify.Num(low), Upper: verify.Num(high)})
		claimed.Points = append(claimed.Points, verify.CurvePoint{X: verify.Num(rate),
			Mean: verify.Num(min(1, 1-allowed.MinProbability(1-rate)))})
	}
	if len(measured.Points) < 2 {
		return nil
	}
	return []verify.Curve{measured, claimed}
}
