package chart

import (
	"github.com/dpverify/dpverify/verify"
)

// What the curves of a band are along and of.
const (
	bandEpsilon, bandDelta = "ε", "δ"
	bandFirst, bandSecond  = "type I error", "type II error"
)

// BandCurves are the curves of a band beside those that are claimed; none of no band.
func BandCurves(b *verify.ConfidenceBand) (all []verify.Curve) {
	if b == nil {
		return nil
	}
	add := func(along, quantity, limit string, points []verify.BandPoint) {
		claimed := verify.Curve{Name: "claimed", Variable: along, Quantity: quantity}
		certified := verify.Curve{Name: limit, Variable: along, Quantity: quantity}
		for _, p := range points {
			claimed.Points = append(claimed.Points, verify.CurvePoint{X: verify.Num(p.At), Mean: verify.Num(p.Claimed)})
			certified.Points = append(certified.Points, verify.CurvePoint{X: verify.Num(p.At), Mean: verify.Num(p.Certified)})
		}
		all = append(all, claimed, certified)
	}
	add(bandEpsilon, bandDelta, "certified, at least", b.Delta)
	add(bandFirst, bandSecond, "certified, at most", b.TradeOff)
	return all
}

// BandWords say what the curves of a quantity are; none of those that are not of the band.
func BandWords(b *verify.ConfidenceBand, quantity string) string {
	switch {
	case b == nil:
	case quantity == bandDelta:
		return "The privacy curve: the δ that is claimed at each ε, and the least that this run certifies, at all ε together"
	case quantity == bandSecond:
		return "The trade-off function: the least type II error of a test of the two inputs that is claimed at each type I " +
			"error, and the most that this run certifies, at all of them together"
	}
	return ""
}
