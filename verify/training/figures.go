package training

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// The figures describe an attacker who compares the scores with a threshold. Their intervals assume independent
// scores. The scores of one run may be dependent, so no verdict uses these intervals.

// figureConfidence is the simultaneous confidence level of the curve's intervals, and the level of the area's
// interval.
const figureConfidence = 0.95

// rates are the false-positive rates at which the true-positive rate is reported.
var rates = []float64{1e-3, 1e-2, 1e-1}

// point is a point of the curve. Its threshold is an order statistic of the excluded canaries' scores.
type point struct {
	fpr, fprLow, fprHigh float64
	tpr, tprLow, tprHigh float64
}

// maxPoints is the maximum number of points of the curve.
const maxPoints = 40

// sides returns the sorted scores of the included and of the excluded canaries.
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

// Figures holds the counts from which the curve and the attacker's success rates follow. A threshold is the score of
// an excluded canary; scores of at least the threshold count as positive. The function ranks lists the thresholds.
type Figures struct {
	Included int      `json:"included"`
	Excluded int      `json:"excluded"`
	Points   [][3]int `json:"at_thresholds"` // scores ≥ threshold: excluded, included; included at that rate
	At       []int    `json:"at_rates"`      // included scores that are positive at each of the rates; see above
	Wins     int64    `json:"wins"`          // over all pairs: 2 if the included score is larger, 1 for a tie
}

// ranks returns the ranks of the thresholds among the excluded scores, the largest score first.
func ranks(out int) (list []int) {
	for i := range maxPoints {
		list = append(list, min(out, int(math.Ceil(math.Pow(float64(out), float64(i)/(maxPoints-1))))))
	}
	return slices.Compact(list)
}

// figures counts the scores of included and excluded canaries, which must be sorted.
func figures(in, out []float64) Figures {
	f := Figures{Included: len(in), Excluded: len(out)}
	for _, i := range ranks(f.Excluded) {
		threshold := out[f.Excluded-i]
		k := f.Excluded - lowerBound(out, threshold) // including ties
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

// Check returns an error if the counts are impossible.
func (f Figures) Check() error {
	list := ranks(f.Excluded)
	if f.Included < 1 || f.Excluded < 1 || len(f.Points) != len(list) || len(f.At) != len(rates) {
		return fmt.Errorf("figures of %d included and %d excluded canaries, at %d thresholds and %d rates: want at least "+
			"one canary of each kind, %d thresholds and %d rates", f.Included, f.Excluded, len(f.Points), len(f.At), len(list),
			len(rates))
	}
	before := [3]int{}
	for i, p := range f.Points {
		rising := p[0] > before[0] && p[1] >= before[1] && p[2] >= before[2]
		if p[0] < list[i] || p[0] > f.Excluded || max(p[1], p[2]) > f.Included || !rising && p != before {
			return fmt.Errorf("%v scores at threshold %d: want at least the counts at the threshold above, and at most "+
				"all scores",
				p, i)
		}
		before = p
	}
	last := 0
	for _, n := range f.At {
		if n < last || n > f.Included {
			return fmt.Errorf("%v of %d included scores at increasing rates: want increasing counts", f.At, f.Included)
		}
		last = n
	}
	if f.Wins < 0 || f.Wins > 2*int64(f.Included)*int64(f.Excluded) {
		return fmt.Errorf("%d wins in %d times %d pairs: want at most 2 of each", f.Wins, f.Included, f.Excluded)
	}
	return nil
}

// points returns the curve in order of increasing rate. The false-positive rate at the i-th largest of n excluded
// scores has the distribution Beta(i, n − i + 1), or is smaller if scores are tied. Given the threshold, the number
// of true positives is binomial. The limits of both rates hold at all points together with probability
// figureConfidence.
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

// lowerBound returns the number of sorted values below x.
func lowerBound(sorted []float64, x float64) int {
	i, _ := slices.BinarySearch(sorted, x)
	return i
}

// above returns the number of included scores above the smallest threshold whose false-positive rate is at most rate.
func above(in, out []float64, rate float64) int {
	n := len(out)
	k := int(rate * float64(n))
	if k >= n { // any score counts as positive
		return len(in)
	}
	return len(in) - lowerBound(in, math.Nextafter(out[n-1-k], math.Inf(1)))
}

// within returns limits of the curve at a rate, which contain the measured true-positive rate.
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

// Reached returns the success rates of threshold attacks, with intervals. Each label begins with assumed, which states
// the assumption of the intervals.
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
	// The area is the probability that an included canary has a larger score than an excluded one. Ties count one
	// half.
	area := float64(f.Wins) / 2 / float64(f.Included) / float64(f.Excluded)
	low, high := areaInterval(area, float64(min(f.Included, f.Excluded)))
	add("area under the curve", area, low, high)
	advantage := 0.0
	low, high = 0, 0
	for _, p := range list {
		advantage, low = max(advantage, p.tpr-p.fpr), max(low, p.tprLow-p.fprHigh)
	}
	for i, p := range list { // limits between this threshold and the next
		next := 1.0
		if i+1 < len(list) {
			next = list[i+1].tprHigh
		}
		high = max(high, next-p.fprLow)
	}
	if len(list) > 0 {
		high = max(high, list[0].tprHigh)
	}
	add("advantage, the largest true-positive minus false-positive rate", advantage, low,
		min(1, max(high, advantage)))
	return cells
}

// areaInterval returns Wilson's interval (1927) for an area with variance at most A(1 − A)/n, where n is the smaller
// number of scores (van Dantzig 1951).
func areaInterval(area, n float64) (low, high float64) {
	z := confidence.NormalUpperQuantile((1 - figureConfidence) / 2)
	centre, spread := area+z*z/(2*n), z*math.Sqrt(area*(1-area)/n+z*z/(4*n*n))
	return min(area, max(0, (centre-spread)/(1+z*z/n))), max(area, min(1, (centre+spread)/(1+z*z/n)))
}

// Curve returns the measured trade-off curve with its confidence band, and the largest true-positive rates that the
// claim or account allows.
func (f Figures) Curve(allowed confidence.TradeOff) []verify.Curve {
	const along, quantity = "false-positive rate", "true-positive rate"
	list := f.points()
	name := fmt.Sprintf("these scores, with a %.0f %% band for all points", 100*figureConfidence)
	measured := verify.Curve{Name: name, Variable: along, Quantity: quantity}
	claimed := verify.Curve{Name: "maximum allowed by the claim", Variable: along, Quantity: quantity}
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
