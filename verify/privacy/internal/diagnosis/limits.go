package diagnosis

import (
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// Hits returns the number of rows in which an event certainly occurs, not counting ties.
func Hits(w *distinguisher.Event, rows *distinguisher.Rows) (hits int64) {
	for i := range rows.Len() {
		if w.Certain(rows.Row(i)) {
			hits++
		}
	}
	return hits
}

// LowerLimit returns a lower confidence limit on the parameter of a guarantee from the counts of an event, with
// error alpha in (0, 1).
func LowerLimit(g guarantee.Guarantee, x, nx, y, ny int64, alpha float64) float64 {
	if g.IsApproximate() {
		return math.Max(0, confidence.EpsilonLower(x, nx, y, ny, g.Delta(), alpha))
	}
	p, _ := confidence.BinomialLower(x, nx, alpha/2) // invalid counts have the limits 0 and 1
	q, _ := confidence.BinomialUpper(y, ny, alpha/2)
	return g.FromProbabilities(p, q)
}

// PlugIn returns the estimate ln((x/n−δ)/(y/n)), or 0 if the event shows no loss.
func PlugIn(x, y, n int64, delta float64) float64 {
	excess := float64(x) - delta*float64(n)
	if excess <= float64(y) {
		return 0
	}
	return math.Log(excess / float64(y))
}

// EpsilonUpper returns an upper confidence limit on ln((p−δ)/q), at least 0. It uses limits on p and on q with
// error alpha/2 each.
func EpsilonUpper(x, y, n int64, delta, alpha float64) (float64, error) {
	p, err := confidence.BinomialUpper(x, n, alpha/2)
	if err != nil {
		return 0, err
	}
	q, err := confidence.BinomialLower(y, n, alpha/2)
	if err != nil || p <= delta {
		return 0, err
	}
	return math.Max(0, math.Log((p-delta)/q)), nil
}

const bandPoints = 40 // number of intervals in the reported curves

// CurveViolationAt returns the statement of a claimed curve that an event with shares p and q violates, and nil for
// (ε, δ)-DP.
func CurveViolationAt(g guarantee.Guarantee, at confidence.Line, p, q float64) *verify.CurveViolation {
	if g.IsApproximate() {
		return nil
	}
	t := math.Exp(at.Epsilon)
	return &verify.CurveViolation{Epsilon: at.Epsilon, Delta: at.Delta, Measured: math.Max(p-t*q, 1-q-t*(1-p))}
}

// ConfidenceBand returns the points of a confidence band and of the claimed curve, up to the ε at which the band
// ends.
func ConfidenceBand(b confidence.Band, g guarantee.Guarantee, alpha float64) *verify.ConfidenceBand {
	out := &verify.ConfidenceBand{Alpha: alpha}
	end := math.Max(1, 1.1*b.End())
	if epsilon, _, ok := g.Approximate(); ok {
		end = math.Max(end, math.Min(2*epsilon, 50))
	}
	for i := range bandPoints + 1 {
		at := end * float64(i) / bandPoints
		out.Delta = append(out.Delta, verify.BandPoint{At: at, Claimed: g.HockeyStick(at), Certified: b.Delta(at)})
		first := float64(i*i) / (bandPoints * bandPoints) // denser near 0, where the curve is steep
		out.TradeOff = append(out.TradeOff, verify.BandPoint{At: first, Claimed: g.TradeOff(first),
			Certified: b.TradeOff(first)})
	}
	return out
}

// Rungs returns fixed parameters around the claimed one, `side` below and above it.
func Rungs(claimed float64, side int) []float64 {
	if claimed == 0 {
		return []float64{0}
	}
	var out []float64
	for i := -side; i <= side; i++ {
		out = append(out, claimed*math.Exp2(float64(i)/6))
	}
	return out
}
